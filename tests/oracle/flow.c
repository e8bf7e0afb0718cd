#include "flow.h"
#include "orders.h"

#include <string.h>

#include "machine.h"

#define WORDS 3
_Static_assert(BODIES + STATEMENTS <= 64 * WORDS, "sites fit");

/* Sources of a value; sites by index in the table. */
struct set {
	uint64_t latest[WORDS], all[WORDS];
	uint8_t parameters;
};

struct environment {
	struct set locals[LOCALS];
	uint8_t origin
	        [LOCALS]; /* the statement whose value, a read or the result of a call, the local is; 0: it is something else */
	uint8_t constant[LOCALS]; /* 1 + the value that the local always has here; 0: not known */
};

#define TESTS_MAX 32
#define ASSERT_MAX 40

struct walker {
	const struct program *program;
	unsigned without;
	struct set pending; /* what decided that this point is reached, of early returns and breaks */
	struct set result;
	struct environment *breaks; /* of the innermost loop */
	bool decides[BODIES + STATEMENTS];
	uint8_t deciding_parameters;
	struct set value[STATEMENTS], argument[STATEMENTS][2], control[STATEMENTS];
	struct set address[STATEMENTS]; /* of blocks */
	bool number[STATEMENTS]; /* the result of a malloc that is used otherwise than as an address */
	bool masked[STATEMENTS], untested[STATEMENTS]; /* by a branch with masks; by one that its tests do not tell */
	bool tested[STATEMENTS]; /* by a branch without masks */
	bool result_other; /* the result is not one read */
	uint8_t result_origin; /* that read */
	uint32_t tests[STATEMENTS][TESTS_MAX], test_count[STATEMENTS]; /* items */
	uint32_t makes[STATEMENTS][16], make_count[STATEMENTS]; /* items */
	uint32_t masks[STATEMENTS]; /* two bits per variable: its bytes */
	unsigned branches[STATEMENTS]; /* that depend on it, and decide by tests or masks */
	uint8_t skips
	        [STATEMENTS]; /* 1 + the outcome of its test for which nothing happens in a branch's arms (V11); 0: there is none */
	bool weak; /* facts are left out: then assertions are branches */
	bool asserted[STATEMENTS]; /* a read, or call, that an assertion is about */
	bool together[STATEMENTS]; /* and another one: their tests cannot tell */
	uint32_t assert_tests[STATEMENTS][TESTS_MAX], assert_test_count[STATEMENTS]; /* items: by assertions about it alone */
	uint8_t assert_after[STATEMENTS]; /* of an assertion: the statement whose event it comes right after; 0: it is a branch */
	uint8_t asked[STATEMENTS][2]; /* the statements whose values it is about */
	uint32_t asserts[STATEMENTS][ASSERT_MAX], assert_count[STATEMENTS]; /* items */
};

/* What may happen in some place, taken or not. */
struct effect {
	bool hard, accesses;
	uint32_t writes; /* as masks */
};

static bool has(const struct walker *w, unsigned rule)
{
	return !(w->without & rule);
}

static void add(struct set *set, const struct set *more)
{
	for (unsigned i = 0; i < WORDS; i++) {
		set->latest[i] |= more->latest[i];
		set->all[i] |= more->all[i];
	}
	set->parameters |= more->parameters;
}

static void add_all(const struct walker *w, struct set *set, const struct set *more)
{
	for (unsigned i = 0; i < WORDS; i++) {
		set->all[i] |= more->all[i] | (has(w, FLOW_ALL) ? more->latest[i] : 0);
		set->latest[i] |= has(w, FLOW_ALL) ? 0 : more->latest[i];
	}
	set->parameters |= more->parameters;
}

static void add_site(struct set *set, unsigned statement)
{
	set->latest[(BODIES + statement) / 64] |= 1ull << (BODIES + statement) % 64;
}

static struct set sources(const struct environment *env, const struct expression *e)
{
	struct set set = {.parameters = 0};
	if (e->op != E_CONST)
		add(&set, &env->locals[e->a]);
	if (e->op > E_LOCAL && e->op != E_NOT && e->b >= 0)
		add(&set, &env->locals[e->b]);
	return set;
}

static void use_number(struct walker *w, const struct set *set)
{
	for (unsigned i = BODIES; i < BODIES + STATEMENTS; i++)
		w->number[i - BODIES] |= (set->latest[i / 64] | set->all[i / 64]) >> i % 64 & 1;
}

static void decide(struct walker *w, const struct set *set)
{
	for (unsigned i = 0; i < BODIES + STATEMENTS; i++)
		w->decides[i] |= (set->latest[i / 64] | set->all[i / 64]) >> i % 64 & 1;
	w->deciding_parameters |= set->parameters;
}

static void decide_expression(struct walker *w, const struct environment *env, const struct expression *e)
{
	struct set set = sources(env, e);
	decide(w, &set);
	use_number(w, &set);
}

/* A pointer, if it is just that. */
static void decide_address(struct walker *w, const struct environment *env, const struct expression *e, unsigned statement)
{
	struct set set = sources(env, e);
	decide(w, &set);
	if (e->op == E_LOCAL)
		add(&w->address[statement], &set);
	else
		use_number(w, &set);
}

/* What may happen in a list, taken or not. */

static bool hard(const struct walker *w, const struct statement *s)
{
	switch (s->kind) {
	case S_LOCAL:
	case S_BREAK:
	case S_RETURN:
	case S_IF:
	case S_FOR:
		return false;
	case S_DIV:
		return has(w, FLOW_TRAP);
	case S_EXIT:
	case S_ASSERT:
		return has(w, FLOW_EXIT);
	case S_WHILE:
		return has(w, FLOW_LOOP);
	case S_CALL:
		return has(w, FLOW_CALL);
	case S_READ:
	case S_WRITE:
		return s->place.kind != PLACE_SCALAR && has(w, FLOW_ACCESS);
	case S_ADD:
	case S_XCHG:
	case S_CAS:
	case S_COPY:
	case S_SET:
		return has(w, FLOW_ACCESS);
	default:
		return has(w, FLOW_SYNC);
	}
}

