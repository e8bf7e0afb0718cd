/* Control flow that instrumentation must not break: setjmp, computed goto, asm goto, inline assembly, varargs, tail calls,
 * alloca, cleanup, noreturn, recursion, switch tables, statement expressions, exit from the depth. ENV: PASS_OPEN=1 */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct three {
	long a, b, c;
};
jmp_buf env;
sigjmp_buf sigenv;
int counter, trail[64], trails;

__attribute__((noinline)) static void note(int x)
{
	trail[trails++ % 64] = x;
}

__attribute__((noinline)) static void deep(int n)
{
	note(n);
	if (n == 0)
		longjmp(env, 7);
	deep(n - 1);
	note(-n);
}

__attribute__((noinline)) static int jump(void)
{
	volatile int tries = 0;
	int code = setjmp(env);
	tries++;
	if (tries < 4)
		deep(tries * 3);
	if (sigsetjmp(sigenv, 1) == 0)
		siglongjmp(sigenv, 3);
	return code * 10 + tries;
}

__attribute__((noinline)) static int builtin_jump(void)
{
	static void *buffer[5];
	if (__builtin_setjmp(buffer))
		return counter;
	counter += 5;
	if (counter > 3)
		__builtin_longjmp(buffer, 1);
	return -1;
}

__attribute__((noinline)) static int interpret(const unsigned char *code)
{
	static void *const labels[] = {&&add, &&sub, &&dup, &&halt};
	static int stack[16], top;
	top = 0;
	stack[top] = 1;
	goto *labels[*code++];
add:
	stack[top] += 3;
	goto *labels[*code++];
sub:
	stack[top] -= 1;
	goto *labels[*code++];
dup:
	stack[top + 1] = stack[top];
	top++;
	goto *labels[*code++];
halt:
	return stack[top] * 100 + top;
}

__attribute__((noinline)) static int asm_goto(int x)
{
	__asm__ goto("testl %0, %0; jnz %l1" : : "r"(x + counter * 0) : "cc" : nonzero);
	counter++;
	return 0;
nonzero:
	counter += 2;
	return 1;
}

__attribute__((noinline)) static long assembly(long x)
{
	static long memory = 5;
	long out;
	__asm__ volatile("addq %2, %1; movq %1, %0" : "=r"(out), "+m"(memory) : "r"(x) : "memory", "cc");
	__asm__ volatile("lock; addl $1, %0" : "+m"(counter));
	unsigned a = 0, b, c = 0, d;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return out + memory + (b != 0);
}

__attribute__((noinline)) static double variadic(const char *kinds, ...)
{
	va_list list, again;
	double sum = 0;
	va_start(list, kinds);
	va_copy(again, list);
	for (int round = 0; round < 2; round++)
		for (const char *k = kinds; *k; k++) {
			va_list *use = round ? &again : &list;
			switch (*k) {
			case 'i':
				sum += va_arg(*use, int);
				break;
			case 'd':
				sum += va_arg(*use, double);
				break;
			case 'l':
				sum += (double)va_arg(*use, long double);
				break;
			default:
				sum += va_arg(*use, struct three).c;
			}
		}
	va_end(again);
	va_end(list);
	return sum;
}

static int odd(int n, int *steps);
__attribute__((noinline)) static int even(int n, int *steps)
{
	++*steps;
	if (n == 0)
		return 1;
	__attribute__((musttail)) return odd(n - 1, steps);
}

__attribute__((noinline)) static int odd(int n, int *steps)
{
	++*steps;
	if (n == 0)
		return 0;
	__attribute__((musttail)) return even(n - 1, steps);
}

static void cleaned(int *p)
{
	note(*p + 1000);
}

__attribute__((noinline)) static int cleanup(int n)
{
	__attribute__((cleanup(cleaned))) int x = n;
	char *text = alloca(n + 1);
	memset(text, 'x', n);
	text[n] = 0;
	x += strlen(text);
	return ({
		int y = x;
		y *counter;
	});
}

__attribute__((noinline)) static const char *which(int n)
{
	switch (n) {
	case 0:
		return "zero";
	case 1:
		return "one";
	case 2:
		return "two";
	case 3:
		return counter ? "three" : "none";
	case 90:
		return "ninety";
	default:
		return "many";
	}
}

__attribute__((naked)) int naked(void)
{
	__asm__("movl $42, %eax; ret");
}

__attribute__((noreturn, noinline)) static void finish(int code)
{
	note(code);
	exit(code);
}

static int resolved(void)
{
	return 17;
}

static int (*resolve(void))(void)
{
	return resolved;
}
int indirect(void) __attribute__((ifunc("resolve")));

static void __attribute__((constructor(101))) early(void)
{
	counter = 3;
}

/* A library that runs functions of the program's, which is not there. */
__attribute__((weak)) int uv_queue_work(void *loop, void *request, void (*work)(void), void (*done)(void));

int main(void)
{
	if (uv_queue_work)
		uv_queue_work(0, 0, early, early);
	srand(7); /* changes a resource of the process */
	srandom(7); /* and has a name that C leaves to programs */
	printf("%d %d\n", jump(), builtin_jump());
	printf("%d\n", interpret((const unsigned char[]){0, 2, 0, 1, 2, 3}));
	printf("%d %d %d\n", asm_goto(0), asm_goto(5), counter);
	printf("%ld %ld\n", assembly(3), assembly(4));
	printf("%g\n", variadic("idlis", 1, 2.5, 3.25L, 4, (struct three){1, 2, 3}));
	int steps = 0;
	printf("%d %d\n", even(100000, &steps), steps);
	printf("%d\n", cleanup(5));
	for (int i = 0; i < 5; i++)
		printf("%s ", which(i));
	printf("%d %d %d\n", naked(), indirect(), counter);
	for (int i = 0; i < 64; i++)
		printf("%d,", trail[i]);
	puts("");
	fflush(stdout);
	finish(5);
}
