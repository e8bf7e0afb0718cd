#include "online/mind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "online/mind_eval.h"

#define WIDTH_FIRST 4u
#define CREDIT (1u << 16)
#define CLOSED NORN_GLANCE_CLOSED

static const struct norn_impression nothing;

void norn_minds_drop(struct norn_minds *minds)
{
	atomic_fetch_add_explicit(&minds->dropped, 1, memory_order_relaxed);
}

/* ---- what all share ---- */

/* Types of threads that a formula can ask about: those with a variable under an `@` or a quantifier. */
static void find_named(struct norn_minds *minds)
{
	const struct norn_mttl *p = &minds->program;
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		minds->momentary |= l->property != UINT32_MAX && (l->op == NORN_MTTL_EVENT || l->op == NORN_MTTL_ACCESS);
		if (l->op != NORN_MTTL_AT && l->op != NORN_MTTL_FORALL && l->op != NORN_MTTL_EXISTS)
			continue;
		uint32_t type = p->variables[l->b].type;
		minds->all_named |= type >= 64;
		minds->named_types |= type < 64 ? UINT64_C(1) << type : 0;
	}
}

int norn_minds_init(struct norn_minds *minds, const struct norn_spec *spec, struct norn_mttl *program)
{
	memset(minds, 0, sizeof *minds);
	minds->spec = spec;
	minds->program = *program;
	*program = (struct norn_mttl){0};
	minds->strangers = calloc(minds->program.remote_count + 1ul, sizeof *minds->strangers);
	minds->first_places = calloc(minds->program.valued + 1ul, sizeof *minds->first_places);
	if (!minds->strangers || !minds->first_places) {
		norn_minds_done(minds);
		return -ENOMEM;
	}
	find_named(minds);
	return 0;
}

void norn_minds_done(struct norn_minds *minds)
{
	free(minds->strangers);
	free(minds->first_places);
	minds->strangers = minds->first_places = NULL;
	norn_mttl_done(&minds->program);
}

void norn_minds_first(struct norn_minds *minds, uint32_t place, struct norn_value value)
{
	minds->first_places[place] = value;
}

/* ---- seats ---- */

/* One whose last owner is known to have ended, so that whoever knows the new owner knows that, too. */
static bool take_used_seat(struct norn_mind *m)
{
	for (uint32_t i = 0; i < m->now->count; i++) {
		const struct norn_known_thread *t = m->now->threads[i];
		if (!t || !t->ended)
			continue;
		uint64_t last = t->number + UINT64_C(1);
		if (atomic_compare_exchange_strong(&m->world->users[i], &last, m->number + UINT64_C(1))) {
			m->seat = i;
			m->sequence = t->sequence;
			return true;
		}
	}
	return false;
}

static bool wants_seat(const struct norn_mind *m)
{
	return m->seat == NORN_SEAT_NONE && (m->world->all_named || m->types & m->world->named_types);
}

static void take_seat(struct norn_mind *m)
{
	if (take_used_seat(m))
		return;
	if (atomic_load(&m->world->seats) < NORN_SEATS_MAX) {
		uint32_t seat = atomic_fetch_add(&m->world->seats, 1);
		if (seat < NORN_SEATS_MAX) {
			atomic_store(&m->world->users[seat], m->number + UINT64_C(1));
			m->seat = seat;
			return;
		}
	}
	norn_minds_drop(m->world); /* nobody will hear of it */
}

/* ---- tables ---- */

static bool has_dimensions(const struct norn_mttl *p)
{
	return p->remotes_of[1] || p->remotes_of[2] || p->tables_of[1] || p->tables_of[2];
}

/* A block of cells for tables of the new width, each where it belongs. Cells have size bytes; before(i) is where block i's begin. */
struct layout {
	uint32_t count;
	size_t size;
	const struct norn_mttl *program;
	bool remotes;
};

