/* norn-test
 * errors: yes
 * build: clang-19 -O2 -DUNSEEN -c $SRC/declared.c -o mix.o
 * cc: -DDECLARED mix.o
 * silent: mix.o
 * schedule: 12
 * finding: ^race y predicted
 */
/* A race on y that the lock hides. What two does after it called code without hooks is taken as it was recorded, unless the program declares that this code only computes. */
#ifdef UNSEEN
int mix(int value);
int mix(int value)
{
	return value * 7;
}
#else
#include <norn.h>

#include "cast.h"

#ifdef DECLARED
NORN_PURE
#endif
int mix(int value);
int y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
	gate('1');
	y = 1;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	y = mix(3);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
#endif
