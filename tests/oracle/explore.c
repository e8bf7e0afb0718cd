#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

static bool is_access(const struct next *n)
{
	return n->exists && !n->trap && n->kind >= NORN_EVENT_READ && n->kind <= NORN_EVENT_RMW;
}

static void see_races(const struct next *nexts, struct reachable *r)
{
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned j = i + 1; j < THREADS; j++) {
			const struct next *a = &nexts[i], *b = &nexts[j];
			if (is_access(a) && is_access(b) && (a->write || b->write) && !(a->atomic && b->atomic) &&
			        a->addr < b->addr + b->size && b->addr < a->addr + a->size)
				r->race[a->statement][b->statement] = r->race[b->statement][a->statement] = true;
		}
}

static void see_frees(const struct state *state, const struct next *nexts, struct reachable *r)
{
	for (unsigned i = 0; i < THREADS; i++) {
		const struct next *n = &nexts[i];
		if (!n->exists || n->slot < 0 || state->life[n->slot] != 2)
			continue;
		if (is_access(n))
			r->use_after_free[state->freed[n->slot]][n->statement] = true;
		else if (n->kind == NORN_EVENT_FREE)
			r->double_free[state->freed[n->slot]][n->statement] = true;
	}
}

static void add_deadlock(struct reachable *r, const struct statements *set)
{
	for (unsigned i = 0; i < r->deadlock_count; i++)
		if (!memcmp(&r->deadlocks[i], set, sizeof(*set)))
			return;
	if (r->deadlock_count < DEADLOCKS)
		r->deadlocks[r->deadlock_count++] = *set;
	else
		r->complete = false;
}

/* From thread at, which path leads to, on through whoever holds what it waits for; back at from, this is a circle. */
static void see_circles(
        const struct next *nexts, const uint8_t *waits_for, unsigned from, unsigned at, unsigned path, struct reachable *r)
{
	for (unsigned t = from; t < THREADS; t++) {
		if (!(waits_for[at] >> t & 1))
			continue;
		if (t == from) {
			struct statements set = {{0}};
			for (unsigned i = 0; i < THREADS; i++)
				if (path >> i & 1)
					set.bits[nexts[i].statement / 64] |= 1ull << nexts[i].statement % 64;
			add_deadlock(r, &set);
		} else if (!(path >> t & 1)) {
			see_circles(nexts, waits_for, from, t, path | 1u << t, r);
		}
	}
}

static void see_deadlocks(const struct code *code, const struct state *state, const struct next *nexts, struct reachable *r)
{
	uint8_t waits_for[THREADS] = {0};
	for (unsigned i = 0; i < THREADS; i++) {
		const struct next *n = &nexts[i];
		if (n->exists && !n->enabled && n->kind == NORN_EVENT_THREAD && n->op == NORN_THREAD_JOIN)
			waits_for[i] |= (uint8_t)(1u << n->value);
		if (!n->exists || n->enabled || n->kind != NORN_EVENT_SYNC || sleeps(code, state, i, n) ||
		        (n->op != NORN_SYNC_ACQUIRE && n->op != NORN_SYNC_ACQUIRE_SHARED))
			continue;
		unsigned lock = (unsigned)(n->addr - ADDRESS_LOCKS) / 64;
		if (state->owner[lock])
			waits_for[i] |= (uint8_t)(1u << (state->owner[lock] - 1));
		if (n->op == NORN_SYNC_ACQUIRE)
			waits_for[i] |= state->readers[lock];
	}
	for (unsigned i = 0; i < THREADS; i++)
		see_circles(nexts, waits_for, i, i, 1u << i, r);
}

/* Atomicity: a state may carry one access of an atomic block, and one of another thread that came after it. Whether an access
 * becomes one of these is a choice, as that between threads. */

static unsigned access_bits(const struct next *n)
{
	return n->kind == NORN_EVENT_READ ? READS : n->kind == NORN_EVENT_WRITE ? WRITES : READS | WRITES;
}

static unsigned track_variable(const struct next *n)
{
	return n->slot >= 0 ? 32u + (unsigned)n->slot : (unsigned)(n->addr - ADDRESS_MEMORY) / 8;
}

static unsigned track_bytes(const struct next *n)
{
	return (n->size == 2 ? 3u : 1u) << (n->addr & 7);
}

static bool tracked(const struct state *state, const struct next *n)
{
	return state->track_thread && is_access(n) && track_variable(n) == state->track_variable &&
	       track_bytes(n) & state->track_bytes;
}

static void see_triples(const struct state *state, const struct next *nexts, struct reachable *r)
{
	if (!state->track_second)
		return;
	const struct next *n = &nexts[state->track_thread - 1];
	if (!tracked(state, n) || !unserializable(state->track_write, state->track_second_write, access_bits(n)))
		return;
	uint8_t triple[3] = {state->track_first, state->track_second, n->statement};
	for (unsigned i = 0; i < r->triple_count; i++)
		if (!memcmp(r->triples[i], triple, 3))
			return;
	if (r->triple_count < TRIPLES)
		memcpy(r->triples[r->triple_count++], triple, 3);
	else
		r->complete = false;
}

static void drop_track(struct state *state)
{
	state->track_thread = state->track_first = state->track_write = state->track_second = state->track_second_write = 0;
	state->track_variable = state->track_bytes = 0;
}

