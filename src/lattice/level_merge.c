#include "lattice/level_merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define CHECK_EVERY 512u /* nodes, between checks of the limits */
#define TICK_EVERY 256u /* such checks, between ticks */
#define CACHE_TINY 64u
#define NARROW 16u /* cuts of a level for which the least caches will do */
#define CACHE_SMALL 1024u
#define CACHE_LARGE 8192u
#define SAME_PATHS 8u /* entries of a node that are searched for an equal path */

/* Caches of what the model and the monitors say: the last answer for each hash. event UINT32_MAX: empty. */
struct valuation_line {
	uint32_t valuation, event, next;
};

struct step_line {
	uint32_t belief, valuation, event, next;
};

/* An entry that is being put together. */
struct sum {
	uint32_t belief, parent, thread;
	uint64_t rank; /* of the event by which it was reached: the largest wins */
};

struct merge_slot {
	uint32_t node, sum;
};

/* The successors by one thread. */
struct record_stream {
	struct norn_level_cursor at;
	uint32_t thread;
	uint32_t mask; /* word of the mask */
	uint64_t bit;
};

struct norn_worker {
	struct norn_search *search;
	struct valuation_line *valuations;
	struct step_line *steps;
	uint32_t cache;
	struct merge_slot *slots; /* per belief: is it among the sums of this node? */
	uint32_t slot_room, node;
	struct sum *sums;
	uint32_t sum_count, sum_room;
	uint64_t *limbs; /* of the sums, stride each */
	size_t limb_room;
	uint32_t stride;
	uint32_t threads; /* that the arrays below have room for, */
	struct norn_record_shape shape; /* and words */
	struct record_stream *streams, **equal; /* equal: those whose head is the least */
	uint64_t *heads; /* cut per stream */
	uint64_t *mask, *least;
	uint32_t stream_count;
	uint64_t left_at; /* the first block that a stream, which has left the part, has not read */
	uint32_t chunk_number;
	struct norn_path_chunk *chunk;
	uint64_t unchecked;
	uint32_t checks; /* since the last tick */
	bool first;
};

/* Functions of the inner loop take the shape as an argument, and are inlined with the common ones as constants. */
#define INNER static inline __attribute__((always_inline))

static void lock(struct norn_search *search)
{
	if (search->threaded)
		pthread_mutex_lock(&search->lock);
}

static void unlock(struct norn_search *search)
{
	if (search->threaded)
		pthread_mutex_unlock(&search->lock);
}

static void fail(struct norn_search *search, int why)
{
	int none = 0;
	atomic_compare_exchange_strong_explicit(&search->failed, &none, why, memory_order_relaxed, memory_order_relaxed);
}

size_t norn_search_memory(struct norn_search *search)
{
	return atomic_load_explicit(&search->pool.bytes, memory_order_relaxed) +
	       atomic_load_explicit(&search->other_bytes, memory_order_relaxed) +
	       atomic_load_explicit(&search->chunk_bytes, memory_order_relaxed);
}

static void size_caches(struct norn_worker *worker, uint32_t lines)
{
	free(worker->valuations);
	free(worker->steps);
	worker->valuations = norn_must_alloc(lines, sizeof *worker->valuations);
	worker->steps = norn_must_alloc(lines, sizeof *worker->steps);
	memset(worker->valuations, 0xff, lines * sizeof *worker->valuations);
	memset(worker->steps, 0xff, lines * sizeof *worker->steps);
	atomic_fetch_add_explicit(&worker->search->other_bytes,
	        (lines - worker->cache) * (sizeof *worker->valuations + sizeof *worker->steps), memory_order_relaxed);
	worker->cache = lines;
}

/* Arrays of as many as there are threads and words now. */
static void size_arrays(struct norn_worker *worker)
{
	const struct norn_search *search = worker->search;
	uint32_t threads = search->packing.threads;
	free(worker->streams);
	free(worker->equal);
	free(worker->heads);
	free(worker->mask);
	free(worker->least);
	worker->streams = norn_must_calloc(threads, sizeof *worker->streams);
	worker->equal = norn_must_calloc(threads, sizeof(struct record_stream *));
	worker->heads = norn_must_calloc((size_t)threads * search->shape.words, sizeof *worker->heads);
	worker->mask = norn_must_calloc(search->shape.masks, sizeof *worker->mask);
	worker->least = norn_must_calloc(search->shape.words, sizeof *worker->least);
	worker->threads = threads;
	worker->shape = search->shape;
}

