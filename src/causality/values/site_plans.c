/* Plans of sites: the facts of the pass about a site (trace/facts.h), unpacked once, for the flow of values. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "causality/values/value_flow_state.h"
#include "trace/record.h"
#include "trace/site.h"

/* Reads the items of an entry into the arena. */
static int take_items(struct norn_value_flow *flow, struct norn_facts *facts, uint32_t count, struct flow_sources *ret_sources)
{
	if (count > (uint64_t)(facts->end - facts->p))
		return -EBADMSG;
	uint32_t *items = norn_must_arena_alloc(&flow->arena, (count ? count : 1) * sizeof *items);
	for (uint32_t i = 0; i < count; i++)
		if (!norn_facts_number(facts, &items[i]))
			return -EBADMSG;
	*ret_sources = (struct flow_sources){items, count};
	return 0;
}

static int take_argument(
        struct norn_value_flow *flow, struct argument **arguments, uint32_t *count, const struct flow_sources *entry)
{
	if (entry->count == 0)
		return -EBADMSG;
	uint32_t n = *count;
	struct argument *bigger = norn_must_arena_alloc(&flow->arena, (n + 1) * sizeof *bigger);
	if (n)
		memcpy(bigger, *arguments, n * sizeof *bigger);
	bigger[n] = (struct argument){entry->items[0], {entry->items + 1, entry->count - 1}};
	*arguments = bigger;
	*count = n + 1;
	return 0;
}

/* The address of the variable was not recorded, so its mask means nothing: the read decides. */
static void take_masks(struct norn_value_flow *flow, struct norn_site_plan *plan, const struct flow_sources *entry)
{
	uint32_t count = entry->count / 4;
	plan->masks = norn_must_arena_alloc(&flow->arena, (count + UINT64_C(1)) * sizeof *plan->masks);
	plan->masked = plan->site.kind == NORN_SITE_READ || plan->site.kind == NORN_SITE_RMW;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *item = entry->items + (size_t)4 * i;
		if (item[0] < plan->site.variable_count)
			plan->masks[plan->mask_count++] =
			        (struct norn_graph_range){plan->site.variables[item[0]] + item[1], item[2]};
		else
			plan->masked = false;
	}
}

