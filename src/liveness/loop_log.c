#include "base/bisect.h"
#include "liveness/loop_log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "causality/mvc_events.h"
#include "witness/last_values.h"
#include "trace/record.h"

#define WAITS 65536u /* milestones of a thread that are waits, at most */

#define NONE UINT32_MAX

struct log_entry {
	uint64_t number, addr, size, value, argument, before;
	const uint8_t *data;
	uint32_t site, payload;
	uint8_t kind, op, pieces;
	bool known, before_known;
};

struct past {
	uint32_t event; /* how many of its thread: itself is the last */
	uint32_t width;
	const uint32_t *clock;
};

struct log_column {
	uint32_t thread;
	NORN_VECTOR(struct log_entry) entries;
	NORN_VECTOR(struct past) milestones;
	uint32_t fork_column, fork_event;
};

struct norn_loop_log {
	struct norn_mvc *mvc;
	struct norn_last_values values;
	struct norn_arena arena;
	NORN_VECTOR(struct log_column) columns;
	struct norn_map by_thread; /* 1 + column */
	struct norn_map forks; /* thread -> column << 32 | event */
	NORN_VECTOR(struct past) positions; /* by payload; width 0: none */
	uint64_t number;
	uint64_t bytes, max_bytes;
	bool full;
};

struct norn_loop_log *norn_loop_log_new(uint64_t max_bytes)
{
	struct norn_loop_log *d = norn_must_calloc(1, sizeof *d);
	norn_must_do(norn_mvc_new(NORN_CAUSALITY_MVC, &d->mvc));
	d->max_bytes = max_bytes ? max_bytes : NORN_LOOP_LOG_BYTES;
	norn_last_values_init(&d->values);
	norn_map_init(&d->by_thread, sizeof(uint32_t));
	norn_map_init(&d->forks, sizeof(uint64_t));
	return d;
}

static void drop(struct norn_loop_log *d)
{
	for (uint32_t i = 0; i < d->columns.count; i++) {
		norn_vector_done(&d->columns.items[i].entries);
		norn_vector_done(&d->columns.items[i].milestones);
	}
	norn_vector_done(&d->columns);
	norn_vector_done(&d->positions);
	norn_last_values_done(&d->values);
	norn_map_done(&d->by_thread);
	norn_map_done(&d->forks);
	norn_arena_done(&d->arena);
	norn_mvc_free(d->mvc);
	*d = (struct norn_loop_log){.full = d->full};
}

void norn_loop_log_free(struct norn_loop_log *d)
{
	if (!d)
		return;
	drop(d);
	free(d);
}

static struct log_column *column_of(struct norn_loop_log *d, uint32_t thread)
{
	uint32_t *known = norn_must_map_put(&d->by_thread, thread);
	if (!*known) {
		const uint64_t *fork = norn_map_get(&d->forks, thread);
		norn_must_push(&d->columns, (struct log_column){.thread = thread,
		                                    .fork_column = fork ? (uint32_t)(*fork >> 32) : NONE,
		                                    .fork_event = fork ? (uint32_t)*fork : NONE});
		*known = d->columns.count;
	}
	return &d->columns.items[*known - 1];
}

/* The past of the thread's last event. */
static struct past past_of(struct norn_loop_log *d, const struct log_column *c)
{
	uint32_t width;
	const uint32_t *clock = norn_mvc_clock(d->mvc, c->thread, &width);
	d->bytes += sizeof(struct past) + width * sizeof *clock;
	return (struct past){c->entries.count, width, norn_must_arena_copy(&d->arena, clock, width, sizeof *clock)};
}

static void note_position(struct norn_loop_log *d, const struct log_column *c, uint32_t payload)
{
	while (d->positions.count <= payload)
		norn_must_add(&d->positions);
	d->positions.items[payload] = past_of(d, c);
}

static void append(struct norn_loop_log *d, struct log_column *c, const struct norn_event *e, uint32_t payload)
{
	struct log_entry entry = {.number = d->number,
	        .addr = e->addr,
	        .size = e->size,
	        .value = e->value,
	        .argument = e->argument,
	        .site = e->site,
	        .payload = payload,
	        .kind = e->kind,
	        .op = e->op,
	        .pieces = e->pieces,
	        .known = e->known};
	d->bytes += sizeof entry;
	bool access = e->kind >= NORN_EVENT_READ && e->kind <= NORN_EVENT_RMW;
	if (access && e->size > 8 && e->data) {
		entry.data = norn_must_arena_copy(&d->arena, e->data, e->size, 1);
		d->bytes += e->size;
	}
	entry.before_known = norn_last_values_event(&d->values, e, &entry.before);
	norn_must_push(&c->entries, entry);
}

