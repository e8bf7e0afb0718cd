#include "lattice/live_levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/levels.h"

/* A thread's events from number base on. */
struct source {
	uint32_t *clocks; /* rows of stream->stride entries */
	uint64_t *sums, *places;
	uint32_t base, count, room; /* count: all of its events, also those before base; room: of rows */
	uint64_t bound; /* what comes has at least so many events before it */
	bool known, ended;
};

struct norn_live_levels {
	struct norn_levels levels;
	struct norn_lattice_model model;
	struct norn_stepper *steppers;
	struct source *sources; /* by thread */
	uint32_t count, room; /* threads; room is the stride, too */
	uint32_t *base, *taken; /* by thread: see norn_levels_move */
	uint64_t hold;
	bool finished;
};

int norn_live_levels_new(const struct norn_lattice_model *model, const struct norn_stepper *steppers, uint32_t monitors,
        const struct norn_lattice_options *options, struct norn_live_levels **ret_stream)
{
	struct norn_live_levels *s = calloc(1, sizeof *s);
	struct norn_cut_thread none;
	struct norn_packing packing;
	struct norn_observed_run observed = {0};
	if (!s)
		return -ENOMEM;
	s->model = *model;
	s->hold = UINT64_MAX;
	s->steppers = malloc((monitors + 1ul) * sizeof *s->steppers);
	int r = norn_levels_init(&s->levels, &s->model, s->steppers, monitors, options);
	s->levels.search.windows = true;
	if (r == 0 && !s->steppers)
		r = -ENOMEM;
	if (r == 0 && monitors)
		memcpy(s->steppers, steppers, monitors * sizeof *s->steppers);
	if (r == 0)
		r = norn_packing_init(&packing, &none, 0);
	if (r == 0)
		r = norn_levels_look(&s->levels, &packing, &observed);
	if (r == 0)
		r = norn_levels_start(&s->levels);
	if (r == 0)
		*ret_stream = s;
	else
		norn_live_levels_free(s);
	return r;
}

void norn_live_levels_free(struct norn_live_levels *s)
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

/* ---- What comes ---- */

/* Rows get as many entries as there is room for threads. */
static int widen_rows(struct source *source, uint32_t from, uint32_t to)
{
	if (!source->room)
		return 0;
	uint32_t *clocks = calloc((size_t)source->room * to, sizeof *clocks);
	if (!clocks)
		return -ENOMEM;
	for (uint32_t k = 0; k < source->count - source->base; k++)
		memcpy(clocks + (size_t)k * to, source->clocks + (size_t)k * from, from * sizeof *clocks);
	free(source->clocks);
	source->clocks = clocks;
	return 0;
}

static int grow(void **array, size_t room, size_t old, size_t each)
{
	void *bigger = realloc(*array, room * each);
	if (!bigger)
		return -ENOMEM;
	memset((char *)bigger + old * each, 0, (room - old) * each);
	*array = bigger;
	return 0;
}

static int reserve_thread(struct norn_live_levels *s, uint32_t thread)
{
	if (thread >= UINT16_MAX)
		return -EOVERFLOW;
	uint32_t room = s->room ? s->room : 4;
	while (room <= thread)
		room *= 2;
	if (room > s->room) {
		for (uint32_t t = 0; t < s->count; t++)
			if (widen_rows(&s->sources[t], s->room, room) < 0)
				return -ENOMEM;
		uint32_t old = s->room;
		s->room = room; /* rows have been widened: whatever fails now */
		if (grow((void **)&s->sources, room, old, sizeof *s->sources) < 0 ||
		        grow((void **)&s->base, room, old, sizeof *s->base) < 0 ||
		        grow((void **)&s->taken, room, old, sizeof *s->taken) < 0)
			return -ENOMEM;
	}
	if (thread >= s->count)
		s->count = s->levels.threads = thread + 1;
	return 0;
}

int norn_live_levels_thread(struct norn_live_levels *s, uint32_t thread)
{
	int r = reserve_thread(s, thread);
	if (r == 0)
		s->sources[thread].known = true;
	return r;
}

static int reserve_row(struct norn_live_levels *s, struct source *source)
{
	uint32_t held = source->count - source->base, old = source->room, room = old ? 2 * old : 8;
	if (held < old)
		return 0;
	if (held == UINT32_MAX / 2 ||
	        grow((void **)&source->clocks, (size_t)room * s->room, (size_t)old * s->room, sizeof(uint32_t)) < 0 ||
	        grow((void **)&source->sums, room, old, sizeof *source->sums) < 0 ||
	        grow((void **)&source->places, room, old, sizeof *source->places) < 0)
		return -ENOMEM;
	source->room = room;
	return 0;
}

static const uint32_t *row(const struct norn_live_levels *s, uint32_t thread, uint32_t k)
{
	const struct source *source = &s->sources[thread];
	return source->clocks + (size_t)(k - source->base) * s->room;
}

static bool at_most(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	for (uint32_t j = 0; j < count; j++)
		if (a[j] > b[j])
			return false;
	return true;
}

/* Does the clock, made as wide as a row, hold all that its causes know? Those that are forgotten are in every cut, with all of their own. */
static bool is_sound(const struct norn_live_levels *s, uint32_t thread, const uint32_t *clock)
{
	const struct source *own = &s->sources[thread];
	for (uint32_t j = 0; j < s->count; j++) {
		uint32_t last = j == thread ? own->count : clock[j];
		if (last > s->sources[j].count)
			return false;
		if (last > s->sources[j].base && !at_most(row(s, j, last - 1), clock, s->count))
			return false;
	}
	return true;
}

