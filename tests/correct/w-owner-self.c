/* norn-test
 * silent:
 * unjudged:
 */
/* The owner of a resource is a thread handle that is kept beside it and compared with pthread_self; the data are touched without the mutex while owned. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdbool.h>
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static struct {
	bool taken;
	pthread_t owner;
	unsigned depth;
	long balance, moves;
} res;
static void enter(void)
{
	pthread_mutex_lock(&guard);
	if (res.taken && pthread_equal(res.owner, pthread_self())) {
		res.depth++;
		pthread_mutex_unlock(&guard);
		return;
	}
	while (res.taken)
		pthread_cond_wait(&freed, &guard);
	res.taken = true;
	res.owner = pthread_self();
	res.depth = 1;
	pthread_mutex_unlock(&guard);
}
static void leave(void)
{
	pthread_mutex_lock(&guard);
	assert(res.taken && pthread_equal(res.owner, pthread_self()) && res.depth > 0);
	if (--res.depth == 0) {
		res.taken = false;
		pthread_cond_signal(&freed);
	}
	pthread_mutex_unlock(&guard);
}
static void deposit(long n)
{
	enter();
	res.balance += n;
	res.moves++;
	leave();
}
static void *client(void *arg)
{
	for (int i = 0; i < 4; i++) {
		enter();
		long before = res.balance;
		deposit(3);
		deposit(-2);
		assert(res.balance == before + 1);
		leave();
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(res.balance == 12 && res.moves == 24);
	printf("%ld %ld\n", res.balance, res.moves);
	return 0;
}
