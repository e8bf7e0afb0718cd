/* norn-test
 * silent: -DLOCAL_LOCK
 * silent: -DRETIRED
 */
/* Locks that live in objects: on the stack of whoever waits for the others, and in blocks that are freed after their last use. */
#include "crew.h"

#ifdef LOCAL_LOCK
struct task {
	pthread_mutex_t lock;
	pthread_cond_t done;
	int left, sum;
};

static void *help(void *argument)
{
	struct task *task = argument;
	pthread_mutex_lock(&task->lock);
	task->sum++;
	if (--task->left == 0)
		pthread_cond_signal(&task->done);
	pthread_mutex_unlock(&task->lock);
	return NULL;
}

int main(void)
{
	int sum = 0;
	for (int round = 0; round < 3; round++) {
		struct task task = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2, 0};
		pthread_t threads[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, help, &task);
		pthread_mutex_lock(&task.lock);
		while (task.left)
			pthread_cond_wait(&task.done, &task.lock);
		sum += task.sum;
		pthread_mutex_unlock(&task.lock);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	return sum == 6 ? 0 : 1;
}
#else
static int totals[3];

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int i = 0; i < 4; i++) {
		struct {
			pthread_mutex_t lock;
			int value;
		} *object = calloc(1, sizeof *object);
		pthread_mutex_init(&object->lock, NULL);
		pthread_mutex_lock(&object->lock);
		object->value = me;
		totals[me] += object->value;
		pthread_mutex_unlock(&object->lock);
		pthread_mutex_destroy(&object->lock);
		free(object);
	}
	return NULL;
}

int main(void)
{
	crew(3, work);
	return totals[2] == 8 ? 0 : 1;
}
#endif