static const uint32_t *before_of(const struct layout *l, uint32_t i, uint32_t *ret_dimensions)
{
	*ret_dimensions = l->remotes ? l->program->remotes[i].dimensions : l->program->tables[i].dimensions;
	return l->remotes ? l->program->remotes[i].before : l->program->tables[i].before;
}

static void *widen_block(const struct layout *l, const void *old, uint32_t from, uint32_t to)
{
	const uint32_t *of = l->remotes ? l->program->remotes_of : l->program->tables_of;
	char *block = calloc(norn_mttl_offset(of, to) + 1, l->size);
	for (uint32_t i = 0; block && old && i < l->count; i++) {
		uint32_t dimensions;
		const uint32_t *before = before_of(l, i, &dimensions);
		const char *source = (const char *)old + norn_mttl_offset(before, from) * l->size;
		char *target = block + norn_mttl_offset(before, to) * l->size;
		size_t rows = dimensions == 2 ? from + 1ul : 1, columns = dimensions ? from + 1ul : 1;
		for (size_t row = 0; row < rows; row++)
			memcpy(target + row * (to + 1ul) * l->size, source + row * columns * l->size, columns * l->size);
	}
	return block;
}

static bool widen(struct norn_mind *m, uint32_t seats)
{
	const struct norn_mttl *p = &m->world->program;
	uint32_t width = m->width ? m->width : WIDTH_FIRST;
	struct layout remotes = {p->remote_count, sizeof *m->values, p, true}, tables = {p->table_count, 1, p, false};
	while (width < seats)
		width *= 2;
	struct norn_value *values = widen_block(&remotes, m->values, m->width, width);
	int8_t *kept = widen_block(&tables, m->kept, m->width, width), *next = widen_block(&tables, NULL, m->width, width);
	uint32_t *who = calloc(width, sizeof *who);
	if (!values || !kept || !next || !who) {
		free(values);
		free(kept);
		free(next);
		free(who);
		return false;
	}
	if (m->width)
		memcpy(who, m->who, m->width * sizeof *who);
	free(m->values);
	free(m->kept);
	free(m->next);
	free(m->who);
	m->values = values;
	m->kept = kept;
	m->next = next;
	m->who = who;
	m->width = width;
	return true;
}

/* What holds for strangers holds for a thread that was one until now. */
static void copy_stranger(const struct layout *l, void *block, uint32_t width, uint32_t seat)
{
	size_t row = width + 1ul;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t dimensions;
		char *at = (char *)block + norn_mttl_offset(before_of(l, i, &dimensions), width) * l->size;
		if (dimensions == 1)
			memcpy(at + (seat + 1ul) * l->size, at, l->size);
		for (size_t k = 0; dimensions == 2 && k < row; k++)
			memcpy(at + ((seat + 1ul) * row + k) * l->size, at + k * l->size, l->size);
		for (size_t k = 0; dimensions == 2 && k < row; k++)
			memcpy(at + (k * row + seat + 1) * l->size, at + k * row * l->size, l->size);
	}
}

/* Gives everyone who is heard of a place in the tables. */
static bool meet(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	uint32_t seats = norn_mind_seats(m);
	if (!has_dimensions(p))
		return true;
	if (seats > m->width && !widen(m, seats))
		return false;
	struct layout remotes = {p->remote_count, sizeof *m->values, p, true}, tables = {p->table_count, 1, p, false};
	for (uint32_t i = 0; i < seats; i++) {
		const struct norn_known_thread *t = i == m->seat ? NULL : norn_mind_heard(m, i);
		uint32_t who = i == m->seat ? m->number + 1 : t ? t->number + 1 : 0;
		if (!who || who == m->who[i])
			continue;
		m->who[i] = who;
		copy_stranger(&remotes, m->values, m->width, i);
		copy_stranger(&tables, m->kept, m->width, i);
	}
	return true;
}

/* ---- shortcuts ---- */

