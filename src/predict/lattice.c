#include "predict/lattice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/crew.h"
#include "predict/merge.h"
#include "predict/observed.h"
#include "predict/visit.h"

#define WIDE 256u /* cuts of a level that is worth large blocks and caches */
#define SHARED 4096u /* cuts of a level that is worth waking the crew for */
#define PARTS 4u /* per member: they are not equally much work */
#define SAMPLES 32u /* nodes per part, to find where to cut a level */
#define SETTLED_FROM 20000u /* cuts from which on runs are not counted for the number's sake */
#define COMPACT_FROM 16384u /* entries of the path tree */

struct lattice {
	struct norn_search search;
	const struct norn_computation *computation;
	struct norn_lattice_options options;
	struct norn_lattice_result *result;
	struct norn_observed observed;
	unsigned members;
	struct norn_crew *crew; /* NULL until a level is worth it, and for one worker */
	struct norn_worker **workers;
	struct norn_level present, next;
	uint64_t level; /* of present */
	size_t compact_at; /* entries of the path tree */
	size_t belief_bytes, path_bytes; /* as counted in search.other_bytes */
	/* The level that is being built. */
	struct norn_part *parts;
	uint32_t part_count;
	_Atomic uint32_t part_next;
	uint64_t *bounds; /* cuts between parts */
};

static void count_other(struct lattice *l, size_t *was, size_t is)
{
	atomic_fetch_add_explicit(&l->search.other_bytes, is - *was, memory_order_relaxed); /* may go down: modulo 2^64 */
	*was = is;
}

static void note_memory(struct lattice *l)
{
	size_t memory = norn_search_memory(&l->search);
	if (memory > l->result->memory)
		l->result->memory = memory;
}

/* ---- The beginning ---- */

static int first_beliefs(struct lattice *l, uint64_t *entries)
{
	const struct norn_lattice_model *model = l->search.model;
	for (uint32_t m = 0; m < l->search.beliefs.monitors; m++) {
		uint64_t letter = 0, unknown = 0;
		uint32_t id;
		int r = norn_belief_start(&l->search.beliefs, m, &id);
		struct norn_lattice_event begin = {NORN_LATTICE_BEGIN, 0};
		enum norn_lattice_position position = NORN_LATTICE_NO_POSITION;
		if (l->result->monitor_count)
			position = model->letter(model->context, m, model->initial, model->initial, begin, &letter, &unknown);
		if (r == 0 && position != NORN_LATTICE_NO_POSITION)
			r = norn_belief_step(&l->search.beliefs, id, letter, unknown, position == NORN_LATTICE_MAYBE, &id);
		if (r < 0)
			return r;
		uint32_t size = l->options.uncounted ? 1 : 2;
		entries[m * size] = norn_entry(id, 0);
		if (size == 2)
			entries[m * size + 1] = 1;
	}
	return 0;
}

