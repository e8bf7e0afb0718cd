/* What matters of a schedule: the steps that are shown of it, and the lock regions that it moves. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/error_context.h"
#include "trace/record.h"

#define LOOKED_BACK 1000u /* events of a lock, at most, in search of a region that comes later now */

/* ---- the witness ---- */

struct selection {
	uint32_t numbers[NORN_DESCRIBE_STEPS * 2];
	uint32_t count;
};

static void select_step(struct selection *sel, uint32_t number)
{
	for (uint32_t i = 0; i < sel->count; i++)
		if (sel->numbers[i] == number)
			return;
	if (number && sel->count < NORN_DESCRIBE_STEPS)
		sel->numbers[sel->count++] = number;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Of the part that is as observed: the locks that are held in the end, and the last that each thread did. */
static void select_before(const struct norn_error_context *s, const struct norn_predicted *p, struct selection *sel)
{
	if (p->first <= p->schedule.base)
		select_step(sel, p->first);
	if (p->second <= p->schedule.base)
		select_step(sel, p->second);
	for (uint32_t i = 0; i < p->stop_count; i++) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, p->stops[i]);
		for (uint32_t held = e->held, rest; held; held = rest) {
			uint32_t acquire = norn_graph_held(s->graph, held, &rest);
			if (acquire <= p->schedule.base)
				select_step(sel, acquire);
		}
		const uint32_t *recent = norn_map_get(&s->recent, (uint64_t)p->schedule.base << 32 | e->thread);
		for (uint32_t k = 0; recent && k < NORN_RECENT_EVENTS; k++)
			select_step(sel, recent[k]);
	}
	qsort(sel->numbers, sel->count, sizeof *sel->numbers, by_number);
}

/* Does a step touch the bytes in question, or write what one that matters reads? */
static bool is_about(
        const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_map *read, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	if (access && p->size && e->addr < p->addr + p->size && p->addr < e->addr + e->size)
		return true;
	return number == p->first || number == p->second || norn_error_context_matters(s, number) || norn_map_get(read, number);
}

/* Notes the writers of what this step reads. */
static void note_writers(const struct norn_error_context *s, uint32_t number, struct norn_map *read)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	const uint32_t *writers;
	if (e->kind != NORN_EVENT_READ && e->kind != NORN_EVENT_RMW)
		return;
	uint32_t count = norn_graph_list(s->graph, &e->link, &writers);
	for (uint32_t i = 0; i < count; i++)
		norn_must_map_put(read, writers[i]);
}

/* Of the rest: the last that matter. */
static void select_after(const struct norn_error_context *s, const struct norn_predicted *p, struct selection *sel)
{
	uint32_t room = NORN_DESCRIBE_STEPS * 2 - sel->count, at = NORN_DESCRIBE_STEPS * 2;
	uint32_t before = sel->count;
	struct norn_map read;
	norn_map_init(&read, 1);
	for (uint32_t i = p->schedule.count; i > 0 && room > 0; i--) {
		uint32_t number = p->schedule.events[i - 1];
		if (!is_about(s, p, &read, number))
			continue;
		if (norn_error_context_matters(s, number))
			note_writers(s, number, &read);
		sel->numbers[--at] = number;
		room--;
	}
	norn_map_done(&read);
	sel->count = before + NORN_DESCRIBE_STEPS * 2 - at;
	memmove(&sel->numbers[before], &sel->numbers[at], (NORN_DESCRIBE_STEPS * 2 - at) * sizeof *sel->numbers);
}

/* Is what it read or wrote in the recorded run what it reads or writes in this schedule, too? */
static bool has_value(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	if (number <= p->schedule.base)
		return true;
	if (e->kind == NORN_EVENT_READ)
		return (e->flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) == NORN_GRAPH_DECIDES;
	return e->kind == NORN_EVENT_WRITE && e->other == 0; /* a constant */
}

