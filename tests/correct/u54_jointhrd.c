/* norn-test
 * repeat: 8
 * silent:
 */
/* Each worker ends with the list of the jobs it did; main joins one after the other, and goes through the jobs of the one that has ended while the others still work. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
enum { W = 3, JOBS = 12 };
struct job {
	struct job *link;
	int n, result, checked;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static struct job jobs[JOBS];
static struct job *take(void)
{
	pthread_mutex_lock(&lock);
	struct job *j = next < JOBS ? &jobs[next++] : NULL;
	pthread_mutex_unlock(&lock);
	return j;
}
static int worker(void *arg)
{
	struct job *j;
	long bits = 0;
	while ((j = take())) {
		j->result = j->n * 2;
		bits |= 1L << j->n;
		if (j->n % 3 == 0)
			usleep(500);
	}
	(void)arg;
	return (int)bits;
}
int main(void)
{
	thrd_t t[W];
	int sum = 0;
	for (int i = 0; i < JOBS; i++)
		jobs[i].n = i;
	for (int i = 0; i < W; i++)
		thrd_create(&t[i], worker, NULL);
	for (int i = 0; i < W; i++) {
		int r;
		thrd_join(t[i], &r);
		for (int k = 0; k < JOBS; k++) {
			if (!((long)r >> k & 1))
				continue;
			struct job *j = &jobs[k];
			assert(j->result == 2 * j->n && !j->checked);
			j->checked = 1;
			sum += j->result;
		}
	}
	assert(sum == JOBS * (JOBS - 1));
	printf("%d\n", sum);
	return 0;
}
