/* norn-test
 * silent:
 * unjudged:
 */
/* Thread handles come back: threads are made and joined in turn, and a table of handles is looked up by pthread_equal. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct info {
	pthread_t handle;
	int live, number;
	char *name;
};
static struct info table[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static struct info *self(void)
{
	struct info *r = NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 4; i++)
		if (table[i].live && pthread_equal(table[i].handle, pthread_self()))
			r = &table[i];
	pthread_mutex_unlock(&lock);
	return r;
}
static void *run(void *arg)
{
	int n = *(int *)arg;
	struct info *me = NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 4 && !me; i++)
		if (!table[i].live)
			me = &table[i];
	assert(me);
	me->live = 1;
	me->handle = pthread_self();
	me->number = n;
	me->name = malloc(16);
	snprintf(me->name, 16, "thread %d", n);
	pthread_mutex_unlock(&lock);
	struct info *found = self();
	assert(found == me && found->number == n);
	assert(atoi(found->name + 7) == n);
	pthread_mutex_lock(&lock);
	sum += me->number;
	free(me->name);
	me->name = NULL;
	me->live = 0;
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	for (int round = 0; round < 4; round++) {
		pthread_t t[3];
		int n[3];
		for (int i = 0; i < 3; i++) {
			n[i] = round * 3 + i;
			pthread_create(&t[i], NULL, run, &n[i]);
		}
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
	assert(sum == 66);
	printf("%d\n", sum);
	return 0;
}