static int take_facts(struct norn_value_flow *flow, struct norn_site_plan *plan)
{
	struct norn_facts facts = plan->site.facts;
	uint32_t kind, count;
	while (norn_facts_next(&facts, &kind, &count)) {
		struct flow_sources entry;
		int r = take_items(flow, &facts, count, &entry);
		if (r < 0)
			return r;
		switch (kind) {
		case NORN_FACT_DECIDES:
			plan->decides = true;
			if (plan->site.kind == NORN_SITE_ENTER)
				plan->parameters = entry;
			break;
		case NORN_FACT_TESTS:
			plan->tests = entry;
			break;
		case NORN_FACT_YIELDS:
			plan->yields = entry;
			break;
		case NORN_FACT_MAKES:
			plan->makes = entry;
			break;
		case NORN_FACT_FRAME:
			if (entry.count == 2)
				memcpy(plan->frame, entry.items, sizeof plan->frame);
			break;
		case NORN_FACT_LOOSE:
			plan->loose = true;
			plan->loose_tests = entry;
			break;
		case NORN_FACT_OWN:
			plan->own = true;
			break;
		case NORN_FACT_WAITS:
			plan->waits = entry.count ? entry.items[0] : 0;
			break;
		case NORN_FACT_LATER:
			plan->later = true;
			plan->later_parameters = entry;
			break;
		case NORN_FACT_DOUBTS:
			plan->doubts = true;
			plan->doubted_parameters = entry;
			break;
		case NORN_FACT_ASSERTS:
			plan->asserts = entry;
			break;
		case NORN_FACT_BRANCHES:
			plan->branches = entry;
			break;
		case NORN_FACT_POINTER:
			plan->pointer = true;
			*(plan->site.kind == NORN_SITE_ENTER ? &plan->pointers : &plan->tests) = entry;
			break;
		case NORN_FACT_ADDRESS:
			plan->address = entry;
			break;
		case NORN_FACT_PASSES:
			r = take_argument(flow, &plan->passes, &plan->pass_count, &entry);
			break;
		case NORN_FACT_GIVES:
			r = take_argument(flow, &plan->gives, &plan->give_count, &entry);
			break;
		case NORN_FACT_NUMBER:
			plan->numeric = true;
			plan->numbers = entry;
			break;
		case NORN_FACT_VALUE:
		case NORN_FACT_RESULT:
			plan->value = entry;
			break;
		case NORN_FACT_PLACE:
			plan->place = entry;
			break;
		case NORN_FACT_CONTROL:
			plan->control = entry;
			break;
		case NORN_FACT_SKIPS:
			plan->skips = entry.items[0] <= 1 ? 1 + entry.items[0] : 0;
			break;
		case NORN_FACT_MASKS:
			take_masks(flow, plan, &entry);
			break;
		case NORN_FACT_ARGUMENT:
			r = take_argument(flow, &plan->arguments, &plan->argument_count, &entry);
			if (r == 0 && entry.items[0] >= plan->argument_end)
				plan->argument_end = entry.items[0] + 1;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static void note_bare(struct norn_value_flow *flow, uint32_t site)
{
	uint32_t old = flow->bare_room;
	norn_must_grow(&flow->bare, site / 64 + UINT64_C(1), &flow->bare_room, sizeof *flow->bare);
	memset(flow->bare + old, 0, (flow->bare_room - old) * sizeof *flow->bare);
	flow->bare[site / 64] |= UINT64_C(1) << site % 64;
}

/* Of a site without facts, in a function that is not known, it does not matter which one it is: those that are alike share their
 * plan. In a text there are as many sites as variables, and most of them are alike. */
static struct norn_site_plan **shared_plan(struct norn_value_flow *flow, const struct norn_graph_site *s)
{
	if (s->facts.p || s->entry || s->name || s->variable_count || s->kind == NORN_SITE_ENTER)
		return NULL;
	uint32_t hash = (s->place * 8u + s->kind) * 0x9e3779b1u;
	return &flow->alike[hash >> 16 & (ALIKE - 1)];
}

static bool is_alike(const struct norn_graph_site *a, const struct norn_graph_site *b)
{
	return a->kind == b->kind && a->order == b->order && a->order_failure == b->order_failure && a->indirect == b->indirect &&
	       a->own == b->own && a->library == b->library && a->waits == b->waits && a->timed == b->timed &&
	       a->interrupts == b->interrupts && a->call == b->call && a->base == b->base && a->place == b->place;
}

/* Does the call come back without what it was to get, if that takes too long? */
static bool may_fail(const struct norn_graph_site *call)
{
	return call->timed || (call->name && strstr(call->name, "try"));
}

static struct norn_site_plan *plan_of(struct norn_value_flow *flow, uint32_t number)
{
	struct norn_graph_site site = {.waits = true};
	if (flow->lookup)
		flow->lookup(flow->context, number, &site);
	struct norn_site_plan **shared = shared_plan(flow, &site);
	if (shared && *shared && is_alike(&(*shared)->site, &site))
		return *shared;
	struct norn_site_plan *plan = norn_must_arena_alloc(&flow->arena, sizeof *plan);
	plan->site = site;
	plan->number = number;
	if (site.facts.p) {
		plan->facts = take_facts(flow, plan) == 0;
		/* The value that it reads decides whether it writes. */
		plan->decides |= site.kind == NORN_SITE_CMPXCHG;
		plan->numeric |= site.kind == NORN_SITE_CMPXCHG;
		plan->ignored = plan->facts && site.kind == NORN_SITE_CALL && !plan->decides && may_fail(&site);
	}
	if (shared)
		*shared = plan;
	return plan;
}

static bool is_weak(unsigned order)
{
	return order != NORN_ORDER_NONE && order != NORN_ORDER_SEQ_CST;
}

struct norn_site_plan *norn_site_plan_make(struct norn_value_flow *flow, uint32_t site)
{
	uint32_t page = site / SITE_PAGE, old = flow->page_count, room = old;
	if (page >= old) {
		norn_must_grow(&flow->pages, page + UINT64_C(1), &room, sizeof *flow->pages);
		memset(flow->pages + old, 0, (room - old) * sizeof *flow->pages);
		flow->page_count = room;
	}
	if (!flow->pages[page])
		flow->pages[page] = norn_must_calloc(SITE_PAGE, sizeof **flow->pages);
	struct norn_site_plan *plan = plan_of(flow, site);
	flow->pages[page][site % SITE_PAGE] = plan;
	flow->says |= plan->facts || plan->site.order;
	flow->weak |= is_weak(plan->site.order) || is_weak(plan->site.order_failure);
	if (!flow->says)
		note_bare(flow, site);
	return plan;
}

const struct norn_graph_site *norn_value_flow_site(struct norn_value_flow *flow, uint32_t site)
{
	return &norn_site_plan_get(flow, site)->site;
}

const struct norn_graph_site *norn_value_flow_known(const struct norn_value_flow *flow, uint32_t site)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	return plan ? &plan->site : NULL;
}

bool norn_value_flow_ignores(const struct norn_value_flow *flow, uint32_t site)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	return plan && plan->ignored;
}

/* Functions of C++ are overloaded, and the declaration that a caller has seen may have no name but the linker's. */
static bool is_same_function(const struct norn_graph_site *call, const struct norn_graph_site *enter)
{
	const char *callee = call->name, *function = enter->name;
	if (!callee || !*callee || !function)
		return false;
	if (!call->linker && !enter->linker)
		return strcmp(callee, function) == 0;
	return (call->linker ? call->linker : norn_site_linker_hash(callee)) ==
	       (enter->linker ? enter->linker : norn_site_linker_hash(function));
}

bool norn_site_plan_fits(const struct norn_site_plan *call, const struct norn_site_plan *enter)
{
	if (call->site.kind != NORN_SITE_CALL || enter->site.kind != NORN_SITE_ENTER)
		return false;
	return call->site.indirect || is_same_function(&call->site, &enter->site);
}

bool norn_value_flow_fits(struct norn_value_flow *flow, uint32_t call_site, uint32_t enter_site)
{
	return norn_site_plan_fits(norn_site_plan_get(flow, call_site), norn_site_plan_get(flow, enter_site));
}

bool norn_value_flow_loose_tests(
        const struct norn_value_flow *flow, uint32_t site, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	const struct flow_sources *own = !plan ? NULL : plan->loose ? &plan->loose_tests : &plan->tests;
	(void)read;
	if (i || !own || !own->count)
		return false;
	*ret_tests = (struct norn_graph_tests){.before = own->items, .tests = own->items, .count = own->count};
	return true;
}

uint32_t norn_value_flow_frame(const struct norn_value_flow *flow, uint32_t site, uint32_t bytes)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	return plan && plan->frame[0] == bytes ? plan->frame[1] : 0;
}

