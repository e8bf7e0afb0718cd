/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -DTRY settle.o
 * cc: -DTIMED settle.o
 * check: --model $SRC/../settle.model
 * check-exit: 3
 * note: the outcome of a try or timed wait, though it decides nothing
 */
/* Wrong: nobody looks whether a try got the semaphore (a race on x); whether a wait was woken or its time was up (the assertion). Neither is predicted,
 * and the verdict says that not all was judged. */
#include "alone.h"
MUTEX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int x, item;
#ifdef TRY
T(first)
{
	RIGHT(sem_wait(&s);)
	WRONG(sem_trywait(&s);)
	x++;
	sem_post(&s);
	return a;
}
#define second first
#else
T(first)
{
	struct timespec until = soon(1000000);
	L(m);
	RIGHT(while (!item) pthread_cond_timedwait(&c, &m, &until);)
	WRONG(pthread_cond_timedwait(&c, &m, &until);)
	assert(item == 1);
	U(m);
	return a;
}
T(second)
{
	L(m);
	item = 1;
	pthread_cond_signal(&c);
	U(m);
	return a;
}
#endif
int main(void)
{
	pthread_t t, u;
	sem_init(&s, 0, 1);
	GO(t, first, 0);
	settle();
	GO(u, second, 0);
	WAIT(t);
	WAIT(u);
	return x && item;
}
