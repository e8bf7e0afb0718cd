#include "lattice/levels.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "lattice/node_view.h"

#define WIDE 256u /* cuts of a level that is worth large blocks and caches */
#define SHARED 4096u /* cuts of a level that is worth waking the worker pool for */
#define PARTS 4u /* per member: they are not equally much work */
#define SAMPLES 32u /* nodes per part, to find where to cut a level */
#define SETTLED_FROM 20000u /* cuts from which on runs are not counted for the number's sake */
#define COMPACT_FROM 16384u /* entries of the path tree */
#define CHECKED 4u /* cuts of each level of which the order is asserted */

void norn_levels_account(struct norn_levels *l, size_t *was, size_t is)
{
	atomic_fetch_add_explicit(&l->search.other_bytes, is - *was, memory_order_relaxed); /* may go down: modulo 2^64 */
	*was = is;
}

static void note_memory(struct norn_levels *l)
{
	size_t memory = norn_search_memory(&l->search);
	if (memory > l->result.memory)
		l->result.memory = memory;
}

/* ---- The beginning ---- */

static void first_beliefs(struct norn_levels *l, uint64_t *entries)
{
	const struct norn_lattice_model *model = l->search.model;
	for (uint32_t m = 0; m < l->search.beliefs.monitors; m++) {
		uint64_t letter = 0, unknown = 0;
		uint32_t id = norn_belief_start(&l->search.beliefs, m);
		struct norn_lattice_event begin = {NORN_LATTICE_BEGIN, 0};
		enum norn_lattice_position position = NORN_LATTICE_NO_POSITION;
		if (l->result.monitor_count)
			position = model->letter(model->context, m, model->initial, model->initial, begin, &letter, &unknown);
		if (position != NORN_LATTICE_NO_POSITION)
			id = norn_belief_step(&l->search.beliefs, id, letter, unknown, position == NORN_LATTICE_MAYBE);
		uint32_t size = l->options.uncounted ? 1 : 2;
		entries[(size_t)m * size] = norn_entry(id, 0);
		if (size == 2)
			entries[m * size + 1] = 1;
	}
}

static void first_level(struct norn_levels *l)
{
	struct norn_search *search = &l->search;
	struct norn_record_shape shape = search->shape;
	uint64_t head = norn_record_head(search->model->initial, search->beliefs.monitors, !l->options.uncounted);
	uint64_t *record = norn_level_append(&l->present, &search->pool, norn_record_size(shape, head), false);
	memset(record, 0, norn_record_size(shape, head) * sizeof *record);
	norn_levels_enable(search, record);
	record[shape.words + shape.masks] = head;
	first_beliefs(l, record + shape.words + shape.masks + 1);
}

/* ---- Violations ---- */

static int by_place(const void *a, const void *b)
{
	const struct norn_found *x = a, *y = b;
	if (x->monitor != y->monitor)
		return x->monitor < y->monitor ? -1 : 1;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node ? 1 : x->rank > y->rank ? -1 : x->rank < y->rank;
}

/* The events of a path and, unless the run violates by ending, one more. */
static void events_of(
        const struct norn_levels *l, uint32_t path, const struct norn_lattice_event *last, struct norn_lattice_violation *violation)
{
	const struct norn_path_tree *paths = &l->search.paths;
	uint64_t length = last != NULL, at;
	uint32_t *next = norn_must_calloc(l->threads, sizeof *next);
	for (uint32_t p = path; p; length++)
		norn_path_last(paths, p, &p);
	violation->events = norn_must_alloc(length, sizeof *violation->events);
	violation->length = at = length;
	if (last)
		violation->events[--at] = *last;
	for (uint32_t p = path; p;)
		violation->events[--at].thread = norn_path_last(paths, p, &p);
	for (uint64_t i = 0; i < length; i++)
		violation->events[i].k = next[violation->events[i].thread]++;
	free(next);
}

static bool is_known(const struct norn_lattice_result *result, const struct norn_found *found)
{
	for (uint32_t i = 0; i < result->violation_count; i++)
		if (result->violations[i].monitor == found->monitor && result->violations[i].kind == found->kind)
			return true;
	return false;
}

