#include "online/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u

/* Seats in a row, each on lines of its own; what only actions look at is apart from them. */
struct norn_seat_chunk {
	void *memory;
	char *seats;
	_Atomic uint32_t threads[NORN_SEATS_CHUNK]; /* numbers, for reports */
	uint64_t seen[]; /* per seat and local: the word that was last read */
};

/* ---- life ---- */

static void *aligned(size_t bytes, void **ret_memory)
{
	char *memory = calloc(1, bytes + LINE);
	*ret_memory = memory;
	return memory ? memory + (LINE - (uintptr_t)memory % LINE) % LINE : NULL;
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
	if (!c->states || !c->counts) {
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
	free(c->states);
	free(c->counts);
	free(c->memory);
}

void norn_channel_reset(struct norn_channel *c, uint32_t check)
{
	c->states[check] = norn_monitor_start(c->scoping->checks[check]);
	c->charged &= ~(UINT64_C(1) << (check & 63));
}

/* ---- seats ---- */

static struct norn_seat *seat_of(const struct norn_channel *c, const struct norn_seat_chunk *chunk, uint32_t i)
{
	return (struct norn_seat *)(chunk->seats + i * c->stride);
}

static struct norn_seat_chunk *new_chunk(const struct norn_channel *c)
{
	size_t words = (size_t)NORN_SEATS_CHUNK * c->scoping->scope->local_count;
	struct norn_seat_chunk *chunk = calloc(1, sizeof *chunk + words * sizeof *chunk->seen);
	if (chunk && !(chunk->seats = aligned(NORN_SEATS_CHUNK * c->stride, &chunk->memory))) {
		free(chunk);
		return NULL;
	}
	return chunk;
}

/* Chunks are put in place one after the other; who is too late with one takes the other's. */
static bool add_chunk(struct norn_channel *c, uint32_t count)
{
	struct norn_seat_chunk *none = NULL, *chunk = count < NORN_SEATS_CHUNKS ? new_chunk(c) : NULL;
	if (!chunk)
		return false;
	if (!atomic_compare_exchange_strong(&c->chunks[count], &none, chunk)) {
		free(chunk->memory);
		free(chunk);
	}
	atomic_compare_exchange_strong(&c->chunk_count, &count, count + 1);
	return true;
}

/* Whether the region that goes on needs what a thread that has gone left behind. */
static bool is_wanted(struct norn_channel *c, struct norn_seat *seat, uint64_t came, uint64_t region)
{
	if (came < region)
		return true;
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++)
		if (atomic_load_explicit(&seat->slots[i].word, memory_order_relaxed) >> 2 == region + 1)
			return true;
	return false;
}

static bool take(struct norn_channel *c, struct norn_seat *seat, uint64_t region)
{
	uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
	enum norn_life now = life & 3;
	if (now != NORN_LIFE_FREE && (now != NORN_LIFE_ENDED || is_wanted(c, seat, life >> 2, region)))
		return false;
	return atomic_compare_exchange_strong_explicit(
	        &seat->life, &life, NORN_LIFE_TAKEN, memory_order_acquire, memory_order_relaxed);
}

static void settle(struct norn_channel *c, struct norn_seat *seat, uint64_t types, uint64_t region)
{
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		atomic_store_explicit(&seat->slots[i].word, 0, memory_order_relaxed);
		seat->slots[i].state = c->scoping->locals[i].start;
	}
	atomic_store_explicit(&seat->types, types, memory_order_relaxed);
	atomic_store_explicit(&seat->life, region << 2 | NORN_LIFE_LIVE, memory_order_release);
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
			if (!take(c, seat, region))
				continue;
			atomic_store_explicit(&chunk->threads[k], thread, memory_order_relaxed);
			settle(c, seat, types, region);
			return seat;
		}
	}
}

