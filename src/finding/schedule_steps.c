/* The parts of a schedule that are shown: its steps, and the lock regions that it moves. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/sort.h"
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

/* Of the part that is as observed: the locks that are held in the end, and the last that each thread did. */
static void select_before(const struct norn_error_context *s, const struct norn_predicted *p, struct selection *sel)
{
	if (p->first <= p->schedule.base)
		select_step(sel, p->first);
	if (p->second <= p->schedule.base)
		select_step(sel, p->second);
	for (uint32_t i = 0; i < p->cycle.count; i++)
		if (p->cycle.events[i] <= p->schedule.base)
			select_step(sel, p->cycle.events[i]);
	select_step(sel, p->missing.store);
	select_step(sel, p->missing.load);
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
	norn_sort_numbers(sel->numbers, sel->count);
}

/* Objects of synchronisation that several threads use after the base, as recorded, or that are held in the end: object to
 * thread + 1, or SEVERAL. The others order nothing here. */
#define SEVERAL UINT32_MAX

static uint32_t last_event(const struct norn_predicted *p)
{
	uint32_t last = p->schedule.base;
	for (uint32_t i = 0; i < p->schedule.count; i++)
		last = p->schedule.events[i] > last ? p->schedule.events[i] : last;
	for (uint32_t i = 0; i < p->stop_count; i++)
		last = p->stops[i] > last ? p->stops[i] : last;
	return last;
}

static void find_objects(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_map *objects)
{
	uint32_t last = last_event(p);
	for (uint32_t i = p->schedule.base + 1; i <= last; i++) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, i);
		if (e->kind != NORN_EVENT_SYNC)
			continue;
		uint32_t *user = norn_must_map_put(objects, e->size);
		*user = *user == 0 || *user == e->thread + 1 ? e->thread + 1 : SEVERAL;
	}
	for (uint32_t i = 0; i < p->stop_count; i++)
		for (uint32_t held = norn_graph_event(s->graph, p->stops[i])->held, rest; held; held = rest) {
			uint32_t acquire = norn_graph_held(s->graph, held, &rest);
			*(uint32_t *)norn_must_map_put(objects, norn_graph_event(s->graph, acquire)->size) = SEVERAL;
		}
}

static bool orders_threads(const struct norn_graph_event *e, const struct norn_map *objects)
{
	const uint32_t *user = e->kind == NORN_EVENT_SYNC ? norn_map_get(objects, e->size) : NULL;
	return !user || *user == SEVERAL;
}

/* Does a step touch the bytes in question, or write what one that matters reads? */
static bool is_about(const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_map *read,
        const struct norn_map *objects, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	if (!orders_threads(e, objects))
		return false;
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	uint64_t addr = norn_graph_address(s->graph, e->addr);
	if (access && p->size && addr < p->addr + p->size && p->addr < addr + e->size)
		return true;
	for (uint32_t i = 0; i < p->cycle.count; i++)
		if (number == p->cycle.events[i])
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

/* Is it the same operation as the thread's next shown step, in an earlier round of a loop? */
static bool repeats(const struct norn_error_context *s, uint32_t number, uint32_t next)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number), *n = norn_graph_event(s->graph, next);
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	return next && access && e->thread == n->thread && e->kind == n->kind && e->site == n->site && e->site;
}

