/* norn-test
 * build: clang-19 -O1 -fno-builtin -c $SRC/p-names-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41; only suspected since): -O1: race d predicted: sync and nice are the program's.
 * Correct: sync and nice are functions of the program here: a lock */
#include <pthread.h>
#include <stdio.h>
void sync(void);
int nice(int);
static int d;
static void *w(void *a)
{
	for (int i = 0; i < 5; i++) {
		sync();
		d++;
		nice(1);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, w, 0);
	pthread_create(&y, 0, w, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	printf("%d\n", d);
	return d != 10;
}
