#include "errors/mvc/memory_order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "causality/happens_before.h"
#include "causality/sync_rules.h"
#include "errors/conflict.h"
#include "errors/builtin_search.h"
#include "errors/judged_places.h"
#include "sliced/word_table.h"
#include "trace/record.h"
#include "trace/site.h"

#define LOOK_BACK 64u /* accesses of a word that later ones are compared with */
#define STEPS UINT64_C(1000000) /* events that are gone through for pairs, beyond four times those of the run */

/* ---- what comes after one event ---- */

/* Two orders are followed from that event on: happens-before, and what it would be if all atomics were sequentially consistent. */
enum order { C11 = 1, STRONG = 2 };

struct after {
	uint8_t orders; /* a bit for each that has come here */
	struct norn_missing_order missing; /* the place at which STRONG went on without C11 */
};

struct ordered_thread {
	struct after knows;
	bool fenced, seen; /* C11: its clock at its last release fence; the clocks that its reads have seen */
};

struct ordered_object {
	struct after all, shared;
	uint32_t arrival[2]; /* a barrier: the first arrival that was after, by C11 and by STRONG; 0: none */
};

/* A release sequence, of the word's bytes. */
struct sequence_head {
	uint32_t thread, next; /* 1 + index of the word's next one */
	uint32_t store;
	uint8_t extent; /* bytes that were stored */
	uint8_t bytes[STRONG]; /* of these, that belong to it yet, of each order: [order - 1] */
	struct after from;
};

struct order_walk {
	const struct norn_graph *graph;
	struct ordered_thread *threads;
	struct norn_map objects; /* address → struct ordered_object */
	struct norn_map words; /* address / 8 → 1 + index of its first head */
	struct norn_map freed; /* free → struct after: it synchronises with the allocation that gets its memory (C17 7.22.3) */
	struct norn_map unseen; /* words that code without hooks has written: it may have released */
	NORN_VECTOR(struct sequence_head) heads;
};

static void learn(struct after *to, const struct after *from, unsigned orders)
{
	orders &= from->orders;
	if (orders & STRONG && !(to->orders & STRONG))
		to->missing = from->missing;
	to->orders |= (uint8_t)orders;
}

static void learn_all(struct after *to)
{
	to->orders = C11 | STRONG;
}

/* ---- synchronisation ---- */

static void at_barrier(struct ordered_thread *t, struct ordered_object *o, const struct norn_graph_event *e, uint32_t number)
{
	if (e->op != NORN_SYNC_BARRIER_LEAVE) {
		for (unsigned order = C11; order <= STRONG; order++)
			if (t->knows.orders & order && !o->arrival[order - 1])
				o->arrival[order - 1] = number;
		learn(&o->all, &t->knows, C11 | STRONG);
		return;
	}
	/* Not after those that came early for the next round (C4). */
	for (unsigned order = C11; order <= STRONG; order++) {
		uint32_t arrival = o->arrival[order - 1];
		if (arrival && (!(e->flags & NORN_GRAPH_COUNTED) || arrival <= e->link))
			learn(&t->knows, &o->all, order);
	}
}

static void synchronise(struct order_walk *w, const struct norn_graph_event *e, uint64_t where, uint32_t number)
{
	enum norn_sync_rule rule = norn_rule_sync(e->kind, e->op, e->value);
	if (rule == NORN_SYNC_RULE_NONE)
		return;
	struct ordered_thread *t = w->threads + e->thread;
	struct ordered_object *o = norn_must_map_put(&w->objects, where);
	switch (rule) {
	case NORN_SYNC_RULE_ACQUIRE:
		learn(&t->knows, &o->shared, C11 | STRONG);
		/* fall through */
	case NORN_SYNC_RULE_ACQUIRE_SHARED:
		learn(&t->knows, &o->all, C11 | STRONG);
		break;
	case NORN_SYNC_RULE_RELEASE:
	case NORN_SYNC_RULE_PUBLISH:
		learn(&o->all, &t->knows, C11 | STRONG);
		break;
	case NORN_SYNC_RULE_RELEASE_SHARED:
		learn(&o->shared, &t->knows, C11 | STRONG);
		break;
	default:
		at_barrier(t, o, e, number);
	}
}

