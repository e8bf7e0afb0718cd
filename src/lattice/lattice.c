#include "lattice/lattice.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lattice/levels.h"

/* A thread's events from number base on. */
struct source {
	uint32_t *clocks; /* rows of lattice->room entries */
	uint64_t *sums, *places;
	uint32_t base, count, room; /* count: all of its events, also those before base; room: of rows */
	uint64_t bound; /* what comes has at least so many events before it */
	bool known, ended;
};

struct norn_lattice {
	struct norn_levels levels;
	struct norn_lattice_model model;
	struct norn_stepper *steppers;
	struct source *sources; /* by thread */
	uint32_t count, room; /* threads; room is the stride, too */
	uint32_t *base, *taken; /* by thread: see norn_levels_move */
	uint64_t hold;
	bool visited; /* options.visit has got level 0, which waits for the first window */
	bool finished;
};

int norn_lattice_new(const struct norn_lattice_model *model, const struct norn_stepper *steppers, uint32_t monitors,
        const struct norn_lattice_options *options, struct norn_lattice **ret_lattice)
{
	struct norn_lattice *s = norn_must_calloc(1, sizeof *s);
	struct norn_packing packing;
	struct norn_observed_run observed = {0};
	s->model = *model;
	s->hold = UINT64_MAX;
	s->steppers = norn_must_copy(steppers, monitors, sizeof *s->steppers);
	int r = norn_levels_init(&s->levels, &s->model, s->steppers, monitors, options);
	if (r < 0) {
		norn_lattice_free(s);
		return r;
	}
	norn_packing_init(&packing, NULL, 0);
	norn_levels_look(&s->levels, &packing, &observed);
	norn_levels_start(&s->levels);
	*ret_lattice = s;
	return 0;
}

void norn_lattice_free(struct norn_lattice *s)
{
	if (!s)
		return;
	norn_levels_done(&s->levels);
	norn_lattice_result_done(&s->levels.result);
	for (uint32_t t = 0; t < s->count; t++) {
		free(s->sources[t].clocks);
		free(s->sources[t].sums);
		free(s->sources[t].places);
	}
	free(s->sources);
	free(s->base);
	free(s->taken);
	free(s->steppers);
	free(s);
}

/* ---- Events ---- */

/* Rows get as many entries as there is room for threads. */
static void widen_rows(struct source *source, uint32_t from, uint32_t to)
{
	if (!source->room)
		return;
	uint32_t *clocks = norn_must_calloc((size_t)source->room * to, sizeof *clocks);
	for (uint32_t k = 0; k < source->count - source->base; k++)
		memcpy(clocks + (size_t)k * to, source->clocks + (size_t)k * from, from * sizeof *clocks);
	free(source->clocks);
	source->clocks = clocks;
}

static void *grow(void *array, size_t room, size_t old, size_t each)
{
	char *bigger = norn_must_realloc(array, room, each);
	memset(bigger + old * each, 0, (room - old) * each);
	return bigger;
}

static int reserve_thread(struct norn_lattice *s, uint32_t thread)
{
	if (thread >= UINT16_MAX)
		return -EOVERFLOW;
	uint32_t old = s->room, room = old ? old : 4;
	while (room <= thread)
		room *= 2;
	if (room > old) {
		for (uint32_t t = 0; t < s->count; t++)
			widen_rows(&s->sources[t], old, room);
		s->sources = grow(s->sources, room, old, sizeof *s->sources);
		s->base = grow(s->base, room, old, sizeof *s->base);
		s->taken = grow(s->taken, room, old, sizeof *s->taken);
		s->room = room;
	}
	if (thread >= s->count)
		s->count = s->levels.threads = thread + 1;
	return 0;
}

int norn_lattice_thread(struct norn_lattice *s, uint32_t thread)
{
	int r = reserve_thread(s, thread);
	if (r == 0)
		s->sources[thread].known = true;
	return r;
}