void norn_error_context_witness(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	struct selection sel = {.count = 0};
	select_before(s, p, &sel);
	select_after(s, p, &sel);
	struct norn_step_text *steps = norn_must_arena_alloc(&s->findings->arena, (sel.count + p->stop_count) * sizeof *steps);
	for (uint32_t i = 0; i < sel.count; i++)
		norn_error_context_step(s, sel.numbers[i], has_value(s, p, sel.numbers[i]), &steps[i]);
	for (uint32_t i = 0; i < p->stop_count; i++)
		norn_error_context_step(s, p->stops[i], false, &steps[sel.count + i]);
	finding->witness = steps;
	finding->witness_count = sel.count + p->stop_count;
	finding->witness_cut = norn_graph_until(s->graph, p->schedule.base) + p->schedule.count - sel.count;
	finding->stop_count = p->stop_count;
}

/* ---- regions ---- */

/* Two regions of one lock that change places. */
struct swap {
	uint32_t first, second; /* acquires: first comes first now */
};

/* Where in the schedule an event is; 0: nowhere. */
static uint64_t place_of(const struct norn_predicted *p, const struct norn_map *places, uint32_t number)
{
	const uint32_t *place = norn_map_get(places, number);
	return number <= p->schedule.base ? number : place ? (uint64_t)p->schedule.base + *place : 0;
}

static bool same_code(const struct norn_graph *graph, struct swap a, struct swap b)
{
	return norn_graph_event(graph, a.first)->site == norn_graph_event(graph, b.first)->site &&
	       norn_graph_event(graph, a.second)->site == norn_graph_event(graph, b.second)->site;
}

static bool is_acquire(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
}

/* Regions of the same lock by other threads that began before this one when they were observed, and now do not. */
static void find_swaps(const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_map *places,
        uint32_t acquire, struct swap *swaps, uint32_t *count)
{
	const struct norn_graph_event *a = norn_graph_event(s->graph, acquire);
	uint32_t earlier = a->other;
	for (unsigned i = 0; earlier && i < LOOKED_BACK && *count < NORN_DESCRIBE_SWAPS; i++) {
		const struct norn_graph_event *b = norn_graph_event(s->graph, earlier);
		uint64_t place = place_of(p, places, earlier);
		bool later = place == 0 || place > place_of(p, places, acquire);
		if (is_acquire(b) && b->thread != a->thread && later && earlier > p->schedule.base) {
			struct swap swap = {acquire, earlier};
			uint32_t k = 0;
			while (k < *count && !same_code(s->graph, swaps[k], swap))
				k++;
			if (k == *count)
				swaps[(*count)++] = swap;
		}
		earlier = b->kind == NORN_EVENT_SYNC ? b->other : 0;
	}
}

static const char *swap_text(const struct norn_error_context *s, struct swap swap)
{
	struct norn_step_text first, second;
	norn_error_context_step(s, swap.first, false, &first);
	norn_error_context_step(s, swap.second, false, &second);
	return norn_findings_text(s->findings,
	        "the region of %s that %s enters at %s:%u now comes before that of %s at %s:%u; it was seen to come after it",
	        first.what, first.thread, basename(first.file), first.line, second.thread, basename(second.file), second.line);
}

void norn_error_context_swaps(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	struct swap swaps[NORN_DESCRIBE_SWAPS];
	uint32_t count = 0;
	struct norn_map places;
	norn_map_init(&places, sizeof(uint32_t));
	for (uint32_t i = 0; i < p->schedule.count; i++)
		*(uint32_t *)norn_must_map_put(&places, p->schedule.events[i]) = i + 1;
	for (uint32_t i = 0; i < p->schedule.count && count < NORN_DESCRIBE_SWAPS; i++)
		if (is_acquire(norn_graph_event(s->graph, p->schedule.events[i])))
			find_swaps(s, p, &places, p->schedule.events[i], swaps, &count);
	norn_map_done(&places);
	const char **texts = norn_must_arena_alloc(&s->findings->arena, count * sizeof *texts);
	for (uint32_t i = 0; i < count; i++)
		texts[i] = swap_text(s, swaps[i]);
	finding->swaps = texts;
	finding->swap_count = count;
}
