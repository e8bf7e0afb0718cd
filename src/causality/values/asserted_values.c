/* Assertions of a run, and other branches that are told as these are, and the reads that their conditions are made of: in the frame
 * that comes to them, or, through arguments, in those below it. A frame that calls stands still meanwhile, so its latest reads are
 * those that the arguments were made of. */
#include <string.h>

#include "base/must.h"
#include "causality/values/value_flow_state.h"
#include "trace/facts.h"

#define ITEMS_MAX 256u /* of an expression that goes through calls */
#define CALLS_MAX 8u
#define READS_MAX 16u /* nodes of an argument that are looked at */
#define BRANCHES_MAX (1u << 18) /* that are kept; the sources of others decide */
#define DOUBTS_MAX (1u << 16) /* reads of assertions that cannot be evaluated */

/* An expression that is being put together. */
struct composed {
	uint32_t reads[NORN_ASSERT_SOURCES], count;
	struct norn_graph_chain results[NORN_ASSERT_SOURCES];
	uint32_t items[ITEMS_MAX], item_count;
};

/* The read that a source is, in the frame at this depth, whose function the site is in. */
static uint32_t asserted_read(struct norn_value_flow *flow, const struct flow_thread *t, uint32_t depth,
        const struct norn_site_plan *plan, uint32_t item, struct norn_graph_chain *ret_result)
{
	const struct flow_frame *frame = t->frames + depth;
	const struct norn_site_plan *from =
	        (item & 3) == NORN_SOURCE_LATEST ? norn_site_plan_known(flow, plan->site.base + (item >> 2)) : NULL;
	if (!from || !from->slot || from->slot > frame->slot_count || from->site.entry != frame->function->number)
		return 0;
	const struct flow_slot *slot = t->slots + frame->slots + from->slot - 1;
	const struct flow_sources *yields = slot->yields ? &slot->yields->yields : NULL;
	if (yields && yields->count < 2)
		return 0; /* what a function returned, and how it made that is not known */
	if (yields)
		*ret_result = (struct norn_graph_chain){.items = yields->items + 1, .count = yields->count - 1};
	return slot->read;
}

static bool add_item(struct composed *x, uint32_t item)
{
	if (x->item_count == ITEMS_MAX)
		return false;
	x->items[x->item_count++] = item;
	return true;
}

/* Pushes what was read. */
static bool add_read(struct composed *x, uint32_t head, uint32_t read, const struct norn_graph_chain *result)
{
	uint32_t place = 0;
	while (place < x->count && (x->reads[place] != read || x->results[place].items != result->items))
		place++;
	if (!read || place == NORN_ASSERT_SOURCES)
		return false;
	x->reads[place] = read;
	x->results[place] = *result;
	x->count += place == x->count;
	return add_item(x, head) && add_item(x, place << 1);
}

static const struct flow_sources *find_argument(const struct argument *all, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].number == number)
			return &all[i].sources;
	return NULL;
}

static bool compose(struct norn_value_flow *flow, const struct flow_thread *t, uint32_t depth, const struct norn_site_plan *plan,
        const uint32_t *sources, uint32_t count, struct flow_sources items, struct composed *x);

/* Pushes the argument that the frame at this depth was given; head: the item of the step that pushes it, so many bits wide. */
static bool add_parameter(struct norn_value_flow *flow, const struct flow_thread *t, uint32_t depth, uint32_t number, uint32_t head,
        struct composed *x)
{
	const struct flow_frame *frame = t->frames + depth;
	const struct norn_site_plan *call = frame->call;
	if (frame->anything || !call || depth == 0 || depth + CALLS_MAX < t->depth ||
	        call->site.entry != t->frames[depth - 1].function->number)
		return false;
	const struct flow_sources *give = find_argument(call->gives, call->give_count, number);
	const struct flow_sources *pass = find_argument(call->passes, call->pass_count, number);
	uint32_t bits = (head & ~15u) | NORN_TEST_BITS;
	if (give) {
		uint32_t sources = give->items[0];
		struct flow_sources items = {give->items + 2 + sources, give->count - 2 - sources};
		return compose(flow, t, depth - 1, call, give->items + 1, sources, items, x) && add_item(x, bits);
	}
	uint32_t push[] = {head, 0};
	return pass && pass->count == 1 && compose(flow, t, depth - 1, call, pass->items, 1, (struct flow_sources){push, 2}, x);
}