static void forget_familiars(struct norn_mind *m, struct norn_familiars *f, uint8_t *table)
{
	for (uint32_t i = 0; i < NORN_FAMILIARS / 64; i++)
		for (; f->used[i]; f->used[i] &= f->used[i] - 1) {
			struct norn_knowledge *k = f->list[i * 64 + (uint32_t)__builtin_ctzll(f->used[i])];
			table[k->id] = 0;
			norn_mind_take_back(m, k);
		}
}

static void remember_familiar(struct norn_mind *m, struct norn_familiars *f, uint8_t *table, struct norn_knowledge *k)
{
	if (!k || !k->id || table[k->id])
		return;
	uint32_t place = k->id % NORN_FAMILIARS;
	if (f->used[place / 64] >> place % 64 & 1) {
		table[f->list[place]->id] = 0;
		norn_mind_take_back(m, f->list[place]);
	}
	f->used[place / 64] |= UINT64_C(1) << place % 64;
	f->list[place] = k == m->now ? norn_mind_lend(m) : norn_knowledge_keep(k);
	table[k->id] = 1;
}

static void forget_shortcuts(struct norn_mind *m)
{
	if (!m->has_shortcuts)
		return;
	forget_familiars(m, &m->holding, m->familiar);
	for (uint32_t i = 0; i < NORN_JOINS; i++) {
		norn_knowledge_drop(m->joined[i].from);
		norn_knowledge_drop(m->joined[i].result);
	}
	memset(m->joined, 0, sizeof m->joined);
	m->has_shortcuts = false;
}

struct norn_knowledge *norn_mind_lend_slowly(struct norn_mind *m)
{
	atomic_fetch_add_explicit(&m->now->refs, CREDIT, memory_order_relaxed);
	m->credit = CREDIT - 1;
	return m->now;
}

/* All but the last reference at once, the last one by the usual way. */
static void repay(struct norn_knowledge *knowledge, uint32_t count)
{
	if (count > 1)
		atomic_fetch_sub_explicit(&knowledge->refs, count - 1, memory_order_release);
	if (count)
		norn_knowledge_drop(knowledge);
}

void norn_mind_settle(struct norn_mind *m, struct norn_debt *debt)
{
	if (debt->count)
		repay(norn_id_objects[debt->id], debt->count);
	*debt = (struct norn_debt){0};
	(void)m;
}

/* What it knows now is about to be something else. */
static void settle_all(struct norn_mind *m)
{
	for (uint32_t i = 0; i < NORN_DEBTS; i++)
		norn_mind_settle(m, &m->debts[i]);
	repay(m->now, m->credit);
	m->credit = 0;
}

struct norn_knowledge *norn_mind_join(struct norn_mind *m, struct norn_knowledge *access)
{
	struct norn_joined *j = &m->joined[norn_knowledge_id(access) % NORN_JOINS];
	if (norn_knowledge_covers(&m->world->program, m->now, access))
		return norn_mind_lend(m);
	if (norn_knowledge_covers(&m->world->program, access, m->now))
		return norn_knowledge_keep(access);
	if (j->from == access)
		return norn_knowledge_keep(j->result);
	struct norn_knowledge *result = norn_knowledge_join(&m->world->program, m->now, access);
	if (!result) {
		norn_minds_drop(m->world);
		return NULL;
	}
	norn_knowledge_drop(j->from);
	norn_knowledge_drop(j->result);
	*j = (struct norn_joined){norn_knowledge_keep(access), norn_knowledge_keep(result)};
	m->has_shortcuts = true;
	return result;
}

void norn_mind_recognize(struct norn_mind *m, struct norn_knowledge *knowledge)
{
	remember_familiar(m, &m->known, m->familiar + NORN_GLANCE_KNOWN, knowledge);
}

