/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion begin >= 0 && end <= count predicted
 * silent: -DRIGHT
 */
/* The length of another buffer is asked for, and then its characters (StringBuffer of Java 1.4). */
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

extern "C" {
#include "../sliced/cast.h"
}

class StringBuffer
{
	char *value;
	int count, capacity;
	std::recursive_mutex m;

      public:
	StringBuffer(const char *s) : value(new char[16]), count((int)strlen(s)), capacity(16)
	{
		memcpy(value, s, count);
	}
	~StringBuffer()
	{
		delete[] value;
	}
	int length()
	{
		std::lock_guard<std::recursive_mutex> l(m);
		return count;
	}
	void getChars(int begin, int end, char *dst, int at)
	{
		std::lock_guard<std::recursive_mutex> l(m);
		assert(begin >= 0 && end <= count);
		memcpy(dst + at, value + begin, end - begin);
	}
	void erase(int start, int end)
	{
		std::lock_guard<std::recursive_mutex> l(m);
		memmove(value + start, value + end, count - end);
		count -= end - start;
	}
	StringBuffer &append(StringBuffer *sb)
	{
		std::lock_guard<std::recursive_mutex> l(m);
#ifdef RIGHT
		std::lock_guard<std::recursive_mutex> k(sb->m);
#endif
		int len = sb->length();
		if (count + len > capacity)
			return *this;
		sb->getChars(0, len, value, count);
		count += len;
		return *this;
	}
};

static StringBuffer *a = new StringBuffer("abc"), *b = new StringBuffer("defg");
static void *one(void *unused)
{
	gate('a');
	a->append(b);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	b->erase(0, 4);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	delete a;
	delete b;
	return 0;
}