static uint32_t bytes_of(const struct place *place)
{
	uint32_t part = place->part == PART_LOW ? 1 : place->part == PART_HIGH ? 2 : 3;
	return part << 2 * place->variable;
}

static void join_effect(struct effect *effect, struct effect more)
{
	effect->hard |= more.hard;
	effect->accesses |= more.accesses;
	effect->writes |= more.writes;
}

static struct effect effects(const struct walker *w, uint8_t first)
{
	struct effect effect = {0};
	for (uint8_t i = first; i; i = w->program->statements[i].next) {
		const struct statement *s = &w->program->statements[i];
		bool access = (s->kind == S_READ || s->kind == S_WRITE) && s->place.kind == PLACE_SCALAR && has(w, FLOW_ACCESS);
		effect.hard |= hard(w, s);
		effect.accesses |= access;
		effect.writes |= access && s->kind == S_WRITE ? bytes_of(&s->place) : 0;
		join_effect(&effect, effects(w, s->body));
		join_effect(&effect, effects(w, s->other));
	}
	return effect;
}

/* This is what a branch may do that the set decides on. */
static void decide_about(struct walker *w, const struct set *set, struct effect effect, bool tested)
{
	use_number(w, set);
	if (effect.hard)
		decide(w, set);
	if (effect.hard || !effect.accesses)
		return;
	w->deciding_parameters |= set->parameters;
	for (unsigned i = 0; i < BODIES + STATEMENTS; i++) {
		if (!((set->latest[i / 64] | set->all[i / 64]) >> i % 64 & 1))
			continue;
		unsigned statement = i - BODIES, kind = i < BODIES ? S_NONE : w->program->statements[statement].kind;
		if (kind != S_READ && kind != S_WHILE && kind != S_ADD && kind != S_XCHG) {
			w->decides[i] |= !tested || !w->test_count[statement];
			continue;
		}
		w->masked[statement] = true;
		w->branches[statement]++;
		w->untested[statement] |= !tested;
		w->masks[statement] |= has(w, FLOW_MASK) ? effect.writes : 0;
	}
}

static bool jumps(const struct walker *w, uint8_t first)
{
	for (uint8_t i = first; i; i = w->program->statements[i].next) {
		const struct statement *s = &w->program->statements[i];
		if (s->kind == S_BREAK || s->kind == S_RETURN || jumps(w, s->body) || jumps(w, s->other))
			return true;
	}
	return false;
}

static unsigned assigned(const struct walker *w, uint8_t first)
{
	unsigned locals = 0;
	for (uint8_t i = first; i; i = w->program->statements[i].next) {
		const struct statement *s = &w->program->statements[i];
		locals |= s->dst >= 0 ? 1u << s->dst : 0;
		locals |= assigned(w, s->body) | assigned(w, s->other);
	}
	return locals;
}

static void assign(struct walker *w, struct environment *env, int dst, struct set set, const struct set *control)
{
	if (dst < 0)
		return;
	if (has(w, FLOW_PHI)) {
		add(&set, control);
		add(&set, &w->pending);
	}
	env->locals[dst] = set;
	env->origin[dst] = 0;
	env->constant[dst] = 0;
}

static void join(struct environment *env, const struct environment *other)
{
	for (unsigned l = 0; l < LOCALS; l++) {
		add(&env->locals[l], &other->locals[l]);
		if (env->origin[l] != other->origin[l])
			env->origin[l] = 0;
		if (env->constant[l] != other->constant[l])
			env->constant[l] = 0;
	}
}

static void choose(const struct walker *w, struct environment *env, unsigned locals, const struct set *control)
{
	for (unsigned l = 0; l < LOCALS && has(w, FLOW_PHI); l++)
		if (locals >> l & 1)
			add(&env->locals[l], control);
}

/* Steps of a chain (trace/facts.h). */
static unsigned test_step(uint32_t *items, unsigned op, int constant)
{
	items[0] = op | 3u << 4;
	items[1] = constant < 0 ? (uint32_t)(-2 * constant - 1) : (uint32_t)(2 * constant);
	return 2;
}

/* An expression of which a local that is constant is no part; reversed: c op a. */
struct simple {
	struct expression e;
	bool reversed;
};

static bool of_two(const struct expression *e)
{
	return e->op > E_LOCAL && e->op != E_NOT && e->b >= 0;
}

static struct simple simplify(const struct environment *env, const struct expression *e)
{
	struct simple x = {.e = *e};
	uint8_t a = e->op == E_CONST ? 0 : env->constant[e->a], b = of_two(e) ? env->constant[e->b] : 0;
	if (a && (b || !of_two(e))) {
		uint8_t locals[LOCALS] = {0};
		locals[e->a] = (uint8_t)(a - 1);
		if (b)
			locals[e->b] = (uint8_t)(b - 1);
		x.e = (struct expression){.op = E_CONST, .b = -1, .c = (uint8_t)evaluate(e, locals)};
	} else if (b) {
		x.e.b = -1;
		x.e.c = (uint8_t)(b - 1);
	} else if (a) {
		x.e.a = e->b;
		x.e.b = -1;
		x.e.c = (uint8_t)(a - 1);
		x.reversed = e->op == E_SUB || e->op == E_LT;
	}
	return x;
}

