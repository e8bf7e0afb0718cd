/* Table 1 of the paper, on what a local monitor knows: a function per operator. Values are brief (knowledge.h); the last long
 * one is in long_value. */
#include "mttl/local_monitor_state.h"

#include <assert.h>
#include <string.h>

/* The line that it was made of. */
static const struct norn_mttl_line *written(const struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return &m->world->program.lines[l - m->world->lines];
}

/* ---- truth ---- */

static int64_t of_truth(enum norn_truth t)
{
	return t == NORN_TRUTH_UNKNOWN ? NORN_BRIEF_UNKNOWN : t;
}

static enum norn_truth both(enum norn_truth a, enum norn_truth b)
{
	if (a == NORN_TRUTH_NO || b == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	return a == NORN_TRUTH_YES && b == NORN_TRUTH_YES ? NORN_TRUTH_YES : NORN_TRUTH_UNKNOWN;
}

static enum norn_truth opposite(enum norn_truth a)
{
	return a == NORN_TRUTH_UNKNOWN ? a : !a;
}

static enum norn_truth either(enum norn_truth a, enum norn_truth b)
{
	return opposite(both(opposite(a), opposite(b)));
}

__attribute__((noinline)) static enum norn_truth odd_truth(const struct norn_local_monitor *m, int64_t value)
{
	return value == NORN_BRIEF_LONG ? norn_value_truth(m->long_value) : NORN_TRUTH_UNKNOWN;
}

static inline enum norn_truth truth_of(const struct norn_local_monitor *m, int64_t value)
{
	return value > NORN_BRIEF_LONG ? value != 0 : odd_truth(m, value);
}

static inline enum norn_truth truth_at(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return truth_of(m, norn_local_monitor_value(m, l));
}

enum norn_truth norn_local_monitor_truth(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return truth_at(m, l);
}

static int64_t eval_and(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	enum norn_truth a = truth_at(m, l->a);
	return a == NORN_TRUTH_NO ? 0 : of_truth(both(a, truth_at(m, l->b)));
}

static int64_t eval_or(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	enum norn_truth a = truth_at(m, l->a);
	return a == NORN_TRUTH_YES ? 1 : of_truth(either(a, truth_at(m, l->b)));
}

/* ---- atoms ---- */

/* A value that is kept in brief, and whole where it is long. */
static inline int64_t recall(struct norn_local_monitor *m, int64_t brief, const struct norn_value *whole)
{
	if (brief == NORN_BRIEF_LONG)
		m->long_value = *whole;
	return brief;
}

static int64_t shorten(struct norn_local_monitor *m, const struct norn_value *value)
{
	return recall(m, norn_brief(value), value);
}

static int64_t eval_const(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	(void)m;
	return l->number;
}

static int64_t eval_long_const(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	m->long_value = norn_mttl_constant(written(m, l));
	return NORN_BRIEF_LONG;
}

static int64_t eval_place(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return shorten(m, &(m->news ? m->heard_places : m->now->places)[l->index].value);
}

static int64_t eval_local(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return recall(m, m->locals[l->index], &m->long_locals[l->index]);
}

static int64_t eval_slot(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return m->updating && l->index < m->updating->slot_count ? shorten(m, &m->updating->slots[l->index]) : NORN_BRIEF_UNKNOWN;
}

static enum norn_truth is_occurrence(struct norn_local_monitor *m, const struct norn_mttl_line *l, const struct norn_occurrence *o)
{
	enum norn_truth t = (enum norn_truth)o->holds;
	for (uint32_t i = 0; i < l->b; i++) {
		uint32_t argument = m->world->program.arguments[l->a + i];
		if (argument == NORN_SLOT_NONE)
			continue;
		int64_t wanted = norn_local_monitor_value(m, &m->world->lines[argument]);
		struct norn_value given = i < o->slot_count ? o->slots[i] : norn_value_unknown();
		t = both(t, norn_value_equal(given, norn_brief_value(wanted, &m->long_value)));
	}
	return t;
}

static int64_t eval_event(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	const struct norn_mttl_line *line = written(m, l);
	enum norn_truth t = NORN_TRUTH_NO;
	for (uint32_t i = 0; i < m->input->occurrence_count; i++)
		if (m->input->occurrences[i].event == line->index)
			t = either(t, is_occurrence(m, line, &m->input->occurrences[i]));
	return of_truth(t);
}

static int64_t eval_access(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	const struct norn_mttl_line *line = written(m, l);
	bool found = false;
	for (uint32_t i = 0; i < m->input->touch_count; i++) {
		const struct norn_touch *t = &m->input->touches[i];
		if (t->place == line->index)
			found |= (t->reads && line->a != NORN_WORD_WRITE) || (t->writes && line->a != NORN_WORD_READ);
	}
	return found;
}

/* ---- other threads ---- */

/* The number under which a thread's tables have the thread that a variable stands for; false: it cannot be told. */
static inline bool index_in(const struct norn_local_monitor *m, const struct norn_known_thread *t, const uint32_t *who,
        uint32_t variable, size_t *ret_index)
{
	uint32_t x = m->assigned[variable];
	*ret_index = 0;
	if (x == 0 || x == NORN_SEAT_NONE || x > t->width || x > m->width)
		return true;
	if (who[x - 1] == m->who[x - 1])
		*ret_index = x;
	return who[x - 1] <= m->who[x - 1]; /* an older thread of this seat: it has not heard of this one */
}

/* dimensions: r's, as the compiler knows them. */
static inline int64_t lookup(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r,
        const struct norn_known_thread *t, uint32_t dimensions)
{
	size_t row = t->width + 1ul, at = r->before[0], index = 0, one;
	const uint32_t *who = norn_known_who(t);
	assert(dimensions == r->dimensions);
	for (uint32_t i = 0; i < dimensions; i++) {
		if (!index_in(m, t, who, r->dimension[i], &one))
			return NORN_BRIEF_UNKNOWN;
		index = index * row + one;
	}
	at += index + (dimensions > 0 ? r->before[1] * row : 0) + (dimensions > 1 ? r->before[2] * row * row : 0);
	int64_t value = norn_known_values(t)[at];
	if (value == NORN_BRIEF_LONG)
		m->long_value = norn_known_longs(&m->world->program, t)[at];
	return value;
}

__attribute__((noinline)) static void note(
        struct norn_local_monitor *m, uint32_t remote, const struct norn_known_thread *t, int64_t value)
{
	struct norn_evidence *e = m->evidence;
	if (e->count == NORN_EVIDENCE_MAX || truth_of(m, value) == NORN_TRUTH_NO)
		return;
	for (uint32_t i = 0; i < e->count; i++)
		if (e->items[i].remote == remote && e->items[i].number == t->number)
			return;
	struct norn_evidence_item *item = &e->items[e->count++];
	*item = (struct norn_evidence_item){.remote = remote,
	        .seat = t->seat,
	        .number = t->number,
	        .site = t->site,
	        .value = norn_brief_value(value, &m->long_value),
	        .origin = m->origins[t->seat]};
	memcpy(item->name, t->name, sizeof item->name);
}

__attribute__((always_inline)) static inline int64_t known_of(
        struct norn_local_monitor *m, const struct norn_local_monitor_line *l, uint32_t dimensions)
{
	const struct norn_local_monitor_remote *r = l->remote;
	uint32_t x = m->assigned[l->variable], seat = x - 1;
	if (x == NORN_SEAT_NONE || (x && seat == m->seat))
		return norn_local_monitor_value(m, l->a);
	const struct norn_known_thread *t = x ? norn_local_monitor_heard(m, seat) : NULL;
	if (!t)
		return recall(m, r->stranger, &r->long_stranger);
	int64_t value = lookup(m, r, t, dimensions);
	if (m->evidence)
		note(m, (uint32_t)(r - m->world->remotes), t, value);
	return value;
}

static int64_t eval_at(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return known_of(m, l, 0);
}

static int64_t eval_at_one(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return known_of(m, l, 1);
}

static int64_t eval_at_two(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return known_of(m, l, 2);
}

/* True if the thread on that seat, which may be the local monitor's own, is there, and of that type. */
static inline bool is_there(const struct norn_local_monitor *m, const struct norn_thread_name *v, uint32_t seat)
{
	bool ended = m->ended;
	uint64_t types = m->types;
	if (seat != m->seat) {
		const struct norn_known_thread *t = norn_local_monitor_heard(m, seat);
		if (!t)
			return false;
		ended = t->ended;
		types = t->types;
	}
	return !ended && (v->type == NORN_SLOT_NONE || types >> v->type & 1);
}

/* Itself is not told of by others, so it is only left out where it is not meant anyway. */
__attribute__((noinline)) static void ask(struct norn_local_monitor *m, const struct norn_local_monitor_line *l,
        const struct norn_local_monitor_guard *guard, bool all, struct norn_local_monitor_asked *ret_asked)
{
	uint32_t count = norn_local_monitor_seats(m);
	assert(count <= 64); /* bits of ret_asked */
	*ret_asked = (struct norn_local_monitor_asked){.time = m->time};
	for (uint32_t seat = 0; seat < count; seat++) {
		uint64_t bit = UINT64_C(1) << seat;
		if (seat == m->seat) {
			ret_asked->seats |= guard->self == NORN_SLOT_NONE || l->name->other != guard->self ? bit : 0;
			continue;
		}
		m->assigned[l->variable] = seat + 1;
		enum norn_truth t = is_there(m, l->name, seat) ? truth_at(m, guard->line) : (enum norn_truth)all;
		ret_asked->seats |= t != (enum norn_truth)all ? bit : 0;
		ret_asked->sure |= t == (enum norn_truth) !all ? bit : 0;
	}
}

static const struct norn_local_monitor_asked everybody = {.seats = UINT64_MAX};

static inline const struct norn_local_monitor_asked *whom_to_ask(struct norn_local_monitor *m,
        const struct norn_local_monitor_line *l, const struct norn_local_monitor_guard *guard, bool all)
{
	struct norn_local_monitor_asked *asked = &m->asked[l->guard - 1];
	if (m->evidence || norn_local_monitor_seats(m) > 64)
		return &everybody;
	if (guard->self != NORN_SLOT_NONE && (m->assigned[guard->self] != m->self || m->seat == NORN_SEAT_NONE))
		return &everybody;
	if (asked->time != m->time)
		ask(m, l, guard, all, asked);
	return asked;
}

__attribute__((always_inline)) static inline int64_t quantified(
        struct norn_local_monitor *m, const struct norn_local_monitor_line *l, bool all)
{
	const struct norn_thread_name *v = l->name;
	const struct norn_local_monitor_guard *guard = l->guard ? &m->world->guards[l->guard - 1] : NULL;
	const struct norn_local_monitor_asked *asked = guard ? whom_to_ask(m, l, guard, all) : &everybody;
	uint32_t before = m->assigned[l->variable], count = norn_local_monitor_seats(m);
	int64_t result = all;
	for (uint32_t seat = 0; asked->seats >> seat % 64 && seat < count; seat++) {
		bool meant = v->other == NORN_SLOT_NONE || m->assigned[v->other] != seat + 1, sure = asked->sure >> seat % 64 & 1;
		if (!(asked->seats >> seat % 64 & 1) || !meant || !(sure || is_there(m, v, seat)))
			continue;
		m->assigned[l->variable] = seat + 1;
		enum norn_truth one = truth_at(m, sure ? guard->rest : l->a);
		if (one == (all ? NORN_TRUTH_NO : NORN_TRUTH_YES)) {
			result = one;
			break;
		}
		if (one == NORN_TRUTH_UNKNOWN)
			result = NORN_BRIEF_UNKNOWN;
	}
	m->assigned[l->variable] = before;
	return result;
}

static int64_t eval_forall(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return quantified(m, l, true);
}

static int64_t eval_exists(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return quantified(m, l, false);
}

/* ---- the past ---- */

size_t norn_local_monitor_cell(
        const struct norn_local_monitor *m, const uint32_t *before, const uint32_t *dimension, uint32_t dimensions)
{
	size_t index = 0;
	for (uint32_t i = 0; i < dimensions; i++) {
		uint32_t x = m->assigned[dimension[i]];
		index = index * (m->width + 1ul) + (x <= m->width ? x : 0);
	}
	return norn_mttl_offset(before, m->width) + index;
}

static enum norn_truth kept_before(const struct norn_local_monitor *m, uint64_t table)
{
	const struct norn_mttl_table *t = &m->world->program.tables[table];
	return (enum norn_truth)m->kept[norn_local_monitor_cell(m, t->before, t->dimension, t->dimensions)];
}

/* docs/property-language.md: at the first position prev p is p, and since has no past. */
static enum norn_truth past(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	uint32_t op = written(m, l)->op;
	enum norn_truth a = truth_at(m, l->a), b, pre = m->first ? NORN_TRUTH_NO : kept_before(m, l->index);
	enum norn_truth since = m->first ? NORN_TRUTH_NO : pre, weakly = m->first ? NORN_TRUTH_YES : pre;
	switch (op) {
	case NORN_MTTL_PREV:
		return m->first ? a : pre;
	case NORN_MTTL_START:
		return both(a, opposite(m->first ? a : pre));
	case NORN_MTTL_END:
		return both(opposite(a), m->first ? a : pre);
	case NORN_MTTL_ONCE:
		return either(a, since);
	case NORN_MTTL_HIST:
		return both(a, weakly);
	default:
		break;
	}
	b = truth_at(m, l->b);
	switch (op) {
	case NORN_MTTL_SINCE:
		return either(b, both(a, since));
	case NORN_MTTL_WEAK_SINCE:
		return either(b, both(a, weakly));
	case NORN_MTTL_INTERVAL:
		return both(opposite(b), either(a, since));
	default: /* WEAK_INTERVAL */
		return both(opposite(b), either(a, weakly));
	}
}

static int64_t eval_past(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return of_truth(past(m, l));
}

enum norn_truth norn_local_monitor_keep(struct norn_local_monitor *m, const struct norn_mttl_table *table)
{
	const struct norn_local_monitor_line *l = &m->world->lines[table->line];
	return truth_at(m, written(m, l)->op <= NORN_MTTL_END ? l->a : l);
}

/* ---- operators ---- */

static int64_t combine(
        struct norn_local_monitor *m, const struct norn_local_monitor_line *l, struct norn_value a, struct norn_value b)
{
	a = norn_value_operate((enum norn_expr_op)(written(m, l)->op - NORN_MTTL_VALUE), a, b);
	return shorten(m, &a);
}

/* From its first operand on. */
__attribute__((noinline)) static int64_t go_on(struct norn_local_monitor *m, const struct norn_local_monitor_line *l, int64_t a)
{
	struct norn_value left = norn_brief_value(a, &m->long_value);
	if (l->b == l->a)
		return combine(m, l, left, left);
	int64_t b = norn_local_monitor_value(m, l->b);
	return combine(m, l, left, norn_brief_value(b, &m->long_value));
}

/* From its second one on. */
__attribute__((noinline)) static int64_t finish(
        struct norn_local_monitor *m, const struct norn_local_monitor_line *l, int64_t a, int64_t b)
{
	return combine(m, l, norn_value_integer(a), norn_brief_value(b, &m->long_value));
}

static int64_t eval_operator(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	return go_on(m, l, norn_local_monitor_value(m, l->a));
}

static int64_t eval_not(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	int64_t a = norn_local_monitor_value(m, l->a);
	return a > NORN_BRIEF_LONG ? !a : of_truth(opposite(odd_truth(m, a)));
}

/* The most frequent ones, on small integers: what `small` is made of a and b. */
#define EVAL(name, small)                                                                                                          \
	static int64_t eval_##name(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)                          \
	{                                                                                                                          \
		int64_t a = norn_local_monitor_value(m, l->a), b, result;                                                          \
		if (a <= NORN_BRIEF_LONG)                                                                                          \
			return go_on(m, l, a);                                                                                     \
		b = norn_local_monitor_value(m, l->b);                                                                             \
		return b > NORN_BRIEF_LONG && (small) && result > NORN_BRIEF_LONG ? result : finish(m, l, a, b);                   \
	}
EVAL(equal, (result = a == b, true))
EVAL(less, (result = a < b, true))
EVAL(at_most, (result = a <= b, true))
EVAL(sum, !__builtin_add_overflow(a, b, &result))
EVAL(difference, !__builtin_sub_overflow(a, b, &result))

/* ---- all ---- */

static norn_local_monitor_function *evaluator_of(const struct norn_mttl *p, const struct norn_mttl_line *line)
{
	static norn_local_monitor_function *const at[] = {eval_at, eval_at_one, eval_at_two};
	static norn_local_monitor_function *const functions[] = {[NORN_MTTL_PLACE] = eval_place,
	        [NORN_MTTL_LOCAL] = eval_local,
	        [NORN_MTTL_SLOT] = eval_slot,
	        [NORN_MTTL_EVENT] = eval_event,
	        [NORN_MTTL_ACCESS] = eval_access,
	        [NORN_MTTL_AND] = eval_and,
	        [NORN_MTTL_OR] = eval_or,
	        [NORN_MTTL_FORALL] = eval_forall,
	        [NORN_MTTL_EXISTS] = eval_exists,
	        [NORN_MTTL_VALUE + NORN_EXPR_NOT] = eval_not,
	        [NORN_MTTL_VALUE + NORN_EXPR_EQ] = eval_equal,
	        [NORN_MTTL_VALUE + NORN_EXPR_LT] = eval_less,
	        [NORN_MTTL_VALUE + NORN_EXPR_LE] = eval_at_most,
	        [NORN_MTTL_VALUE + NORN_EXPR_ADD] = eval_sum,
	        [NORN_MTTL_VALUE + NORN_EXPR_SUB] = eval_difference,
	        [NORN_MTTL_VALUE + NORN_EXPR_AT] = NULL};
	const struct norn_value number = norn_mttl_constant(line);
	bool both_same = line->op >= NORN_MTTL_VALUE && line->op != NORN_MTTL_VALUE + NORN_EXPR_NOT && line->a == line->b;
	if (line->op == NORN_MTTL_CONST)
		return norn_brief(&number) == NORN_BRIEF_LONG ? eval_long_const : eval_const;
	if (line->op == NORN_MTTL_AT)
		return at[p->remotes[line->index].dimensions];
	if (!both_same && functions[line->op])
		return functions[line->op];
	return line->op < NORN_MTTL_VALUE ? eval_past : eval_operator;
}

static int64_t eval_once(struct norn_local_monitor *m, const struct norn_local_monitor_line *l)
{
	struct norn_local_monitor_memo *memo = &m->memo[l - m->world->lines];
	if (memo->stamp != m->stamp) {
		memo->brief = evaluator_of(&m->world->program, written(m, l))(m, l);
		memo->whole = m->long_value;
		memo->stamp = m->stamp;
	}
	return recall(m, memo->brief, &memo->whole);
}

norn_local_monitor_function *norn_local_monitor_evaluator(
        const struct norn_mttl *program, const struct norn_mttl_line *line, bool kept)
{
	return kept ? eval_once : evaluator_of(program, line);
}
