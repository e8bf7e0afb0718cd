/* norn-test
 * errors: yes
 * schedule: 21
 * no-finding: yes
 */
/* In each of these a thread writes ys[i] only if it read 0 from xs[i], which the other one put there after its own write of ys[i]. The value takes
 * many ways to the branch; if one of them were lost, a race would be reported that cannot be. */
#include "cast.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 18 };
int xs[WAYS], ys[WAYS];

#define X(i) __atomic_load_n(&xs[i], __ATOMIC_SEQ_CST)
#define ALONE __attribute__((noinline)) static

ALONE void variadic(int n, ...)
{
	va_list list;
	va_start(list, n);
	int v = va_arg(list, int);
	va_end(list);
	if (v == 0)
		ys[0] = n;
}

struct big {
	long a[8];
};

ALONE void by_value(struct big b)
{
	if (b.a[3] == 0)
		ys[1] = 1;
}

ALONE struct big by_result(void)
{
	struct big b;
	memset(&b, 1, sizeof b);
	b.a[3] = X(2);
	return b;
}

static __thread int hidden;
__thread int own;

ALONE void fill(void)
{
	hidden = X(3);
	own = X(4);
}

ALONE void use(void)
{
	if (hidden == 0)
		ys[3] = 1;
	if (own == 0)
		ys[4] = 1;
}

ALONE void zero(int v)
{
	ys[5] = v;
}

ALONE void nothing(int v)
{
	(void)v;
}

ALONE void behind_pointer(int k, int v)
{
	if (v == 0)
		ys[6] = k;
}

static void *returns_it(void *unused)
{
	(void)unused;
	return (void *)(long)X(7);
}

static void *takes_it(void *argument)
{
	if (!argument)
		ys[8] = 1;
	return NULL;
}

static pthread_key_t key;

ALONE void keep_specific(void)
{
	pthread_setspecific(key, (void *)(long)X(9));
}

ALONE void use_specific(void)
{
	if (!pthread_getspecific(key))
		ys[9] = 1;
}

ALONE int recursive(int n, int v)
{
	return n ? recursive(n - 1, v ^ 1) ^ 1 : v;
}

static int cells[64];

ALONE void put(int *to, int v)
{
	*to = v;
}

ALONE int get(const int *from)
{
	return *from;
}

ALONE void through_heap(void)
{
	put(cells + 5, X(11));
	int *copy = malloc(64);
	memcpy(copy, cells, 32);
	if (get(copy + 5) == 0)
		ys[11] = 1;
	free(copy);
}

static int v[8], w[8];

ALONE void through_vectors(void)
{
	int sum = 0;
	for (int i = 0; i < 8; i++)
		v[i] = 1;
	v[2] = X(12);
	for (int i = 0; i < 8; i++)
		w[i] = v[i] * 3;
	for (int i = 0; i < 8; i++)
		sum += w[i];
	if (sum == 21)
		ys[12] = 1;
}

ALONE int by_table(int k)
{
	switch (k) {
	case 0:
		return 17;
	case 1:
		return 4;
	case 2:
		return 9;
	default:
		return 1;
	}
}

ALONE void by_address(void)
{
	static int numbers[2] = {0, 5};
	int *p = X(14) ? &numbers[1] : &numbers[0];
	if (*p == 0)
		ys[14] = 1;
}

ALONE void by_bytes(void)
{
	union {
		int i;
		unsigned char c[4];
	} u = {.i = X(15)};
	unsigned sum = 0;
	for (int i = 0; i < 4; i++)
		sum += u.c[i];
	if (sum == 0)
		ys[15] = 1;
}

ALONE void by_assembly(void)
{
	int from = X(16), to;
	__asm__("movl %1, %0" : "=r"(to) : "r"(from));
	if (to == 0)
		ys[16] = 1;
}

ALONE void by_division(void)
{
	volatile int quotient = 7 / (1 - X(17));
	(void)quotient;
	ys[17] = 1;
}

ALONE void through_threads(void)
{
	pthread_t thread;
	void *result;
	pthread_create(&thread, NULL, returns_it, NULL);
	pthread_join(thread, &result);
	if (!result)
		ys[7] = 1;
	pthread_create(&thread, NULL, takes_it, (void *)(long)X(8));
	pthread_join(thread, NULL);
}

static void *one(void *unused)
{
	void (*volatile choices[2])(int) = {zero, nothing};
	void (*volatile pointer)(int, int) = behind_pointer;
	struct big b;
	gate('1');
	variadic(1, X(0));
	memset(&b, 1, sizeof b);
	b.a[3] = X(1);
	by_value(b);
	if (by_result().a[3] == 0)
		ys[2] = 1;
	fill();
	use();
	choices[X(5)](1);
	pointer(1, X(6));
	through_threads();
	keep_specific();
	use_specific();
	if (recursive(5, X(10)) == 0)
		ys[10] = 1;
	through_heap();
	through_vectors();
	if (by_table(X(13)) == 17)
		ys[13] = 1;
	by_address();
	by_bytes();
	by_assembly();
	by_division();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	for (int i = 0; i < WAYS; i++) {
		ys[i] = 2;
		__atomic_store_n(&xs[i], 0, __ATOMIC_SEQ_CST);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_key_create(&key, NULL);
	for (int i = 0; i < WAYS; i++)
		xs[i] = 1;
	return argc < 2 || play(argv, one, two, NULL);
}
