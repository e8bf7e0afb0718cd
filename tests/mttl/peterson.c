/* Peterson's mutual exclusion of two threads. BUGGY: the flag is raised after the turn was given away, and for nobody to see. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROUNDS 300

static atomic_int flag[2], turn;
int shared;
static pthread_barrier_t start;

__attribute__((noinline)) void enter_section(int me)
{
#ifdef BUGGY
	atomic_store(&turn, 1 - me);
	atomic_store(&flag[me], 0);
#else
	atomic_store(&flag[me], 1);
	atomic_store(&turn, 1 - me);
#endif
	while (atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me)
		sched_yield();
}

__attribute__((noinline)) void in_section(int me)
{
	__asm__ volatile("" ::"r"(me));
}

__attribute__((noinline)) void leave_section(int me)
{
	atomic_store(&flag[me], 0);
}

static void *run(void *arg)
{
	int me = *(int *)arg;
	pthread_barrier_wait(&start);
	for (int i = 0; i < ROUNDS; i++) {
		enter_section(me);
		in_section(me);
		int before = shared;
		sched_yield();
		shared = before + 1;
		leave_section(me);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int numbers[2] = {0, 1};
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", shared);
	return 0;
}
