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

static bool divide(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	bool is_signed = op == NORN_STACK_DIVIDE_SIGNED || op == NORN_STACK_REMAINDER_SIGNED;
	bool quotient = op == NORN_STACK_DIVIDE || op == NORN_STACK_DIVIDE_SIGNED;
	int64_t p = signed_value(a, bits), q = signed_value(b, bits), lowest = signed_value(UINT64_C(1) << (bits - 1), bits);
	a = masked(a, bits);
	b = masked(b, bits);
	if (b == 0 || (is_signed && q == -1 && p == lowest))
		return false;
	if (is_signed)
		*ret_value = masked((uint64_t)(quotient ? p / q : p % q), bits);
	else
		*ret_value = quotient ? a / b : a % b;
	return true;
}

static bool apply(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	bool shift = op >= NORN_TEST_SHIFT_LEFT && op <= NORN_TEST_SHIFT_SIGNED;
	b = masked(b, bits);
	if (op >= NORN_STACK_DIVIDE && op <= NORN_STACK_REMAINDER_SIGNED)
		return divide(op, bits, a, b, ret_value);
	if (op == NORN_TEST_STACK)
		*ret_value = masked(a - b, bits);
	else if (op <= NORN_TEST_SHIFT_SIGNED || (op >= NORN_TEST_EQUAL && op <= NORN_TEST_NOT_GREATER))
		*ret_value = step(op, bits, a, b);
	else
		return false;
	return !shift || b < bits; /* a shift by as many bits, or more, is undefined */
}

/* Applies the chain at *items, and advances *items past it. */
static uint64_t follow_with(const uint32_t **items, const uint32_t *end, uint64_t value, uint64_t operand)
{
	for (uint32_t steps = *items < end ? *(*items)++ : 0; steps && *items < end; steps--) {
		struct norn_test_step s = norn_test_step(items, end);
		if (s.op != NORN_TEST_STACK)
			value = step(s.op, s.bits, value, s.constant);
		else if (!apply((unsigned)s.constant, s.bits, value, operand, &value))
			value = 0;
	}
	return value;
}

static uint64_t follow(const uint32_t **items, const uint32_t *end, uint64_t value)
{
	return follow_with(items, end, value, 0);
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

/* All tests of the read; loose: those that are neither assertions nor branches told as such. */
static bool all_same(const struct norn_graph *graph, uint32_t read, bool loose, uint64_t then, uint64_t now)
{
	struct norn_graph_tests tests;
	for (uint32_t i = 0; (loose ? norn_graph_loose_tests : norn_graph_tests)(graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, then, now))
			return false;
	return true;
}

bool norn_graph_outcomes_same(const struct norn_graph *graph, uint32_t read, uint64_t a, uint64_t b)
{
	return all_same(graph, read, !(graph->events[read].flags & NORN_GRAPH_TESTED), a, b);
}

bool norn_graph_decides_same(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = graph->events + read;
	return e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_TESTED && e->flags & NORN_GRAPH_VALUED &&
	       all_same(graph, read, false, e->value, value);
}

bool norn_graph_skips(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	struct norn_graph_tests tests;
	unsigned outcome;
	if (!norn_graph_skip_outcome(graph, read, &outcome) || norn_graph_tests(graph, read, 1, &tests) ||
	        !norn_graph_tests(graph, read, 0, &tests))
		return false;
	const uint32_t *now = tests.tests, *then = tests.tests, *end = tests.tests + tests.count;
	return follow(&now, end, value) == outcome && follow(&then, end, graph->events[read].value) != outcome;
}

bool norn_graph_pointer_same(const struct norn_graph *graph, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = graph->events + read;
	return e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_POINTER && all_same(graph, read, false, e->value, value);
}

bool norn_graph_free_until(const struct norn_graph *graph, uint32_t read, uint32_t at)
{
	return at && at <= norn_value_flow_free_until(graph->flow, read) && graph->events[read].thread == graph->events[at].thread;
}

bool norn_graph_loose_same(const struct norn_graph *graph, uint32_t read, uint64_t value, uint32_t at)
{
	const struct norn_graph_event *e = graph->events + read;
	return norn_graph_free_until(graph, read, at) ||
	       (e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_LOOSE && all_same(graph, read, true, e->value, value));
}

uint64_t norn_graph_follow(const struct norn_graph_chain *chain, uint64_t value)
{
	const uint32_t *items = chain->items;
	return follow_with(&items, chain->items + chain->count, value, chain->operand);
}

/* ---- expressions ---- */

/* One of the steps that take values off the stack, or push 0. */
static bool take(unsigned op, unsigned bits, uint64_t *stack, unsigned *top)
{
	if (op == NORN_STACK_ZERO) {
		if (*top == NORN_ASSERT_STACK)
			return false;
		stack[(*top)++] = 0;
		return true;
	}
	if (op == NORN_STACK_SELECT) {
		if (*top < 3)
			return false;
		stack[*top - 3] = stack[*top - 3] & 1 ? stack[*top - 2] : stack[*top - 1];
		*top -= 2;
		return true;
	}
	if (*top < 2 || !apply(op, bits, stack[*top - 2], stack[*top - 1], &stack[*top - 2]))
		return false;
	--*top;
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
			if (which > NORN_STACK_SELECT || !take((unsigned)which, s.bits, stack, &top))
				return false;
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
