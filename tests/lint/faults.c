/* One fault for each check of .clang-tidy, on the line that names it. Nothing here is ever compiled. */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string.h> /* readability-duplicate-include */

#include "faults.h"

struct padded {
	char a;
	long b;
};
typedef struct padded *padded_pointer;
static uint32_t width, height;
static pthread_mutex_t lock;

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define BOTH(x)                                                                                                                    \
	width = (x);                                                                                                               \
	height = (x)

int declared(void);
int declared(void); /* readability-redundant-declaration */

uint64_t widen(void)
{
	return width * height; /* bugprone-implicit-widening-of-multiplication-result */
}

uint64_t widen_late(void)
{
	return (uint64_t)(width * height); /* bugprone-misplaced-widening-cast */
}

void count(uint32_t many)
{
	for (uint8_t i = 0; i < many; i++) /* bugprone-too-small-loop-variable */
		putchar('.');
}

double divide(int a, int b)
{
	return a / b; /* bugprone-integer-division */
}

int byte(const signed char *s)
{
	int c = s[0]; /* bugprone-signed-char-misuse */
	return c;
}

void clear(struct padded *p)
{
	memset(p, sizeof *p, 0); /* bugprone-suspicious-memset-usage */
}

char *grow(char *text)
{
	text = realloc(text, 100); /* bugprone-suspicious-realloc-usage */
	return text;
}

char *copy(const char *text)
{
	return malloc(strlen(text + 1)); /* bugprone-misplaced-operator-in-strlen-in-alloc */
}

char *place(size_t n)
{
	return (char *)malloc(n) + 1; /* bugprone-misplaced-pointer-arithmetic-in-alloc */
}

bool same(const struct padded *a, const struct padded *b)
{
	return memcmp(a, b, sizeof *a) == 0; /* bugprone-suspicious-memory-comparison */
}

void spin(void)
{
	int go = 1;
	while (go) /* bugprone-infinite-loop */
		putchar('.');
}

void ask(bool wet)
{
	if (wet) {
		if (wet) /* bugprone-redundant-branch-condition */
			putchar('.');
	}
}

bool itself(int x)
{
	return x == x; /* misc-redundant-expression */
}

bool equal(const char *a, const char *b)
{
	if (strcmp(a, b)) /* bugprone-suspicious-string-compare */
		return true;
	return false;
}

void nothing(int x)
{
	if (x)
		; /* bugprone-suspicious-semicolon */
	putchar('.');
}

void once(int x)
{
	do {
		if (x)
			continue; /* bugprone-terminating-continue */
		putchar('.');
	} while (false);
}

int locks(void)
{
	return pthread_mutex_lock(&lock) < 0; /* bugprone-posix-return */
}

static void handle(int number)
{
	printf("%d\n", number); /* bugprone-signal-handler */
}

void install(void)
{
	signal(SIGUSR1, handle);
}

void stop(pthread_t thread)
{
	pthread_kill(thread, SIGTERM); /* bugprone-bad-signal-to-kill-thread */
}

void check(int x)
{
	assert(x++ > 0); /* bugprone-assert-side-effect */
}

int larger(int x, int y)
{
	return LARGER(x++, y); /* bugprone-macro-repeated-side-effects */
}

void both(int x)
{
	if (x)
		BOTH(x); /* bugprone-multiple-statement-macro */
}

static const char *names[] = {"one", "two", "three", "four", "five",
        "six" /* bugprone-suspicious-missing-comma */
        "seven",
        "eight", "nine", "ten", "eleven", "twelve"};

double swapped(int n, double x)
{
	return ldexp(n, x); /* bugprone-swapped-arguments */
}

long misplaced(const padded_pointer p) /* misc-misplaced-const */
{
	return p->b + (long)names[0];
}
