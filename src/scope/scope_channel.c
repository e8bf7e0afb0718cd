#include "scope/scope_channel.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u

#define REMEMBERED 4u

/* The contribution of a thread to the region's state: bits per local. */
struct share {
	uint64_t has; /* its type has this local, and it has a verdict */
	uint64_t yes, no;
};

/* A footprint, behind the slots of its seat: one for each local. */
struct print {
	_Atomic uint64_t where; /* site | call site << 32 */
	_Atomic uint64_t what; /* event | kind << 32 | op << 40 */
};

/* Seats in a row, each on lines of its own; what only actions look at is apart from them. */
struct norn_seat_chunk {
	void *memory;
	char *seats;
	uint32_t first, count; /* numbers of its seats */
	struct seat_state {
		uint64_t idle; /* its contribution to the base */
		/* Its count when it last had an event, and the state that it counted for. */
		struct share said;
		uint64_t types, mark;
		_Atomic uint32_t thread; /* for reports */
		bool counted; /* it is in the base, with no event */
		bool gone; /* its thread had gone when all were counted */
	} seat_states[];
};

/* Counts, and what they made: regions are often alike. */
struct norn_remembered {
	bool used;
	uint64_t *counts;
	struct norn_scope_state state;
	uint64_t *letters;
	/* A step that brought nothing about, from these states to those. */
	bool calm;
	uint64_t charged; /* as it was before */
	uint64_t *from, *to;
};

/* ---- life ---- */

static void *aligned(size_t bytes, void **ret_memory)
{
	char *memory = calloc(1, bytes + LINE);
	*ret_memory = memory;
	return memory ? memory + (LINE - (uintptr_t)memory % LINE) % LINE : NULL;
}

static uint64_t *cut(char **at, size_t count)
{
	uint64_t *piece = (uint64_t *)(void *)*at;
	*at += count * sizeof *piece;
	return piece;
}

/* One block: the channel, then what it points at, what changes most first. */
int norn_scope_channel_new(const struct norn_scope_machines *scoping, struct norn_scope_channel **ret_channel)
{
	const struct norn_scope *scope = scoping->scope;
	size_t checks = scope->check_count, tallies = scope->tally_count;
	size_t words = checks + tallies + REMEMBERED * (tallies + 3 * checks);
	void *memory;
	struct norn_scope_channel *c =
	        aligned(sizeof *c + words * sizeof(uint64_t) + REMEMBERED * sizeof(struct norn_remembered), &memory);
	if (!c)
		return -ENOMEM;
	c->memory = memory;
	c->scoping = scoping;
	c->trusted = scope->trusted;
	c->prints = (sizeof(struct norn_seat) + scope->local_count * sizeof(struct norn_scope_slot) + LINE - 1) / LINE * LINE;
	c->cell_step = (c->prints + scope->local_count * sizeof(struct print) + LINE - 1) / LINE * LINE;
	c->counted = UINT64_MAX;
	char *at = (char *)(c + 1);
	c->states = cut(&at, checks);
	c->base = cut(&at, tallies);
	c->remembered = (struct norn_remembered *)(void *)at;
	at += REMEMBERED * sizeof *c->remembered;
	for (unsigned i = 0; i < REMEMBERED; i++) {
		c->remembered[i].counts = cut(&at, tallies);
		c->remembered[i].letters = cut(&at, checks);
		c->remembered[i].from = cut(&at, checks);
		c->remembered[i].to = cut(&at, checks);
	}
	for (uint32_t i = 0; i < checks; i++)
		c->states[i] = norn_monitor_start(scoping->checks[i]);
	*ret_channel = c;
	return 0;
}

void norn_scope_channel_free(struct norn_scope_channel *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < atomic_load(&c->chunk_count); i++) {
		struct norn_seat_chunk *chunk = atomic_load(&c->chunks[i]);
		free(chunk->memory);
		free(chunk);
	}
	free(c->memory);
}

void norn_scope_channel_reset(struct norn_scope_channel *c, uint32_t check)
{
	c->states[check] = norn_monitor_start(c->scoping->checks[check]);
	c->charged &= ~(UINT64_C(1) << (check & 63));
	uint32_t settled = NORN_SETTLED;
	atomic_compare_exchange_strong(&c->withdrawn, &settled, 0);
}

/* ---- seats ---- */

