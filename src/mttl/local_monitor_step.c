/* One position of a thread's formulas: ghosts, then tables and remotes, then verdicts. */
#include <assert.h>
#include <string.h>

#include "mttl/local_monitor_state.h"

uint64_t norn_local_monitor_positions_of(const struct norn_local_monitor *m, const struct norn_monitor_input *im)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t properties = 0;
	if (!im->call)
		return m->world->all;
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

/* Updates ask for the greatest value that it had. */
__attribute__((noinline)) static void note_greatest(struct norn_local_monitor *m, uint32_t local)
{
	struct norn_value now = norn_brief_value(m->locals[local], &m->long_locals[local]);
	if (!now.known || is_less(m->greatest[local], now))
		m->greatest[local] = now;
}

static bool same_value(const struct norn_value *a, const struct norn_value *b)
{
	if (a->known != b->known || !a->known)
		return a->known == b->known;
	return a->is_float == b->is_float && (a->is_float ? a->real == b->real : a->integer == b->integer);
}

/* whole: the same value, if it is long. */
static inline bool put_cell(struct norn_local_monitor *m, size_t at, int64_t value, const struct norn_value *whole)
{
	assert(at < norn_mttl_offset(m->world->program.remotes_of, m->width));
	if (value == m->values[at] && (value != NORN_BRIEF_LONG || same_value(&m->longs[at], whole)))
		return false;
	m->values[at] = value;
	if (value == NORN_BRIEF_LONG) {
		m->longs[at] = *whole;
		m->has_longs = true;
	}
	return true;
}

static inline void echo_local(struct norn_local_monitor *m, uint32_t local, int64_t value)
{
	const uint32_t *first = &m->world->first_published_local[local];
	for (uint32_t i = first[0]; i < first[1]; i++) {
		uint32_t at = m->cells[i];
		if (at == UINT32_MAX)
			continue;
		assert(at < norn_mttl_offset(m->world->program.remotes_of, m->width));
		m->late = true;
		if (value != NORN_BRIEF_LONG)
			m->values[at] = value;
		else
			put_cell(m, at, value, &m->long_locals[local]);
	}
}

/* whole: the same value, if it is long. */
static inline bool set_local(struct norn_local_monitor *m, uint32_t local, int64_t value, const struct norn_value *whole)
{
	if (m->locals[local] == value && value != NORN_BRIEF_LONG)
		return false;
	m->locals[local] = value;
	if (value == NORN_BRIEF_LONG)
		m->long_locals[local] = *whole;
	echo_local(m, local, value);
	return true;
}

void norn_local_monitor_begin_local(struct norn_local_monitor *m, uint32_t local, struct norn_value value)
{
	m->locals[local] = norn_brief(&value);
	m->long_locals[local] = m->greatest[local] = value;
}

__attribute__((noinline)) static int64_t fresh_value(struct norn_local_monitor *m, uint32_t local)
{
	m->long_value = norn_value_operate(NORN_EXPR_ADD, m->greatest[local], norn_value_integer(1));
	return norn_brief(&m->long_value);
}

struct updates {
	const struct norn_local_monitor_update *first, *end;
};

static inline struct updates updates_of(const struct norn_local_monitor *m, const struct norn_occurrence *o)
{
	const struct norn_local_monitors *world = m->world;
	if (o->event >= world->program.event_count)
		return (struct updates){0};
	const uint32_t *first = &world->first_update[o->event];
	return (struct updates){world->updates + first[0], world->updates + first[1]};
}

__attribute__((noinline)) static void take_setting(struct norn_local_monitor *m, const struct norn_setting *setting)
{
	const struct norn_mttl *p = &m->world->program;
	for (uint32_t l = 0; l < p->local_count; l++)
		if (!p->locals[l].ghost && p->locals[l].index == setting->place)
			m->dirty |= set_local(m, l, norn_brief(&setting->value), &setting->value)
			                    ? norn_local_monitor_need_of_local(l)
			                    : 0;
}

static inline void update_ghost(
        struct norn_local_monitor *m, const struct norn_local_monitor_update *u, int64_t value, const struct norn_value *whole)
{
	if (!set_local(m, u->local, value, whole))
		return;
	m->dirty |= u->need;
	if (u->climbs)
		note_greatest(m, u->local);
}

static inline int64_t value_of_update(
        struct norn_local_monitor *m, const struct norn_occurrence *o, const struct norn_local_monitor_update *u)
{
	int64_t value = u->line ? norn_local_monitor_value(m, u->line) : fresh_value(m, u->local);
	return o->holds == NORN_TRUTH_UNKNOWN ? NORN_BRIEF_UNKNOWN : value;
}

