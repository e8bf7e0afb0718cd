/* What may be shared and what may not.
 *
 * EXPECT: write escaped_field::o.deep[2].y|
 * EXPECT: read escaped_field::o.x|
 * EXPECT: write either::a|
 * EXPECT: write shared_tls|
 * EXPECT: write escaped_tls|
 * EXPECT: write *store::p|
 * EXPECT: read counter|
 * EXPECT: write counter|
 * EXPECT: read later|
 * NEVER: read private_local
 * NEVER: write private_local
 * NEVER: constants
 * NEVER: private_tls
 * NEVER: read both_private
 * NEVER: write both_private
 * NEVER: write plain::
 * NEVER: read plain:: */
#include <stdlib.h>

struct inner {
	int x, y;
};
struct object {
	int x;
	struct inner deep[4];
};
static const int constants[4] = {1, 2, 3, 4};
static __thread int private_tls;
__thread int shared_tls;
static __thread int escaped_tls;
int counter, later;
int *volatile publish;
volatile int zero;

__attribute__((noinline)) void store(int *p)
{
	*p = 5;
}

/* The address that escapes is not that of the field that is accessed. */
__attribute__((noinline)) int escaped_field(void)
{
	struct object o = {.x = zero};
	publish = &o.x;
	o.deep[2].y = 7;
	__asm__ volatile("" ::: "memory"); /* as if another thread used it now */
	return o.x;
}

__attribute__((noinline)) int private_local(int n)
{
	struct object o[3];
	for (int i = 0; i < 3; i++)
		o[i].deep[i].x = n + i;
	return o[n & 1].deep[n & 1].x;
}

/* One of the two that p may point to escaped. */
__attribute__((noinline)) int either(int n)
{
	volatile int a, b;
	publish = (int *)&a;
	volatile int *p = n ? &a : &b;
	*p = 4;
	a = 6;
	return *p;
}

__attribute__((noinline)) int both_private(int n)
{
	volatile int a = 1, b = 2;
	return *(n ? &a : &b);
}

__attribute__((noinline)) int tls(int n)
{
	private_tls += n;
	shared_tls = n;
	escaped_tls = n;
	publish = &escaped_tls;
	return private_tls;
}

__attribute__((noinline)) int plain(int n)
{
	int values[8];
	for (int i = 0; i < 8; i++)
		values[i] = constants[(n + i) & 3];
	return values[n & 7];
}

/* A read that a write follows stays. */
__attribute__((noinline)) void increment(void)
{
	counter++;
	int v = later;
	later = v + 1;
}

int main(int argc, char **argv)
{
	int sum = escaped_field() + private_local(argc) + either(argc) + both_private(argc) + tls(argc) + plain(argc);
	int *p = malloc(sizeof *p);
	store(p);
	increment();
	sum += *p;
	free(p);
	return sum == -1;
}