struct norn_worker *norn_worker_new(struct norn_search *search, bool first)
{
	struct norn_worker *worker = norn_must_calloc(1, sizeof *worker);
	worker->search = search;
	worker->first = first;
	size_arrays(worker);
	size_caches(worker, CACHE_TINY);
	return worker;
}

void norn_worker_move(struct norn_worker *worker)
{
	const struct norn_search *search = worker->search;
	memset(worker->valuations, 0xff, worker->cache * sizeof *worker->valuations);
	memset(worker->steps, 0xff, worker->cache * sizeof *worker->steps);
	if (worker->threads < search->packing.threads || worker->shape.words < search->shape.words ||
	        worker->shape.masks < search->shape.masks)
		size_arrays(worker);
}

void norn_worker_free(struct norn_worker *worker)
{
	if (!worker)
		return;
	free(worker->valuations);
	free(worker->steps);
	free(worker->slots);
	free(worker->sums);
	free(worker->limbs);
	free(worker->streams);
	free(worker->equal);
	free(worker->heads);
	free(worker->mask);
	free(worker->least);
	free(worker);
}

void norn_worker_prepare(struct norn_worker *worker)
{
	uint32_t lines = worker->search->wide ? CACHE_LARGE : worker->search->present->records >= NARROW ? CACHE_SMALL : 0;
	if (worker->cache < lines)
		size_caches(worker, lines);
}

