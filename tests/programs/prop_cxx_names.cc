/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O0 -pthread gate.o
 * cc: -g -O1 -pthread gate.o
 * run: ab
 * prop: prop_cxx_names.prop
 * check: --only-props
 * finding: atomicity (text::b|Buffer).count .*
 * finding: property put .*
 * finding: property filled .*
 * finding-count: 3
 */
/* Names of C++ in properties: methods, templates, namespaces, fields of base classes. The string buffer of the literature: its length is asked for, then its contents, and another thread clears it in
 * between. */
#include <mutex>
#include <thread>

extern "C" {
#include "../causality/gate.h"
}

namespace text
{
template <class T> struct Base {
	T count = 0;
};
class Buffer : public Base<int>
{
	std::mutex m;
	char data[64];

      public:
	static int limit;
	__attribute__((noinline)) int length();
	__attribute__((noinline)) int get(int length, char *out);
	__attribute__((noinline)) void clear();
	template <class U> __attribute__((noinline)) void put(U c);
	__attribute__((noinline)) void append(Buffer &other);
};
int Buffer::limit;
int Buffer::length()
{
	std::lock_guard<std::mutex> guard(m);
	return count;
}
int Buffer::get(int length, char *out)
{
	std::lock_guard<std::mutex> guard(m);
	for (int i = 0; i < length; i++)
		out[i] = data[i];
	return count;
}
void Buffer::clear()
{
	std::lock_guard<std::mutex> guard(m);
	count = 0;
}
template <class U> void Buffer::put(U c)
{
	std::lock_guard<std::mutex> guard(m);
	data[count++] = (char)c;
}
void Buffer::append(Buffer &other)
{
	char bytes[64];
	limit = other.length();
	other.get(2, bytes);
	put(bytes[0]);
}
Buffer a, b;
} // namespace text

int main(int, char **argv)
{
	text::b.put(65);
	text::b.put('x');
	std::thread one([] { gate('a'), text::a.append(text::b), gate_leave(); });
	std::thread other([] { gate('b'), text::b.clear(), gate_leave(); });
	gate_gather(2);
	gate_open(argv[1]);
	one.join();
	other.join();
	return 0;
}