static int first_level(struct lattice *l)
{
	struct norn_search *search = &l->search;
	struct norn_record_shape shape = search->shape;
	uint64_t head = norn_record_head(search->model->initial, search->beliefs.monitors, !l->options.uncounted);
	uint64_t *record = norn_level_append(&l->present, &search->pool, norn_record_size(shape, head), false);
	if (!record)
		return -ENOMEM;
	memset(record, 0, norn_record_size(shape, head) * sizeof *record);
	for (uint32_t t = 0; t < search->packing.threads; t++) {
		const struct norn_cut_field *field = &search->packing.fields[t];
		if (field->events && norn_cut_covers(record, search->packing.needs + field->first * shape.words,
		                             search->packing.guards, shape.words))
			record[shape.words + t / 64] |= UINT64_C(1) << t % 64;
	}
	record[shape.words + shape.masks] = head;
	return first_beliefs(l, record + shape.words + shape.masks + 1);
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
static int events_of(
        struct lattice *l, uint32_t path, const struct norn_lattice_event *last, struct norn_lattice_violation *violation)
{
	const struct norn_path_tree *paths = &l->search.paths;
	uint64_t length = last != NULL, at;
	uint32_t *next = calloc(l->search.packing.threads + 1, sizeof *next);
	for (uint32_t p = path; p; length++)
		norn_path_last(paths, p, &p);
	violation->events = malloc((length + 1) * sizeof *violation->events);
	if (!next || !violation->events) {
		free(next);
		free(violation->events);
		return -ENOMEM;
	}
	violation->length = at = length;
	if (last)
		violation->events[--at] = *last;
	for (uint32_t p = path; p;)
		violation->events[--at].thread = norn_path_last(paths, p, &p);
	for (uint64_t i = 0; i < length; i++)
		violation->events[i].k = next[violation->events[i].thread]++;
	free(next);
	return 0;
}

static bool is_known(const struct norn_lattice_result *result, const struct norn_found *found)
{
	for (uint32_t i = 0; i < result->violation_count; i++)
		if (result->violations[i].monitor == found->monitor && result->violations[i].kind == found->kind)
			return true;
	return false;
}

static int keep_violation(struct lattice *l, const struct norn_found *found, bool at_end)
{
	struct norn_lattice_result *result = l->result;
	struct norn_lattice_violation violation = {found->monitor, at_end, found->kind, found->distance, NULL, 0};
	if (l->search.wanted[found->monitor] == 0 || is_known(result, found))
		return 0;
	struct norn_lattice_violation *list = realloc(result->violations, (result->violation_count + 1) * sizeof *list);
	if (!list)
		return -ENOMEM;
	result->violations = list;
	bool event = !at_end && found->event.thread != NORN_LATTICE_BEGIN;
	int r = events_of(l, found->parent, event ? &found->event : NULL, &violation);
	if (r < 0)
		return r;
	list[result->violation_count++] = violation;
	l->search.wanted[found->monitor]--;
	l->search.any_wanted = false;
	for (uint32_t m = 0; m < result->monitor_count; m++)
		l->search.any_wanted |= l->search.wanted[m] > 0;
	return 0;
}

/* What the parts found at the level that they built, the nearest first. */
static int keep_found(struct lattice *l)
{
	struct norn_part all = {0};
	uint64_t before = 0;
	int r = 0;
	for (uint32_t i = 0; i < l->part_count && r == 0; before += l->parts[i++].level.records)
		for (uint32_t j = 0; j < l->parts[i].found_count && r == 0; j++) {
			struct norn_found found = l->parts[i].found[j];
			found.node += before;
			r = is_known(l->result, &found) ? 0 : norn_part_note(&all, &found);
		}
	if (all.found_count)
		qsort(all.found, all.found_count, sizeof *all.found, by_place);
	for (uint32_t i = 0; i < all.found_count && r == 0; i++)
		r = keep_violation(l, &all.found[i], false);
	free(all.found);
	return r;
}

static int check_beginning(struct lattice *l)
{
	struct norn_record_shape shape = l->search.shape;
	const uint64_t *record = l->present.first->data, *entry = record + shape.words + shape.masks + 1;
	uint64_t head = norn_record_head_of(shape, record);
	int r = 0;
	for (uint32_t i = norn_record_entries(head); i > 0 && r == 0; i--, entry += 1 + norn_record_limbs(head)) {
		uint32_t id = norn_entry_belief(*entry);
		struct norn_found found = {.kind = UINT64_MAX, .event.thread = NORN_LATTICE_BEGIN};
		if (id & NORN_BELIEF_VIOLATED) {
			found.monitor = norn_belief_done_monitor(id);
			r = keep_violation(l, &found, false);
		}
	}
	return r;
}

/* ---- One level after the other ---- */

static void merge_parts(void *context, unsigned member)
{
	struct lattice *l = context;
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
static int sample(struct lattice *l, uint32_t parts, uint64_t **ret_cuts, size_t *ret_count)
{
	struct norn_record_shape shape = l->search.shape;
	uint32_t words = shape.words;
	uint64_t stride = l->present.records / ((uint64_t)parts * SAMPLES) + 1, i = 0;
	size_t count = 0, room = (l->present.records / stride + 1) * l->search.packing.threads;
	uint64_t *cuts = malloc(room * words * sizeof *cuts);
	if (!cuts)
		return -ENOMEM;
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, shape))
		if (i++ % stride == 0)
			for (uint32_t t = 0; t < l->search.packing.threads; t++)
				if (at.record[words + t / 64] >> t % 64 & 1) {
					memcpy(cuts + count * words, at.record, words * sizeof *cuts);
					norn_cut_advance(&l->search.packing.fields[t], cuts + count++ * words);
				}
	qsort_r(cuts, count, words * sizeof *cuts, by_cut, &words);
	*ret_cuts = cuts;
	*ret_count = count;
	return 0;
}

