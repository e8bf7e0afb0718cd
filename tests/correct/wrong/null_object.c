/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -DUSE=0 settle.o
 * cc: -DUSE=1 settle.o
 * cc: -DUSE=2 settle.o
 * cc: -DUSE=3 settle.o
 * finding: ^null-dereference P predicted at null_object.c
 * silent: -DUSE=0 -DFIXED settle.o
 * silent: -DUSE=1 -DFIXED settle.o
 * silent: -DUSE=2 -DFIXED settle.o
 * silent: -DUSE=3 -DFIXED settle.o
 * silent: -DUSE=4 settle.o
 */
/* The pointer's structure is locked, signalled, posted to, or locked to write, where another thread may have cleared the pointer. With a test
 * of it (4) the lock is not come to. */
#include "../settle.h"
#include "open/lucky.h"

struct o {
	int a;
	pthread_mutex_t m;
	pthread_cond_t c;
	sem_t s;
	pthread_rwlock_t w;
};
MX(m);
static struct o *P;
static struct o obj;

T(user)
{
	L(m);
	struct o *q = P;
	W(U(m);)
#if USE == 0
	F(if (q)) L(q->m);
	F(if (q)) U(q->m);
#elif USE == 1
	F(if (q)) pthread_cond_signal(&q->c);
#elif USE == 2
	F(if (q)) sem_post(&q->s);
#elif USE == 3
	F(if (q)) pthread_rwlock_wrlock(&q->w);
	F(if (q)) pthread_rwlock_unlock(&q->w);
#else
	if (q) {
		L(q->m);
		U(q->m);
	}
#endif
	F(U(m);)
	return 0;
}

T(clear)
{
	L(m);
	P = 0;
	U(m);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_mutex_init(&obj.m, 0);
	pthread_cond_init(&obj.c, 0);
	pthread_rwlock_init(&obj.w, 0);
	sem_init(&obj.s, 0, 0);
	L(m);
	P = &obj;
	U(m);
	GO(a, user, 0);
	settle();
	GO(b, clear, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
