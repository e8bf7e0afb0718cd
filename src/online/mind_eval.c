/* Table 1 of the paper, on what a mind knows. Values are brief (knowledge.h); the last long one is in long_value. */
#include "online/mind_in.h"

#include <string.h>

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

/* A value that is kept in brief, and whole where it is long. */
static int64_t recall(struct norn_mind *m, int64_t brief, const struct norn_value *whole)
{
	if (brief == NORN_BRIEF_LONG)
		m->long_value = *whole;
	return brief;
}

static int64_t shorten(struct norn_mind *m, const struct norn_value *value)
{
	return recall(m, norn_brief(value), value);
}

static enum norn_truth truth_of(const struct norn_mind *m, int64_t value)
{
	if (value > NORN_BRIEF_LONG)
		return value != 0;
	return value == NORN_BRIEF_LONG ? norn_value_truth(m->long_value) : NORN_TRUTH_UNKNOWN;
}

/* Most lines are the thread's own variables, or numbers. */
static inline int64_t value_at(struct norn_mind *m, uint32_t line)
{
	const struct norn_mind_line *l = &m->lines[line];
	int64_t value = l->op == NORN_MTTL_CONST ? l->number : l->op == NORN_MTTL_LOCAL ? m->locals[l->index] : NORN_BRIEF_LONG;
	return value != NORN_BRIEF_LONG ? value : norn_mind_eval(m, line);
}

static inline enum norn_truth truth_at(struct norn_mind *m, uint32_t line)
{
	return truth_of(m, value_at(m, line));
}

enum norn_truth norn_mind_truth(struct norn_mind *m, uint32_t line)
{
	return truth_at(m, line);
}

/* ---- atoms ---- */

static enum norn_truth is_occurrence(struct norn_mind *m, const struct norn_mind_line *l, const struct norn_occurrence *o)
{
	enum norn_truth t = (enum norn_truth)o->holds;
	for (uint32_t i = 0; i < l->b; i++) {
		uint32_t argument = m->world->program.arguments[l->a + i];
		if (argument == NORN_SLOT_NONE)
			continue;
		int64_t wanted = value_at(m, argument);
		struct norn_value given = i < o->slot_count ? o->slots[i] : norn_value_unknown();
		t = both(t, norn_value_equal(given, norn_brief_value(wanted, &m->long_value)));
	}
	return t;
}

static int64_t event_atom(struct norn_mind *m, const struct norn_mind_line *l)
{
	enum norn_truth t = NORN_TRUTH_NO;
	for (uint32_t i = 0; i < m->impression->occurrence_count; i++)
		if (m->impression->occurrences[i].event == l->index)
			t = either(t, is_occurrence(m, l, &m->impression->occurrences[i]));
	return of_truth(t);
}

static int64_t access_atom(const struct norn_mind *m, const struct norn_mind_line *l)
{
	bool found = false;
	for (uint32_t i = 0; i < m->impression->touch_count; i++) {
		const struct norn_touch *t = &m->impression->touches[i];
		if (t->place == l->index)
			found |= (t->reads && l->a != NORN_WORD_WRITE) || (t->writes && l->a != NORN_WORD_READ);
	}
	return found;
}

/* ---- other threads ---- */

/* The number under which a thread's tables have the thread that a variable stands for; false: nobody can tell. */
static bool index_in(
        const struct norn_mind *m, const struct norn_known_thread *t, const uint32_t *who, uint32_t variable, size_t *ret_index)
{
	uint32_t x = m->assigned[variable];
	*ret_index = 0;
	if (x == 0 || x == NORN_SEAT_NONE || x > t->width || x > m->width)
		return true;
	if (who[x - 1] == m->who[x - 1])
		*ret_index = x;
	return who[x - 1] <= m->who[x - 1]; /* an older thread of this seat: it has not heard of this one */
}

