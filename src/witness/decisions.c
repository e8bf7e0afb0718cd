/* Does a read decide the same with another value (V6), what does a write leave then (V7), does an assertion fail, is a pointer null
 * (V9)? Written from docs/prediction.md and trace/facts.h, apart from the searches' evaluation. */
#include "base/must.h"
#include "trace/site.h"
#include "witness/sliced_witness_state.h"

#include <errno.h>

static uint64_t low_bits(uint64_t value, unsigned bits)
{
	return value << (64 - bits) >> (64 - bits);
}

static int64_t with_sign(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static bool compare(const struct norn_test_step *t, uint64_t value)
{
	uint64_t a = low_bits(value, t->bits), b = low_bits(t->constant, t->bits);
	int64_t p = with_sign(value, t->bits), q = with_sign(t->constant, t->bits);
	switch (t->op) {
	case NORN_TEST_EQUAL:
		return a == b;
	case NORN_TEST_BELOW:
		return a < b;
	case NORN_TEST_NOT_ABOVE:
		return a <= b;
	case NORN_TEST_LESS:
		return p < q;
	default:
		return p <= q;
	}
}

/* False: the operation is not known, or its result is not defined. */
static bool evaluate_step(const struct norn_test_step *t, uint64_t *value)
{
	uint64_t a = low_bits(*value, t->bits), c = t->constant;
	bool shift = t->op >= NORN_TEST_SHIFT_LEFT && t->op <= NORN_TEST_SHIFT_SIGNED;
	if (shift && c >= t->bits)
		return false;
	switch (t->op) {
	case NORN_TEST_AND:
		*value = a & c;
		break;
	case NORN_TEST_OR:
		*value = a | c;
		break;
	case NORN_TEST_XOR:
		*value = a ^ c;
		break;
	case NORN_TEST_ADD:
		*value = a + c;
		break;
	case NORN_TEST_MULTIPLY:
		*value = a * c;
		break;
	case NORN_TEST_SHIFT_LEFT:
		*value = a << c;
		break;
	case NORN_TEST_SHIFT_RIGHT:
		*value = a >> c;
		break;
	case NORN_TEST_SHIFT_SIGNED:
		*value = (uint64_t)(with_sign(a, t->bits) >> c);
		break;
	case NORN_TEST_BITS:
		break;
	case NORN_TEST_SIGNED:
		*value = (uint64_t)with_sign(a, t->bits);
		return true;
	default:
		if (t->op > NORN_TEST_NOT_GREATER)
			return false;
		*value = compare(t, *value);
		return true;
	}
	*value = low_bits(*value, t->bits);
	return true;
}

/* Goes through the chain that begins at *at; false: it cannot be evaluated. */
static bool evaluate_chain(const uint32_t **at, const uint32_t *end, uint64_t *value)
{
	uint32_t steps = *at < end ? *(*at)++ : 0;
	bool good = true;
	for (; steps; steps--) {
		if (*at >= end)
			return false;
		struct norn_test_step t = norn_test_step(at, end);
		good = good && t.bits <= 64 && evaluate_step(&t, value);
	}
	return good;
}

static bool same_outcomes(const struct norn_graph_tests *t, uint64_t then, uint64_t now)
{
	const uint32_t *end = t->tests + t->count, *before_end = t->before + t->before_count;
	const uint32_t *a = t->before, *b = t->before;
	if (t->before_count && (!evaluate_chain(&a, before_end, &then) || !evaluate_chain(&b, before_end, &now)))
		return false;
	for (const uint32_t *p = t->tests, *q = t->tests; p < end;) {
		uint64_t x = then, y = now;
		if (!evaluate_chain(&p, end, &x) || !evaluate_chain(&q, end, &y) || x != y)
			return false;
	}
	return true;
}

/* ---- pairs ---- */

/* A quotient, or what is left. */
static bool evaluate_division(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	uint64_t x = low_bits(a, bits), y = low_bits(b, bits);
	int64_t p = with_sign(a, bits), q = with_sign(b, bits);
	if (y == 0)
		return false;
	switch (op) {
	case NORN_STACK_DIVIDE:
		*ret_value = x / y;
		return true;
	case NORN_STACK_REMAINDER:
		*ret_value = x % y;
		return true;
	default:
		if (q == -1 && x == UINT64_C(1) << (bits - 1))
			return false; /* the lowest number */
		*ret_value = low_bits((uint64_t)(op == NORN_STACK_DIVIDE_SIGNED ? p / q : p - p / q * q), bits);
		return true;
	}
}

/* The result of the two on top. */
static bool evaluate_pair(unsigned op, unsigned bits, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	struct norn_test_step t = {op, bits, low_bits(b, bits)};
	bool arithmetic = op <= NORN_TEST_SHIFT_SIGNED, comparison = op >= NORN_TEST_EQUAL && op <= NORN_TEST_NOT_GREATER;
	*ret_value = a;
	if (op == NORN_TEST_STACK) {
		*ret_value = low_bits(a - b, bits);
		return true;
	}
	if (op >= NORN_STACK_DIVIDE && op <= NORN_STACK_REMAINDER_SIGNED)
		return evaluate_division(op, bits, a, b, ret_value);
	return (arithmetic || comparison) && evaluate_step(&t, ret_value);
}

/* ---- stores, evaluated again ---- */

#define NODES_MAX 256u

/* Of the reads that the node stands for: the latest at this site, and whether another one saw something else. In doubt: it did. */
static uint32_t find_source(const struct norn_replay_state *s, uint32_t node, uint32_t site, bool *ret_others)
{
	struct norn_numbers nodes = {0};
	uint32_t source = 0, looked = 0, a, b;
	norn_must_push(&nodes, node);
	*ret_others = false;
	for (int pass = 0; pass < 2; pass++) {
		nodes.count = 0;
		norn_must_push(&nodes, node);
		while (nodes.count && looked < NODES_MAX) {
			looked++;
			switch (norn_graph_node(s->graph, nodes.items[--nodes.count], &a, &b)) {
			case NORN_NODE_READ:
				if (pass == 0 && a > source && norn_graph_event(s->graph, a)->site == site)
					source = a;
				*ret_others |= pass && a != source && norn_replay_state_doubtful_read(s, a);
				break;
			case NORN_NODE_UNION:
				norn_must_push(&nodes, a);
				norn_must_push(&nodes, b);
				break;
			case NORN_NODE_BEFORE:
				*ret_others = true;
				break;
			default:
				break;
			}
		}
	}
	*ret_others |= looked >= NODES_MAX;
	norn_vector_done(&nodes);
	return source;
}

/* The value that a chain makes of this one, as a write of so many bytes leaves it. */
static bool evaluate_store(const struct norn_graph_chain *chain, uint64_t value, uint32_t size, uint64_t *ret_value)
{
	const uint32_t *at = chain->items, *end = at + chain->count;
	for (uint32_t steps = at < end ? *at++ : 0; steps; steps--) {
		if (at >= end)
			return false;
		struct norn_test_step t = norn_test_step(&at, end);
		bool pair = t.op == NORN_TEST_STACK && chain->operand_site;
		if (t.bits > 64 || !(pair ? evaluate_pair((unsigned)t.constant, t.bits, value, chain->operand, &value)
		                          : evaluate_step(&t, &value)))
			return false;
	}
	*ret_value = low_bits(value, size * 8);
	return true;
}

bool norn_replay_state_made(const struct norn_replay_state *s, uint32_t write, uint64_t *ret_value)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, write);
	struct norn_graph_chain chain;
	uint64_t then, now, explained;
	if (!norn_graph_makes_of_two(s->graph, write, &chain))
		return false;
	bool others;
	uint32_t source = find_source(s, e->other, e->kind == NORN_EVENT_RMW ? 0 : chain.site, &others);
	if (e->kind == NORN_EVENT_RMW)
		source = write;
	/* The chain must explain what was recorded. */
	if (others || !source || !norn_graph_value_read(s->graph, source, &then) || !norn_replay_state_read(s, source, &now) ||
	        !evaluate_store(&chain, then, e->size, &explained) || explained != e->value)
		return false;
	return evaluate_store(&chain, now, e->size, ret_value) &&
	       norn_graph_exact(s->graph, s->placed, UINT32_MAX, e->size, *ret_value);
}

