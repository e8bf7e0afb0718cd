/* norn-test
 * errors: yes
 * prop: mandate.prop
 * check: --only-props
 * schedule: 12
 * silent: -DFIXED
 * finding: ^race hits (predicted|observed)
 * finding: ^atomicity balance (predicted|observed)
 * never-finding: ^race seen
 */
/* Built-in errors by property: those that are named, and no others. */
#include "../sliced/cast.h"

#ifdef FIXED
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
#endif
int hits, seen;
volatile int balance;

__attribute__((noinline)) static void add(int amount)
{
#ifdef FIXED
	pthread_mutex_lock(&L);
#endif
	balance += amount;
#ifdef FIXED
	pthread_mutex_unlock(&L);
#endif
}

static void *one(void *unused)
{
	gate('1');
#ifndef FIXED
	hits++;
	seen++;
#endif
	add(1);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	add(2);
#ifndef FIXED
	hits++;
	seen++;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