/* As a chain of a read, or of the result of a call, at the end of this list of them. False: there is no room. */
static bool add_test(const struct walker *w, uint8_t origin, const struct expression *e, uint32_t *tests, uint32_t *test_count)
{
	uint32_t *items = tests + *test_count;
	unsigned n = 1, steps = 0;
	if (*test_count + 13 > TESTS_MAX)
		return false;
	bool read = w->program->statements[origin].kind == S_READ;
	if (read) { /* upper and lower byte are added */
		n += test_step(items + n, NORN_TEST_MULTIPLY, 0x101);
		n += test_step(items + n, NORN_TEST_SHIFT_RIGHT, 8);
		n += test_step(items + n, NORN_TEST_AND, 7);
		steps += 3;
	}
	static const uint8_t ops[] = {
	        [E_ADD] = NORN_TEST_ADD, [E_SUB] = NORN_TEST_ADD, [E_AND] = NORN_TEST_AND, [E_XOR] = NORN_TEST_XOR};
	if (e->op >= E_ADD && e->op <= E_XOR) {
		n += test_step(items + n, ops[e->op], e->op == E_SUB ? -(int)e->c : (int)e->c);
		n += test_step(items + n, NORN_TEST_AND, 3);
		steps += 2;
	}
	bool compares = e->op == E_EQ || e->op == E_NE || e->op == E_LT;
	n += test_step(items + n, e->op == E_LT ? NORN_TEST_BELOW : NORN_TEST_EQUAL, compares ? (int)e->c : 0);
	items[0] = steps + 1;
	*test_count += n;
	return true;
}

/* The condition as a test of one read, or of the result of a call. */
static bool test_of(struct walker *w, const struct environment *env, const struct expression *condition, bool hard)
{
	const struct simple x = simplify(env, condition);
	const struct expression *e = &x.e;
	uint8_t origin = e->op == E_CONST ? 0 : env->origin[e->a];
	if (!origin || !has(w, FLOW_TESTS) || of_two(e) || x.reversed ||
	        !add_test(w, origin, e, w->tests[origin], &w->test_count[origin]))
		return false;
	w->tested[origin] |= hard;
	return true;
}

/* What a write or a read-modify-write makes of one read (V7): the source, then a chain. */
static void make_of(struct walker *w, const struct environment *env, uint8_t i)
{
	const struct statement *s = &w->program->statements[i];
	const struct simple x = simplify(env, &s->e);
	const struct expression *e = &x.e;
	uint32_t *items = w->makes[i];
	unsigned n = 2, steps = 0;
	uint8_t origin = e->op == E_CONST ? 0 : env->origin[e->a];
	w->make_count[i] = 0;
	if (of_two(e) || x.reversed || !has(w, FLOW_TESTS))
		return;
	if (s->kind == S_WRITE && origin && w->program->statements[origin].kind == S_READ) {
		n += test_step(items + n, NORN_TEST_MULTIPLY, 0x101);
		n += test_step(items + n, NORN_TEST_SHIFT_RIGHT, 8);
		n += test_step(items + n, NORN_TEST_AND, 7);
		steps = 3;
		bool compares = e->op == E_EQ || e->op == E_NE || e->op == E_LT || e->op == E_NOT;
		static const uint8_t ops[] = {
		        [E_ADD] = NORN_TEST_ADD, [E_SUB] = NORN_TEST_ADD, [E_AND] = NORN_TEST_AND, [E_XOR] = NORN_TEST_XOR};
		if (compares) {
			n += test_step(
			        items + n, e->op == E_LT ? NORN_TEST_BELOW : NORN_TEST_EQUAL, e->op == E_NOT ? 0 : (int)e->c);
			steps++;
			if (e->op == E_NE) {
				n += test_step(items + n, NORN_TEST_XOR, 1);
				steps++;
			}
		} else if (e->op != E_LOCAL) {
			n += test_step(items + n, ops[e->op], e->op == E_SUB ? -(int)e->c : (int)e->c);
			n += test_step(items + n, NORN_TEST_AND, 3);
			steps += 2;
		}
	} else if ((s->kind == S_ADD || s->kind == S_XCHG) && e->op == E_CONST) {
		origin = i;
		n += test_step(items + n, s->kind == S_ADD ? NORN_TEST_ADD : NORN_TEST_AND, s->kind == S_ADD ? (int)e->c : 0);
		n += test_step(items + n, s->kind == S_ADD ? NORN_TEST_AND : NORN_TEST_OR, s->kind == S_ADD ? 3 : (int)e->c);
		steps = 2;
	} else {
		return;
	}
	items[0] = (BODIES + (uint32_t)origin) << 2 | NORN_SOURCE_LATEST;
	items[1] = steps;
	w->make_count[i] = n;
}

static void walk(struct walker *w, uint8_t first, struct environment *env, const struct set *control, struct effect rest);

/* Takes note of the outcome of the condition's test for which nothing happens in the arms. */
static void note_skip(struct walker *w, const struct statement *s, const struct environment *env, bool never)
{
	const struct simple x = simplify(env, &s->e);
	uint8_t origin = env->origin[x.e.a];
	struct effect arms[2] = {effects(w, s->body), effects(w, s->other)};
	unsigned if_true = x.e.op == E_EQ || x.e.op == E_LT || x.e.op == E_NOT;
	for (unsigned k = 0; k < 2; k++) /* the arm that is taken if the condition holds; the other one */
		if (!never && !w->breaks && !arms[k].hard && !arms[k].accesses)
			w->skips[origin] = (uint8_t)(1 + (k ? !if_true : if_true));
	w->branches[origin] += never;
}

static void walk_if(
        struct walker *w, const struct statement *s, struct environment *env, const struct set *control, struct effect rest)
{
	struct set condition = sources(env, &s->e), inner = *control;
	struct environment other = *env;
	bool jump = jumps(w, s->body) || jumps(w, s->other);
	struct effect arms = effects(w, s->body);
	join_effect(&rest, effects(w, s->next));
	join_effect(&arms, effects(w, s->other));
	if (jump && has(w, FLOW_JUMP))
		join_effect(&arms, rest);
	bool tested = (arms.hard || arms.accesses) && test_of(w, env, &s->e, arms.hard);
	if (!arms.hard || !tested)
		decide_about(w, &condition, arms, tested);
	if (tested)
		note_skip(w, s, env, arms.hard || jump);
	add(&inner, &condition);
	walk(w, s->body, env, &inner, rest);
	walk(w, s->other, &other, &inner, rest);
	join(env, &other);
	choose(w, env, assigned(w, s->body) | assigned(w, s->other), &condition);
	if (jump)
		add(&w->pending, &condition);
}

