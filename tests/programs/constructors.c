/* norn-test
 * build: $CC -g -O1 -pthread -shared -fPIC -DLIBRARY $SRC/constructors.c -o library.so
 * cc: -g -O1 -pthread ./library.so
 * stdout: chosen 2, library 1, early 10, main 20, destructor 21, library is over
 * exit: 6
 */
/* Code before main and after it: resolvers of functions that are chosen when the program is loaded, constructors with threads, those of libraries, destructors, and
 * a status that a handler of exit changes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int library_count(void);

#ifdef LIBRARY
static int count;

__attribute__((constructor)) static void begin(void)
{
	count++;
}

__attribute__((destructor)) static void end(void)
{
	if (count == 1 && write(1, ", library is over\n", 18) != 18)
		_exit(9);
}

int library_count(void)
{
	return count;
}
#else
static int count, asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int two(void)
{
	return 2;
}

static int (*resolve(void))(void)
{
	asked++; /* before the runtime is there */
	return two;
}
static int chosen(void) __attribute__((ifunc("resolve")));

static void *add(void *unused)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

__attribute__((constructor(101))) static void first_of_all(void)
{
	add_in_two();
}

__attribute__((destructor(101))) static void last_of_all(void)
{
	count++;
	printf(", destructor %d", count);
	fflush(stdout);
}

static void leave(void)
{
	_Exit(9);
}

static void change(int status, void *argument)
{
	(void)argument;
	exit(status == 5 ? 6 : 7);
}

int main(void)
{
	int early = count;
	add_in_two();
	printf("chosen %d, library %d, early %d, main %d", chosen(), library_count(), early, count);
	at_quick_exit(leave); /* is not run */
	on_exit(change, NULL);
	return asked ? 5 : 4;
}
#endif
