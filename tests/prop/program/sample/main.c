#include "part.h"

static volatile int state = -5; /* other.c has one, too */
static int *const volatile where = &shared;
int *volatile middle = (int *)((char *)&shared + 2);
int (*volatile action)(int) = step;
struct node first = {.number = 3,
        .accounts = {{.balance = -1, .third = -2, .open = true}, {.second = 100}},
        .flags = 0xfffffff0u,
        .names = {"ab", "cd"},
        .colour = RED,
        .rest = {1, 2}};
struct tight tight = {5, 0x2aaaaaaa, 0xffff, -3};
double ratios[2][3] = {{1.5}, {-2, 0, 4}};
union {
	char bytes[8];
	uint64_t whole;
} both = {.bytes = "abc"};
unsigned __int128 wide = 1;
long zeros[1000];
_Thread_local int depth = 11;
_Thread_local long deeper;
#ifdef UNUSED
static const int unused = UNUSED;
#else
#define unused 4
#endif
extern int later;
int later = 9;

__attribute__((noinline)) static int turn(struct node *node, int by)
{
	static volatile int state = 77;
	state += node->number;
	return state + bump(by);
}

int main(int argc, char **argv)
{
	depth++;
	deeper++;
	tight.c += wide + both.whole + later;
	list = &first;
	zeros[argc] = ratios[1][argc] > 1;
	int local = unused;
	return turn(&first, argc) + step(local) + state + *where + bump(2) + *middle + action(1);
}
