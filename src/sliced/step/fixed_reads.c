#include "base/bisect.h"
#include "sliced/step/fixed_reads.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "causality/rules.h"
#include "sliced/step/byte_groups.h"
#include "trace/record.h"

#define NODES_MAX 256u /* of a value that are looked at to tell whether it is known */

static bool reads(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
}

static void fix(struct norn_fixed_reads *k, uint32_t event)
{
	uint32_t i = event - k->base;
	if (norn_fixed_reads_keeps(k, event))
		k->kept[i / 64] &= ~(UINT64_C(1) << i % 64);
	if (norn_fixed_reads_has(k, event) || event > k->end)
		return;
	assert(event > k->base && event <= k->end);
	k->events[i / 64] |= UINT64_C(1) << i % 64;
	norn_must_push(&k->work, event);
}

bool norn_fixed_reads_comes_to(const struct norn_fixed_reads *k, const struct norn_graph_assertion *a)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	for (uint32_t i = 0; i < k->stop_count; i++)
		if (events[k->stops[i]].thread == events[a->event].thread)
			return a->event < k->stops[i];
	return a->event > k->base && a->event <= k->end;
}

/* The conditions of a LOOSE read can be evaluated: all else that they are made of sees what it saw. */
static bool fix_others(struct norn_fixed_reads *k, uint32_t event)
{
	const struct norn_graph_assertion *a;
	for (uint32_t i = 0; (a = norn_graph_condition(k->graph, event, i)); i++)
		if (norn_fixed_reads_comes_to(k, a) && !a->known)
			return false;
	for (uint32_t i = 0; (a = norn_graph_condition(k->graph, event, i)); i++)
		for (uint32_t r = 0; r < a->count && norn_fixed_reads_comes_to(k, a); r++)
			if (a->reads[r] != event && a->reads[r] > k->base)
				fix(k, a->reads[r]);
	return true;
}

/* A read that decides: by its value, or by its tests, and branches and assertions that it is in. */
static void fix_decider(struct norn_fixed_reads *k, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(k->graph, event);
	bool tested = e->flags & NORN_GRAPH_TESTED, loose = e->flags & NORN_GRAPH_LOOSE;
	if (norn_fixed_reads_has(k, event) || event > k->end)
		return;
	fix(k, event);
	uint32_t i = event - k->base;
	if (k->kept && e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED &&
	        (tested || (loose && !k->freed_count && fix_others(k, event))))
		k->kept[i / 64] |= UINT64_C(1) << i % 64;
}

static void fix_before(struct norn_fixed_reads *k, uint32_t event)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	uint32_t *next = &k->next[events[event].thread];
	for (; *next && *next < event; *next = events[*next].next)
		if (reads(&events[*next]))
			fix(k, *next);
}

/* The value of the node is fixed. Unions wait on the same stack as events: their numbers are beyond those of events. */
static void fix_node(struct norn_fixed_reads *k, uint32_t node)
{
	uint32_t a, b;
	switch (norn_graph_node(k->graph, node, &a, &b)) {
	case NORN_NODE_READ:
		fix(k, a);
		break;
	case NORN_NODE_BEFORE:
		fix_before(k, a);
		break;
	case NORN_NODE_UNION: {
		uint32_t i = node - NORN_GRAPH_LIST;
		if (k->nodes[i / 64] >> i % 64 & 1)
			break;
		k->nodes[i / 64] |= UINT64_C(1) << i % 64;
		if (k->whole)
			norn_must_push(&k->seen, i);
		norn_must_push(&k->work, node);
		break;
	}
	case NORN_NODE_NONE:
		break;
	}
}

/* The sources of a write's value. */
static void fix_value(struct norn_fixed_reads *k, uint32_t write)
{
	const struct norn_graph_event *e = norn_graph_event(k->graph, write);
	/* An external write leaves some of its word's bytes to earlier writers; it has these writers, as a read has. */
	if (e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL)
		fix(k, write);
	if (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
		fix_node(k, e->other);
}

/* Its thread stops before it: it is none of the part. Nobody sees what it wrote, so that is only a value to be compared with. */
static bool is_beyond(const struct norn_fixed_reads *k, uint32_t event)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	for (uint32_t i = 0; i < k->stop_count; i++)
		if (events[k->stops[i]].thread == events[event].thread)
			return event >= k->stops[i];
	return false;
}

