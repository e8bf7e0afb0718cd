#include "trace/read_ahead.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/priority_queue.h"
#include "trace/decode.h"

#define CHUNK_UNITS 2046u
static_assert(CHUNK_UNITS >= NORN_RECORD_UNITS_MAX, "every record fits");

#define SLACK_MICROSECONDS 100u /* clocks of two processors may differ a little */

struct ahead_chunk {
	struct ahead_chunk *next;
	uint64_t used;
	uint64_t units[CHUNK_UNITS];
};

/* One thread's queue. */
struct thread_queue {
	struct norn_cursor *cursor; /* NULL: at its end */
	struct ahead_chunk *first, *last;
	unsigned taken; /* units of the first chunk that were dropped */
	unsigned peeked; /* length of the record at hand */
	uint64_t *open; /* place for the upper bound of the newest segment */
	uint64_t ticks; /* of the newest stamp */
	uint64_t held; /* a TIME record that waits for the arguments that belong before it; 0: none */
	bool stamped; /* the newest stamp has no record after it yet */
	bool doubled; /* it came right after another one */
	uint64_t ticked[3]; /* the newest stamps that are due to a tick, the newest one last */
	uint64_t low; /* records that were not read yet happened after this */
};

struct norn_read_ahead {
	struct norn_trace *trace;
	struct norn_memory_image *image;
	struct norn_decode clock; /* for its conversion of times */
	uint64_t patience, slack; /* ticks; patience UINT64_MAX: unlimited */
	struct thread_queue **feeds;
	uint32_t threads;
	bool *opened;
	bool lossy;
	struct norn_priority_queue behind; /* feeds not at their end, by low */
	uint64_t reached;
	struct ahead_chunk *spare;
};

bool norn_read_ahead_lossy(const struct norn_read_ahead *ahead)
{
	return ahead->lossy;
}

static bool is_root(const struct norn_read_ahead *ahead, uint32_t thread)
{
	uint32_t parent = norn_trace_thread(ahead->trace, thread)->parent;
	return thread == 0 || parent == NORN_NO_THREAD || parent >= ahead->threads || parent == thread;
}

struct norn_read_ahead *norn_read_ahead_new(struct norn_trace *trace, struct norn_memory_image *image, unsigned patience)
{
	const struct norn_file_header *header = norn_trace_header(trace);
	struct norn_read_ahead *ahead = norn_must_calloc(1, sizeof *ahead);
	ahead->trace = trace;
	ahead->image = image;
	ahead->threads = norn_trace_threads(trace);
	ahead->lossy = header->state != NORN_STATE_COMPLETE || header->lost_events || header->lost_threads;
	norn_decode_init(&ahead->clock, 0, header);
	uint64_t hz = header->tsc_hz ? header->tsc_hz : 1000000000u;
	ahead->patience = patience ? hz / 1000 * patience : UINT64_MAX;
	ahead->slack = hz / 1000000 * SLACK_MICROSECONDS;
	ahead->feeds = norn_must_calloc(ahead->threads + 1, sizeof *ahead->feeds);
	ahead->opened = norn_must_calloc(ahead->threads + 1, sizeof *ahead->opened);
	for (uint32_t i = 0; i < ahead->threads; i++)
		if (is_root(ahead, i))
			norn_read_ahead_open(ahead, i);
	return ahead;
}

