/* The error at the end of a claimed run: a race, a deadlock, a use after free, a second free, an atomicity violation. */
#include "witness/deadlock_witness.h"
#include "witness/order_witness.h"
#include "witness/sliced_witness_state.h"

#include <errno.h>
#include <string.h>

#include "trace/record.h"
#include "trace/site.h"

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

/* Would it write now? A compare-and-swap does so only if it reads what it read. */
static bool would_write(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	return e->kind == NORN_EVENT_WRITE ||
	       (e->kind == NORN_EVENT_RMW && (!norn_sliced_compares(c, e) || norn_replay_state_right(s, number)));
}

static bool overlap(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* Does a stop touch what it has in common with this event? If it reads up to a place that what it reads decides (R24), then only if
 * the bytes before are those that were read; so are those of the text that it goes through next, which may be of the same call. */
static bool reaches(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t stop, uint32_t other)
{
	const struct norn_graph_event *e = event_of(c, stop), *o = event_of(c, other), *f;
	if (e->kind != NORN_EVENT_READ || e->op != NORN_RANGE_SCAN || o->addr <= e->addr)
		return true;
	uint64_t end = e->addr + e->size;
	unsigned texts = 1;
	for (uint32_t i = e->next; i && texts < 3; i = f->next) {
		f = event_of(c, i);
		if (f->kind == NORN_EVENT_EXTERNAL)
			continue;
		if (f->kind != NORN_EVENT_READ || f->op != NORN_RANGE_SCAN)
			break;
		texts += f->addr != end;
		end = f->addr + f->size;
		if (texts == 2 && !norn_replay_state_right(s, i))
			return false;
	}
	return norn_replay_state_right_before(s, stop, o->addr);
}

int norn_sliced_check_stops(const struct norn_sliced_checker *c, struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++) {
		uint32_t stop = claim->stops[i];
		if (stop == 0 || stop > norn_graph_count(c->graph))
			NO("event %u does not exist", stop);
		const struct norn_graph_event *e = event_of(c, stop);
		if (s->next[e->thread] != stop)
			NO("event %u is not where its thread stands, which is before %u", stop, s->next[e->thread]);
		int r = norn_sliced_check_certain(s, stop, err);
		if (r < 0)
			return r;
		for (uint32_t j = 0; j < i; j++)
			if (event_of(c, claim->stops[j])->thread == e->thread)
				NO("events %u and %u are of one thread", claim->stops[j], stop);
		if (stop == norn_graph_first(c->graph, e->thread) && e->thread && !norn_replay_state_all_before(s, stop))
			NO("event %u comes from a thread whose beginning is unknown", stop);
		if (e->flags & NORN_GRAPH_AFTER && !norn_replay_state_all_before(s, stop) && !norn_sliced_returns_harmless(c, stop))
			NO("event %u comes after code that may have waited for anything", stop);
	}
	return 0;
}

/* A race of events that come one after the other, and that nothing orders (S20). */
static int check_unordered(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	uint32_t first = claim->first, last = claim->stops[0];
	if (!first || first > norn_graph_count(c->graph) || first <= norn_graph_carried(c->graph) || !happened(s, first))
		NO("event %u has not happened", first);
	const struct norn_graph_event *a = event_of(c, first), *b = event_of(c, last);
	bool frees = b->kind == NORN_EVENT_FREE;
	if (!is_access(a) || !(is_access(b) || frees) || !overlap(a, b) || a->thread == b->thread || a->life != b->life)
		NO("events %u and %u do not access the same memory", first, last);
	if (a->kind == NORN_EVENT_READ && !frees && !would_write(c, s, last))
		NO("neither %u nor %u writes", first, last);
	if (a->flags & b->flags & NORN_GRAPH_ATOMIC)
		NO("events %u and %u are both atomic", first, last);
	if (!reaches(c, s, last, first))
		NO("event %u may read less", last);
	uint32_t missed = norn_order_witness_misses(c->graph, claim->base, claim->events, claim->count, last);
	if (missed || s->loose)
		NO("event %u may order others, and is not in the sequence", missed);
	if (norn_order_witness(c->graph, claim->base, claim->events, claim->count, first, last))
		NO("event %u happens before %u", first, last);
	return norn_sliced_check_life(c, s, last, err);
}

