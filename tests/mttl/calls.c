/* Calls in all ways, for random scripts: within each other, left by longjmp, with values, marks and blocks; all on a few variables. */
#include <norn.h>
#include <setjmp.h>

#include "player.h"

int v[6];
volatile int sink;
static __thread jmp_buf back;

__attribute__((noinline)) int add(int n)
{
	v[0] += n;
	return v[0];
}

__attribute__((noinline)) int look(int n)
{
	sink = v[1];
	return n;
}

__attribute__((noinline)) int both(int n)
{
	add(n);
	look(n);
	v[2] = n;
	return n;
}

__attribute__((noinline)) int deep(int n)
{
	v[3]++;
	if (n > 0)
		deep(n - 1);
	v[1]++;
	return n;
}

__attribute__((noinline)) void leap(int n)
{
	v[4] = n;
	if (n > 1)
		longjmp(back, 1);
	v[5] = n;
}

__attribute__((noinline)) int leaping(int n)
{
	sink = v[2];
	leap(n);
	return both(n);
}

static void tell(int n)
{
	norn_event("mark", n);
	norn_set("phase", n);
}

static void block(int n)
{
	norn_atomic_begin("b");
	both(n);
	norn_atomic_end();
}

static void call(int n)
{
	static int (*const all[])(int) = {add, look, both, deep, leaping};
	if (!setjmp(back))
		all[n % 5](n / 5);
}

static void name(int n)
{
	norn_thread_name(n ? "x" : "y");
}

static void set(int n)
{
	v[n % 6] = n;
}

static void get(int n)
{
	sink = v[n % 6];
}

static const struct act acts[] = {{"c", call}, {"b", block}, {"t", tell}, {"n", name}, {"w", set}, {"r", get}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 3, acts) : 2;
}
