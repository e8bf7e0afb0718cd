/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a coroutine is resumed by one thread, then by another, who take turns by semaphores */
#include "correct.h"
#include <ucontext.h>
static ucontext_t co, back;
static sem_t turn[2];
static int d, own;
static void body(void)
{
	for (;;) {
		d++;
		own += d;
		swapcontext(&co, &back);
	}
}
T(w)
{
	int i = (int)(intptr_t)a;
	for (int k = 0; k < 3; k++) {
		sem_wait(&turn[i]);
		swapcontext(&back, &co);
		sem_post(&turn[1 - i]);
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	char *stack = malloc(65536);
	getcontext(&co);
	co.uc_stack.ss_sp = stack;
	co.uc_stack.ss_size = 65536;
	co.uc_link = &back;
	makecontext(&co, body, 0);
	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	free(stack);
	printf("%d %d\n", d, own);
	return d != 6;
}
