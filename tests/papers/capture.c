/* Figure 11 of the paper on sliced causality, in C: Tomcat's SystemLogHandler. A stack of logs that can be used again: whether it is empty and taking the top one are two steps, each under
 * the stack's own lock, as Java's Stack is. With RIGHT they are one. The schedule lets one thread come after the other: nothing goes wrong. */
#include <stddef.h>
#include <stdlib.h>

#include "../programs/sliced/cast.h"

struct log {
	int number;
};

static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER, both_lock = PTHREAD_MUTEX_INITIALIZER;
static struct log logs[1];
static struct log *reuse[4] = {&logs[0]};
static int height = 1;

__attribute__((noinline)) int stack_is_empty(void)
{
	pthread_mutex_lock(&stack_lock);
	int empty = height == 0;
	pthread_mutex_unlock(&stack_lock);
	return empty;
}

__attribute__((noinline)) struct log *stack_pop(void)
{
	pthread_mutex_lock(&stack_lock);
	if (height == 0)
		abort(); /* EmptyStackException */
	struct log *top = reuse[--height];
	pthread_mutex_unlock(&stack_lock);
	return top;
}

__attribute__((noinline)) void stack_push(struct log *log)
{
	pthread_mutex_lock(&stack_lock);
	reuse[height++] = log;
	pthread_mutex_unlock(&stack_lock);
}

static struct log *start_capture(void)
{
	struct log *log = NULL;
#ifdef RIGHT
	pthread_mutex_lock(&both_lock);
#endif
	if (!stack_is_empty())
		log = stack_pop();
#ifdef RIGHT
	pthread_mutex_unlock(&both_lock);
#endif
	return log;
}

static void capture(char step)
{
	gate(step);
	struct log *log = start_capture();
	if (log)
		stack_push(log);
	gate_leave();
}

static void *first(void *unused)
{
	capture('a');
	return unused;
}

static void *second(void *unused)
{
	capture('b');
	return unused;
}

int main(int argc, char **argv)
{
	(void)&both_lock;
	return argc < 2 || play(argv, first, second, NULL);
}