static int reserve_row(const struct norn_lattice *s, struct source *source)
{
	uint32_t held = source->count - source->base, old = source->room, room = old ? 2 * old : 8;
	if (held < old)
		return 0;
	if (held == UINT32_MAX / 2)
		return -EOVERFLOW;
	source->clocks = grow(source->clocks, (size_t)room * s->room, (size_t)old * s->room, sizeof *source->clocks);
	source->sums = grow(source->sums, room, old, sizeof *source->sums);
	source->places = grow(source->places, room, old, sizeof *source->places);
	source->room = room;
	return 0;
}

static const uint32_t *row(const struct norn_lattice *s, uint32_t thread, uint32_t k)
{
	const struct source *source = &s->sources[thread];
	assert(k >= source->base && k < source->count);
	return source->clocks + (size_t)(k - source->base) * s->room;
}

static bool at_most(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	for (uint32_t j = 0; j < count; j++)
		if (a[j] > b[j])
			return false;
	return true;
}

/* Does the clock, as wide as a row, include the clocks of all events that it names? An entry that the thread's event before has, too, was checked with
 * that one; events whose clocks are dropped are in every cut, with all that precedes them. */
static bool is_sound(const struct norn_lattice *s, uint32_t thread, const uint32_t *clock)
{
	const struct source *own = &s->sources[thread];
	const uint32_t *before = own->count > own->base ? row(s, thread, own->count - 1) : NULL;
	if (before && !at_most(before, clock, s->count))
		return false;
	for (uint32_t j = 0; j < s->count; j++) {
		if (j == thread || (before && clock[j] == before[j]))
			continue;
		if (clock[j] > s->sources[j].count)
			return false;
		if (clock[j] > s->sources[j].base && !at_most(row(s, j, clock[j] - 1), clock, s->count))
			return false;
	}
	return true;
}

int norn_lattice_add(struct norn_lattice *s, uint32_t thread, const uint32_t *clock, uint32_t width, uint64_t place)
{
	while (width && clock[width - 1] == 0)
		width--;
	if (width > UINT16_MAX || thread >= width)
		return -EBADMSG;
	int r = reserve_thread(s, width - 1);
	if (r < 0)
		return r;
	struct source *source = &s->sources[thread];
	if (source->ended || clock[thread] != source->count + 1)
		return -EBADMSG;
	r = reserve_row(s, source);
	if (r < 0)
		return r;
	uint32_t at = source->count - source->base, *to = source->clocks + (size_t)at * s->room;
	memset(to, 0, s->room * sizeof *to);
	uint64_t sum = 0;
	for (uint32_t j = 0; j < width; j++)
		sum += to[j] = clock[j];
	if (!is_sound(s, thread, to))
		return -EBADMSG;
	if (sum <= s->levels.level)
		return -ESTALE;
	source->known = true;
	source->sums[at] = sum;
	source->places[at] = place;
	source->count++;
	norn_lattice_bound(s, thread, sum);
	s->levels.total++;
	return s->levels.total < UINT32_MAX ? 0 : -EOVERFLOW;
}

void norn_lattice_bound(struct norn_lattice *s, uint32_t thread, uint64_t events)
{
	if (thread < s->count && s->sources[thread].bound < events)
		s->sources[thread].bound = events;
}

void norn_lattice_hold(struct norn_lattice *s, uint64_t events)
{
	s->hold = events;
}

void norn_lattice_end(struct norn_lattice *s, uint32_t thread)
{
	if (thread < s->count)
		s->sources[thread].ended = true;
}

/* ---- Levels ---- */

static uint64_t closed(const struct norn_lattice *s)
{
	uint64_t level = s->hold < s->levels.total ? s->hold : s->levels.total;
	for (uint32_t t = 0; t < s->count; t++) {
		const struct source *source = &s->sources[t];
		if (source->known && !source->ended && source->bound < level)
			level = source->bound;
	}
	return level;
}

