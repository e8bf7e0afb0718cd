/* Tests (V6, V8): what a read decides by branches whose conditions are simple, evaluated for another value. See facts.h. */
#include "causality/graph_state.h"

static uint64_t masked(uint64_t value, unsigned bits)
{
	return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t signed_value(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);
	return (int64_t)((masked(value, bits) ^ sign) - sign);
}

static uint64_t step(unsigned op, unsigned bits, uint64_t v, uint64_t c)
{
	v = op == NORN_TEST_SIGNED ? v : masked(v, bits);
	switch (op) {
	case NORN_TEST_AND:
		return v & c;
	case NORN_TEST_OR:
		return masked(v | c, bits);
	case NORN_TEST_XOR:
		return masked(v ^ c, bits);
	case NORN_TEST_ADD:
		return masked(v + c, bits);
	case NORN_TEST_MULTIPLY:
		return masked(v * c, bits);
	case NORN_TEST_SHIFT_LEFT:
		return c < bits ? masked(v << c, bits) : 0;
	case NORN_TEST_SHIFT_RIGHT:
		return c < bits ? v >> c : 0;
	case NORN_TEST_SHIFT_SIGNED:
		return masked((uint64_t)(signed_value(v, bits) >> (c < bits ? c : bits - 1)), bits);
	case NORN_TEST_SIGNED:
		return (uint64_t)signed_value(v, bits);
	case NORN_TEST_EQUAL:
		return v == masked(c, bits);
	case NORN_TEST_BELOW:
		return v < masked(c, bits);
	case NORN_TEST_NOT_ABOVE:
		return v <= masked(c, bits);
	case NORN_TEST_LESS:
		return signed_value(v, bits) < signed_value(c, bits);
	case NORN_TEST_NOT_GREATER:
		return signed_value(v, bits) <= signed_value(c, bits);
	default: /* NORN_TEST_BITS */
		return v;
	}
}

/* Applies the chain at *items, and leaves that behind it. */
static uint64_t follow(const uint32_t **items, const uint32_t *end, uint64_t value)
{
	for (uint32_t steps = *items < end ? *(*items)++ : 0; steps && *items < end; steps--) {
		struct norn_test_step s = norn_test_step(items, end);
		value = step(s.op, s.bits, value, s.constant);
	}
	return value;
}

/* Do these come out for the one value as for the other? */
static bool same_outcomes(const struct norn_graph_tests *tests, uint64_t then, uint64_t now)
{
	const uint32_t *before = tests->before, *end = tests->tests + tests->count;
	uint64_t old = follow(&before, tests->before + tests->before_count, then);
	before = tests->before;
	uint64_t new = follow(&before, tests->before + tests->before_count, now);
	for (const uint32_t *at = tests->tests, *again; at < end;) {
		again = at;
		uint64_t outcome = follow(&again, end, old);
		if (follow(&at, end, new) != outcome)
			return false;
	}
	return true;
}

bool norn_graph_decides_same(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = graph->events + read;
	struct norn_graph_tests tests;
	if (!(e->flags & NORN_GRAPH_TESTED) || !(e->flags & NORN_GRAPH_VALUED) || e->kind != NORN_EVENT_READ)
		return false;
	for (uint32_t i = 0; norn_graph_tests(graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, value))
			return false;
	return true;
}

bool norn_graph_pointer_same(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = graph->events + read;
	struct norn_graph_tests tests;
	if (e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_POINTER))
		return false;
	for (uint32_t i = 0; norn_graph_tests(graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, value))
			return false;
	return true;
}

bool norn_graph_loose_same(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = graph->events + read;
	struct norn_graph_tests tests;
	if (!(e->flags & NORN_GRAPH_LOOSE) || e->kind != NORN_EVENT_READ)
		return false;
	for (uint32_t i = 0; norn_graph_loose_tests(graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, value))
			return false;
	return true;
}

uint64_t norn_graph_follow(const struct norn_graph_chain *chain, uint64_t value)
{
	const uint32_t *items = chain->items;
	return follow(&items, chain->items + chain->count, value);
}

/* ---- expressions ---- */

static bool apply(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	if (op == NORN_TEST_STACK)
		*ret_value = masked(a - b, bits);
	else if (op <= NORN_TEST_MULTIPLY || (op >= NORN_TEST_EQUAL && op <= NORN_TEST_NOT_GREATER))
		*ret_value = step(op, bits, a, b);
	else
		return false;
	return true;
}

bool norn_graph_assertion_value(const struct norn_graph_assertion *a, const uint64_t *values, uint64_t *ret_value)
{
	uint64_t stack[NORN_ASSERT_STACK];
	unsigned top = 0;
	for (const uint32_t *at = a->items, *end = at + a->item_count; at < end;) {
		struct norn_test_step s = norn_test_step(&at, end);
		uint64_t which = s.constant >> 1;
		if (s.op != NORN_TEST_STACK) {
			if (top == 0)
				return false;
			stack[top - 1] = step(s.op, s.bits, stack[top - 1], s.constant);
		} else if (s.constant & 1) {
			if (top < 2 || !apply((unsigned)which, s.bits, stack[top - 2], stack[top - 1], &stack[top - 2]))
				return false;
			top--;
		} else {
			if (top == NORN_ASSERT_STACK || which >= a->count)
				return false;
			const struct norn_graph_chain *result = a->results + which;
			uint64_t value = result->items ? norn_graph_follow(result, values[which]) : values[which];
			stack[top++] = masked(value, s.bits);
		}
	}
	*ret_value = top ? stack[0] & 1 : 0;
	return top == 1;
}