static void thread_event(struct order_walk *w, const struct norn_graph_event *e, uint32_t number)
{
	struct ordered_thread *t = w->threads + e->thread;
	uint32_t other = e->value < norn_graph_threads(w->graph) ? (uint32_t)e->value : e->thread;
	unsigned rule;
	switch (e->op) {
	case NORN_THREAD_FORK:
		learn(&w->threads[other].knows, &t->knows, C11 | STRONG);
		break;
	case NORN_THREAD_JOIN:
		learn(&t->knows, &w->threads[other].knows, C11 | STRONG);
		break;
	case NORN_THREAD_FENCE:
		rule = norn_rule_order(NORN_EVENT_THREAD, (enum norn_site_order)norn_graph_order(w->graph, number));
		if (rule & NORN_ORDER_RULE_ACQUIRES && t->seen)
			t->knows.orders |= C11;
		if (rule & NORN_ORDER_RULE_RELEASES)
			t->fenced = t->knows.orders & C11;
		break;
	case NORN_THREAD_CALL:
	case NORN_THREAD_BACK:
		if (norn_rule_sync(e->kind, e->op, e->value) == NORN_SYNC_RULE_AFTER_ALL)
			learn_all(&t->knows);
		else
			synchronise(w, e, NORN_JOBS_OBJECT, number);
		break;
	case NORN_THREAD_BEGIN:
		if (e->link || !e->thread)
			break;
		/* fall through */
	case NORN_THREAD_EXIT:
	case NORN_THREAD_SIGNAL:
		learn_all(&t->knows); /* C5 */
		break;
	default:
		break;
	}
}

/* ---- atomics ---- */

static uint8_t bytes_of(const struct norn_graph_event *e, uint64_t word)
{
	uint64_t end = e->addr + e->size;
	unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
	return (uint8_t)((0xffu << first) & (end - word < 8 ? (1u << (end - word)) - 1 : 0xffu));
}

/* A read that acquires is after the heads of the sequences that it reads from; another one when a fence comes. Where STRONG goes on
 * without C11 for the first time, one of both orders is missing. */
static void read_head(struct ordered_thread *t, const struct sequence_head *h, uint8_t bytes, bool acquires, uint32_t number)
{
	bool released = h->bytes[C11 - 1] & bytes;
	if (h->bytes[STRONG - 1] & bytes && !(t->knows.orders & STRONG)) {
		t->knows.orders |= STRONG;
		t->knows.missing = h->from.orders & C11 ? (struct norn_missing_order){h->store, number, !released, !acquires}
		                                        : h->from.missing;
	}
	if (released && acquires)
		t->knows.orders |= C11;
	else if (released)
		t->seen = true;
}

static void write_heads(struct order_walk *w, const struct norn_graph_event *e, uint32_t *first, uint8_t bytes, uint32_t number)
{
	struct ordered_thread *t = w->threads + e->thread;
	unsigned rule = norn_rule_order(e->kind, (enum norn_site_order)norn_graph_order(w->graph, number));
	bool releases = rule & NORN_ORDER_RULE_RELEASES && t->knows.orders & C11, strong = t->knows.orders & STRONG;
	struct sequence_head *own = NULL;
	for (uint32_t i = *first; i; i = w->heads.items[i - 1].next) {
		struct sequence_head *h = &w->heads.items[i - 1];
		if (h->thread == e->thread && h->extent == bytes)
			own = h;
		for (unsigned k = 0; k < STRONG && e->kind == NORN_EVENT_WRITE && h->thread != e->thread; k++)
			h->bytes[k] &= (uint8_t)~bytes;
	}
	if (!strong && !t->fenced)
		return;
	if (!own) {
		norn_must_push(&w->heads, ((struct sequence_head){.thread = e->thread, .extent = bytes, .next = *first}));
		*first = w->heads.count;
		own = &w->heads.items[w->heads.count - 1];
	}
	own->store = number;
	own->from = t->knows;
	own->bytes[STRONG - 1] |= bytes;
	if (releases || t->fenced)
		own->bytes[C11 - 1] |= bytes;
}

static void atomic_event(struct order_walk *w, uint32_t number, bool writes)
{
	const struct norn_graph_event *e = norn_graph_event(w->graph, number);
	unsigned rule = norn_rule_order(e->kind, (enum norn_site_order)norn_graph_order(w->graph, number));
	for (uint64_t word = e->addr & ~UINT64_C(7); e->kind != NORN_EVENT_WRITE && word < e->addr + e->size; word += 8) {
		const uint32_t *first = norn_map_get(&w->words, word / 8);
		if (norn_map_get(&w->unseen, word / 8))
			learn_all(&w->threads[e->thread].knows);
		for (uint32_t i = first ? *first : 0; i; i = w->heads.items[i - 1].next)
			read_head(w->threads + e->thread, &w->heads.items[i - 1], bytes_of(e, word),
			        rule & NORN_ORDER_RULE_ACQUIRES, number);
	}
	for (uint64_t word = e->addr & ~UINT64_C(7); writes && word < e->addr + e->size; word += 8)
		write_heads(w, e, norn_must_map_put(&w->words, word / 8), bytes_of(e, word), number);
}

