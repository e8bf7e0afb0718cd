/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread -D_FORTIFY_SOURCE=2
 * prop: io_order.prop
 * no-finding: yes
 * dump-count: 120 main(/1)? +receive +0x.*; (serve|play)
 * dump-count: 80 main(/1)? +send +0x.*; (serve|play)
 */
/* Two threads that take turns through two pipes, and share nothing that both touch. */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 20 };
int ping, pong;
static int there[2], back[2];

static void *serve(void *unused)
{
	char ball;
	for (int i = 1; i <= ROUNDS; i++) {
		if (read(there[0], &ball, 1) != 1)
			return &ping;
		pong = i;
		if (write(back[1], &ball, 1) != 1)
			return &ping;
	}
	return unused;
}

static int play(void)
{
	char ball = 'o';
	for (int i = 1; i <= ROUNDS; i++) {
#ifdef BAD
		if (write(there[1], &ball, 1) != 1)
			return 1;
		ping = i;
#else
		ping = i;
		if (write(there[1], &ball, 1) != 1)
			return 1;
#endif
		if (read(back[0], &ball, 1) != 1)
			return 1;
	}
	return 0;
}

int main(void)
{
	pthread_t t;
	void *failed;
	if (pipe(there) || pipe(back))
		return 1;
	pthread_create(&t, NULL, serve, NULL);
	int result = play();
	pthread_join(t, &failed);
	return result || failed;
}
