/* The merge. Threads that can go on are in a heap by time; one that cannot is parked under what it waits for: a version of a word,
 * or the end of a thread. Making a version looks up exactly those that wait for it, so a record costs one or two lookups of its
 * word, whatever the number of threads. */
#include "trace/merge.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/must.h"
#include "base/priority_queue.h"
#include "trace/read_ahead.h"
#include "trace/decode.h"
#include "trace/memory_image.h"

#define BUCKETS 4096u
#define NO_THREAD UINT32_MAX

enum merge_wait { WAIT_NONE, WAIT_VERSION, WAIT_READERS, WAIT_END };

struct merge_thread {
	struct norn_decode decode;
	struct norn_event event; /* the next one, whole */
	bool has_event;
	bool forced; /* do not wait for what is lost */
	unsigned done; /* words of event that were merged already */
	unsigned early; /* words of the range to come that were; see hoist */
	uint64_t ticks, upper; /* stamps around the records at hand */
	uint64_t bound; /* see norn_read_ahead_reach */
	enum merge_wait wait;
	uint64_t wait_word; /* or thread */
	uint32_t wait_version; /* the word must have this one */
	uint32_t next; /* in its bucket */
	uint32_t parked_at;
	bool copied; /* bytes is what COPY_FROM read, and known */
	uint8_t bytes[NORN_RANGE_BYTES + 8]; /* read by a range */
};

/* The state of a thread that outlives it. */
struct thread_state {
	bool started, finished; /* its records are being merged; all are */
	bool ended, exited; /* it has an END record; it called exit */
};

/* An unfinished thread and the words of the record that it did not get to write. */
struct unfinished_thread {
	uint64_t low, high; /* words; low > high: none yet */
	NORN_VECTOR(uint64_t) words;
};

struct norn_merge {
	struct norn_trace *trace;
	struct norn_memory_image *image;
	struct norn_read_ahead *ahead;
	uint32_t threads;
	struct merge_thread **live;
	struct thread_state *fates;
	struct norn_priority_queue runnable;
	struct merge_thread *current;
	uint32_t buckets[BUCKETS];
	uint32_t *parked, parked_count;
	uint32_t unstarted; /* threads before this one have all been started */
	NORN_VECTOR(struct unfinished_thread) donors;
	struct norn_decode scratch;
	struct norn_merge_losses losses;
	bool torn; /* norn_merge_is_torn */
};

/* ---- life ---- */

static void start(struct norn_merge *m, uint32_t number)
{
	if (number >= m->threads || m->fates[number].started)
		return;
	struct merge_thread *t = norn_must_calloc(1, sizeof *t);
	norn_decode_init(&t->decode, number, norn_trace_header(m->trace));
	m->live[number] = t;
	m->fates[number].started = true;
	norn_read_ahead_open(m->ahead, number);
	norn_priority_queue_push(&m->runnable, m->current ? m->current->ticks : 0, number);
}

static bool is_root(const struct norn_merge *m, uint32_t thread)
{
	uint32_t parent = norn_trace_thread(m->trace, thread)->parent;
	return thread == 0 || parent == NORN_NO_THREAD || parent >= m->threads || parent == thread;
}

struct norn_merge *norn_merge_new(struct norn_trace *trace, unsigned patience)
{
	struct norn_merge *m = norn_must_calloc(1, sizeof *m);
	m->trace = trace;
	m->threads = norn_trace_threads(trace);
	memset(m->buckets, 0xff, sizeof m->buckets);
	m->live = norn_must_calloc(m->threads + 1, sizeof(struct merge_thread *));
	m->fates = norn_must_calloc(m->threads + 1, sizeof *m->fates);
	m->parked = norn_must_calloc(m->threads + 1, sizeof *m->parked);
	m->image = norn_memory_image_new();
	m->ahead = norn_read_ahead_new(trace, m->image, patience);
	for (uint32_t i = 0; i < m->threads; i++)
		if (is_root(m, i))
			start(m, i);
	return m;
}