static void walk_place(struct walker *w, const struct place *place, const struct environment *env, unsigned i)
{
	if (place->kind == PLACE_SCALAR)
		return;
	bool traps = place->kind == PLACE_BLOCK || !place->masked;
	if (place->kind == PLACE_BLOCK && has(w, FLOW_ADDRESS))
		decide_address(w, env, &place->index, i);
	else if (has(w, FLOW_ADDRESS) || (traps && has(w, FLOW_TRAP)))
		decide_expression(w, env, &place->index);
}

static void loop_condition(
        struct walker *w, uint8_t i, const struct environment *env, struct effect rest, struct set *ret_condition)
{
	const struct statement *s = &w->program->statements[i];
	memset(ret_condition, 0, sizeof(*ret_condition));
	if (s->kind == S_WHILE) {
		walk_place(w, &s->place, env, i);
		add_site(ret_condition, i);
		if (has(w, FLOW_LOOP))
			decide(w, ret_condition);
	} else {
		*ret_condition = sources(env, &s->e);
		struct effect body = effects(w, s->body);
		if (jumps(w, s->body) && has(w, FLOW_JUMP))
			join_effect(&body, rest);
		decide_about(w, ret_condition, body, false);
	}
}

/* Round after round, until nothing is new: what a round leaves comes to the next one as all instances. */
static void walk_loop(struct walker *w, uint8_t i, struct environment *env, const struct set *control, struct effect rest)
{
	const struct statement *s = &w->program->statements[i];
	struct environment breaks = {0}, *outer = w->breaks, before;
	struct set pending, condition;
	unsigned locals = assigned(w, s->body) | (s->kind == S_FOR ? 1u << s->dst : 0);
	for (unsigned l = 0; l < LOCALS; l++)
		if (locals >> l & 1)
			env->origin[l] = env->constant[l] = 0;
	memcpy(breaks.constant, env->constant, sizeof(breaks.constant));
	join_effect(&rest, effects(w, s->next));
	join_effect(&rest, effects(w, s->body));
	w->breaks = &breaks;
	if (s->kind == S_FOR)
		env->locals[s->dst] = (struct set){.parameters = 0};
	do {
		before = *env;
		pending = w->pending;
		struct environment round = *env;
		loop_condition(w, i, env, rest, &condition);
		struct set inner = *control;
		add(&inner, &condition);
		walk(w, s->body, &round, &inner, rest);
		for (unsigned l = 0; l < LOCALS; l++)
			add_all(w, &env->locals[l], &round.locals[l]);
		for (unsigned l = 0; l < LOCALS && has(w, FLOW_PHI); l++)
			if (locals >> l & 1) {
				add_all(w, &env->locals[l], &inner);
				add_all(w, &env->locals[l], &w->pending);
			}
		struct set again = w->pending;
		add_all(w, &w->pending, &again);
	} while (memcmp(&before, env, sizeof(before)) || memcmp(&pending, &w->pending, sizeof(pending)));
	join(env, &breaks);
	for (unsigned l = 0; l < LOCALS; l++)
		env->origin[l] = 0;
	choose(w, env, locals, &condition);
	choose(w, env, locals, &w->pending);
	if (jumps(w, s->body))
		add_all(w, &w->pending, &condition);
	w->breaks = outer;
}

static void walk_access(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	walk_place(w, &s->place, env, i);
	add(&w->control[i], control);
	add(&w->control[i], &w->pending);
	if (s->kind != S_READ) {
		struct set value = sources(env, s->kind == S_CAS ? &s->e2 : &s->e);
		use_number(w, &value); /* variables have no room for addresses */
		add(&w->value[i], &value);
		add(&w->value[i], control);
		add(&w->value[i], &w->pending);
	}
	make_of(w, env, i);
	struct set self = {.parameters = 0};
	add_site(&self, i);
	if (s->kind == S_CAS && has(w, FLOW_CAS)) {
		decide(w, &self);
		decide_expression(w, env, &s->e);
	}
	if (s->kind != S_WRITE)
		assign(w, env, s->dst, self, control);
	if (s->kind == S_READ && s->dst >= 0)
		env->origin[s->dst] = i;
}

static void walk_call(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	struct set self = {.parameters = 0}, arguments[2] = {sources(env, &s->e), sources(env, &s->e2)};
	for (unsigned a = 0; a < 2 && has(w, FLOW_ARGUMENT); a++)
		add(&w->argument[i][a], &arguments[a]);
	use_number(w, arguments);
	use_number(w, arguments + 1);
	add_site(&self, i);
	assign(w, env, s->dst, self, control);
	if (s->dst >= 0)
		env->origin[s->dst] = i;
}

/* What the local is now, if it is the same as another one, or constant. */
static void set_local(struct environment *env, const struct statement *s)
{
	struct simple x = simplify(env, &s->e);
	if (s->dst >= 0 && x.e.op == E_CONST)
		env->constant[s->dst] = (uint8_t)(1 + x.e.c);
	else if (s->dst >= 0 && x.e.op == E_LOCAL)
		env->origin[s->dst] = env->origin[x.e.a];
}

