/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* A ticket lock: who waits for its number must acquire. */
#include "orders.h"

atomic_int next, serving;
static int mine(int *ticket)
{
	if (!*ticket)
		*ticket = atomic_fetch_add_explicit(&next, 1, RELAXED) + 1;
	return LOAD(serving, PICK(ACQUIRE, RELAXED)) == *ticket - 1;
}
#define TAKE (!mine(&(int){0}))
int sum;
static void add(void)
{
	while (TAKE)
		;
	sum++;
	STORE(serving, LOAD(serving, RELAXED) + 1, RELEASE);
}

static void *first(void *unused)
{
	gate('a');
	add();
	gate('a');
	add();
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	add();
	gate('b');
	add();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL) || sum != 4;
}
