/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * cc: -O0 -DEND=3
 * twin: -DEND=2
 */
/* A loop that goes on as long as a read is below another one comes to its end by the other value, too (V8), or goes round once less. */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y, next, end = END;

static void *one(void *unused)
{
	gate('1');
	for (;;) {
		pthread_mutex_lock(&lock);
		int now = next, last = end;
		pthread_mutex_unlock(&lock);
		if (now >= last)
			break;
		next = now + 2;
	}
	y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	pthread_mutex_lock(&lock);
	end = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
