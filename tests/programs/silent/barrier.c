/* norn-test
 * silent: -DALL
 * silent: -DSERIAL
 */
/* Phases between barriers: each thread writes its own cell, then reads its neighbour's. */
#include "crew.h"

#define THREADS 3
static pthread_barrier_t barrier;
static int cells[THREADS], sums[THREADS], total;

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int phase = 0; phase < 5; phase++) {
		cells[me] = phase + me;
		int last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
		sums[me] += cells[(me + 1) % THREADS];
#ifdef SERIAL
		if (last)
			total++; /* one thread of each phase, and the next phase's begins after this one's second barrier */
#else
		(void)last;
#endif
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&barrier, NULL, THREADS);
	crew(THREADS, work);
	pthread_barrier_destroy(&barrier);
	return sums[0] == 15 && (total == 0 || total == 5) ? 0 : 1;
}
