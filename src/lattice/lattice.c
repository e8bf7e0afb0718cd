#include "base/bisect.h"
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
	uint64_t bound; /* every event to come has at least so many before it */
	bool known, ended;
};

struct norn_lattice {
	struct norn_levels levels;
	struct norn_lattice_model model;
	struct norn_stepper *steppers;
	struct source *sources; /* by thread */
	uint32_t count, room; /* threads; room is the stride, too */
	uint32_t *base, *taken; /* by thread: see norn_levels_move_window */
	uint64_t hold;
	bool visited; /* options.visit has got level 0, which waits for the first window */
	bool finished;
};

int norn_lattice_new(const struct norn_lattice_model *model, const struct norn_stepper *steppers, uint32_t monitors,
        const struct norn_lattice_options *options, struct norn_lattice **ret_lattice)
{
	struct norn_lattice *l = norn_must_calloc(1, sizeof *l);
	struct norn_packing packing;
	struct norn_observed_run observed = {0};
	l->model = *model;
	l->hold = UINT64_MAX;
	l->steppers = norn_must_copy(steppers, monitors, sizeof *l->steppers);
	int r = norn_levels_init(&l->levels, &l->model, l->steppers, monitors, options);
	if (r < 0) {
		norn_lattice_free(l);
		return r;
	}
	norn_packing_init(&packing, NULL, 0);
	norn_levels_set_window(&l->levels, &packing, &observed);
	norn_levels_start(&l->levels);
	*ret_lattice = l;
	return 0;
}