void norn_worker_drop_chunk(struct norn_worker *worker)
{
	worker->chunk = NULL;
}

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t h = (((uint64_t)a << 32 | b) ^ (uint64_t)c * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

static struct norn_lattice_event event_of(const struct norn_search *search, uint32_t thread, uint32_t event)
{
	const struct norn_cut_field *field = &search->packing.fields[thread];
	return (struct norn_lattice_event){field->thread, field->base + (uint32_t)(event - field->first)};
}

static int apply(struct norn_worker *worker, uint32_t valuation, uint32_t thread, uint32_t event, uint32_t *ret_valuation)
{
	struct norn_search *search = worker->search;
	struct valuation_line *line = &worker->valuations[hash(valuation, event, 0) & (worker->cache - 1)];
	if (line->valuation != valuation || line->event != event) {
		uint32_t next = 0;
		if (!search->model->concurrent)
			lock(search);
		int r = search->model->apply(search->model->context, valuation, event_of(search, thread, event), &next);
		if (!search->model->concurrent)
			unlock(search);
		if (r < 0)
			return r;
		*line = (struct valuation_line){valuation, event, next};
	}
	*ret_valuation = line->next;
	return 0;
}

static uint32_t ask_monitor(
        struct norn_search *search, uint32_t belief, uint32_t valuation, uint32_t after, struct norn_lattice_event event)
{
	const struct norn_lattice_model *model = search->model;
	uint64_t letter = 0, unknown = 0;
	lock(search);
	uint32_t monitor = norn_belief_get(&search->beliefs, belief)->monitor;
	if (model->concurrent)
		unlock(search);
	enum norn_lattice_position position = model->letter(model->context, monitor, valuation, after, event, &letter, &unknown);
	if (model->concurrent)
		lock(search);
	if (position != NORN_LATTICE_NO_POSITION)
		belief = norn_belief_step(&search->beliefs, belief, letter, unknown, position == NORN_LATTICE_MAYBE);
	unlock(search);
	return belief;
}

/* The valuation before the event determines the one after it. */
INNER uint32_t step(
        struct norn_worker *worker, uint32_t belief, uint32_t valuation, uint32_t after, uint32_t thread, uint32_t event)
{
	struct step_line *line = &worker->steps[hash(valuation, event, belief) & (worker->cache - 1)];
	if (line->belief != belief || line->valuation != valuation || line->event != event) {
		uint32_t next = ask_monitor(worker->search, belief, valuation, after, event_of(worker->search, thread, event));
		*line = (struct step_line){belief, valuation, event, next};
	}
	return line->next;
}

uint64_t norn_search_distance(const struct norn_search *search, const uint64_t *cut)
{
	uint64_t distance = 0;
	for (uint32_t t = 0; t < search->packing.threads; t++) {
		uint64_t events = norn_cut_get(&search->packing.fields[t], cut);
		distance += events > search->observed[t] ? events - search->observed[t] : 0;
	}
	return distance;
}

void norn_part_note(struct norn_part *part, const struct norn_found *found)
{
	uint32_t i = 0;
	while (i < part->found_count && (part->found[i].monitor != found->monitor || part->found[i].kind != found->kind))
		i++;
	if (i == part->found_count) {
		norn_must_grow(&part->found, part->found_count + UINT64_C(1), &part->found_room, sizeof *part->found);
		part->found[part->found_count++] = *found;
		return;
	}
	struct norn_found *old = &part->found[i];
	if (found->distance < old->distance || (found->node == old->node && found->rank > old->rank))
		*old = *found;
}

static void note(struct norn_worker *worker, struct norn_part *part, uint32_t violated, uint32_t parent, uint32_t thread,
        uint32_t event, const uint64_t *cut)
{
	struct norn_search *search = worker->search;
	const struct norn_lattice_model *model = search->model;
	struct norn_found found = {
	        .monitor = norn_belief_done_monitor(violated),
	        .parent = parent,
	        .node = part->level.records,
	        .rank = search->ranks[event],
	        .event = event_of(search, thread, event),
	};
	found.kind = (uint64_t)found.event.thread << 32 | found.event.k;
	if (!search->wanted[found.monitor])
		return;
	found.distance = norn_search_distance(search, cut);
	if (model->kind) {
		if (!model->concurrent)
			lock(search);
		found.kind = model->kind(model->context, found.monitor, found.event);
		if (!model->concurrent)
			unlock(search);
	}
	norn_part_note(part, &found);
}

static void grow_slots(struct norn_worker *worker, uint32_t index)
{
	uint32_t before = worker->slot_room;
	norn_must_grow(&worker->slots, index + UINT64_C(1), &worker->slot_room, sizeof *worker->slots);
	memset(worker->slots + before, 0, (worker->slot_room - before) * sizeof *worker->slots);
	atomic_fetch_add_explicit(
	        &worker->search->other_bytes, (worker->slot_room - before) * sizeof *worker->slots, memory_order_relaxed);
}

static void grow_sums(struct norn_worker *worker)
{
	norn_must_grow(&worker->sums, worker->sum_count + UINT64_C(1), &worker->sum_room, sizeof *worker->sums);
	if ((size_t)(worker->sum_count + 1) * worker->stride >= worker->limb_room) {
		worker->limb_room = 2 * (size_t)(worker->sum_count + 8) * worker->stride + 1;
		worker->limbs = norn_must_realloc(worker->limbs, worker->limb_room, sizeof *worker->limbs);
	}
}

/* Adds runs that lead to belief to the sums. */
INNER void add(struct norn_worker *worker, uint32_t belief, struct sum way, const uint64_t *limbs, uint32_t limb_count)
{
	uint32_t index = belief & NORN_BELIEF_INDEX;
	if (index >= worker->slot_room)
		grow_slots(worker, index);
	struct merge_slot *slot = &worker->slots[index];
	if (slot->node != worker->node) {
		if (worker->sum_count == worker->sum_room || (worker->sum_count + 1) * (size_t)worker->stride >= worker->limb_room)
			grow_sums(worker);
		*slot = (struct merge_slot){worker->node, worker->sum_count};
		memset(worker->limbs + (size_t)worker->sum_count * worker->stride, 0, worker->stride * sizeof(uint64_t));
		worker->sums[worker->sum_count++] = way;
	} else if (worker->sums[slot->sum].rank < way.rank) {
		worker->sums[slot->sum] = way;
	}
	norn_limbs_add(worker->limbs + (size_t)slot->sum * worker->stride, limbs, limb_count);
}

/* All runs through one predecessor. valuation is that of the node. */
INNER void gather(struct norn_record_shape shape, struct norn_worker *worker, struct norn_part *part,
        const struct record_stream *stream, uint32_t event, uint32_t valuation, const uint64_t *cut)
{
	struct norn_search *search = worker->search;
	const uint64_t *record = stream->at.record;
	uint64_t head = norn_record_head_of(shape, record);
	uint32_t earlier = norn_record_valuation(head);
	const uint64_t *entry = record + shape.words + shape.masks + 1;
	uint32_t limbs = norn_record_limbs(head);
	for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + limbs) {
		uint32_t before = norn_entry_belief(*entry), after = before;
		if (!(before & NORN_BELIEF_DONE)) {
			after = step(worker, before, earlier, valuation, stream->thread, event);
			if (after & NORN_BELIEF_VIOLATED && search->any_wanted)
				note(worker, part, after, norn_entry_path(*entry), stream->thread, event, cut);
		}
		add(worker, after, (struct sum){after, norn_entry_path(*entry), stream->thread, search->ranks[event]}, entry + 1,
		        worker->stride ? limbs : 0);
	}
}

