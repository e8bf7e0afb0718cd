/* Locks in cycles, one of them recursive, taken in a function that calls itself. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, r;
int x, y;
static void deep(int n)
{
	pthread_mutex_lock(&r);
	if (n)
		deep(n - 1);
	else {
		pthread_mutex_lock(&b);
		x++;
		pthread_mutex_unlock(&b);
	}
	pthread_mutex_unlock(&r);
}
static void *one(void *u)
{
	pthread_mutex_lock(&a);
	deep(3);
	pthread_mutex_unlock(&a);
	return u;
}
static void *two(void *u)
{
	usleep(8000);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&r);
	y = x;
	pthread_mutex_unlock(&r);
	pthread_mutex_unlock(&b);
	return u;
}
int main(void)
{
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&r, &t);
	pthread_t p[2];
	pthread_create(&p[0], 0, one, 0);
	pthread_create(&p[1], 0, two, 0);
	pthread_join(p[0], 0);
	pthread_join(p[1], 0);
	return 0;
}