/* ---- memory ---- */

static void free_event(struct order_walk *w, uint32_t number)
{
	const struct after *knows = &w->threads[norn_graph_event(w->graph, number)->thread].knows;
	if (knows->orders)
		*(struct after *)norn_must_map_put(&w->freed, number) = *knows;
}

static void alloc_event(struct order_walk *w, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(w->graph, number);
	const uint32_t *before;
	uint32_t count = norn_graph_list(w->graph, &e->link, &before);
	for (uint32_t i = 0; i < count; i++) {
		const struct after *freed = norn_map_get(&w->freed, before[i]);
		if (freed)
			learn(&w->threads[e->thread].knows, freed, C11 | STRONG);
	}
}

/* ---- the walk ---- */

static void step(struct order_walk *w, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(w->graph, number);
	struct ordered_thread *t = w->threads + e->thread;
	bool begins = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN;
	bool from_nowhere = number == norn_graph_first(w->graph, e->thread) && e->thread && !begins;
	if (from_nowhere || e->flags & NORN_GRAPH_AFTER)
		learn_all(&t->knows); /* C5, X10 */
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		if (e->flags & NORN_GRAPH_ATOMIC)
			atomic_event(w, number, e->kind != NORN_EVENT_READ);
		break;
	case NORN_EVENT_SYNC:
		synchronise(w, e, e->addr, number);
		break;
	case NORN_EVENT_THREAD:
		thread_event(w, e, number);
		break;
	case NORN_EVENT_FREE:
		free_event(w, number);
		break;
	case NORN_EVENT_ALLOC:
		alloc_event(w, number);
		break;
	case NORN_EVENT_EXTERNAL:
		if (e->flags & NORN_GRAPH_ORDERED) /* errno: by the thread itself */
			break;
		learn_all(&t->knows);
		norn_must_map_put(&w->unseen, e->addr / 8);
		break;
	default:
		break;
	}
}

static bool is_library(const struct norn_graph *graph, uint32_t event)
{
	struct norn_graph_site site;
	norn_graph_site(graph, norn_graph_event(graph, event)->site, &site);
	return site.library;
}

bool norn_memory_order_missing(
        const struct norn_graph *graph, uint32_t first, uint32_t second, struct norn_missing_order *ret_missing)
{
	if (is_library(graph, first) || is_library(graph, second))
		return false;
	struct order_walk w = {.graph = graph, .threads = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *w.threads)};
	const struct norn_graph_event *e = norn_graph_event(graph, second);
	struct after *knows = &w.threads[e->thread].knows;
	norn_map_init(&w.objects, sizeof(struct ordered_object));
	norn_map_init(&w.words, sizeof(uint32_t));
	norn_map_init(&w.unseen, 1);
	norn_map_init(&w.freed, sizeof(struct after));
	learn_all(&w.threads[norn_graph_event(graph, first)->thread].knows);
	if (norn_graph_event(graph, first)->flags & NORN_GRAPH_ATOMIC)
		atomic_event(&w, first, norn_graph_event(graph, first)->kind != NORN_EVENT_READ);
	for (uint32_t i = first + 1; i < second && !(knows->orders & C11); i++)
		step(&w, i);
	if (e->flags & NORN_GRAPH_ATOMIC && !(knows->orders & C11))
		atomic_event(&w, second, false);
	bool missing = knows->orders == STRONG && !(e->flags & NORN_GRAPH_AFTER);
	if (missing)
		*ret_missing = knows->missing;
	free(w.threads);
	norn_map_done(&w.objects);
	norn_map_done(&w.words);
	norn_map_done(&w.unseen);
	norn_map_done(&w.freed);
	norn_vector_done(&w.heads);
	return missing;
}

