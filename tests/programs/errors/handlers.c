/* norn-test
 * errors: yes
 * cc: -O0
 * cc: -O1
 * cc: -O2
 * repeat: 3
 * finding: race served .*
 * finding-count: 1
 */
/* A signal handler (X13) does not hide what its thread does after it: main has one between the creation of its two workers, which count without a lock. */
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t got;
static int served;

static void notice(int signal)
{
	got = 1;
}

static void *work(void *unused)
{
	served++;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	signal(SIGUSR1, notice);
	pthread_create(&threads[0], NULL, work, NULL);
	raise(SIGUSR1);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return !got;
}