bool norn_replay_state_decides_same(const struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, read);
	struct norn_graph_tests tests;
	uint64_t now;
	unsigned needed = NORN_GRAPH_TESTED | NORN_GRAPH_VALUED;
	if (e->kind != NORN_EVENT_READ || (e->flags & needed) != needed || !norn_replay_state_value(s, read, &now))
		return false;
	uint32_t i = 0;
	for (; norn_graph_tests(s->graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, now))
			return false;
	return i > 0;
}

/* The outcome of the only test of a read with masks. */
static bool evaluate_only(const struct norn_graph_tests *t, uint64_t value, uint64_t *ret_outcome)
{
	const uint32_t *at = t->tests, *end = t->tests + t->count;
	*ret_outcome = value;
	return !t->before_count && evaluate_chain(&at, end, ret_outcome) && at == end;
}

bool norn_replay_state_skips(const struct norn_replay_state *s, uint32_t read)
{
	struct norn_graph_tests tests, more;
	uint64_t now, outcome, recorded;
	unsigned skipping;
	return norn_graph_skip_outcome(s->graph, read, &skipping) && norn_graph_tests(s->graph, read, 0, &tests) &&
	       !norn_graph_tests(s->graph, read, 1, &more) && norn_replay_state_read(s, read, &now) &&
	       evaluate_only(&tests, now, &outcome) && outcome == skipping &&
	       evaluate_only(&tests, norn_graph_event(s->graph, read)->value, &recorded) && recorded != skipping;
}

