/* norn-test
 * build: clang-19 -O1 -fno-builtin -c $SRC/p-names-part.c -o part.o
 * silent: part.o -fno-builtin
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41; only suspected since): -O1: race d predicted: pause and y1 are the program's.
 * Correct: pause and y1 are functions of the program here: an event */
#include <pthread.h>
#include <stdio.h>
int pause(void);
double y1(double);
static int d;
static void *w(void *a)
{
	d = 41;
	y1(1);
	return a;
}
static void *v(void *a)
{
	pause();
	d++;
	return a;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, w, 0);
	pthread_create(&y, 0, v, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	printf("%d\n", d);
	return d != 42;
}
