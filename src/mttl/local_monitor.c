#include "mttl/local_monitor.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/local_monitor_state.h"

#define CLOSED NORN_KNOWLEDGE_CACHE_CLOSED

static const struct norn_monitor_input nothing;

void norn_local_monitors_drop(struct norn_local_monitors *local_monitors)
{
	atomic_fetch_add_explicit(&local_monitors->dropped, 1, memory_order_relaxed);
}

/* ---- what all share ---- */

/* Types of threads that a formula can ask about: those with a variable under an `@` or a quantifier. */
static void find_named(struct norn_local_monitors *local_monitors)
{
	const struct norn_mttl *p = &local_monitors->program;
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		local_monitors->momentary |= l->property != UINT32_MAX && (l->op == NORN_MTTL_EVENT || l->op == NORN_MTTL_ACCESS);
		if (l->op != NORN_MTTL_AT && l->op != NORN_MTTL_FORALL && l->op != NORN_MTTL_EXISTS)
			continue;
		uint32_t type = p->variables[l->b].type;
		local_monitors->all_named |= type >= 64;
		local_monitors->named_types |= type < 64 ? UINT64_C(1) << type : 0;
	}
}

int norn_local_monitors_init(struct norn_local_monitors *local_monitors, const struct norn_spec *spec, struct norn_mttl *program)
{
	memset(local_monitors, 0, sizeof *local_monitors);
	local_monitors->spec = spec;
	local_monitors->program = *program;
	*program = (struct norn_mttl){0};
	local_monitors->first_places = calloc(local_monitors->program.valued + 1ul, sizeof *local_monitors->first_places);
	if (norn_local_monitors_prepare(local_monitors) < 0 || !local_monitors->first_places) {
		norn_local_monitors_done(local_monitors);
		return -ENOMEM;
	}
	find_named(local_monitors);
	return 0;
}

void norn_local_monitors_done(struct norn_local_monitors *local_monitors)
{
	norn_local_monitors_forget(local_monitors);
	free(local_monitors->first_places);
	local_monitors->first_places = NULL;
	norn_mttl_done(&local_monitors->program);
}

void norn_local_monitors_first(struct norn_local_monitors *local_monitors, uint32_t place, struct norn_value value)
{
	local_monitors->first_places[place] = value;
}

/* ---- what it has heard ---- */

static bool reserve_heard(struct norn_local_monitor *m, uint32_t count)
{
	if (count <= m->heard_room)
		return true;
	uint32_t room = m->heard_room ? m->heard_room : 8;
	while (room < count)
		room *= 2;
	struct norn_known *heard = realloc(m->heard, room * sizeof *heard);
	if (heard)
		m->heard = heard;
	struct norn_knowledge_origin *origins = heard ? realloc(m->origins, room * sizeof *origins) : NULL;
	if (!origins) {
		norn_local_monitors_drop(m->world);
		return false;
	}
	memset(origins + m->heard_room, 0, (room - m->heard_room) * sizeof *origins);
	m->origins = origins;
	m->heard_room = room;
	return true;
}