static void walk_statement(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	struct set none = {.parameters = 0}, value;
	switch (s->kind) {
	case S_LOCAL:
		value = sources(env, &s->e);
		if (s->e.op != E_LOCAL)
			use_number(w, &value);
		assign(w, env, s->dst, value, control);
		set_local(env, s);
		break;
	case S_BREAK:
		if (w->breaks)
			join(w->breaks, env);
		break;
	case S_RETURN:
		w->result_other |=
		        s->e.op != E_LOCAL || w->result_origin || w->program->statements[env->origin[s->e.a]].kind != S_READ;
		w->result_origin = s->e.op == E_LOCAL ? env->origin[s->e.a] : 0;
		value = sources(env, &s->e);
		use_number(w, &value);
		add(&w->result, &value);
		if (has(w, FLOW_RESULT)) {
			add(&w->result, control);
			add(&w->result, &w->pending);
		}
		break;
	case S_DIV:
		if (has(w, FLOW_TRAP))
			decide_expression(w, env, &s->e2);
		value = sources(env, &s->e);
		none = sources(env, &s->e2);
		add(&value, &none);
		use_number(w, &value);
		assign(w, env, s->dst, value, control);
		break;
	case S_ASSERT:
		if (has(w, FLOW_EXIT))
			decide_expression(w, env, &s->e);
		break;
	case S_FORK:
		decide_expression(w, env, &s->e);
		break;
	case S_FREE:
		decide_address(w, env, &s->e, i);
		break;
	case S_LOCK:
	case S_UNLOCK:
	case S_RDLOCK:
	case S_TRYLOCK:
	case S_TRYRDLOCK:
		if (s->masked && has(w, FLOW_LOCK))
			decide_expression(w, env, &s->e);
		assign(w, env, s->dst, none, control);
		break;
	case S_COPY:
		walk_place(w, &s->place, env, i);
		walk_place(w, &s->place2, env, i);
		break;
	case S_SET:
		walk_place(w, &s->place, env, i);
		value = sources(env, &s->e);
		use_number(w, &value);
		add(&w->value[i], &value);
		add(&w->value[i], control);
		add(&w->value[i], &w->pending);
		break;
	case S_RESOURCE:
		if (s->number >= RESOURCE_PUT)
			decide_expression(w, env, &s->e);
		assign(w, env, s->dst, none, control);
		break;
	case S_MALLOC:
	case S_RAND:
		add_site(&none, i);
		assign(w, env, s->dst, none, control);
		break;
	default:
		assign(w, env, s->dst, none, control);
	}
}

/* ---- assertions ---- */

static unsigned push_source(const struct walker *w, uint32_t *items, uint8_t origin, unsigned place)
{
	unsigned n = 2;
	items[0] = NORN_TEST_STACK | 3u << 4;
	items[1] = place << 1;
	if (w->program->statements[origin].kind == S_READ) { /* as in test_of */
		n += test_step(items + n, NORN_TEST_MULTIPLY, 0x101);
		n += test_step(items + n, NORN_TEST_SHIFT_RIGHT, 8);
		n += test_step(items + n, NORN_TEST_AND, 7);
	}
	return n;
}

/* The value of the expression, with its sources pushed before. */
static unsigned express(uint32_t *items, const struct simple *x, bool two)
{
	const struct expression *e = &x->e;
	static const uint8_t ops[] = {[E_ADD] = NORN_TEST_ADD,
	        [E_SUB] = NORN_TEST_STACK,
	        [E_AND] = NORN_TEST_AND,
	        [E_XOR] = NORN_TEST_XOR,
	        [E_EQ] = NORN_TEST_EQUAL,
	        [E_NE] = NORN_TEST_EQUAL,
	        [E_LT] = NORN_TEST_BELOW};
	unsigned n = 0;
	if (e->op == E_NOT)
		return test_step(items, NORN_TEST_EQUAL, 0);
	if (e->op == E_LOCAL)
		return 0;
	if (x->reversed && e->op == E_LT) { /* c < a: not a < c + 1 */
		n += test_step(items + n, NORN_TEST_BELOW, e->c + 1);
		n += test_step(items + n, NORN_TEST_XOR, 1);
	} else if (x->reversed) {
		n += test_step(items + n, NORN_TEST_MULTIPLY, -1);
		n += test_step(items + n, NORN_TEST_ADD, e->c);
	} else if (two) {
		items[n++] = NORN_TEST_STACK | 3u << 4;
		items[n++] = (uint32_t)ops[e->op] << 1 | 1;
	} else {
		n += test_step(items + n, e->op == E_SUB ? NORN_TEST_ADD : ops[e->op], e->op == E_SUB ? -(int)e->c : (int)e->c);
	}
	if (e->op == E_NE)
		n += test_step(items + n, NORN_TEST_XOR, 1);
	if (e->op <= E_XOR)
		n += test_step(items + n, NORN_TEST_AND, 3);
	return n;
}

/* An assertion about one or two reads, or results, that comes right after the event of a statement. False: it is a branch. */
static bool assert_of(struct walker *w, const struct environment *env, uint8_t i, uint8_t after)
{
	const struct simple x = simplify(env, &w->program->statements[i].e);
	const struct expression *e = &x.e;
	bool two = of_two(e);
	uint8_t a = e->op == E_CONST ? 0 : env->origin[e->a], b = two ? env->origin[e->b] : a;
	uint32_t *items = w->asserts[i];
	w->assert_after[i] = 0;
	if (!after || !a || !b || w->weak || !has(w, FLOW_TESTS) || !has(w, FLOW_EXIT))
		return false;
	unsigned count = a == b ? 1 : 2, n = 0;
	items[n++] = BODIES + i;
	items[n++] = 1 | count << 1; /* it fails if "is 0" is true */
	items[n++] = (BODIES + (uint32_t)a) << 2 | NORN_SOURCE_LATEST;
	if (count == 2)
		items[n++] = (BODIES + (uint32_t)b) << 2 | NORN_SOURCE_LATEST;
	unsigned length = n++;
	n += push_source(w, items + n, a, 0);
	if (two)
		n += push_source(w, items + n, b, count - 1);
	n += express(items + n, &x, two);
	n += test_step(items + n, NORN_TEST_EQUAL, 0);
	items[length] = n - length - 1;
	w->assert_count[i] = n;
	w->assert_after[i] = after;
	w->asked[i][0] = a;
	w->asked[i][1] = b;
	struct set others = sources(env, e);
	others.latest[(BODIES + a) / 64] &= ~(1ull << (BODIES + a) % 64);
	others.latest[(BODIES + b) / 64] &= ~(1ull << (BODIES + b) % 64);
	decide(w, &others);
	w->asserted[a] = w->asserted[b] = true;
	if (two || x.reversed || !add_test(w, a, e, w->assert_tests[a], &w->assert_test_count[a]))
		w->together[a] = w->together[b] = true;
	return true;
}