/* Is one of its steps made of two values? Then the last item is the source of the second. */
static bool has_operand(const struct norn_graph_chain *chain)
{
	const uint32_t *at = chain->items, *end = at + chain->count;
	uint32_t steps = *at++;
	bool found = false;
	for (; steps && at < end; steps--)
		found |= norn_test_step(&at, end).op == NORN_TEST_STACK;
	return found && at + 1 == end;
}

bool norn_value_flow_makes(const struct norn_value_flow *flow, uint32_t site, struct norn_graph_chain *ret_chain)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	if (!plan || !plan->facts || plan->makes.count < 2 || (plan->makes.items[0] & 3) != NORN_SOURCE_LATEST)
		return false;
	*ret_chain = (struct norn_graph_chain){.site = plan->site.base + (plan->makes.items[0] >> 2),
	        .items = plan->makes.items + 1,
	        .count = plan->makes.count - 1};
	if (has_operand(ret_chain)) {
		uint32_t operand = ret_chain->items[--ret_chain->count];
		bool recorded = (operand & 3) == NORN_SOURCE_ANYTHING;
		ret_chain->operand_site = recorded ? NORN_GRAPH_RECORDED : plan->site.base + (operand >> 2);
	}
	return true;
}

/* ---- masks ---- */

uint32_t norn_value_flow_masks(const struct norn_value_flow *flow, uint32_t site, const struct norn_graph_range **ret_ranges)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	*ret_ranges = plan ? plan->masks : NULL;
	return plan && plan->masked ? plan->mask_count : 0;
}

bool norn_value_flow_skips(const struct norn_value_flow *flow, uint32_t site, unsigned *ret_outcome)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	*ret_outcome = plan ? plan->skips - 1 : 0;
	return plan && plan->masked && plan->skips;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

struct words NORN_VECTOR_OF(uint64_t);

static void add_words(const struct norn_site_plan *plan, struct words *words)
{
	for (uint32_t i = 0; plan && plan->masked && i < plan->mask_count; i++) {
		const struct norn_graph_range *m = plan->masks + i;
		for (uint64_t word = m->addr / 8; m->size && word <= (m->addr + m->size - 1) / 8; word++)
			norn_must_push(words, word);
	}
}

uint64_t *norn_value_flow_masked_words(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	struct words words = {0};
	uint32_t kept = 0;
	for (uint32_t p = 0; p < flow->page_count; p++)
		for (uint32_t i = 0; flow->pages[p] && i < SITE_PAGE; i++)
			add_words(flow->pages[p][i], &words);
	if (words.count)
		qsort(words.items, words.count, sizeof *words.items, by_number);
	for (uint32_t i = 0; i < words.count; i++)
		if (i == 0 || words.items[i] != words.items[i - 1])
			words.items[kept++] = words.items[i];
	*ret_count = kept;
	return words.items;
}

bool norn_value_flow_weak(const struct norn_value_flow *flow)
{
	return flow->weak;
}
