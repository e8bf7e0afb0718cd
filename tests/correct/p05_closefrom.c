/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a program may close all descriptors that it did not open */
#include "lock.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	closefrom(3);
	for (int i = 3; i < 64; i++)
		dup2(2, i);
}
static void lk(int i)
{
	(void)i;
	L(m);
}
static void ul(int i)
{
	(void)i;
	U(m);
}
