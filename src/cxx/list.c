/* The links of std::list, as libstdc++ exports the functions that change them. A list is a ring of nodes, one of which is its end.
 */
#include <stdbool.h>

struct list_node {
	struct list_node *next, *previous;
};

#define LIST(result, name, ...)                                                                                                    \
	result norn_list_##name(__VA_ARGS__) __asm__("_ZNSt8__detail15_List_node_base" NAME_##name);                               \
	result norn_list_##name(__VA_ARGS__)

#define NAME_hook "7_M_hookEPS0_"
#define NAME_unhook "9_M_unhookEv"
#define NAME_reverse "10_M_reverseEv"
#define NAME_transfer "11_M_transferEPS0_S1_"
#define NAME_swap "4swapERS0_S1_"

static void join(struct list_node *first, struct list_node *second)
{
	first->next = second;
	second->previous = first;
}

LIST(void, hook, struct list_node *self, struct list_node *before)
{
	struct list_node *previous = before->previous;
	join(self, before);
	join(previous, self);
}

LIST(void, unhook, struct list_node *self)
{
	join(self->previous, self->next);
}

LIST(void, reverse, struct list_node *self)
{
	struct list_node *at = self;
	do {
		struct list_node *next = at->next;
		at->next = at->previous;
		at->previous = next;
		at = next;
	} while (at != self);
}

/* The nodes from first up to end, which is not one of them, come before self. */
LIST(void, transfer, struct list_node *self, struct list_node *first, struct list_node *end)
{
	if (self == end)
		return;
	struct list_node *last = end->previous, *before = first->previous, *place = self->previous;
	join(before, end);
	join(place, first);
	join(last, self);
}

/* The nodes of from, which are not none, hang on to. */
static void take_ring(struct list_node *to, struct list_node from)
{
	to->next = from.next;
	to->previous = from.previous;
	to->next->previous = to;
	to->previous->next = to;
}

static void empty(struct list_node *list)
{
	list->next = list->previous = list;
}

/* Two empty lists are not written to. */
LIST(void, swap, struct list_node *a, struct list_node *b)
{
	bool empty_a = a->next == a, empty_b = b->next == b;
	if (empty_a && empty_b)
		return;
	struct list_node old_a = *a, old_b = *b;
	if (empty_b)
		empty(a);
	else
		take_ring(a, old_b);
	if (empty_a)
		empty(b);
	else
		take_ring(b, old_a);
}