void norn_merge_free(struct norn_merge *merge)
{
	if (!merge)
		return;
	for (uint32_t i = 0; i < merge->threads; i++)
		free(merge->live[i]);
	for (uint32_t i = 0; i < merge->donors.count; i++)
		norn_vector_done(&merge->donors.items[i].words);
	norn_read_ahead_free(merge->ahead);
	norn_memory_image_free(merge->image);
	norn_priority_queue_done(&merge->runnable);
	norn_vector_done(&merge->donors);
	free(merge->live);
	free(merge->fates);
	free(merge->parked);
	free(merge);
}

bool norn_merge_is_torn(const struct norn_merge *merge)
{
	return merge->torn;
}

void norn_merge_losses(const struct norn_merge *merge, struct norn_merge_losses *ret_losses)
{
	*ret_losses = merge->losses;
}

/* ---- waiting ---- */

static uint32_t *bucket(struct norn_merge *m, uint64_t word, uint32_t version)
{
	uint64_t key = (word >> 3) * UINT64_C(0x9e3779b97f4a7c15) + version * UINT64_C(0xd1342543de82ef95);
	return &m->buckets[key >> 32 & (BUCKETS - 1)];
}

static void park(struct norn_merge *m, struct merge_thread *t, enum merge_wait wait, uint64_t word, uint32_t version)
{
	uint32_t *head = bucket(m, word, version);
	assert(t->wait == WAIT_NONE && wait != WAIT_NONE && m->parked_count < m->threads);
	t->wait = wait;
	t->wait_word = word;
	t->wait_version = version;
	t->next = *head;
	*head = t->decode.thread;
	t->parked_at = m->parked_count;
	m->parked[m->parked_count++] = t->decode.thread;
}

static void unpark(struct norn_merge *m, uint32_t *link)
{
	struct merge_thread *t = m->live[*link];
	uint32_t number = *link;
	assert(m->parked_count && m->parked[t->parked_at] == number);
	*link = t->next;
	uint32_t last = m->parked[--m->parked_count];
	m->parked[t->parked_at] = last;
	m->live[last]->parked_at = t->parked_at;
	t->wait = WAIT_NONE;
	norn_priority_queue_push(&m->runnable, t->ticks, number);
}

/* Lets all go on that wait for version of word (cell: its cell, NULL if word is a thread). */
static void wake(struct norn_merge *m, struct norn_memory_image_cell *cell, uint64_t word, uint32_t version, bool thread)
{
	for (uint32_t *link = bucket(m, word, version); *link != NO_THREAD;) {
		struct merge_thread *t = m->live[*link];
		if (t->wait_word != word || t->wait_version != version || (t->wait == WAIT_END) != thread) {
			link = &t->next;
			continue;
		}
		assert(!cell || cell->waiters);
		if (cell)
			cell->waiters--;
		unpark(m, link);
	}
}

static void park_on_word(
        struct norn_merge *m, struct merge_thread *t, struct norn_memory_image_cell *cell, uint64_t word, uint32_t version)
{
	cell->waiters++;
	park(m, t, cell->version == version ? WAIT_READERS : WAIT_VERSION, word, version);
}

/* ---- words ---- */

/* The bytes of event that lie in its word number i: offset in the word, offset in the event, length. */
static void word_part(
        const struct norn_event *e, uint64_t bytes, unsigned i, unsigned *ret_in_word, uint64_t *ret_in_event, unsigned *ret_length)
{
	unsigned skew = e->addr & 7;
	uint64_t begin = i * 8ull, end = begin + 8;
	*ret_in_word = i == 0 ? skew : 0;
	*ret_in_event = i == 0 ? 0 : begin - skew;
	if (end > skew + bytes)
		end = skew + bytes;
	*ret_length = (unsigned)(end - begin - *ret_in_word);
	assert(*ret_in_word + *ret_length <= 8 && *ret_in_event + *ret_length <= bytes);
}