static struct norn_seat *seat_of(const struct norn_scope_channel *c, const struct norn_seat_chunk *chunk, uint32_t i)
{
	return (struct norn_seat *)(chunk->seats + i * c->cell_step);
}

static struct norn_seat_chunk *new_chunk(const struct norn_scope_channel *c, uint32_t which)
{
	uint32_t count = NORN_SEATS_FIRST << which;
	struct norn_seat_chunk *chunk = calloc(1, sizeof *chunk + count * sizeof *chunk->seat_states);
	if (!chunk)
		return NULL;
	chunk->count = count;
	chunk->first = count - NORN_SEATS_FIRST;
	if (!(chunk->seats = aligned(count * c->cell_step, &chunk->memory))) {
		free(chunk);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		seat_of(c, chunk, i)->number = chunk->first + i;
	return chunk;
}

/* Chunks are put in place one after the other; a thread that is too late with one takes the other's. */
static bool add_chunk(struct norn_scope_channel *c, uint32_t count)
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

/* True if the state of a thread that has gone is needed still, or the seat may be on the list: not if it came in this region, and
 * never acted. */
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

static void settle(struct norn_scope_channel *c, struct norn_seat *seat, uint64_t types, uint64_t region)
{
	assert((atomic_load_explicit(&seat->life, memory_order_relaxed) & 3) == NORN_LIFE_TAKEN); /* by this thread */
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

struct norn_seat *norn_scope_channel_join(struct norn_scope_channel *c, uint32_t thread, uint64_t types)
{
	uint64_t region = atomic_load_explicit(&c->region, memory_order_acquire);
	for (uint32_t i = 0;; i++) {
		uint32_t count = atomic_load_explicit(&c->chunk_count, memory_order_acquire);
		if (i >= count && !add_chunk(c, count))
			return NULL;
		struct norn_seat_chunk *chunk = atomic_load_explicit(&c->chunks[i], memory_order_acquire);
		for (uint32_t k = 0; k < chunk->count; k++) {
			struct norn_seat *seat = seat_of(c, chunk, k);
			if (!take(seat, region))
				continue;
			atomic_store_explicit(&chunk->seat_states[k].thread, thread, memory_order_relaxed);
			settle(c, seat, types, region);
			return seat;
		}
	}
}

void norn_scope_channel_leave(struct norn_scope_channel *c, struct norn_seat *seat)
{
	uint64_t life = atomic_load_explicit(&seat->life, memory_order_relaxed);
	assert((life & 3) == NORN_LIFE_LIVE);
	atomic_store_explicit(&seat->life, (life & ~UINT64_C(3)) | NORN_LIFE_ENDED, memory_order_release);
	atomic_fetch_add_explicit(&c->arrivals, 1, memory_order_release);
}

void norn_seat_retype(struct norn_scope_channel *c, struct norn_seat *seat, uint64_t types)
{
	atomic_store_explicit(&seat->types, types, memory_order_release);
	atomic_fetch_add_explicit(&c->arrivals, 1, memory_order_release);
}

/* ---- events ---- */

/* A kept monitor hears of the actions since its last event, or since its thread came; they may be many, but soon change nothing. */
static uint64_t catch_up(
        const struct norn_scope_machines_local *local, const struct norn_seat *seat, uint64_t word, uint64_t state, uint64_t region)
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
static void act_first(struct norn_scope_channel *c, struct norn_seat *seat, uint64_t region)
{
	assert(atomic_load_explicit(&seat->acted, memory_order_relaxed) <= region); /* of an earlier one */
	atomic_store_explicit(&seat->acted, region + 1, memory_order_relaxed);
	uint32_t first = atomic_load_explicit(&c->acted, memory_order_relaxed);
	do
		atomic_store_explicit(&seat->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(
	        &c->acted, &first, seat->number + 1, memory_order_release, memory_order_relaxed));
}

bool norn_seat_settled(const struct norn_scope_channel *c, const struct norn_seat *seat, uint32_t which, uint64_t region)
{
	struct norn_scope_slot *slot = &((struct norn_seat *)(uintptr_t)seat)->slots[which];
	return atomic_load_explicit(&slot->word, memory_order_relaxed) >> 2 == region + 1 &&
	       norn_monitor_settled(c->scoping->locals[which].monitor, slot->state);
}

static struct print *print_of(const struct norn_scope_channel *c, struct norn_seat *seat, uint32_t local)
{
	return (struct print *)(void *)((char *)seat + c->prints) + local;
}

static void leave_print(struct print *to, const struct norn_footprint *print)
{
	atomic_store_explicit(&to->where, (uint64_t)print->call_site << 32 | print->site, memory_order_relaxed);
	atomic_store_explicit(
	        &to->what, (uint64_t)print->op << 40 | (uint64_t)print->kind << 32 | print->event, memory_order_relaxed);
}

void norn_seat_event_at(
        struct norn_scope_channel *c, struct norn_seat *seat, uint32_t which, uint64_t letter, const struct norn_footprint *print)
{
	assert(which < c->scoping->scope->local_count);
	const struct norn_scope_machines_local *local = &c->scoping->locals[which];
	struct norn_scope_slot *slot = &seat->slots[which];
	uint64_t region = atomic_load_explicit(&c->region, memory_order_acquire);
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed), state = slot->state;
	enum norn_verdict verdict;
	if (word >> 2 != region + 1 && !local->keep && letter < NORN_SCOPE_FIRSTS) {
		state = local->first[letter].state;
		verdict = local->first[letter].verdict;
	} else {
		if (word >> 2 != region + 1)
			state = local->keep ? catch_up(local, seat, word, state, region) : local->start;
		else if (norn_monitor_settled(local->monitor, state))
			return;
		state = norn_monitor_step(local->monitor, state, letter);
		verdict = norn_monitor_verdict(local->monitor, state);
	}
	slot->state = state;
	uint64_t new = (region + 1) << 2 | verdict;
	if (print)
		leave_print(print_of(c, seat, which), print);
	if (new != word)
		atomic_store_explicit(&slot->word, new, memory_order_release);
	if (atomic_load_explicit(&seat->acted, memory_order_relaxed) != region + 1)
		act_first(c, seat, region);
}

/* ---- actions ---- */

/* Of a thread that did nothing. */
static struct share idle_share(const struct norn_scope_channel *c, uint64_t types)
{
	struct share share = {0};
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		const struct norn_scope_machines_local *local = &c->scoping->locals[i];
		if (!(types & local->type) || local->keep)
			continue;
		share.has |= UINT64_C(1) << i;
		share.yes |= (uint64_t)local->idle << i;
		share.no |= (uint64_t)local->idle_false << i;
	}
	return share;
}

