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

static void set_local(struct norn_mind *m, uint32_t local, struct norn_value value)
{
	m->locals[local] = value;
	if (!value.known || is_less(m->greatest[local], value))
		m->greatest[local] = value;
}

/* Every ghost gets its new value at once: updates see the old ones. */
void norn_mind_update_ghosts(struct norn_mind *m, const struct norn_impression *im)
{
	const struct norn_mttl *p = &m->world->program;
	struct norn_value fresh[8];
	uint32_t local[8], count = 0;
	for (uint32_t i = 0; i < im->occurrence_count; i++)
		for (uint32_t u = 0; u < p->update_count && count < 8; u++) {
			const struct norn_mttl_update *update = &p->updates[u];
			if (update->event != im->occurrences[i].event)
				continue;
			m->updating = &im->occurrences[i];
			m->stamp++;
			local[count] = update->local;
			fresh[count] =
			        update->fresh ? norn_value_operate(NORN_EXPR_ADD, m->greatest[update->local], norn_value_integer(1))
			                      : norn_mind_eval(m, update->line);
			if (im->occurrences[i].holds == NORN_TRUTH_UNKNOWN)
				fresh[count] = norn_value_unknown();
			count++;
		}
	m->updating = NULL;
	for (uint32_t i = 0; i < count; i++)
		set_local(m, local[i], fresh[i]);
	for (uint32_t i = 0; i < im->setting_count; i++)
		for (uint32_t l = 0; l < p->local_count; l++)
			if (!p->locals[l].ghost && p->locals[l].index == im->settings[i].place)
				set_local(m, l, im->settings[i].value);
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

/* Calls act for each assignment of the dimensions. */
static void for_all(struct norn_mind *m, const uint32_t *dimension, uint32_t dimensions,
        void (*act)(struct norn_mind *m, uint32_t number, bool *changed), uint32_t number, bool *changed)
{
	if (dimensions == 0) {
		act(m, number, changed);
		return;
	}
	for (uint32_t x = 0; x <= m->width; x++) {
		if (!is_met(m, x))
			continue;
		m->assigned[dimension[0]] = x;
		for_all(m, dimension + 1, dimensions - 1, act, number, changed);
	}
	m->assigned[dimension[0]] = 0;
}

static void step_table(struct norn_mind *m, uint32_t number, bool *changed)
{
	const struct norn_mttl_table *t = &m->world->program.tables[number];
	size_t at = norn_mttl_offset(t->before, m->width) + norn_mind_cell(m, t->dimension, t->dimensions);
	m->next[at] = (int8_t)norn_mind_keep(m, t);
	*changed |= m->next[at] != m->kept[at];
}

static void step_remote(struct norn_mind *m, uint32_t number, bool *changed)
{
	const struct norn_mttl_remote *r = &m->world->program.remotes[number];
	size_t at = norn_mttl_offset(r->before, m->width) + norn_mind_cell(m, r->dimension, r->dimensions);
	int64_t quick;
	if (norn_mind_quick(m, r->line, &quick)) {
		struct norn_value *old = &m->values[at];
		if (old->known && !old->is_float && old->integer == quick)
			return;
		*changed = true;
		*old = norn_value_integer(quick);
		return;
	}
	struct norn_value value = norn_mind_eval(m, r->line);
	*changed |= !same_value(&m->values[at], &value);
	m->values[at] = value;
}

static bool is_stepping(const struct norn_mind *m, uint32_t line)
{
	return m->stepping >> m->world->program.lines[line].property & 1;
}

void norn_mind_step_all(struct norn_mind *m, bool *tables_changed, bool *values_changed)
{
	const struct norn_mttl *p = &m->world->program;
	m->stamp++;
	if (p->table_count)
		memcpy(m->next, m->kept, norn_mttl_offset(p->tables_of, m->width));
	for (uint32_t i = 0; i < p->table_count; i++)
		if (is_stepping(m, p->tables[i].line))
			for_all(m, p->tables[i].dimension, p->tables[i].dimensions, step_table, i, tables_changed);
	for (uint32_t i = 0; i < p->remote_count; i++) {
		if (!is_stepping(m, p->remotes[i].line))
			continue;
		assign_self(m, p->remotes[i].variable);
		for_all(m, p->remotes[i].dimension, p->remotes[i].dimensions, step_remote, i, values_changed);
		m->assigned[p->remotes[i].variable] = 0;
	}
}

enum norn_truth norn_mind_judge(struct norn_mind *m, const struct norn_mttl_property *property)
{
	const struct norn_mttl *p = &m->world->program;
	uint32_t type = p->variables[property->variable].type;
	if (type != NORN_SLOT_NONE && !(type < 64 && m->types >> type & 1))
		return NORN_TRUTH_YES;
	int64_t quick;
	assign_self(m, property->variable);
	enum norn_truth t = !m->evidence && norn_mind_quick(m, property->root, &quick)
	                            ? (enum norn_truth)(quick != 0)
	                            : norn_value_truth(norn_mind_eval(m, property->root));
	m->assigned[property->variable] = 0;
	return t;
}

uint64_t norn_mind_judge_all(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t before = m->violated;
	for (uint32_t i = 0; i < p->property_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		if (!(m->stepping & bit))
			continue;
		enum norn_truth t = norn_mind_judge(m, &p->properties[i]);
		m->violated = t == NORN_TRUTH_NO ? m->violated | bit : m->violated & ~bit;
		m->unknown = t == NORN_TRUTH_UNKNOWN ? m->unknown | bit : m->unknown & ~bit;
	}
	return m->violated & ~before;
}
