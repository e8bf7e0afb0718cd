#include "online/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u

#define REMEMBERED 4u

/* Seats in a row, each on lines of its own; what only actions look at is apart from them. */
struct norn_seat_chunk {
	void *memory;
	char *seats;
	_Atomic uint32_t threads[NORN_SEATS_CHUNK]; /* numbers, for reports */
	bool counted[NORN_SEATS_CHUNK]; /* it is in the base, with no event */
	bool gone[NORN_SEATS_CHUNK]; /* its thread had gone when all were counted */
	uint64_t types[NORN_SEATS_CHUNK]; /* that it is there with */
};

/* Counts, and the state and letters that they made: regions are often alike. */
struct norn_remembered {
	bool used;
	uint64_t *counts;
	struct norn_scope_state state;
	uint64_t *letters;
};

/* ---- life ---- */

static void *aligned(size_t bytes, void **ret_memory)
{
	char *memory = calloc(1, bytes + LINE);
	*ret_memory = memory;
	return memory ? memory + (LINE - (uintptr_t)memory % LINE) % LINE : NULL;
}

static bool remember_nothing(struct norn_channel *c)
{
	const struct norn_scope *scope = c->scoping->scope;
	c->remembered = calloc(REMEMBERED, sizeof *c->remembered);
	for (unsigned i = 0; c->remembered && i < REMEMBERED; i++) {
		c->remembered[i].counts = calloc(scope->tally_count + 1ul, sizeof(uint64_t));
		c->remembered[i].letters = calloc(scope->check_count + 1ul, sizeof(uint64_t));
		if (!c->remembered[i].counts || !c->remembered[i].letters)
			return false;
	}
	return c->remembered;
}

int norn_channel_new(const struct norn_scoping *scoping, struct norn_channel **ret_channel)
{
	const struct norn_scope *scope = scoping->scope;
	void *memory;
	struct norn_channel *c = aligned(sizeof *c, &memory);
	if (!c)
		return -ENOMEM;
	c->memory = memory;
	c->scoping = scoping;
	c->trusted = scope->trusted;
	c->stride = (sizeof(struct norn_seat) + scope->local_count * sizeof(struct norn_slot) + LINE - 1) / LINE * LINE;
	c->states = calloc(scope->check_count + 1ul, sizeof *c->states);
	c->counts = calloc(scope->tally_count + 1ul, sizeof *c->counts);
	c->base = calloc(scope->tally_count + 1ul, sizeof *c->base);
	c->counted = UINT64_MAX;
	if (!c->states || !c->counts || !c->base || !remember_nothing(c)) {
		norn_channel_free(c);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < scope->check_count; i++)
		c->states[i] = norn_monitor_start(scoping->checks[i]);
	*ret_channel = c;
	return 0;
}

void norn_channel_free(struct norn_channel *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < atomic_load(&c->chunk_count); i++) {
		struct norn_seat_chunk *chunk = atomic_load(&c->chunks[i]);
		free(chunk->memory);
		free(chunk);
	}
	for (unsigned i = 0; c->remembered && i < REMEMBERED; i++) {
		free(c->remembered[i].counts);
		free(c->remembered[i].letters);
	}
	free(c->remembered);
	free(c->states);
	free(c->counts);
	free(c->base);
	free(c->memory);
}

void norn_channel_reset(struct norn_channel *c, uint32_t check)
{
	c->states[check] = norn_monitor_start(c->scoping->checks[check]);
	c->charged &= ~(UINT64_C(1) << (check & 63));
	uint32_t settled = NORN_SETTLED;
	atomic_compare_exchange_strong(&c->withdrawn, &settled, 0);
}

/* ---- seats ---- */

static struct norn_seat *seat_of(const struct norn_channel *c, const struct norn_seat_chunk *chunk, uint32_t i)
{
	return (struct norn_seat *)(chunk->seats + i * c->stride);
}

static struct norn_seat_chunk *new_chunk(const struct norn_channel *c, uint32_t which)
{
	struct norn_seat_chunk *chunk = calloc(1, sizeof *chunk);
	if (chunk && !(chunk->seats = aligned(NORN_SEATS_CHUNK * c->stride, &chunk->memory))) {
		free(chunk);
		return NULL;
	}
	for (uint32_t i = 0; chunk && i < NORN_SEATS_CHUNK; i++)
		seat_of(c, chunk, i)->number = which * NORN_SEATS_CHUNK + i;
	return chunk;
}