/* Cuts the next level into ranges. Two bounds may be equal, then nothing is between them. */
static int make_parts(struct lattice *l, uint32_t parts)
{
	uint32_t words = l->search.shape.words;
	l->parts = calloc(parts, sizeof *l->parts);
	if (!l->parts)
		return -ENOMEM;
	l->part_count = parts;
	if (parts == 1)
		return 0;
	size_t count;
	int r = sample(l, parts, &l->bounds, &count);
	for (uint32_t i = 1; i < parts && r == 0 && count; i++)
		l->parts[i].low = l->parts[i - 1].high = l->bounds + count * i / parts * words;
	return r;
}

static void drop_parts(struct lattice *l)
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
static int build(struct lattice *l)
{
	struct norn_search *search = &l->search;
	bool shared = l->members > 1 && l->present.records >= l->options.share_from;
	int r = 0;
	search->wide = l->present.records >= WIDE;
	search->max_cuts = l->options.max_cuts ? l->options.max_cuts - l->result->cuts : UINT64_MAX;
	atomic_store(&search->produced, 0);
	atomic_store(&l->part_next, 0);
	if (shared && !l->crew)
		r = norn_crew_new(l->members, &l->crew);
	for (unsigned i = 0; i < (shared ? l->members : 1) && r == 0; i++) {
		if (!l->workers[i])
			r = norn_worker_new(search, i == 0, &l->workers[i]);
		if (r == 0)
			r = norn_worker_prepare(l->workers[i]);
	}
	if (r == 0)
		r = make_parts(l, shared ? l->members * PARTS : 1);
	if (r < 0)
		return r;
	search->threaded = shared;
	search->present = &l->present;
	search->parts = l->parts;
	search->part_count = l->part_count;
	search->lowest = 0;
	norn_level_number(&l->present);
	if (shared)
		norn_crew_run(l->crew, merge_parts, l);
	else
		merge_parts(l, 0);
	search->threaded = false;
	return atomic_load(&search->failed);
}

/* Paths from which no cut of the present level descends go. */
static int compact(struct lattice *l)
{
	struct norn_path_tree *paths = &l->search.paths;
	struct norn_record_shape shape = l->search.shape;
	int r = norn_path_compact_begin(paths);
	if (r < 0)
		return r;
	size_t extra = (size_t)paths->count * (NORN_PATH_CHUNK / 64) * (sizeof(uint64_t) + sizeof(uint32_t));
	count_other(l, &l->path_bytes, norn_path_bytes(paths) + extra);
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
			norn_worker_forget_paths(l->workers[i]);
	l->compact_at = norn_path_entries(paths) * 3 / 2;
	if (l->compact_at < COMPACT_FROM)
		l->compact_at = COMPACT_FROM;
	return 0;
}

/* Keeps the nodes that are nearest to the observed run; among equally far ones the first. */
static int prune(struct lattice *l)
{
	struct norn_record_shape shape = l->search.shape;
	uint64_t room = l->level + 1, left = l->options.beam, farthest = 0;
	uint64_t *numbers = calloc(room, sizeof *numbers);
	struct norn_level kept = {0};
	if (!numbers)
		return -ENOMEM;
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
		if (!record) {
			norn_level_release(&kept, &l->search.pool);
			free(numbers);
			return -ENOMEM;
		}
		memcpy(record, at.record, size * sizeof *record);
	}
	free(numbers);
	norn_level_release(&l->present, &l->search.pool);
	l->present = kept;
	return 0;
}

static void bite(struct lattice *l, enum norn_lattice_limit limit, uint64_t level)
{
	if (l->result->limit == NORN_LATTICE_COMPLETE) {
		l->result->limit = limit;
		l->result->limit_level = level;
	}
}

/* Accounts for the level that has become the present one. */
static void count_level(struct lattice *l)
{
	struct norn_lattice_result *result = l->result;
	result->widths[result->levels++] = l->present.records;
	result->cuts += l->present.records;
	if (l->present.records > result->widest) {
		result->widest = l->present.records;
		result->record_bytes = norn_level_words(&l->present) * sizeof(uint64_t);
	}
}