/* 1: the word may now be read as version or, if writes, given it; 0: t was parked; else damage. */
static int admit(struct norn_merge *m, struct merge_thread *t, struct norn_memory_image_cell *cell, uint64_t word, uint32_t version,
        bool writes, struct norn_error *err)
{
	uint32_t needed = version - writes;
	int32_t ahead = (int32_t)(needed - cell->version);
	if (__builtin_expect(ahead > 0, 0)) {
		park_on_word(m, t, cell, word, needed);
		return 0;
	}
	if (__builtin_expect(ahead < 0, 0)) {
		if (norn_read_ahead_lossy(m->ahead)) {
			m->losses.late++;
			return 1;
		}
		return norn_error_set(err, writes ? -EBADMSG : -ESTALE,
		        "thread %s, event %llu: %s version %u of the word at 0x%llx when that is already at version %u",
		        norn_trace_thread(m->trace, t->decode.thread)->path, (unsigned long long)t->event.index,
		        writes ? "makes" : "reads", version, (unsigned long long)word, cell->version);
	}
	if (!writes)
		return 1;
	int r = norn_read_ahead_reach(m->ahead, t->decode.thread, t->ticks, t->upper, &t->bound, err);
	if (r != 0)
		return r;
	if (!cell->readers)
		return 1;
	park_on_word(m, t, cell, word, needed);
	return 0;
}

/* Reads the bytes of word i; the caller has admitted it. */
static void read_word(struct norn_merge *m, struct merge_thread *t, struct norn_memory_image_cell *cell, unsigned i,
        uint32_t version, bool *known)
{
	const struct norn_event *e = &t->event;
	uint64_t word = (e->addr & ~UINT64_C(7)) + i * 8ull, in_event;
	unsigned in_word, length;
	word_part(e, e->size, i, &in_word, &in_event, &length);
	if (cell->unknown || cell->version != version)
		*known = false;
	memcpy(t->bytes + in_event, (uint8_t *)&cell->value + in_word, length);
	norn_memory_image_seen(m->image, cell, word, version);
	if (cell->waiters && cell->readers == 0)
		wake(m, cell, word, cell->version, false);
}

/* Gives word a new version; data: its new bytes, length of them from in_word on, NULL if not known. */
static void write_word(struct norn_merge *m, struct norn_memory_image_cell *cell, uint64_t word, uint32_t version,
        const uint8_t *data, unsigned in_word, unsigned length)
{
	if (version - 1 != cell->version) /* late, in a lossy trace: a newer version is there */
		return;
	if (length && !data)
		cell->unknown = 1;
	else if (length == 8)
		cell->unknown = 0;
	if (data)
		memcpy((uint8_t *)&cell->value + in_word, data, length);
	norn_memory_image_move(m->image, cell, word, version);
	assert(cell->version == version);
	if (cell->waiters)
		wake(m, cell, word, version, false);
}

/* ---- events ---- */

/* Accesses within one word, sync operations, allocations. Returns 1 if it was merged, 0 if t was parked. */
static int merge_word(struct norn_merge *m, struct merge_thread *t, struct norn_error *err)
{
	struct norn_event *e = &t->event;
	uint64_t word = e->addr & ~UINT64_C(7);
	struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, word);
	bool reads = e->kind == NORN_EVENT_READ;
	assert(!reads || ((e->addr & 7) + e->size <= 8 && e->size));
	int r = admit(m, t, cell, word, e->version, !reads, err);
	if (r <= 0)
		return r;
	if (reads) {
		e->known = !cell->unknown && cell->version == e->version;
		uint64_t value = cell->value >> (e->addr & 7) * 8;
		e->value = e->size == 8 ? value : value & ((UINT64_C(1) << e->size * 8) - 1);
		norn_memory_image_seen(m->image, cell, word, e->version);
		if (cell->waiters && cell->readers == 0)
			wake(m, cell, word, cell->version, false);
	} else {
		bool data = e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
		write_word(m, cell, word, e->version, data ? (const uint8_t *)&e->value : NULL, e->addr & 7,
		        data ? (unsigned)e->size : 0);
	}
	return 1;
}

