/* Reads that may see another value, if all their tests come out the same (V6): those of the same bytes with the same tests have a
 * group of their own in the step model. What writes these bytes writes that group, and its content is how the tests come out: so
 * equal contents are equal outcomes, and a step model knows nothing of values here either. */
#include "base/must.h"
#include "sliced/step/step_draft.h"

#define CLASSES_MAX 64u /* other reads see what they saw */

static bool is_tested(const struct norn_graph *graph, uint32_t read)
{
	return norn_graph_event(graph, read)->flags & NORN_GRAPH_TESTED;
}

/* Of one that is in conditions with others no other has the same. */
static bool has_same_tests(const struct norn_graph *graph, uint32_t a, uint32_t b)
{
	struct norn_graph_tests x, y;
	if (a == b || !is_tested(graph, a) || !is_tested(graph, b))
		return a == b;
	for (uint32_t i = 0;; i++) {
		bool one = norn_graph_tests(graph, a, i, &x), other = norn_graph_tests(graph, b, i, &y);
		if (one != other || !one)
			return one == other;
		if (x.before != y.before || x.before_count != y.before_count || x.tests != y.tests || x.count != y.count)
			return false;
	}
}

const struct norn_step_class *norn_step_draft_class(const struct norn_step_draft *d, uint32_t read)
{
	const struct norn_graph_event *e = &d->events[read];
	const uint32_t *first = norn_fixed_reads_keeps(d->fixed, read) ? norn_map_get(&d->classed, e->addr / 8) : NULL;
	for (uint32_t i = first ? *first : 0; i; i = d->classes.items[i - 1].next) {
		const struct norn_step_class *c = &d->classes.items[i - 1];
		if (c->addr == e->addr && c->size == e->size && has_same_tests(d->fixed->graph, c->read, read))
			return c;
	}
	return NULL;
}

/* Do all accesses of the part that touch these bytes touch them all? Otherwise what a write leaves there is not its own alone. */
static bool is_one_group(const struct norn_step_draft *d, const struct norn_graph_event *e)
{
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	if (e->addr % 8 + e->size > 8 || !norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		return false;
	uint32_t group = first;
	for (; touched > 1; touched >>= 1, group++)
		if (touched & 1)
			return false;
	return norn_byte_groups_covered(&d->byte_groups, e->addr / 8, group, e->addr, e->size);
}

void norn_step_draft_classify(struct norn_step_draft *d)
{
	norn_map_init(&d->classed, sizeof(uint32_t));
	if (!d->target)
		return;
	for (uint32_t i = d->model->base + 1; i <= d->model->end && d->classes.count < CLASSES_MAX; i++) {
		const struct norn_graph_event *e = &d->events[i];
		if (!norn_fixed_reads_keeps(d->fixed, i) || norn_step_draft_is_out(d, i) || !is_one_group(d, e) ||
		        norn_step_draft_class(d, i))
			continue;
		uint32_t *first = norn_must_map_put(&d->classed, e->addr / 8), group = d->byte_groups.count + d->classes.count;
		struct norn_step_class c = {.addr = e->addr, .size = e->size, .read = i, .group = group, .next = *first};
		norn_must_push(&d->classes, c);
		*first = d->classes.count;
	}
}

/* How the condition comes out, if the read sees this, and all else what it saw. */
static bool comes_out(
        const struct norn_graph *graph, const struct norn_graph_assertion *a, uint32_t read, uint64_t value, uint64_t *ret)
{
	uint64_t values[NORN_ASSERT_SOURCES];
	for (uint32_t i = 0; i < a->count; i++)
		if (a->reads[i] == read)
			values[i] = value;
		else if (!norn_graph_value_read(graph, a->reads[i], &values[i]))
			return false;
	return norn_graph_assertion_value(a, values, ret);
}

static bool is_same(const struct norn_step_draft *d, uint32_t read, uint64_t v, uint64_t w)
{
	const struct norn_graph *graph = d->fixed->graph;
	const struct norn_graph_assertion *a;
	if (v == w || is_tested(graph, read))
		return v == w || norn_graph_outcomes_same(graph, read, v, w);
	for (uint32_t i = 0; (a = norn_graph_condition(graph, read, i)); i++) {
		uint64_t x, y;
		if (norn_fixed_reads_comes_to(d->fixed, a) &&
		        (!comes_out(graph, a, read, v, &x) || !comes_out(graph, a, read, w, &y) || x != y))
			return false;
	}
	return norn_graph_outcomes_same(graph, read, v, w);
}

uint32_t norn_step_draft_outcome(struct norn_step_draft *d, const struct norn_step_class *c, uint64_t value)
{
	for (uint32_t i = 0; i < d->outcomes.count; i++) {
		const struct norn_step_outcome *o = &d->outcomes.items[i];
		if (o->group == c->group && is_same(d, c->read, o->value, value))
			return i + 1;
	}
	norn_must_push(&d->outcomes, (struct norn_step_outcome){value, c->group});
	return d->outcomes.count;
}