static bool take_chunk(struct norn_worker *worker)
{
	struct norn_search *search = worker->search;
	lock(search);
	bool taken = norn_path_take(&search->paths, &worker->chunk_number);
	worker->chunk = taken ? search->paths.chunks[worker->chunk_number] : NULL;
	unlock(search);
	atomic_fetch_add_explicit(&search->chunk_bytes, sizeof *worker->chunk, memory_order_relaxed);
	return taken;
}

/* The path of sum i; false: there are too many paths. Beliefs that cannot violate any more need none; monitors often share
 * theirs. */
INNER bool path_of(struct norn_worker *worker, uint32_t i, const uint64_t *entries, uint32_t size, uint32_t *ret_path)
{
	const struct sum *sum = &worker->sums[i];
	*ret_path = 0;
	if (sum->belief & NORN_BELIEF_DONE)
		return true;
	for (uint32_t j = i; j-- > 0 && i - j <= SAME_PATHS;)
		if (worker->sums[j].parent == sum->parent && worker->sums[j].thread == sum->thread &&
		        !(worker->sums[j].belief & NORN_BELIEF_DONE)) {
			*ret_path = norn_entry_path(entries[(size_t)j * size]);
			return true;
		}
	if ((!worker->chunk || worker->chunk->used == NORN_PATH_CHUNK) && !take_chunk(worker))
		return false;
	*ret_path = norn_path_append(
	        worker->chunk, worker->chunk_number, sum->parent, worker->search->packing.fields[sum->thread].thread);
	return true;
}

/* Limbs that the largest sum needs. */
INNER uint32_t limbs_needed(const struct norn_worker *worker)
{
	for (uint32_t limbs = worker->stride; limbs > 1; limbs--)
		for (uint32_t i = 0; i < worker->sum_count; i++)
			if (worker->limbs[(size_t)i * worker->stride + limbs - 1])
				return limbs;
	return worker->stride ? 1 : 0;
}

INNER int write_record(
        struct norn_record_shape shape, struct norn_worker *worker, struct norn_part *part, const uint64_t *cut, uint32_t valuation)
{
	struct norn_search *search = worker->search;
	uint32_t limbs = limbs_needed(worker), size = 1 + limbs;
	if (limbs > NORN_LIMBS_MAX)
		size = 1 + (limbs = 0);
	if (worker->sum_count > NORN_ENTRIES_MAX)
		return NORN_LATTICE_MEMORY;
	uint64_t head = norn_record_head(valuation, worker->sum_count, limbs);
	uint64_t *record = norn_level_append(&part->level, &search->pool, norn_record_size(shape, head), search->wide);
	memcpy(record, cut, shape.words * sizeof *record);
	memcpy(record + shape.words, worker->mask, shape.masks * sizeof *record);
	record[shape.words + shape.masks] = head;
	uint64_t *entries = record + shape.words + shape.masks + 1;
	for (uint32_t i = 0; i < worker->sum_count; i++) {
		uint32_t path;
		if (!path_of(worker, i, entries, size, &path))
			return NORN_LATTICE_MEMORY;
		entries[(size_t)i * size] = norn_entry(worker->sums[i].belief, path);
		memcpy(entries + (size_t)i * size + 1, worker->limbs + (size_t)i * worker->stride, limbs * sizeof *entries);
	}
	return 0;
}

/* The enabled threads: those that were enabled before and were not stepped, and those whose causes are complete now. */
INNER void find_enabled(struct norn_record_shape shape, struct norn_worker *worker, uint32_t equal, const uint64_t *cut)
{
	const struct norn_packing *packing = &worker->search->packing;
	for (uint32_t m = 0; m < shape.masks; m++) {
		uint64_t mask = 0, all = m + 1 < shape.masks || packing->threads % 64 == 0
		                                 ? UINT64_MAX
		                                 : (UINT64_C(1) << packing->threads % 64) - 1;
		for (uint32_t i = 0; i < equal; i++) {
			const struct record_stream *stream = worker->equal[i];
			mask |= stream->at.record[shape.words + m] & ~(m == stream->mask ? stream->bit : 0);
		}
		for (uint64_t rest = all & ~mask; rest; rest &= rest - 1) {
			const struct norn_cut_field *field = &packing->fields[m * 64 + (uint32_t)__builtin_ctzll(rest)];
			uint32_t k = norn_cut_get(field, cut);
			if (k < field->events && norn_cut_covers(cut, packing->needs + (field->first + k) * shape.words,
			                                 packing->guards, shape.words))
				mask |= rest & -rest;
		}
		worker->mask[m] = mask;
	}
}