/* The next level, finished, takes the present one's place. */
static int advance(struct lattice *l)
{
	int r = keep_found(l);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < l->part_count; i++)
		norn_level_concat(&l->next, &l->parts[i].level);
	note_memory(l);
	drop_parts(l);
	norn_level_release(&l->present, &l->search.pool);
	l->present = l->next;
	l->next = (struct norn_level){0};
	l->level++;
	if (l->options.beam && l->present.records > l->options.beam) {
		bite(l, NORN_LATTICE_BEAM, l->level);
		r = prune(l);
	}
	count_other(l, &l->belief_bytes, norn_belief_bytes(&l->search.beliefs));
	if (r == 0 && norn_path_entries(&l->search.paths) > l->compact_at)
		r = compact(l);
	count_other(l, &l->path_bytes, norn_path_bytes(&l->search.paths));
	atomic_store_explicit(&l->search.chunk_bytes, 0, memory_order_relaxed);
	count_level(l);
	return r;
}

/* Tells how far it is; cuts are those of the level that is being built. */
static bool tell(void *context, uint64_t cuts)
{
	struct lattice *l = context;
	struct norn_lattice_progress progress = {
	        l->level, l->computation->total + 1, l->result->cuts + cuts, norn_search_memory(&l->search)};
	return !l->options.progress || l->options.progress(l->options.context, &progress);
}

/* Before the next level is built: does anyone want it? */
static bool wanted(struct lattice *l)
{
	return !(l->options.stop && !l->search.any_wanted) && tell(l, 0);
}

/* Is it decided on all ways what every monitor will say? Mostly the first cut says no. */
static bool is_settled(const struct lattice *l)
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

static int go_up(struct lattice *l)
{
	int r = check_beginning(l);
	if (r == 0 && l->options.visit)
		r = norn_level_visit(&l->search, &l->present, l->level, l->options.visit, l->options.context);
	while (r == 0 && l->level < l->computation->total) {
		if (l->result->cuts >= SETTLED_FROM && l->result->monitor_count && is_settled(l))
			return 0;
		if (!wanted(l)) {
			bite(l, NORN_LATTICE_STOPPED, l->level);
			return 0;
		}
		l->search.observed[norn_observed_thread(&l->observed, l->level)]++;
		r = build(l);
		if (r > 0) {
			l->result->limit = (enum norn_lattice_limit)r;
			l->result->limit_level = l->level + 1;
			note_memory(l);
			return 0;
		}
		if (r == 0)
			r = advance(l);
		if (r == 0 && l->options.visit)
			r = norn_level_visit(&l->search, &l->present, l->level, l->options.visit, l->options.context);
	}
	return r;
}

/* ---- The end ---- */

/* What the last cut says: all runs lead there. */
static int count_entry(struct lattice *l, uint64_t entry, const uint64_t *limbs, uint32_t limb_count)
{
	struct norn_lattice_result *result = l->result;
	uint32_t before = norn_entry_belief(entry), id = before;
	int r = 0;
	if (!(before & NORN_BELIEF_DONE))
		r = norn_belief_end(&l->search.beliefs, before, &id);
	if (r < 0 || result->monitor_count == 0)
		return r < 0 ? r : norn_bignum_add(&result->runs, limbs, limb_count);
	uint32_t monitor = norn_belief_done_monitor(id);
	if (id & NORN_BELIEF_VIOLATED && !(before & NORN_BELIEF_DONE)) {
		struct norn_found found = {.monitor = monitor, .parent = norn_entry_path(entry), .kind = UINT64_MAX};
		r = keep_violation(l, &found, true);
	}
	if (r == 0 && monitor == 0)
		r = norn_bignum_add(&result->runs, limbs, limb_count);
	if (r == 0 && id & NORN_BELIEF_VIOLATED)
		r = norn_bignum_add(&result->monitors[monitor].violating, limbs, limb_count);
	else if (r == 0 && norn_belief_uncertain(id))
		r = norn_bignum_add(&result->monitors[monitor].uncertain, limbs, limb_count);
	return r;
}