/* The statement, or the one before it, after whose event an assertion may come. held: locks that were taken in this list. */
static uint8_t event_before(const struct statement *s, uint8_t i, uint8_t before, unsigned *held)
{
	switch (s->kind) {
	case S_LOCAL:
	case S_ASSERT:
		return before;
	case S_READ:
	case S_WRITE:
	case S_ADD:
	case S_XCHG:
	case S_CAS:
	case S_POST:
	case S_TAKE:
	case S_TRYTAKE:
	case S_SIGNAL:
	case S_BROADCAST:
		return i;
	case S_LOCK:
		*held |= s->masked ? 0 : 1u << s->number;
		return 0; /* which does nothing if it is held already */
	case S_UNLOCK: {
		bool was = !s->masked && *held >> s->number & 1;
		*held = s->masked ? 0 : *held & ~(1u << s->number);
		return was ? i : 0;
	}
	case S_JOIN:
	case S_CALL:
		return i;
	default:
		*held = 0;
		return 0;
	}
}

/* rest: something may happen after the list, in this function. */
static void walk(struct walker *w, uint8_t first, struct environment *env, const struct set *control, struct effect rest)
{
	uint8_t before = 0;
	unsigned held = 0;
	for (uint8_t i = first; i; i = w->program->statements[i].next) {
		const struct statement *s = &w->program->statements[i];
		uint8_t after = before;
		before = event_before(s, i, before, &held);
		if (s->kind == S_ASSERT && assert_of(w, env, i, after))
			continue;
		if (s->kind == S_ASSERT)
			before = 0; /* a branch, which those after it need not be come to by */
		if (s->kind == S_IF)
			walk_if(w, s, env, control, rest);
		else if (s->kind == S_WHILE || s->kind == S_FOR)
			walk_loop(w, i, env, control, rest);
		else if (s->kind >= S_READ && s->kind <= S_CAS)
			walk_access(w, i, env, control);
		else if (s->kind == S_CALL)
			walk_call(w, i, env, control);
		else
			walk_statement(w, i, env, control);
	}
}

/* Facts as bytes. */

static void number(struct flow *flow, unsigned n)
{
	for (; n >= 128 && flow->used < FLOW_BYTES; n >>= 7)
		flow->bytes[flow->used++] = (uint8_t)(n | 128);
	if (flow->used < FLOW_BYTES)
		flow->bytes[flow->used++] = (uint8_t)n;
}

/* One time of n, unless facts are as good as they can be. */
static bool by_chance(struct flow *flow, unsigned n)
{
	if (!flow->weaken)
		return false;
	flow->weaken = flow->weaken * 6364136223846793005ull + 1442695040888963407ull;
	return (flow->weaken >> 33) % n == 0;
}

static unsigned count_of(const struct set *set)
{
	unsigned n = (unsigned)__builtin_popcount(set->parameters);
	for (unsigned i = 0; i < WORDS; i++)
		n += (unsigned)(__builtin_popcountll(set->latest[i] & ~set->all[i]) + __builtin_popcountll(set->all[i]));
	return n;
}

static void items(struct flow *flow, const struct set *set)
{
	for (unsigned i = 0; i < BODIES + STATEMENTS; i++) {
		if (set->all[i / 64] >> i % 64 & 1)
			number(flow, i << 2 | NORN_SOURCE_ALL);
		else if (set->latest[i / 64] >> i % 64 & 1)
			number(flow, i << 2 | (by_chance(flow, 4) ? NORN_SOURCE_ALL : NORN_SOURCE_LATEST));
	}
	for (unsigned i = 0; i < 8; i++)
		if (set->parameters >> i & 1)
			number(flow, i << 2 | NORN_SOURCE_PARAMETER);
}

static void entry(struct flow *flow, unsigned kind, const struct set *set)
{
	number(flow, kind);
	if (by_chance(flow, 5)) {
		number(flow, 1);
		number(flow, NORN_SOURCE_ANYTHING);
		return;
	}
	number(flow, count_of(set));
	items(flow, set);
}

static void masks(struct flow *flow, unsigned i, uint32_t bytes)
{
	number(flow, NORN_FACT_MASKS);
	number(flow, 4 * (unsigned)__builtin_popcount(bytes));
	for (unsigned b = 0; b < 2 * VARIABLES; b++)
		if (bytes >> b & 1) {
			number(flow, b / 2);
			number(flow, b % 2);
			number(flow, 1);
			number(flow, BODIES + i);
		}
}

/* Those who control a statement, but for the ones that decide. */
static struct set controllers(const struct walker *w, unsigned i)
{
	struct set set = w->control[i];
	set.parameters = 0;
	for (unsigned k = 0; k < BODIES + STATEMENTS; k++)
		if (w->decides[k] || k < BODIES || w->asserted[k - BODIES] || !w->masked[k - BODIES] || w->tested[k - BODIES]) {
			set.latest[k / 64] &= ~(1ull << k % 64);
			set.all[k / 64] &= ~(1ull << k % 64);
		}
	return set;
}

/* Those that come right after this statement's event. */
static void assertions(struct flow *flow, const struct walker *w, unsigned i)
{
	unsigned total = 0;
	for (int fill = 0; fill < 2; fill++) {
		for (uint8_t k = flow->program->statements[i].next; k; k = flow->program->statements[k].next) {
			const struct statement *s = &flow->program->statements[k];
			if (s->kind != S_ASSERT && s->kind != S_LOCAL)
				break;
			if (s->kind != S_ASSERT || w->assert_after[k] != i)
				continue;
			total += fill ? 0 : w->assert_count[k];
			for (unsigned n = 0; n < w->assert_count[k] && fill; n++)
				number(flow, w->asserts[k][n]);
		}
		if (!total)
			return;
		if (!fill) {
			number(flow, NORN_FACT_ASSERTS);
			number(flow, total);
		}
	}
}

/* ---- how late a read decides ---- */

static bool uses(const struct expression *e, int local)
{
	return (e->op != E_CONST && e->a == local) || (of_two(e) && e->b == local);
}

static bool place_uses(const struct place *place, int local)
{
	return place->kind != PLACE_SCALAR && uses(&place->index, local);
}