/* Numbers of runs may have grown too large to be counted: then no node counts any more. */
INNER uint32_t stride_of(struct norn_record_shape shape, const struct norn_worker *worker, uint32_t equal)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < equal; i++) {
		uint32_t limbs = norn_record_limbs(norn_record_head_of(shape, worker->equal[i]->at.record));
		if (limbs == 0)
			return 0;
		most = limbs > most ? limbs : most;
	}
	return most + 1;
}

/* One node of the next level: cut, to which the streams in worker->equal lead. 0, -errno of the model, or a limit. */
INNER int emit(
        struct norn_record_shape shape, struct norn_worker *worker, struct norn_part *part, uint32_t equal, const uint64_t *cut)
{
	struct norn_search *search = worker->search;
	const struct norn_cut_field *fields = search->packing.fields;
	uint32_t valuation = 0;
	find_enabled(shape, worker, equal, cut);
	worker->stride = stride_of(shape, worker, equal);
	worker->sum_count = 0;
	if (++worker->node == 0) { /* once in 2^32 nodes: forget all slots */
		memset(worker->slots, 0, worker->slot_room * sizeof *worker->slots);
		worker->node = 1;
	}
	for (uint32_t i = 0; i < equal; i++) {
		const struct record_stream *stream = worker->equal[i];
		const struct norn_cut_field *field = &fields[stream->thread];
		assert(norn_cut_get(field, cut) - 1 < field->events);
		uint32_t event = (uint32_t)field->first + norn_cut_get(field, cut) - 1;
		int r = i > 0 ? 0
		              : apply(worker, norn_record_valuation(norn_record_head_of(shape, stream->at.record)), stream->thread,
		                        event, &valuation);
		if (r < 0)
			return r;
		gather(shape, worker, part, stream, event, valuation, cut);
	}
	return write_record(shape, worker, part, cut, valuation);
}

/* Moves the stream on to its next successor from where it is, and that successor into its head; false if there is none. */
INNER bool next_successor(struct norn_record_shape shape, struct norn_worker *worker, struct record_stream *stream, uint64_t *head,
        const struct norn_part *part)
{
	uint32_t words = shape.words;
	for (; stream->at.record; norn_level_next(&stream->at, shape)) {
		if (!(stream->at.record[words + stream->mask] & stream->bit))
			continue;
		memcpy(head, stream->at.record, words * sizeof *head);
		norn_cut_advance(&worker->search->packing.fields[stream->thread], head);
		return !part->high || norn_cut_compare(head, part->high, words) < 0;
	}
	return false;
}

/* The place in the stream of the first successor that is not below low: in the last block that begins below, or after it. */
static bool open_stream(struct norn_worker *worker, struct record_stream *stream, uint64_t *head, const struct norn_part *part)
{
	const struct norn_cut_field *field = &worker->search->packing.fields[stream->thread];
	uint32_t words = worker->search->shape.words;
	const struct norn_block *start = worker->search->present->first;
	if (part->low)
		for (const struct norn_block *block = start; block; block = block->next) {
			memcpy(head, block->data, words * sizeof *head);
			norn_cut_advance(field, head);
			if (norn_cut_compare(head, part->low, words) >= 0)
				break;
			start = block;
		}
	stream->at = norn_level_at(start);
	while (next_successor(worker->search->shape, worker, stream, head, part)) {
		if (!part->low || norn_cut_compare(head, part->low, words) >= 0)
			return true;
		norn_level_next(&stream->at, worker->search->shape);
	}
	return false;
}

/* The part's end is where the next part begins, which may need the block. */
static void leave_part(struct norn_worker *worker, const struct record_stream *stream)
{
	if (stream->at.block && stream->at.block->order < worker->left_at)
		worker->left_at = stream->at.block->order;
}

