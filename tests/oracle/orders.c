#include "orders.h"

#include "trace/record.h"
#include "trace/site.h"

enum { C11, STRONG };

static bool is_ordered_access(const struct next *n)
{
	return n->exists && !n->trap && n->kind >= NORN_EVENT_READ && n->kind <= NORN_EVENT_RMW && n->slot < 0 && n->size <= 2;
}

static unsigned variable_of(const struct next *n)
{
	return (unsigned)(n->addr - ADDRESS_MEMORY) / 8;
}

static unsigned bytes_of(const struct next *n)
{
	return (n->size == 2 ? 3u : 1u) << (n->addr & 7);
}

unsigned orders_failure(unsigned order)
{
	return order == NORN_ORDER_RELEASE ? NORN_ORDER_RELAXED : order == NORN_ORDER_ACQ_REL ? NORN_ORDER_ACQUIRE : order;
}

static unsigned order_of(const struct code *code, const struct next *n)
{
	bool failed = code->program->statements[n->statement].kind == S_CAS && n->kind == NORN_EVENT_READ;
	return failed ? orders_failure(n->order) : n->order;
}

static bool acquires(unsigned order)
{
	return order == NORN_ORDER_ACQUIRE || order == NORN_ORDER_ACQ_REL || order == NORN_ORDER_SEQ_CST;
}

static bool releases(unsigned order)
{
	return order == NORN_ORDER_RELEASE || order == NORN_ORDER_ACQ_REL || order == NORN_ORDER_SEQ_CST;
}

/* Does what is read belong to a sequence whose head comes after? */
static bool reads_from_after(const struct state *state, const struct next *n, unsigned order)
{
	const uint8_t *heads = state->heads[order][variable_of(n)];
	return n->kind != NORN_EVENT_WRITE && ((bytes_of(n) & 1 && heads[0]) || (bytes_of(n) & 2 && heads[1]));
}

static void step_atomic(const struct code *code, struct state *state, unsigned bit, const struct next *n)
{
	unsigned order = order_of(code, n);
	if (reads_from_after(state, n, STRONG))
		state->after[STRONG] |= bit;
	if (reads_from_after(state, n, C11) && acquires(order))
		state->after[C11] |= bit;
	else if (reads_from_after(state, n, C11))
		state->seen |= bit;
	bool head[] = {
	        [C11] = (releases(order) && state->after[C11] & bit) || state->fenced & bit, [STRONG] = state->after[STRONG] & bit};
	for (unsigned o = C11; o <= STRONG; o++)
		for (unsigned b = 0; b < 2; b++) {
			uint8_t *heads = &state->heads[o][variable_of(n)][b];
			if (!(bytes_of(n) >> b & 1) || n->kind == NORN_EVENT_READ)
				continue;
			if (n->kind == NORN_EVENT_WRITE)
				*heads &= (uint8_t)bit;
			*heads |= head[o] ? (uint8_t)bit : 0;
		}
}

static void step_lock(struct state *state, unsigned bit, const struct next *n)
{
	unsigned lock = 1u << (n->addr - ADDRESS_LOCKS) / 64;
	for (unsigned o = C11; o <= STRONG; o++) {
		if (n->op == NORN_SYNC_ACQUIRE && state->released[o] & lock)
			state->after[o] |= (uint8_t)bit;
		if (n->op == NORN_SYNC_RELEASE && state->after[o] & bit)
			state->released[o] |= (uint8_t)lock;
	}
}

static void step_thread(struct state *state, unsigned bit, const struct next *n)
{
	for (unsigned o = C11; o <= STRONG; o++) {
		if (n->op == NORN_THREAD_FORK && state->after[o] & bit)
			state->after[o] |= (uint8_t)(1u << n->value);
		if (n->op == NORN_THREAD_JOIN && state->after[o] >> n->value & 1)
			state->after[o] |= (uint8_t)bit;
	}
	if (n->op != NORN_THREAD_FENCE)
		return;
	if (acquires(n->order) && state->seen & bit)
		state->after[C11] |= (uint8_t)bit;
	if (releases(n->order))
		state->fenced = (uint8_t)((state->fenced & ~bit) | (state->after[C11] & bit));
}

void orders_step(const struct code *code, struct state *state, unsigned thread, const struct next *n)
{
	if (!state->chosen_thread)
		return;
	if (n->kind == NORN_EVENT_SYNC)
		step_lock(state, 1u << thread, n);
	else if (n->kind == NORN_EVENT_THREAD)
		step_thread(state, 1u << thread, n);
	else if (is_ordered_access(n) && n->atomic)
		step_atomic(code, state, 1u << thread, n);
}

bool orders_can_choose(const struct state *state, const struct next *access)
{
	return !state->chosen_thread && is_ordered_access(access);
}

void orders_choose(const struct code *code, struct state *state, unsigned thread, const struct next *n)
{
	state->chosen_thread = (uint8_t)(thread + 1);
	state->chosen_statement = n->statement;
	state->chosen_variable = (uint8_t)variable_of(n);
	state->chosen_bytes = (uint8_t)bytes_of(n);
	state->chosen_write = n->write;
	state->chosen_atomic = n->atomic;
	state->after[C11] = state->after[STRONG] = (uint8_t)(1u << thread);
	orders_step(code, state, thread, n);
}

bool orders_unordered(const struct code *code, const struct state *state, unsigned thread, const struct next *n)
{
	if (!state->chosen_thread || state->chosen_thread == thread + 1 || !is_ordered_access(n) ||
	        variable_of(n) != state->chosen_variable || !(bytes_of(n) & state->chosen_bytes) ||
	        !(n->write || state->chosen_write) || (n->atomic && state->chosen_atomic))
		return false;
	bool acquired = n->atomic && acquires(order_of(code, n)) && reads_from_after(state, n, C11);
	return !acquired && !(state->after[C11] >> thread & 1);
}

bool orders_race(const struct code *code, const struct state *state, unsigned thread, const struct next *n)
{
	return orders_unordered(code, state, thread, n) &&
	       (state->after[STRONG] >> thread & 1 || (n->atomic && reads_from_after(state, n, STRONG)));
}
