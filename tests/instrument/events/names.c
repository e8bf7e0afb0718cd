/* What accesses are called, with and without the optimiser.
 *
 * EXPECT: write cfg.limits.max|limits.max|int 4
 * EXPECT: write cfg.accounts[2].balance|acct.balance|double 8
 * EXPECT: write cfg.accounts[].id|acct.id|long 8
 * EXPECT: write table[3]||int 4
 * EXPECT-O0: read table[]||int 4 o0.0 s sum
 * EXPECT-O2: table[]||
 * EXPECT: write grid[][]||unsigned char 1
 * EXPECT: write grid[2][1]||unsigned char 1
 * EXPECT: write touch::calls||unsigned int 4
 * EXPECT: write acct.balance|acct.balance|double 8 o0.0 fm deposit
 * EXPECT: write node.next|node.next|struct node * 8 o0.0 pm push
 * EXPECT: read node.value.number|payload.number|int 4 o0.0 sm
 * EXPECT: read node.value.real|payload.real|float 4 o0.0 fm
 * EXPECT: write point.x|point.x|short 2 o0.0 sm
 * EXPECT: write flags.a|b|flags.a|b|
 * EXPECT: write outer.anonymous_y|outer.anonymous_y|int 4
 * EXPECT: write outer.named.z|outer.named.z|int 4
 * EXPECT: write cursor||char * 8 o0.0 p
 * EXPECT-O0: write *cursor||char 1 o0.0 s pointers
 * EXPECT-O2: write *pointers::text||char 1 o0.0 s pointers
 * EXPECT: write packet.bytes[]|packet.bytes|unsigned char 1
 * EXPECT: write colour||enum colour 4
 * EXPECT: write handler||void (*)() 8 o0.0 p
 * EXPECT: write level||uint16 2
 * EXPECT: write file_static||int 4 o0.0 sv
 * EXPECT: read ring.slots[].x|point.x|short 2
 * EXPECT: write acct.id|acct.id|long 8 o0.0 sm thread
 * EXPECT-O0: write split.ready||int 4
 * EXPECT: write split.total||long 8
 * EXPECT: copy cfg.accounts[1]|config.accounts|struct acct 16
 * EXPECT: set grid||unsigned char [4][3] 12 */
#include <stdlib.h>
#include <string.h>

struct acct {
	long id;
	double balance;
};
struct config {
	struct limits {
		int min, max;
	} limits;
	struct acct accounts[4];
} cfg;
static struct { /* the optimiser makes several variables of it */
	int ready;
	long total;
} split;
struct node {
	struct node *next;
	union payload {
		float real;
		int number;
	} value;
	int kind;
} *list;
typedef struct {
	short x, y;
} point;
struct ring {
	int head;
	point slots[8];
} ring;
struct flags {
	unsigned a : 1, b : 2;
	int after;
};
struct outer {
	int x;
	struct {
		int anonymous_y;
	};
	struct {
		int z;
	} named;
};
struct packet {
	int n;
	unsigned char bytes[];
};
typedef unsigned short uint16;
enum colour { RED, GREEN = 5 } colour;
int table[10];
unsigned char grid[4][3];
char *cursor;
void (*handler)(int);
uint16 level;
static volatile int file_static;

#define FUNCTION __attribute__((noinline))

FUNCTION void globals(int n)
{
	cfg.limits.max = n;
	cfg.accounts[2].balance = n;
	cfg.accounts[n & 3].id = n;
	table[3] = n;
	grid[2][1] = n;
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < n; k++)
			grid[i][k] = n * k;
	colour = n ? GREEN : RED;
	level = n;
	file_static = n;
}

FUNCTION int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += table[i];
	return s;
}

FUNCTION int touch(void)
{
	static unsigned calls;
	return ++calls;
}

FUNCTION void deposit(struct acct *a, double amount)
{
	a->balance += amount;
}

FUNCTION void push(int n)
{
	struct node *node = malloc(sizeof *node);
	node->next = list;
	node->kind = n;
	if (n & 1)
		node->value.number = n;
	else
		node->value.real = n;
	list = node;
}

FUNCTION double total(void)
{
	double t = 0;
	for (struct node *at = list; at; at = at->next) {
		if (at->kind & 1)
			t += at->value.number;
		else
			t += at->value.real;
	}
	return t;
}

FUNCTION void shapes(point *p, struct flags *f, struct outer *o, struct packet *k, int n)
{
	p->x = n;
	f->b = n;
	o->anonymous_y = n;
	o->named.z = n + 1;
	for (int i = 0; i < n; i++)
		k->bytes[i] = i * 7;
}

FUNCTION void pointers(char *text)
{
	cursor = text;
	*cursor = 'x';
	handler = exit;
}

FUNCTION int around(int n)
{
	return ring.slots[n & 7].x;
}

FUNCTION void *thread(void *argument)
{
	struct acct *mine = argument;
	mine->id = 4;
	return mine;
}

FUNCTION void ranges(struct acct *from)
{
	cfg.accounts[1] = *from;
	memset(grid, 0, sizeof grid);
}

__attribute__((noinline)) static long split_up(long by)
{
	split.ready = 1;
	split.total += by;
	return split.ready ? split.total : 0;
}

int main(int argc, char **argv)
{
	split_up(argc);
	split_up(argc);
	globals(argc);
	deposit(&cfg.accounts[1], 2.5);
	push(argc);
	push(argc + 1);
	char *text = malloc(64);
	shapes((point *)text, (struct flags *)(text + 8), (struct outer *)(text + 16), (struct packet *)(text + 32), argc);
	pointers(text);
	thread(&cfg.accounts[2]);
	ranges(&cfg.accounts[3]);
	double t = sum(argc + 4) + touch() + total() + around(argc);
	free(text);
	return t == -1;
}