/* It has heard what it knows, and no more. False: no memory. */
static bool recall(struct norn_local_monitor *m)
{
	uint32_t count = norn_knowledge_seats(m->now);
	m->others = NULL;
	m->news = false;
	m->heard_count = 0;
	if (!reserve_heard(m, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		m->heard[i] = i == m->seat ? (struct norn_known){0} : norn_knowledge_at(m->now, i);
	m->heard_count = count;
	return true;
}

/* ---- seats ---- */

static void sit(struct norn_local_monitor *m, uint32_t seat)
{
	m->seat = seat;
	m->self = seat + 1;
}

/* One whose last owner is known to have ended, so that a thread which knows the new owner knows that, too. */
static bool take_used_seat(struct norn_local_monitor *m)
{
	for (uint32_t i = 0; i < m->heard_count; i++) {
		const struct norn_known_thread *t = m->heard[i].thread;
		if (!t || !t->ended)
			continue;
		uint64_t last = t->number + UINT64_C(1);
		if (atomic_compare_exchange_strong(&m->world->users[i], &last, m->number + UINT64_C(1))) {
			sit(m, i);
			m->sequence = t->sequence;
			m->heard[i] = (struct norn_known){0};
			return true;
		}
	}
	return false;
}

static bool wants_seat(const struct norn_local_monitor *m)
{
	return m->seat == NORN_SEAT_NONE && (m->world->all_named || m->types & m->world->named_types);
}

static void take_seat(struct norn_local_monitor *m)
{
	if (take_used_seat(m))
		return;
	if (atomic_load(&m->world->seats) < NORN_SEATS_MAX) {
		uint32_t seat = atomic_fetch_add(&m->world->seats, 1);
		if (seat < NORN_SEATS_MAX) {
			atomic_store(&m->world->users[seat], m->number + UINT64_C(1));
			sit(m, seat);
			return;
		}
	}
	norn_local_monitors_drop(m->world); /* no thread will hear of it */
}

/* ---- life ---- */

static bool allocate(struct norn_local_monitor *m)
{
	const struct norn_mttl *p = &m->world->program;
	m->locals = calloc(p->local_count + 1ul, sizeof *m->locals);
	m->long_locals = calloc(p->local_count + 1ul, sizeof *m->long_locals);
	m->greatest = calloc(p->local_count + 1ul, sizeof *m->greatest);
	m->drafts = calloc(p->local_count + 1ul, sizeof *m->drafts);
	m->long_drafts = calloc(p->local_count + 1ul, sizeof *m->long_drafts);
	m->heard_places = calloc(p->valued + 1ul, sizeof *m->heard_places);
	m->memo = calloc(p->line_count + 1ul, sizeof *m->memo);
	m->wanted = calloc(p->event_count + 1ul, sizeof *m->wanted);
	m->asked = calloc(m->world->guard_count + 1ul, sizeof *m->asked);
	m->cells = calloc(p->remote_count + 1ul, sizeof *m->cells);
	m->values = calloc(norn_mttl_offset(p->remotes_of, 0) + 1, sizeof *m->values);
	m->longs = calloc(norn_mttl_offset(p->remotes_of, 0) + 1, sizeof *m->longs);
	m->kept = calloc(norn_mttl_offset(p->tables_of, 0) + 1, 1);
	m->next = calloc(norn_mttl_offset(p->tables_of, 0) + 1, 1);
	return m->locals && m->long_locals && m->greatest && m->drafts && m->long_drafts && m->heard_places && m->memo &&
	       m->wanted && m->asked && m->cells && m->values && m->longs && m->kept && m->next && norn_id_tables_open(&m->tables);
}

static struct norn_knowledge *first_knowledge(struct norn_local_monitors *local_monitors)
{
	struct norn_knowledge *k = norn_knowledge_new(&local_monitors->program, NULL);
	for (uint32_t i = 0; k && i < local_monitors->program.valued; i++)
		k->places[i] = (struct norn_known_place){.value = local_monitors->first_places[i]};
	return k;
}

static struct norn_local_monitor *new_monitor(struct norn_local_monitors *local_monitors, uint32_t number, uint64_t types)
{
	struct norn_local_monitor *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->world = local_monitors;
	m->number = number;
	m->types = types;
	m->seat = m->self = NORN_SEAT_NONE;
	m->stamp = 1;
	m->first = m->whole = true;
	m->dirty = NORN_NEED_POSITION;
	m->knowledge_cache = &m->own_cache;
	m->own_cache.local_monitor = m;
	m->own_cache.now = CLOSED;
	m->stepping = UINT64_MAX;
	m->input = &nothing;
	if (!allocate(m)) {
		norn_local_monitor_free(m);
		return NULL;
	}
	m->knowledge_cache->familiar = m->tables.entries;
	m->knowledge_cache->seen = m->tables.seen;
	norn_local_monitor_find_cells(m);
	for (uint32_t i = 0; i < local_monitors->program.local_count; i++)
		norn_local_monitor_begin_local(m, i, norn_value_integer(local_monitors->program.locals[i].initial));
	return m;
}

void norn_local_monitors_ready(struct norn_local_monitors *local_monitors)
{
	const struct norn_mttl *p = &local_monitors->program;
	struct norn_local_monitor *m = new_monitor(local_monitors, UINT32_MAX, 0);
	if (m)
		m->now = first_knowledge(local_monitors);
	/* The needs of a β of other threads come before it. */
	for (uint32_t i = 0; i < p->remote_count; i++) {
		struct norn_local_monitor_remote *r = &local_monitors->remotes[i];
		r->stranger = m && m->now ? norn_local_monitor_value(m, r->line) : NORN_BRIEF_UNKNOWN;
		if (r->stranger == NORN_BRIEF_LONG)
			r->long_stranger = m->long_value;
	}
	norn_local_monitor_free(m);
}

struct norn_local_monitor *norn_local_monitor_new(struct norn_local_monitors *local_monitors, uint32_t number, const char *name,
        uint64_t types, const struct norn_knowledge *parent)
{
	struct norn_local_monitor *m = new_monitor(local_monitors, number, types);
	if (!m)
		return NULL;
	memcpy(m->name, name, strnlen(name, sizeof m->name - 1));
	struct norn_knowledge *now =
	        parent ? norn_knowledge_keep((struct norn_knowledge *)parent) : first_knowledge(local_monitors);
	if (!now) {
		norn_local_monitor_free(m);
		return NULL;
	}
	norn_local_monitor_know(m, now, 0);
	if (!recall(m)) {
		norn_local_monitor_free(m);
		return NULL;
	}
	norn_local_monitor_think(m, &nothing);
	m->violated = 0; /* position 0 is no event: what is wrong there is said at the first one */
	return m;
}

void norn_local_monitor_free(struct norn_local_monitor *local_monitor)
{
	if (!local_monitor)
		return;
	norn_local_monitor_forget_shortcuts(local_monitor);
	norn_local_monitor_release_all_deferred(local_monitor);
	if (local_monitor->now)
		norn_knowledge_drop_many(local_monitor->now, local_monitor->spare_references + 1);
	free(local_monitor->locals);
	free(local_monitor->long_locals);
	free(local_monitor->greatest);
	free(local_monitor->heard);
	free(local_monitor->heard_places);
	free(local_monitor->origins);
	free(local_monitor->drafts);
	free(local_monitor->long_drafts);
	norn_local_monitor_free_tables(local_monitor);
	free(local_monitor->memo);
	free(local_monitor->cells);
	free(local_monitor->asked);
	free(local_monitor->wanted);
	norn_id_tables_close(&local_monitor->tables);
	free(local_monitor);
	norn_knowledge_relax();
}

void norn_local_monitor_show(struct norn_local_monitor *local_monitor, struct norn_knowledge_cache *knowledge_cache)
{
	*knowledge_cache = *local_monitor->knowledge_cache;
	local_monitor->knowledge_cache = knowledge_cache;
}

/* ---- learning ---- */

/* There will be news, of this many seats at least. */
static bool expect(struct norn_local_monitor *m, uint32_t seats)
{
	if (!reserve_heard(m, seats))
		return false;
	if (!m->news)
		memcpy(m->heard_places, m->now->places, m->world->program.valued * sizeof *m->heard_places);
	for (; m->heard_count < seats; m->heard_count++)
		m->heard[m->heard_count] = (struct norn_known){0};
	m->source = NULL;
	m->others = NULL;
	m->news = true;
	m->usual = false;
	return true;
}

void norn_local_monitor_learn_slowly(struct norn_local_monitor *m, struct norn_knowledge *from, struct norn_knowledge_origin origin)
{
	bool all = !m->news && norn_knowledge_covers(&m->world->program, from, m->now);
	uint32_t seats = norn_knowledge_seats(from);
	if (!expect(m, seats))
		return;
	for (uint32_t i = 0; i < seats; i++) {
		struct norn_known one = norn_knowledge_at(from, i);
		assert(i != m->seat || one.sequence <= m->sequence); /* no thread knows more of it than itself */
		if (i == m->seat || m->heard[i].sequence >= one.sequence)
			continue;
		m->heard[i] = one;
		m->origins[i] = origin;
	}
	for (uint32_t i = 0; i < m->world->program.valued; i++)
		if (from->places[i].sequence > m->heard_places[i].sequence)
			m->heard_places[i] = from->places[i];
	m->source = all ? from : NULL;
	norn_local_monitor_recognize(m, from); /* which other words have, too */
}

/* ---- thinking ---- */

static void take_writes(struct norn_local_monitor *m, const struct norn_monitor_input *im)
{
	for (uint32_t i = 0; i < im->touch_count; i++) {
		const struct norn_touch *t = &im->touches[i];
		if (!t->changes || t->place >= m->world->program.valued || !expect(m, 0))
			continue;
		m->heard_places[t->place].sequence++;
		m->heard_places[t->place].value = t->value;
	}
}

/* ---- the new vector ---- */

static void fill_own(const struct norn_local_monitor *m, struct norn_known_thread *t, uint32_t site)
{
	const struct norn_mttl *p = &m->world->program;
	size_t count = norn_known_count(p, m->width);
	t->number = m->number;
	t->site = site;
	memcpy(t->name, m->name, sizeof t->name);
	t->ended = m->ended;
	t->types = m->types;
	t->sequence = m->sequence;
	memcpy(norn_known_values(t), m->values, count * sizeof *m->values);
	if (m->has_longs)
		memcpy(norn_known_longs(p, t), m->longs, count * sizeof *m->longs);
	if (m->width)
		memcpy(norn_known_who(t), m->who, m->width * sizeof *m->who);
}

/* A list of what it has heard; own: its own entry, or NULL. */
static struct norn_others *list_others(const struct norn_local_monitor *m, struct norn_known_thread *own)
{
	struct norn_others *others = norn_others_new(own ? norn_local_monitor_seats(m) : m->heard_count);
	if (!others)
		return NULL;
	if (m->heard_count)
		memcpy(others->threads, m->heard, m->heard_count * sizeof *m->heard);
	if (own)
		others->threads[m->seat] = (struct norn_known){own, own->sequence};
	for (uint32_t i = 0; i < others->count; i++)
		norn_known_thread_keep(others->threads[i].thread);
	return others;
}

/* own: its entry if that stays as it is, else NULL. */
static struct norn_knowledge *make_vector(struct norn_local_monitor *m, struct norn_known_thread *own, uint32_t site)
{
	const struct norn_mttl *p = &m->world->program;
	bool renewed = m->seat != NORN_SEAT_NONE && !own;
	struct norn_others *others = m->others && !own ? norn_others_keep(m->others) : list_others(m, own);
	if (!others)
		return NULL;
	struct norn_knowledge *k =
	        renewed ? norn_knowledge_new_of(p, others, m->seat, m->width, m->has_longs) : norn_knowledge_new(p, others);
	if (!k)
		return NULL;
	if (p->valued)
		memcpy(k->places, m->news ? m->heard_places : m->now->places, p->valued * sizeof *k->places);
	if (renewed) {
		k->sequence = ++m->sequence;
		fill_own(m, k->own, site);
	}
	return k;
}

/* renewed: its own values have changed. Else its entry stays as it is, lest threads that tell each other only that they have heard
 * of each other go on with that for ever; such a vector has no owner, as its owner's number does not tell it from the one
 * before. */
static void publish(struct norn_local_monitor *m, uint32_t site, bool renewed)
{
	bool seated = m->seat != NORN_SEAT_NONE;
	struct norn_known_thread *own = seated && !renewed ? norn_knowledge_of(m->now, m->seat) : NULL;
	m->late = false;
	if (!renewed && m->source && (own || !seated)) {
		norn_local_monitor_know(m, norn_knowledge_keep(m->source), 0);
		return;
	}
	struct norn_knowledge *k = make_vector(m, own, site);
	if (!k) {
		norn_local_monitors_drop(m->world);
		recall(m); /* news are lost */
		m->whole = true;
		m->usual = false;
		return;
	}
	atomic_store_explicit(&k->refs, 1 + NORN_SPARE_REFERENCES, memory_order_relaxed);
	norn_local_monitor_know(m, k, NORN_SPARE_REFERENCES);
	m->others = k->others;
}

/* While every event counts, the cache must not be used. */
static void look(struct norn_local_monitor *m)
{
	bool open = m->stable && !m->retyped && !m->late && !m->unpublished;
	if (!open && m->knowledge_cache->now == CLOSED)
		return;
	if (!open)
		norn_local_monitor_forget_shortcuts(m);
	uint64_t id = open ? norn_knowledge_id(m->now) : 0;
	uint64_t now = id ? id << NORN_WORD_ACCESS_SHIFT | id << NORN_WORD_WRITE_SHIFT : CLOSED;
	if (m->knowledge_cache->now != now)
		norn_knowledge_cache_open(m->knowledge_cache, now);
	if (open)
		norn_local_monitor_befriend(m, m->now, m->now);
	assert(m->knowledge_cache->now != CLOSED || !m->held_count);
}

void norn_local_monitor_retype_slowly(struct norn_local_monitor *local_monitor, uint64_t types)
{
	local_monitor->retyped = true;
	local_monitor->usual = false;
	local_monitor->types = types;
	look(local_monitor);
}

/* Gets all that a position may need besides the thread's own variables. False: no memory, and the news is lost. */
__attribute__((noinline)) static bool make_ready(
        struct norn_local_monitor *m, const struct norn_monitor_input *input, bool *changed)
{
	if (wants_seat(m)) {
		take_seat(m);
		*changed = true;
	}
	m->whole |= *changed;
	m->retyped = false;
	take_writes(m, input);
	if (reserve_heard(m, norn_local_monitor_seats(m)) && norn_local_monitor_meet(m))
		return true;
	norn_local_monitors_drop(m->world);
	recall(m);
	m->whole = true;
	m->usual = false;
	return false;
}

/* An event that brings nothing would change nothing, if this one has changed nothing that is kept. */
static inline bool is_stable(const struct norn_local_monitor *m, bool quiet)
{
	return quiet || (!m->world->momentary && m->stepping == m->world->all);
}

/* One position. Its changes are published now, or, as a call teaches no thread by itself, with the next event. */
static uint64_t consider(struct norn_local_monitor *m, const struct norn_monitor_input *input, bool quiet, bool changed)
{
	bool tables_changed = false, tells = !input->call || m->news, late = m->late;
	m->input = input;
	uint64_t new = norn_local_monitor_position(m, &tables_changed);
	if (!tells || !late)
		m->late_site = input->site;
	if (tells) {
		late = norn_local_monitor_catch_up(m);
		changed |= norn_local_monitor_renew(m);
	} else {
		norn_local_monitor_put_off(m);
	}
	if (m->world->program.table_count) {
		int8_t *kept = m->kept;
		m->kept = m->next;
		m->next = kept;
	}
	m->was_first = m->first;
	m->first = false;
	m->stable = is_stable(m, quiet) && !tables_changed && !m->was_first;
	if (!tells)
		m->late |= changed;
	else if (changed || m->news || late)
		publish(m, late && !changed ? m->late_site : input->site, changed || late);
	m->input = &nothing;
	return new;
}

/* The changes of a call are published at once if they were wanted the last time: the next access or lock need not wait for that. */
static inline bool is_wanted(struct norn_local_monitor *m, const struct norn_monitor_input *input)
{
	uint32_t events = m->world->program.event_count, event = input->occurrence_count ? input->occurrences[0].event : events;
	m->wanted[m->last_call] = !m->late && m->spare_references != NORN_SPARE_REFERENCES;
	m->last_call = event < events ? event : events;
	return m->wanted[m->last_call];
}

static inline uint64_t consider_call(struct norn_local_monitor *m, const struct norn_monitor_input *input)
{
	m->input = input;
	uint64_t new = norn_local_monitor_position_of_call(m);
	m->input = &nothing;
	m->late_site = input->site;
	m->was_first = false;
	m->stable = is_stable(m, false);
	return new;
}

/* The case that takes more than its own variables. */
__attribute__((noinline)) static uint64_t think_hard(
        struct norn_local_monitor *m, const struct norn_monitor_input *input, bool quiet)
{
	bool changed = m->first || m->retyped;
	m->time++;
	m->stepping = norn_local_monitor_positions_of(m, input);
	if (!m->stepping && !m->news && !changed)
		return 0;
	if (!make_ready(m, input, &changed))
		return 0;
	uint64_t new = consider(m, input, quiet, changed);
	m->news = false;
	m->usual = !m->whole && !wants_seat(m);
	look(m);
	return new;
}

uint64_t norn_local_monitor_think(struct norn_local_monitor *m, const struct norn_monitor_input *input)
{
	bool quiet = !(input->touch_count | input->occurrence_count | input->setting_count);
	assert(!m->usual || !(m->news || m->whole || m->retyped));
	if (!m->usual || input->touch_count)
		return think_hard(m, input, quiet);
	if (quiet && m->stable) {
		if ((m->late || m->unpublished) && !input->call)
			norn_local_monitor_tell(m);
		return 0;
	}
	m->stepping = input->positions ? input->positions : norn_local_monitor_positions_of(m, input);
	if (!m->stepping)
		return 0;
	bool call = input->call && !m->world->program.table_count, wanted = call && is_wanted(m, input);
	uint64_t new = call ? consider_call(m, input) : consider(m, input, quiet, false);
	if (!(wanted && norn_local_monitor_tell(m)))
		look(m);
	return new;
}

bool norn_local_monitor_tell(struct norn_local_monitor *m)
{
	if (!m->usual || !m->stable)
		return false;
	m->stepping = m->world->all;
	if (norn_local_monitor_catch_up(m))
		publish(m, m->late_site, true);
	look(m);
	return true;
}

uint64_t norn_local_monitor_end(struct norn_local_monitor *m)
{
	uint64_t new = norn_local_monitor_think(m, &nothing);
	m->ended = m->whole = true;
	m->usual = false;
	if (m->seat != NORN_SEAT_NONE)
		publish(m, 0, true);
	m->stable = false;
	look(m);
	return new;
}

/* ---- afterwards ---- */

void norn_local_monitor_explain(
        struct norn_local_monitor *m, const struct norn_monitor_input *input, uint32_t property, struct norn_evidence *ret_evidence)
{
	int8_t *kept = m->kept;
	ret_evidence->count = 0;
	/* Back to the position that was judged. */
	m->kept = m->next;
	m->next = kept;
	m->first = m->was_first;
	m->input = input;
	m->evidence = ret_evidence;
	m->stamp++;
	norn_local_monitor_judge(m, property);
	m->evidence = NULL;
	m->input = &nothing;
	m->first = false;
	m->next = m->kept;
	m->kept = kept;
	m->stamp++;
}

struct norn_value norn_local_monitor_place(const struct norn_local_monitor *local_monitor, uint32_t place)
{
	const struct norn_mttl *p = &local_monitor->world->program;
	for (uint32_t i = 0; i < p->valued; i++)
		if (p->places[i].place == place)
			return local_monitor->now->places[i].value;
	for (uint32_t i = 0; i < p->local_count; i++)
		if (!p->locals[i].ghost && p->locals[i].index == place)
			return norn_brief_value(local_monitor->locals[i], &local_monitor->long_locals[i]);
	return norn_value_unknown();
}

struct norn_value norn_local_monitor_ghost(const struct norn_local_monitor *local_monitor, uint32_t ghost)
{
	const struct norn_mttl *p = &local_monitor->world->program;
	for (uint32_t i = 0; i < p->local_count; i++)
		if (p->locals[i].ghost && p->locals[i].index == ghost)
			return norn_brief_value(local_monitor->locals[i], &local_monitor->long_locals[i]);
	return norn_value_unknown();
}