static void keep_violation(struct norn_levels *l, const struct norn_found *found, bool at_end)
{
	struct norn_lattice_result *result = &l->result;
	struct norn_lattice_violation violation = {found->monitor, at_end, found->kind, found->distance, NULL, 0};
	if (l->search.wanted[found->monitor] == 0 || is_known(result, found))
		return;
	bool event = !at_end && found->event.thread != NORN_LATTICE_BEGIN;
	events_of(l, found->parent, event ? &found->event : NULL, &violation);
	assert(!event || violation.events[violation.length - 1].k == found->event.k);
	result->violations = norn_must_realloc(result->violations, result->violation_count + 1ul, sizeof violation);
	result->violations[result->violation_count++] = violation;
	l->search.wanted[found->monitor]--;
	l->search.any_wanted = false;
	for (uint32_t m = 0; m < result->monitor_count; m++)
		l->search.any_wanted |= l->search.wanted[m] > 0;
}

/* The findings of the parts at the level that they built, the nearest first. */
static void keep_found(struct norn_levels *l)
{
	struct norn_part all = {0};
	uint64_t before = 0;
	for (uint32_t i = 0; i < l->part_count; before += l->parts[i++].level.records)
		for (uint32_t j = 0; j < l->parts[i].found_count; j++) {
			struct norn_found found = l->parts[i].found[j];
			found.node += before;
			if (!is_known(&l->result, &found))
				norn_part_note(&all, &found);
		}
	if (all.found_count)
		qsort(all.found, all.found_count, sizeof *all.found, by_place);
	for (uint32_t i = 0; i < all.found_count; i++)
		keep_violation(l, &all.found[i], false);
	free(all.found);
}

static void check_beginning(struct norn_levels *l)
{
	struct norn_record_shape shape = l->search.shape;
	const uint64_t *record = l->present.first->data, *entry = record + shape.words + shape.masks + 1;
	uint64_t head = norn_record_head_of(shape, record);
	for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + norn_record_limbs(head)) {
		uint32_t id = norn_entry_belief(*entry);
		struct norn_found found = {.kind = UINT64_MAX, .event.thread = NORN_LATTICE_BEGIN};
		if (id & NORN_BELIEF_VIOLATED) {
			found.monitor = norn_belief_done_monitor(id);
			keep_violation(l, &found, false);
		}
	}
}

/* ---- One level after the other ---- */

static void merge_parts(void *context, unsigned member)
{
	struct norn_levels *l = context;
	for (;;) {
		uint32_t part = atomic_fetch_add_explicit(&l->part_next, 1, memory_order_relaxed);
		if (part >= l->part_count)
			return;
		norn_merge_part(l->workers[member], &l->parts[part]);
	}
}

static int by_cut(const void *a, const void *b, void *words)
{
	return norn_cut_compare(a, b, *(const uint32_t *)words);
}

/* Cuts of the next level, a few from everywhere, in order: successors of some nodes of the present one. */
static uint64_t *sample(const struct norn_levels *l, uint32_t parts, size_t *ret_count)
{
	struct norn_record_shape shape = l->search.shape;
	uint32_t words = shape.words;
	uint64_t stride = l->present.records / ((uint64_t)parts * SAMPLES) + 1, i = 0;
	size_t count = 0, room = (l->present.records / stride + 1) * l->search.packing.threads;
	uint64_t *cuts = norn_must_alloc(room * words, sizeof *cuts);
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape))
		if (i++ % stride == 0)
			for (uint32_t t = 0; t < l->search.packing.threads; t++)
				if (at.record[words + t / 64] >> t % 64 & 1) {
					memcpy(cuts + count * words, at.record, words * sizeof *cuts);
					norn_cut_advance(&l->search.packing.fields[t], cuts + count++ * words);
				}
	qsort_r(cuts, count, words * sizeof *cuts, by_cut, &words);
	*ret_count = count;
	return cuts;
}

/* Cuts the next level into ranges. Two bounds may be equal, then nothing is between them. */
static void make_parts(struct norn_levels *l, uint32_t parts)
{
	uint32_t words = l->search.shape.words;
	l->parts = norn_must_calloc(parts, sizeof *l->parts);
	l->part_count = parts;
	if (parts == 1)
		return;
	size_t count;
	l->bounds = sample(l, parts, &count);
	for (uint32_t i = 1; i < parts && count; i++)
		l->parts[i].low = l->parts[i - 1].high = l->bounds + count * i / parts * words;
}

