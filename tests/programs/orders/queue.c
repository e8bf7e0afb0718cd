/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^race \S*value observed
 * silent: -DRIGHT
 */
/* A bounded queue for many (a sequence number for each cell): the cell that was filled must be released. */
#include "orders.h"

#define CELLS 4
struct cell {
	atomic_uint sequence;
	int value;
};
static struct cell cells[CELLS] = {{0}, {1}, {2}, {3}};
atomic_uint in, out;
int got;

static int push(int value)
{
	for (unsigned at = LOAD(in, RELAXED);;) {
		struct cell *c = &cells[at % CELLS];
		int ahead = (int)(LOAD(c->sequence, ACQUIRE) - at);
		if (ahead < 0)
			return 0;
		if (ahead == 0 && atomic_compare_exchange_weak_explicit(&in, &at, at + 1, RELAXED, RELAXED)) {
			c->value = value;
			STORE(c->sequence, at + 1, PICK(RELEASE, RELAXED));
			return 1;
		}
		if (ahead > 0)
			at = LOAD(in, RELAXED);
	}
}

static int pop(int *value)
{
	for (unsigned at = LOAD(out, RELAXED);;) {
		struct cell *c = &cells[at % CELLS];
		int ahead = (int)(LOAD(c->sequence, ACQUIRE) - (at + 1));
		if (ahead < 0)
			return 0;
		if (ahead == 0 && atomic_compare_exchange_weak_explicit(&out, &at, at + 1, RELAXED, RELAXED)) {
			*value = c->value;
			STORE(c->sequence, at + CELLS, RELEASE);
			return 1;
		}
		if (ahead > 0)
			at = LOAD(out, RELAXED);
	}
}

static void *first(void *unused)
{
	gate('a');
	push(1);
	push(2);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	push(3);
	gate_leave();
	return unused;
}

static void *third(void *unused)
{
	gate('c');
	for (int value; pop(&value);)
		got += value;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, third) || got != 6;
}