void norn_mind_befriend(struct norn_mind *m, struct norn_knowledge *write, struct norn_knowledge *access)
{
	if (m->glance.now == CLOSED)
		return;
	remember_familiar(m, &m->holding, m->familiar, access);
	remember_familiar(m, &m->known, m->familiar + NORN_GLANCE_KNOWN, write);
	m->has_shortcuts = true;
}

/* ---- life ---- */

static bool allocate(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	m->locals = calloc(p->local_count + 1ul, sizeof *m->locals);
	m->greatest = calloc(p->local_count + 1ul, sizeof *m->greatest);
	m->heard_places = calloc(p->valued + 1ul, sizeof *m->heard_places);
	m->memo = calloc(p->line_count + 1ul, sizeof *m->memo);
	m->memo_stamp = calloc(p->line_count + 1ul, sizeof *m->memo_stamp);
	m->values = calloc(norn_mttl_offset(p->remotes_of, 0) + 1, sizeof *m->values);
	m->kept = calloc(norn_mttl_offset(p->tables_of, 0) + 1, 1);
	m->familiar = calloc(2, NORN_IDS); /* of which little is ever touched */
	m->next = calloc(norn_mttl_offset(p->tables_of, 0) + 1, 1);
	return m->locals && m->greatest && m->heard_places && m->memo && m->memo_stamp && m->values && m->kept && m->next &&
	       m->familiar;
}

static struct norn_knowledge *first_knowledge(struct norn_minds *minds)
{
	struct norn_knowledge *k = norn_knowledge_new(&minds->program, 0);
	for (uint32_t i = 0; k && i < minds->program.valued; i++)
		k->places[i].value = minds->first_places[i];
	return k;
}

static struct norn_mind *new_mind(struct norn_minds *minds, uint32_t number, uint64_t types)
{
	struct norn_mind *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->world = minds;
	m->number = number;
	m->types = types;
	m->seat = NORN_SEAT_NONE;
	m->stamp = 1;
	m->first = true;
	m->glance.now = CLOSED;
	m->stepping = UINT64_MAX;
	m->impression = &nothing;
	if (!allocate(m)) {
		norn_mind_free(m);
		return NULL;
	}
	m->familiar[NORN_GLANCE_KNOWN + NORN_ID_NONE] = 1; /* a word that was never written to tells nothing */
	m->glance.familiar = m->familiar;
	for (uint32_t i = 0; i < minds->program.local_count; i++)
		m->locals[i] = m->greatest[i] = norn_value_integer(minds->program.locals[i].initial);
	return m;
}

void norn_minds_ready(struct norn_minds *minds)
{
	const struct norn_mttl *p = &minds->program;
	struct norn_mind *m = new_mind(minds, UINT32_MAX, 0);
	if (m)
		m->now = first_knowledge(minds);
	/* What a β needs of others comes before it. */
	for (uint32_t i = 0; i < p->remote_count; i++)
		minds->strangers[i] = m && m->now ? norn_mind_eval(m, p->remotes[i].line) : norn_value_unknown();
	norn_mind_free(m);
}

struct norn_mind *norn_mind_new(
        struct norn_minds *minds, uint32_t number, const char *name, uint64_t types, const struct norn_knowledge *parent)
{
	struct norn_mind *m = new_mind(minds, number, types);
	if (!m)
		return NULL;
	memcpy(m->name, name, strnlen(name, sizeof m->name - 1));
	m->now = parent ? norn_knowledge_keep((struct norn_knowledge *)parent) : first_knowledge(minds);
	if (!m->now) {
		norn_mind_free(m);
		return NULL;
	}
	norn_mind_think(m, &nothing, NULL, NULL);
	m->violated = 0; /* position 0 is no event: what is wrong there is said at the first one */
	return m;
}