/* Of the remaining events: the last that are shown. */
static void select_after(const struct norn_error_context *s, const struct norn_predicted *p, struct selection *sel)
{
	uint32_t room = NORN_DESCRIBE_STEPS * 2 - sel->count, at = NORN_DESCRIBE_STEPS * 2;
	uint32_t before = sel->count;
	uint32_t shown = 0; /* the step that comes next among those shown */
	struct norn_map read, objects;
	norn_map_init(&read, 1);
	norn_map_init(&objects, sizeof(uint32_t));
	find_objects(s, p, &objects);
	for (uint32_t i = p->schedule.count; i > 0 && room > 0; i--) {
		uint32_t number = p->schedule.events[i - 1];
		if (!is_about(s, p, &read, &objects, number))
			continue;
		if (norn_error_context_matters(s, number))
			note_writers(s, number, &read);
		if (repeats(s, number, shown))
			continue;
		shown = number;
		sel->numbers[--at] = number;
		room--;
	}
	norn_map_done(&read);
	norn_map_done(&objects);
	sel->count = before + NORN_DESCRIBE_STEPS * 2 - at;
	memmove(&sel->numbers[before], &sel->numbers[at], (NORN_DESCRIBE_STEPS * 2 - at) * sizeof *sel->numbers);
}

/* Is what it read or wrote in the recorded run what it reads or writes in this schedule, too? */
static bool has_value(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	if (number <= p->schedule.base)
		return true;
	if (p->kind == NORN_PREDICTED_NULL && number == p->first)
		return false;
	if (p->kind == NORN_PREDICTED_ASSERTION && norn_graph_free_until(s->graph, number, p->assertion->event))
		return false;
	unsigned others = NORN_GRAPH_MASKED | NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE; /* decides the same by other values, too */
	if (e->kind == NORN_EVENT_READ)
		return (e->flags & (NORN_GRAPH_DECIDES | others)) == NORN_GRAPH_DECIDES && !norn_graph_is_late(s->graph, number);
	return e->kind == NORN_EVENT_WRITE && e->other == 0; /* a constant */
}

/* The value that a read of the assertion sees in this schedule; "": it is none of these. */
static const char *asserted_value(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t number)
{
	const struct norn_graph_assertion *a = p->kind == NORN_PREDICTED_ASSERTION ? p->assertion : NULL;
	for (uint32_t i = 0; a && i < a->count; i++)
		if (a->reads[i] == number)
			return norn_error_context_value(s, number, p->values[i]);
	return "";
}

/* What comes next when the schedule has run; an assertion that fails, if not by the read that comes next. */
static struct norn_step_text stop_step(
        const struct norn_error_context *s, const struct norn_predicted *p, uint32_t i, const struct norn_finding *finding)
{
	struct norn_step_text step;
	bool asserted = p->kind == NORN_PREDICTED_ASSERTION;
	uint32_t before = p->kind == NORN_PREDICTED_NULL ? 0 : finding->where_count - p->stop_count; /* places that are no stops */
	if (asserted && p->stops[i] != p->assertion->event)
		return finding->where[0];
	norn_error_context_step(s, norn_error_context_stop(s, p, i), false, &step);
	if (asserted)
		step.after = asserted_value(s, p, p->stops[i]);
	else
		step.what = finding->where[before + i].what;
	return step;
}

void norn_error_context_witness(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	struct selection sel = {.count = 0};
	select_before(s, p, &sel);
	select_after(s, p, &sel);
	struct norn_step_text *steps = norn_must_arena_alloc(&s->findings->arena, (sel.count + p->stop_count) * sizeof *steps);
	for (uint32_t i = 0; i < sel.count; i++) {
		norn_error_context_step(s, sel.numbers[i], has_value(s, p, sel.numbers[i]), &steps[i]);
		const char *asserted = asserted_value(s, p, sel.numbers[i]);
		if (p->kind == NORN_PREDICTED_NULL && sel.numbers[i] == p->first)
			steps[i].after = "0x0";
		if (*asserted)
			steps[i].after = asserted;
	}
	for (uint32_t i = 0; i < p->stop_count; i++)
		steps[sel.count + i] = stop_step(s, p, i, finding);
	finding->witness = steps;
	finding->witness_count = sel.count + p->stop_count;
	finding->witness_cut = norn_graph_until(s->graph, p->schedule.base) + p->schedule.count - sel.count;
	finding->stop_count = p->stop_count;
	norn_error_context_step_order(s, p, sel.numbers, sel.count, finding);
}