void norn_memory_order_add(const struct norn_graph *graph, uint32_t first, uint32_t second,
        const struct norn_missing_order *missing, struct norn_predictions *predictions)
{
	struct norn_predicted p = {.kind = NORN_PREDICTED_RACE,
	        .observed = true,
	        .first = first,
	        .stop_count = 1,
	        .pairs = 1,
	        .missing = *missing,
	        .schedule = {.base = second - 1}};
	p.stops = norn_must_arena_copy(&predictions->arena, &second, 1, sizeof second);
	norn_conflict_bytes(graph, first, second, &p.addr, &p.size);
	p.addr = norn_graph_address(graph, p.addr);
	norn_must_grow(&predictions->list, predictions->count + UINT64_C(1), &predictions->room, sizeof *predictions->list);
	predictions->list[predictions->count++] = p;
}

/* ---- all of a run ---- */

/* An access that later ones are compared with: the latest of its thread and site. */
struct use {
	uint32_t event, next; /* 1 + index of the next one of its word */
};

struct memory_order_search {
	const struct norn_graph *graph;
	const struct norn_named_memory *only; /* NULL: all memory */
	struct norn_predictions *predictions;
	struct norn_hb *hb, *strong; /* strong: as if all atomics were sequentially consistent */
	struct norn_word_table words; /* 1 + index of the first use; 0: none */
	NORN_VECTOR(struct use) uses;
	uint32_t spare; /* 1 + index of the first that is not in a list */
	uint32_t event; /* at hand */
	struct norn_map found; /* pairs of code positions */
	struct norn_judged_places *judged;
	uint64_t steps;
};

static uint64_t places_of(const struct norn_graph *graph, uint32_t first, uint32_t second)
{
	uint32_t a = norn_graph_place(graph, norn_graph_event(graph, first)->site);
	uint32_t b = norn_graph_place(graph, norn_graph_event(graph, second)->site);
	return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/* Notes that a meeting of this pair was not compared. second 0: meetings of the first with all later events. */
static void judge_limit(struct memory_order_search *s, uint32_t first, uint32_t second, enum norn_builtin_limit limit)
{
	if (s->judged && !norn_graph_frees(norn_graph_event(s->graph, second)))
		norn_judged_places_get(s->judged, s->graph, first, second)->limits |= (uint16_t)(1u << limit);
}

static void look_at(struct memory_order_search *s, uint32_t first, uint32_t second)
{
	struct norn_missing_order missing;
	uint64_t places = places_of(s->graph, first, second);
	if (s->only && !norn_named_memory_shared(s->only, norn_graph_event(s->graph, first), norn_graph_event(s->graph, second)))
		return;
	if (first <= norn_graph_carried(s->graph) || norn_map_get(&s->found, places))
		return;
	if (s->steps < second - first) {
		s->predictions->stats.limits[NORN_LIMIT_MEETINGS]++;
		judge_limit(s, first, second, NORN_LIMIT_MEETINGS);
		return;
	}
	s->steps -= second - first;
	if (!norn_memory_order_missing(s->graph, first, second, &missing))
		return;
	norn_must_map_put(&s->found, places);
	norn_memory_order_add(s->graph, first, second, &missing, s->predictions);
}

/* Do they conflict, and do only memory orders leave them unordered? second: the event at hand, which may be a free. */
static bool is_pair(const struct memory_order_search *s, uint32_t first, uint32_t second)
{
	const struct norn_graph_event *a = norn_graph_event(s->graph, first), *b = norn_graph_event(s->graph, second);
	bool writes = a->kind != NORN_EVENT_READ || b->kind != NORN_EVENT_READ; /* as recorded: compare-and-swaps, too */
	return a->thread != b->thread && writes && !(a->flags & b->flags & NORN_GRAPH_ATOMIC) && a->life == b->life &&
	       a->addr < b->addr + b->size && b->addr < a->addr + a->size && !norn_hb_before(s->hb, a->thread, first, b->thread) &&
	       norn_hb_before(s->strong, a->thread, first, b->thread);
}

static uint32_t new_use(struct memory_order_search *s)
{
	uint32_t use = s->spare;
	if (use) {
		s->spare = s->uses.items[use - 1].next;
		return use;
	}
	norn_must_push(&s->uses, ((struct use){0}));
	return s->uses.count;
}

/* The access is compared with those of the word's list, and becomes part of it. Of many the oldest is forgotten. */
static void meet(struct memory_order_search *s, uint32_t *list, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	uint32_t count = 0, oldest = *list, own = 0;
	for (uint32_t i = *list; i; i = s->uses.items[i - 1].next, count++) {
		uint32_t use = s->uses.items[i - 1].event;
		const struct norn_graph_event *other = norn_graph_event(s->graph, use);
		if (is_pair(s, use, number))
			look_at(s, use, number);
		if (other->thread == e->thread && other->site == e->site && other->kind == e->kind)
			own = i;
		if (use < s->uses.items[oldest - 1].event)
			oldest = i;
	}
	if (!own && count >= LOOK_BACK) {
		s->predictions->stats.limits[NORN_LIMIT_ACCESSES]++;
		judge_limit(s, s->uses.items[oldest - 1].event, 0, NORN_LIMIT_ACCESSES);
		own = oldest;
	} else if (!own) {
		own = new_use(s);
		s->uses.items[own - 1].next = *list;
		*list = own;
	}
	s->uses.items[own - 1].event = number;
}

static void meet_access(struct memory_order_search *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size; word += 8)
		if (!norn_graph_object(s->graph, word))
			meet(s, norn_word_table_get(&s->words, word), number);
}

