/* One position of a thread's formulas: ghosts, then tables and remotes, then verdicts. */
#include <string.h>

#include "online/mind_in.h"

uint64_t norn_mind_all_properties(const struct norn_mttl *p)
{
	return p->property_count == 64 ? UINT64_MAX : (UINT64_C(1) << p->property_count) - 1;
}

uint64_t norn_mind_positions_of(const struct norn_mind *m, const struct norn_impression *im)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t properties = 0;
	if (!im->call)
		return norn_mind_all_properties(p);
	for (uint32_t i = 0; i < im->occurrence_count; i++)
		if (im->occurrences[i].event < p->event_count)
			properties |= p->event_properties[im->occurrences[i].event];
	for (uint32_t i = 0; i < im->setting_count; i++)
		for (uint32_t l = 0; l < p->local_count; l++)
			if (!p->locals[l].ghost && p->locals[l].index == im->settings[i].place)
				properties |= p->locals[l].properties;
	return properties;
}

static bool is_less(struct norn_value a, struct norn_value b)
{
	return norn_value_truth(norn_value_operate(NORN_EXPR_LT, a, b)) == NORN_TRUTH_YES;
}

/* whole: the same value, if it is long. */
static void set_local(struct norn_mind *m, uint32_t local, int64_t value, const struct norn_value *whole)
{
	if (m->locals[local] == value && value != NORN_BRIEF_LONG)
		return;
	m->locals[local] = value;
	m->dirty |= UINT64_C(1) << local % NORN_NEED_LOCALS;
	if (value == NORN_BRIEF_LONG)
		m->long_locals[local] = *whole;
	if (!m->world->climbing[local])
		return;
	struct norn_value now = norn_brief_value(value, whole);
	if (!now.known || is_less(m->greatest[local], now))
		m->greatest[local] = now;
}

void norn_mind_begin_local(struct norn_mind *m, uint32_t local, struct norn_value value)
{
	m->locals[local] = norn_brief(&value);
	m->long_locals[local] = m->greatest[local] = value;
}

static int64_t updated(struct norn_mind *m, const struct norn_mttl_update *update)
{
	m->stamp++;
	if (!update->fresh)
		return norn_mind_eval(m, update->line);
	m->long_value = norn_value_operate(NORN_EXPR_ADD, m->greatest[update->local], norn_value_integer(1));
	return norn_brief(&m->long_value);
}

#define UPDATES_MAX 8u

/* Every ghost gets its new value at once: updates see the old ones. */
void norn_mind_update_ghosts(struct norn_mind *m, const struct norn_impression *im)
{
	const struct norn_minds *world = m->world;
	const struct norn_mttl *p = &world->program;
	int64_t fresh[UPDATES_MAX];
	struct norn_value whole[UPDATES_MAX];
	uint32_t local[UPDATES_MAX], count = 0;
	for (uint32_t i = 0; i < im->occurrence_count; i++) {
		const struct norn_occurrence *o = &im->occurrences[i];
		if (o->event >= p->event_count)
			continue;
		m->updating = o;
		for (uint32_t u = world->first_update[o->event]; u < world->first_update[o->event + 1] && count < UPDATES_MAX;
		        u++) {
			local[count] = world->updates[u].local;
			fresh[count] = updated(m, &world->updates[u]);
			if (o->holds == NORN_TRUTH_UNKNOWN)
				fresh[count] = NORN_BRIEF_UNKNOWN;
			if (fresh[count] == NORN_BRIEF_LONG)
				whole[count] = m->long_value;
			count++;
		}
	}
	m->updating = NULL;
	for (uint32_t i = 0; i < count; i++)
		set_local(m, local[i], fresh[i], &whole[i]);
	for (uint32_t i = 0; i < im->setting_count; i++)
		for (uint32_t l = 0; l < p->local_count; l++)
			if (!p->locals[l].ghost && p->locals[l].index == im->settings[i].place)
				set_local(m, l, norn_brief(&im->settings[i].value), &im->settings[i].value);
}

static bool same_value(const struct norn_value *a, const struct norn_value *b)
{
	if (a->known != b->known || !a->known)
		return a->known == b->known;
	return a->is_float == b->is_float && (a->is_float ? a->real == b->real : a->integer == b->integer);
}

/* The threads that a dimension can be: strangers, and all that were met. */
static bool is_met(const struct norn_mind *m, uint32_t x)
{
	return x == 0 || m->who[x - 1];
}

static void assign_self(struct norn_mind *m, uint32_t variable)
{
	m->assigned[variable] = m->seat == NORN_SEAT_NONE ? NORN_SEAT_NONE : m->seat + 1;
}

/* ---- tables ---- */

/* For each assignment of the dimensions from this one on. */
static void step_table(struct norn_mind *m, const struct norn_mttl_table *t, uint32_t dimension, bool *changed)
{
	if (dimension == t->dimensions) {
		size_t at = norn_mind_cell(m, t->before, t->dimension, t->dimensions);
		m->next[at] = (int8_t)norn_mind_keep(m, t);
		*changed |= m->next[at] != m->kept[at];
		return;
	}
	for (uint32_t x = 0; x <= m->width; x++) {
		if (!is_met(m, x))
			continue;
		m->assigned[t->dimension[dimension]] = x;
		step_table(m, t, dimension + 1, changed);
	}
	m->assigned[t->dimension[dimension]] = 0;
}

/* ---- remotes ---- */