static bool compose(struct norn_value_flow *flow, const struct flow_thread *t, uint32_t depth, const struct norn_site_plan *plan,
        const uint32_t *sources, uint32_t count, struct flow_sources items, struct composed *x)
{
	for (const uint32_t *at = items.items, *end = at + items.count, *from; from = at, at < end;) {
		struct norn_test_step step = norn_test_step(&at, end);
		uint64_t which = step.constant >> 1;
		bool push = step.op == NORN_TEST_STACK && !(step.constant & 1);
		for (; !push && from < at; from++)
			if (!add_item(x, *from))
				return false;
		if (!push)
			continue;
		if (which >= count)
			return false;
		uint32_t item = sources[which];
		struct norn_graph_chain result = {.items = NULL};
		bool added = (item & 3) == NORN_SOURCE_PARAMETER
		                     ? add_parameter(flow, t, depth, item >> 2, *from, x)
		                     : add_read(x, *from, asserted_read(flow, t, depth, plan, item, &result), &result);
		if (!added)
			return false;
	}
	return true;
}

/* Most expressions are the same as the site's last one, which is kept. */
static void keep_items(struct norn_value_flow *flow, struct norn_site_plan *plan, const struct composed *x)
{
	size_t bytes = x->item_count * sizeof *x->items;
	if (plan->composed_count == x->item_count && memcmp(plan->composed, x->items, bytes) == 0)
		return;
	uint32_t *kept = norn_must_arena_alloc(&flow->arena, bytes + 1);
	memcpy(kept, x->items, bytes);
	plan->composed = kept;
	plan->composed_count = x->item_count;
}

/* Composes the expression of an assertion that reads parameters: with what calls have given. */
static void note_composed(struct norn_value_flow *flow, struct flow_thread *t, struct norn_site_plan *plan, const uint32_t *sources,
        uint32_t count, struct norn_graph_assertion *a)
{
	struct composed x = {.count = 0};
	struct flow_sources items = {a->items, a->item_count};
	if (!compose(flow, t, t->depth - 1, plan, sources, count, items, &x)) {
		a->known = false;
		return;
	}
	keep_items(flow, plan, &x);
	memcpy(a->reads, x.reads, sizeof a->reads);
	memcpy(a->results, x.results, sizeof a->results);
	a->count = x.count;
	a->items = plan->composed;
	a->item_count = plan->composed_count;
}

/* The argument cannot be evaluated, so its sources decide. */
static void parameters_decide(struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t,
        const uint32_t *sources, uint32_t count)
{
	const struct flow_frame *frame = t->frames + t->depth - 1;
	for (uint32_t i = 0; i < count; i++)
		if ((sources[i] & 3) == NORN_SOURCE_PARAMETER && sources[i] >> 2 < frame->parameter_count)
			norn_value_flow_mark(
			        flow, events, t->parameters[frame->parameters + (sources[i] >> 2)].node, NORN_GRAPH_DECIDES);
}

/* Up to here it has decided nothing but assertions. first: for all that its site knows. */
static void note_free(
        struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t read, bool first, uint32_t number)
{
	const struct norn_graph_event *e = events + read;
	const struct norn_site_plan *plan = norn_site_plan_known(flow, e->site);
	bool loose = e->flags & NORN_GRAPH_LOOSE && (first || !plan->loose || !plan->loose_tests.count) &&
	             !norn_map_get(&flow->called, read) && !(plan->tests.count && !plan->loose);
	if (e->kind == NORN_EVENT_READ && ((e->later && first) || loose))
		*(uint32_t *)norn_must_map_put(&flow->free_until, read) = number;
}