/* Drops the rows before base, which is in every cut. */
static void drop_rows(struct norn_lattice *s, uint32_t thread, uint32_t base)
{
	struct source *source = &s->sources[thread];
	uint32_t gone = base - source->base, left = source->count - base;
	if (gone < left || gone == 0)
		return; /* moving the rest would cost more than it saves */
	memmove(source->clocks, source->clocks + (size_t)gone * s->room, (size_t)left * s->room * sizeof *source->clocks);
	memmove(source->sums, source->sums + gone, left * sizeof *source->sums);
	memmove(source->places, source->places + gone, left * sizeof *source->places);
	source->base = base;
}

/* How many of its events cuts up to this level can have. */
static uint32_t in_reach(const struct source *source, uint64_t level)
{
	uint32_t low = source->base, high = source->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (source->sums[middle - source->base] <= level)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The threads whose events are in the window up to level, and how many there are. */
static uint32_t gather(const struct norn_lattice *s, uint64_t level, struct norn_cut_thread *threads, uint64_t *ret_total)
{
	uint32_t count = 0;
	*ret_total = 0;
	for (uint32_t t = 0; t < s->count; t++) {
		uint32_t end = in_reach(&s->sources[t], level), base = s->base[t];
		if (end <= base)
			continue;
		threads[count++] = (struct norn_cut_thread){
		        .thread = t, .base = base, .events = end - base, .clocks = row(s, t, base), .stride = s->room};
		*ret_total += end - base;
	}
	return count;
}

static void order_observed(const struct norn_lattice *s, const struct norn_cut_thread *threads, uint32_t count, uint64_t total,
        struct norn_observed_run *ret_observed)
{
	struct norn_observed_run_event *list = norn_must_alloc(total, sizeof *list);
	uint64_t event = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct source *source = &s->sources[threads[i].thread];
		for (uint32_t k = 0; k < threads[i].events; k++, event++) {
			uint32_t number = threads[i].base + k;
			list[event] = (struct norn_observed_run_event){
			        source->places[number - source->base], event, (uint16_t)i, number < s->taken[threads[i].thread]};
		}
	}
	norn_observed_run_init(ret_observed, list, total);
	free(list);
}

/* How far the observed run has come, for all threads of the window that is left. */
static void note_taken(struct norn_lattice *s)
{
	const struct norn_search *search = &s->levels.search;
	for (uint32_t t = 0; t < search->packing.threads; t++)
		s->taken[search->packing.fields[t].thread] = search->packing.fields[t].base + (uint32_t)search->observed[t];
}

/* Moves the window: from what all cuts of the present level have, to what cuts up to this level can have. */
static int move(struct norn_lattice *s, uint64_t level)
{
	struct norn_packing packing;
	struct norn_observed_run observed;
	uint64_t total;
	struct norn_cut_thread *threads = norn_must_alloc(s->count, sizeof *threads);
	norn_levels_least(&s->levels, s->base);
	note_taken(s);
	for (uint32_t t = 0; t < s->count; t++) {
		assert(s->base[t] >= s->sources[t].base && s->base[t] <= s->sources[t].count);
		drop_rows(s, t, s->base[t]);
	}
	uint32_t count = gather(s, level, threads, &total);
	int r = norn_packing_init(&packing, threads, count);
	if (r == 0) {
		order_observed(s, threads, count, total, &observed);
		r = norn_levels_move(&s->levels, &packing, &observed, s->base, s->taken);
	}
	free(threads);
	return r;
}

/* Level 0 is visited when it is known which events may follow. */
static void visit_first(struct norn_lattice *s)
{
	if (!s->visited)
		norn_levels_visit(&s->levels, s->base);
	s->visited = true;
}

int norn_lattice_advance(struct norn_lattice *s)
{
	uint64_t level = closed(s);
	if (s->levels.over || level <= s->levels.level)
		return 0;
	int r = move(s, level);
	if (r != 0)
		return r;
	visit_first(s);
	return norn_levels_to(&s->levels, level, s->base);
}