static void free_chunks(struct ahead_chunk *chunk)
{
	for (struct ahead_chunk *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
}

static void free_feed(struct thread_queue *thread_queue)
{
	if (!thread_queue)
		return;
	norn_cursor_free(thread_queue->cursor);
	free_chunks(thread_queue->first);
	free(thread_queue);
}

void norn_read_ahead_free(struct norn_read_ahead *ahead)
{
	if (!ahead)
		return;
	for (uint32_t i = 0; i < ahead->threads; i++)
		free_feed(ahead->feeds[i]);
	free_chunks(ahead->spare);
	norn_priority_queue_done(&ahead->behind);
	free(ahead->feeds);
	free(ahead->opened);
	free(ahead);
}

static struct ahead_chunk *new_chunk(struct norn_read_ahead *ahead)
{
	struct ahead_chunk *chunk = ahead->spare;
	if (chunk)
		ahead->spare = chunk->next;
	else
		chunk = norn_must_alloc(1, sizeof *chunk);
	chunk->next = NULL;
	chunk->used = 0;
	return chunk;
}

/* Units of a queued record: valid, since the cursor gave it, so that its length needs no checks. */
static unsigned queued_units(const uint64_t *record)
{
	static const uint8_t units[16] = {
	        [NORN_TAG_READ] = 2,
	        [NORN_TAG_WRITE] = 3,
	        [NORN_TAG_EXT] = 3,
	        [NORN_TAG_SYNC] = 3,
	        [NORN_TAG_THREAD] = 3,
	        [NORN_TAG_ENTER] = 1,
	        [NORN_TAG_LEAVE] = 1,
	        [NORN_TAG_VALUE] = 2,
	        [NORN_TAG_ALLOC] = 3,
	        [NORN_TAG_MARK] = 3,
	        [NORN_TAG_TIME] = 2,
	        [NORN_TAG_LOST] = 1,
	};
	switch (norn_record_tag(record[0])) {
	case NORN_TAG_RMW:
		return norn_record_sub(record[0]) == 4 ? 5 : 3;
	case NORN_TAG_RANGE:
		return (unsigned)(3 + (record[2] >> 32) + (uint32_t)record[2]);
	default:
		return units[norn_record_tag(record[0])];
	}
}

static uint64_t *push(struct norn_read_ahead *ahead, struct thread_queue *thread_queue, const uint64_t *record, unsigned units)
{
	struct ahead_chunk *last = thread_queue->last;
	if (!last || last->used + units > CHUNK_UNITS) {
		struct ahead_chunk *chunk = new_chunk(ahead);
		if (last)
			last->next = chunk;
		else
			thread_queue->first = chunk;
		thread_queue->last = last = chunk;
	}
	uint64_t *to = &last->units[last->used];
	for (unsigned i = 0; i < units; i++)
		to[i] = record[i];
	last->used += units;
	return to;
}

/* A stamp: the segment before it is closed, a new one begins. */
static void push_time(struct norn_read_ahead *ahead, struct thread_queue *thread_queue, uint64_t unit)
{
	uint64_t ticks = norn_decode_ticks(&ahead->clock, unit);
	if (ticks < thread_queue->ticks)
		ticks = thread_queue->ticks;
	if (thread_queue->open)
		*thread_queue->open = ticks;
	uint64_t record[2] = {unit, 0};
	thread_queue->open = push(ahead, thread_queue, record, 2) + 1;
	thread_queue->ticks = ticks;
}

static void close_feed(struct norn_read_ahead *ahead, struct thread_queue *thread_queue)
{
	if (thread_queue->open)
		*thread_queue->open = UINT64_MAX;
	thread_queue->open = NULL;
	norn_cursor_free(thread_queue->cursor);
	thread_queue->cursor = NULL;
	thread_queue->low = UINT64_MAX;
}

void norn_read_ahead_open(struct norn_read_ahead *ahead, uint32_t thread)
{
	if (thread >= ahead->threads || ahead->opened[thread])
		return;
	struct thread_queue *thread_queue = norn_must_calloc(1, sizeof *thread_queue);
	ahead->feeds[thread] = thread_queue;
	ahead->opened[thread] = true;
	int r = norn_cursor_new(ahead->trace, thread, &thread_queue->cursor);
	assert(r == 0); /* there is such a thread */
	(void)r;
	push_time(ahead, thread_queue, ahead->clock.tsc_start << 8 | NORN_TAG_TIME);
	norn_priority_queue_push(&ahead->behind, 0, thread);
	/* Its reads are not counted yet: nothing is reached before they are. */
	ahead->reached = 0;
}

static int expect(struct norn_read_ahead *ahead, uint32_t thread, uint64_t addr, uint32_t version, struct norn_error *err)
{
	struct norn_memory_image_cell *cell = norn_memory_image_cell(ahead->image, addr);
	if ((int32_t)(version - cell->version) >= 0) {
		norn_memory_image_expect(ahead->image, cell, addr, version);
		return 0;
	}
	if (ahead->lossy)
		return 0;
	return norn_error_set(err, -ESTALE, "thread %s reads version %u of the word at 0x%llx when that is already at version %u",
	        norn_trace_thread(ahead->trace, thread)->path, version, (unsigned long long)(addr & ~UINT64_C(7)), cell->version);
}

static int expect_range(struct norn_read_ahead *ahead, uint32_t thread, const uint64_t *r, unsigned units, struct norn_error *err)
{
	uint64_t word = norn_record_addr(r[0]) & ~UINT64_C(7);
	unsigned runs = r[2] >> 32, left = norn_decode_words(norn_record_addr(r[0]), r[1] >> 32);
	for (unsigned i = 0; i < runs && 3 + i < units; i++) {
		unsigned count = r[3 + i] >> 32;
		if (count > left) /* the decoder will refuse it */
			return 0;
		left -= count;
		for (; count; count--, word += 8) {
			int e = expect(ahead, thread, word, (uint32_t)r[3 + i], err);
			if (e != 0)
				return e;
		}
	}
	return 0;
}

static int note(struct norn_read_ahead *ahead, uint32_t thread, const uint64_t *r, unsigned units, struct norn_error *err)
{
	switch (norn_record_tag(r[0])) {
	case NORN_TAG_READ:
		return expect(ahead, thread, norn_record_addr(r[0]), r[1] >> 32, err);
	case NORN_TAG_RANGE:
		if (norn_range_reads(norn_record_sub(r[0])))
			return expect_range(ahead, thread, r, units, err);
		return 0;
	case NORN_TAG_THREAD:
		if (norn_record_sub(r[0]) == NORN_THREAD_FORK)
			norn_read_ahead_open(ahead, r[1] >> 32);
		return 0;
	case NORN_TAG_LOST:
		ahead->lossy = true;
		return 0;
	default:
		return 0;
	}
}

static bool is_argument(uint64_t unit)
{
	return norn_record_tag(unit) == NORN_TAG_VALUE && norn_record_sub(unit) != NORN_VALUE_RESULT;
}

static bool is_access(const uint64_t *record)
{
	switch (norn_record_tag(record[0])) {
	case NORN_TAG_READ:
	case NORN_TAG_WRITE:
	case NORN_TAG_RMW:
	case NORN_TAG_EXT:
		return true;
	case NORN_TAG_RANGE:
		return norn_record_sub(record[0]) != NORN_RANGE_FREE;
	default:
		return false;
	}
}

/* The first record after a stamp is there: was the stamp due to a tick? */
static void note_tick(struct thread_queue *thread_queue, const uint64_t *record)
{
	if (thread_queue->doubled || is_access(record)) {
		thread_queue->ticked[0] = thread_queue->ticked[1];
		thread_queue->ticked[1] = thread_queue->ticked[2];
		thread_queue->ticked[2] = thread_queue->ticks;
	}
	thread_queue->doubled = false;
}

/* Reads on up to the first record, external writes aside, after the next stamp, or to the end. */
static int step(struct norn_read_ahead *ahead, uint32_t thread, struct norn_error *err)
{
	struct thread_queue *thread_queue = ahead->feeds[thread];
	for (;;) {
		const uint64_t *record;
		unsigned units;
		int r = norn_cursor_next(thread_queue->cursor, &record, &units, err);
		if (r < 0)
			return r;
		if (r == 0) {
			close_feed(ahead, thread_queue);
			return 0;
		}
		if (norn_record_tag(record[0]) == NORN_TAG_TIME) {
			thread_queue->doubled = thread_queue->held != 0;
			thread_queue->held = record[0];
			continue;
		}
		if (thread_queue->held && !is_argument(record[0])) {
			push_time(ahead, thread_queue, thread_queue->held);
			thread_queue->held = 0;
			thread_queue->stamped = true;
			note_tick(thread_queue, record);
		}
		push(ahead, thread_queue, record, units);
		if ((r = note(ahead, thread, record, units, err)) != 0)
			return r;
		if (thread_queue->stamped && norn_record_tag(record[0]) != NORN_TAG_EXT) {
			thread_queue->stamped = false;
			thread_queue->low = thread_queue->ticks;
			return 0;
		}
	}
}

static uint64_t plus(uint64_t ticks, uint64_t more)
{
	return ticks > UINT64_MAX - more ? UINT64_MAX : ticks + more;
}

/* True if the record that was dropped last may come from the last hook of its segment. After it may then come the external writes
 * that the same hook met, and an access, or the two halves of a copy; one record more than that does no harm, since the segment's
 * last record has to look as far anyway. */
static bool segment_ends(const struct thread_queue *thread_queue)
{
	const struct ahead_chunk *chunk = thread_queue->first;
	unsigned at = thread_queue->taken, accesses = 0;
	for (;;) {
		if (chunk && at == chunk->used) {
			chunk = chunk->next;
			at = 0;
		}
		if (!chunk || at == chunk->used || norn_record_tag(chunk->units[at]) == NORN_TAG_TIME)
			return true;
		accesses += norn_record_tag(chunk->units[at]) != NORN_TAG_EXT;
		if (accesses > 2)
			return false;
		at += queued_units(&chunk->units[at]);
	}
}

int norn_read_ahead_reach(
        struct norn_read_ahead *ahead, uint32_t thread, uint64_t since, uint64_t upper, uint64_t *bound, struct norn_error *err)
{
	bool last = plus(upper, ahead->slack) >= ahead->reached && segment_ends(ahead->feeds[thread]);
	uint64_t limit = !last ? *bound : upper > plus(since, ahead->patience) ? plus(since, ahead->patience) : upper;
	while (ahead->behind.count && plus(limit, ahead->slack) >= ahead->reached) {
		uint32_t other = norn_priority_queue_pop(&ahead->behind).item;
		struct thread_queue *thread_queue = ahead->feeds[other];
		if (thread_queue && thread_queue->cursor) {
			int r = thread_queue->low > ahead->reached ? 0 : step(ahead, other, err);
			if (r != 0)
				return r;
			if (thread_queue->cursor)
				norn_priority_queue_push(&ahead->behind, thread_queue->low, other);
			if (!last && thread_queue->ticked[0] > since && thread_queue->ticked[2] < limit)
				*bound = limit = thread_queue->ticked[2];
		}
		ahead->reached = ahead->behind.count ? ahead->behind.items[0].key : UINT64_MAX;
	}
	return 0;
}

int norn_read_ahead_peek(
        struct norn_read_ahead *ahead, uint32_t thread, const uint64_t **ret_record, unsigned *ret_units, struct norn_error *err)
{
	struct thread_queue *thread_queue = ahead->feeds[thread];
	if (!thread_queue)
		return 0;
	for (;;) {
		struct ahead_chunk *first = thread_queue->first;
		if (first && thread_queue->taken < first->used) {
			const uint64_t *record = &first->units[thread_queue->taken];
			if (norn_record_tag(record[0]) != NORN_TAG_TIME || &record[1] != thread_queue->open) {
				thread_queue->peeked = queued_units(record);
				*ret_record = record;
				*ret_units = thread_queue->peeked;
				return 1;
			}
		} else if (first && first->next) {
			thread_queue->first = first->next;
			thread_queue->taken = 0;
			first->next = ahead->spare;
			ahead->spare = first;
			continue;
		} else if (!thread_queue->cursor) {
			free_feed(thread_queue);
			ahead->feeds[thread] = NULL;
			return 0;
		}
		int r = step(ahead, thread, err);
		if (r != 0)
			return r;
	}
}

int norn_read_ahead_range(struct norn_read_ahead *ahead, uint32_t thread, uint32_t site, const uint64_t **ret_record,
        unsigned *ret_units, unsigned *ret_externals, struct norn_error *err)
{
	struct thread_queue *thread_queue = ahead->feeds[thread];
	struct ahead_chunk *chunk = thread_queue ? thread_queue->first : NULL;
	unsigned at = thread_queue ? thread_queue->taken : 0;
	*ret_externals = 0;
	while (chunk) {
		if (at < chunk->used) {
			const uint64_t *record = &chunk->units[at];
			unsigned tag = norn_record_tag(record[0]), sub = norn_record_sub(record[0]);
			unsigned units = queued_units(record);
			bool range = tag == NORN_TAG_RANGE && norn_range_reads(sub);
			if (tag != NORN_TAG_TIME && tag != NORN_TAG_EXT) {
				*ret_record = record;
				*ret_units = units;
				return range && (uint32_t)record[1] == site;
			}
			*ret_externals += tag == NORN_TAG_EXT;
			at += units;
		} else if (chunk->next) {
			chunk = chunk->next;
			at = 0;
		} else if (!thread_queue->cursor) {
			return 0;
		} else {
			int r = step(ahead, thread, err);
			if (r != 0)
				return r;
		}
	}
	return 0;
}

void norn_read_ahead_drop(struct norn_read_ahead *ahead, uint32_t thread)
{
	struct thread_queue *thread_queue = ahead->feeds[thread];
	thread_queue->taken += thread_queue->peeked;
	thread_queue->peeked = 0;
}
