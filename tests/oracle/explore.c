#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "orders.h"
#include "serial.h"
#include "trace/record.h"

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

static void see_orders(const struct code *code, const struct state *state, const struct next *nexts, struct reachable *r)
{
	for (unsigned t = 0; t < THREADS && code->weak; t++)
		if (orders_race(code, state, t, &nexts[t]))
			r->order[state->chosen_statement][nexts[t].statement] =
			        r->order[nexts[t].statement][state->chosen_statement] = true;
}

static void see_frees(const struct state *state, const struct next *nexts, struct reachable *r)
{
	for (unsigned i = 0; i < THREADS; i++) {
		const struct next *n = &nexts[i];
		if (!n->exists || n->slot < 0 || state->life[n->slot] != 2)
			continue;
		if (n->kind >= NORN_EVENT_READ && n->kind <= NORN_EVENT_RMW)
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

/* From thread at, which path leads to, on through the thread that holds what it waits for; back at from, this is a circle. */
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

static void see_cycles(const struct state *state, const struct next *nexts, struct reachable *r)
{
	for (unsigned t = 0; t < THREADS; t++)
		if (nexts[t].exists && !nexts[t].trap && state->threads[t].block && is_access(&nexts[t]) &&
		        serial_closes(state, t, &nexts[t]))
			r->broken[state->threads[t].begin] = true;
}

static bool is_lock(const struct next *n)
{
	return n->kind == NORN_EVENT_SYNC && (n->op == NORN_SYNC_ACQUIRE || n->op == NORN_SYNC_ACQUIRE_SHARED);
}

static bool kept_by_ended(const struct state *state, const struct next *n)
{
	unsigned lock = (unsigned)(n->addr - ADDRESS_LOCKS) / 64;
	for (unsigned t = 0; t < THREADS; t++)
		if (state->threads[t].status == ENDED && (state->owner[lock] == t + 1 || (state->readers[lock] >> t & 1)))
			return true;
	return false;
}

/* nexts: what each thread is recorded to do. */
static void see_stuck(const struct code *code, const struct state *state, const struct next *nexts, struct reachable *r)
{
	for (unsigned t = 0; t < THREADS; t++) {
		unsigned status = state->threads[t].status;
		if (state->dead || (status != UNBORN && status != ENDED && (!nexts[t].exists || nexts[t].enabled)) ||
		        (status == WAITING && !sleeps(code, state, t, &nexts[t])))
			return;
	}
	for (unsigned t = 0; t < THREADS; t++) {
		const struct next *n = &nexts[t];
		if (n->exists && n->kind == NORN_EVENT_SYNC &&
		        (!is_lock(n) || sleeps(code, state, t, n) || kept_by_ended(state, n)))
			r->stuck[n->statement] = true;
	}
}

/* ---- along the recorded branches ---- */

/* Per thread and event of the recording: 1 + the thread's next event from there on, 0: none. */
static struct {
	const struct recording *recording; /* NULL: all branches */
	uint16_t next[THREADS][EVENTS + 3];
} along;

/* Did the thread come to this assertion there, and pass? */
static bool passed_along(const struct state *state, unsigned thread, unsigned assertion)
{
	unsigned last = state->threads[thread].replayed;
	return !along.recording || (last && along.recording->passed[last - 1][assertion]);
}

static void see_assertions(const struct code *code, const struct state *state, struct reachable *r)
{
	for (unsigned t = 0; t < THREADS; t++) {
		struct next n;
		state_next(code, state, t, &n);
		if (n.exists && n.kind == NORN_EVENT_THREAD && n.op == NORN_THREAD_EXIT && n.argument &&
		        passed_along(state, t, n.statement))
			r->assertion[n.statement] = true;
	}
}

/* ---- what is wrong ---- */

static void see(const struct code *code, const struct state *state, const struct next *nexts, struct reachable *r)
{
	see_assertions(code, state, r);
	r->violation |= state->monitor == MONITOR_STATES - 1;
	see_races(nexts, r);
	see_orders(code, state, nexts, r);
	see_frees(state, nexts, r);
	see_deadlocks(code, state, nexts, r);
	see_cycles(state, nexts, r);
}

void explore_state(const struct code *code, const struct state *state, struct reachable *r)
{
	struct next nexts[THREADS];
	along.recording = NULL;
	for (unsigned t = 0; t < THREADS; t++)
		state_next(code, state, t, &nexts[t]);
	see(code, state, nexts, r);
}

/* States seen, by their hashes. */
#define SEEN_BITS 18
static struct {
	uint64_t *hashes;
	uint32_t *rounds;
	uint32_t round;
} seen;

static void begin_seen(void)
{
	if (!seen.hashes) {
		seen.hashes = malloc(sizeof(*seen.hashes) << SEEN_BITS);
		seen.rounds = calloc(1u << SEEN_BITS, sizeof(*seen.rounds));
		if (!seen.hashes || !seen.rounds)
			abort();
	}
	seen.round++;
}

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

static void along_set(const struct recording *recording)
{
	along.recording = recording;
	memset(along.next, 0, sizeof(along.next));
	for (unsigned i = recording ? recording->count : 0; i-- > 0;) {
		const struct norn_event *e = &recording->events[i];
		for (unsigned t = 0; t < THREADS; t++)
			along.next[t][i] =
			        e->thread == t && e->kind != NORN_EVENT_EXTERNAL ? (uint16_t)(i + 1) : along.next[t][i + 1];
	}
}

/* The same block is free, or unmapped: a free, or an access, would trap, and that is the error. */
static bool comes_late(const struct state *state, const struct norn_event *e, const struct next *n)
{
	bool free = e->kind == NORN_EVENT_FREE && n->kind == e->kind;
	bool access = e->kind <= NORN_EVENT_RMW && n->kind <= NORN_EVENT_RMW && n->trap;
	return n->exists && (free || access) && n->statement == statement_of_site(e->site) && n->addr == address_now(state, e) &&
	       n->slot >= 0 && state->life[n->slot] == 2;
}

/* What the thread does next, if it is what it did. */
static void next_along(const struct code *code, const struct state *state, unsigned thread, struct next *ret_next)
{
	const struct recording *recording = along.recording;
	if (!recording) {
		state_next(code, state, thread, ret_next);
		return;
	}
	unsigned event = along.next[thread][state->threads[thread].replayed];
	if (!event || !(stands_before(code, state, &recording->events[event - 1], ret_next) ||
	                      comes_late(state, &recording->events[event - 1], ret_next))) {
		*ret_next = (struct next){.exists = false};
		return;
	}
	if (ret_next->choices)
		ret_next->choices = (uint8_t)(1u << choice_now(&recording->events[event - 1], ret_next));
}

/* The thread has done what next_along said. */
static void step_along(struct state *state, unsigned thread, unsigned choice)
{
	if (!along.recording)
		return;
	unsigned event = along.next[thread][state->threads[thread].replayed];
	note_block(state, &along.recording->events[event - 1], choice);
	state->threads[thread].replayed = (uint16_t)event;
}

/* ---- all orders ---- */

static void follow(const struct code *code, const struct state *from, unsigned thread, const struct next *n, unsigned choice,
        struct reachable *r, unsigned max_states)
{
	struct state state = *from, other;
	state_step(code, &state, thread, n, choice);
	step_along(&state, thread, choice);
	if (code->weak && orders_can_choose(&state, n)) {
		other = state;
		orders_choose(code, &other, thread, n);
		push(&other, r, max_states);
	} else if (code->weak) {
		orders_step(code, &state, thread, n);
	}
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
		next_along(code, state, t, &nexts[t]);
		if (nexts[t].exists && nexts[t].quiet) {
			follow(code, state, t, &nexts[t], 0, r, max_states);
			return;
		}
	}
	see(code, state, nexts, r);
	see_stuck(code, state, nexts, r);
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

void explore_along(const struct code *code, const struct recording *recording, unsigned max_states, struct reachable *ret_reachable)
{
	along_set(recording);
	memset(ret_reachable, 0, sizeof(*ret_reachable));
	ret_reachable->complete = true;
	begin_seen();
	struct state start;
	state_start(code, &start);
	push(&start, ret_reachable, max_states);
	while (stack.count) {
		struct state state = stack.states[--stack.count];
		expand(code, &state, ret_reachable, max_states);
	}
}

bool explore_stuck(const struct code *code, const struct state *state, unsigned threads, unsigned max_states)
{
	static struct reachable ignored;
	memset(&ignored, 0, sizeof(ignored));
	along_set(NULL);
	begin_seen();
	push(state, &ignored, max_states);
	bool stuck = true;
	while (stack.count) {
		struct state at = stack.states[--stack.count];
		for (unsigned t = 0; t < THREADS && stuck; t++) {
			struct next n;
			state_next(code, &at, t, &n);
			stuck = !(threads >> t & 1) || !n.exists || !n.enabled;
		}
		if (stuck)
			expand(code, &at, &ignored, max_states);
	}
	return stuck;
}

void explore(const struct code *code, unsigned max_states, struct reachable *ret_reachable)
{
	explore_along(code, NULL, max_states, ret_reachable);
}
