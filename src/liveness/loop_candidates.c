#include "liveness/loop_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
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

/* Where all threads are. */
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

/* How many events of the column come before the next relevant one, at most far. */
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
		if (r->from[c] == r->to[c] && is_born(r, c) && !is_ended(r, c) && !joins_next(r, c))
			return false;
	return true;
}

static void show(
        struct norn_repeatable *turn, const struct norn_loop_log *d, uint32_t column, uint32_t i, enum norn_repeatable_place where)
{
	struct norn_loop_log_entry e;
	norn_loop_log_get(d, column, i, &e);
	norn_repeatable_event(turn, &e.event, where, e.before_known ? &e.before : NULL);
}

/* What is before the turn: forks, and where each thread is. */
static void show_before(const struct norn_loop_candidates *r, struct norn_repeatable *turn)
{
	uint32_t columns = norn_loop_log_columns(r->loop_log), parent, event;
	for (uint32_t c = 0; c < columns; c++)
		if (norn_loop_log_fork(r->loop_log, c, &parent, &event) && event < r->from[parent])
			show(turn, r->loop_log, parent, event, NORN_REPEATABLE_BEFORE);
	for (uint32_t c = 0; c < columns; c++)
		if (r->from[c])
			show(turn, r->loop_log, c, r->from[c] - 1, NORN_REPEATABLE_BEFORE);
}

/* The turn itself, in the observed order. */
static void show_inside(const struct norn_loop_candidates *r, struct norn_repeatable *turn, uint64_t *work)
{
	uint32_t columns = norn_loop_log_columns(r->loop_log);
	uint32_t *next = norn_must_copy(r->from, columns, sizeof *next);
	while (!turn->refused) {
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
		norn_repeatable_event(turn, &first.event, NORN_REPEATABLE_INSIDE, first.before_known ? &first.before : NULL);
	}
	free(next);
}

static void show_after(const struct norn_loop_candidates *r, struct norn_repeatable *turn)
{
	for (uint32_t c = 0; c < norn_loop_log_columns(r->loop_log); c++)
		if (r->to[c] < norn_loop_log_events(r->loop_log, c))
			show(turn, r->loop_log, c, r->to[c], NORN_REPEATABLE_AFTER);
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

/* Whether the tries of the column at a site, of which one failed, come to nothing all through the turn. */
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

/* Whether what the read found was written by another thread. Found out once for each read. */
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

/* Whether entry i of the column, a read, finds the same value all through the turn, but another one, which is not the thread's own,
 * when it is done after the turn at the same site. */
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

/* Whether the thread waits in the turn: tries in vain, or reads again and again what in the run that was observed had another value
 * at last. */
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

/* Whether a relevant event of the turn is at the same site, about the same object. */
static bool is_in_turn(const struct norn_loop_candidates *r, const struct norn_event *event)
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

/* The thread whose event led out of the loop when the program ran: the first relevant one after the turn that is none of the
 * turn's. UINT32_MAX: there is none. */
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
			if (is_relevant(r, &e) && !is_in_turn(r, &e.event)) {
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
	struct norn_repeatable turn;
	fill(r, from, r->from);
	fill(r, to, r->to);
	advance(r);
	norn_repeatable_init(&turn);
	show_before(r, &turn);
	show_inside(r, &turn, work);
	show_after(r, &turn);
	bool result = norn_repeatable_refusal(&turn) == NULL && is_held_up(r, work);
	norn_repeatable_done(&turn);
	return result;
}

struct norn_loop_rules norn_loop_candidates_rules(struct norn_loop_candidates *candidates)
{
	return (struct norn_loop_rules){candidates, place, possible, repeats};
}
