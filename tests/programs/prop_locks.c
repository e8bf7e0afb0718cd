/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_locks.prop
 * no-finding: yes
 */
/* Locks as events. A wait for a condition gives its lock up and takes it again; a lock that is taken again by its owner is one. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t service_lock;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int shared, turn;
struct box {
	int content;
	pthread_mutex_t mutex;
	pthread_cond_t filled;
};

static void *other(void *unused)
{
	pthread_mutex_lock(&service_lock);
	shared++;
	turn = 1;
	pthread_cond_signal(&change);
	pthread_mutex_unlock(&service_lock);
	return unused;
}

static void *fill(void *arg)
{
	struct box *b = arg;
	pthread_mutex_lock(&b->mutex);
	b->content = 1;
	pthread_cond_signal(&b->filled);
	pthread_mutex_unlock(&b->mutex);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_mutexattr_t recursive;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&service_lock, &recursive);
	pthread_mutex_lock(&service_lock);
	pthread_mutex_lock(&service_lock);
	shared = 1;
	pthread_mutex_unlock(&service_lock);
	shared = 2;
	pthread_create(&t, NULL, other, NULL);
	while (!turn)
		pthread_cond_wait(&change, &service_lock);
	shared = 3;
	pthread_mutex_unlock(&service_lock);
	pthread_join(t, NULL);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
#ifdef BAD
	shared = 4;
#endif
	struct box *b = calloc(1, sizeof *b);
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->filled, NULL);
	pthread_mutex_lock(&b->mutex);
	pthread_create(&t, NULL, fill, b);
	while (!b->content)
		pthread_cond_wait(&b->filled, &b->mutex);
	pthread_mutex_unlock(&b->mutex);
	pthread_join(t, NULL);
	free(b);
	return 0;
}