void norn_mind_free(struct norn_mind *mind)
{
	if (!mind)
		return;
	forget_shortcuts(mind);
	if (mind->familiar)
		forget_familiars(mind, &mind->known, mind->familiar + NORN_GLANCE_KNOWN);
	if (mind->now)
		settle_all(mind);
	norn_knowledge_drop(mind->now);
	free(mind->locals);
	free(mind->greatest);
	free(mind->heard);
	free(mind->heard_places);
	free(mind->lessons);
	free(mind->who);
	free(mind->kept);
	free(mind->next);
	free(mind->values);
	free(mind->memo);
	free(mind->memo_stamp);
	free(mind->familiar);
	free(mind);
	norn_knowledge_relax();
}

/* ---- learning ---- */

static bool reserve_heard(struct norn_mind *m, uint32_t count)
{
	if (count <= m->heard_room)
		return true;
	uint32_t room = m->heard_room ? m->heard_room : 8;
	while (room < count)
		room *= 2;
	struct norn_known_thread **heard = realloc(m->heard, room * sizeof(struct norn_known_thread *));
	if (heard)
		m->heard = heard;
	struct norn_lesson *lessons = heard ? realloc(m->lessons, room * sizeof *lessons) : NULL;
	if (!lessons) {
		norn_minds_drop(m->world);
		return false;
	}
	memset(lessons + m->heard_room, 0, (room - m->heard_room) * sizeof *lessons);
	m->lessons = lessons;
	m->heard_room = room;
	return true;
}

/* A copy of what is known, to be changed. */
static bool begin_draft(struct norn_mind *m, uint32_t count)
{
	uint32_t known = m->news ? m->heard_count : m->now->count;
	count = count > known ? count : known;
	if (!reserve_heard(m, count))
		return false;
	if (!m->news) {
		if (known)
			memcpy(m->heard, m->now->threads, known * sizeof *m->heard);
		memcpy(m->heard_places, m->now->places, m->world->program.valued * sizeof *m->heard_places);
	}
	if (count > known)
		memset(m->heard + known, 0, (count - known) * sizeof *m->heard);
	m->heard_count = count;
	m->news = true;
	return true;
}

void norn_mind_learn_slowly(struct norn_mind *m, struct norn_knowledge *from, struct norn_lesson lesson)
{
	if (!begin_draft(m, from->count))
		return;
	for (uint32_t i = 0; i < from->count; i++) {
		struct norn_known_thread *t = from->threads[i];
		if (!t || i == m->seat || (m->heard[i] && m->heard[i]->sequence >= t->sequence))
			continue;
		m->heard[i] = t;
		m->lessons[i] = lesson;
	}
	for (uint32_t i = 0; i < m->world->program.valued; i++)
		if (from->places[i].sequence > m->heard_places[i].sequence)
			m->heard_places[i] = from->places[i];
}

/* ---- thinking ---- */

static uint64_t all_properties(const struct norn_mttl *p)
{
	return p->property_count == 64 ? UINT64_MAX : (UINT64_C(1) << p->property_count) - 1;
}

static uint64_t positions_of(const struct norn_mind *m, const struct norn_impression *im)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t properties = 0;
	if (!im->call)
		return all_properties(p);
	for (uint32_t i = 0; i < im->occurrence_count; i++)
		if (im->occurrences[i].event < p->event_count)
			properties |= p->event_properties[im->occurrences[i].event];
	for (uint32_t i = 0; i < im->setting_count; i++)
		for (uint32_t l = 0; l < p->local_count; l++)
			if (!p->locals[l].ghost && p->locals[l].index == im->settings[i].place)
				properties |= p->locals[l].properties;
	return properties;
}

