/* Table 1 of the paper, on what a mind knows. */
#include "online/mind_in.h"

#include <string.h>

static struct norn_value of_truth(enum norn_truth t)
{
	return t == NORN_TRUTH_UNKNOWN ? norn_value_unknown() : norn_value_integer(t);
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

static enum norn_truth truth_at(struct norn_mind *m, uint32_t line)
{
	return norn_value_truth(norn_mind_eval(m, line));
}

/* ---- atoms ---- */

static enum norn_truth is_occurrence(struct norn_mind *m, const struct norn_mttl_line *l, const struct norn_occurrence *o)
{
	enum norn_truth t = (enum norn_truth)o->holds;
	for (uint32_t i = 0; i < l->b; i++) {
		uint32_t argument = m->world->program.arguments[l->a + i];
		if (argument == NORN_SLOT_NONE)
			continue;
		struct norn_value given = i < o->slot_count ? o->slots[i] : norn_value_unknown();
		t = both(t, norn_value_equal(given, norn_mind_eval(m, argument)));
	}
	return t;
}

static struct norn_value event_atom(struct norn_mind *m, const struct norn_mttl_line *l)
{
	enum norn_truth t = NORN_TRUTH_NO;
	for (uint32_t i = 0; i < m->impression->occurrence_count; i++)
		if (m->impression->occurrences[i].event == l->index)
			t = either(t, is_occurrence(m, l, &m->impression->occurrences[i]));
	return of_truth(t);
}

static struct norn_value access_atom(const struct norn_mind *m, const struct norn_mttl_line *l)
{
	bool found = false;
	for (uint32_t i = 0; i < m->impression->touch_count; i++) {
		const struct norn_touch *t = &m->impression->touches[i];
		if (t->place == l->index)
			found |= (t->reads && l->a != NORN_WORD_WRITE) || (t->writes && l->a != NORN_WORD_READ);
	}
	return norn_value_integer(found);
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

static struct norn_value lookup(const struct norn_mind *m, const struct norn_mttl_remote *r, const struct norn_known_thread *t)
{
	const struct norn_mttl *p = &m->world->program;
	const uint32_t *who = norn_known_who(p, t);
	size_t index = 0, one;
	for (uint32_t i = 0; i < r->dimensions; i++) {
		if (!index_in(m, t, who, r->dimension[i], &one))
			return norn_value_unknown();
		index = index * (t->width + 1ul) + one;
	}
	return t->values[norn_mttl_offset(r->before, t->width) + index];
}

static void note(struct norn_mind *m, uint32_t remote, const struct norn_known_thread *t, struct norn_value value)
{
	struct norn_evidence *e = m->evidence;
	if (!e || e->count == NORN_EVIDENCE_MAX || norn_value_truth(value) == NORN_TRUTH_NO)
		return;
	for (uint32_t i = 0; i < e->count; i++)
		if (e->items[i].remote == remote && e->items[i].number == t->number)
			return;
	struct norn_evidence_item *item = &e->items[e->count++];
	*item = (struct norn_evidence_item){.remote = remote,
	        .seat = t->seat,
	        .number = t->number,
	        .site = t->site,
	        .value = value,
	        .lesson = m->lessons[t->seat]};
	memcpy(item->name, t->name, sizeof item->name);
}

static struct norn_value known_of(struct norn_mind *m, const struct norn_mttl_line *l)
{
	uint32_t x = m->assigned[l->b];
	if (x == NORN_SEAT_NONE || (x && x - 1 == m->seat))
		return norn_mind_eval(m, l->a);
	const struct norn_known_thread *t = x ? norn_mind_heard(m, x - 1) : NULL;
	if (!t)
		return m->world->strangers[l->index];
	struct norn_value value = lookup(m, &m->world->program.remotes[l->index], t);
	if (m->evidence)
		note(m, l->index, t, value);
	return value;
}

bool norn_mind_can_mean(const struct norn_mind *m, uint32_t variable, uint32_t seat)
{
	const struct norn_thread_name *v = &m->world->program.variables[variable];
	const struct norn_known_thread *t = seat == m->seat ? NULL : norn_mind_heard(m, seat);
	bool ended = t ? t->ended : m->ended;
	uint64_t types = t ? t->types : m->types;
	if (!t && seat != m->seat)
		return false;
	if (ended || (v->type != NORN_SLOT_NONE && !(types >> v->type & 1)))
		return false;
	return v->other == NORN_SLOT_NONE || m->assigned[v->other] != seat + 1;
}

static struct norn_value quantified(struct norn_mind *m, const struct norn_mttl_line *l)
{
	bool all = l->op == NORN_MTTL_FORALL;
	enum norn_truth t = all ? NORN_TRUTH_YES : NORN_TRUTH_NO;
	uint32_t before = m->assigned[l->b], count = norn_mind_seats(m);
	for (uint32_t seat = 0; seat < count && t != (all ? NORN_TRUTH_NO : NORN_TRUTH_YES); seat++) {
		if (!norn_mind_can_mean(m, l->b, seat))
			continue;
		m->assigned[l->b] = seat + 1;
		t = all ? both(t, truth_at(m, l->a)) : either(t, truth_at(m, l->a));
	}
	m->assigned[l->b] = before;
	return of_truth(t);
}

/* ---- the past ---- */

size_t norn_mind_cell(const struct norn_mind *m, const uint32_t *dimension, uint32_t dimensions)
{
	size_t index = 0;
	for (uint32_t i = 0; i < dimensions; i++) {
		uint32_t x = m->assigned[dimension[i]];
		index = index * (m->width + 1ul) + (x <= m->width ? x : 0);
	}
	return index;
}

static enum norn_truth kept_before(const struct norn_mind *m, uint32_t table)
{
	const struct norn_mttl_table *t = &m->world->program.tables[table];
	return (enum norn_truth)m->kept[norn_mttl_offset(t->before, m->width) + norn_mind_cell(m, t->dimension, t->dimensions)];
}

/* properties.md, section 2. */
static enum norn_truth past(struct norn_mind *m, const struct norn_mttl_line *l)
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
	const struct norn_mttl_line *l = &m->world->program.lines[table->line];
	return truth_at(m, l->op <= NORN_MTTL_END ? l->a : table->line);
}

/* ---- all ---- */

static struct norn_value compute(struct norn_mind *m, const struct norn_mttl_line *l)
{
	switch (l->op) {
	case NORN_MTTL_CONST:
		return norn_value_integer(l->number);
	case NORN_MTTL_PLACE:
		return (m->news ? m->heard_places : m->now->places)[l->index].value;
	case NORN_MTTL_LOCAL:
		return m->locals[l->index];
	case NORN_MTTL_SLOT:
		return m->updating && l->index < m->updating->slot_count ? m->updating->slots[l->index] : norn_value_unknown();
	case NORN_MTTL_EVENT:
		return event_atom(m, l);
	case NORN_MTTL_ACCESS:
		return access_atom(m, l);
	case NORN_MTTL_AND: {
		enum norn_truth a = truth_at(m, l->a);
		return of_truth(a == NORN_TRUTH_NO ? a : both(a, truth_at(m, l->b)));
	}
	case NORN_MTTL_OR: {
		enum norn_truth a = truth_at(m, l->a);
		return of_truth(a == NORN_TRUTH_YES ? a : either(a, truth_at(m, l->b)));
	}
	case NORN_MTTL_AT:
		return known_of(m, l);
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return quantified(m, l);
	default:
		break;
	}
	if (l->op < NORN_MTTL_VALUE)
		return of_truth(past(m, l));
	struct norn_value a = norn_mind_eval(m, l->a);
	return norn_value_operate((enum norn_expr_op)(l->op - NORN_MTTL_VALUE), a, l->b == l->a ? a : norn_mind_eval(m, l->b));
}

/* ---- the same for small integers, which is what formulas are mostly about ---- */

static bool as_small(const struct norn_value *value, int64_t *ret_value)
{
	*ret_value = (int64_t)value->integer;
	return value->known && !value->is_float && value->integer == *ret_value;
}

static bool quick_at(struct norn_mind *m, const struct norn_mttl_line *l, int64_t *ret_value)
{
	uint32_t x = m->assigned[l->b];
	if (x == NORN_SEAT_NONE || (x && x - 1 == m->seat))
		return norn_mind_quick(m, l->a, ret_value);
	const struct norn_known_thread *t = x ? norn_mind_heard(m, x - 1) : NULL;
	if (!t)
		return as_small(&m->world->strangers[l->index], ret_value);
	const struct norn_mttl_remote *r = &m->world->program.remotes[l->index];
	const uint32_t *who = norn_known_who(&m->world->program, t);
	size_t index = 0, one;
	for (uint32_t i = 0; i < r->dimensions; i++) {
		if (!index_in(m, t, who, r->dimension[i], &one))
			return false;
		index = index * (t->width + 1ul) + one;
	}
	return as_small(&t->values[norn_mttl_offset(r->before, t->width) + index], ret_value);
}

static bool quick_quantified(struct norn_mind *m, const struct norn_mttl_line *l, int64_t *ret_value)
{
	uint32_t before = m->assigned[l->b], count = norn_mind_seats(m);
	bool all = l->op == NORN_MTTL_FORALL, known = true, decided = false;
	for (uint32_t seat = 0; seat < count && known && !decided; seat++) {
		int64_t one;
		if (!norn_mind_can_mean(m, l->b, seat))
			continue;
		m->assigned[l->b] = seat + 1;
		known = norn_mind_quick(m, l->a, &one);
		decided = known && (one != 0) != all;
	}
	m->assigned[l->b] = before;
	*ret_value = all != decided;
	return known;
}

static bool quick_operator(uint32_t op, int64_t a, int64_t b, int64_t *ret_value)
{
	switch (op) {
	case NORN_EXPR_EQ:
		*ret_value = a == b;
		return true;
	case NORN_EXPR_LT:
		*ret_value = a < b;
		return true;
	case NORN_EXPR_LE:
		*ret_value = a <= b;
		return true;
	case NORN_EXPR_NOT:
		*ret_value = !a;
		return true;
	case NORN_EXPR_ADD:
		return !__builtin_add_overflow(a, b, ret_value);
	case NORN_EXPR_SUB:
		return !__builtin_sub_overflow(a, b, ret_value);
	default:
		return false;
	}
}

bool norn_mind_quick(struct norn_mind *m, uint32_t line, int64_t *ret_value)
{
	const struct norn_mttl_line *l = &m->world->program.lines[line];
	int64_t a, b;
	switch (l->op) {
	case NORN_MTTL_CONST:
		*ret_value = (int64_t)l->number;
		return l->number == *ret_value;
	case NORN_MTTL_PLACE:
		return as_small(&(m->news ? m->heard_places : m->now->places)[l->index].value, ret_value);
	case NORN_MTTL_LOCAL:
		return as_small(&m->locals[l->index], ret_value);
	case NORN_MTTL_EVENT:
		*ret_value = 0;
		return !m->impression->occurrence_count;
	case NORN_MTTL_ACCESS:
		*ret_value = m->impression->touch_count && access_atom(m, l).integer;
		return true;
	case NORN_MTTL_AND:
	case NORN_MTTL_OR:
		if (!norn_mind_quick(m, l->a, &a))
			return false;
		*ret_value = a != 0;
		if ((a != 0) == (l->op == NORN_MTTL_OR))
			return true;
		if (!norn_mind_quick(m, l->b, &b))
			return false;
		*ret_value = b != 0;
		return true;
	case NORN_MTTL_AT:
		return quick_at(m, l, ret_value);
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return quick_quantified(m, l, ret_value);
	default:
		break;
	}
	if (l->op < NORN_MTTL_VALUE || !norn_mind_quick(m, l->a, &a))
		return false;
	if (l->b == l->a)
		b = a;
	else if (!norn_mind_quick(m, l->b, &b))
		return false;
	return quick_operator(l->op - NORN_MTTL_VALUE, a, b, ret_value);
}

struct norn_value norn_mind_eval(struct norn_mind *m, uint32_t line)
{
	const struct norn_mttl_line *l = &m->world->program.lines[line];
	if (l->free)
		return compute(m, l);
	if (m->memo_stamp[line] != m->stamp) {
		m->memo[line] = compute(m, l);
		m->memo_stamp[line] = m->stamp;
	}
	return m->memo[line];
}