static int check_race(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	if (claim->stop_count == 1)
		return check_unordered(c, s, claim, err);
	const struct norn_graph_event *a = event_of(c, claim->stops[0]), *b = event_of(c, claim->stops[1]);
	if (!is_access(a) || !is_access(b) || !overlap(a, b))
		NO("events %u and %u do not access the same memory", claim->stops[0], claim->stops[1]);
	if (!would_write(c, s, claim->stops[0]) && !would_write(c, s, claim->stops[1]))
		NO("neither %u nor %u writes", claim->stops[0], claim->stops[1]);
	if (a->flags & b->flags & NORN_GRAPH_ATOMIC)
		NO("events %u and %u are both atomic", claim->stops[0], claim->stops[1]);
	if (a->life != b->life)
		NO("events %u and %u access different lives of the memory", claim->stops[0], claim->stops[1]);
	if (!reaches(c, s, claim->stops[0], claim->stops[1]) || !reaches(c, s, claim->stops[1], claim->stops[0]))
		NO("event %u or %u may read less", claim->stops[0], claim->stops[1]);
	int r = norn_sliced_check_life(c, s, claim->stops[0], err);
	return r < 0 ? r : norn_sliced_check_life(c, s, claim->stops[1], err);
}

static int check_deadlock(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++) {
		int r = event_of(c, claim->stops[i])->kind == NORN_EVENT_SYNC ? norn_sliced_check_life(c, s, claim->stops[i], err)
		                                                              : 0;
		if (r < 0)
			return r;
	}
	return norn_deadlock_check(c->graph, s, claim->stops, claim->stop_count, err);
}

/* Does this event allocate, where it was recorded, memory that the other one frees? Nothing is claimed to lie elsewhere when what
 * was there has gone. */
static bool allocates_over(const struct norn_sliced_checker *c, uint32_t alloc, const struct norn_graph_event *f)
{
	const struct norn_graph_event *e = event_of(c, alloc);
	uint64_t at = norn_graph_address(c->graph, e->addr), freed = norn_graph_address(c->graph, f->addr);
	return e->kind == NORN_EVENT_ALLOC && at < freed + f->size && freed < at + e->size;
}

/* Has the memory that this event frees been allocated again? */
static bool allocated_since(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, uint32_t free_event)
{
	const struct norn_graph_event *f = event_of(c, free_event);
	uint32_t i = free_event <= claim->base ? free_event : claim->base, at = 0;
	if (free_event > claim->base)
		while (at < claim->count && claim->events[at] != free_event)
			at++;
	for (i++; i <= claim->base; i++)
		if (allocates_over(c, i, f))
			return true;
	for (; at < claim->count; at++)
		if (claim->events[at] != free_event && allocates_over(c, claim->events[at], f))
			return true;
	return false;
}

/* A thread that maps the same memory right after it, at the same place, has not unmapped it: the call failed, or the memory stayed
 * where it was. */
static bool unmaps(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	const struct norn_graph_event *next = event_of(c, e->next);
	bool undone = e->next && next->kind == NORN_EVENT_ALLOC && next->addr == e->addr && next->site == e->site;
	return e->kind == NORN_EVENT_ALLOC && e->op == NORN_ALLOC_UNMAP && !undone;
}

/* Is this the life of memory that the event frees, or of a mapping that it unmaps some of? */
static bool ends(const struct norn_sliced_checker *c, const struct norn_graph_event *f, uint32_t life)
{
	if (f->kind == NORN_EVENT_FREE)
		return life == f->life;
	const struct norn_graph_event *begin = event_of(c, life);
	const uint32_t *before;
	uint32_t count = norn_graph_list(c->graph, &f->link, &before);
	bool maps = begin->kind == NORN_EVENT_ALLOC &&
	            (begin->op == NORN_ALLOC_MAP || begin->op == NORN_ALLOC_SHARED || begin->op == NORN_ALLOC_ALIAS);
	while (count && before[count - 1] != life)
		count--;
	return maps && count;
}

/* Did this event get the memory that the other one had freed? */
static bool took_over(const struct norn_sliced_checker *c, uint32_t alloc, uint32_t free_event)
{
	const struct norn_graph_event *e = event_of(c, alloc);
	const uint32_t *before;
	uint32_t count =
	        e->kind == NORN_EVENT_ALLOC && e->op <= NORN_ALLOC_ALIGNED ? norn_graph_list(c->graph, &e->link, &before) : 0;
	while (count && before[count - 1] != free_event)
		count--;
	return count;
}

/* The event that the memory which this one uses has its life from: what was free when it was recorded, by a free that is not there,
 * is not. */
static uint32_t life_now(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number)
{
	uint32_t life = norn_sliced_memory(c, number);
	while (event_of(c, life)->kind == NORN_EVENT_FREE && !happened(s, life))
		life = event_of(c, life)->life;
	return life;
}

