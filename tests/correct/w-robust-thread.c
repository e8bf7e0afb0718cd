/* norn-test
 * silent:
 * unjudged:
 */
/* (Of its assertions not all values are tried, since three heirs may come in any order.) Robust, error-checking and recursive mutexes: a thread ends with the lock held, errors are asked for and come as POSIX says. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t robust, checking, recursive;
static int x, y, depth;
static void *dies(void *arg)
{
	pthread_mutex_lock(&robust);
	x = 5;
	return arg;
}
static int take(void)
{
	int e = pthread_mutex_lock(&robust);
	if (e == EOWNERDEAD) {
		y = x;
		pthread_mutex_consistent(&robust);
		e = 0;
	}
	return e;
}
static void *heir(void *arg)
{
	int e = take();
	assert(e == 0);
	assert(x == y || x == 5);
	x = ++y;
	pthread_mutex_unlock(&robust);
	e = pthread_mutex_lock(&checking);
	assert(e == 0);
	e = pthread_mutex_lock(&checking);
	assert(e == EDEADLK);
	pthread_mutex_unlock(&checking);
	e = pthread_mutex_unlock(&checking);
	assert(e == EPERM);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&recursive);
		depth++;
	}
	assert(depth == 3);
	while (depth) {
		depth--;
		if (depth)
			pthread_mutex_unlock(&recursive);
	}
	pthread_mutex_unlock(&recursive);
	return arg;
}
static void init(pthread_mutex_t *m, int type, int r)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	if (r)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
}
int main(void)
{
	pthread_t t[3];
	init(&robust, PTHREAD_MUTEX_NORMAL, 1);
	init(&checking, PTHREAD_MUTEX_ERRORCHECK, 0);
	init(&recursive, PTHREAD_MUTEX_RECURSIVE, 0);
	pthread_create(&t[0], NULL, dies, NULL);
	pthread_join(t[0], NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, heir, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(x == y && y == 8 && depth == 0);
	printf("%d\n", y);
	return 0;
}
