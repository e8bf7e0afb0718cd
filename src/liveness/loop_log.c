#include "liveness/loop_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/arena.h"
#include "causality/mvc_events.h"
#include "witness/last_values.h"
#include "trace/record.h"

#define NONE UINT32_MAX

struct entry {
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

struct column {
	uint32_t thread;
	struct entry *entries;
	uint32_t count, room;
	struct past *milestones;
	uint32_t milestone_count, milestone_room;
	uint32_t fork_column, fork_event;
};

struct norn_loop_log {
	struct norn_mvc *mvc;
	struct norn_last_values cells;
	struct norn_arena arena;
	struct column *columns;
	uint32_t column_count, column_room;
	struct norn_map by_thread; /* 1 + column */
	struct norn_map forks; /* thread -> column << 32 | event */
	struct past *positions; /* by payload; width 0: none */
	uint32_t position_count, position_room;
	uint64_t number;
	uint64_t bytes;
	bool full;
};

int norn_loop_log_new(struct norn_loop_log **ret_diary)
{
	struct norn_loop_log *d = calloc(1, sizeof *d);
	if (!d || norn_mvc_new(NORN_CAUSALITY_MVC, &d->mvc) != 0) {
		free(d);
		return -ENOMEM;
	}
	norn_last_values_init(&d->cells);
	norn_map_init(&d->by_thread, sizeof(uint32_t));
	norn_map_init(&d->forks, sizeof(uint64_t));
	*ret_diary = d;
	return 0;
}

static void drop(struct norn_loop_log *d)
{
	for (uint32_t i = 0; i < d->column_count; i++) {
		free(d->columns[i].entries);
		free(d->columns[i].milestones);
	}
	free(d->columns);
	free(d->positions);
	norn_last_values_done(&d->cells);
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

static int column_of(struct norn_loop_log *d, uint32_t thread, struct column **ret_column)
{
	void *value;
	if (norn_map_put(&d->by_thread, thread, &value) != 0)
		return -ENOMEM;
	uint32_t *known = value;
	if (!*known) {
		if (norn_grow(&d->columns, d->column_count + UINT64_C(1), &d->column_room, sizeof *d->columns) != 0)
			return -ENOMEM;
		const uint64_t *fork = norn_map_get(&d->forks, thread);
		d->columns[d->column_count] = (struct column){.thread = thread,
		        .fork_column = fork ? (uint32_t)(*fork >> 32) : NONE,
		        .fork_event = fork ? (uint32_t)*fork : NONE};
		*known = ++d->column_count;
	}
	*ret_column = &d->columns[*known - 1];
	return 0;
}

/* The past of the thread's last event. */
static int note_past(struct norn_loop_log *d, const struct column *c, struct past *ret_past)
{
	uint32_t width;
	const uint32_t *clock = norn_mvc_clock(d->mvc, c->thread, &width);
	uint32_t *copy = norn_arena_alloc(&d->arena, (width + 1ul) * sizeof *copy);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, clock, width * sizeof *copy);
	d->bytes += width * sizeof *copy;
	*ret_past = (struct past){c->count, width, copy};
	return 0;
}

static int note_milestone(struct norn_loop_log *d, struct column *c)
{
	d->bytes += sizeof(struct past);
	if (norn_grow(&c->milestones, c->milestone_count + UINT64_C(1), &c->milestone_room, sizeof *c->milestones) != 0)
		return -ENOMEM;
	int r = note_past(d, c, &c->milestones[c->milestone_count]);
	c->milestone_count += r == 0;
	return r;
}

static int note_position(struct norn_loop_log *d, const struct column *c, uint32_t payload)
{
	if (norn_grow(&d->positions, payload + UINT64_C(1), &d->position_room, sizeof *d->positions) != 0)
		return -ENOMEM;
	for (; d->position_count <= payload; d->position_count++)
		d->positions[d->position_count] = (struct past){0};
	d->bytes += sizeof(struct past);
	return note_past(d, c, &d->positions[payload]);
}

static int append(struct norn_loop_log *d, struct column *c, const struct norn_event *e, uint32_t payload)
{
	if (norn_grow(&c->entries, c->count + UINT64_C(1), &c->room, sizeof *c->entries) != 0)
		return -ENOMEM;
	struct entry *to = &c->entries[c->count];
	*to = (struct entry){.number = d->number,
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
	d->bytes += sizeof *to;
	bool access = e->kind >= NORN_EVENT_READ && e->kind <= NORN_EVENT_RMW;
	if (access && e->size > 8 && e->data) {
		uint8_t *data = norn_arena_alloc(&d->arena, e->size);
		if (!data)
			return -ENOMEM;
		to->data = memcpy(data, e->data, e->size);
		d->bytes += e->size;
	}
	int r = norn_last_values_event(&d->cells, e, &to->before);
	to->before_known = r == 1;
	c->count++;
	return r < 0 ? r : 0;
}

static bool is_thread_op(const struct norn_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

static int note(struct norn_loop_log *d, const struct norn_event *e, uint32_t payload)
{
	struct column *c;
	int r = column_of(d, e->thread, &c);
	if (r == 0 && is_thread_op(e, NORN_THREAD_JOIN) && c->count)
		r = note_milestone(d, c);
	if (r == 0)
		r = norn_mvc_follow(d->mvc, e, true);
	if (r == 0)
		r = append(d, c, e, payload);
	if (r == 0 && is_thread_op(e, NORN_THREAD_FORK)) {
		void *value;
		r = norn_map_put(&d->forks, e->value, &value);
		if (r == 0)
			*(uint64_t *)value = (uint64_t)(c - d->columns) << 32 | (c->count - 1);
	}
	if (r == 0 && is_thread_op(e, NORN_THREAD_END))
		r = note_milestone(d, c);
	if (r == 0 && payload != NONE)
		r = note_position(d, c, payload);
	return r;
}

int norn_loop_log_event(struct norn_loop_log *d, const struct norn_event *e, uint32_t payload)
{
	if (d->full)
		return 0;
	d->number++;
	int r = note(d, e, payload);
	d->full = d->bytes + d->cells.words.capacity * d->cells.words.slot_bytes > NORN_CYCLE_LOG_BYTES || r == -EOVERFLOW;
	if (d->full) {
		drop(d);
		return 0;
	}
	return r;
}

bool norn_loop_log_full(const struct norn_loop_log *d)
{
	return d->full;
}

/* ---- afterwards ---- */

uint32_t norn_loop_log_columns(const struct norn_loop_log *d)
{
	return d->column_count;
}

uint32_t norn_loop_log_thread(const struct norn_loop_log *d, uint32_t column)
{
	return d->columns[column].thread;
}

uint32_t norn_loop_log_events(const struct norn_loop_log *d, uint32_t column)
{
	return d->columns[column].count;
}

void norn_loop_log_get(const struct norn_loop_log *d, uint32_t column, uint32_t i, struct norn_loop_log_entry *ret_entry)
{
	const struct entry *e = &d->columns[column].entries[i];
	*ret_entry = (struct norn_loop_log_entry){.event = {.kind = e->kind,
	                                                  .op = e->op,
	                                                  .pieces = e->pieces,
	                                                  .known = e->known,
	                                                  .thread = d->columns[column].thread,
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
	return i == NONE ? 0 : d->columns[column].entries[i].site;
}

void norn_loop_log_include(const struct norn_loop_log *d, uint32_t payload, uint32_t *cut)
{
	const struct past *p = &d->positions[payload];
	for (uint32_t c = 0; c < p->width; c++)
		cut[c] = p->clock[c] > cut[c] ? p->clock[c] : cut[c];
}

uint32_t norn_loop_log_advance(const struct norn_loop_log *d, uint32_t column, const uint32_t *cut)
{
	const struct column *c = &d->columns[column];
	uint32_t far = cut[column];
	for (uint32_t m = 0; m < c->milestone_count; m++) {
		const struct past *p = &c->milestones[m];
		for (uint32_t k = 0; k < p->width; k++)
			if (k != column && p->clock[k] > cut[k])
				return far;
		far = p->event > far ? p->event : far;
	}
	return far;
}

bool norn_loop_log_fork(const struct norn_loop_log *d, uint32_t column, uint32_t *ret_column, uint32_t *ret_event)
{
	*ret_column = d->columns[column].fork_column;
	*ret_event = d->columns[column].fork_event;
	return *ret_column != NONE;
}