/* Chunks are put in place one after the other; who is too late with one takes the other's. */
static bool add_chunk(struct norn_channel *c, uint32_t count)
{
	struct norn_seat_chunk *none = NULL, *chunk = count < NORN_SEATS_CHUNKS ? new_chunk(c, count) : NULL;
	if (!chunk)
		return false;
	if (!atomic_compare_exchange_strong(&c->chunks[count], &none, chunk)) {
		free(chunk->memory);
		free(chunk);
	}
	atomic_compare_exchange_strong(&c->chunk_count, &count, count + 1);
	return true;
}

/* Whether what a thread that has gone left behind is needed still, or the seat may be on the list: not if it came in this region, and never acted. */
static bool is_wanted(const struct norn_seat *seat, uint64_t came, uint64_t region)
{
	return came < region || atomic_load_explicit(&((struct norn_seat *)(uintptr_t)seat)->acted, memory_order_relaxed);
}

static bool take(struct norn_seat *seat, uint64_t region)
{
	uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
	enum norn_life now = life & 3;
	if (now != NORN_LIFE_FREE && (now != NORN_LIFE_ENDED || is_wanted(seat, life >> 2, region)))
		return false;
	if (!atomic_compare_exchange_strong_explicit(
	            &seat->life, &life, NORN_LIFE_TAKEN, memory_order_acquire, memory_order_relaxed))
		return false;
	/* Another may have come and gone meanwhile, which looks the same, and have acted. */
	if (now == NORN_LIFE_FREE || !is_wanted(seat, life >> 2, region))
		return true;
	atomic_store_explicit(&seat->life, life, memory_order_release);
	return false;
}

static void settle(struct norn_channel *c, struct norn_seat *seat, uint64_t types, uint64_t region)
{
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		atomic_store_explicit(&seat->slots[i].word, 0, memory_order_relaxed);
		seat->slots[i].state = c->scoping->locals[i].start;
	}
	atomic_store_explicit(&seat->acted, 0, memory_order_relaxed);
	atomic_store_explicit(&seat->types, types, memory_order_relaxed);
	atomic_store_explicit(&seat->life, region << 2 | NORN_LIFE_LIVE, memory_order_release);
	uint32_t high = atomic_load_explicit(&c->high, memory_order_relaxed);
	while (high <= seat->number && !atomic_compare_exchange_weak_explicit(
	                                       &c->high, &high, seat->number + 1, memory_order_release, memory_order_relaxed))
		;
	atomic_fetch_add_explicit(&c->arrivals, 1, memory_order_release);
}

struct norn_seat *norn_channel_join(struct norn_channel *c, uint32_t thread, uint64_t types)
{
	uint64_t region = atomic_load_explicit(&c->region, memory_order_acquire);
	for (uint32_t i = 0;; i++) {
		uint32_t count = atomic_load_explicit(&c->chunk_count, memory_order_acquire);
		if (i >= count && !add_chunk(c, count))
			return NULL;
		struct norn_seat_chunk *chunk = atomic_load_explicit(&c->chunks[i], memory_order_acquire);
		for (uint32_t k = 0; k < NORN_SEATS_CHUNK; k++) {
			struct norn_seat *seat = seat_of(c, chunk, k);
			if (!take(seat, region))
				continue;
			atomic_store_explicit(&chunk->threads[k], thread, memory_order_relaxed);
			settle(c, seat, types, region);
			return seat;
		}
	}
}

void norn_channel_leave(struct norn_channel *c, struct norn_seat *seat)
{
	uint64_t life = atomic_load_explicit(&seat->life, memory_order_relaxed);
	atomic_store_explicit(&seat->life, (life & ~UINT64_C(3)) | NORN_LIFE_ENDED, memory_order_release);
	atomic_fetch_add_explicit(&c->arrivals, 1, memory_order_release);
}

void norn_seat_retype(struct norn_channel *c, struct norn_seat *seat, uint64_t types)
{
	atomic_store_explicit(&seat->types, types, memory_order_release);
	atomic_fetch_add_explicit(&c->arrivals, 1, memory_order_release);
}

/* ---- events ---- */

/* A kept monitor hears of the actions since its last event, or since its thread came; they may be many, but soon change nothing. */
static uint64_t catch_up(
        const struct norn_scoping_local *local, const struct norn_seat *seat, uint64_t word, uint64_t state, uint64_t region)
{
	struct norn_seat *mine = (struct norn_seat *)(uintptr_t)seat;
	uint64_t last = word ? (word >> 2) - 1 : atomic_load_explicit(&mine->life, memory_order_relaxed) >> 2;
	for (; local->sync && last < region; last++) {
		uint64_t next = norn_monitor_step(local->monitor, state, local->sync);
		if (next == state)
			break;
		state = next;
	}
	return state;
}

