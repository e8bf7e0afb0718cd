/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a signal without SA_RESTART ends read with EINTR */
#include "correct.h"
#include <signal.h>
static atomic_int got;
static int f[2], d;
static void h(int s)
{
	(void)s;
	got = 1;
}
T(w)
{
	char c;
	ssize_t n = read(f[0], &c, 1);
	d = n == -1 && errno == EINTR && got;
	return a;
}
int main(void)
{
	pthread_t x;
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = h}, 0);
	if (pipe(f))
		abort();
	GO(x, w, 0);
	for (;;) {
		struct timespec t = {0, 0};
		(void)t;
		pthread_kill(x, SIGUSR1);
		usleep(200);
		if (pthread_tryjoin_np(x, 0) == 0)
			break;
	}
	printf("%d\n", d);
	return 0;
}