static inline void update_in_turn(struct norn_local_monitor *m, const struct norn_occurrence *o)
{
	struct updates all = updates_of(m, o);
	m->updating = o;
	m->stamp++;
	for (const struct norn_local_monitor_update *u = all.first; u < all.end; u++) {
		int64_t value = value_of_update(m, o, u);
		update_ghost(m, u, value, &m->long_value);
	}
	m->updating = NULL;
}

/* Every ghost gets its new value at once: updates see the old ones. */
__attribute__((noinline)) static void update_at_once(struct norn_local_monitor *m, const struct norn_monitor_input *im)
{
	for (uint32_t i = 0; i < im->occurrence_count; i++) {
		const struct norn_occurrence *o = &im->occurrences[i];
		struct updates all = updates_of(m, o);
		m->updating = o;
		m->stamp++;
		for (const struct norn_local_monitor_update *u = all.first; u < all.end; u++) {
			m->drafts[u->local] = value_of_update(m, o, u);
			if (m->drafts[u->local] == NORN_BRIEF_LONG)
				m->long_drafts[u->local] = m->long_value;
		}
		m->updating = NULL;
	}
	for (uint32_t i = 0; i < im->occurrence_count; i++) {
		struct updates all = updates_of(m, &im->occurrences[i]);
		for (const struct norn_local_monitor_update *u = all.first; u < all.end; u++)
			update_ghost(m, u, m->drafts[u->local], &m->long_drafts[u->local]);
	}
	for (uint32_t i = 0; i < im->setting_count; i++)
		take_setting(m, &im->settings[i]);
}

static inline void update_ghosts(struct norn_local_monitor *m, const struct norn_monitor_input *im)
{
	const struct norn_occurrence *o = im->occurrences;
	if (im->occurrence_count == 1 && !im->setting_count && o->event < m->world->program.event_count &&
	        m->world->in_turn[o->event])
		update_in_turn(m, o);
	else if (im->occurrence_count | im->setting_count)
		update_at_once(m, im);
}

/* The threads that a dimension can be: strangers, and all that were met. */
static bool is_met(const struct norn_local_monitor *m, uint32_t x)
{
	return x == 0 || m->who[x - 1];
}

/* ---- remotes ---- */

static bool step_cell(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r, size_t at)
{
	int64_t value = norn_local_monitor_value(m, r->line);
	return put_cell(m, at, value, &m->long_value);
}

/* The remote has dimensions: its values where the last one is from..to, and the one before, if there are two, above..below. */
static bool step_block(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r, uint32_t above, uint32_t below,
        uint32_t from, uint32_t to)
{
	size_t first = norn_mttl_offset(r->before, m->width), row = m->width + 1ul;
	uint32_t last = r->dimension[r->dimensions - 1];
	bool changed = false;
	m->assigned[r->variable] = m->self;
	for (uint32_t y = above; y <= below; y++) {
		if (!is_met(m, y))
			continue;
		if (r->dimensions == 2)
			m->assigned[r->dimension[0]] = y;
		for (uint32_t x = from; x <= to; x++) {
			if (!is_met(m, x))
				continue;
			m->assigned[last] = x;
			changed |= step_cell(m, r, first + y * row + x);
		}
	}
	m->assigned[r->variable] = m->assigned[r->dimension[0]] = m->assigned[r->dimension[1]] = 0;
	return changed;
}

/* Its only value. */
static inline bool step_single(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r)
{
	m->assigned[r->variable] = m->self;
	bool changed = step_cell(m, r, r->before[0]);
	m->assigned[r->variable] = 0;
	return changed;
}

/* All that the remote says of the thread on a seat. */
static bool step_seat(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r, uint32_t seat)
{
	bool changed;
	if (r->dimensions == 1) {
		m->assigned[r->dimension[0]] = seat + 1;
		m->assigned[r->variable] = m->self;
		changed = step_cell(m, r, r->before[0] + r->before[1] * (m->width + 1ul) + seat + 1);
		m->assigned[r->dimension[0]] = m->assigned[r->variable] = 0;
		return changed;
	}
	changed = step_block(m, r, seat + 1, seat + 1, 0, m->width);
	return step_block(m, r, 0, m->width, seat + 1, seat + 1) || changed;
}

static bool step_remote(struct norn_local_monitor *m, const struct norn_local_monitor_remote *r, uint64_t dirty)
{
	bool changed = false;
	if (r->need.own & dirty)
		return r->dimensions ? step_block(m, r, 0, r->dimensions == 2 ? m->width : 0, 0, m->width) : step_single(m, r);
	if (!r->dimensions)
		return false;
	for (uint32_t i = 0; dirty & NORN_NEED_SEATS && i < m->fresh_count; i++)
		changed |= step_seat(m, r, m->fresh[i]);
	if (r->need.if_subject & dirty && m->seat != NORN_SEAT_NONE)
		changed |= step_seat(m, r, m->seat);
	return changed;
}

