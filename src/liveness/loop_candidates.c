#include "liveness/loop_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "causality/rules.h"
#include "liveness/repeatable.h"
#include "trace/record.h"

void norn_loop_candidates_init(struct norn_loop_candidates *r, const struct norn_loop_log *loop_log,
        const struct norn_computation *computation, uint32_t payloads)
{
	uint32_t columns = norn_loop_log_columns(loop_log);
	*r = (struct norn_loop_candidates){.loop_log = loop_log,
	        .computation = computation,
	        .from = norn_must_calloc(columns + 1ul, sizeof *r->from),
	        .to = norn_must_calloc(columns + 1ul, sizeof *r->to),
	        .relevant = norn_must_calloc(payloads + 1ul, sizeof *r->relevant),
	        .payload_count = payloads};
	norn_map_init(&r->foreign, 1);
	for (uint64_t i = 0; i < computation->total; i++)
		r->relevant[computation->payloads[i]] = true;
}

void norn_loop_candidates_done(struct norn_loop_candidates *r)
{
	free(r->from);
	free(r->to);
	free(r->relevant);
	norn_map_done(&r->foreign);
	*r = (struct norn_loop_candidates){0};
}

static void fill(const struct norn_loop_candidates *r, const uint32_t *cut, uint32_t *full)
{
	memset(full, 0, norn_loop_log_columns(r->loop_log) * sizeof *full);
	for (uint32_t i = 0; i < r->computation->threads; i++)
		if (cut[i])
			norn_loop_log_include(r->loop_log, norn_computation_payload(r->computation, i, cut[i] - 1), full);
}

/* The positions of all threads. */
static uint64_t place(void *context, const uint32_t *cut)
{
	struct norn_loop_candidates *r = context;
	uint64_t h = 0;
	fill(r, cut, r->from);
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		h = norn_monitor_hash(h ^ norn_loop_log_site(r->loop_log, c, r->from[c] - 1));
	return h;
}

static bool is_relevant(const struct norn_loop_candidates *r, const struct norn_loop_log_entry *e)
{
	return e->payload < r->payload_count && r->relevant[e->payload];
}

/* The number of events of the column before the next relevant one, at most far. */
static uint32_t until_relevant(const struct norn_loop_candidates *r, uint32_t column, uint32_t from, uint32_t far)
{
	struct norn_loop_log_entry e;
	for (; from < far; from++) {
		norn_loop_log_get(r->loop_log, column, from, &e);
		if (is_relevant(r, &e))
			break;
	}
	return from;
}

/* Advances threads that do not move between the cuts as far as they get. */
static void advance(struct norn_loop_candidates *r)
{
	for (bool news = true; news;) {
		news = false;
		for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++) {
			if (r->from[c] != r->to[c])
				continue;
			uint32_t far = norn_loop_log_advance(r->loop_log, c, r->from);
			if (far == r->from[c] || until_relevant(r, c, r->from[c], far) < far)
				continue;
			r->from[c] = r->to[c] = far;
			news = true;
		}
	}
}

static bool is_ended(const struct norn_loop_candidates *r, uint32_t column)
{
	struct norn_loop_log_entry e;
	if (!r->from[column])
		return false;
	norn_loop_log_get(r->loop_log, column, r->from[column] - 1, &e);
	return e.event.kind == NORN_EVENT_THREAD && (e.event.op == NORN_THREAD_END || e.event.op == NORN_THREAD_EXIT);
}

static bool joins_next(const struct norn_loop_candidates *r, uint32_t column)
{
	struct norn_loop_log_entry e;
	if (r->to[column] == norn_loop_log_events(r->loop_log, column))
		return false;
	norn_loop_log_get(r->loop_log, column, r->to[column], &e);
	return e.event.kind == NORN_EVENT_THREAD && e.event.op == NORN_THREAD_JOIN;
}

/* ---- threads that are blocked ---- */

/* Asleep on the condition since that event: no notify has come, up to the end of the iteration. */
static bool is_asleep(const struct norn_loop_candidates *r, uint64_t condition, uint64_t since)
{
	struct norn_loop_log_entry e;
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = r->to[c]; i-- > 0;) {
			norn_loop_log_get(r->loop_log, c, i, &e);
			if (e.number < since)
				break;
			if (e.event.kind == NORN_EVENT_SYNC && e.event.addr == condition &&
			        (e.event.op == NORN_SYNC_SIGNAL || e.event.op == NORN_SYNC_BROADCAST))
				return false;
		}
	return true;
}

