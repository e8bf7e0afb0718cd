/* The same start() called from another thread: found. Failing order: start() returns before job() reads. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
struct arg {
	int id;
};
static void *job(void *p)
{
	struct arg *a = p;
	printf("job %d\n", a->id);
	return 0;
}
static pthread_t start(int id)
{
	struct arg a = {id};
	pthread_t t;
	pthread_create(&t, 0, job, &a);
	usleep(10000);
	return t;
}
int main(void)
{
	pthread_t t = start(1);
	pthread_join(t, 0);
	return 0;
}