/* ---- regions ---- */

/* Two regions of one lock that change places. */
struct swap {
	uint32_t first, second; /* acquires: first comes first now */
};

/* The place of an acquire in the schedule; 0: none. */
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
		if (norn_graph_is_acquire(b) && b->thread != a->thread && later && earlier > p->schedule.base) {
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
		if (norn_graph_is_acquire(norn_graph_event(s->graph, p->schedule.events[i])))
			*(uint32_t *)norn_must_map_put(&places, p->schedule.events[i]) = i + 1;
	for (uint32_t i = 0; i < p->schedule.count && count < NORN_DESCRIBE_SWAPS; i++)
		if (norn_graph_is_acquire(norn_graph_event(s->graph, p->schedule.events[i])))
			find_swaps(s, p, &places, p->schedule.events[i], swaps, &count);
	norn_map_done(&places);
	const char **texts = norn_must_arena_alloc(&s->findings->arena, count * sizeof *texts);
	finding->swaps = texts;
	finding->swap_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *text = swap_text(s, swaps[i]);
		uint32_t k = 0;
		while (k < finding->swap_count && strcmp(texts[k], text) != 0)
			k++; /* several regions may begin in one line */
		if (k == finding->swap_count)
			texts[finding->swap_count++] = text;
	}
}

/* ---- the observed order ---- */

static const char *operation_text(const struct norn_step_text *step)
{
	if (strcmp(step->event, "read") == 0 || strcmp(step->event, "free") == 0)
		return *step->event == 'r' ? "read" : "freed";
	if (strcmp(step->event, "unmap") == 0 || strcmp(step->event, "leave") == 0 || strcmp(step->event, "end") == 0)
		return *step->event == 'u' ? "unmapped" : "left";
	return strcmp(step->event, "write") == 0 || strcmp(step->event, "rmw") == 0 ? "wrote" : "used";
}

/* The last event before which the thread of this one was another in the recorded run; 0: there is none. */
static uint32_t changed_place(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t event)
{
	uint32_t thread = norn_graph_event(s->graph, event)->thread, found = 0, before = 0;
	for (uint32_t i = norn_graph_first(s->graph, thread); i && i <= event; i = norn_graph_event(s->graph, i)->next) {
		found = before && p->by[before] != p->by[i] ? i : found;
		before = i;
	}
	return found;
}

/* Which thread did in the recorded run what another one does here. */
static void interchanged(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	for (uint32_t k = 0; k < p->stop_count; k++) {
		uint32_t place = changed_place(s, p, p->stops[k]);
		struct norn_step_text at, stop;
		if (!place)
			continue;
		norn_error_context_step(s, place, false, &at);
		norn_error_context_step(s, p->stops[k], false, &stop);
		const char *other = norn_error_context_thread(s, p->by[p->stops[k]]);
		finding->order = norn_findings_text(s->findings,
		        "recorded: %s did what %s does here from %s:%u (%s) on; there both are in the same state, so either may go "
		        "on",
		        other, stop.thread, at.file, at.line, at.function);
		return;
	}
}

void norn_error_context_order(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	bool pair = p->stop_count == 2 && p->kind != NORN_PREDICTED_DEADLOCK && p->kind != NORN_PREDICTED_ATOMICITY;
	if (p->by)
		interchanged(s, p, finding);
	if (!pair || p->observed || p->by)
		return;
	uint32_t first = p->stops[0] < p->stops[1] ? 0 : 1;
	struct norn_step_text a, b;
	norn_error_context_step(s, p->stops[first], false, &a);
	norn_error_context_step(s, p->stops[!first], false, &b);
	finding->order = norn_findings_text(s->findings,
	        "recorded: %s %s it first, %s %s it %u events later; nothing makes %s wait until %s has done so", a.thread,
	        operation_text(&a), b.thread, operation_text(&b), p->stops[!first] - p->stops[first], b.thread, a.thread);
}