/* Does the column hold the lock when the iteration begins, and all through it? */
static bool keeps_lock(const struct norn_loop_candidates *r, uint32_t column, uint64_t lock, bool shared)
{
	struct norn_loop_log_entry e;
	for (uint32_t i = r->to[column]; i-- > 0;) {
		norn_loop_log_get(r->loop_log, column, i, &e);
		if (e.event.kind != NORN_EVENT_SYNC || e.event.addr != lock)
			continue;
		enum norn_effect effect = norn_rule_effect(e.event.op);
		if (effect == NORN_EFFECT_UNLOCK || effect == NORN_EFFECT_UNSHARE)
			return false;
		if (effect == NORN_EFFECT_LOCK || effect == NORN_EFFECT_SHARE)
			return i < r->from[column] && (!shared || effect == NORN_EFFECT_LOCK);
	}
	return false;
}

static bool is_kept(const struct norn_loop_candidates *r, uint32_t column, uint64_t lock, bool shared)
{
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (c != column && keeps_lock(r, c, lock, shared))
			return true;
	return false;
}

/* Has the semaphore nothing when the iteration begins, and is it not posted in it? Known if it was initialised once. */
static bool is_empty(const struct norn_loop_candidates *r, uint64_t semaphore)
{
	struct norn_loop_log_entry e;
	int64_t value = 0;
	unsigned inits = 0;
	bool posted = false;
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = 0; i < r->to[c]; i++) {
			norn_loop_log_get(r->loop_log, c, i, &e);
			if (e.event.kind != NORN_EVENT_SYNC || e.event.addr != semaphore)
				continue;
			enum norn_effect effect = norn_rule_effect(e.event.op);
			posted |= i >= r->from[c] && effect != NORN_EFFECT_NONE;
			inits += effect == NORN_EFFECT_SET;
			value += effect == NORN_EFFECT_SET ? (int64_t)e.event.argument
			                                   : (effect == NORN_EFFECT_UP) - (effect == NORN_EFFECT_DOWN);
		}
	return inits == 1 && value == 0 && !posted;
}

/* Has a thread begun the routine of the once, and not come to its end? */
static bool is_under_way(const struct norn_loop_candidates *r, uint64_t once)
{
	struct norn_loop_log_entry e;
	unsigned begun = 0, ended = 0;
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = 0; i < r->to[c]; i++) {
			norn_loop_log_get(r->loop_log, c, i, &e);
			if (e.event.kind != NORN_EVENT_SYNC || e.event.addr != once)
				continue;
			begun += e.event.op == NORN_SYNC_ONCE_BEGIN;
			ended += e.event.op == NORN_SYNC_ONCE_END;
		}
	return begun == 1 && ended == 0;
}

/* Are the threads that stand at the barrier those of a round that is not complete? As many as arrived since the last one was. Known
 * if it was initialised once. */
static bool is_open(const struct norn_loop_candidates *r, uint64_t barrier)
{
	struct norn_loop_log_entry e;
	uint64_t size = 0, arrived = 0, left = 0;
	unsigned inits = 0;
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = 0; i < r->to[c]; i++) {
			norn_loop_log_get(r->loop_log, c, i, &e);
			if (e.event.kind != NORN_EVENT_SYNC || e.event.addr != barrier)
				continue;
			inits += e.event.op == NORN_SYNC_BARRIER_INIT;
			size = e.event.op == NORN_SYNC_BARRIER_INIT ? e.event.argument : size;
			arrived += e.event.op == NORN_SYNC_BARRIER_ARRIVE;
			left += e.event.op == NORN_SYNC_BARRIER_LEAVE;
		}
	return inits == 1 && size && arrived - left == arrived % size;
}

/* Is what the column did next the end of a wait that nothing ends, up to the end of the iteration? */
static bool is_blocked(const struct norn_loop_candidates *r, uint32_t column)
{
	struct norn_loop_log_entry next, last = {0}, begin = {0};
	uint32_t at = r->to[column];
	if (at == norn_loop_log_events(r->loop_log, column) || at < 2 || !r->waits)
		return false;
	norn_loop_log_get(r->loop_log, column, at, &next);
	if (next.event.kind != NORN_EVENT_SYNC || !r->waits(r->context, next.event.site))
		return false;
	norn_loop_log_get(r->loop_log, column, at - 1, &last);
	norn_loop_log_get(r->loop_log, column, at - 2, &begin);
	switch (next.event.op) {
	case NORN_SYNC_ACQUIRE:
		if (last.event.kind == NORN_EVENT_SYNC && last.event.op == NORN_SYNC_RELEASE &&
		        begin.event.kind == NORN_EVENT_SYNC && begin.event.op == NORN_SYNC_WAIT_BEGIN)
			return is_asleep(r, begin.event.addr, begin.number);
		return is_kept(r, column, next.event.addr, false);
	case NORN_SYNC_ACQUIRE_SHARED:
		return is_kept(r, column, next.event.addr, true);
	case NORN_SYNC_SEM_WAIT:
		return is_empty(r, next.event.addr);
	case NORN_SYNC_BARRIER_LEAVE:
		return is_open(r, next.event.addr);
	case NORN_SYNC_ONCE_PASS:
		return is_under_way(r, next.event.addr);
	default:
		return false;
	}
}

