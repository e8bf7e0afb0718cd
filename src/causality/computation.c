#include "causality/computation.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* While it is built, a thread's events are rows of units, in the order of arrival:
 *   payload, own count, width, width entries indexed by column
 * A column is a thread of the run that some clock has an entry for, in the order of its first appearance, so that rows are as wide
 * as the computation was at that time, and never as wide as the run has threads. */
#define ROW_HEAD 3u

struct computation_column {
	uint32_t number; /* of the thread in the run */
	uint32_t events; /* rows added */
	uint32_t *units;
	size_t used, room;
};

struct norn_computation_builder {
	NORN_VECTOR(struct computation_column) columns;
	NORN_VECTOR(uint32_t) column_of; /* per thread of the run: its column + 1, 0 if none yet */
};

struct norn_computation_builder *norn_computation_builder_new(void)
{
	return norn_must_calloc(1, sizeof(struct norn_computation_builder));
}

static void empty(struct norn_computation_builder *b)
{
	for (uint32_t i = 0; i < b->columns.count; i++)
		free(b->columns.items[i].units);
	norn_vector_done(&b->columns);
	norn_vector_done(&b->column_of);
}

void norn_computation_builder_free(struct norn_computation_builder *builder)
{
	if (!builder)
		return;
	empty(builder);
	free(builder);
}

/* Gives thread number its column if it has none. */
static void add_column(struct norn_computation_builder *b, uint32_t number)
{
	while (b->column_of.count <= number)
		norn_must_push(&b->column_of, 0);
	if (b->column_of.items[number])
		return;
	norn_must_push(&b->columns, (struct computation_column){.number = number});
	b->column_of.items[number] = b->columns.count;
}

static void reserve_units(struct computation_column *column, size_t units)
{
	if (column->used + units <= column->room)
		return;
	size_t room = column->room ? column->room + column->room / 2 : 64;
	column->room = room < column->used + units ? column->used + units : room;
	column->units = norn_must_realloc(column->units, column->room, sizeof *column->units);
}

int norn_computation_add(
        struct norn_computation_builder *builder, uint32_t thread, const uint32_t *clock, uint32_t width, uint32_t payload)
{
	if (thread >= width || clock[thread] == 0)
		return -EINVAL;
	for (uint32_t j = 0; j < width; j++)
		if (clock[j])
			add_column(builder, j);
	const struct computation_column *columns = builder->columns.items;
	uint32_t count = builder->columns.count, number = builder->column_of.items[thread];
	assert(number && number <= count);
	struct computation_column *column = &builder->columns.items[number - 1];
	reserve_units(column, ROW_HEAD + count);
	uint32_t *row = column->units + column->used;
	row[0] = payload;
	row[1] = clock[thread];
	row[2] = count;
	for (uint32_t j = 0; j < count; j++)
		row[ROW_HEAD + j] = columns[j].number < width ? clock[columns[j].number] : 0;
	column->used += ROW_HEAD + count;
	assert(column->used <= column->room);
	column->events++;
	return 0;
}

static struct norn_computation *new_computation(uint32_t threads, uint64_t total)
{
	struct norn_computation *c = norn_must_calloc(1, sizeof *c);
	c->threads = threads;
	c->total = total;
	c->numbers = norn_must_calloc(threads, sizeof *c->numbers);
	c->events = norn_must_calloc(threads, sizeof *c->events);
	c->first = norn_must_calloc(threads + UINT64_C(1), sizeof *c->first);
	c->clocks = norn_must_calloc(total * threads, sizeof *c->clocks);
	c->payloads = norn_must_calloc(total, sizeof *c->payloads);
	return c;
}

void norn_computation_free(struct norn_computation *computation)
{
	if (!computation)
		return;
	free(computation->numbers);
	free(computation->events);
	free(computation->first);
	free(computation->clocks);
	free(computation->payloads);
	free(computation);
}