/* The free has happened, the use comes next. */
static int check_freed(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	if (!claim->first || claim->first > norn_graph_count(c->graph) || !happened(s, claim->first))
		NO("event %u has not happened", claim->first);
	uint32_t life = life_now(c, s, claim->stops[0]);
	/* A use that came after the free when recorded has the free for its life. One by a pointer from before has that of the
	 * memory's next owner, who need not have it yet: what the pointer is made of is as it was. */
	const struct norn_graph_event *f = event_of(c, claim->first);
	bool freed = f->kind == NORN_EVENT_FREE ? life == claim->first || norn_replay_state_freed(s, life) == claim->first
	                                        : ends(c, f, life) && happened(s, life);
	if (!freed && !(life && !happened(s, life) && took_over(c, life, claim->first)))
		NO("event %u does not use what %u frees", claim->stops[0], claim->first);
	if (allocated_since(c, claim, claim->first))
		NO("the memory that %u frees has been allocated again", claim->first);
	return 0;
}

static int check_free(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	bool before = claim->stop_count == 1, twice = claim->kind == NORN_SLICED_DOUBLE_FREE;
	uint32_t free_event = before ? claim->first : claim->stops[0], use_event = claim->stops[claim->stop_count - 1];
	const struct norn_graph_event *f = event_of(c, free_event), *use = event_of(c, use_event);
	bool uses = is_access(use) || norn_sliced_uses_object(use);
	if (!(f->kind == NORN_EVENT_FREE || unmaps(c, f)) || (twice ? use->kind != NORN_EVENT_FREE : !uses))
		NO("events %u and %u are no free and use", free_event, use_event);
	bool inside = use->kind == NORN_EVENT_SYNC ? use->addr - f->addr < f->size : overlap(f, use);
	if (!f->life || !inside)
		NO("event %u does not use what %u frees", use_event, free_event);
	if (!reaches(c, s, use_event, free_event))
		NO("event %u may read less", use_event);
	if (before)
		return check_freed(c, s, claim, err);
	uint32_t life = life_now(c, s, use_event);
	bool same = f->kind == NORN_EVENT_FREE ? life == life_now(c, s, free_event) : ends(c, f, life);
	if (!same || event_of(c, life)->kind == NORN_EVENT_FREE)
		NO("event %u does not use what %u frees", use_event, free_event);
	if (life != norn_sliced_memory(c, use_event) || life != norn_sliced_memory(c, free_event))
		return happened(s, life) && !norn_replay_state_freed(s, life)
		               ? 0
		               : norn_error_set(err, -EINVAL, "event %u uses memory that is not there", use_event);
	int r = norn_sliced_check_life(c, s, free_event, err);
	return r < 0 ? r : norn_sliced_check_life(c, s, use_event, err);
}

/* ---- frames ---- */

/* Does the frame that the thread leaves by this event reach beyond the address? (stack 0: of the main thread, whose stack is not
 * recorded. Then the address must be of one of its locals.) What it accesses of its own locals meanwhile lies
 * in the frame, or in that of a function that it calls, which is below. */
static bool leaves_behind(const struct norn_sliced_checker *c, uint32_t end, uint32_t stack, uint64_t addr)
{
	const struct norn_graph_event *e = event_of(c, end);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END)
		return e->thread;
	const struct norn_graph_event *enter = event_of(c, e->link);
	if (e->kind != NORN_EVENT_LEAVE || !e->link || e->link >= end || enter->thread != e->thread ||
	        (!e->thread && !enter->other))
		return false;
	for (uint32_t i = enter->next; i && i < end; i = event_of(c, i)->next)
		if (norn_sliced_memory(c, i) == stack && norn_sliced_local_end(c, event_of(c, i)) > addr &&
		        (stack || event_of(c, i)->addr <= addr))
			return true;
	return false;
}

/* Has its thread, after this event, only left functions, or ended? Then it has no new frame there. */
static bool leaves_on(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t event)
{
	for (uint32_t i = event_of(c, event)->next; i && happened(s, i); i = event_of(c, i)->next) {
		const struct norn_graph_event *e = event_of(c, i);
		if (e->kind != NORN_EVENT_LEAVE && !(e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END))
			return false;
	}
	return true;
}