static bool is_born(const struct norn_loop_candidates *r, uint32_t column)
{
	uint32_t parent, event;
	return r->to[column] || (norn_loop_log_fork(r->loop_log, column, &parent, &event) && event < r->to[parent]);
}

/* The rule about threads that stand still, which most pairs of cuts do not keep (repeatable.h says it again, for the checker). */
static bool possible(void *context, const uint32_t *from, const uint32_t *to)
{
	struct norn_loop_candidates *r = context;
	fill(r, from, r->from);
	fill(r, to, r->to);
	advance(r);
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (r->from[c] == r->to[c] && is_born(r, c) && !is_ended(r, c) && !joins_next(r, c) && !is_blocked(r, c))
			return false;
	return true;
}

static void show(struct norn_repeatable *iteration, const struct norn_loop_log *d, uint32_t column, uint32_t i,
        enum norn_repeatable_place where)
{
	struct norn_loop_log_entry e;
	norn_loop_log_get(d, column, i, &e);
	norn_repeatable_event(iteration, &e.event, where, e.before_known ? &e.before : NULL);
}

/* The state before the iteration: forks, and the position of each thread. */
static void show_before(const struct norn_loop_candidates *r, struct norn_repeatable *iteration)
{
	uint32_t columns = norn_loop_log_columns(r->loop_log), parent, event;
	for (uint32_t c = 0; c < columns; c++)
		if (norn_loop_log_fork(r->loop_log, c, &parent, &event) && event < r->from[parent])
			show(iteration, r->loop_log, parent, event, NORN_REPEATABLE_BEFORE);
	for (uint32_t c = 0; c < columns; c++)
		if (r->from[c])
			show(iteration, r->loop_log, c, r->from[c] - 1, NORN_REPEATABLE_BEFORE);
}

/* The iteration itself, in the observed order. */
static void show_inside(const struct norn_loop_candidates *r, struct norn_repeatable *iteration, uint64_t *work)
{
	uint32_t columns = norn_loop_log_columns(r->loop_log);
	uint32_t *next = norn_must_copy(r->from, columns, sizeof *next);
	while (!iteration->refused) {
		struct norn_loop_log_entry e, first = {.number = UINT64_MAX};
		uint32_t column = 0;
		for (uint32_t c = 0; c < columns; c++) {
			if (next[c] == r->to[c])
				continue;
			norn_loop_log_get(r->loop_log, c, next[c], &e);
			if (e.number < first.number) {
				first = e;
				column = c;
			}
		}
		if (first.number == UINT64_MAX)
			break;
		next[column]++;
		*work += columns;
		norn_repeatable_event(iteration, &first.event, NORN_REPEATABLE_INSIDE, first.before_known ? &first.before : NULL);
	}
	free(next);
}

static void show_after(const struct norn_loop_candidates *r, struct norn_repeatable *iteration)
{
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (r->to[c] < norn_loop_log_events(r->loop_log, c))
			show(iteration, r->loop_log, c, r->to[c], NORN_REPEATABLE_AFTER);
}

/* ---- waiting ---- */