/* On the list, once for each region. */
static void act_first(struct norn_channel *c, struct norn_seat *seat, uint64_t region)
{
	atomic_store_explicit(&seat->acted, region + 1, memory_order_relaxed);
	uint32_t first = atomic_load_explicit(&c->acted, memory_order_relaxed);
	do
		atomic_store_explicit(&seat->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(
	        &c->acted, &first, seat->number + 1, memory_order_release, memory_order_relaxed));
}

bool norn_seat_settled(const struct norn_channel *c, const struct norn_seat *seat, uint32_t which, uint64_t region)
{
	struct norn_slot *slot = &((struct norn_seat *)(uintptr_t)seat)->slots[which];
	return atomic_load_explicit(&slot->word, memory_order_relaxed) >> 2 == region + 1 &&
	       norn_monitor_settled(c->scoping->locals[which].monitor, slot->state);
}

void norn_seat_event(struct norn_channel *c, struct norn_seat *seat, uint32_t which, uint64_t letter)
{
	const struct norn_scoping_local *local = &c->scoping->locals[which];
	struct norn_slot *slot = &seat->slots[which];
	uint64_t region = atomic_load_explicit(&c->region, memory_order_acquire);
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed), state = slot->state;
	if (word >> 2 != region + 1)
		state = local->keep ? catch_up(local, seat, word, state, region) : local->start;
	else if (norn_monitor_settled(local->monitor, state))
		return;
	state = norn_monitor_step(local->monitor, state, letter);
	slot->state = state;
	uint64_t new = (region + 1) << 2 | norn_monitor_verdict(local->monitor, state);
	if (new != word)
		atomic_store_explicit(&slot->word, new, memory_order_release);
	if (atomic_load_explicit(&seat->acted, memory_order_relaxed) != region + 1)
		act_first(c, seat, region);
}

/* ---- actions ---- */

/* What a thread brings into the region's state: bits per local. */
struct share {
	bool acted;
	uint64_t has; /* its type has this local, and it has a verdict */
	uint64_t yes;
};

/* Of a thread that did nothing. */
static struct share idle_share(const struct norn_channel *c, uint64_t types)
{
	struct share share = {0};
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		const struct norn_scoping_local *local = &c->scoping->locals[i];
		if (!(types & local->type) || local->keep)
			continue;
		share.has |= UINT64_C(1) << i;
		share.yes |= (uint64_t)local->idle << i;
	}
	return share;
}

static struct share read_slots(const struct norn_channel *c, struct norn_seat *seat, uint64_t types, uint64_t region)
{
	struct share share = idle_share(c, types);
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		uint64_t word = atomic_load_explicit(&seat->slots[i].word, memory_order_acquire), bit = UINT64_C(1) << i;
		if (word >> 2 != region + 1 || !(types & c->scoping->locals[i].type))
			continue;
		share.acted = true;
		share.has |= bit;
		share.yes = norn_verdict_counts(word & 3) ? share.yes | bit : share.yes & ~bit;
	}
	return share;
}

/* all: counts those who spoil it, until the end. */
static void add_share(const struct norn_channel *c, uint64_t *counts, uint64_t types, struct share share, uint64_t times)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		const struct norn_tally *t = &scope->tallies[i];
		bool typed = t->type == NORN_SLOT_NONE || types >> t->type & 1;
		uint64_t one = t->word == NORN_WORD_SIZE  ? typed
		               : t->word == NORN_WORD_ALL ? (share.has & ~share.yes) >> t->local & 1
		                                          : typed && share.yes >> t->local & 1;
		counts[i] += times * one;
	}
}

static void close_counts(struct norn_channel *c)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		enum norn_word word = scope->tallies[i].word;
		if (word == NORN_WORD_ALL || word == NORN_WORD_NONE)
			c->counts[i] = c->counts[i] == 0;
		else if (word == NORN_WORD_SOME)
			c->counts[i] = c->counts[i] > 0;
	}
}

static struct norn_seat *seat_at(struct norn_channel *c, uint32_t number, struct norn_seat_chunk **ret_chunk)
{
	*ret_chunk = atomic_load_explicit(&c->chunks[number / NORN_SEATS_CHUNK], memory_order_acquire);
	return seat_of(c, *ret_chunk, number % NORN_SEATS_CHUNK);
}

