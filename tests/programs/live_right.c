/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * cc: -g -O0 -pthread gate.o
 * run: sssm
 * prop: live_right.prop
 * no-finding: yes
 */
/* Loops that end: someone will stop them who is not blocked; what was asked is answered; a counter that nobody sees, and one that all see. */
#include <pthread.h>
#include <sched.h>

#include "../causality/gate.h"

volatile int stop, busy, ping, pong, done, toggle, count;

static void *server(void *unused)
{
	for (int i = 0; !stop; i++) {
		if (i < 3)
			gate('s');
		busy = 1;
		busy = 0;
		if (i == 2)
			gate_leave();
		sched_yield();
	}
	return unused;
}

static void *asks(void *unused)
{
	for (int i = 0; i < 3; i++) {
		ping = 1;
		while (!pong)
			sched_yield();
		pong = 0;
	}
	return unused;
}

static void *answers(void *unused)
{
	for (int i = 0; i < 3; i++) {
		while (!ping)
			sched_yield();
		ping = 0;
		pong = 1;
	}
	return unused;
}

static void *counts(void *unused)
{
	for (int i = 0; i < 5; i++) {
		toggle = 1;
		toggle = 0;
	}
	while (count < 5) {
		toggle = 1;
		count++;
		toggle = 0;
	}
	done = 1;
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const work[])(void *) = {server, asks, answers, counts};
	pthread_t threads[4];
	gate_open(argc > 1 ? argv[1] : "");
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, work[i], 0);
	gate('m');
	stop = 1;
	gate_leave();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