static void take_writes(struct norn_mind *m, const struct norn_impression *im)
{
	for (uint32_t i = 0; i < im->touch_count; i++) {
		const struct norn_touch *t = &im->touches[i];
		if (!t->changes || t->place >= m->world->program.valued || !begin_draft(m, 0))
			continue;
		m->heard_places[t->place].sequence++;
		m->heard_places[t->place].value = t->value;
	}
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
static void update_ghosts(struct norn_mind *m, const struct norn_impression *im)
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

static void step_all(struct norn_mind *m, bool *tables_changed, bool *values_changed)
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

static enum norn_truth judge(struct norn_mind *m, const struct norn_mttl_property *property)
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

static uint64_t judge_all(struct norn_mind *m)
{
	const struct norn_mttl *p = &m->world->program;
	uint64_t before = m->violated;
	for (uint32_t i = 0; i < p->property_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		if (!(m->stepping & bit))
			continue;
		enum norn_truth t = judge(m, &p->properties[i]);
		m->violated = t == NORN_TRUTH_NO ? m->violated | bit : m->violated & ~bit;
		m->unknown = t == NORN_TRUTH_UNKNOWN ? m->unknown | bit : m->unknown & ~bit;
	}
	return m->violated & ~before;
}

/* ---- the new vector ---- */

static struct norn_known_thread *own_entry(const struct norn_mind *m, uint32_t site)
{
	const struct norn_mttl *p = &m->world->program;
	struct norn_known_thread *t = norn_known_thread_new(p, m->width);
	if (!t)
		return NULL;
	t->seat = m->seat;
	t->number = m->number;
	t->site = site;
	memcpy(t->name, m->name, sizeof t->name);
	t->ended = m->ended;
	t->types = m->types;
	t->sequence = m->sequence + 1;
	memcpy(t->values, m->values, norn_known_values(p, m->width) * sizeof *t->values);
	if (m->width)
		memcpy(norn_known_who(p, t), m->who, m->width * sizeof *m->who);
	return t;
}

/* renewed: its own values have changed. Else its entry stays as it is, lest threads that tell each other nothing but that they have heard of each
 * other go on with that for ever; such a vector has no owner, as its owner's number does not tell it from the one before. */
static void publish(struct norn_mind *m, uint32_t site, bool renewed)
{
	const struct norn_mttl *p = &m->world->program;
	struct norn_knowledge *k = norn_knowledge_new(p, norn_mind_seats(m));
	struct norn_known_thread *own = NULL;
	if (k && m->seat != NORN_SEAT_NONE)
		own = renewed || !norn_knowledge_of(m->now, m->seat) ? own_entry(m, site)
		                                                     : norn_known_thread_keep(norn_knowledge_of(m->now, m->seat));
	if (!k || (m->seat != NORN_SEAT_NONE && !own)) {
		norn_knowledge_drop(k);
		norn_minds_drop(m->world);
		return;
	}
	for (uint32_t i = 0; i < k->count; i++)
		k->threads[i] = i == m->seat ? own : norn_known_thread_keep(norn_mind_heard(m, i));
	memcpy(k->places, m->news ? m->heard_places : m->now->places, p->valued * sizeof *k->places);
	if (own && own->sequence > m->sequence) {
		k->owner = m->seat;
		k->sequence = m->sequence = own->sequence;
	}
	forget_shortcuts(m);
	settle_all(m);
	norn_knowledge_drop(m->now);
	m->now = k;
	m->late = false;
}

static uint64_t verdicts(const struct norn_mind *m, uint64_t new, uint64_t *ret_false, uint64_t *ret_unknown)
{
	if (ret_false)
		*ret_false = m->violated;
	if (ret_unknown)
		*ret_unknown = m->unknown;
	return new;
}

/* While every event counts nobody may glance. */
static void look(struct norn_mind *m)
{
	bool open = m->stable && !m->retyped && !m->late;
	if (!open)
		forget_shortcuts(m);
	uint64_t id = open ? norn_knowledge_id(m->now) : 0;
	m->glance.now = id ? id << NORN_WORD_ACCESS_SHIFT | id << NORN_WORD_WRITE_SHIFT : CLOSED;
	if (open)
		norn_mind_befriend(m, m->now, m->now);
}

void norn_mind_retype(struct norn_mind *mind, uint64_t types)
{
	if (mind->types == types)
		return;
	mind->retyped = true;
	mind->types = types;
	look(mind);
}

uint64_t norn_mind_think(struct norn_mind *m, const struct norn_impression *impression, uint64_t *ret_false, uint64_t *ret_unknown)
{
	bool quiet = !impression->touch_count && !impression->occurrence_count && !impression->setting_count;
	bool changed = m->first || m->retyped, tables_changed = false;
	if (quiet && m->stable && !m->news && !changed && !wants_seat(m)) {
		if (m->late && !impression->call) {
			publish(m, m->late_site, true);
			look(m);
		}
		return verdicts(m, 0, ret_false, ret_unknown);
	}
	m->stepping = positions_of(m, impression);
	if (!m->stepping && !m->news && !changed)
		return verdicts(m, 0, ret_false, ret_unknown);
	if (wants_seat(m)) {
		take_seat(m);
		changed = true;
	}
	m->retyped = false;
	m->impression = impression;
	take_writes(m, impression);
	if (!reserve_heard(m, norn_mind_seats(m)) || !meet(m)) {
		norn_minds_drop(m->world);
		m->news = false;
		return verdicts(m, 0, ret_false, ret_unknown);
	}
	update_ghosts(m, impression);
	step_all(m, &tables_changed, &changed);
	uint64_t new = judge_all(m);
	int8_t *kept = m->kept;
	m->kept = m->next;
	m->next = kept;
	m->was_first = m->first;
	m->first = false;
	bool passes = !m->world->momentary && m->stepping == all_properties(&m->world->program);
	m->stable = (quiet || passes) && !tables_changed && !m->was_first;
	/* A call teaches nobody by itself: what it changed is told with the next event. */
	if (impression->call && !m->news) {
		m->late |= changed;
		m->late_site = impression->site;
	} else if (changed || m->news || m->late) {
		publish(m, m->late && !changed ? m->late_site : impression->site, changed || m->late);
	}
	m->news = false;
	m->impression = &nothing;
	look(m);
	return verdicts(m, new, ret_false, ret_unknown);
}

uint64_t norn_mind_end(struct norn_mind *m, uint64_t *ret_false, uint64_t *ret_unknown)
{
	uint64_t new = norn_mind_think(m, &nothing, ret_false, ret_unknown);
	m->ended = true;
	if (m->seat != NORN_SEAT_NONE)
		publish(m, 0, true);
	m->stable = false;
	look(m);
	return new;
}

/* ---- afterwards ---- */

void norn_mind_explain(
        struct norn_mind *m, const struct norn_impression *impression, uint32_t property, struct norn_evidence *ret_evidence)
{
	int8_t *kept = m->kept;
	ret_evidence->count = 0;
	/* Back to the position that was judged. */
	m->kept = m->next;
	m->next = kept;
	m->first = m->was_first;
	m->impression = impression;
	m->evidence = ret_evidence;
	m->stamp++;
	judge(m, &m->world->program.properties[property]);
	m->evidence = NULL;
	m->impression = &nothing;
	m->first = false;
	m->next = m->kept;
	m->kept = kept;
	m->stamp++;
}

struct norn_value norn_mind_place(const struct norn_mind *mind, uint32_t place)
{
	const struct norn_mttl *p = &mind->world->program;
	for (uint32_t i = 0; i < p->valued; i++)
		if (p->places[i].place == place)
			return mind->now->places[i].value;
	for (uint32_t i = 0; i < p->local_count; i++)
		if (!p->locals[i].ghost && p->locals[i].index == place)
			return mind->locals[i];
	return norn_value_unknown();
}

struct norn_value norn_mind_ghost(const struct norn_mind *mind, uint32_t ghost)
{
	const struct norn_mttl *p = &mind->world->program;
	for (uint32_t i = 0; i < p->local_count; i++)
		if (p->locals[i].ghost && p->locals[i].index == ghost)
			return mind->locals[i];
	return norn_value_unknown();
}