/* True if it had an event. */
static bool read_slots(
        const struct norn_scope_channel *c, struct norn_seat *seat, uint64_t types, uint64_t region, struct share *ret_share)
{
	struct share share = idle_share(c, types);
	bool acted = false;
	for (uint32_t i = 0; i < c->scoping->scope->local_count; i++) {
		uint64_t word = atomic_load_explicit(&seat->slots[i].word, memory_order_acquire), bit = UINT64_C(1) << i;
		if (word >> 2 != region + 1 || !(types & c->scoping->locals[i].type))
			continue;
		acted = true;
		share.has |= bit;
		share.yes = norn_verdict_counts(word & 3) ? share.yes | bit : share.yes & ~bit;
		share.no = (word & 3) == NORN_VERDICT_FALSE ? share.no | bit : share.no & ~bit;
	}
	*ret_share = share;
	return acted;
}

/* The tallies that it counts for, a bit each. all: counts the threads that spoil it, until the end. */
static uint64_t mark_of(const struct norn_scope_channel *c, uint64_t types, struct share share)
{
	const struct norn_scope *scope = c->scoping->scope;
	uint64_t mark = 0;
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		const struct norn_tally *t = &scope->tallies[i];
		bool typed = t->type == NORN_SLOT_NONE || types >> t->type & 1;
		uint64_t one = t->word == NORN_WORD_SIZE  ? typed
		               : t->word == NORN_WORD_ALL ? (share.has & ~share.yes) >> t->local & 1
		                                          : typed && (t->falsified ? share.no : share.yes) >> t->local & 1;
		mark |= one << i;
	}
	return mark;
}

/* The same, but for the most part it is what it was last time. */
static uint64_t mark_again(const struct norn_scope_channel *c, struct seat_state *seat_state, uint64_t types, struct share share)
{
	if (seat_state->types != types || seat_state->said.has != share.has || seat_state->said.yes != share.yes ||
	        seat_state->said.no != share.no) {
		seat_state->types = types;
		seat_state->said = share;
		seat_state->mark = mark_of(c, types, share);
	}
	return seat_state->mark;
}