/* Looks at all seats: who belongs to the region, if nobody has done anything. Those who have gone belong to no further one, those who came belong to
 * the next: both will have to be looked at again. *ret_others counts who is alive, but for alone. */
static void count_all(struct norn_channel *c, uint64_t region, uint32_t alone, uint32_t *ret_others)
{
	c->counted = atomic_load_explicit(&c->arrivals, memory_order_acquire);
	c->unsettled = false;
	memset(c->base, 0, c->scoping->scope->tally_count * sizeof *c->base);
	uint32_t high = atomic_load_explicit(&c->high, memory_order_acquire);
	for (uint32_t i = 0; i < high; i++) {
		struct norn_seat_chunk *chunk;
		struct norn_seat *seat = seat_at(c, i, &chunk);
		uint32_t at = i % NORN_SEATS_CHUNK;
		uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
		enum norn_life now = life & 3;
		bool there = now == NORN_LIFE_LIVE || now == NORN_LIFE_ENDED;
		chunk->counted[at] = there && life >> 2 < region;
		chunk->gone[at] = now == NORN_LIFE_ENDED;
		c->unsettled |= there && (now == NORN_LIFE_ENDED || life >> 2 >= region);
		*ret_others += now == NORN_LIFE_LIVE && atomic_load_explicit(&chunk->threads[at], memory_order_relaxed) != alone;
		if (!chunk->counted[at])
			continue;
		chunk->types[at] = atomic_load_explicit(&seat->types, memory_order_acquire);
		add_share(c, c->base, chunk->types[at], idle_share(c, chunk->types[at]), 1);
	}
}

/* Who had gone before the list was taken gives his seat free: he is on no list any more. */
static void free_seats(struct norn_channel *c)
{
	uint32_t high = atomic_load_explicit(&c->high, memory_order_acquire);
	for (uint32_t i = 0; i < high; i++) {
		struct norn_seat_chunk *chunk;
		struct norn_seat *seat = seat_at(c, i, &chunk);
		uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
		if (chunk->gone[i % NORN_SEATS_CHUNK] && (life & 3) == NORN_LIFE_ENDED)
			atomic_compare_exchange_strong_explicit(
			        &seat->life, &life, NORN_LIFE_FREE, memory_order_release, memory_order_relaxed);
		chunk->gone[i % NORN_SEATS_CHUNK] = false;
	}
}

static void note_late(struct norn_region *region, const struct norn_seat_chunk *chunk, struct norn_seat *seat)
{
	if (region->doubt != NORN_DOUBT_NONE)
		return;
	region->doubt = NORN_DOUBT_LATE;
	region->other = (struct norn_scope_action){
	        .thread = atomic_load_explicit(
	                &((struct norn_seat_chunk *)(uintptr_t)chunk)->threads[seat->number % NORN_SEATS_CHUNK],
	                memory_order_relaxed)};
	region->late = region->number - 1;
}

/* What those on the list bring, in place of what they would if they had done nothing. */
static void count_acted(struct norn_channel *c, struct norn_region *region)
{
	memcpy(c->counts, c->base, c->scoping->scope->tally_count * sizeof *c->counts);
	region->empty = true;
	uint32_t number = atomic_exchange_explicit(&c->acted, 0, memory_order_acquire);
	while (number) {
		struct norn_seat_chunk *chunk;
		struct norn_seat *seat = seat_at(c, number - 1, &chunk);
		uint32_t at = (number - 1) % NORN_SEATS_CHUNK;
		number = atomic_load_explicit(&seat->next, memory_order_relaxed);
		uint64_t types = atomic_load_explicit(&seat->types, memory_order_acquire);
		struct share share = read_slots(c, seat, types, region->number);
		if (!share.acted) {
			note_late(region, chunk, seat);
			continue;
		}
		if (chunk->counted[at])
			add_share(c, c->counts, chunk->types[at], idle_share(c, chunk->types[at]), UINT64_MAX);
		add_share(c, c->counts, types, share, 1);
		region->empty = false;
	}
	close_counts(c);
}

static void count(struct norn_channel *c, struct norn_region *region)
{
	uint32_t others = 0;
	bool again = c->unsettled || atomic_load_explicit(&c->arrivals, memory_order_acquire) != c->counted;
	if (again)
		count_all(c, region->number, UINT32_MAX, &others);
	count_acted(c, region);
	if (again && c->unsettled)
		free_seats(c);
}

