/* Marks, names, arguments and results, functions left by longjmp, bytes that are copied. */
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#include "norn.h"

struct pair {
	long a, b, c;
};
struct pair from = {1, 2, 3}, to;
static jmp_buf back;

__attribute__((noinline)) int add(int a, int b)
{
	return a + b;
}

__attribute__((noinline)) void jump(int depth)
{
	if (depth == 0)
		longjmp(back, 1);
	jump(depth - 1);
	__asm__ volatile("");
}

static void *named(void *unused)
{
	norn_thread_name("worker");
	norn_event("tick", 41);
	norn_event("tock", -1);
	norn_set("mood", 5);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, named, NULL);
	pthread_join(thread, NULL);
	from.b = 20;
	memcpy(&to, &from, sizeof to);
	int sum = add(3, 4);
	if (setjmp(back) == 0)
		jump(2);
	return sum == 7 && to.b == 20 ? 0 : 1;
}