static void add_mark(uint64_t *counts, uint64_t mark, uint64_t times)
{
	for (; mark; mark &= mark - 1)
		counts[__builtin_ctzll(mark)] += times;
}

static void close_counts(const struct norn_scope_channel *c, uint64_t *counts)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		enum norn_word word = scope->tallies[i].word;
		if (word == NORN_WORD_ALL || word == NORN_WORD_NONE)
			counts[i] = counts[i] == 0;
		else if (word == NORN_WORD_SOME)
			counts[i] = counts[i] > 0;
	}
}

static struct norn_seat *seat_at(struct norn_scope_channel *c, uint32_t number, struct seat_state **ret_state)
{
	unsigned which = 31u - (unsigned)__builtin_clz(number / NORN_SEATS_FIRST + 1);
	struct norn_seat_chunk *chunk = atomic_load_explicit(&c->chunks[which], memory_order_acquire);
	*ret_state = &chunk->seat_states[number - chunk->first];
	return seat_of(c, chunk, number - chunk->first);
}

/* Looks at all seats: the region's members, if none of them had an event. Threads that have gone belong to no further region, those
 * that came belong to the next: both will have to be looked at again. *ret_others counts the threads that are alive, but for
 * alone. */
static void count_all(struct norn_scope_channel *c, uint64_t region, uint32_t alone, uint32_t *ret_others)
{
	c->counted = atomic_load_explicit(&c->arrivals, memory_order_acquire);
	c->unsettled = false;
	memset(c->base, 0, c->scoping->scope->tally_count * sizeof *c->base);
	uint32_t high = atomic_load_explicit(&c->high, memory_order_acquire);
	for (uint32_t i = 0; i < high; i++) {
		struct seat_state *seat_state;
		struct norn_seat *seat = seat_at(c, i, &seat_state);
		uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
		enum norn_life now = life & 3;
		bool there = now == NORN_LIFE_LIVE || now == NORN_LIFE_ENDED;
		seat_state->counted = there && life >> 2 < region;
		seat_state->gone = now == NORN_LIFE_ENDED;
		c->unsettled |= there && (now == NORN_LIFE_ENDED || life >> 2 >= region);
		*ret_others += now == NORN_LIFE_LIVE && atomic_load_explicit(&seat_state->thread, memory_order_relaxed) != alone;
		if (!seat_state->counted)
			continue;
		uint64_t types = atomic_load_explicit(&seat->types, memory_order_acquire);
		seat_state->idle = mark_of(c, types, idle_share(c, types));
		add_mark(c->base, seat_state->idle, 1);
	}
}

/* A thread that had gone before the list was taken gives its seat free: it is on no list any more. */
static void free_seats(struct norn_scope_channel *c)
{
	uint32_t high = atomic_load_explicit(&c->high, memory_order_acquire);
	for (uint32_t i = 0; i < high; i++) {
		struct seat_state *seat_state;
		struct norn_seat *seat = seat_at(c, i, &seat_state);
		uint64_t life = atomic_load_explicit(&seat->life, memory_order_acquire);
		if (seat_state->gone && (life & 3) == NORN_LIFE_ENDED)
			atomic_compare_exchange_strong_explicit(
			        &seat->life, &life, NORN_LIFE_FREE, memory_order_release, memory_order_relaxed);
		seat_state->gone = false;
	}
}

static void note_late(struct norn_region *region, struct seat_state *seat_state)
{
	if (region->doubt != NORN_DOUBT_NONE)
		return;
	region->doubt = NORN_DOUBT_LATE;
	region->other = (struct norn_scope_action){.thread = atomic_load_explicit(&seat_state->thread, memory_order_relaxed)};
	region->late = region->number - 1;
}