static int finish(struct lattice *l)
{
	struct norn_record_shape shape = l->search.shape;
	if (l->level < l->computation->total)
		return 0;
	const uint64_t *record = l->present.first->data, *entry = record + shape.words + shape.masks + 1;
	uint64_t head = norn_record_head_of(shape, record);
	uint32_t limbs = norn_record_limbs(head);
	l->result->counted = limbs > 0;
	for (uint32_t i = norn_record_entries(head); i > 0; i--, entry += 1 + limbs) {
		int r = count_entry(l, *entry, entry + 1, limbs);
		if (r < 0)
			return r;
	}
	return 0;
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

static int init_result(struct lattice *l, uint32_t monitors)
{
	struct norn_lattice_result *result = l->result;
	*result = (struct norn_lattice_result){.monitor_count = monitors};
	result->widths = calloc(l->computation->total + 1, sizeof *result->widths);
	result->monitors = calloc(monitors + 1, sizeof *result->monitors);
	return result->widths && result->monitors ? 0 : -ENOMEM;
}

static int init_search(struct lattice *l, const struct norn_stepper *steppers, uint32_t monitors)
{
	struct norn_search *search = &l->search;
	int r = norn_packing_init(&search->packing, l->computation);
	if (r == 0)
		r = norn_belief_init(&search->beliefs, monitors ? steppers : &nothing, monitors ? monitors : 1);
	if (r == 0)
		r = norn_observed_init(&l->observed, l->computation, search->model->observed);
	if (r < 0)
		return r;
	search->shape = (struct norn_record_shape){search->packing.words, (search->packing.threads + 63) / 64};
	search->ranks = l->observed.ranks;
	search->max_memory = l->options.max_memory ? l->options.max_memory : SIZE_MAX;
	search->observed = calloc(search->packing.threads + 1, sizeof *search->observed);
	search->wanted = calloc(monitors + 1, sizeof *search->wanted);
	l->workers = calloc(l->members, sizeof(struct norn_worker *));
	if (!search->observed || !search->wanted || !l->workers)
		return -ENOMEM;
	for (uint32_t m = 0; m < monitors; m++)
		search->wanted[m] = l->options.violations ? l->options.violations : 1;
	search->any_wanted = monitors > 0;
	search->tick = tell;
	search->tick_context = l;
	l->compact_at = COMPACT_FROM;
	atomic_store(&search->other_bytes, norn_packing_bytes(&search->packing, l->computation) + l->computation->total * 20);
	return first_level(l);
}

static void done(struct lattice *l)
{
	drop_parts(l);
	norn_level_release(&l->present, &l->search.pool);
	norn_level_release(&l->next, &l->search.pool);
	norn_crew_free(l->crew);
	for (unsigned i = 0; l->workers && i < l->members; i++)
		norn_worker_free(l->workers[i]);
	free(l->workers);
	free(l->search.wanted);
	free(l->search.observed);
	norn_observed_done(&l->observed);
	norn_belief_done(&l->search.beliefs);
	norn_path_done(&l->search.paths);
	norn_packing_done(&l->search.packing);
	norn_block_pool_done(&l->search.pool);
	pthread_mutex_destroy(&l->search.lock);
}

int norn_lattice_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_stepper *steppers, uint32_t monitors, const struct norn_lattice_options *options,
        struct norn_lattice_result *ret_result)
{
	struct norn_lattice_result result = {0};
	struct lattice l = {.computation = computation, .result = &result, .search.model = model};
	if (computation->total >= UINT32_MAX || monitors > NORN_ENTRIES_MAX)
		return -EOVERFLOW;
	if (options)
		l.options = *options;
	if (!l.options.share_from)
		l.options.share_from = SHARED;
	l.members = l.options.workers ? l.options.workers : cores();
	pthread_mutex_init(&l.search.lock, NULL);
	norn_block_pool_init(&l.search.pool);
	int r = init_result(&l, monitors);
	if (r == 0)
		r = init_search(&l, steppers, monitors);
	if (r == 0) {
		count_level(&l);
		r = go_up(&l);
	}
	if (r == 0)
		r = finish(&l);
	note_memory(&l);
	done(&l);
	if (r < 0)
		norn_lattice_result_done(&result);
	else
		*ret_result = result;
	return r;
}

void norn_lattice_result_done(struct norn_lattice_result *result)
{
	for (uint32_t i = 0; i < result->violation_count; i++)
		free(result->violations[i].events);
	for (uint32_t m = 0; m < result->monitor_count && result->monitors; m++) {
		norn_bignum_done(&result->monitors[m].violating);
		norn_bignum_done(&result->monitors[m].uncertain);
	}
	norn_bignum_done(&result->runs);
	free(result->violations);
	free(result->monitors);
	free(result->widths);
	*result = (struct norn_lattice_result){0};
}

const char *norn_lattice_limit_name(enum norn_lattice_limit limit)
{
	static const char *const names[] = {"complete", "max-cuts", "max-memory", "beam", "stopped"};
	return names[limit];
}
