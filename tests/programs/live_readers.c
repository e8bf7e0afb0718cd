/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * cc: -g -O0 -pthread gate.o
 * run: abawabwbawabwbabw
 * prop: live_readers.prop
 * finding: liveness writes .*for ever.*predicted
 * finding-count: 1
 */
/* Readers that overlap, and a writer that tries until no one reads: as long as they go on, it waits. */
#include <pthread.h>

#include "../causality/gate.h"

int written, seen;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void look(char step)
{
	gate(step);
	pthread_rwlock_rdlock(&lock);
	gate(step);
	seen = 1;
	pthread_rwlock_unlock(&lock);
}

static void *a(void *unused)
{
	for (int i = 0; i < 3; i++)
		look('a');
	gate_leave();
	return unused;
}

static void *b(void *unused)
{
	for (int i = 0; i < 3; i++)
		look('b');
	gate_leave();
	return unused;
}

__attribute__((noinline)) int try_write(void)
{
	if (pthread_rwlock_trywrlock(&lock) != 0)
		return 0;
	written = 1;
	pthread_rwlock_unlock(&lock);
	return 1;
}

static void *writer(void *unused)
{
	do
		gate('w');
	while (!try_write());
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const work[])(void *) = {a, b, writer};
	pthread_t threads[3];
	gate_open(argc > 1 ? argv[1] : "");
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, work[i], 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	return 0;
}