static void work_off(struct norn_fixed_reads *k)
{
	while (k->work.count) {
		uint32_t item = k->work.items[--k->work.count], a, b;
		if (item >= NORN_GRAPH_LIST) {
			norn_graph_node(k->graph, item, &a, &b);
			fix_node(k, a);
			fix_node(k, b);
			continue;
		}
		assert(norn_fixed_reads_has(k, item));
		const uint32_t *writers;
		uint32_t count = norn_graph_list(k->graph, &norn_graph_event(k->graph, item)->link, &writers);
		for (uint32_t i = 0; i < count; i++)
			if (!is_beyond(k, writers[i]))
				fix_value(k, writers[i]);
	}
}

/* An event that properties speak of, with its value. */
static void fix_relevant(struct norn_fixed_reads *k, uint32_t event)
{
	switch (norn_graph_event(k->graph, event)->kind) {
	case NORN_EVENT_READ:
		fix(k, event);
		break;
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		fix_value(k, event);
		break;
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
	case NORN_EVENT_MARK:
		fix_before(k, event); /* the sources of arguments are not in the graph */
	}
}

/* It happens: the reads that control it see what they saw, or decide the same. */
static void fix_control(struct norn_fixed_reads *k, uint32_t event)
{
	uint32_t node = norn_graph_control(k->graph, event);
	if (node && !(node & NORN_GRAPH_LIST))
		fix_decider(k, node);
	else if (node)
		fix_node(k, node);
}

static bool is_unseen(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED);
}

uint32_t norn_fixed_reads_call(const struct norn_fixed_reads *k, uint32_t event)
{
	if (k->whole)
		return norn_fixed_reads_call(k->whole, event);
	uint32_t from = NORN_BISECT(0, k->calls.count, i, k->calls.items[i] <= event);
	return from ? k->calls.items[from - 1] : 0;
}

/* ---- other sources ---- */

#define WORDS_MAX 8u /* of an access whose other writers are looked for: values of longer ones are not known */

/* Words that fixed reads see, and events that were gone through. */
struct seen_words {
	struct norn_map words;
	uint64_t *done;
};

static bool is_short(const struct norn_graph_event *e)
{
	return e->size && (e->addr + e->size - 1) / 8 - e->addr / 8 < WORDS_MAX;
}

static bool sees_any(const struct seen_words *s, const struct norn_graph_event *e)
{
	for (uint64_t w = e->addr / 8; w <= (e->addr + e->size - 1) / 8; w++)
		if (norn_map_get(&s->words, w))
			return true;
	return false;
}

/* Goes through the events once. True: another read was fixed, or another word is seen. */
static bool fix_other_sources(struct norn_fixed_reads *k, struct seen_words *s)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	uint32_t words = s->words.count;
	bool more = false;
	for (uint32_t i = 1; i <= k->end; i++) {
		const struct norn_graph_event *e = &events[i];
		bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
		if (!access || !is_short(e))
			continue;
		if (e->kind != NORN_EVENT_WRITE && norn_fixed_reads_has(k, i))
			for (uint64_t w = e->addr / 8; w <= (e->addr + e->size - 1) / 8; w++)
				norn_must_map_put(&s->words, w);
		if (e->kind == NORN_EVENT_READ || s->done[i / 64] >> i % 64 & 1 || !sees_any(s, e))
			continue;
		s->done[i / 64] |= UINT64_C(1) << i % 64;
		fix_value(k, i);
		more |= k->work.count != 0;
		work_off(k);
	}
	return more || s->words.count != words;
}