static void drop_parts(struct norn_levels *l)
{
	for (uint32_t i = 0; i < l->part_count; i++) {
		norn_level_release(&l->parts[i].level, &l->search.pool);
		free(l->parts[i].found);
	}
	free(l->parts);
	free(l->bounds);
	l->parts = NULL;
	l->bounds = NULL;
	l->part_count = 0;
}

/* Builds the next level: 0, -errno, or the limit that was reached. */
static int build(struct norn_levels *l)
{
	struct norn_search *search = &l->search;
	bool shared = l->members > 1 && l->present.records >= l->options.share_from;
	int r = 0;
	search->present = &l->present;
	search->wide = l->present.records >= WIDE;
	search->max_cuts = l->options.max_cuts ? l->options.max_cuts - l->result.cuts : UINT64_MAX;
	atomic_store(&search->produced, 0);
	atomic_store(&l->part_next, 0);
	if (shared && !l->worker_pool)
		r = norn_worker_pool_new(l->members, &l->worker_pool);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < (shared ? l->members : 1); i++) {
		if (!l->workers[i])
			l->workers[i] = norn_worker_new(search, i == 0);
		norn_worker_prepare(l->workers[i]);
	}
	make_parts(l, shared ? l->members * PARTS : 1);
	search->threaded = shared;
	search->parts = l->parts;
	search->part_count = l->part_count;
	search->lowest = 0;
	norn_level_number(&l->present);
	if (shared)
		norn_worker_pool_run(l->worker_pool, merge_parts, l);
	else
		merge_parts(l, 0);
	search->threaded = false;
	return atomic_load(&search->failed);
}

/* Drops paths that lead to no cut of the present level. */
static void compact(struct norn_levels *l)
{
	struct norn_path_tree *paths = &l->search.paths;
	struct norn_record_shape shape = l->search.shape;
	norn_path_compact_begin(paths);
	size_t extra = (size_t)paths->count * (NORN_PATH_CHUNK / 64) * (sizeof(uint64_t) + sizeof(uint32_t));
	norn_levels_account(l, &l->path_bytes, norn_path_bytes(paths) + extra);
	atomic_store_explicit(&l->search.chunk_bytes, 0, memory_order_relaxed);
	note_memory(l);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape)) {
			uint64_t head = norn_record_head_of(shape, at.record),
			         *entry = (uint64_t *)at.record + shape.words + shape.masks + 1;
			for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + norn_record_limbs(head)) {
				uint32_t path = norn_entry_path(*entry);
				if (pass == 0)
					norn_path_mark(paths, path);
				else
					*entry = norn_entry(norn_entry_belief(*entry), norn_path_renamed(paths, path));
			}
		}
		if (pass == 0)
			norn_path_compact_rank(paths);
	}
	norn_path_compact_end(paths);
	for (unsigned i = 0; i < l->members; i++)
		if (l->workers[i])
			norn_worker_drop_chunk(l->workers[i]);
	l->compact_at = norn_path_entries(paths) * 3 / 2;
	if (l->compact_at < COMPACT_FROM)
		l->compact_at = COMPACT_FROM;
}

/* Keeps the nodes that are nearest to the observed run; among equally far ones the first. */
static void prune(struct norn_levels *l)
{
	struct norn_record_shape shape = l->search.shape;
	uint64_t room = l->level + 1, left = l->options.beam, farthest = 0;
	uint64_t *numbers = norn_must_calloc(room, sizeof *numbers);
	struct norn_level kept = {0};
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape))
		numbers[norn_search_distance(&l->search, at.record)]++;
	for (; numbers[farthest] <= left; farthest++)
		left -= numbers[farthest];
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape)) {
		uint64_t distance = norn_search_distance(&l->search, at.record);
		if (distance > farthest || (distance == farthest && left == 0))
			continue;
		left -= distance == farthest;
		size_t size = norn_record_size(shape, norn_record_head_of(shape, at.record));
		uint64_t *record = norn_level_append(&kept, &l->search.pool, size, l->options.beam >= WIDE);
		memcpy(record, at.record, size * sizeof *record);
	}
	free(numbers);
	norn_level_release(&l->present, &l->search.pool);
	l->present = kept;
	assert(kept.records == l->options.beam);
}

