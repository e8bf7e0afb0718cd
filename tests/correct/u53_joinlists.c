/* norn-test
 * repeat: 8
 * silent:
 */
/* Each worker ends with the list of the jobs it did; main joins one after the other, and goes through the jobs of the one that has ended while the others still work. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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
static void *worker(void *arg)
{
	struct job *mine = NULL, *j;
	while ((j = take())) {
		j->result = j->n * 2;
		j->link = mine;
		mine = j;
		if (j->n % 3 == 0)
			usleep(500);
	}
	(void)arg;
	return mine;
}
int main(void)
{
	pthread_t t[W];
	int sum = 0;
	for (int i = 0; i < JOBS; i++)
		jobs[i].n = i;
	for (int i = 0; i < W; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < W; i++) {
		void *r;
		pthread_join(t[i], &r);
		for (struct job *j = r; j; j = j->link) {
			assert(j->result == 2 * j->n && !j->checked);
			j->checked = 1;
			sum += j->result;
		}
	}
	assert(sum == JOBS * (JOBS - 1));
	printf("%d\n", sum);
	return 0;
}
