/* norn-test
 * errors: yes
 * schedule: abac
 * finding: ^deadlock .* predicted .* (consume acquire by main/1, .* produce acquire by main/2|produce acquire by main/2, .* consume acquire by main/1)
 * finding-count: 2
 * silent: -DRIGHT
 */
/* Waits for a condition, which gives up one of its two locks only: who is woken wants that one back, while holding the other. And whoever takes the
 * two at all takes them in the wrong order, for nobody need wait for a signal to be sent (S5). */
#include "../sliced/cast.h"

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, total = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int items, sum;

static void *consume(void *unused)
{
	gate('a');
#ifndef RIGHT
	pthread_mutex_lock(&total);
#endif
	pthread_mutex_lock(&queue);
	while (!items) {
		gate_leave();
		pthread_cond_wait(&ready, &queue);
		gate('a');
	}
	items--;
	pthread_mutex_unlock(&queue);
#ifdef RIGHT
	pthread_mutex_lock(&total);
#endif
	sum++;
	pthread_mutex_unlock(&total);
	gate_leave();
	return unused;
}

/* Puts something in, then looks at both. */
static void *produce(void *unused)
{
	gate('b');
	pthread_mutex_lock(&queue);
	items++;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&queue);
	gate('c');
	pthread_mutex_lock(&queue);
	pthread_mutex_lock(&total);
	sum += items;
	pthread_mutex_unlock(&total);
	pthread_mutex_unlock(&queue);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, consume, produce, NULL) || sum != 1;
}