/* A statement that does not go by the local, and after which its list goes on. */
static bool passes(const struct statement *s, int local)
{
	static const bool ends[STATEMENT_KINDS] = {[S_IF] = true,
	        [S_WHILE] = true,
	        [S_FOR] = true,
	        [S_BREAK] = true,
	        [S_RETURN] = true,
	        [S_EXIT] = true,
	        [S_ASSERT] = true};
	return !ends[s->kind] && !uses(&s->e, local) && !uses(&s->e2, local) && !place_uses(&s->place, local) &&
	       !place_uses(&s->place2, local);
}

/* How many statements come after this read before one may go by what it read. */
static unsigned waits(const struct walker *w, unsigned read)
{
	const struct statement *all = w->program->statements;
	unsigned at = read;
	while (all[at].next == at + 1 && (!has(w, FLOW_WAIT) || passes(&all[at + 1], all[read].dst)))
		at++;
	return at - read;
}

static void statement_facts(struct flow *flow, const struct walker *w, unsigned i)
{
	const struct statement *s = &flow->program->statements[i];
	struct set control = controllers(w, i);
	flow->controlled[i] = count_of(&control);
	flow->at[BODIES + i] = (uint16_t)flow->used;
	if (!flow->controlled[i] && by_chance(flow, 6)) {
		flow->at[BODIES + i] = 0;
		return;
	}
	/* Of what decides more than its masks say, tests tell what the branches with masks do. */
	bool more = w->asserted[i] || w->tested[i], masked = w->masked[i] && (w->untested[i] || !more);
	bool just = w->decides[BODIES + i] || (masked && more), loose = w->asserted[i] && !just;
	bool decides = just || w->asserted[i] || by_chance(flow, 8);
	bool tested = !decides && w->test_count[i] && !(masked && (w->untested[i] || by_chance(flow, 4)));
	tested |= loose && !w->together[i]; /* by the assertions, too */
	if (decides || masked || tested) {
		number(flow, NORN_FACT_DECIDES);
		number(flow, 0);
	}
	if ((decides || tested) && !masked && s->kind == S_READ && s->dst >= 0 && waits(w, i) && !by_chance(flow, 4)) {
		number(flow, NORN_FACT_WAITS);
		number(flow, 1);
		number(flow, waits(w, i));
	}
	if (tested) {
		number(flow, NORN_FACT_TESTS);
		number(flow, w->test_count[i] + w->assert_test_count[i]);
		for (unsigned k = 0; k < w->test_count[i]; k++)
			number(flow, w->tests[i][k]);
		for (unsigned k = 0; k < w->assert_test_count[i]; k++)
			number(flow, w->assert_tests[i][k]);
	}
	if (!decides && masked)
		masks(flow, i, w->masks[i]);
	bool only = masked && tested && w->branches[i] == 1 && !w->asserted[i] && s->kind == S_READ;
	if (!decides && only && w->skips[i]) {
		number(flow, NORN_FACT_SKIPS);
		number(flow, 1);
		number(flow, w->skips[i] - 1u);
	}
	if (loose) {
		number(flow, NORN_FACT_LOOSE);
		number(flow, w->test_count[i]);
		for (unsigned k = 0; k < w->test_count[i]; k++)
			number(flow, w->tests[i][k]);
	}
	assertions(flow, w, i);
	if (count_of(&w->address[i]))
		entry(flow, NORN_FACT_PLACE, &w->address[i]);
	if (s->kind == S_MALLOC && w->number[i]) {
		number(flow, NORN_FACT_NUMBER);
		number(flow, 0);
	}
	if (flow->controlled[i] && !(w->without & FLOW_CONTROL))
		entry(flow, NORN_FACT_CONTROL, &control);
	if ((s->kind >= S_WRITE && s->kind <= S_CAS) || s->kind == S_SET)
		entry(flow, NORN_FACT_VALUE, &w->value[i]);
	if (w->make_count[i]) {
		number(flow, NORN_FACT_MAKES);
		number(flow, w->make_count[i]);
		for (unsigned k = 0; k < w->make_count[i]; k++)
			number(flow, w->makes[i][k]);
	}
	for (unsigned a = 0; a < 2 && s->kind == S_CALL; a++)
		if (count_of(&w->argument[i][a])) {
			number(flow, NORN_FACT_ARGUMENT);
			number(flow, 1 + count_of(&w->argument[i][a]));
			number(flow, a);
			items(flow, &w->argument[i][a]);
		}
	number(flow, NORN_FACT_END);
}

static void mark_statements(const struct program *program, uint8_t first, bool *here)
{
	for (uint8_t i = first; i; i = program->statements[i].next) {
		here[i] = true;
		mark_statements(program, program->statements[i].body, here);
		mark_statements(program, program->statements[i].other, here);
	}
}

/* Does an assertion about this value of a statement leave it free otherwise? */
static bool may_change(const struct walker *w, unsigned i)
{
	return !w->decides[BODIES + i] && !(w->masked[i] && w->untested[i]);
}

static void body_facts(struct flow *flow, struct walker *w, unsigned body)
{
	struct environment env = {0};
	struct set none = {.parameters = 0};
	struct effect nothing = {0};
	bool here[STATEMENTS] = {false};
	for (unsigned i = 0; i < flow->program->parameters[body]; i++)
		env.locals[PARAMETER_LOCAL + i].parameters = (uint8_t)(1u << i);
	for (unsigned i = 0; i < LOCALS; i++) /* all others are 0 at first */
		env.constant[i] = i < PARAMETER_LOCAL || i >= PARAMETER_LOCAL + flow->program->parameters[body];
	walk(w, flow->program->first[body], &env, &none, nothing);
	if (has(w, FLOW_RESULT))
		add(&w->result, &w->pending);
	flow->at[body] = (uint16_t)flow->used;
	number(flow, NORN_FACT_DECIDES);
	number(flow, (unsigned)__builtin_popcount(w->deciding_parameters));
	for (unsigned i = 0; i < 8; i++)
		if (w->deciding_parameters >> i & 1)
			number(flow, i);
	entry(flow, NORN_FACT_RESULT, &w->result);
	if (w->result_origin && !w->result_other && count_of(&w->result) == 1 && has(w, FLOW_TESTS)) {
		uint32_t steps[6];
		unsigned n = test_step(steps, NORN_TEST_MULTIPLY, 0x101);
		n += test_step(steps + n, NORN_TEST_SHIFT_RIGHT, 8);
		n += test_step(steps + n, NORN_TEST_AND, 7);
		flow->yields[body] = true;
		number(flow, NORN_FACT_YIELDS);
		number(flow, 2 + n);
		number(flow, (BODIES + w->result_origin) << 2 | NORN_SOURCE_LATEST);
		number(flow, 3);
		for (unsigned k = 0; k < n; k++)
			number(flow, steps[k]);
	}
	number(flow, NORN_FACT_END);
	for (unsigned i = 1; i < STATEMENTS; i++)
		if (w->assert_after[i])
			memcpy(flow->asked[i], w->asked[i], sizeof(flow->asked[i]));
	for (unsigned i = 1; i < STATEMENTS; i++)
		flow->stated[i] |= w->assert_after[i] && may_change(w, flow->asked[i][0]) && may_change(w, flow->asked[i][1]);
	mark_statements(flow->program, flow->program->first[body], here);
	for (unsigned i = 1; i < STATEMENTS; i++)
		if (here[i])
			statement_facts(flow, w, i);
}