bool norn_replay_state_loosely_same(const struct norn_replay_state *s, uint32_t read, uint32_t at)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, read);
	struct norn_graph_tests tests;
	uint64_t now;
	unsigned needed = NORN_GRAPH_LOOSE | NORN_GRAPH_VALUED;
	if (e->kind == NORN_EVENT_READ && norn_graph_free_until(s->graph, read, at) && norn_replay_state_value(s, read, &now))
		return true;
	if (e->kind != NORN_EVENT_READ || (e->flags & needed) != needed || !norn_replay_state_value(s, read, &now))
		return false;
	for (uint32_t i = 0; norn_graph_loose_tests(s->graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, now))
			return false;
	return true;
}

/* ---- pointers ---- */

bool norn_replay_state_pointer_same(const struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, read);
	struct norn_graph_tests tests;
	uint64_t now;
	unsigned needed = NORN_GRAPH_POINTER | NORN_GRAPH_VALUED;
	if (e->kind != NORN_EVENT_READ || (e->flags & needed) != needed || !norn_replay_state_value(s, read, &now))
		return false;
	for (uint32_t i = 0; norn_graph_tests(s->graph, read, i, &tests); i++)
		if (!same_outcomes(&tests, e->value, now))
			return false;
	return true;
}

/* Is it a call of a function that a pointer says? */
static bool is_by_pointer(const struct norn_sliced_checker *c, uint32_t site)
{
	struct norn_graph_site call;
	norn_graph_site(c->graph, site, &call);
	return call.kind == NORN_SITE_CALL && call.indirect;
}

int norn_sliced_check_null(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	uint32_t read = claim->first, stop = claim->stops[0];
	uint64_t value = 1;
	if (claim->stop_count != 1 || !read || read >= stop || norn_graph_dereferenced(c->graph, stop) != read)
		NO("event %u is not the first access by what %u read", stop, read);
	const struct norn_graph_event *r = event_of(c, read), *e = event_of(c, stop);
	if (r->thread != e->thread || r->kind != NORN_EVENT_READ || r->size != 8 || !happened(s, read))
		NO("event %u has not read the pointer of %u", read, stop);
	if (!norn_replay_state_doubtful_read(s, read) || !norn_replay_state_read(s, read, &value) || value != 0)
		NO("event %u does not read null", read);
	bool enters = e->kind == NORN_EVENT_ENTER && is_by_pointer(c, e->link);
	if (!enters && (e->addr < r->value || e->addr - r->value >= NORN_NULL_PAGE))
		NO("event %u is not by what %u read", stop, read);
	return 0;
}

/* ---- assertions ---- */

/* A step without a source: how many values it takes off the stack is told by what it does. */
static bool evaluate_stack(unsigned op, unsigned bits, uint64_t *stack, uint32_t *depth)
{
	uint32_t n = *depth;
	switch (op) {
	case NORN_STACK_ZERO:
		if (n == NORN_ASSERT_STACK)
			return false;
		stack[n] = 0;
		*depth = n + 1;
		return true;
	case NORN_STACK_SELECT:
		if (n < 3)
			return false;
		if (stack[n - 3] % 2 == 0)
			stack[n - 2] = stack[n - 1];
		stack[n - 3] = stack[n - 2];
		*depth = n - 2;
		return true;
	default:
		if (n < 2 || !evaluate_pair(op, bits, stack[n - 2], stack[n - 1], &stack[n - 2]))
			return false;
		*depth = n - 1;
		return true;
	}
}