uint32_t norn_value_flow_free_until(const struct norn_value_flow *flow, uint32_t read)
{
	const uint32_t *until = norn_map_get(&flow->free_until, read);
	return until ? *until : 0;
}

/* first: a bit for each source. The sources of an argument share one bit. */
static void note_all_free(struct norn_value_flow *flow, const struct norn_graph_event *events, const struct norn_graph_assertion *a,
        uint32_t first, bool given, uint32_t sources)
{
	bool all = first == (1u << sources) - 1;
	for (uint32_t i = 0; i < a->count && a->known; i++)
		note_free(flow, events, a->reads[i], given ? all : first >> i & 1, a->event);
}

/* Finds the reads of its sources, and its expression; false: damaged. */
static bool bind(struct norn_value_flow *flow, struct flow_thread *t, struct norn_site_plan *plan, const uint32_t **item,
        const uint32_t *end, struct norn_graph_assertion *a, struct flow_sources *ret_sources, bool *ret_given)
{
	if (a->count > NORN_ASSERT_SOURCES || end - *item <= a->count)
		return false;
	*ret_sources = (struct flow_sources){*item, a->count};
	*ret_given = false;
	for (uint32_t i = 0; i < a->count; i++, ++*item) {
		bool parameter = (**item & 3) == NORN_SOURCE_PARAMETER;
		a->reads[i] = asserted_read(flow, t, t->depth - 1, plan, **item, &a->results[i]);
		a->known &= a->reads[i] != 0 || parameter;
		*ret_given |= parameter;
	}
	a->item_count = *(*item)++;
	a->items = *item;
	if (a->item_count > end - *item)
		return false;
	*item += a->item_count;
	if (*ret_given)
		note_composed(flow, t, plan, ret_sources->items, ret_sources->count, a);
	return true;
}

static void note(struct norn_value_flow *flow, const struct norn_graph_assertion *a)
{
	norn_must_push(&flow->assertions, *a);
	for (uint32_t i = 0; i < a->count; i++) {
		if (!a->reads[i])
			continue;
		uint32_t *last = norn_must_map_put(&flow->condition_of, a->reads[i]);
		struct flow_condition c = {flow->assertions.count - 1, *last};
		norn_must_push(&flow->conditions, c);
		*last = flow->conditions.count;
	}
}

/* Its expression is not known, though the code has one. */
static void doubt(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        const struct norn_site_plan *plan, const struct norn_graph_assertion *a, const struct flow_sources *sources)
{
	norn_value_flow_mark(flow, events, norn_value_flow_resolve(flow, t, plan, sources, a->event), NORN_FLOW_DOUBTED);
	for (uint32_t i = 0; i < a->count; i++)
		if (a->reads[i])
			norn_assertions_doubt(flow, a->reads[i]);
}

/* What a read-modify-write read is tried only where the assertion comes right after it. */
static bool reads_rmw_before(const struct norn_graph_event *events, const struct norn_graph_assertion *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->reads[i] && a->reads[i] != a->event && events[a->reads[i]].kind == NORN_EVENT_RMW)
			return true;
	return false;
}

static void unlisted_decides(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        const struct norn_site_plan *plan, const uint32_t *source, uint32_t number)
{
	uint32_t node = norn_value_flow_resolve(flow, t, plan, &(struct flow_sources){source, 1}, number);
	norn_value_flow_mark(flow, events, node, NORN_GRAPH_DECIDES);
}