void norn_channel_leave(struct norn_channel *c, struct norn_seat *seat)
{
	(void)c;
	uint64_t life = atomic_load_explicit(&seat->life, memory_order_relaxed);
	atomic_store_explicit(&seat->life, (life & ~UINT64_C(3)) | NORN_LIFE_ENDED, memory_order_release);
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

void norn_seat_event(const struct norn_channel *c, struct norn_seat *seat, uint32_t which, uint64_t letter)
{
	const struct norn_scoping_local *local = &c->scoping->locals[which];
	struct norn_slot *slot = &seat->slots[which];
	uint64_t region = atomic_load_explicit(&((struct norn_channel *)(uintptr_t)c)->region, memory_order_acquire);
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
}

/* ---- actions ---- */

/* What a thread brings into the region's state: bits per local. */
struct share {
	bool acted;
	uint64_t has; /* its type has this local, and it has a verdict */
	uint64_t yes;
};

static struct share read_slots(
        struct norn_channel *c, struct norn_seat_chunk *chunk, uint32_t at, uint64_t types, struct norn_region *region)
{
	uint32_t locals = c->scoping->scope->local_count;
	struct norn_seat *seat = seat_of(c, chunk, at);
	struct share share = {0};
	for (uint32_t i = 0; i < locals; i++) {
		const struct norn_scoping_local *local = &c->scoping->locals[i];
		uint64_t word = atomic_load_explicit(&seat->slots[i].word, memory_order_acquire), bit = UINT64_C(1) << i;
		uint64_t *seen = &chunk->seen[at * locals + i];
		bool now = word >> 2 == region->number + 1;
		if (word && !now && word != *seen && region->doubt == NORN_DOUBT_NONE) {
			region->doubt = NORN_DOUBT_LATE;
			region->other = (struct norn_scope_action){
			        .thread = atomic_load_explicit(&chunk->threads[at], memory_order_relaxed)};
			region->late = (word >> 2) - 1;
		}
		*seen = word;
		if (!(types & local->type))
			continue;
		share.acted |= now;
		if (now || !local->keep)
			share.has |= bit;
		if (now ? norn_verdict_counts(word & 3) : local->idle)
			share.yes |= bit;
	}
	return share;
}

/* all: counts those who spoil it, until the end. */
static void add_share(struct norn_channel *c, uint64_t types, struct share share)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		const struct norn_tally *t = &scope->tallies[i];
		bool typed = t->type == NORN_SLOT_NONE || types >> t->type & 1;
		if (t->word == NORN_WORD_SIZE)
			c->counts[i] += typed;
		else if (t->word == NORN_WORD_ALL)
			c->counts[i] += (share.has & ~share.yes) >> t->local & 1;
		else
			c->counts[i] += typed && share.yes >> t->local & 1;
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

/* Goes through all seats; who has gone gives his free. alone: NULL, or whose thread need not have gone: *ret_others counts others. */
static void count(struct norn_channel *c, struct norn_region *region, uint32_t alone, uint32_t *ret_others)
{
	region->empty = true;
	memset(c->counts, 0, c->scoping->scope->tally_count * sizeof *c->counts);
	uint32_t chunks = atomic_load_explicit(&c->chunk_count, memory_order_acquire);
	for (uint32_t i = 0; i < chunks * NORN_SEATS_CHUNK; i++) {
		struct norn_seat_chunk *chunk = atomic_load_explicit(&c->chunks[i / NORN_SEATS_CHUNK], memory_order_acquire);
		uint32_t at = i % NORN_SEATS_CHUNK;
		struct norn_seat *seat = seat_of(c, chunk, at);
		uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
		enum norn_life now = life & 3;
		if (now == NORN_LIFE_FREE || now == NORN_LIFE_TAKEN)
			continue;
		uint64_t types = atomic_load_explicit(&seat->types, memory_order_acquire);
		struct share share = read_slots(c, chunk, at, types, region);
		if (share.acted || life >> 2 < region->number)
			add_share(c, types, share);
		region->empty &= !share.acted;
		*ret_others += now == NORN_LIFE_LIVE && atomic_load_explicit(&chunk->threads[at], memory_order_relaxed) != alone;
		if (now == NORN_LIFE_ENDED)
			atomic_compare_exchange_strong_explicit(
			        &seat->life, &life, NORN_LIFE_FREE, memory_order_release, memory_order_relaxed);
	}
	close_counts(c);
}

static void step_checks(struct norn_channel *c, struct norn_region *region)
{
	const struct norn_scope *scope = c->scoping->scope;
	region->state = norn_scoping_state(c->scoping, c->counts);
	c->judged++;
	for (uint32_t i = 0; i < scope->check_count && i < 64; i++) {
		const struct norn_monitor *m = c->scoping->checks[i];
		uint64_t bit = UINT64_C(1) << i;
		if (norn_scoping_letter(c->scoping, i, region->state.unknown))
			continue; /* what it asks for cannot be computed here */
		c->states[i] = norn_monitor_step(m, c->states[i], norn_scoping_letter(c->scoping, i, region->state.atoms));
		bool violated = norn_monitor_violated(m, c->states[i]), once = scope->checks[i].property.logic == NORN_LOGIC_LTL;
		if (once && c->charged & bit)
			continue;
		region->violated |= violated ? bit : 0;
		region->satisfied |= once && norn_monitor_verdict(m, c->states[i]) == NORN_VERDICT_TRUE ? bit : 0;
		c->charged |= (region->violated | region->satisfied) & bit;
	}
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
	atomic_store_explicit(&c->withdrawn, 1, memory_order_relaxed);
}

void norn_channel_sync(struct norn_channel *c, const struct norn_scope_action *action, struct norn_region *region)
{
	uint64_t me = ((uint64_t)action->thread + 1) << 32 | action->site, free = 0;
	uint32_t others = 0;
	*region = (struct norn_region){.empty = true};
	if (norn_channel_is_withdrawn(c))
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
		count(c, region, UINT32_MAX, &others);
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
	if (norn_channel_is_withdrawn(c) ||
	        !atomic_compare_exchange_strong_explicit(&c->busy, &free, me, memory_order_acquire, memory_order_relaxed))
		return;
	region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
	count(c, region, thread, &others);
	region->empty |= others > 0;
	if (!region->empty)
		step_checks(c, region);
	atomic_store_explicit(&c->region, region->number + 1, memory_order_release);
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}