static bool evaluate_expression(const struct norn_graph_assertion *a, const uint64_t *values, bool *ret_condition)
{
	uint64_t stack[NORN_ASSERT_STACK];
	uint32_t depth = 0;
	const uint32_t *at = a->items, *end = a->items + a->item_count;
	while (at < end) {
		struct norn_test_step t = norn_test_step(&at, end);
		if (t.bits > 64)
			return false;
		if (t.op != NORN_TEST_STACK) {
			if (!depth || !evaluate_step(&t, &stack[depth - 1]))
				return false;
		} else if (t.constant % 2) {
			if (t.constant / 2 > NORN_STACK_SELECT ||
			        !evaluate_stack((unsigned)(t.constant / 2), t.bits, stack, &depth))
				return false;
		} else {
			if (depth == NORN_ASSERT_STACK || t.constant / 2 >= a->count)
				return false;
			stack[depth++] = low_bits(values[t.constant / 2], t.bits);
		}
	}
	*ret_condition = depth && stack[0] & 1;
	return depth == 1;
}

/* The value of the expression's source; next: its read has not happened, and comes next. */
static bool source_value(
        const struct norn_replay_state *s, const struct norn_graph_assertion *a, uint32_t i, uint32_t next, uint64_t *ret_value)
{
	uint32_t read = a->reads[i];
	if (read == next) {
		if (!norn_replay_state_value(s, read, ret_value))
			return false;
	} else if (!norn_replay_state_happened(s, read)) {
		return false;
	} else if (norn_replay_state_doubtful_read(s, read)) {
		if (!norn_replay_state_read(s, read, ret_value))
			return false;
	} else if (!norn_graph_value_read(s->graph, read, ret_value)) {
		return false;
	}
	const uint32_t *at = a->results[i].items;
	return !at || evaluate_chain(&at, at + a->results[i].count, ret_value);
}

static bool evaluate_assertion(
        const struct norn_replay_state *s, const struct norn_graph_assertion *a, uint32_t next, bool *ret_fails)
{
	uint64_t values[NORN_ASSERT_SOURCES];
	bool condition;
	for (uint32_t i = 0; i < a->count; i++)
		if (!a->known || !source_value(s, a, i, next, &values[i]))
			return false;
	if (!evaluate_expression(a, values, &condition))
		return false;
	*ret_fails = condition == a->fails_if;
	return true;
}

bool norn_sliced_passes(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t event)
{
	uint32_t count;
	const struct norn_graph_assertion *a = norn_graph_assertions_after(c->graph, event, &count);
	for (uint32_t k = 0; k < count; k++) {
		bool doubtful = false, fails = true;
		for (uint32_t i = 0; i < a[k].count; i++)
			doubtful |= a[k].reads[i] && norn_replay_state_doubtful_read(s, a[k].reads[i]);
		if (doubtful && (!evaluate_assertion(s, &a[k], 0, &fails) || fails))
			return false;
	}
	return true;
}

int norn_sliced_check_assertion(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	uint32_t count, after = claim->first, stop = claim->stops[0];
	const struct norn_graph_assertion *a = norn_graph_assertions_after(c->graph, after, &count);
	bool next = stop == after, fails = false;
	if (claim->stop_count != 1 || (!next && event_of(c, after)->next != stop))
		NO("event %u is not where an assertion after %u is decided", stop, after);
	if (!next && !happened(s, after))
		NO("event %u has not happened", after);
	if (next && norn_sliced_check_life(c, s, stop, err) < 0)
		return -EINVAL;
	for (uint32_t k = 0; k < count && !fails; k++) {
		if (!evaluate_assertion(s, &a[k], next ? stop : 0, &fails))
			NO("an assertion after event %u cannot be evaluated", after);
		if (fails && (a[k].branch || a[k].site != claim->site))
			NO("another assertion after event %u fails", after);
	}
	if (!fails)
		NO("no assertion after event %u fails", after);
	return 0;
}
