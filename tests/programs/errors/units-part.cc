#include "units.h"

namespace units
{

template <typename type> box<type>::box(type value) : value(value)
{
}

template <typename type> box<type>::~box()
{
	value = 0;
}

template <typename type> void box<type>::put(type other)
{
	value = other;
}

template struct box<int>;

void counter::put(const box<int> &from)
{
	value += from.value;
}

void counter::put(int other)
{
	value += other;
}

int sum(const counter &counter, int more)
{
	return counter.value + more;
}

int sum(int one, int more)
{
	return one + more;
}

} // namespace units
