/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O1 -pthread
 * prop: prop_shapes.prop
 * no-finding: yes
 */
/* Variables of all shapes. BAD breaks every property once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile int status;
struct entry {
	char name[5];
	short used;
} table[4];
struct {
	int pad;
	struct {
		unsigned low, high;
	} limits;
} config = {0, {1, 2}};
struct {
	unsigned ready : 1, mode : 3;
	int level : 3;
	unsigned rest : 20;
} flags = {0, 5, -2, 0};
struct node {
	int value;
	struct node *next;
} nodes[2] = {{1, &nodes[1]}, {2, NULL}}, *head = &nodes[0];
signed char small;
unsigned big = 4000000001u;
union {
	unsigned char bytes[8];
	unsigned short low;
} word;
struct account {
	long number, balance;
};
long numbers[100];

__attribute__((noinline)) static void count(void)
{
	static int calls;
	calls++;
}

static struct account *open_account(long number, long balance)
{
	struct account *a = malloc(sizeof *a);
	a->number = number;
	a->balance = balance;
	return a;
}

static void *change(void *unused)
{
	static const struct entry whole = {"x", 1};
	status = 2;
	for (int i = 0; i < 3; i++)
		count();
	table[1] = whole; /* a copy of all its bytes */
	table[2].used = 1;
	config.limits.high = 20;
	config.limits.low = 20;
	flags.mode = 5;
	flags.ready = 1;
	flags.rest = 1000; /* a neighbour */
	nodes[1].value = 3;
	small = -1;
	word.bytes[0] = 0x12;
	struct account *a = open_account(1, 100);
	a->balance -= 100;
	numbers[98] = 98;
	struct node *fresh = malloc(sizeof *fresh);
	fresh->value = -5; /* nobody points to it yet */
	fresh->value = 5;
	fresh->next = head;
	head = fresh;
#ifdef BAD
	status = 3;
	count();
	table[1].used = 0;
	config.limits.high = 19;
	flags.mode = 4;
	flags.level = -3;
	fresh->value = -1;
	nodes[0].value = 7;
	big = 1;
	word.bytes[1] = 0x34;
	a->balance -= 1;
	numbers[99] = 99;
#endif
	free(a);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	pthread_join(t, NULL);
	return head->next->value - nodes[0].value;
}