/* The state of these counts; worked out only if it is none of the last ones. */
static const struct norn_remembered *remember(struct norn_channel *c)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < REMEMBERED; i++)
		if (c->remembered[i].used &&
		        memcmp(c->remembered[i].counts, c->counts, scope->tally_count * sizeof *c->counts) == 0)
			return &c->remembered[i];
	struct norn_remembered *r = &c->remembered[c->next_remembered++ % REMEMBERED];
	r->used = true;
	memcpy(r->counts, c->counts, scope->tally_count * sizeof *c->counts);
	r->state = norn_scoping_state(c->scoping, c->counts);
	for (uint32_t i = 0; i < scope->check_count; i++)
		r->letters[i] = norn_scoping_letter(c->scoping, i, r->state.atoms);
	return r;
}

static void step_checks(struct norn_channel *c, struct norn_region *region)
{
	const struct norn_scope *scope = c->scoping->scope;
	const struct norn_remembered *r = remember(c);
	bool settled = scope->check_count <= 64;
	region->state = r->state;
	c->judged++;
	for (uint32_t i = 0; i < scope->check_count && i < 64; i++) {
		const struct norn_monitor *m = c->scoping->checks[i];
		uint64_t bit = UINT64_C(1) << i;
		if (r->state.unknown && norn_scoping_letter(c->scoping, i, r->state.unknown)) {
			settled = false;
			continue; /* what it asks for cannot be computed here */
		}
		c->states[i] = norn_monitor_step(m, c->states[i], r->letters[i]);
		bool once = scope->checks[i].property.logic == NORN_LOGIC_LTL;
		if (once && c->charged & bit)
			continue; /* true or false for ever */
		enum norn_verdict verdict = norn_monitor_verdict(m, c->states[i]);
		region->violated |= verdict == NORN_VERDICT_FALSE ? bit : 0;
		region->satisfied |= once && verdict == NORN_VERDICT_TRUE ? bit : 0;
		c->charged |= (region->violated | region->satisfied) & bit;
		settled &= once && c->charged & bit;
	}
	if (settled)
		atomic_store_explicit(&c->withdrawn, NORN_SETTLED, memory_order_relaxed);
}

/* Is the action before known to have happened before this one? */
static bool is_ordered(const struct norn_channel *c, const struct norn_scope_action *action, uint64_t number)
{
	return number == 0 || c->trusted || action->thread == c->last.thread || (action->lock && action->lock == c->last.lock) ||
	       action->known >= number;
}

static void withdraw(struct norn_channel *c, struct norn_region *region, enum norn_doubt doubt, struct norn_scope_action other)
{
	region->doubt = doubt;
	region->other = other;
	region->empty = true;
	atomic_store_explicit(&c->withdrawn, NORN_WITHDRAWN, memory_order_relaxed);
}

void norn_channel_sync(struct norn_channel *c, const struct norn_scope_action *action, struct norn_region *region)
{
	uint64_t me = ((uint64_t)action->thread + 1) << 32 | action->site, free = 0;
	*region = (struct norn_region){.empty = true};
	if (norn_channel_is_over(c))
		return;
	if (!atomic_compare_exchange_strong_explicit(&c->busy, &free, me, memory_order_acquire, memory_order_relaxed)) {
		/* What the other is doing must not be touched. */
		region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
		withdraw(c, region, NORN_DOUBT_OVERLAP,
		        (struct norn_scope_action){.thread = (uint32_t)(free >> 32) - 1, .site = (uint32_t)free});
		return;
	}
	region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
	if (!is_ordered(c, action, region->number)) {
		withdraw(c, region, NORN_DOUBT_UNPROVEN, c->last);
	} else {
		count(c, region);
		if (!region->empty)
			step_checks(c, region);
	}
	c->last = *action;
	atomic_store_explicit(&c->region, region->number + 1, memory_order_release);
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}

void norn_channel_end(struct norn_channel *c, uint32_t thread, struct norn_region *region)
{
	uint64_t me = ((uint64_t)thread + 1) << 32, free = 0;
	uint32_t others = 0;
	*region = (struct norn_region){.empty = true};
	if (norn_channel_is_over(c) ||
	        !atomic_compare_exchange_strong_explicit(&c->busy, &free, me, memory_order_acquire, memory_order_relaxed))
		return;
	region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
	count_all(c, region->number, thread, &others);
	count_acted(c, region);
	region->empty |= others > 0;
	if (!region->empty)
		step_checks(c, region);
	atomic_store_explicit(&c->region, region->number + 1, memory_order_release);
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}