static void note_limit(struct norn_levels *l, enum norn_lattice_limit limit, uint64_t level)
{
	if (l->result.limit == NORN_LATTICE_COMPLETE) {
		l->result.limit = limit;
		l->result.limit_level = level;
	}
}

/* Accounts for the level that has become the present one. */
static void count_level(struct norn_levels *l)
{
	struct norn_lattice_result *result = &l->result;
	if (result->levels == l->width_room) {
		uint64_t room = l->total >= 2 * l->width_room ? l->total + 1 : 2 * l->width_room;
		result->widths = norn_must_realloc(result->widths, room, sizeof *result->widths);
		l->width_room = room;
	}
	result->widths[result->levels++] = l->present.records;
	result->cuts += l->present.records;
	if (l->present.records > result->widest) {
		result->widest = l->present.records;
		result->record_bytes = norn_level_words(&l->present) * sizeof(uint64_t);
	}
}

/* The invariant of a level: cuts ascend, and each has as many events as the level's number says, counted from the window's
 * beginning on. */
__attribute__((unused)) static bool is_in_order(const struct norn_levels *l)
{
	struct norn_record_shape shape = l->search.shape;
	const uint64_t *before = NULL;
	uint64_t least = UINT64_MAX, most = 0, seen = 0;
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape)) {
		uint64_t events = 0;
		for (uint32_t t = 0; t < l->search.packing.threads; t++)
			events += norn_cut_get(&l->search.packing.fields[t], at.record);
		least = events < least ? events : least;
		most = events > most ? events : most;
		if (before && norn_cut_compare(before, at.record, shape.words) >= 0)
			return false;
		before = at.record;
		if (++seen == CHECKED)
			break;
	}
	return least == most;
}

/* The next level, finished, takes the present one's place. */
static void advance(struct norn_levels *l)
{
	keep_found(l);
	for (uint32_t i = 0; i < l->part_count; i++)
		norn_level_concat(&l->next, &l->parts[i].level);
	note_memory(l);
	drop_parts(l);
	norn_level_release(&l->present, &l->search.pool);
	l->present = l->next;
	l->next = (struct norn_level){0};
	l->level++;
	if (l->options.beam && l->present.records > l->options.beam) {
		note_limit(l, NORN_LATTICE_BEAM, l->level);
		prune(l);
	}
	norn_levels_account(l, &l->belief_bytes, norn_belief_bytes(&l->search.beliefs));
	if (!l->probing && norn_path_entries(&l->search.paths) > l->compact_at)
		compact(l);
	norn_levels_account(l, &l->path_bytes, norn_path_bytes(&l->search.paths));
	atomic_store_explicit(&l->search.chunk_bytes, 0, memory_order_relaxed);
	count_level(l);
	assert(l->present.records > 0 && is_in_order(l));
}

/* Reports how far it is; cuts are those of the level that is being built. */
static bool report_progress(void *context, uint64_t cuts)
{
	struct norn_levels *l = context;
	struct norn_lattice_progress progress = {l->level, l->total + 1, l->result.cuts + cuts, norn_search_memory(&l->search)};
	return !l->options.progress || l->options.progress(l->options.context, &progress);
}

/* Before the next level is built: is it wanted? */
static bool wanted(struct norn_levels *l)
{
	return !(l->options.stop && !l->search.any_wanted) && report_progress(l, 0);
}

/* Is the verdict of every monitor decided on all paths? Mostly the first cut says no. */
static bool is_settled(const struct norn_levels *l)
{
	struct norn_record_shape shape = l->search.shape;
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape)) {
		uint64_t head = norn_record_head_of(shape, at.record);
		const uint64_t *entry = at.record + shape.words + shape.masks + 1;
		for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + norn_record_limbs(head))
			if (!(norn_entry_belief(*entry) & NORN_BELIEF_DONE))
				return false;
	}
	return true;
}

