#include "base/intervals.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

/* A binary tree by address, and a heap by priorities, which are random: so it is balanced, whatever comes. */
struct norn_interval_node {
	struct norn_interval interval;
	uint32_t left, right; /* spare ones are linked through left */
	uint32_t priority;
};

void norn_intervals_done(struct norn_intervals *intervals)
{
	free(intervals->nodes);
	*intervals = (struct norn_intervals){0};
}

uint64_t norn_intervals_bytes(const struct norn_intervals *intervals)
{
	return (uint64_t)intervals->room * sizeof *intervals->nodes;
}

static uint32_t make(struct norn_intervals *t, struct norn_interval interval)
{
	uint32_t i = t->spare;
	if (i)
		t->spare = t->nodes[i].left;
	else
		i = ++t->count;
	assert(i < t->room);
	t->seed = t->seed * 1664525u + 1013904223u;
	t->nodes[i] = (struct norn_interval_node){.interval = interval, .priority = t->seed ^ t->seed >> 15};
	return i;
}

static uint32_t join(struct norn_intervals *t, uint32_t a, uint32_t b)
{
	uint32_t root = 0, *place = &root;
	while (a && b) {
		if (t->nodes[a].priority > t->nodes[b].priority) {
			*place = a;
			place = &t->nodes[a].right;
			a = *place;
		} else {
			*place = b;
			place = &t->nodes[b].left;
			b = *place;
		}
	}
	*place = a ? a : b;
	return root;
}

/* Intervals that begin before addr, and the others. */
static void split(struct norn_intervals *t, uint32_t root, uint64_t addr, uint32_t *ret_before, uint32_t *ret_after)
{
	while (root) {
		struct norn_interval_node *node = t->nodes + root;
		if (node->interval.from < addr) {
			*ret_before = root;
			ret_before = &node->right;
			root = node->right;
		} else {
			*ret_after = root;
			ret_after = &node->left;
			root = node->left;
		}
	}
	*ret_before = *ret_after = 0;
}

static uint32_t last_of(const struct norn_intervals *t, uint32_t root)
{
	while (root && t->nodes[root].right)
		root = t->nodes[root].right;
	return root;
}

/* The depth of a treap is a few dozen, but nothing here need rely on that. */
static void drop(struct norn_intervals *t, uint32_t root)
{
	while (root) {
		struct norn_interval_node *node = t->nodes + root;
		if (node->left) { /* turn right: what hangs left comes up */
			uint32_t left = node->left;
			node->left = t->nodes[left].right;
			t->nodes[left].right = root;
			root = left;
			continue;
		}
		uint32_t next = node->right;
		node->left = t->spare;
		t->spare = root;
		root = next;
	}
}

void norn_intervals_set(struct norn_intervals *t, uint64_t from, uint64_t to, uint32_t value)
{
	if (from >= to)
		return;
	norn_must_grow(&t->nodes, t->count + UINT64_C(3), &t->room, sizeof *t->nodes); /* nodes begin at 1, and two may be made */
	uint32_t before, covered, after;
	split(t, t->root, from, &before, &after);
	uint32_t rest = after;
	split(t, rest, to, &covered, &after);
	uint32_t edge = last_of(t, before);
	struct norn_interval tail = {0};
	if (edge && t->nodes[edge].interval.to > from) {
		if (t->nodes[edge].interval.to > to)
			tail = (struct norn_interval){to, t->nodes[edge].interval.to, t->nodes[edge].interval.value};
		t->nodes[edge].interval.to = from;
	}
	edge = last_of(t, covered);
	if (edge && t->nodes[edge].interval.to > to)
		tail = (struct norn_interval){to, t->nodes[edge].interval.to, t->nodes[edge].interval.value};
	drop(t, covered);
	t->root = join(t, before, make(t, (struct norn_interval){from, to, value}));
	if (tail.to)
		t->root = join(t, t->root, make(t, tail));
	t->root = join(t, t->root, after);
}

bool norn_intervals_after(const struct norn_intervals *t, uint64_t addr, struct norn_interval *ret_interval)
{
	uint32_t best = 0;
	for (uint32_t i = t->root; i;) {
		bool ends_after = t->nodes[i].interval.to > addr;
		if (ends_after)
			best = i;
		i = ends_after ? t->nodes[i].left : t->nodes[i].right;
	}
	if (best)
		*ret_interval = t->nodes[best].interval;
	return best;
}

uint32_t norn_intervals_get(const struct norn_intervals *t, uint64_t addr)
{
	struct norn_interval found;
	return norn_intervals_after(t, addr, &found) && found.from <= addr ? found.value : 0;
}
