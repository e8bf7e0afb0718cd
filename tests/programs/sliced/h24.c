/* norn-test
 * errors: yes
 * schedule: 1320
 * finding: ^race f\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: without the broadcast nothing makes the signal wake the second thread, which sleeps only after the first. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
volatile int f;
int y;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&L);
	f = 1;
	gate_leave();
	pthread_cond_wait(&c, &L);
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	while (!f)
		;
	pthread_mutex_lock(&L);
	gate_leave();
	pthread_cond_wait(&c, &L);
	pthread_mutex_unlock(&L);
	y = 1;
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	gate_until_free(&L);
	y = 3;
	pthread_cond_broadcast(&c);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	part *const parts[] = {one, two, three};
	pthread_t threads[3];
	if (argc < 2)
		return 1;
	gate_open(argv[1]);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	gate('0');
	while (!f)
		;
	pthread_mutex_lock(&L);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&L);
	gate_leave();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