int norn_live_levels_add(struct norn_live_levels *s, uint32_t thread, const uint32_t *clock, uint32_t width, uint64_t place)
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
	norn_live_levels_bound(s, thread, sum);
	s->levels.total++;
	return s->levels.total < UINT32_MAX ? 0 : -EOVERFLOW;
}

void norn_live_levels_bound(struct norn_live_levels *s, uint32_t thread, uint64_t events)
{
	if (thread < s->count && s->sources[thread].bound < events)
		s->sources[thread].bound = events;
}

void norn_live_levels_hold(struct norn_live_levels *s, uint64_t events)
{
	s->hold = events;
}

void norn_live_levels_end(struct norn_live_levels *s, uint32_t thread)
{
	if (thread < s->count)
		s->sources[thread].ended = true;
}

/* ---- Levels ---- */

static uint64_t closed(const struct norn_live_levels *s)
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
static void forget(struct norn_live_levels *s, uint32_t thread, uint32_t base)
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
static uint32_t gather(const struct norn_live_levels *s, uint64_t level, struct norn_cut_thread *threads, uint64_t *ret_total)
{
	uint32_t count = 0;
	*ret_total = 0;
	for (uint32_t t = 0; t < s->count; t++) {
		uint32_t end = in_reach(&s->sources[t], level), base = s->base[t];
		if (end <= base)
			continue;
		threads[count++] = (struct norn_cut_thread){
		        .thread = t, .base = base, .events = end - base, .clocks = row(s, t, base), .cell_step = s->room};
		*ret_total += end - base;
	}
	return count;
}

static int observe(const struct norn_live_levels *s, const struct norn_cut_thread *threads, uint32_t count, uint64_t total,
        struct norn_observed_run *ret_observed)
{
	struct norn_observed_run_event *list = malloc((total + 1) * sizeof *list);
	uint64_t event = 0;
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct source *source = &s->sources[threads[i].thread];
		for (uint32_t k = 0; k < threads[i].events; k++, event++) {
			uint32_t number = threads[i].base + k;
			list[event] = (struct norn_observed_run_event){
			        source->places[number - source->base], event, (uint16_t)i, number < s->taken[threads[i].thread]};
		}
	}
	int r = norn_observed_run_of(ret_observed, list, total);
	free(list);
	return r;
}

/* How far the observed run has come, for all threads of the window that is left. */
static void note_taken(struct norn_live_levels *s)
{
	const struct norn_search *search = &s->levels.search;
	for (uint32_t t = 0; t < search->packing.threads; t++)
		s->taken[search->packing.fields[t].thread] = search->packing.fields[t].base + (uint32_t)search->observed[t];
}

static int move(struct norn_live_levels *s, uint64_t level)
{
	struct norn_packing packing;
	struct norn_observed_run observed;
	uint64_t total;
	struct norn_cut_thread *threads = malloc((s->count + 1ul) * sizeof *threads);
	if (!threads)
		return -ENOMEM;
	norn_levels_least(&s->levels, s->base);
	note_taken(s);
	for (uint32_t t = 0; t < s->count; t++)
		forget(s, t, s->base[t]);
	uint32_t count = gather(s, level, threads, &total);
	int r = norn_packing_init(&packing, threads, count);
	if (r == 0) {
		r = observe(s, threads, count, total, &observed);
		if (r == 0)
			r = norn_levels_move(&s->levels, &packing, &observed, s->base, s->taken);
		else
			norn_packing_done(&packing);
	}
	free(threads);
	return r;
}

int norn_live_levels_climb(struct norn_live_levels *s)
{
	uint64_t level = closed(s);
	if (s->levels.over || level <= s->levels.level)
		return 0;
	int r = move(s, level);
	return r == 0 ? norn_levels_to(&s->levels, level) : r;
}

int norn_live_levels_probe(struct norn_live_levels *s, uint64_t cuts)
{
	if (s->levels.over || s->levels.level == s->levels.total || !s->levels.search.any_wanted)
		return 0;
	int r = move(s, s->levels.total);
	return r == 0 ? norn_levels_probe(&s->levels, s->levels.total, cuts) : r;
}

int norn_live_levels_finish(struct norn_live_levels *s, bool ended)
{
	if (s->finished)
		return 0;
	s->finished = true;
	s->hold = UINT64_MAX;
	for (uint32_t t = 0; t < s->count; t++)
		s->sources[t].ended = true;
	for (uint32_t m = 0; !ended && m < s->levels.result.monitor_count; m++)
		s->steppers[m].final = NULL;
	int r = norn_live_levels_climb(s);
	return r == 0 ? norn_levels_finish(&s->levels) : r;
}

const struct norn_lattice_result *norn_live_levels_result(const struct norn_live_levels *s)
{
	return &s->levels.result;
}

uint64_t norn_live_levels_level(const struct norn_live_levels *s)
{
	return s->levels.level;
}

uint64_t norn_live_levels_events(const struct norn_live_levels *s)
{
	return s->levels.total;
}

bool norn_live_levels_is_over(const struct norn_live_levels *s)
{
	return s->levels.over;
}

uint32_t norn_live_levels_base(const struct norn_live_levels *s, uint32_t thread)
{
	return thread < s->count ? s->sources[thread].base : 0;
}

size_t norn_live_levels_bytes(const struct norn_live_levels *s)
{
	size_t bytes = sizeof *s + s->room * (sizeof *s->sources + sizeof *s->base + sizeof *s->taken);
	for (uint32_t t = 0; t < s->count; t++)
		bytes += s->sources[t].room * (s->room * sizeof(uint32_t) + 2 * sizeof(uint64_t));
	struct norn_search *search = (struct norn_search *)(uintptr_t)&s->levels.search;
	return bytes + norn_search_memory(search);
}