/* A 16-byte rmw: both words at once. */
static int merge_pair(struct norn_merge *m, struct merge_thread *t, struct norn_error *err)
{
	struct norn_event *e = &t->event;
	for (int pass = 0; pass < 2; pass++)
		for (uint64_t i = 0; i < 2; i++) {
			struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, e->addr + i * 8);
			int r = pass == 0 ? admit(m, t, cell, e->addr + i * 8, e->versions[i], true, err) : 1;
			if (r <= 0)
				return r;
			if (pass == 1)
				write_word(m, cell, e->addr + i * 8, e->versions[i], e->data + i * 8, 0, 8);
		}
	return 1;
}

/* One word of a range: 1 merged, 0 parked. */
static int merge_range_word(struct norn_merge *m, struct merge_thread *t, unsigned i, bool *known, struct norn_error *err)
{
	struct norn_event *e = &t->event;
	bool reads = e->kind == NORN_EVENT_READ;
	uint64_t word = (e->addr & ~UINT64_C(7)) + i * 8ull, in_event;
	unsigned in_word, length;
	struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, word);
	int r = admit(m, t, cell, word, e->versions[i], !reads, err);
	if (r <= 0)
		return r;
	if (reads) {
		read_word(m, t, cell, i, e->versions[i], known);
	} else if (e->kind == NORN_EVENT_FREE) {
		write_word(m, cell, word, e->versions[i], NULL, 0, 0);
	} else {
		word_part(e, e->size, i, &in_word, &in_event, &length);
		write_word(m, cell, word, e->versions[i], e->data ? e->data + in_event : NULL, in_word, length);
	}
	return 1;
}

/* The part of a range from word first to word end as an event of its own. */
static void piece(struct merge_thread *t, unsigned first, unsigned end, bool known, struct norn_event *ret_event)
{
	struct norn_event *e = &t->event;
	*ret_event = *e;
	ret_event->pieces = (end < e->count ? 1 : 0) | (first > 0 ? 2 : 0);
	ret_event->known = known;
	ret_event->versions = e->versions + first;
	ret_event->version = e->versions[first];
	ret_event->count = end - first;
	uint64_t begin = first ? first * 8ull - (e->addr & 7) : 0;
	ret_event->addr = e->addr + begin;
	if (e->kind == NORN_EVENT_FREE) {
		if (first)
			ret_event->size = (end - first) * 8ull;
		return;
	}
	uint64_t stop = end < e->count ? end * 8ull - (e->addr & 7) : e->size;
	const uint8_t *data = e->kind == NORN_EVENT_READ ? t->bytes : e->data;
	ret_event->size = stop - begin;
	ret_event->data = known && data ? data + begin : NULL;
	ret_event->value = ret_event->data ? norn_decode_value(ret_event->data, ret_event->size) : 0;
	if (ret_event->size <= 8)
		ret_event->data = NULL;
}

/* As many words of a range as can be: 1 and an event, 0 if t was parked before the first. */
static int merge_range(struct norn_merge *m, struct merge_thread *t, struct norn_event *ret_event, struct norn_error *err)
{
	struct norn_event *e = &t->event;
	unsigned first = t->done;
	bool reads = e->kind == NORN_EVENT_READ, known = true;
	if (e->kind == NORN_EVENT_WRITE && e->op == NORN_RANGE_COPY_TO)
		e->data = t->copied ? t->bytes : NULL;
	if (first == 0 && reads)
		t->copied = true;
	while (t->done < e->count) {
		int r = merge_range_word(m, t, t->done, &known, err);
		if (r < 0)
			return r;
		if (r == 0)
			break;
		t->done++;
	}
	if (t->done == first)
		return 0;
	if (reads)
		t->copied &= known;
	else if (e->kind == NORN_EVENT_WRITE)
		known = e->data;
	piece(t, first, t->done, known, ret_event);
	t->has_event = t->done < e->count;
	return 1;
}

static int merge_thread(struct norn_merge *m, struct merge_thread *t)
{
	const struct norn_event *e = &t->event;
	uint32_t other = (uint32_t)e->value;
	struct thread_state *own = &m->fates[t->decode.thread];
	switch (e->op) {
	case NORN_THREAD_FORK:
		start(m, other);
		break;
	case NORN_THREAD_JOIN:
		if (other >= m->threads || m->fates[other].ended || m->fates[other].finished || t->forced)
			break;
		if (!norn_trace_thread(m->trace, other)->records)
			break;
		park(m, t, WAIT_END, other, 0);
		return 0;
	case NORN_THREAD_END:
		own->ended = true;
		wake(m, NULL, t->decode.thread, 0, true);
		break;
	case NORN_THREAD_EXIT:
		own->exited = true;
		break;
	}
	return 1;
}