static int64_t lookup(struct norn_mind *m, const struct norn_mttl_remote *r, const struct norn_known_thread *t)
{
	const struct norn_mttl *p = &m->world->program;
	size_t at = norn_mttl_offset(r->before, t->width), index = 0, one;
	if (r->dimensions) {
		const uint32_t *who = norn_known_who(p, t);
		for (uint32_t i = 0; i < r->dimensions; i++) {
			if (!index_in(m, t, who, r->dimension[i], &one))
				return NORN_BRIEF_UNKNOWN;
			index = index * (t->width + 1ul) + one;
		}
	}
	int64_t value = t->values[at + index];
	return value != NORN_BRIEF_LONG ? value : recall(m, value, norn_known_longs(p, t) + at + index);
}

static void note(struct norn_mind *m, uint32_t remote, const struct norn_known_thread *t, int64_t value)
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
	        .lesson = m->lessons[t->seat]};
	memcpy(item->name, t->name, sizeof item->name);
}

static int64_t known_of(struct norn_mind *m, const struct norn_mind_line *l)
{
	uint32_t x = m->assigned[l->b];
	if (x == NORN_SEAT_NONE || (x && x - 1 == m->seat))
		return value_at(m, l->a);
	const struct norn_known_thread *t = x ? norn_mind_heard(m, x - 1) : NULL;
	if (!t)
		return recall(m, m->world->strangers[l->index], &m->world->long_strangers[l->index]);
	int64_t value = lookup(m, &m->world->program.remotes[l->index], t);
	if (m->evidence)
		note(m, (uint32_t)l->index, t, value);
	return value;
}

/* Whether the thread on that seat, which may be the mind's own, is one that the quantified variable ranges over. */
static inline bool can_mean(const struct norn_mind *m, const struct norn_thread_name *v, uint32_t seat)
{
	const struct norn_known_thread *t = seat == m->seat ? NULL : norn_mind_heard(m, seat);
	if (!t && seat != m->seat)
		return false;
	bool ended = t ? t->ended : m->ended;
	uint64_t types = t ? t->types : m->types;
	if (ended || (v->type != NORN_SLOT_NONE && !(types >> v->type & 1)))
		return false;
	return v->other == NORN_SLOT_NONE || m->assigned[v->other] != seat + 1;
}

static int64_t quantified(struct norn_mind *m, const struct norn_mind_line *l)
{
	const struct norn_thread_name *v = &m->world->program.variables[l->b];
	bool all = l->op == NORN_MTTL_FORALL;
	enum norn_truth t = all ? NORN_TRUTH_YES : NORN_TRUTH_NO;
	uint32_t before = m->assigned[l->b], count = norn_mind_seats(m);
	for (uint32_t seat = 0; seat < count && t != (all ? NORN_TRUTH_NO : NORN_TRUTH_YES); seat++) {
		if (!can_mean(m, v, seat))
			continue;
		m->assigned[l->b] = seat + 1;
		t = all ? both(t, truth_at(m, l->a)) : either(t, truth_at(m, l->a));
	}
	m->assigned[l->b] = before;
	return of_truth(t);
}

/* ---- the past ---- */

size_t norn_mind_cell(const struct norn_mind *m, const uint32_t *before, const uint32_t *dimension, uint32_t dimensions)
{
	size_t index = 0;
	for (uint32_t i = 0; i < dimensions; i++) {
		uint32_t x = m->assigned[dimension[i]];
		index = index * (m->width + 1ul) + (x <= m->width ? x : 0);
	}
	return norn_mttl_offset(before, m->width) + index;
}

static enum norn_truth kept_before(const struct norn_mind *m, uint64_t table)
{
	const struct norn_mttl_table *t = &m->world->program.tables[table];
	return (enum norn_truth)m->kept[norn_mind_cell(m, t->before, t->dimension, t->dimensions)];
}

