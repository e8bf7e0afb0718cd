/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * cc: -g -O0 -pthread gate.o
 * run: abababababababababaaabbb
 * prop: live_polite.prop
 * finding: liveness enters .*for ever.*predicted
 * finding-count: 1
 */
/* Two who give way to each other, again and again: a livelock, of which this run gets out. */
#include <pthread.h>

#include "../causality/gate.h"

int want[2], inside;

static void enter(int me)
{
	char step = (char)('a' + me);
	for (;;) {
		gate(step);
		want[me] = 1;
		gate(step);
		if (!want[1 - me])
			break;
		gate(step);
		want[me] = 0;
	}
	gate(step);
	inside = me + 1;
	inside = 0;
	want[me] = 0;
	gate_leave();
}

static void *first(void *unused)
{
	enter(0);
	return unused;
}

static void *second(void *unused)
{
	enter(1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	gate_open(argc > 1 ? argv[1] : "");
	pthread_create(&threads[0], 0, first, 0);
	pthread_create(&threads[1], 0, second, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
