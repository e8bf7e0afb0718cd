#include "flow.h"

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
};

struct walker {
	const struct program *program;
	unsigned without;
	struct set pending; /* what decided that this point is reached, of early returns and breaks */
	struct set result;
	struct environment *breaks; /* of the innermost loop */
	bool decides[BODIES + STATEMENTS];
	uint8_t deciding_parameters;
	struct set value[STATEMENTS], argument[STATEMENTS][2], control[STATEMENTS];
	bool masked[STATEMENTS];
	uint32_t masks[STATEMENTS]; /* two bits per variable: its bytes */
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
static void decide_about(struct walker *w, const struct set *set, struct effect effect)
{
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
			w->decides[i] = true;
			continue;
		}
		w->masked[statement] = true;
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
}

static void join(struct environment *env, const struct environment *other)
{
	for (unsigned l = 0; l < LOCALS; l++)
		add(&env->locals[l], &other->locals[l]);
}

static void choose(const struct walker *w, struct environment *env, unsigned locals, const struct set *control)
{
	for (unsigned l = 0; l < LOCALS && has(w, FLOW_PHI); l++)
		if (locals >> l & 1)
			add(&env->locals[l], control);
}

static void walk(struct walker *w, uint8_t first, struct environment *env, const struct set *control, struct effect rest);

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
	decide_about(w, &condition, arms);
	add(&inner, &condition);
	walk(w, s->body, env, &inner, rest);
	walk(w, s->other, &other, &inner, rest);
	join(env, &other);
	choose(w, env, assigned(w, s->body) | assigned(w, s->other), &condition);
	if (jump)
		add(&w->pending, &condition);
}

static void walk_place(struct walker *w, const struct place *place, const struct environment *env)
{
	if (place->kind == PLACE_SCALAR)
		return;
	bool traps = place->kind == PLACE_BLOCK || !place->masked;
	if (has(w, FLOW_ADDRESS) || (traps && has(w, FLOW_TRAP)))
		decide_expression(w, env, &place->index);
}

static void loop_condition(
        struct walker *w, uint8_t i, const struct environment *env, struct effect rest, struct set *ret_condition)
{
	const struct statement *s = &w->program->statements[i];
	memset(ret_condition, 0, sizeof(*ret_condition));
	if (s->kind == S_WHILE) {
		walk_place(w, &s->place, env);
		add_site(ret_condition, i);
		if (has(w, FLOW_LOOP))
			decide(w, ret_condition);
	} else {
		*ret_condition = sources(env, &s->e);
		struct effect body = effects(w, s->body);
		if (jumps(w, s->body) && has(w, FLOW_JUMP))
			join_effect(&body, rest);
		decide_about(w, ret_condition, body);
	}
}

/* Round after round, until nothing is new: what a round leaves comes to the next one as all instances. */
static void walk_loop(struct walker *w, uint8_t i, struct environment *env, const struct set *control, struct effect rest)
{
	const struct statement *s = &w->program->statements[i];
	struct environment breaks = {0}, *outer = w->breaks, before;
	struct set pending, condition;
	unsigned locals = assigned(w, s->body) | (s->kind == S_FOR ? 1u << s->dst : 0);
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
	choose(w, env, locals, &condition);
	choose(w, env, locals, &w->pending);
	if (jumps(w, s->body))
		add_all(w, &w->pending, &condition);
	w->breaks = outer;
}

static void walk_access(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	walk_place(w, &s->place, env);
	add(&w->control[i], control);
	add(&w->control[i], &w->pending);
	if (s->kind != S_READ) {
		struct set value = sources(env, s->kind == S_CAS ? &s->e2 : &s->e);
		add(&w->value[i], &value);
		add(&w->value[i], control);
		add(&w->value[i], &w->pending);
	}
	struct set self = {.parameters = 0};
	add_site(&self, i);
	if (s->kind == S_CAS && has(w, FLOW_CAS)) {
		decide(w, &self);
		decide_expression(w, env, &s->e);
	}
	if (s->kind != S_WRITE)
		assign(w, env, s->dst, self, control);
}