/* Merges t's event, or the part of it that can be. 1 and the event, 0 if t was parked. */
static int attempt(struct norn_merge *m, struct merge_thread *t, struct norn_event *ret_event, struct norn_error *err)
{
	struct norn_event *e = &t->event;
	int r = 1;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_FREE:
		if (e->versions) {
			if (e->kind != NORN_EVENT_RMW)
				return merge_range(m, t, ret_event, err);
			r = merge_pair(m, t, err);
			break;
		}
		__attribute__((fallthrough));
	case NORN_EVENT_EXTERNAL:
	case NORN_EVENT_SYNC:
	case NORN_EVENT_ALLOC:
		r = merge_word(m, t, err);
		break;
	case NORN_EVENT_THREAD:
		r = merge_thread(m, t);
		break;
	case NORN_EVENT_LOST:
		m->losses.lost += e->argument;
		break;
	default:
		break;
	}
	if (r == 1) {
		*ret_event = *e;
		t->has_event = false;
	}
	return r;
}

/* ---- records ---- */

static int arguments(struct norn_merge *m, struct merge_thread *t, struct norn_error *err)
{
	const uint64_t *record;
	unsigned units;
	int r;
	while ((r = norn_read_ahead_peek(m->ahead, t->decode.thread, &record, &units, err)) == 1) {
		if (!norn_decode_argument(&t->decode, record, &t->event))
			return 1;
		norn_read_ahead_drop(m->ahead, t->decode.thread);
	}
	return r < 0 ? r : 1;
}

/* The next event of t: 1, 0 at its end. *ret_stamp: its clock moved. */
static int fetch(struct norn_merge *m, struct merge_thread *t, bool *ret_stamp, struct norn_error *err)
{
	for (;;) {
		const uint64_t *record;
		unsigned units;
		int r = norn_read_ahead_peek(m->ahead, t->decode.thread, &record, &units, err);
		if (r <= 0)
			return r;
		norn_read_ahead_drop(m->ahead, t->decode.thread);
		if (norn_record_tag(record[0]) == NORN_TAG_TIME) {
			uint64_t ticks = norn_decode_ticks(&t->decode, record[0]);
			t->ticks = ticks > t->ticks ? ticks : t->ticks;
			t->upper = t->bound = record[1];
			t->decode.time = norn_decode_nanoseconds(&t->decode, t->ticks);
			*ret_stamp = true;
			continue;
		}
		r = norn_decode_record(&t->decode, record, units, &t->event);
		if (r < 0)
			return norn_error_set(err, r, "thread %s, event %llu: the record is malformed",
			        norn_trace_thread(m->trace, t->decode.thread)->path, (unsigned long long)t->decode.index);
		if (r == 0)
			continue;
		t->has_event = true;
		t->done = t->event.kind == NORN_EVENT_EXTERNAL ? 0 : t->early;
		if (t->event.kind != NORN_EVENT_EXTERNAL)
			t->early = 0;
		return t->event.kind == NORN_EVENT_ENTER ? arguments(m, t, err) : 1;
	}
}

/* ---- when no thread can go on ---- */

/* t has no more records. Without END the process ended under it, perhaps between an access and its record. */
static void finish(struct norn_merge *m, struct merge_thread *t)
{
	uint32_t number = t->decode.thread;
	struct thread_state *thread_state = &m->fates[number];
	int status = norn_trace_header(m->trace)->exit_status;
	thread_state->finished = true;
	m->torn |= !thread_state->ended && !thread_state->exited;
	m->live[number] = NULL;
	m->current = NULL;
	free(t);
	if (thread_state->ended)
		return;
	wake(m, NULL, number, 0, true);
	bool killed = status == -1 || WIFSIGNALED(status);
	if (killed || !thread_state->exited)
		norn_must_push(&m->donors, (struct unfinished_thread){.low = UINT64_MAX});
}