void norn_lattice_free(struct norn_lattice *l)
{
	if (!l)
		return;
	norn_levels_done(&l->levels);
	norn_lattice_result_done(&l->levels.result);
	for (uint32_t t = 0; t < l->count; t++) {
		free(l->sources[t].clocks);
		free(l->sources[t].sums);
		free(l->sources[t].places);
	}
	free(l->sources);
	free(l->base);
	free(l->taken);
	free(l->steppers);
	free(l);
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

static int reserve_thread(struct norn_lattice *l, uint32_t thread)
{
	if (thread >= UINT16_MAX)
		return -EOVERFLOW;
	uint32_t old = l->room, room = old ? old : 4;
	while (room <= thread)
		room *= 2;
	if (room > old) {
		for (uint32_t t = 0; t < l->count; t++)
			widen_rows(&l->sources[t], old, room);
		l->sources = grow(l->sources, room, old, sizeof *l->sources);
		l->base = grow(l->base, room, old, sizeof *l->base);
		l->taken = grow(l->taken, room, old, sizeof *l->taken);
		l->room = room;
	}
	if (thread >= l->count)
		l->count = l->levels.threads = thread + 1;
	return 0;
}

int norn_lattice_thread(struct norn_lattice *l, uint32_t thread)
{
	int r = reserve_thread(l, thread);
	if (r == 0)
		l->sources[thread].known = true;
	return r;
}

static int reserve_row(const struct norn_lattice *l, struct source *source)
{
	uint32_t held = source->count - source->base, old = source->room, room = old ? 2 * old : 8;
	if (held < old)
		return 0;
	if (held == UINT32_MAX / 2)
		return -EOVERFLOW;
	source->clocks = grow(source->clocks, (size_t)room * l->room, (size_t)old * l->room, sizeof *source->clocks);
	source->sums = grow(source->sums, room, old, sizeof *source->sums);
	source->places = grow(source->places, room, old, sizeof *source->places);
	source->room = room;
	return 0;
}

static const uint32_t *row(const struct norn_lattice *l, uint32_t thread, uint32_t k)
{
	const struct source *source = &l->sources[thread];
	assert(k >= source->base && k < source->count);
	return source->clocks + (size_t)(k - source->base) * l->room;
}

static bool at_most(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	for (uint32_t j = 0; j < count; j++)
		if (a[j] > b[j])
			return false;
	return true;
}

/* Does the clock, as wide as a row, include the clocks of all events that it names? An entry that the thread's event before has,
 * too, was checked with that one; events whose clocks are dropped are in every cut, with all that precedes them. */
static bool is_sound(const struct norn_lattice *l, uint32_t thread, const uint32_t *clock)
{
	const struct source *own = &l->sources[thread];
	const uint32_t *before = own->count > own->base ? row(l, thread, own->count - 1) : NULL;
	if (before && !at_most(before, clock, l->count))
		return false;
	for (uint32_t j = 0; j < l->count; j++) {
		if (j == thread || (before && clock[j] == before[j]))
			continue;
		if (clock[j] > l->sources[j].count)
			return false;
		if (clock[j] > l->sources[j].base && !at_most(row(l, j, clock[j] - 1), clock, l->count))
			return false;
	}
	return true;
}

int norn_lattice_add(struct norn_lattice *l, uint32_t thread, const uint32_t *clock, uint32_t width, uint64_t place)
{
	while (width && clock[width - 1] == 0)
		width--;
	if (width > UINT16_MAX || thread >= width)
		return -EBADMSG;
	int r = reserve_thread(l, width - 1);
	if (r < 0)
		return r;
	struct source *source = &l->sources[thread];
	if (source->ended || clock[thread] != source->count + 1)
		return -EBADMSG;
	r = reserve_row(l, source);
	if (r < 0)
		return r;
	uint32_t at = source->count - source->base, *to = source->clocks + (size_t)at * l->room;
	memset(to, 0, l->room * sizeof *to);
	uint64_t sum = 0;
	for (uint32_t j = 0; j < width; j++)
		sum += to[j] = clock[j];
	if (!is_sound(l, thread, to))
		return -EBADMSG;
	if (sum <= l->levels.level)
		return -ESTALE;
	source->known = true;
	source->sums[at] = sum;
	source->places[at] = place;
	source->count++;
	norn_lattice_bound(l, thread, sum);
	l->levels.total++;
	return l->levels.total < UINT32_MAX ? 0 : -EOVERFLOW;
}

void norn_lattice_bound(struct norn_lattice *l, uint32_t thread, uint64_t events)
{
	if (thread < l->count && l->sources[thread].bound < events)
		l->sources[thread].bound = events;
}

void norn_lattice_hold(struct norn_lattice *l, uint64_t events)
{
	l->hold = events;
}

void norn_lattice_end(struct norn_lattice *l, uint32_t thread)
{
	if (thread < l->count)
		l->sources[thread].ended = true;
}

/* ---- Levels ---- */

static uint64_t closed(const struct norn_lattice *l)
{
	uint64_t level = l->hold < l->levels.total ? l->hold : l->levels.total;
	for (uint32_t t = 0; t < l->count; t++) {
		const struct source *source = &l->sources[t];
		if (source->known && !source->ended && source->bound < level)
			level = source->bound;
	}
	return level;
}

/* Drops the rows before base, which is in every cut. */
static void drop_rows(struct norn_lattice *l, uint32_t thread, uint32_t base)
{
	struct source *source = &l->sources[thread];
	uint32_t gone = base - source->base, left = source->count - base;
	if (gone < left || gone == 0)
		return; /* moving the rest would cost more than it saves */
	memmove(source->clocks, source->clocks + (size_t)gone * l->room, (size_t)left * l->room * sizeof *source->clocks);
	memmove(source->sums, source->sums + gone, left * sizeof *source->sums);
	memmove(source->places, source->places + gone, left * sizeof *source->places);
	source->base = base;
}

/* The number of its events that cuts up to this level can have. */
static uint32_t in_reach(const struct source *source, uint64_t level)
{
	return NORN_BISECT(source->base, source->count, i, source->sums[i - source->base] <= level);
}

/* The threads whose events are in the window up to level, and how many there are. */
static uint32_t gather(const struct norn_lattice *l, uint64_t level, struct norn_cut_thread *threads, uint64_t *ret_total)
{
	uint32_t count = 0;
	*ret_total = 0;
	for (uint32_t t = 0; t < l->count; t++) {
		uint32_t end = in_reach(&l->sources[t], level), base = l->base[t];
		if (end <= base)
			continue;
		threads[count++] = (struct norn_cut_thread){
		        .thread = t, .base = base, .events = end - base, .clocks = row(l, t, base), .stride = l->room};
		*ret_total += end - base;
	}
	return count;
}

static void order_observed(const struct norn_lattice *l, const struct norn_cut_thread *threads, uint32_t count, uint64_t total,
        struct norn_observed_run *ret_observed)
{
	struct norn_observed_run_event *list = norn_must_alloc(total, sizeof *list);
	uint64_t event = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct source *source = &l->sources[threads[i].thread];
		for (uint32_t k = 0; k < threads[i].events; k++, event++) {
			uint32_t number = threads[i].base + k;
			list[event] = (struct norn_observed_run_event){
			        source->places[number - source->base], event, (uint16_t)i, number < l->taken[threads[i].thread]};
		}
	}
	norn_observed_run_init(ret_observed, list, total);
	free(list);
}

