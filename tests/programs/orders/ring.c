/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race slots.. observed
 * silent: -DRIGHT
 */
/* A ring for one producer and one consumer: a slot that is given back must be released. */
#include "orders.h"

#define SLOTS 2
static int slots[SLOTS];
atomic_uint head, tail;
int got;

static void *produce(void *unused)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		gate('a');
		for (unsigned t = LOAD(tail, RELAXED); t - LOAD(head, ACQUIRE) < SLOTS; t++) {
			slots[t % SLOTS] = 1;
			STORE(tail, t + 1, RELEASE);
		}
	}
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		gate('b');
		for (unsigned h = LOAD(head, RELAXED); h != LOAD(tail, ACQUIRE); h++) {
			got += slots[h % SLOTS];
			STORE(head, h + 1, PICK(RELEASE, RELAXED));
		}
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 4;
}
