/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: 190 20
 * stdout: 3 callers
 * dump: write.*sum
 */
/* Contexts, which have stacks of their own: two that take turns in one thread, one that ends by uc_link, and a jump within one. The
 * trace must hold together; callers may be missing, but not wrong. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t home, turns[2], last;
static int sum, count, callers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

__attribute__((noinline)) static void step(int me, int i)
{
	pthread_mutex_lock(&lock);
	sum += me * 10 + i;
	count++;
	pthread_mutex_unlock(&lock);
	swapcontext(&turns[me], &turns[!me]);
}

static void take_turns(int me)
{
	for (int i = 0; i < 10; i++)
		step(me, i);
}

__attribute__((noinline)) static void jump(int depth)
{
	callers++;
	if (depth)
		jump(depth - 1);
	else
		longjmp(back, 1);
}

static void ends(void)
{
	if (!setjmp(back)) {
		swapcontext(&last, &home);
		jump(2);
	}
}

static void make(ucontext_t *context, void (*run)(void), int argument)
{
	getcontext(context);
	context->uc_stack.ss_sp = malloc(1 << 16);
	context->uc_stack.ss_size = 1 << 16;
	context->uc_link = &home;
	makecontext(context, run, 1, argument);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 2; i++)
		make(&turns[i], (void (*)(void))take_turns, i);
	swapcontext(&home, &turns[0]);
	make(&last, ends, 0);
	swapcontext(&home, &last);
	swapcontext(&home, &last);
	return unused;
}

int main(void)
{
	pthread_t made;
	pthread_create(&made, NULL, thread, NULL);
	pthread_join(made, NULL);
	printf("%d %d\n%d callers\n", sum, count, callers);
	return 0;
}
