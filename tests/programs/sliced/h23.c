/* norn-test
 * errors: yes
 * schedule: 12
 * never-finding: ^race y\b
 * finding: ^deadlock c predicted
 * finding-count: 1
 */
/* A race on y is not possible: the wait ends after the signal, which comes after y = 2. But the signal may come before the wait (S17). */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int y;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&L);
	gate_leave();
	pthread_cond_wait(&c, &L);
	pthread_mutex_unlock(&L);
	y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	pthread_mutex_lock(&L);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