/* Sorts the rows of thread i's column into the computation, and frees them. place: the thread of each column. */
static int settle(
        struct norn_computation *c, uint32_t i, struct computation_column *column, const uint32_t *place, struct norn_error *err)
{
	for (size_t at = 0; at < column->used; at += ROW_HEAD + column->units[at + 2]) {
		const uint32_t *row = column->units + at;
		uint32_t k = row[1] - 1;
		if (k >= column->events)
			return norn_error_set(err, -EBADMSG, "thread %u has %u relevant events, but one of them is number %u",
			        column->number, column->events, row[1]);
		uint32_t *clock = c->clocks + (c->first[i] + k) * c->threads;
		if (clock[i])
			return norn_error_set(
			        err, -EBADMSG, "relevant event %u of thread %u was there twice", row[1], column->number);
		c->payloads[c->first[i] + k] = row[0];
		for (uint32_t j = 0; j < row[2]; j++)
			clock[place[j]] = row[ROW_HEAD + j];
	}
	free(column->units);
	column->units = NULL;
	return 0;
}

static bool at_most(const uint32_t *a, const uint32_t *b, uint32_t width)
{
	for (uint32_t j = 0; j < width; j++)
		if (a[j] > b[j])
			return false;
	return true;
}

/* Checks the clock of event k of thread i in the entries that differ from those of the event before: the events that they name
 * exist, have clocks of at most this one, and do not have this event in theirs. (Equal entries were checked with the event before.)
 * */
static int check_event(const struct norn_computation *c, uint32_t i, uint32_t k, struct norn_error *err)
{
	const uint32_t *clock = norn_computation_clock(c, i, k);
	const uint32_t *before = k ? norn_computation_clock(c, i, k - 1) : NULL;
	if (before && !at_most(before, clock, c->threads))
		return norn_error_set(err, -EBADMSG, "relevant event %u of thread %u does not know all that the one before it knew",
		        k + 1, c->numbers[i]);
	for (uint32_t j = 0; j < c->threads; j++) {
		if (j == i || clock[j] == (before ? before[j] : 0))
			continue;
		if (clock[j] > c->events[j])
			return norn_error_set(err, -EBADMSG,
			        "relevant event %u of thread %u comes after number %u of thread %u, which has only %u", k + 1,
			        c->numbers[i], clock[j], c->numbers[j], c->events[j]);
		const uint32_t *cause = norn_computation_clock(c, j, clock[j] - 1);
		if (cause[i] > k || !at_most(cause, clock, c->threads))
			return norn_error_set(err, -EBADMSG,
			        "the clocks of relevant event %u of thread %u and %u of thread %u contradict each other", k + 1,
			        c->numbers[i], clock[j], c->numbers[j]);
	}
	return 0;
}

static int check_clocks(const struct norn_computation *c, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r >= 0 && i < c->threads; i++)
		for (uint32_t k = 0; r >= 0 && k < c->events[i]; k++)
			r = check_event(c, i, k, err);
	return r;
}

/* place[column] is the thread that it becomes: by number. */
static uint32_t *place_columns(const struct norn_computation_builder *b, struct norn_computation *c)
{
	uint32_t *place = norn_must_calloc(b->columns.count, sizeof *place), i = 0;
	for (uint32_t number = 0; number < b->column_of.count; number++) {
		if (!b->column_of.items[number])
			continue;
		uint32_t column = b->column_of.items[number] - 1;
		place[column] = i;
		c->numbers[i] = number;
		c->events[i] = b->columns.items[column].events;
		c->first[i + 1] = c->first[i] + c->events[i];
		i++;
	}
	assert(i == c->threads && c->first[i] == c->total);
	return place;
}

static int build(struct norn_computation_builder *b, struct norn_computation *c, struct norn_error *err)
{
	uint32_t *place = place_columns(b, c);
	int r = 0;
	for (uint32_t column = 0; r >= 0 && column < b->columns.count; column++)
		r = settle(c, place[column], &b->columns.items[column], place, err);
	free(place);
	return r < 0 ? r : check_clocks(c, err);
}

int norn_computation_finish(
        struct norn_computation_builder *builder, struct norn_computation **ret_computation, struct norn_error *err)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < builder->columns.count; i++)
		total += builder->columns.items[i].events;
	struct norn_computation *c = new_computation(builder->columns.count, total);
	int r = build(builder, c, err);
	empty(builder);
	if (r < 0)
		norn_computation_free(c);
	else
		*ret_computation = c;
	return r;
}