static void note_assertions(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        struct norn_site_plan *plan, uint32_t number)
{
	const struct flow_sources *list = &plan->asserts;
	for (const uint32_t *item = list->items, *end = item + list->count; end - item >= 3;) {
		struct norn_graph_assertion a = {.event = number,
		        .site = plan->site.base + item[0],
		        .fails_if = item[1] & 1,
		        .known = true,
		        .count = item[1] >> 1 & 7};
		struct flow_sources sources;
		uint32_t first = item[1] >> 4;
		bool given;
		item += 2;
		if (!bind(flow, t, plan, &item, end, &a, &sources, &given))
			return;
		if (given && !a.known)
			parameters_decide(flow, events, t, sources.items, sources.count);
		for (uint32_t i = 0; i < sources.count && !given; i++)
			if (!a.reads[i]) /* a read that is not listed sees what it saw */
				unlisted_decides(flow, events, t, plan, sources.items + i, number);
		if (!a.known || reads_rmw_before(events, &a))
			doubt(flow, events, t, plan, &a, &sources);
		note_all_free(flow, events, &a, first, given, sources.count);
		note(flow, &a);
	}
}

/* Is one of its reads free to see something else? */
static bool is_loose(const struct norn_graph_event *events, const struct norn_graph_assertion *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (events[a->reads[i]].flags & NORN_GRAPH_LOOSE)
			return true;
	return false;
}

/* How the branch came out. */
static bool evaluate(const struct norn_graph_event *events, const struct norn_graph_assertion *a, uint64_t *ret_outcome)
{
	uint64_t values[NORN_ASSERT_SOURCES];
	for (uint32_t i = 0; i < a->count; i++) {
		const struct norn_graph_event *e = events + a->reads[i];
		if (!a->known || e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_VALUED))
			return false;
		values[i] = e->value;
	}
	return a->known && norn_graph_assertion_value(a, values, ret_outcome);
}

/* Where it cannot be evaluated, its sources decide. */
static void note_branches(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        struct norn_site_plan *plan, uint32_t number)
{
	const struct flow_sources *list = &plan->branches;
	for (const uint32_t *item = list->items, *end = item + list->count; end - item >= 2;) {
		struct norn_graph_assertion a = {
		        .event = number, .site = plan->number, .known = true, .branch = true, .count = *item++};
		struct flow_sources sources;
		uint64_t outcome;
		bool given;
		if (!bind(flow, t, plan, &item, end, &a, &sources, &given))
			return;
		if (a.known && !is_loose(events, &a))
			continue; /* all its reads see what they saw */
		if (flow->branch_count < BRANCHES_MAX && evaluate(events, &a, &outcome)) {
			a.fails_if = !outcome;
			flow->branch_count++;
			note(flow, &a);
		} else {
			uint32_t node = norn_value_flow_resolve(flow, t, plan, &sources, number);
			norn_value_flow_mark(flow, events, node, NORN_GRAPH_DECIDES);
		}
	}
}

void norn_assertions_note(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        struct norn_site_plan *plan, uint32_t number)
{
	if (plan->asserts.count)
		note_assertions(flow, events, t, plan, number);
	if (plan->branches.count)
		note_branches(flow, events, t, plan, number);
}

const struct norn_graph_assertion *norn_value_flow_assertions(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	*ret_count = flow->assertions.count;
	return flow->assertions.items;
}

const struct norn_graph_assertion *norn_value_flow_condition(const struct norn_value_flow *flow, uint32_t read, uint32_t i)
{
	const uint32_t *last = norn_map_get(&flow->condition_of, read);
	uint32_t at = last ? *last : 0;
	for (; at && i; i--)
		at = flow->conditions.items[at - 1].next;
	return at ? &flow->assertions.items[flow->conditions.items[at - 1].number] : NULL;
}

/* ---- what cannot be evaluated ---- */

void norn_assertions_doubt(struct norn_value_flow *flow, uint32_t event)
{
	if (flow->doubts.count < DOUBTS_MAX)
		norn_must_push(&flow->doubts, event);
}

const uint32_t *norn_value_flow_doubts(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	*ret_count = flow->doubts.count;
	return flow->doubts.items;
}

/* ---- what parameters decide ---- */