/* properties.md, section 2. */
static enum norn_truth past(struct norn_mind *m, const struct norn_mind_line *l)
{
	enum norn_truth a = truth_at(m, l->a), b, pre = m->first ? NORN_TRUTH_NO : kept_before(m, l->index);
	enum norn_truth since = m->first ? NORN_TRUTH_NO : pre, weakly = m->first ? NORN_TRUTH_YES : pre;
	switch (l->op) {
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
	switch (l->op) {
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

enum norn_truth norn_mind_keep(struct norn_mind *m, const struct norn_mttl_table *table)
{
	const struct norn_mind_line *l = &m->lines[table->line];
	return truth_at(m, l->op <= NORN_MTTL_END ? l->a : table->line);
}

/* ---- all ---- */

static int64_t operate(struct norn_mind *m, const struct norn_mind_line *l)
{
	int64_t a = value_at(m, l->a), b = a, result;
	struct norn_value whole;
	if (a == NORN_BRIEF_LONG)
		whole = m->long_value;
	if (l->b != l->a)
		b = value_at(m, l->b);
	if (a > NORN_BRIEF_LONG && b > NORN_BRIEF_LONG)
		switch (l->op - NORN_MTTL_VALUE) {
		case NORN_EXPR_EQ:
			return a == b;
		case NORN_EXPR_LT:
			return a < b;
		case NORN_EXPR_LE:
			return a <= b;
		case NORN_EXPR_NOT:
			return !a;
		case NORN_EXPR_ADD:
			if (!__builtin_add_overflow(a, b, &result) && result > NORN_BRIEF_LONG)
				return result;
			break;
		case NORN_EXPR_SUB:
			if (!__builtin_sub_overflow(a, b, &result) && result > NORN_BRIEF_LONG)
				return result;
			break;
		default:
			break;
		}
	whole = norn_value_operate((enum norn_expr_op)(l->op - NORN_MTTL_VALUE), norn_brief_value(a, &whole),
	        norn_brief_value(b, l->b == l->a ? &whole : &m->long_value));
	return shorten(m, &whole);
}

static int64_t constant(struct norn_mind *m, const struct norn_mind_line *l)
{
	const struct norn_value whole = norn_value_integer(m->world->program.lines[l - m->lines].number);
	return recall(m, l->number, &whole);
}

static int64_t slot(struct norn_mind *m, uint64_t index)
{
	return m->updating && index < m->updating->slot_count ? shorten(m, &m->updating->slots[index]) : NORN_BRIEF_UNKNOWN;
}

static int64_t compute(struct norn_mind *m, const struct norn_mind_line *l)
{
	enum norn_truth a;
	switch (l->op) {
	case NORN_MTTL_CONST:
		return constant(m, l);
	case NORN_MTTL_PLACE:
		return shorten(m, &(m->news ? m->heard_places : m->now->places)[l->index].value);
	case NORN_MTTL_LOCAL:
		return recall(m, m->locals[l->index], &m->long_locals[l->index]);
	case NORN_MTTL_SLOT:
		return slot(m, l->index);
	case NORN_MTTL_EVENT:
		return event_atom(m, l);
	case NORN_MTTL_ACCESS:
		return access_atom(m, l);
	case NORN_MTTL_AND:
		a = truth_at(m, l->a);
		return of_truth(a == NORN_TRUTH_NO ? a : both(a, truth_at(m, l->b)));
	case NORN_MTTL_OR:
		a = truth_at(m, l->a);
		return of_truth(a == NORN_TRUTH_YES ? a : either(a, truth_at(m, l->b)));
	case NORN_MTTL_AT:
		return known_of(m, l);
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return quantified(m, l);
	default:
		return l->op < NORN_MTTL_VALUE ? of_truth(past(m, l)) : operate(m, l);
	}
}

static int64_t compute_once(struct norn_mind *m, uint32_t line)
{
	struct norn_mind_memo *memo = &m->memo[line];
	if (memo->stamp != m->stamp) {
		memo->brief = compute(m, &m->lines[line]);
		memo->whole = m->long_value;
		memo->stamp = m->stamp;
	}
	return recall(m, memo->brief, &memo->whole);
}

int64_t norn_mind_eval(struct norn_mind *m, uint32_t line)
{
	const struct norn_mind_line *l = &m->lines[line];
	return l->kept ? compute_once(m, line) : compute(m, l);
}