/* The observed run up to now, for all threads of the window that is left. */
static void note_taken(struct norn_lattice *l)
{
	const struct norn_search *search = &l->levels.search;
	for (uint32_t t = 0; t < search->packing.threads; t++)
		l->taken[search->packing.fields[t].thread] = search->packing.fields[t].base + (uint32_t)search->observed[t];
}

/* Moves the window: from what all cuts of the present level have, to what cuts up to this level can have. */
static int move(struct norn_lattice *l, uint64_t level)
{
	struct norn_packing packing;
	struct norn_observed_run observed;
	uint64_t total;
	struct norn_cut_thread *threads = norn_must_alloc(l->count, sizeof *threads);
	norn_levels_least(&l->levels, l->base);
	note_taken(l);
	for (uint32_t t = 0; t < l->count; t++) {
		assert(l->base[t] >= l->sources[t].base && l->base[t] <= l->sources[t].count);
		drop_rows(l, t, l->base[t]);
	}
	uint32_t count = gather(l, level, threads, &total);
	int r = norn_packing_init(&packing, threads, count);
	if (r == 0) {
		order_observed(l, threads, count, total, &observed);
		r = norn_levels_move_window(&l->levels, &packing, &observed, l->base, l->taken);
	}
	free(threads);
	return r;
}

/* Level 0 is visited when it is known which events may follow. */
static void visit_first(struct norn_lattice *l)
{
	if (!l->visited)
		norn_levels_visit(&l->levels, l->base);
	l->visited = true;
}

int norn_lattice_advance(struct norn_lattice *l)
{
	uint64_t level = closed(l);
	if (l->levels.over || level <= l->levels.level)
		return 0;
	int r = move(l, level);
	if (r != 0)
		return r;
	visit_first(l);
	return norn_levels_to(&l->levels, level, l->base);
}

int norn_lattice_probe(struct norn_lattice *l, uint64_t cuts)
{
	if (l->levels.over || l->levels.level == l->levels.total || !l->levels.search.any_wanted)
		return 0;
	int r = move(l, l->levels.total);
	return r == 0 ? norn_levels_probe(&l->levels, l->levels.total, cuts) : r;
}

int norn_lattice_finish(struct norn_lattice *l, bool ended)
{
	if (l->finished)
		return 0;
	l->finished = true;
	l->hold = UINT64_MAX;
	for (uint32_t t = 0; t < l->count; t++)
		l->sources[t].ended = true;
	for (uint32_t m = 0; !ended && m < l->levels.result.monitor_count; m++)
		l->steppers[m].final = NULL;
	int r = norn_lattice_advance(l);
	if (r != 0)
		return r;
	visit_first(l);
	norn_levels_finish(&l->levels);
	return 0;
}

const struct norn_lattice_result *norn_lattice_result(const struct norn_lattice *l)
{
	return &l->levels.result;
}

uint64_t norn_lattice_level(const struct norn_lattice *l)
{
	return l->levels.level;
}

uint64_t norn_lattice_events(const struct norn_lattice *l)
{
	return l->levels.total;
}

bool norn_lattice_is_over(const struct norn_lattice *l)
{
	return l->levels.over;
}

uint32_t norn_lattice_base(const struct norn_lattice *l, uint32_t thread)
{
	return thread < l->count ? l->sources[thread].base : 0;
}

size_t norn_lattice_bytes(const struct norn_lattice *l)
{
	size_t bytes = sizeof *l + l->room * (sizeof *l->sources + sizeof *l->base + sizeof *l->taken);
	for (uint32_t t = 0; t < l->count; t++)
		bytes += l->sources[t].room * (l->room * sizeof(uint32_t) + 2 * sizeof(uint64_t));
	struct norn_search *search = (struct norn_search *)(uintptr_t)&l->levels.search;
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
static int add_all(struct norn_lattice *l, const struct norn_computation *c)
{
	uint32_t *given = norn_must_calloc(c->threads, sizeof *given);
	int r = 0;
	for (uint64_t left = c->total; r == 0 && left;)
		for (uint32_t t = 0; t < c->threads; t++)
			while (r == 0 && given[t] < c->events[t] && norn_computation_enabled(c, given, t, given[t])) {
				uint32_t k = given[t]++;
				r = norn_lattice_add(
				        l, t, norn_computation_clock(c, t, k), c->threads, place_of(c, l->model.observed, t, k));
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