/* The reads that a node stands for; false: too many, or not known. */
static bool list_reads(const struct norn_value_flow *flow, uint32_t node, uint32_t *reads, uint32_t *ret_count)
{
	uint32_t stack[READS_MAX + 2] = {node}, depth = 1;
	*ret_count = 0;
	for (unsigned looked = 0; depth; looked++) {
		uint32_t at = stack[--depth];
		if (looked == READS_MAX)
			return false;
		if (at && !(at & NORN_GRAPH_LIST)) {
			reads[(*ret_count)++] = at;
			continue;
		}
		const struct norn_value_flow_pair *pair = at ? flow->pairs + (at & ~NORN_GRAPH_LIST) : NULL;
		if (pair && (pair->b == NORN_VALUE_FLOW_BEFORE || depth + 2 > READS_MAX))
			return false;
		if (pair) {
			stack[depth++] = pair->a;
			stack[depth++] = pair->b;
		}
	}
	return true;
}

/* May it decide loosely, with no other tests than its site has? */
static bool may_be_loose(const struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t read)
{
	const struct norn_graph_event *e = events + read;
	unsigned others = NORN_GRAPH_MASKED | NORN_GRAPH_POINTER;
	bool free = !(e->flags & NORN_GRAPH_DECIDES) || e->flags & (NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE);
	return free && e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED && !(e->flags & others) &&
	       !norn_map_get(&flow->called, read);
}

static bool is_among(uint32_t read, const uint32_t *reads, uint32_t count)
{
	while (count && reads[count - 1] != read)
		count--;
	return count;
}

/* The reads that a parameter of the innermost frame is made of, which can be evaluated; false: they cannot. */
static bool find_given(
        struct norn_value_flow *flow, const struct flow_thread *t, uint32_t parameter, uint32_t *reads, uint32_t *ret_count)
{
	const struct flow_frame *frame = t->frames + t->depth - 1;
	struct composed x = {.count = 0};
	uint32_t node = parameter < frame->parameter_count ? t->parameters[frame->parameters + parameter].node : 0;
	if (!add_parameter(flow, t, t->depth - 1, parameter, NORN_TEST_STACK | 4 << 4, &x) ||
	        !list_reads(flow, node, reads, ret_count))
		return false;
	for (uint32_t i = 0; i < *ret_count; i++)
		if (!is_among(reads[i], x.reads, x.count))
			return false;
	return true;
}

bool norn_assertions_later(struct norn_graph_event *events, uint32_t read)
{
	struct norn_graph_event *e = events + read;
	unsigned others = NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED | NORN_GRAPH_POINTER;
	if (!read || e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_VALUED) || e->flags & others)
		return false;
	e->flags |= NORN_GRAPH_DECIDES;
	e->later = 1;
	return true;
}

bool norn_assertions_give_later(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t, uint32_t parameter)
{
	const struct flow_sources *later = &t->frames[t->depth - 1].function->later_parameters;
	uint32_t reads[READS_MAX], count;
	unsigned others = NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED | NORN_GRAPH_POINTER;
	if (!later->count || !is_among(parameter, later->items, later->count) || !find_given(flow, t, parameter, reads, &count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *e = events + reads[i];
		if (e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_VALUED) || e->flags & others)
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		events[reads[i]].flags |= NORN_GRAPH_DECIDES;
		events[reads[i]].later = 1;
	}
	return true;
}

bool norn_assertions_give(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t, uint32_t parameter)
{
	const struct flow_frame *frame = t->frames + t->depth - 1;
	const struct flow_sources *loose = &frame->function->loose_tests;
	uint32_t reads[READS_MAX], count;
	if (!frame->function->loose || !is_among(parameter, loose->items, loose->count) ||
	        !find_given(flow, t, parameter, reads, &count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!may_be_loose(flow, events, reads[i]))
			return false;
	for (uint32_t i = 0; i < count; i++) {
		events[reads[i]].flags |= NORN_GRAPH_DECIDES | NORN_GRAPH_LOOSE;
		events[reads[i]].flags &= ~(unsigned)NORN_GRAPH_TESTED;
	}
	return true;
}