static int check_return(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	bool before = claim->stop_count == 1;
	uint32_t end = before ? claim->first : claim->stops[0], use_event = claim->stops[claim->stop_count - 1];
	if (!end || end > norn_graph_count(c->graph))
		NO("event %u does not exist", end);
	const struct norn_graph_event *use = event_of(c, use_event);
	uint32_t stack = norn_sliced_memory(c, use_event);
	const struct norn_graph_event *life = event_of(c, stack);
	if (!is_access(use) && !norn_sliced_uses_object(use))
		NO("event %u uses no memory", use_event);
	bool of_main = !stack && use->thread && !event_of(c, end)->thread && !before;
	if (!of_main && (life->kind != NORN_EVENT_THREAD || life->op != NORN_THREAD_STACK || life->thread == use->thread ||
	                        life->thread != event_of(c, end)->thread))
		NO("event %u does not use the stack of the thread of %u", use_event, end);
	if ((of_main && use_event < event_of(c, end)->link) || !leaves_behind(c, end, stack, use->addr))
		NO("what event %u uses is not known to be gone after %u", use_event, end);
	if (before && (!happened(s, end) || !leaves_on(c, s, end)))
		NO("event %u has not happened, or its thread has gone on", end);
	return norn_sliced_check_life(c, s, use_event, err);
}

/* ---- atomicity (V10) ---- */

/* Does the block that begins with event begin last until event last of the same thread? */
static bool lasts(const struct norn_sliced_checker *c, uint32_t begin, uint32_t thread, uint32_t last)
{
	if (begin == 0 || begin >= last)
		return false;
	const struct norn_graph_event *b = event_of(c, begin);
	unsigned depth = 1;
	bool mark = b->kind == NORN_EVENT_MARK && b->op == NORN_MARK_ATOMIC_BEGIN;
	if ((!mark && b->kind != NORN_EVENT_ENTER) || b->thread != thread)
		return false;
	for (uint32_t i = b->next; i && i < last && depth; i = event_of(c, i)->next) {
		const struct norn_graph_event *e = event_of(c, i);
		if (mark && e->kind == NORN_EVENT_MARK)
			depth += (e->op == NORN_MARK_ATOMIC_BEGIN) - (e->op == NORN_MARK_ATOMIC_END);
		else if (!mark)
			depth += (e->kind == NORN_EVENT_ENTER) - (e->kind == NORN_EVENT_LEAVE);
	}
	return depth;
}

/* Are both events of a thread in the block that begins there? */
static bool in_block(const struct norn_sliced_checker *c, uint32_t begin, uint32_t a, uint32_t b)
{
	return begin < a && begin < b && lasts(c, begin, event_of(c, a)->thread, a > b ? a : b);
}

/* Of a guess: is there a byte that all three access, and the first one's thread not in between? Of long ranges only the beginning
 * is looked at. */
static bool untouched_between(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim)
{
	uint8_t touched[NORN_RANGE_BYTES] = {0};
	uint64_t low = 0, high = UINT64_MAX;
	for (unsigned i = 0; i < 3; i++) {
		const struct norn_graph_event *e = event_of(c, claim->cycle[i]);
		low = e->addr > low ? e->addr : low;
		high = e->addr + e->size < high ? e->addr + e->size : high;
	}
	if (claim->cycle_count != 3 || low >= high)
		return false;
	if (high - low > NORN_RANGE_BYTES)
		high = low + NORN_RANGE_BYTES;
	for (uint32_t i = event_of(c, claim->cycle[0])->next; i && i < claim->cycle[2]; i = event_of(c, i)->next) {
		const struct norn_graph_event *e = event_of(c, i);
		uint64_t from = e->addr > low ? e->addr : low, to = e->addr + e->size < high ? e->addr + e->size : high;
		if (is_access(e) && from < to)
			memset(touched + (from - low), 1, to - from);
	}
	return memchr(touched, 0, high - low);
}

/* The place of an event in the claimed run, stops last; UINT64_MAX: it is not there. */
static uint64_t place_of(const struct norn_sliced_claim *claim, uint32_t event)
{
	for (uint32_t i = 0; i < claim->stop_count; i++)
		if (claim->stops[i] == event)
			return (uint64_t)claim->base + claim->count + i;
	if (event <= claim->base)
		return event - 1ul;
	for (uint32_t i = 0; i < claim->count; i++)
		if (claim->events[i] == event)
			return (uint64_t)claim->base + i;
	return UINT64_MAX;
}

static bool is_stop(const struct norn_sliced_claim *claim, uint32_t event)
{
	return event == claim->stops[0] || event == claim->stops[claim->stop_count - 1];
}

/* Are these accesses of two threads in conflict, in the claimed run? What is not a stop did as it did. */
static bool conflict(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        uint32_t a, uint32_t b)
{
	const uint32_t both[] = {a, b};
	bool writes = false;
	for (unsigned i = 0; i < 2; i++)
		writes |= is_stop(claim, both[i]) ? would_write(c, s, both[i]) : event_of(c, both[i])->kind != NORN_EVENT_READ;
	bool reach = (!is_stop(claim, a) || reaches(c, s, a, b)) && (!is_stop(claim, b) || reaches(c, s, b, a));
	return writes && reach && overlap(event_of(c, a), event_of(c, b)) && event_of(c, a)->life == event_of(c, b)->life;
}