static void step_cell(struct norn_mind *m, const struct norn_mttl_remote *r, bool *changed)
{
	size_t at = norn_mind_cell(m, r->before, r->dimension, r->dimensions);
	int64_t value = norn_mind_eval(m, r->line);
	if (value == m->values[at] && (value != NORN_BRIEF_LONG || same_value(&m->longs[at], &m->long_value)))
		return;
	*changed = true;
	m->values[at] = value;
	if (value == NORN_BRIEF_LONG) {
		m->longs[at] = m->long_value;
		m->has_longs = true;
	}
}

/* The dimensions but one take all values; that one, if any, is assigned. */
static void step_cells(struct norn_mind *m, const struct norn_mttl_remote *r, uint32_t dimension, uint32_t but, bool *changed)
{
	dimension += dimension == but;
	if (dimension >= r->dimensions) {
		step_cell(m, r, changed);
		return;
	}
	for (uint32_t x = 0; x <= m->width; x++) {
		if (!is_met(m, x))
			continue;
		m->assigned[r->dimension[dimension]] = x;
		step_cells(m, r, dimension + 1, but, changed);
	}
	m->assigned[r->dimension[dimension]] = 0;
}

/* All that the remote says of the thread on a seat. */
static void step_seat(struct norn_mind *m, const struct norn_mttl_remote *r, uint32_t seat, bool *changed)
{
	for (uint32_t i = 0; i < r->dimensions; i++) {
		m->assigned[r->dimension[i]] = seat + 1;
		step_cells(m, r, 0, i, changed);
		m->assigned[r->dimension[i]] = 0;
	}
}

static void step_remote(struct norn_mind *m, uint32_t number, uint64_t dirty, bool *changed)
{
	const struct norn_mttl_remote *r = &m->world->program.remotes[number];
	const struct norn_mind_need *need = &m->world->remote_needs[number];
	if (!(need->own & dirty) && !(r->dimensions && ((need->lent & dirty) || m->fresh_count)))
		return;
	assign_self(m, r->variable);
	if (need->own & dirty) {
		step_cells(m, r, 0, NORN_MTTL_DIMENSIONS, changed);
	} else {
		for (uint32_t i = 0; i < m->fresh_count; i++)
			step_seat(m, r, m->fresh[i], changed);
		if (need->lent & dirty && m->seat != NORN_SEAT_NONE)
			step_seat(m, r, m->seat, changed);
	}
	m->assigned[r->variable] = 0;
}

/* ---- all ---- */

static bool is_stepping(const struct norn_mind *m, uint32_t line)
{
	return m->stepping >> m->world->program.lines[line].property & 1;
}

static uint64_t dirty_of(const struct norn_mind *m, uint32_t property)
{
	return m->stale >> property & 1 ? UINT64_MAX : m->dirty;
}

/* What the news change, besides single entries; m->dirty has variables of the thread that have changed. */
static void find_dirty(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	m->dirty |= NORN_NEED_POSITION;
	if (m->whole || m->news)
		m->dirty |= NORN_NEED_SEATS;
	for (uint32_t i = 0; m->news && i < p->valued; i++)
		if (m->heard_places[i].sequence != m->now->places[i].sequence)
			m->dirty |= NORN_NEED_PLACES;
	/* Whose position it is not will not be asked; only what variables of the thread change is always a position of who needs them. */
	if (m->whole)
		m->stale = UINT64_MAX;
	else if (m->news)
		m->stale |= ~m->stepping;
}

void norn_mind_step_all(struct norn_mind *m, bool *tables_changed, bool *values_changed)
{
	const struct norn_mttl *p = &m->world->program;
	m->stamp++;
	norn_mind_open_eyes(m);
	find_dirty(m);
	if (p->table_count)
		memcpy(m->next, m->kept, norn_mttl_offset(p->tables_of, m->width));
	for (uint32_t i = 0; i < p->table_count; i++)
		if (is_stepping(m, p->tables[i].line))
			step_table(m, &p->tables[i], 0, tables_changed);
	for (uint32_t i = 0; i < p->remote_count; i++)
		if (is_stepping(m, p->remotes[i].line))
			step_remote(m, i, dirty_of(m, p->lines[p->remotes[i].line].property), values_changed);
}

enum norn_truth norn_mind_judge(struct norn_mind *m, const struct norn_mttl_property *property)
{
	const struct norn_mttl *p = &m->world->program;
	uint32_t type = p->variables[property->variable].type;
	if (type != NORN_SLOT_NONE && !(type < 64 && m->types >> type & 1))
		return NORN_TRUTH_YES;
	norn_mind_open_eyes(m);
	assign_self(m, property->variable);
	enum norn_truth t = norn_mind_truth(m, property->root);
	m->assigned[property->variable] = 0;
	return t;
}

uint64_t norn_mind_judge_all(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t before = m->violated;
	for (uint64_t left = m->stepping & norn_mind_all_properties(p); left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		uint64_t bit = UINT64_C(1) << i;
		if (!(m->world->property_needs[i].own & dirty_of(m, i)))
			continue;
		enum norn_truth t = norn_mind_judge(m, &p->properties[i]);
		m->violated = t == NORN_TRUTH_NO ? m->violated | bit : m->violated & ~bit;
		m->unknown = t == NORN_TRUTH_UNKNOWN ? m->unknown | bit : m->unknown & ~bit;
	}
	m->dirty = 0;
	m->stale &= ~m->stepping;
	m->whole = m->first; /* what is wrong at position 0 is said at the first event */
	return m->violated & ~before;
}