/* A fixed read may see another known write (V2, V6): what is written where fixed reads look is followed as well. */
static void follow_writes(struct norn_fixed_reads *k)
{
	struct seen_words s = {.done = norn_must_calloc(k->end / 64 + 1ul, sizeof *s.done)};
	norn_map_init(&s.words, 1);
	while (fix_other_sources(k, &s))
		;
	norn_map_done(&s.words);
	free(s.done);
}

void norn_fixed_reads_init(struct norn_fixed_reads *k, const struct norn_graph *graph, const uint64_t *relevant, uint32_t count)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t total = norn_graph_count(graph), threads = norn_graph_threads(graph);
	*k = (struct norn_fixed_reads){.graph = graph,
	        .end = total,
	        .events = norn_must_calloc(total / 64 + 1ul, sizeof *k->events),
	        .nodes = norn_must_calloc(norn_graph_nodes(graph) / 64 + 1ul, sizeof *k->nodes),
	        .next = norn_must_calloc(threads + 1ul, sizeof *k->next)};
	for (uint32_t t = 0; t < threads; t++)
		k->next[t] = norn_graph_first(graph, t);
	for (uint32_t i = 1; i <= total; i++)
		fix_control(k, i);
	for (uint32_t i = 1; i <= total; i++)
		if (reads(&events[i]) && events[i].flags & NORN_GRAPH_DECIDES)
			fix(k, i);
		else if (is_unseen(&events[i]))
			norn_must_push(&k->calls, i);
	for (uint32_t i = 0; i < count; i++)
		if (relevant[i] && relevant[i] <= total)
			fix_relevant(k, (uint32_t)relevant[i]);
	work_off(k);
	follow_writes(k);
}

void norn_fixed_reads_init_whole(struct norn_fixed_reads *k, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	*k = (struct norn_fixed_reads){
	        .graph = graph, .nodes = norn_must_calloc(norn_graph_nodes(graph) / 64 + 1ul, sizeof *k->nodes)};
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++)
		if (is_unseen(&events[i]))
			norn_must_push(&k->calls, i);
}

static bool writes(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

/* An access by one thread alone. */
static bool is_quiet(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	const struct norn_rule *rule = norn_rule_of(graph, event);
	return (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE) && e->life == 0 &&
	       !(e->flags & (NORN_GRAPH_AFTER | NORN_GRAPH_ODD)) &&
	       (rule->needs & ~(unsigned)NORN_NEED_WRITERS) == NORN_NEED_LIFE && rule->guard == NORN_GUARD_NONE && rule->exact &&
	       !norn_rule_from_nowhere(graph, event) && (e->kind == NORN_EVENT_WRITE || norn_graph_placed_by(graph, 0, event) == 0);
}

static void find_shared(struct norn_fixed_reads *k)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	uint32_t total = norn_graph_count(k->graph);
	struct norn_byte_groups words;
	norn_byte_groups_init(&words);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= total; i++) {
			const struct norn_graph_event *e = &events[i];
			bool read = reads(e) || e->kind == NORN_EVENT_EXTERNAL;
			if (read || writes(e))
				(round == 0 ? norn_byte_groups_expect : norn_byte_groups_note)(
				        &words, e->addr, e->size, e->thread, read, writes(e));
		}
	k->shared = norn_must_calloc(total / 64 + 1ul, sizeof *k->shared);
	k->quiet = norn_must_calloc(total / 64 + 1ul, sizeof *k->quiet);
	for (uint32_t i = 1; i <= total; i++)
		if (!reads(&events[i]) && !writes(&events[i]))
			continue;
		else if (norn_byte_groups_matter(&words, events[i].addr, events[i].size))
			k->shared[i / 64] |= UINT64_C(1) << i % 64;
		else if (is_quiet(k->graph, i))
			k->quiet[i / 64] |= UINT64_C(1) << i % 64;
	norn_byte_groups_done(&words);
}

/* The first event of each thread in the part. */
static void find_first(struct norn_fixed_reads *k)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	for (uint32_t i = k->end; i > k->base; i--)
		k->next[events[i].thread] = i;
}

