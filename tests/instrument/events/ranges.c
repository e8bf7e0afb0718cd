/* Ranges: which hook, by which sides are private; results of the functions stay right.
 *
 * EXPECT: copy to||char [64] 64
 * EXPECT: readn from||char [64] 64 o0.0 - in:
 * EXPECT: writen to||char [64] 64 o0.0 - out:
 * EXPECT: set to[]|| 0 o0.0 - fill:
 * EXPECT: touch big||struct big 48
 * EXPECT: touch big.part|big.part|struct part 24 o0.0 m
 * EXPECT-O0: copy to[]|| 8 o0.0 - moved:
 * EXPECT-O2: write to[]|| 8 o0.0 - moved:
 * EXPECT: set to[]|| 5 o0.0 - checked:
 * NEVER: nothing::a
 * NEVER: 64 o0.0 - nothing:
 * COUNT 2: set to
 * FLAGS: -D_GNU_SOURCE */
#include <string.h>

char from[64], to[64];
struct big {
	long a, b, c;
	struct part {
		long x, y, z;
	} part;
} big;

#define FUNCTION __attribute__((noinline))

FUNCTION void both(void)
{
	memcpy(to, from, sizeof to);
}

FUNCTION int in(int n)
{
	char local[64];
	memcpy(local, from, sizeof local);
	return local[n];
}

FUNCTION void out(int n)
{
	char local[64] = {1, 2, 3};
	local[n & 63] = n;
	memcpy(to, local, sizeof local);
}

FUNCTION int nothing(int n)
{
	char a[64], b[64];
	memset(a, n, sizeof a);
	memcpy(b, a, sizeof b);
	return b[n & 63];
}

FUNCTION void fill(int n)
{
	memset(to, 'x', n);
}

FUNCTION long value(struct big b)
{
	return b.part.z + b.a;
}

FUNCTION long part(struct part p)
{
	return p.y;
}

FUNCTION long by_pointer(const struct big *b)
{
	return part(b->part);
}

FUNCTION char *moved(void)
{
	return mempcpy(to + 8, from, 8);
}

FUNCTION void checked(void)
{
	__builtin___memset_chk(to, 1, 5, 64);
}

/* The check may fail: libc's own function is called, which aborts if it does. */
FUNCTION void unchecked(int n)
{
	__builtin___memset_chk(to, 1, n, 64);
}

int main(int argc, char **argv)
{
	both();
	out(argc);
	fill(argc);
	checked();
	unchecked(argc);
	if (moved() != to + 16)
		return 1;
	return in(argc) + nothing(argc) + value(big) + by_pointer(&big) == -1;
}
