/* Calls, arguments, results, inlining, positions.
 *
 * EXPECT: enter callee||long 0 o0.31 s callee:26
 * EXPECT:   from callee||long 0 o0.0 s caller:39
 * EXPECT:   argument 0 = fffffffe
 * EXPECT:   argument 1 = 4000000000000000
 * EXPECT:   argument 3 = 3f800000
 * EXPECT:   argument 4 = 7
 * EXPECT:   result = ffffffffffffffff
 * EXPECT:   from || 0 o0.0 i
 * EXPECT-O2: write hits||int 4 o0.0 s hit:34 inlined
 * EXPECT-O0: write hits||int 4 o0.0 s hit:34
 * LOG: enter idle
 * NEVER: enter quiet
 * COUNT 1: enter struct_result
 * COUNT 2: enter callee
 * COUNT 2: leave callee
 * COUNT 1: unwind 3 */
#include <setjmp.h>

int hits;
struct pair {
	int a, b;
};

__attribute__((noinline, optnone)) long callee(int a, double b, struct pair p, float c, char d)
{
	hits += p.a + d;
	return a == -2 ? -1 : 1;
}

static inline void hit(void)
{
	hits++;
}

__attribute__((noinline)) long caller(long (*f)(int, double, struct pair, float, char))
{
	long r = callee(-2, 2, (struct pair){3, 4}, 1, 7);
	hit();
	return r + f(1, 2, (struct pair){1, 1}, 1, 7);
}

__attribute__((noinline)) int idle(int x)
{
	int y[3] = {x, 2, 3};
	return y[x & 1] * 3;
}

__attribute__((noinline, disable_sanitizer_instrumentation)) void quiet(void)
{
	hits += 100;
}

struct triple {
	long a, b, c;
};
__attribute__((noinline)) struct triple struct_result(int x)
{
	return (struct triple){x, hits, 3};
}

jmp_buf env;
__attribute__((noinline)) void deep(int n)
{
	hits++;
	if (n == 0)
		longjmp(env, 1);
	deep(n - 1);
	hits--;
}

int main(void)
{
	long r = caller(callee) + idle(2) + struct_result(4).b;
	quiet();
	if (!setjmp(env))
		deep(2);
	return r == -1000;
}