/* True if the missing record of d may have touched word, too. */
static bool donates(const struct unfinished_thread *d, uint64_t word)
{
	if (d->low > d->high)
		return true;
	uint64_t low = word < d->low ? word : d->low, high = word > d->high ? word : d->high;
	if (high - low > NORN_RANGE_BYTES)
		return false;
	for (uint32_t i = 0; i < d->words.count; i++)
		if (d->words.items[i] == word)
			return false;
	return true;
}

static bool donate(struct norn_merge *m, uint64_t word)
{
	for (uint32_t i = 0; i < m->donors.count; i++) {
		struct unfinished_thread *d = &m->donors.items[i];
		if (!donates(d, word))
			continue;
		norn_must_push(&d->words, word);
		d->low = word < d->low ? word : d->low;
		d->high = word > d->high ? word : d->high;
		return true;
	}
	return false;
}

/* The word goes on to version although no record made it. */
static void jump(struct norn_merge *m, uint64_t word, uint32_t version)
{
	struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, word);
	norn_memory_image_move(m->image, cell, word, version);
	cell->unknown = 1;
	wake(m, cell, word, version, false);
}

/* The waiting thread that was there first. */
static struct merge_thread *eldest(const struct norn_merge *m)
{
	struct merge_thread *best = NULL;
	for (uint32_t i = 0; i < m->parked_count; i++) {
		struct merge_thread *t = m->live[m->parked[i]];
		if (!best || t->ticks < best->ticks || (t->ticks == best->ticks && t->decode.thread < best->decode.thread))
			best = t;
	}
	return best;
}

static void force(struct norn_merge *m)
{
	struct merge_thread *t = eldest(m);
	if (t->wait == WAIT_END) {
		t->forced = true;
		wake(m, NULL, t->wait_word, 0, true);
		return;
	}
	struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, t->wait_word);
	if (t->wait == WAIT_VERSION) {
		m->losses.skipped += t->wait_version - cell->version;
		jump(m, t->wait_word, t->wait_version);
		return;
	}
	cell->readers = 0; /* they will come late */
	wake(m, cell, t->wait_word, t->wait_version, false);
}

/* Bridges one version that the end of the process may have swallowed, if there is one. */
static bool bridge(struct norn_merge *m)
{
	for (uint32_t i = 0; i < m->parked_count; i++) {
		struct merge_thread *t = m->live[m->parked[i]];
		if (t->wait != WAIT_VERSION)
			continue;
		struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, t->wait_word);
		if (cell->readers || t->wait_version - cell->version > m->donors.count)
			continue;
		if (!donate(m, t->wait_word))
			continue;
		m->losses.cut_off++;
		jump(m, t->wait_word, cell->version + 1);
		return true;
	}
	return false;
}

/* Merges words of range, which t will come to, up to but without word limit; as many as can be. */
static bool read_early(
        struct norn_merge *m, struct merge_thread *t, const struct norn_event *range, unsigned limit, struct norn_event *ret_event)
{
	const struct norn_event kept = t->event;
	unsigned first = t->early;
	bool known = true;
	t->event = *range;
	if (first == 0)
		t->copied = true;
	while (t->early < limit) {
		struct norn_memory_image_cell *cell =
		        norn_memory_image_cell(m->image, (range->addr & ~UINT64_C(7)) + t->early * 8ull);
		if (cell->version != range->versions[t->early])
			break;
		read_word(m, t, cell, t->early, cell->version, &known);
		t->early++;
	}
	t->copied &= known;
	if (t->early > first)
		piece(t, first, t->early, known, ret_event);
	t->event = kept;
	return t->early > first;
}

/* A range read goes from word to word and logs an external write where it meets one, itself only at its end. Others may have
 * written the words that it had passed before it came to the external write; so where this cannot go on, the part of the range
 * below it may. 1 and that part, 0 if there is none. */
