/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * cc: -DSTOCK=5
 * cc: -DSTOCK=5 -DASKS
 * twin: -DSTOCK=1
 * twin: -DSTOCK=1 -DASKS
 */
/* A branch that compares a result with what the function was given comes out the same with the other value, or does not (V8). ASKS:
 * so does one that compares it with a sum, twice removed. */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y, stock = STOCK, need = 2;

__attribute__((noinline)) static int left(void)
{
	pthread_mutex_lock(&lock);
	int now = stock;
	pthread_mutex_unlock(&lock);
	return now;
}

__attribute__((noinline)) static void take(void)
{
	y = 1;
}

__attribute__((noinline)) static void serve(int n)
{
#ifdef ASKS
	int now = left();
	if (now - n >= need - 2)
		take();
#else
	if (left() >= n)
		take();
#endif
}

__attribute__((noinline)) static void order(int n)
{
	serve(n);
}

static void *one(void *unused)
{
	gate('1');
	order(need);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	pthread_mutex_lock(&lock);
	stock = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