static bool is_thread_op(const struct norn_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

/* May it have ended a wait? */
static bool is_wait(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_SYNC &&
	       (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED || e->op == NORN_SYNC_SEM_WAIT ||
	               e->op == NORN_SYNC_BARRIER_LEAVE || e->op == NORN_SYNC_ONCE_PASS);
}

/* False: the clocks have no room for its thread. */
static bool note(struct norn_loop_log *d, const struct norn_event *e, uint32_t payload)
{
	struct log_column *c = column_of(d, e->thread);
	bool waits = is_wait(e) && c->milestones.count < WAITS;
	if ((is_thread_op(e, NORN_THREAD_JOIN) || waits) && c->entries.count)
		norn_must_push(&c->milestones, past_of(d, c));
	int r = norn_mvc_follow(d->mvc, e, true);
	if (r == -EOVERFLOW)
		return false;
	norn_must_do(r);
	append(d, c, e, payload);
	if (is_thread_op(e, NORN_THREAD_FORK)) {
		uint64_t *fork = norn_must_map_put(&d->forks, e->value);
		*fork = (uint64_t)(c - d->columns.items) << 32 | (c->entries.count - 1);
	}
	if (is_thread_op(e, NORN_THREAD_END))
		norn_must_push(&c->milestones, past_of(d, c));
	if (payload != NONE)
		note_position(d, c, payload);
	return true;
}

void norn_loop_log_event(struct norn_loop_log *d, const struct norn_event *e, uint32_t payload)
{
	if (d->full)
		return;
	d->number++;
	bool noted = note(d, e, payload);
	d->full = !noted || d->bytes + d->values.words.capacity * d->values.words.slot_bytes > d->max_bytes;
	if (d->full)
		drop(d);
}

bool norn_loop_log_full(const struct norn_loop_log *d)
{
	return d->full;
}

/* ---- afterwards ---- */

uint32_t norn_loop_log_columns(const struct norn_loop_log *d)
{
	return d->columns.count;
}

uint32_t norn_loop_log_thread(const struct norn_loop_log *d, uint32_t column)
{
	return d->columns.items[column].thread;
}

uint32_t norn_loop_log_events(const struct norn_loop_log *d, uint32_t column)
{
	return d->columns.items[column].entries.count;
}

void norn_loop_log_get(const struct norn_loop_log *d, uint32_t column, uint32_t i, struct norn_loop_log_entry *ret_entry)
{
	const struct log_column *c = &d->columns.items[column];
	assert(i < c->entries.count);
	const struct log_entry *e = &c->entries.items[i];
	*ret_entry = (struct norn_loop_log_entry){.event = {.kind = e->kind,
	                                                  .op = e->op,
	                                                  .pieces = e->pieces,
	                                                  .known = e->known,
	                                                  .thread = c->thread,
	                                                  .site = e->site,
	                                                  .addr = e->addr,
	                                                  .size = e->size,
	                                                  .value = e->value,
	                                                  .argument = e->argument,
	                                                  .data = e->data},
	        .number = e->number,
	        .before = e->before,
	        .before_known = e->before_known,
	        .payload = e->payload};
}

uint32_t norn_loop_log_site(const struct norn_loop_log *d, uint32_t column, uint32_t i)
{
	return i == NONE ? 0 : d->columns.items[column].entries.items[i].site;
}

void norn_loop_log_include(const struct norn_loop_log *d, uint32_t payload, uint32_t *cut)
{
	const struct past *p = &d->positions.items[payload];
	for (uint32_t c = 0; c < p->width; c++)
		cut[c] = p->clock[c] > cut[c] ? p->clock[c] : cut[c];
}

static bool is_within(const struct past *p, uint32_t column, const uint32_t *cut)
{
	for (uint32_t k = 0; k < p->width; k++)
		if (k != column && p->clock[k] > cut[k])
			return false;
	return true;
}

uint32_t norn_loop_log_advance(const struct norn_loop_log *d, uint32_t column, const uint32_t *cut)
{
	const struct log_column *c = &d->columns.items[column];
	uint32_t low = NORN_BISECT(0, c->milestones.count, i,
	        is_within(&c->milestones.items[i], column, cut)); /* the past grows: those that are reached come first */
	uint32_t far = low ? c->milestones.items[low - 1].event : 0;
	return far > cut[column] ? far : cut[column];
}

bool norn_loop_log_fork(const struct norn_loop_log *d, uint32_t column, uint32_t *ret_column, uint32_t *ret_event)
{
	*ret_column = d->columns.items[column].fork_column;
	*ret_event = d->columns.items[column].fork_event;
	return *ret_column != NONE;
}