/* What else a state can be after thread did n: returns true and the other one, if the access became part of a triple. */
static bool track(struct state *state, unsigned thread, const struct next *n, struct state *ret_other)
{
	struct thread_state *t = &state->threads[thread];
	if (state->track_thread == thread + 1 && tracked(state, n))
		state->track_bytes &= (uint8_t)~track_bytes(n);
	if (state->track_thread == thread + 1 && (!t->block || !state->track_bytes))
		drop_track(state);
	if (!is_access(n))
		return false;
	*ret_other = *state;
	if (!state->track_thread && t->block) {
		ret_other->track_thread = (uint8_t)(thread + 1);
		ret_other->track_first = n->statement;
		ret_other->track_write = (uint8_t)access_bits(n);
		ret_other->track_variable = (uint8_t)track_variable(n);
		ret_other->track_bytes = (uint8_t)track_bytes(n);
		return true;
	}
	if (state->track_thread && state->track_thread != thread + 1 && !state->track_second && tracked(state, n)) {
		ret_other->track_second = n->statement;
		ret_other->track_second_write = (uint8_t)access_bits(n);
		ret_other->track_bytes &= (uint8_t)track_bytes(n);
		return true;
	}
	return false;
}

void explore_state(const struct code *code, const struct state *state, struct reachable *r)
{
	struct next nexts[THREADS];
	for (unsigned t = 0; t < THREADS; t++)
		state_next(code, state, t, &nexts[t]);
	r->violation |= state->monitor == MONITOR_STATES - 1;
	see_races(nexts, r);
	see_frees(state, nexts, r);
	see_deadlocks(code, state, nexts, r);
	see_triples(state, nexts, r);
}

/* States seen, by their hashes. */
#define SEEN_BITS 18
static struct {
	uint64_t *hashes;
	uint32_t *rounds;
	uint32_t round;
} seen;

static uint64_t hash(const struct state *state)
{
	uint64_t h = 0x9e3779b97f4a7c15ull, word;
	const unsigned char *p = (const unsigned char *)state;
	size_t n = sizeof(*state);
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, p, n);
	h = (h ^ word) * 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 29;
}

/* false: seen before. */
static bool is_new(const struct state *state)
{
	uint64_t h = hash(state);
	for (size_t i = h >> (64 - SEEN_BITS);; i = (i + 1) & ((1u << SEEN_BITS) - 1)) {
		if (seen.rounds[i] != seen.round) {
			seen.rounds[i] = seen.round;
			seen.hashes[i] = h;
			return true;
		}
		if (seen.hashes[i] == h)
			return false;
	}
}

static struct {
	struct state *states;
	size_t count, room;
} stack;

static void push(const struct state *state, struct reachable *r, unsigned max_states)
{
	if (r->states >= max_states) {
		r->complete = false;
		return;
	}
	if (!is_new(state))
		return;
	r->states++;
	if (stack.count == stack.room) {
		stack.room = stack.room ? 2 * stack.room : 4096;
		stack.states = realloc(stack.states, stack.room * sizeof(*stack.states));
		if (!stack.states)
			abort();
	}
	stack.states[stack.count++] = *state;
}

static void follow(const struct code *code, const struct state *from, unsigned thread, const struct next *n, unsigned choice,
        struct reachable *r, unsigned max_states)
{
	struct state state = *from, other;
	state_step(code, &state, thread, n, choice);
	if (code->atomic_blocks && track(&state, thread, n, &other))
		push(&other, r, max_states);
	push(&state, r, max_states);
}

static void time_out(const struct code *code, const struct state *from, unsigned thread, struct reachable *r, unsigned max_states)
{
	struct state state = *from;
	if (state_time_out(code, &state, thread))
		push(&state, r, max_states);
}

static void expand(const struct code *code, const struct state *state, struct reachable *r, unsigned max_states)
{
	struct next nexts[THREADS];
	for (unsigned t = 0; t < THREADS; t++) {
		state_next(code, state, t, &nexts[t]);
		if (nexts[t].exists && nexts[t].quiet) {
			follow(code, state, t, &nexts[t], 0, r, max_states);
			return;
		}
	}
	explore_state(code, state, r);
	for (unsigned t = 0; t < THREADS; t++) {
		if (state->threads[t].status == WAITING)
			time_out(code, state, t, r, max_states);
		if (!nexts[t].exists || !nexts[t].enabled)
			continue;
		if (!nexts[t].choices)
			follow(code, state, t, &nexts[t], 0, r, max_states);
		for (unsigned c = 0; c < BLOCKS; c++)
			if (nexts[t].choices >> c & 1)
				follow(code, state, t, &nexts[t], c, r, max_states);
	}
}

void explore(const struct code *code, unsigned max_states, struct reachable *ret_reachable)
{
	memset(ret_reachable, 0, sizeof(*ret_reachable));
	ret_reachable->complete = true;
	if (!seen.hashes) {
		seen.hashes = malloc(sizeof(*seen.hashes) << SEEN_BITS);
		seen.rounds = calloc(1u << SEEN_BITS, sizeof(*seen.rounds));
		if (!seen.hashes || !seen.rounds)
			abort();
	}
	seen.round++;
	if (code->atomic_blocks && code->doubles) /* triples are followed in one variable only */
		ret_reachable->complete = false;
	struct state start;
	state_start(code, &start);
	push(&start, ret_reachable, max_states);
	while (stack.count) {
		struct state state = stack.states[--stack.count];
		expand(code, &state, ret_reachable, max_states);
	}
}
