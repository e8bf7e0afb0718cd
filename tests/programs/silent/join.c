/* norn-test
 * silent: -DRESULT
 * silent: -DEXIT
 * silent: -DTREE
 * silent: -DC11
 */
/* Stack data that is passed to a thread and looked at after the join. */
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

struct job {
	int from, to, sum;
};

static void *add(void *argument)
{
	struct job *job = argument;
#ifdef TREE
	if (job->to - job->from > 4) {
		int middle = (job->from + job->to) / 2;
		struct job left = {job->from, middle, 0}, right = {middle, job->to, 0};
		pthread_t thread;
		pthread_create(&thread, NULL, add, &left);
		add(&right);
		pthread_join(thread, NULL);
		job->sum = left.sum + right.sum;
		return NULL;
	}
#endif
	for (int i = job->from; i < job->to; i++)
		job->sum += i;
#ifdef EXIT
	pthread_exit(job);
#endif
	return job;
}

#ifdef C11
static int add_c11(void *argument)
{
	add(argument);
	return ((struct job *)argument)->sum;
}
#endif

int main(void)
{
	struct job job = {0, 16, 0};
#ifdef C11
	thrd_t thread;
	int result;
	thrd_create(&thread, add_c11, &job);
	thrd_join(thread, &result);
	job.sum = job.sum == result ? job.sum : 0;
#else
	pthread_t thread;
	void *result;
	pthread_create(&thread, NULL, add, &job);
	pthread_join(thread, &result);
#endif
	return job.sum == 120 ? 0 : 1;
}
