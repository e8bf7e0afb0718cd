/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handler runs on a stack of the least size that the system names */
#include "correct.h"
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int hits;
static int d;
static void h(int s)
{
	hits += s == SIGUSR1;
}
T(w)
{
	size_t n = (size_t)sysconf(_SC_MINSIGSTKSZ) + 4096;
	char *q = malloc(n);
	sigaltstack(&(stack_t){.ss_sp = q, .ss_size = n}, 0);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1);
		L(m);
		d++;
		U(m);
	}
	sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, 0);
	free(q);
	return a;
}
int main(void)
{
	pthread_t x, y;
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = h, .sa_flags = SA_ONSTACK}, 0);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", d, hits);
	return 0;
}