static int hoist(struct norn_merge *m, struct norn_event *ret_event, struct norn_error *err)
{
	for (uint32_t i = 0; i < m->parked_count; i++) {
		struct merge_thread *t = m->live[m->parked[i]];
		const uint64_t *record;
		unsigned units, externals;
		if (t->event.kind != NORN_EVENT_EXTERNAL)
			continue;
		int r = norn_read_ahead_range(m->ahead, t->decode.thread, t->event.site, &record, &units, &externals, err);
		if (r < 0)
			return r;
		struct norn_event range;
		m->scratch = t->decode;
		m->scratch.index += externals;
		if (r == 0 || norn_decode_record(&m->scratch, record, units, &range) != 1 || t->event.addr < range.addr)
			continue;
		uint64_t limit = t->event.addr / 8 - range.addr / 8;
		if (limit >= range.count)
			continue;
		if (read_early(m, t, &range, (unsigned)limit, ret_event))
			return 1;
	}
	return 0;
}

static int explain(struct norn_merge *m, struct norn_error *err)
{
	const struct merge_thread *t = eldest(m);
	const char *path = norn_trace_thread(m->trace, t->decode.thread)->path;
	unsigned long long index = t->event.index, word = t->wait_word;
	if (t->wait == WAIT_END)
		return norn_error_set(err, -EBADMSG, "thread %s, event %llu: joins thread %s, which cannot end", path, index,
		        norn_trace_thread(m->trace, (uint32_t)word)->path);
	const struct norn_memory_image_cell *cell = norn_memory_image_cell(m->image, word);
	if (t->wait == WAIT_READERS)
		return norn_error_set(err, -EBADMSG,
		        "thread %s, event %llu: makes version %u of the word at 0x%llx, but the reads of version %u cannot come "
		        "before it",
		        path, index, t->wait_version + 1, word, t->wait_version);
	return norn_error_set(err, -EBADMSG,
	        "thread %s, event %llu: waits for version %u of the word at 0x%llx, which is at version %u and nothing makes the "
	        "next",
	        path, index, t->wait_version, word, cell->version);
}

/* No thread can go on: 1 if one can now, 0 if all is merged. */
static int unblock(struct norn_merge *m, struct norn_error *err)
{
	if (m->parked_count) {
		if (norn_read_ahead_lossy(m->ahead)) {
			force(m);
			return 1;
		}
		return bridge(m) ? 1 : explain(m, err);
	}
	for (; m->unstarted < m->threads; m->unstarted++) {
		uint32_t number = m->unstarted;
		if (m->fates[number].started || !norn_trace_thread(m->trace, number)->records)
			continue;
		if (!norn_read_ahead_lossy(m->ahead))
			return norn_error_set(err, -EBADMSG, "thread %s has records, but no thread created it",
			        norn_trace_thread(m->trace, number)->path);
		m->losses.unforked++;
		start(m, number);
		return 1;
	}
	return 0;
}

/* ---- the loop ---- */

/* The runnable thread with the smallest time, NULL if there is none. The current one goes on if there is no older one. */
static struct merge_thread *choose(struct norn_merge *m)
{
	struct merge_thread *t = m->current;
	if (t && (!m->runnable.count || m->runnable.items[0].key >= t->ticks))
		return t;
	if (t)
		norn_priority_queue_push(&m->runnable, t->ticks, t->decode.thread);
	m->current = m->runnable.count ? m->live[norn_priority_queue_pop(&m->runnable).item] : NULL;
	return m->current;
}

int norn_merge_next(struct norn_merge *m, struct norn_event *ret_event, struct norn_error *err)
{
	for (;;) {
		struct merge_thread *t = choose(m);
		if (!t) {
			int r = hoist(m, ret_event, err);
			if (r != 0)
				return r;
			if ((r = unblock(m, err)) <= 0)
				return r;
			continue;
		}
		bool stamp = false;
		int r = t->has_event ? 1 : fetch(m, t, &stamp, err);
		if (r < 0)
			return r;
		if (r == 0) {
			finish(m, t);
			continue;
		}
		if (stamp)
			continue; /* another one may be older now */
		r = attempt(m, t, ret_event, err);
		if (t->wait != WAIT_NONE)
			m->current = NULL;
		if (r != 0)
			return r;
	}
}