__attribute__((noinline)) static bool step_others(struct norn_local_monitor *m, uint64_t dirty)
{
	const struct norn_local_monitor_remote *r = m->world->remotes, *end = r + m->world->program.remote_count;
	bool changed = false;
	for (; r < end; r++)
		if (m->stepping & r->property && (r->any & dirty || m->untold & r->property))
			changed |= step_remote(m, r, m->untold & r->property ? UINT64_MAX : dirty);
	m->untold &= ~m->stepping;
	return changed;
}

static inline bool step_remotes(struct norn_local_monitor *m, uint64_t dirty)
{
	return (m->world->told & dirty || m->untold & m->stepping) && step_others(m, dirty);
}

bool norn_local_monitor_renew(struct norn_local_monitor *m)
{
	bool changed = step_remotes(m, m->dirty);
	m->dirty = NORN_NEED_POSITION;
	return changed;
}

bool norn_local_monitor_catch_up(struct norn_local_monitor *m)
{
	bool changed = m->late;
	if (!m->late && !m->unpublished)
		return false;
	m->stamp++;
	changed |= step_remotes(m, m->unpublished);
	m->unpublished = 0;
	return changed;
}

/* ---- tables ---- */

/* For each assignment of the dimensions from this one on. */
static void step_table(struct norn_local_monitor *m, const struct norn_mttl_table *t, uint32_t dimension, bool *changed)
{
	if (dimension == t->dimensions) {
		size_t at = norn_local_monitor_cell(m, t->before, t->dimension, t->dimensions);
		m->next[at] = (int8_t)norn_local_monitor_keep(m, t);
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

static void step_tables(struct norn_local_monitor *m, bool *changed)
{
	const struct norn_mttl *p = &m->world->program;
	memcpy(m->next, m->kept, norn_mttl_offset(p->tables_of, m->width));
	for (uint32_t i = 0; i < p->table_count; i++)
		if (m->stepping >> p->lines[p->tables[i].line].property & 1)
			step_table(m, &p->tables[i], 0, changed);
}

/* ---- all ---- */

/* Besides m->dirty and single entries: what the news change, and what is to be computed anew. */
__attribute__((noinline)) static void find_dirty(struct norn_local_monitor *m)
{
	for (uint32_t i = 0; m->news && i < m->world->program.valued; i++)
		if (m->heard_places[i].sequence != m->now->places[i].sequence)
			m->dirty |= NORN_NEED_PLACES;
	/* A property whose position it is not is not asked now; but a change of the thread's variables is a position of all
	 * properties that need them. */
	if (m->news) {
		m->dirty |= NORN_NEED_SEATS;
		m->stale |= ~m->stepping;
		m->untold |= ~m->stepping;
	}
	if (m->whole)
		m->stale = m->untold = UINT64_MAX;
}

enum norn_truth norn_local_monitor_judge(struct norn_local_monitor *m, uint32_t property)
{
	const struct norn_local_monitor_judge *j = &m->world->judges[property];
	if (j->type != NORN_SLOT_NONE && !(j->type < 64 && m->types >> j->type & 1))
		return NORN_TRUTH_YES;
	m->assigned[j->variable] = m->self;
	enum norn_truth t = norn_local_monitor_truth(m, j->line);
	m->assigned[j->variable] = 0;
	return t;
}

static inline void judge_all(struct norn_local_monitor *m)
{
	for (uint64_t left = m->stepping; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		uint64_t bit = left & -left;
		if (!(m->stale & bit) && !(m->world->judges[i].need & m->dirty))
			continue;
		enum norn_truth t = norn_local_monitor_judge(m, i);
		if (t == NORN_TRUTH_YES && !((m->violated | m->unknown) & bit))
			continue;
		m->violated = t == NORN_TRUTH_NO ? m->violated | bit : m->violated & ~bit;
		m->unknown = t == NORN_TRUTH_UNKNOWN ? m->unknown | bit : m->unknown & ~bit;
	}
	m->stale &= ~m->stepping;
}

/* As norn_local_monitor_position, if there are only the thread's own variables. */
uint64_t norn_local_monitor_position_of_call(struct norn_local_monitor *m)
{
	uint64_t before = m->violated;
	update_ghosts(m, m->input);
	m->stamp++;
	judge_all(m);
	norn_local_monitor_put_off(m);
	return m->violated & ~before;
}

uint64_t norn_local_monitor_position(struct norn_local_monitor *m, bool *ret_tables_changed)
{
	uint64_t before = m->violated;
	*ret_tables_changed = false;
	update_ghosts(m, m->input);
	m->stamp++;
	if (m->news || m->whole)
		find_dirty(m);
	if (m->world->program.table_count)
		step_tables(m, ret_tables_changed);
	judge_all(m);
	m->whole = m->first; /* a violation at position 0 is reported at the first event */
	return m->violated & ~before;
}