static bool covers(const struct norn_event *a, const struct norn_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static uint64_t found_by(const struct norn_loop_log_entry *e)
{
	return e->event.kind == NORN_EVENT_RMW ? e->before : e->event.value;
}

static bool is_vain(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_SYNC &&
	       (e->op == NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_SEM_TRY_FAILED || e->op == NORN_SYNC_WAIT_TIMEOUT);
}

/* True if the tries of the column at a site, of which one failed, fail all through the iteration. */
static bool tries_in_vain(const struct norn_loop_candidates *r, uint32_t column, uint32_t site)
{
	for (uint32_t k = r->from[column]; k < r->to[column]; k++) {
		struct norn_loop_log_entry e;
		norn_loop_log_get(r->loop_log, column, k, &e);
		if (e.event.site == site && e.event.kind == NORN_EVENT_SYNC && !is_vain(&e.event) &&
		        e.event.op != NORN_SYNC_WAIT_BEGIN)
			return false;
	}
	return true;
}

/* True if the read found a value that another thread wrote. Found out once for each read. */
static bool is_foreign(struct norn_loop_candidates *r, uint32_t column, uint32_t read, uint64_t *work)
{
	struct norn_loop_log_entry e, w;
	uint64_t latest = 0;
	uint32_t writer = column;
	uint8_t *known = norn_must_map_put(&r->foreign, (uint64_t)column << 32 | read); /* 1: no, 2: yes */
	norn_loop_log_get(r->loop_log, column, read, &e);
	for (uint32_t c = 0; !*known && c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t k = 0; k < norn_loop_log_events(r->loop_log, c); k++) {
			norn_loop_log_get(r->loop_log, c, k, &w);
			++*work;
			if (w.number >= e.number)
				break;
			if ((w.event.kind == NORN_EVENT_WRITE || w.event.kind == NORN_EVENT_RMW) && w.number > latest &&
			        covers(&w.event, &e.event)) {
				latest = w.number;
				writer = c;
			}
		}
	if (!*known)
		*known = writer == column ? 1 : 2;
	return *known == 2;
}

/* True if entry i of the column, a read, finds the same value all through the iteration, but another one, which is not the thread's
 * own, when it is done after the iteration at the same site. */
static bool reads_in_vain(struct norn_loop_candidates *r, uint32_t column, uint32_t i, uint64_t *work)
{
	struct norn_loop_log_entry first, e;
	norn_loop_log_get(r->loop_log, column, i, &first);
	for (uint32_t k = r->from[column]; k < norn_loop_log_events(r->loop_log, column); k++) {
		norn_loop_log_get(r->loop_log, column, k, &e);
		++*work;
		bool same =
		        e.event.site == first.event.site && e.event.kind == first.event.kind && e.event.addr == first.event.addr;
		if (same && found_by(&e) != found_by(&first))
			return k >= r->to[column] && is_foreign(r, column, k, work);
	}
	return false;
}

/* True if the thread waits in the iteration: its tries fail, or it reads again and again a variable that at last had another value
 * in the observed run. */
static bool waits(struct norn_loop_candidates *r, uint32_t column, uint64_t *work)
{
	for (uint32_t i = r->from[column]; i < r->to[column]; i++) {
		struct norn_loop_log_entry e;
		norn_loop_log_get(r->loop_log, column, i, &e);
		bool reads = (e.event.kind == NORN_EVENT_READ && e.event.size <= 8 && e.event.known) ||
		             (e.event.kind == NORN_EVENT_RMW && e.before_known);
		if ((is_vain(&e.event) && tries_in_vain(r, column, e.event.site)) || (reads && reads_in_vain(r, column, i, work)))
			return true;
	}
	return false;
}

/* True if a relevant event of the iteration is at the same site, about the same object. */
static bool is_in_iteration(const struct norn_loop_candidates *r, const struct norn_event *event)
{
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = r->from[c]; i < r->to[c]; i++) {
			struct norn_loop_log_entry e;
			norn_loop_log_get(r->loop_log, c, i, &e);
			if (is_relevant(r, &e) && e.event.site == event->site && e.event.addr == event->addr)
				return true;
		}
	return false;
}

/* The thread whose event led out of the loop when the program ran: the first relevant one after the iteration that is none of the
 * iteration's. UINT32_MAX: there is none. */
static uint32_t who_ends(const struct norn_loop_candidates *r, uint64_t *work)
{
	uint64_t first = UINT64_MAX;
	uint32_t who = UINT32_MAX;
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		for (uint32_t i = r->to[c]; i < norn_loop_log_events(r->loop_log, c); i++) {
			struct norn_loop_log_entry e;
			norn_loop_log_get(r->loop_log, c, i, &e);
			++*work;
			if (e.number >= first)
				break;
			if (is_relevant(r, &e) && !is_in_iteration(r, &e.event)) {
				first = e.number;
				who = c;
				break;
			}
		}
	return who;
}

/* A loop that ends because a thread has counted to its end looks like one that could go on. So the thread that ended it, when the
 * program ran, must have been waiting for others in it; if none did, any thread must. */
static bool is_held_up(struct norn_loop_candidates *r, uint64_t *work)
{
	uint32_t who = who_ends(r, work);
	if (who != UINT32_MAX)
		return waits(r, who, work);
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (waits(r, c, work))
			return true;
	return false;
}

static bool repeats(void *context, const uint32_t *from, const uint32_t *to, uint64_t *work)
{
	struct norn_loop_candidates *r = context;
	struct norn_repeatable iteration;
	fill(r, from, r->from);
	fill(r, to, r->to);
	advance(r);
	norn_repeatable_init(&iteration);
	show_before(r, &iteration);
	show_inside(r, &iteration, work);
	show_after(r, &iteration);
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (r->from[c] == r->to[c] && is_blocked(r, c))
			norn_repeatable_blocked(&iteration, norn_loop_log_thread(r->loop_log, c));
	bool result = norn_repeatable_refusal(&iteration) == NULL && is_held_up(r, work);
	norn_repeatable_done(&iteration);
	return result;
}

struct norn_loop_rules norn_loop_candidates_rules(struct norn_loop_candidates *candidates)
{
	return (struct norn_loop_rules){candidates, place, possible, repeats};
}