static bool is_up_to_stop(const struct norn_graph_event *events, uint32_t event, const uint32_t *stops, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[stops[i]].thread == events[event].thread)
			return event <= stops[i];
	return true;
}

static bool is_stop(uint32_t event, const uint32_t *stops, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (stops[i] == event)
			return true;
	return false;
}

void norn_fixed_reads_part(struct norn_fixed_reads *k, struct norn_fixed_reads *whole, uint32_t base, uint32_t end, uint32_t last,
        const uint32_t *stops, uint32_t stop_count, const uint32_t *freed, uint32_t freed_count)
{
	const struct norn_graph *graph = whole->graph;
	const struct norn_graph_event *events = norn_graph_events(graph);
	*k = (struct norn_fixed_reads){.graph = graph,
	        .whole = whole,
	        .base = base,
	        .end = end,
	        .stops = stops,
	        .stop_count = stop_count,
	        .freed = freed,
	        .freed_count = freed_count,
	        .events = norn_must_calloc((end - base) / 64 + 1ul, sizeof *k->events),
	        .kept = norn_must_calloc((end - base) / 64 + 1ul, sizeof *k->kept),
	        .nodes = whole->nodes,
	        .next = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *k->next)};
	whole->looked += end - base;
	if (!whole->shared && whole->looked >= norn_graph_count(graph))
		find_shared(whole);
	find_first(k);
	for (uint32_t i = base + 1; i <= last; i++) {
		if (!is_up_to_stop(events, i, stops, stop_count) || norn_fixed_reads_skips(k, i))
			continue;
		fix_control(k, i);
		if (reads(&events[i]) && events[i].flags & NORN_GRAPH_DECIDES && !is_stop(i, stops, stop_count) &&
		        !norn_fixed_reads_frees(k, i))
			fix_decider(k, i);
	}
	work_off(k);
}

void norn_fixed_reads_done(struct norn_fixed_reads *k)
{
	for (uint32_t i = 0; i < k->seen.count; i++)
		k->nodes[k->seen.items[i] / 64] = 0;
	if (!k->whole) {
		free(k->nodes);
		free(k->shared);
		free(k->quiet);
	}
	free(k->events);
	free(k->kept);
	norn_vector_done(&k->seen);
	free(k->next);
	norn_vector_done(&k->work);
	norn_vector_done(&k->calls);
	*k = (struct norn_fixed_reads){0};
}

/* Are all reads of the node fixed, by value or however? In doubt: no. */
static bool has_all(const struct norn_fixed_reads *k, uint32_t node, bool by_value)
{
	uint32_t stack[64] = {node}, depth = 1, a, b;
	for (unsigned seen = 0; depth; seen++) {
		if (seen == NODES_MAX)
			return false;
		switch (norn_graph_node(k->graph, stack[--depth], &a, &b)) {
		case NORN_NODE_READ:
			if (!norn_fixed_reads_has(k, a) || (by_value && norn_fixed_reads_keeps(k, a)))
				return false;
			break;
		case NORN_NODE_BEFORE: {
			uint32_t next = k->next[norn_graph_event(k->graph, a)->thread];
			if (next && next < a)
				return false;
			break;
		}
		case NORN_NODE_UNION:
			if (depth + 2 > sizeof stack / sizeof *stack)
				return false;
			stack[depth++] = a;
			stack[depth++] = b;
			break;
		default:
			break;
		}
	}
	return true;
}

bool norn_fixed_reads_knows(const struct norn_fixed_reads *k, uint32_t write)
{
	const struct norn_graph_event *e = norn_graph_event(k->graph, write);
	if ((e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW) ||
	        (e->kind == NORN_EVENT_RMW && !norn_fixed_reads_has(k, write) && !is_beyond(k, write)))
		return false;
	return is_beyond(k, write) || has_all(k, e->other, true);
}

bool norn_fixed_reads_certain(const struct norn_fixed_reads *k, uint32_t event)
{
	uint32_t node = norn_graph_control(k->graph, event);
	return node == 0 || has_all(k, node, false);
}