static void walk_call(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	struct set self = {.parameters = 0}, arguments[2] = {sources(env, &s->e), sources(env, &s->e2)};
	for (unsigned a = 0; a < 2 && has(w, FLOW_ARGUMENT); a++)
		add(&w->argument[i][a], &arguments[a]);
	add_site(&self, i);
	assign(w, env, s->dst, self, control);
}

static void walk_statement(struct walker *w, uint8_t i, struct environment *env, const struct set *control)
{
	const struct statement *s = &w->program->statements[i];
	struct set none = {.parameters = 0}, value;
	switch (s->kind) {
	case S_LOCAL:
		assign(w, env, s->dst, sources(env, &s->e), control);
		break;
	case S_BREAK:
		if (w->breaks)
			join(w->breaks, env);
		break;
	case S_RETURN:
		value = sources(env, &s->e);
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
		assign(w, env, s->dst, value, control);
		break;
	case S_ASSERT:
		if (has(w, FLOW_EXIT))
			decide_expression(w, env, &s->e);
		break;
	case S_FORK:
	case S_FREE:
		decide_expression(w, env, &s->e);
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
		walk_place(w, &s->place, env);
		walk_place(w, &s->place2, env);
		break;
	case S_SET:
		walk_place(w, &s->place, env);
		value = sources(env, &s->e);
		add(&w->value[i], &value);
		add(&w->value[i], control);
		add(&w->value[i], &w->pending);
		break;
	case S_RESOURCE:
		if (s->number >= RESOURCE_PUT)
			decide_expression(w, env, &s->e);
		assign(w, env, s->dst, none, control);
		break;
	case S_RAND:
		add_site(&none, i);
		assign(w, env, s->dst, none, control);
		break;
	default:
		assign(w, env, s->dst, none, control);
	}
}

/* rest: something may happen after the list, in this function. */
static void walk(struct walker *w, uint8_t first, struct environment *env, const struct set *control, struct effect rest)
{
	for (uint8_t i = first; i; i = w->program->statements[i].next) {
		const struct statement *s = &w->program->statements[i];
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
		if (w->decides[k] || k < BODIES || !w->masked[k - BODIES]) {
			set.latest[k / 64] &= ~(1ull << k % 64);
			set.all[k / 64] &= ~(1ull << k % 64);
		}
	return set;
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
	bool decides = w->decides[BODIES + i] || by_chance(flow, 8);
	if (decides || w->masked[i]) {
		number(flow, NORN_FACT_DECIDES);
		number(flow, 0);
	}
	if (!decides && w->masked[i])
		masks(flow, i, w->masks[i]);
	if (flow->controlled[i] && !(w->without & FLOW_CONTROL))
		entry(flow, NORN_FACT_CONTROL, &control);
	if ((s->kind >= S_WRITE && s->kind <= S_CAS) || s->kind == S_SET)
		entry(flow, NORN_FACT_VALUE, &w->value[i]);
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

static void body_facts(struct flow *flow, struct walker *w, unsigned body)
{
	struct environment env = {0};
	struct set none = {.parameters = 0};
	struct effect nothing = {0};
	bool here[STATEMENTS] = {false};
	for (unsigned i = 0; i < flow->program->parameters[body]; i++)
		env.locals[PARAMETER_LOCAL + i].parameters = (uint8_t)(1u << i);
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
	number(flow, NORN_FACT_END);
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
		struct walker w = {.program = program, .without = without};
		body_facts(ret_flow, &w, body);
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
	default:
		return NORN_SITE_CALL;
	}
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
	ret_site->order = ret_site->kind != NORN_SITE_CALL && s->place.atomic ? NORN_ORDER_SEQ_CST : NORN_ORDER_NONE;
	bool try = s->kind == S_TRYLOCK || s->kind == S_TRYRDLOCK;
	ret_site->name = s->kind == S_CALL ? names[s->number] : s->kind == S_RAND ? "rand" : try ? "pthread_mutex_trylock" : "";
	ret_site->waits =
	        s->kind == S_LOCK || s->kind == S_RDLOCK || s->kind == S_WAIT || s->kind == S_TIMEDWAIT || s->kind == S_JOIN;
	ret_site->call = s->kind == S_RAND ? NORN_CALL_ORDERED : NORN_CALL_OPAQUE;
}
