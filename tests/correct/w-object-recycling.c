/* norn-test
 * silent:
 * unjudged:
 */
/* A slab whose slots hold now a mutex, now a semaphore, now a condition with a mutex, now a rwlock or a barrier, at the same address. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
static union slot {
	struct {
		pthread_mutex_t m;
		int n;
	} a;
	struct {
		sem_t s;
		int n;
	} b;
	struct {
		pthread_cond_t c;
		pthread_mutex_t m;
		int ready, n;
	} c;
	struct {
		pthread_rwlock_t r;
		int n;
	} d;
	struct {
		pthread_barrier_t b;
		int n[2];
	} e;
} slot[2];
struct job {
	union slot *s;
	int kind, side;
};
static void *run(void *arg)
{
	struct job *j = arg;
	union slot *s = j->s;
	switch (j->kind) {
	case 0:
		pthread_mutex_lock(&s->a.m);
		s->a.n++;
		pthread_mutex_unlock(&s->a.m);
		break;
	case 1:
		sem_wait(&s->b.s);
		s->b.n++;
		sem_post(&s->b.s);
		break;
	case 2:
		pthread_mutex_lock(&s->c.m);
		if (j->side) {
			s->c.n = 7;
			s->c.ready = 1;
			pthread_cond_signal(&s->c.c);
		} else {
			while (!s->c.ready)
				pthread_cond_wait(&s->c.c, &s->c.m);
			assert(s->c.n == 7);
			s->c.n = 2;
		}
		pthread_mutex_unlock(&s->c.m);
		break;
	case 3:
		pthread_rwlock_wrlock(&s->d.r);
		s->d.n++;
		pthread_rwlock_unlock(&s->d.r);
		break;
	case 4:
		s->e.n[j->side] = 1;
		pthread_barrier_wait(&s->e.b);
		assert(s->e.n[!j->side] == 1);
		break;
	}
	return NULL;
}
static void round_(union slot *s, int kind)
{
	pthread_t t[2];
	struct job j[2] = {{s, kind, 0}, {s, kind, 1}};
	memset(s, 0, sizeof *s);
	switch (kind) {
	case 0:
		s->a.m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		break;
	case 1:
		sem_init(&s->b.s, 0, 1);
		break;
	case 2:
		s->c.m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		s->c.c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
		break;
	case 3:
		pthread_rwlock_init(&s->d.r, NULL);
		break;
	case 4:
		pthread_barrier_init(&s->e.b, NULL, 2);
		break;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &j[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	switch (kind) {
	case 0:
		assert(s->a.n == 2);
		pthread_mutex_destroy(&s->a.m);
		break;
	case 1:
		assert(s->b.n == 2);
		sem_destroy(&s->b.s);
		break;
	case 2:
		assert(s->c.n == 2);
		pthread_cond_destroy(&s->c.c);
		pthread_mutex_destroy(&s->c.m);
		break;
	case 3:
		assert(s->d.n == 2);
		pthread_rwlock_destroy(&s->d.r);
		break;
	case 4:
		pthread_barrier_destroy(&s->e.b);
		break;
	}
}
static void *owner(void *arg)
{
	for (int i = 0; i < 6; i++)
		round_(arg, (i * 3 + (arg == slot)) % 5);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, owner, &slot[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("recycled");
	return 0;
}
