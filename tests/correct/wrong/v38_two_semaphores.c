/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: two semaphores are taken in two orders */
#include "alone.h"
static sem_t p, q;
static int x;
T(a1)
{
	for (int i = 0; i < 10; i++) {
		sem_wait(&p);
		sem_wait(&q);
		x++;
		sem_post(&q);
		sem_post(&p);
	}
	return 0;
}
T(a2)
{
	for (int i = 0; i < 10; i++) {
#ifndef FIXED
		sem_wait(&q);
		sem_wait(&p);
#else
		sem_wait(&p);
		sem_wait(&q);
#endif
		x--;
		sem_post(&p);
		sem_post(&q);
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	sem_init(&p, 0, 1);
	sem_init(&q, 0, 1);
	GO(a, a1, 0);
	settle();
	GO(b, a2, 0);
	WAIT(a);
	WAIT(b);
	return x;
}