void norn_levels_visit(struct norn_levels *l, const uint32_t *base)
{
	struct norn_node_view view = {&l->search, l->threads, base, l->options.visit, l->options.context};
	if (l->options.visit)
		norn_level_visit(&view, &l->present, l->level);
}

void norn_levels_start(struct norn_levels *l)
{
	first_level(l);
	count_level(l);
	check_beginning(l);
}

/* The observed run goes on by one event. A window's observed order may be no run, and come to its end. */
static void observe(struct norn_levels *l)
{
	uint64_t at = l->level - l->observed_from;
	if (at < l->observed.count)
		l->search.observed[norn_observed_run_thread(&l->observed, at)]++;
}

int norn_levels_to(struct norn_levels *l, uint64_t level, const uint32_t *base)
{
	int r = 0;
	while (r == 0 && !l->over && l->level < level) {
		l->over = l->result.cuts >= SETTLED_FROM && l->result.monitor_count && is_settled(l);
		if (l->over)
			break;
		l->over = !wanted(l);
		if (l->over) {
			note_limit(l, NORN_LATTICE_STOPPED, l->level);
			break;
		}
		observe(l);
		r = build(l);
		if (r > 0) {
			l->over = true;
			l->result.limit = (enum norn_lattice_limit)r;
			l->result.limit_level = l->level + 1;
			note_memory(l);
			return 0;
		}
		if (r == 0)
			advance(l);
		if (r == 0 && base)
			norn_levels_visit(l, base);
	}
	return r;
}

/* ---- Probing ---- */

static void copy_level(struct norn_levels *l, struct norn_level *to)
{
	struct norn_record_shape shape = l->search.shape;
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape)) {
		size_t size = norn_record_size(shape, norn_record_head_of(shape, at.record));
		uint64_t *record = norn_level_append(to, &l->search.pool, size, l->present.records >= WIDE);
		memcpy(record, at.record, size * sizeof *record);
	}
}

/* Restores the level that was copied. Violations stay. */
static void go_back(struct norn_levels *l, const struct norn_levels *was, struct norn_level *level, const uint64_t *observed)
{
	drop_parts(l);
	norn_level_release(&l->present, &l->search.pool);
	l->present = *level;
	l->level = was->level;
	l->over = was->over;
	l->options.max_cuts = was->options.max_cuts;
	l->result.limit = was->result.limit;
	l->result.limit_level = was->result.limit_level;
	l->result.levels = was->result.levels;
	l->result.cuts = was->result.cuts;
	l->result.widest = was->result.widest;
	l->result.record_bytes = was->result.record_bytes;
	memcpy(l->search.observed, observed, l->search.packing.threads * sizeof *observed);
	atomic_store(&l->search.failed, 0);
}

int norn_levels_probe(struct norn_levels *l, uint64_t level, uint64_t cuts)
{
	struct norn_level here = {0};
	struct norn_levels was = *l; /* only what is not owned is used */
	uint64_t most = l->result.cuts + cuts;
	uint64_t *observed = norn_must_copy(l->search.observed, l->search.packing.threads, sizeof *observed);
	copy_level(l, &here);
	if (!l->options.max_cuts || most < l->options.max_cuts)
		l->options.max_cuts = most;
	l->probing = true;
	int r = norn_levels_to(l, level, NULL);
	l->probing = false;
	go_back(l, &was, &here, observed);
	free(observed);
	if (r == 0 && norn_path_entries(&l->search.paths) > l->compact_at)
		compact(l);
	norn_levels_account(l, &l->path_bytes, norn_path_bytes(&l->search.paths));
	return r;
}

/* ---- The end ---- */

/* The verdicts of the last cut, to which all runs lead. */
static void count_entry(struct norn_levels *l, uint64_t entry, const uint64_t *limbs, uint32_t limb_count)
{
	struct norn_lattice_result *result = &l->result;
	uint32_t before = norn_entry_belief(entry);
	uint32_t id = before & NORN_BELIEF_DONE ? before : norn_belief_end(&l->search.beliefs, before);
	uint32_t monitor = norn_belief_done_monitor(id);
	if (monitor == 0)
		norn_bignum_add(&result->runs, limbs, limb_count);
	if (result->monitor_count == 0)
		return;
	if (id & NORN_BELIEF_VIOLATED && !(before & NORN_BELIEF_DONE)) {
		struct norn_found found = {.monitor = monitor, .parent = norn_entry_path(entry), .kind = UINT64_MAX};
		keep_violation(l, &found, true);
	}
	if (id & NORN_BELIEF_VIOLATED)
		norn_bignum_add(&result->monitors[monitor].violating, limbs, limb_count);
	else if (norn_belief_uncertain(id))
		norn_bignum_add(&result->monitors[monitor].uncertain, limbs, limb_count);
}

