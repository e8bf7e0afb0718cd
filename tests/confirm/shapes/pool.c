/* A pool of workers that wait for jobs; how many there are is not guarded. */
#include <pthread.h>
#include <unistd.h>
#define JOBS 12
struct job {
	int n;
	struct job *next;
};
static struct job jobs[JOBS];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static struct job *head;
static int stop;
int results, started;
static void *worker(void *unused)
{
	started++;
	for (;;) {
		pthread_mutex_lock(&m);
		while (!head && !stop)
			pthread_cond_wait(&c, &m);
		struct job *j = head;
		if (j)
			head = j->next;
		pthread_mutex_unlock(&m);
		if (!j)
			return unused;
		results += j->n;
	}
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < JOBS; i++) {
		pthread_mutex_lock(&m);
		jobs[i].n = i;
		jobs[i].next = head;
		head = &jobs[i];
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
		usleep(1000);
	}
	pthread_mutex_lock(&m);
	stop = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
