/* norn-test
 * errors: yes
 * cc: -lm
 * schedule: 21
 * finding: ^race w0\b
 * finding: ^race w1\b
 * finding: ^race w2\b
 * finding: ^race w3\b
 * finding: ^race w4\b
 * finding: ^race w5\b
 * finding: ^race w6\b
 * finding: ^race w7\b
 * finding: ^race w8\b
 * finding-count: 9
 */
/* What is read of x is only stored, computed with, printed, passed on or returned: it does not decide, and does not stand in the way of the races. */
#include "cast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int x = 1, w0, w1, w2, w3, w4, w5, w6, w7, w8, z;
double real;
struct pair {
	int a, b;
} pair;

#define X __atomic_load_n(&x, __ATOMIC_SEQ_CST)
#define ALONE __attribute__((noinline)) static

ALONE int scaled(int n, int v)
{
	return n ? v * 3 : v;
}

ALONE void store(int v)
{
	z = v;
}

static void (*pointer)(int) = store;

static void *one(void *unused)
{
	gate('1');
	z = X;
	w0 = 1;
	z = scaled(2, X);
	printf("%d\n", z);
	w1 = 1;
	if (X)
		puts("one");
	w2 = 1;
	struct pair local = {X, 2};
	local.b += local.a;
	pair = local;
	w3 = 1;
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += X;
	z = sum;
	w4 = 1;
	real = sin((double)X);
	usleep(1);
	w5 = 1;
	__atomic_fetch_add(&x, 0, __ATOMIC_SEQ_CST);
	w6 = 1;
	pointer(X);
	w7 = 1;
	int *block = malloc(40);
	block[3] = X;
	z = block[3] + 1;
	free(block);
	w8 = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	w0 = w1 = w2 = w3 = w4 = w5 = w6 = w7 = w8 = 2;
	__atomic_store_n(&x, 0, __ATOMIC_SEQ_CST);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