/* The memory of the word begins or ends: looks for its uses. */
static void forget(void *context, uint64_t addr, uint32_t *list)
{
	struct memory_order_search *s = context;
	(void)addr;
	while (*list) {
		uint32_t i = *list;
		struct use *use = &s->uses.items[i - 1];
		if (norn_graph_event(s->graph, s->event)->kind == NORN_EVENT_FREE && is_pair(s, use->event, s->event))
			look_at(s, use->event, s->event);
		*list = use->next;
		use->next = s->spare;
		s->spare = i;
	}
}

/* The trace's event, as far as happens-before reads it. */
static struct norn_event event_of(const struct norn_graph_event *e)
{
	return (struct norn_event){.kind = e->kind,
	        .op = e->op,
	        .thread = e->thread,
	        .site = e->site,
	        .addr = e->addr,
	        .size = e->size,
	        .value = e->value,
	        .argument = e->value};
}

static void happen(struct memory_order_search *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	const struct norn_event event = event_of(e);
	enum norn_site_order order = (enum norn_site_order)norn_graph_order(s->graph, number);
	int r = 0;
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FENCE)
		r = norn_hb_fence(s->hb, e->thread, order, number);
	else if (norn_graph_is_access(e) && e->flags & NORN_GRAPH_ATOMIC)
		r = norn_hb_atomic(s->hb, &event, order, number) | norn_hb_atomic(s->strong, &event, NORN_ORDER_SEQ_CST, number);
	else if (e->kind == NORN_EVENT_SYNC || e->kind == NORN_EVENT_THREAD)
		r = norn_hb_event(s->hb, &event, number) | norn_hb_event(s->strong, &event, number);
	assert(r == 0); /* there are no more threads than slots */
	(void)r;
}

static void visit(struct memory_order_search *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	/* An access that acquires comes after those whose release it reads: then it is compared. */
	bool reads = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
	if (reads)
		happen(s, number);
	s->event = number;
	if (norn_graph_is_access(e))
		meet_access(s, number);
	else if (e->kind == NORN_EVENT_ALLOC || (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE)))
		norn_word_table_visit(&s->words, e->addr, e->size, forget, s);
	if (!reads)
		happen(s, number);
}

void norn_memory_order_find(const struct norn_graph *graph, struct norn_judged_places *judged, const struct norn_named_memory *only,
        struct norn_predictions *predictions)
{
	struct memory_order_search s = {.graph = graph,
	        .predictions = predictions,
	        .judged = judged,
	        .only = only,
	        .steps = norn_graph_count(graph) * UINT64_C(4) + STEPS};
	if (!norn_graph_weak(graph))
		return;
	norn_map_init(&s.found, 1);
	norn_word_table_init(&s.words);
	s.hb = norn_hb_new();
	s.strong = norn_hb_new();
	for (uint32_t i = 0; i < predictions->count; i++) {
		const struct norn_predicted *p = &predictions->list[i];
		bool pair = p->kind == NORN_PREDICTED_RACE || p->kind == NORN_PREDICTED_USE_AFTER_FREE;
		if (pair && p->stop_count == 2 && !p->assumed_count)
			norn_must_map_put(&s.found, places_of(graph, p->stops[0], p->stops[1]));
	}
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++)
		visit(&s, i);
	norn_hb_free(s.hb);
	norn_hb_free(s.strong);
	norn_map_done(&s.found);
	norn_word_table_done(&s.words);
	norn_vector_done(&s.uses);
}