/* Is the cycle one of writes of the same bytes alone? The last of them is what stays, as if the block came last. */
static bool only_overwrites(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim)
{
	uint64_t low = 0, high = UINT64_MAX;
	for (uint32_t i = 0; i < claim->cycle_count; i++) {
		const struct norn_graph_event *e = event_of(c, claim->cycle[i]);
		if (e->kind != NORN_EVENT_WRITE)
			return false;
		low = e->addr > low ? e->addr : low;
		high = e->addr + e->size < high ? e->addr + e->size : high;
	}
	return low < high;
}

/* From one event of the cycle to the next. */
static int check_edge(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        uint32_t i, struct norn_error *err)
{
	uint32_t a = claim->cycle[i], b = claim->cycle[i + 1];
	if (event_of(c, a)->thread != event_of(c, b)->thread) {
		if (!conflict(c, s, claim, a, b))
			NO("events %u and %u are not in conflict", a, b);
		if (place_of(claim, a) >= place_of(claim, b))
			NO("event %u does not come before %u", a, b);
	} else if (a >= b && !in_block(c, claim->cycle_begins[i], a, b)) {
		NO("event %u neither comes before %u, nor is it in one block with it", a, b);
	}
	return 0;
}

static int check_events(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	uint32_t count = norn_graph_count(c->graph), last = claim->cycle_count - 1;
	for (uint32_t i = 0, k; i < claim->stop_count; i++) {
		for (k = 0; k <= last && claim->cycle[k] != claim->stops[i]; k++)
			;
		if (k > last)
			NO("event %u is not in the cycle", claim->stops[i]);
	}
	for (uint32_t i = 0; i <= last; i++) {
		uint32_t e = claim->cycle[i];
		if (e == 0 || e > count || !is_access(event_of(c, e)) || claim->cycle_begins[i] > count)
			NO("event %u is no access", e);
		if (!is_stop(claim, e) && (!happened(s, e) || place_of(claim, e) == UINT64_MAX))
			NO("event %u has not happened", e);
		if (i > 0 && i < last && event_of(c, e)->thread == event_of(c, claim->cycle[0])->thread)
			NO("event %u is of the block's own thread", e);
	}
	return 0;
}

static int check_atomicity(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	if (claim->cycle_count < 3)
		NO("%u events are no cycle", claim->cycle_count);
	int r = check_events(c, s, claim, err);
	if (r < 0)
		return r;
	uint32_t first = claim->cycle[0], last = claim->cycle[claim->cycle_count - 1];
	if (last != claim->stops[claim->stop_count - 1])
		NO("event %u does not come last", last);
	if (s->loose)
		NO("what happens between %u and %u is not certain", first, last);
	if (event_of(c, first)->thread != event_of(c, last)->thread || first >= last ||
	        (claim->block && !in_block(c, claim->block, first, last)))
		NO("events %u and %u are not in one block", first, last);
	if (!claim->block && !untouched_between(c, claim))
		NO("the block accesses the memory between %u and %u", first, last);
	for (uint32_t i = 0; i + 1 < claim->cycle_count && r == 0; i++)
		r = check_edge(c, s, claim, i, err);
	if (r == 0 && only_overwrites(c, claim))
		NO("events %u to %u have the same effect in another order", first, last);
	for (uint32_t i = 0; i < claim->stop_count && r == 0; i++)
		r = norn_sliced_check_life(c, s, claim->stops[i], err);
	return r;
}

int norn_sliced_check_error(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	if (claim->stop_count < 1 || (claim->stop_count > 2 && claim->kind != NORN_SLICED_DEADLOCK))
		NO("%u threads make no such error", claim->stop_count);
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		return check_race(c, s, claim, err);
	case NORN_SLICED_DEADLOCK:
		return check_deadlock(c, s, claim, err);
	case NORN_SLICED_USE_AFTER_FREE:
	case NORN_SLICED_DOUBLE_FREE:
		return check_free(c, s, claim, err);
	case NORN_SLICED_USE_AFTER_RETURN:
		return check_return(c, s, claim, err);
	case NORN_SLICED_ATOMICITY:
		return check_atomicity(c, s, claim, err);
	case NORN_SLICED_ASSERTION:
		return norn_sliced_check_assertion(c, s, claim, err);
	case NORN_SLICED_NULL:
		return norn_sliced_check_null(c, s, claim, err);
	default:
		NO("no error of this kind is known");
	}
}