/* The contributions of those on the list, in place of their idle ones. */
static void count_acted(struct norn_scope_channel *c, struct norn_region *region, uint64_t *counts)
{
	region->empty = true;
	if (!atomic_load_explicit(&c->acted, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < c->scoping->scope->tally_count; i++)
		counts[i] = c->base[i];
	uint32_t number = atomic_exchange_explicit(&c->acted, 0, memory_order_acquire);
	while (number) {
		struct seat_state *seat_state;
		struct norn_seat *seat = seat_at(c, number - 1, &seat_state);
		number = atomic_load_explicit(&seat->next, memory_order_relaxed);
		uint64_t types = atomic_load_explicit(&seat->types, memory_order_acquire);
		struct share share;
		if (!read_slots(c, seat, types, region->number, &share)) {
			note_late(region, seat_state);
			continue;
		}
		uint64_t mark = mark_again(c, seat_state, types, share), idle = seat_state->counted ? seat_state->idle : 0;
		add_mark(counts, mark & ~idle, 1);
		add_mark(counts, idle & ~mark, UINT64_MAX);
		region->empty = false;
	}
	close_counts(c, counts);
}

static void count(struct norn_scope_channel *c, struct norn_region *region, uint64_t *counts)
{
	uint32_t others = 0;
	bool again = c->unsettled || atomic_load_explicit(&c->arrivals, memory_order_acquire) != c->counted;
	if (again)
		count_all(c, region->number, UINT32_MAX, &others);
	count_acted(c, region, counts);
	if (again && c->unsettled)
		free_seats(c);
}

static bool equal(const uint64_t *a, const uint64_t *b, uint32_t count)
{
	uint64_t differ = 0;
	for (uint32_t i = 0; i < count; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* The state for these counts; computed only if they are none of the last ones. */
static struct norn_remembered *remember(struct norn_scope_channel *c, const uint64_t *counts)
{
	const struct norn_scope *scope = c->scoping->scope;
	for (uint32_t i = 0; i < REMEMBERED; i++)
		if (c->remembered[i].used && equal(c->remembered[i].counts, counts, scope->tally_count))
			return &c->remembered[i];
	struct norn_remembered *r = &c->remembered[c->next_remembered++ % REMEMBERED];
	r->used = true;
	r->calm = false;
	memcpy(r->counts, counts, scope->tally_count * sizeof *counts);
	r->state = norn_scope_machines_state(c->scoping, counts);
	for (uint32_t i = 0; i < scope->check_count; i++)
		r->letters[i] = norn_scope_machines_letter(c->scoping, i, r->state.atoms);
	return r;
}

/* True if this very step was made before, and had no outcome. */
static bool step_again(struct norn_scope_channel *c, const struct norn_remembered *r)
{
	uint32_t count = c->scoping->scope->check_count;
	if (!r->calm || r->charged != c->charged || !equal(r->from, c->states, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (c->states[i] != r->to[i])
			c->states[i] = r->to[i];
	return true;
}

static void step_checks(struct norn_scope_channel *c, struct norn_region *region, const uint64_t *counts)
{
	const struct norn_scope *scope = c->scoping->scope;
	struct norn_remembered *r = remember(c, counts);
	bool settled = scope->check_count <= 64;
	region->state = r->state;
	if (step_again(c, r))
		return;
	r->charged = c->charged;
	memcpy(r->from, c->states, scope->check_count * sizeof *r->from);
	for (uint32_t i = 0; i < scope->check_count && i < 64; i++) {
		const struct norn_monitor *m = c->scoping->checks[i];
		uint64_t bit = UINT64_C(1) << i;
		if (r->state.unknown && norn_scope_machines_letter(c->scoping, i, r->state.unknown)) {
			settled = false;
			continue; /* this cannot be computed here */
		}
		c->states[i] = norn_monitor_step(m, c->states[i], r->letters[i]);
		bool once = scope->checks[i].property.logic != NORN_LOGIC_PTLTL;
		if (once && c->charged & bit)
			continue; /* true or false for ever */
		enum norn_verdict verdict = norn_monitor_verdict(m, c->states[i]);
		region->violated |= verdict == NORN_VERDICT_FALSE ? bit : 0;
		region->satisfied |= once && verdict == NORN_VERDICT_TRUE ? bit : 0;
		c->charged |= (region->violated | region->satisfied) & bit;
		settled &= once && c->charged & bit;
	}
	memcpy(r->to, c->states, scope->check_count * sizeof *r->to);
	r->calm = !region->violated && !region->satisfied;
	if (settled)
		atomic_store_explicit(&c->withdrawn, NORN_SETTLED, memory_order_relaxed);
}

/* Is the action before known to have happened before this one? */
static bool is_ordered(const struct norn_scope_channel *c, const struct norn_scope_action *action, uint64_t number)
{
	return number == 0 || c->trusted || action->thread == c->last.thread || (action->lock && action->lock == c->last.lock) ||
	       action->known >= number;
}

static void withdraw(
        struct norn_scope_channel *c, struct norn_region *region, enum norn_doubt doubt, struct norn_scope_action other)
{
	region->doubt = doubt;
	region->other = other;
	region->empty = true;
	atomic_store_explicit(&c->withdrawn, NORN_WITHDRAWN, memory_order_relaxed);
}

/* The contributions of the threads that had an event. */
static void find_steps(struct norn_scope_channel *c, struct norn_region *region)
{
	uint32_t high = atomic_load_explicit(&c->high, memory_order_acquire);
	for (uint32_t i = 0; i < high; i++) {
		struct seat_state *seat_state;
		struct norn_seat *seat = seat_at(c, i, &seat_state);
		for (uint32_t k = 0; k < c->scoping->scope->local_count && region->step_count < NORN_REGION_STEPS; k++) {
			if (atomic_load_explicit(&seat->slots[k].word, memory_order_acquire) >> 2 != region->number + 1)
				continue;
			const struct print *print = print_of(c, seat, k);
			uint64_t where = atomic_load_explicit(&print->where, memory_order_relaxed);
			uint64_t what = atomic_load_explicit(&print->what, memory_order_relaxed);
			region->steps[region->step_count++] =
			        (struct norn_region_step){atomic_load_explicit(&seat_state->thread, memory_order_relaxed),
			                {(uint32_t)where, (uint32_t)(where >> 32), (uint32_t)what, (uint8_t)(what >> 32),
			                        (uint8_t)(what >> 40)}};
		}
	}
}

static void explain(struct norn_scope_channel *c, struct norn_region *region)
{
	region->began = region->number > 0;
	region->beginning = c->last;
	region->step_count = 0;
	find_steps(c, region);
}

/* Sets all that has a meaning if nothing is violated. */
static void begin_region(struct norn_region *region)
{
	region->number = region->late = 0;
	region->empty = true;
	region->state = (struct norn_scope_state){0};
	region->violated = region->satisfied = 0;
	region->doubt = NORN_DOUBT_NONE;
	region->other = (struct norn_scope_action){0};
	region->step_count = 0;
	region->began = false;
}

/* Counted on the stack: no line to take from the thread that acted before. */
static void judge(struct norn_scope_channel *c, struct norn_region *region)
{
	uint64_t counts[NORN_SCOPE_TALLIES_MAX];
	count(c, region, counts);
	if (!region->empty)
		step_checks(c, region, counts);
	if (region->violated)
		explain(c, region);
}

void norn_scope_channel_sync(struct norn_scope_channel *c, const struct norn_scope_action *action, struct norn_region *region)
{
	uint64_t me = ((uint64_t)action->thread + 1) << 32 | action->site, free = 0;
	begin_region(region);
	if (norn_scope_channel_is_over(c))
		return;
	if (!atomic_compare_exchange_strong_explicit(&c->busy, &free, me, memory_order_acquire, memory_order_relaxed)) {
		/* The state of the other must not be touched. */
		region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
		withdraw(c, region, NORN_DOUBT_OVERLAP,
		        (struct norn_scope_action){.thread = (uint32_t)(free >> 32) - 1, .site = (uint32_t)free});
		return;
	}
	region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
	if (!is_ordered(c, action, region->number)) {
		withdraw(c, region, NORN_DOUBT_UNPROVEN, c->last);
	} else {
		judge(c, region);
	}
	c->last = *action;
	atomic_store_explicit(&c->region, region->number + 1, memory_order_release);
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}

void norn_scope_channel_end(struct norn_scope_channel *c, uint32_t thread, struct norn_region *region)
{
	uint64_t me = ((uint64_t)thread + 1) << 32, free = 0;
	uint64_t counts[NORN_SCOPE_TALLIES_MAX];
	uint32_t others = 0;
	begin_region(region);
	if (norn_scope_channel_is_over(c) ||
	        !atomic_compare_exchange_strong_explicit(&c->busy, &free, me, memory_order_acquire, memory_order_relaxed))
		return;
	region->number = atomic_load_explicit(&c->region, memory_order_relaxed);
	count_all(c, region->number, thread, &others);
	count_acted(c, region, counts);
	region->empty |= others > 0;
	if (!region->empty)
		step_checks(c, region, counts);
	if (region->violated)
		explain(c, region);
	atomic_store_explicit(&c->region, region->number + 1, memory_order_release);
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}