/* Blocks must not be given back meanwhile. Those that are gone had nothing for this part. */
static void open_streams(struct norn_worker *worker, const struct norn_part *part)
{
	uint32_t words = worker->search->shape.words;
	worker->stream_count = 0;
	worker->left_at = UINT64_MAX;
	for (uint32_t t = 0; t < worker->search->packing.threads; t++) {
		struct record_stream *stream = &worker->streams[worker->stream_count];
		*stream = (struct record_stream){.thread = t, .mask = t / 64, .bit = UINT64_C(1) << t % 64};
		if (open_stream(worker, stream, worker->heads + (size_t)worker->stream_count * words, part))
			worker->stream_count++;
		else
			leave_part(worker, stream);
	}
}

/* The others keep their order: by thread. */
static void close_stream(struct norn_worker *worker, uint32_t i)
{
	uint32_t words = worker->search->shape.words, left = --worker->stream_count - i;
	leave_part(worker, &worker->streams[i]);
	memmove(worker->streams + i, worker->streams + i + 1, left * sizeof *worker->streams);
	memmove(worker->heads + (size_t)i * words, worker->heads + (size_t)(i + 1) * words,
	        (size_t)left * words * sizeof(uint64_t));
}

/* The streams with the least head go to worker->equal; how many. */
INNER uint32_t find_least(struct norn_worker *worker, uint64_t *least, uint32_t words)
{
	uint32_t equal = 0, at = 0;
	for (uint32_t i = 1; i < worker->stream_count; i++)
		if (norn_cut_compare(worker->heads + (size_t)i * words, worker->heads + (size_t)at * words, words) < 0)
			at = i;
	memcpy(least, worker->heads + (size_t)at * words, words * sizeof *least);
	for (uint32_t i = at; i < worker->stream_count; i++)
		if (norn_cut_compare(worker->heads + (size_t)i * words, least, words) == 0)
			worker->equal[equal++] = &worker->streams[i];
	return equal;
}

static void give_blocks_back(struct norn_worker *worker, const struct norn_part *part)
{
	struct norn_search *search = worker->search;
	uint64_t order = worker->left_at;
	for (uint32_t i = 0; i < worker->stream_count; i++)
		if (worker->streams[i].at.block->order < order)
			order = worker->streams[i].at.block->order;
	lock(search);
	if (part == &search->parts[search->lowest])
		norn_level_release_before(search->present, &search->pool, order);
	unlock(search);
}

static bool may_go_on(struct norn_worker *worker, const struct norn_part *part)
{
	struct norn_search *search = worker->search;
	uint64_t produced =
	        atomic_fetch_add_explicit(&search->produced, worker->unchecked, memory_order_relaxed) + worker->unchecked;
	if (produced > search->max_cuts)
		fail(search, NORN_LATTICE_CUTS);
	if (worker->first && ++worker->checks == TICK_EVERY) {
		worker->checks = 0;
		if (!search->tick(search->tick_context, produced))
			fail(search, NORN_LATTICE_STOPPED);
	}
	worker->unchecked = 0;
	give_blocks_back(worker, part);
	if (norn_search_memory(search) > search->max_memory)
		fail(search, NORN_LATTICE_MEMORY);
	return atomic_load_explicit(&search->failed, memory_order_relaxed) == 0;
}

INNER void merge(struct norn_record_shape shape, struct norn_worker *worker, struct norn_part *part)
{
	while (worker->stream_count) {
		uint32_t equal = find_least(worker, worker->least, shape.words);
		int r = emit(shape, worker, part, equal, worker->least);
		if (r != 0) {
			fail(worker->search, r);
			return;
		}
		for (uint32_t i = equal; i-- > 0;) {
			struct record_stream *stream = worker->equal[i];
			uint32_t number = (uint32_t)(stream - worker->streams);
			norn_level_next(&stream->at, shape);
			if (!next_successor(shape, worker, stream, worker->heads + (size_t)number * shape.words, part))
				close_stream(worker, number);
		}
		if (++worker->unchecked == CHECK_EVERY && !may_go_on(worker, part))
			return;
	}
}

void norn_merge_part(struct norn_worker *worker, struct norn_part *part)
{
	struct norn_search *search = worker->search;
	struct norn_record_shape shape = search->shape;
	lock(search);
	open_streams(worker, part);
	unlock(search);
	if (shape.words == 1 && shape.masks == 1)
		merge((struct norn_record_shape){1, 1}, worker, part);
	else if (shape.words == 2 && shape.masks == 1)
		merge((struct norn_record_shape){2, 1}, worker, part);
	else
		merge(shape, worker, part);
	may_go_on(worker, part);
	lock(search);
	part->done = true;
	while (search->lowest + 1 < search->part_count && search->parts[search->lowest].done)
		search->lowest++;
	unlock(search);
}
