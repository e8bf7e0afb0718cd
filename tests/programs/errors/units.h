/* What units.cc uses of units-part.cc. */
#ifndef UNITS_H
#define UNITS_H

namespace units
{

template <typename type> struct box {
	explicit box(type value);
	~box();
	void put(type value);
	type value;
};
extern template struct box<int>;

struct counter {
	void put(const box<int> &from);
	void put(int value);
	int value = 0;
};

int sum(const counter &counter, int more);
int sum(int one, int more);

} // namespace units

#endif