void flow_make(const struct program *program, unsigned without, uint64_t weaken, struct flow *ret_flow)
{
	memset(ret_flow, 0, sizeof(*ret_flow));
	ret_flow->program = program;
	ret_flow->used = 1;
	ret_flow->weaken = weaken;
	for (unsigned body = 0; body < BODIES; body++) {
		struct walker w = {.program = program, .without = without, .weak = weaken != 0};
		body_facts(ret_flow, &w, body);
	}
	for (unsigned i = 0; i < STATEMENTS; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct statement *s = &program->statements[ret_flow->asked[i][k]];
			ret_flow->stated[i] &= s->kind != S_CALL || ret_flow->yields[s->number];
		}
}

/* The body that a statement stands in. */
static bool stands_in(const struct program *program, uint8_t first, unsigned statement)
{
	for (uint8_t i = first; i; i = program->statements[i].next)
		if (i == statement || stands_in(program, program->statements[i].body, statement) ||
		        stands_in(program, program->statements[i].other, statement))
			return true;
	return false;
}

static unsigned body_of(const struct program *program, unsigned statement)
{
	unsigned body = 0;
	while (body < BODIES - 1 && !stands_in(program, program->first[body], statement))
		body++;
	return body;
}

static unsigned site_kind(const struct statement *s)
{
	switch (s->kind) {
	case S_READ:
	case S_WHILE:
		return NORN_SITE_READ;
	case S_WRITE:
		return NORN_SITE_WRITE;
	case S_ADD:
	case S_XCHG:
		return NORN_SITE_RMW;
	case S_CAS:
		return NORN_SITE_CMPXCHG;
	case S_COPY:
		return NORN_SITE_COPY;
	case S_SET:
		return NORN_SITE_SET;
	case S_FENCE:
		return NORN_SITE_FENCE;
	default:
		return NORN_SITE_CALL;
	}
}

static unsigned order_of(const struct statement *s)
{
	if (s->kind == S_FENCE)
		return s->number;
	if (site_kind(s) == NORN_SITE_CALL || !s->place.atomic)
		return NORN_ORDER_NONE;
	return s->place.order ? s->place.order : NORN_ORDER_SEQ_CST;
}

void flow_lookup(void *context, uint32_t site, struct norn_graph_site *ret_site)
{
	static const char *const names[BODIES] = {"T0", "T1", "T2", "T3", "F", "G", "H"};
	static uint64_t variables[VARIABLES];
	const struct flow *flow = context;
	memset(ret_site, 0, sizeof(*ret_site));
	if (site < SITE_BASE || site >= SITE_BASE + BODIES + STATEMENTS)
		return;
	unsigned i = statement_of_site(site), body = i ? body_of(flow->program, i) : site - SITE_BASE;
	const struct statement *s = &flow->program->statements[i];
	for (unsigned v = 0; v < VARIABLES; v++)
		variables[v] = ADDRESS_MEMORY + 8 * v;
	ret_site->variables = variables;
	ret_site->variable_count = VARIABLES;
	ret_site->base = SITE_BASE;
	ret_site->entry = site_of_body(body);
	ret_site->place = site;
	if (flow->at[site - SITE_BASE])
		ret_site->facts = (struct norn_facts){flow->bytes + flow->at[site - SITE_BASE], flow->bytes + flow->used};
	if (!i) {
		ret_site->kind = NORN_SITE_ENTER;
		ret_site->name = names[body];
		return;
	}
	ret_site->kind = (uint8_t)site_kind(s);
	ret_site->order = (uint8_t)order_of(s);
	ret_site->order_failure = (uint8_t)orders_failure(order_of(s));
	bool try = s->kind == S_TRYLOCK || s->kind == S_TRYRDLOCK;
	ret_site->name = s->kind == S_CALL     ? names[s->number]
	                 : s->kind == S_RAND   ? "rand"
	                 : s->kind == S_MALLOC ? "malloc"
	                 : try                 ? "pthread_mutex_trylock"
	                                       : "";
	ret_site->waits = s->kind == S_LOCK || s->kind == S_RDLOCK || s->kind == S_WAIT || s->kind == S_TIMEDWAIT ||
	                  s->kind == S_JOIN || s->kind == S_TAKE || s->kind == S_ARRIVE || s->kind == S_ONCE;
	ret_site->timed = s->kind == S_TIMEDWAIT;
	ret_site->call = s->kind == S_RAND ? NORN_CALL_ORDERED : NORN_CALL_OPAQUE;
}

bool flow_initial_word(void *context, uint64_t addr, uint64_t *ret_word)
{
	const struct flow *flow = context;
	if (addr < ADDRESS_MEMORY || addr >= ADDRESS_MEMORY + 8 * VARIABLES)
		return false;
	*ret_word = flow->program->initial[(addr - ADDRESS_MEMORY) / 8];
	return true;
}