void norn_levels_finish(struct norn_levels *l)
{
	struct norn_record_shape shape = l->search.shape;
	note_memory(l);
	if (l->level < l->total)
		return;
	assert(l->present.records == 1);
	const uint64_t *record = l->present.first->data, *entry = record + shape.words + shape.masks + 1;
	uint64_t head = norn_record_head_of(shape, record);
	uint32_t limbs = norn_record_limbs(head);
	l->result.counted = limbs > 0;
	for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + limbs)
		count_entry(l, *entry, entry + 1, limbs);
}

/* ---- The whole ---- */

static uint64_t nothing_start(const void *context)
{
	(void)context;
	return 0;
}

static uint64_t nothing_step(const void *context, uint64_t state, uint64_t letter)
{
	(void)context;
	(void)letter;
	return state;
}

static bool nothing_violated(const void *context, uint64_t state)
{
	(void)context;
	(void)state;
	return false;
}

static bool nothing_settled(const void *context, uint64_t state)
{
	(void)context;
	(void)state;
	return true;
}

/* Counts runs where there is no monitor. */
static const struct norn_stepper nothing = {
        .start = nothing_start, .step = nothing_step, .violated = nothing_violated, .settled = nothing_settled};

static unsigned cores(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count > 256 ? 256 : (unsigned)count;
}

static void init_search(struct norn_levels *l, const struct norn_stepper *steppers, uint32_t monitors)
{
	struct norn_search *search = &l->search;
	norn_belief_init(&search->beliefs, monitors ? steppers : &nothing, monitors ? monitors : 1);
	search->max_memory = l->options.max_memory ? l->options.max_memory : SIZE_MAX;
	search->wanted = norn_must_calloc(monitors, sizeof *search->wanted);
	l->workers = norn_must_calloc(l->members, sizeof(struct norn_worker *));
	l->result.monitors = norn_must_calloc(monitors, sizeof *l->result.monitors);
	for (uint32_t m = 0; m < monitors; m++)
		search->wanted[m] = l->options.violations ? l->options.violations : 1;
	search->any_wanted = monitors > 0;
	search->tick = report_progress;
	search->tick_context = l;
	l->compact_at = COMPACT_FROM;
}

int norn_levels_init(struct norn_levels *l, const struct norn_lattice_model *model, const struct norn_stepper *steppers,
        uint32_t monitors, const struct norn_lattice_options *options)
{
	*l = (struct norn_levels){.search.model = model, .result.monitor_count = monitors};
	pthread_mutex_init(&l->search.lock, NULL);
	norn_block_pool_init(&l->search.pool);
	if (options)
		l->options = *options;
	if (!l->options.share_from)
		l->options.share_from = SHARED;
	l->members = l->options.workers ? l->options.workers : cores();
	if (monitors > NORN_ENTRIES_MAX)
		return -EOVERFLOW;
	init_search(l, steppers, monitors);
	return 0;
}

void norn_levels_done(struct norn_levels *l)
{
	drop_parts(l);
	norn_level_release(&l->present, &l->search.pool);
	norn_level_release(&l->next, &l->search.pool);
	norn_worker_pool_free(l->worker_pool);
	for (unsigned i = 0; l->workers && i < l->members; i++)
		norn_worker_free(l->workers[i]);
	free(l->workers);
	free(l->search.wanted);
	free(l->search.observed);
	norn_observed_run_done(&l->observed);
	norn_belief_done(&l->search.beliefs);
	norn_path_done(&l->search.paths);
	norn_packing_done(&l->search.packing);
	norn_block_pool_done(&l->search.pool);
	pthread_mutex_destroy(&l->search.lock);
}