int norn_lattice_probe(struct norn_lattice *s, uint64_t cuts)
{
	if (s->levels.over || s->levels.level == s->levels.total || !s->levels.search.any_wanted)
		return 0;
	int r = move(s, s->levels.total);
	return r == 0 ? norn_levels_probe(&s->levels, s->levels.total, cuts) : r;
}

int norn_lattice_finish(struct norn_lattice *s, bool ended)
{
	if (s->finished)
		return 0;
	s->finished = true;
	s->hold = UINT64_MAX;
	for (uint32_t t = 0; t < s->count; t++)
		s->sources[t].ended = true;
	for (uint32_t m = 0; !ended && m < s->levels.result.monitor_count; m++)
		s->steppers[m].final = NULL;
	int r = norn_lattice_advance(s);
	if (r != 0)
		return r;
	visit_first(s);
	norn_levels_finish(&s->levels);
	return 0;
}

const struct norn_lattice_result *norn_lattice_result(const struct norn_lattice *s)
{
	return &s->levels.result;
}

uint64_t norn_lattice_level(const struct norn_lattice *s)
{
	return s->levels.level;
}

uint64_t norn_lattice_events(const struct norn_lattice *s)
{
	return s->levels.total;
}

bool norn_lattice_is_over(const struct norn_lattice *s)
{
	return s->levels.over;
}

uint32_t norn_lattice_base(const struct norn_lattice *s, uint32_t thread)
{
	return thread < s->count ? s->sources[thread].base : 0;
}

size_t norn_lattice_bytes(const struct norn_lattice *s)
{
	size_t bytes = sizeof *s + s->room * (sizeof *s->sources + sizeof *s->base + sizeof *s->taken);
	for (uint32_t t = 0; t < s->count; t++)
		bytes += s->sources[t].room * (s->room * sizeof(uint32_t) + 2 * sizeof(uint64_t));
	struct norn_search *search = (struct norn_search *)(uintptr_t)&s->levels.search;
	return bytes + norn_search_memory(search);
}

/* ---- A whole run ---- */

static uint64_t place_of(const struct norn_computation *c, const uint64_t *places, uint32_t thread, uint32_t k)
{
	const uint32_t *clock = norn_computation_clock(c, thread, k);
	uint64_t sum = 0; /* causes have smaller sums than what they cause */
	if (places)
		return places[c->first[thread] + k];
	for (uint32_t j = 0; j < c->threads; j++)
		sum += clock[j];
	return sum;
}

/* All events of the computation, in an order that causality allows: of each thread as many as can be, again and again. */
static int add_all(struct norn_lattice *s, const struct norn_computation *c)
{
	uint32_t *given = norn_must_calloc(c->threads, sizeof *given);
	int r = 0;
	for (uint64_t left = c->total; r == 0 && left;)
		for (uint32_t t = 0; t < c->threads; t++)
			while (r == 0 && given[t] < c->events[t] && norn_computation_enabled(c, given, t, given[t])) {
				uint32_t k = given[t]++;
				r = norn_lattice_add(
				        s, t, norn_computation_clock(c, t, k), c->threads, place_of(c, s->model.observed, t, k));
				left--;
			}
	free(given);
	return r;
}

int norn_lattice_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_stepper *steppers, uint32_t monitors, const struct norn_lattice_options *options,
        struct norn_lattice_result *ret_result)
{
	struct norn_lattice *lattice;
	int r = norn_lattice_new(model, steppers, monitors, options, &lattice);
	if (r < 0)
		return r;
	r = add_all(lattice, computation);
	if (r == 0)
		r = norn_lattice_finish(lattice, true);
	if (r == 0) {
		*ret_result = lattice->levels.result;
		lattice->levels.result = (struct norn_lattice_result){0};
	}
	norn_lattice_free(lattice);
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
