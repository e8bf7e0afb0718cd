/* norn-test
 * silent:
 * schedule: 1212
 */
/* Streams of C++: both threads print to std::cout without a lock, as they may; and they hand a stream on under one, whose width and
 * count the second looks at. */
#include <iostream>

extern "C" {
#include "../sliced/cast.h"
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written, guarded;

static void print(const char *text, int number)
{
	std::cout << text << number << "\n";
}

static void *one(void *unused)
{
	gate('1');
	print("one ", 1);
	written = 1;
	pthread_mutex_lock(&lock);
	guarded++;
	std::cerr.width(7);
	std::cerr << "";
	std::cerr.width(3);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	print("two ", 2);
	pthread_mutex_lock(&lock);
	guarded++;
	bool later = std::cerr.width() == 3;
	pthread_mutex_unlock(&lock);
	if (later)
		written = 2;
	gate_leave();
	return unused;
}

int main(int, char **argv)
{
	return play(argv, one, two, nullptr) || guarded != 2;
}
