/* The process ends while other threads go on making events. */
#include <norn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

volatile int x;
static volatile int going;

static void *work(void *unused)
{
	for (;;) {
		x = (x + 1) % 100;
		norn_event("tick", x);
		going = 1;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, work, NULL);
	while (!going)
		;
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'q':
		quick_exit(7);
	case 'u':
		_exit(7);
	case 'k':
		raise(SIGKILL);
	default:
		exit(7);
	}
}
