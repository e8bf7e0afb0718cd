#include "judge/event_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"
#include "engine/plan.h"
#include "judge/event_values.h"

/* ---- making ---- */

static int add_candidate(struct norn_selector_list *to, uint32_t event, uint32_t selector)
{
	struct norn_event_selector *list = realloc(to->list, (to->count + 1ul) * sizeof *list);
	if (!list)
		return -ENOMEM;
	list[to->count++] = (struct norn_event_selector){event, selector};
	to->list = list;
	return 0;
}

static struct norn_selector_list *list_for(struct norn_event_match *event_match, enum norn_point_kind kind)
{
	switch (kind) {
	case NORN_POINT_NOTE:
		return &event_match->notes;
	case NORN_POINT_START:
	case NORN_POINT_EXIT:
		return &event_match->starts;
	case NORN_POINT_JOIN:
		return &event_match->joins;
	case NORN_POINT_LOCK:
	case NORN_POINT_UNLOCK:
		return &event_match->locks;
	case NORN_POINT_READ:
	case NORN_POINT_WRITE:
	case NORN_POINT_ACCESS:
		return &event_match->accesses;
	default:
		return NULL; /* by site */
	}
}

int norn_event_match_init(struct norn_event_match *event_match, const struct norn_plan *plan, const struct norn_spec *spec,
        const struct norn_modules *modules)
{
	*event_match = (struct norn_event_match){.plan = plan, .spec = spec, .modules = modules};
	event_match->chunks = calloc(NORN_EVENT_MATCH_CHUNKS, sizeof *event_match->chunks);
	event_match->sites = calloc(NORN_EVENT_MATCH_SITES, sizeof *event_match->sites);
	event_match->inlined = calloc(spec->event_count + 1ul, sizeof *event_match->inlined);
	event_match->lock_room = plan ? NORN_EVENT_MATCH_LOCKS : NORN_EVENT_MATCH_LOCKS_RECORDED;
	event_match->field_locks = calloc(event_match->lock_room, sizeof *event_match->field_locks);
	if (!event_match->chunks || !event_match->sites || !event_match->inlined || !event_match->field_locks ||
	        norn_place_index_init(
	                &event_match->place_index, spec, plan ? NORN_PLACE_INDEX_MAX : NORN_PLACE_INDEX_RECORDED, !plan) != 0)
		return -ENOMEM;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++) {
			struct norn_selector_list *list = list_for(event_match, spec->events[e].selectors[i].kind);
			if (list && add_candidate(list, e, i) != 0)
				return -ENOMEM;
		}
	for (uint32_t i = 0; i < spec->place_count; i++) {
		event_match->has_fields |= spec->places[i].kind == NORN_PLACE_FIELD;
		event_match->has_sets |= spec->places[i].kind == NORN_PLACE_SET || spec->places[i].kind == NORN_PLACE_FREE;
	}
	for (uint32_t i = 0; i < spec->property_count; i++)
		event_match->has_keys |= spec->properties[i].key_count > 0;
	return 0;
}

static void free_candidates(struct norn_selector_list *list)
{
	free(list->list);
	list->list = NULL;
}

void norn_event_match_done(struct norn_event_match *event_match)
{
	struct norn_selector_list *lists[] = {
	        &event_match->notes, &event_match->locks, &event_match->accesses, &event_match->starts, &event_match->joins};
	for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
		free_candidates(lists[i]);
	for (uint32_t i = 0; i < event_match->site_count; i++) {
		free_candidates(&event_match->sites[i].calls);
		free_candidates(&event_match->sites[i].returns);
	}
	for (uint32_t i = 0; event_match->chunks && i < NORN_EVENT_MATCH_CHUNKS; i++)
		free((void *)atomic_load_explicit(&event_match->chunks[i], memory_order_relaxed));
	free(event_match->chunks);
	free(event_match->sites);
	free(event_match->inlined);
	free(event_match->field_locks);
	norn_place_index_done(&event_match->place_index);
	*event_match = (struct norn_event_match){0};
}

static int bind_function(
        struct norn_event_match *event_match, const struct norn_site_words *words, struct norn_event_match_site *to)
{
	const struct norn_spec *spec = event_match->spec;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &spec->events[e].selectors[i];
			if ((s->kind != NORN_POINT_CALL && s->kind != NORN_POINT_RETURN) ||
			        !norn_function_is_named(words->name, s->function) ||
			        (s->file && !norn_path_ends(words->file, s->file)))
				continue;
			if (add_candidate(s->kind == NORN_POINT_CALL ? &to->calls : &to->returns, e, i) != 0)
				return -ENOMEM;
		}
	return 0;
}

static void bind_field(
        const struct norn_event_match *event_match, const struct norn_site_words *words, struct norn_event_match_site *to)
{
	for (uint32_t i = 0; *words->field && i < event_match->spec->place_count; i++)
		if (event_match->spec->places[i].kind == NORN_PLACE_FIELD &&
		        strcmp(event_match->spec->places[i].field, words->field) == 0)
			to->field = i + 1;
}

/* The site's entry is written last, and pairs with the acquire of norn_event_match_site. */
static int want_site(struct norn_event_match *event_match, uint32_t site, const struct norn_event_match_site *what)
{
	_Atomic uint16_t *chunk =
	        atomic_load_explicit(&event_match->chunks[site >> NORN_EVENT_MATCH_CHUNK_BITS], memory_order_relaxed);
	if (event_match->site_count == NORN_EVENT_MATCH_SITES) {
		event_match->unbound++;
		return 0;
	}
	if (!chunk) {
		chunk = calloc(1u << NORN_EVENT_MATCH_CHUNK_BITS, sizeof *chunk);
		if (!chunk)
			return -ENOMEM;
		atomic_store_explicit(&event_match->chunks[site >> NORN_EVENT_MATCH_CHUNK_BITS], chunk, memory_order_release);
	}
	event_match->sites[event_match->site_count++] = *what;
	atomic_store_explicit(
	        &chunk[site & ((1u << NORN_EVENT_MATCH_CHUNK_BITS) - 1)], (uint16_t)event_match->site_count, memory_order_release);
	return 0;
}

/* Calls that the optimiser dissolved make no events. */
static void note_inlined(struct norn_event_match *event_match, uint32_t site)
{
	for (uint32_t e = 0; e < event_match->spec->event_count; e++)
		for (uint32_t i = 0; !event_match->inlined[e] && i < event_match->spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &event_match->spec->events[e].selectors[i];
			if ((s->kind == NORN_POINT_CALL || s->kind == NORN_POINT_RETURN) &&
			        norn_modules_inlined(event_match->modules, site, s->function, s->file))
				event_match->inlined[e] = s->function;
		}
}

int norn_event_match_add_sites(struct norn_event_match *event_match, const struct norn_loaded *module)
{
	for (uint32_t i = 0; i < module->sites; i++) {
		struct norn_site_words words;
		struct norn_event_match_site what = {0};
		norn_modules_site(event_match->modules, module->base + i, &words);
		if (!words.site)
			continue;
		if (words.site->inlined_at)
			note_inlined(event_match, module->base + i);
		if (words.site->kind == NORN_SITE_ENTER) {
			if (bind_function(event_match, &words, &what) != 0)
				return -ENOMEM;
			what.arguments = words.site->order_failure;
		} else if (event_match->has_fields) {
			bind_field(event_match, &words, &what);
		}
		bool wanted = what.calls.count || what.returns.count || what.field;
		if (wanted && want_site(event_match, module->base + i, &what) != 0)
			return -ENOMEM;
	}
	return 0;
}

int norn_event_match_add(struct norn_event_match *event_match, const struct norn_loaded *module, bool late)
{
	int r = norn_event_match_add_sites(event_match, module);
	for (uint32_t i = 0; r == 0 && i < event_match->spec->place_count; i++) {
		const struct norn_place *p = &event_match->spec->places[i];
		if (p->kind != NORN_PLACE_OBJECT || !p->base || p->base->is_thread_local || !p->base->address)
			continue;
		if (!late && atomic_load_explicit(&event_match->place_index.firsts[i], memory_order_relaxed))
			continue;
		const struct norn_plan_module *m = &event_match->plan->modules[p->base->module];
		if (norn_module_is(m->path, module->path))
			r = norn_place_index_bind(&event_match->place_index, i, p->base->address + module->load - m->base,
			        late ? (uintptr_t)module->table : 0);
		if (r == -E2BIG)
			r = 0; /* its values stay unknown */
	}
	return r;
}

uint64_t norn_event_match_address(const struct norn_event_match *event_match, uint32_t place)
{
	const struct norn_place *p = &event_match->spec->places[place];
	bool direct = p->kind == NORN_PLACE_OBJECT && p->hops == 1;
	return direct ? atomic_load_explicit(&event_match->place_index.firsts[place], memory_order_acquire) : 0;
}

/* ---- threads ---- */

static bool is_of(const struct norn_tsel *t, uint32_t number, const char *path, const char *name, const char *started)
{
	switch (t->kind) {
	case NORN_TSEL_MAIN:
		return number == 0;
	case NORN_TSEL_SPAWN:
		return number != 0 && norn_function_is_named(started, t->function.text);
	default:
		return strcmp(path, t->named) == 0 || (*name && strcmp(name, t->named) == 0);
	}
}

uint64_t norn_event_match_types(
        const struct norn_event_match *event_match, uint32_t number, const char *path, const char *name, const char *started)
{
	uint64_t types = 0;
	for (uint32_t k = 0; k < event_match->spec->type_count; k++)
		for (const struct norn_tsel *t = event_match->spec->types[k].selectors; t; t = t->next)
			if (is_of(t, number, path, name, started))
				types |= UINT64_C(1) << k;
	return types;
}

/* ---- hits ---- */

static const struct norn_checked_selector *selector_of(
        const struct norn_event_match *event_match, const struct norn_event_selector *candidate)
{
	return &event_match->spec->events[candidate->event].selectors[candidate->selector];
}

/* The selector fits, unless its thread is of the wrong type (NULL). Its slots are all unknown so far. */
static struct norn_online_hit *add_hit(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event_selector *candidate, const struct norn_event *event, struct norn_look *look)
{
	const struct norn_checked_selector *s = selector_of(event_match, candidate);
	bool by_unseen_code = event->kind == NORN_EVENT_EXTERNAL, typed = s->thread_type != NORN_SLOT_NONE;
	if (typed && !by_unseen_code && !(self->types >> s->thread_type & 1))
		return NULL;
	if (look->count == look->room) {
		look->missed++;
		return NULL;
	}
	struct norn_online_hit *hit = &look->hits[look->count++];
	hit->event = candidate->event;
	hit->selector = candidate->selector;
	hit->unseen = typed && by_unseen_code;
	hit->holds = hit->unseen ? NORN_TRUTH_UNKNOWN : NORN_TRUTH_YES;
	hit->place = NORN_SLOT_NONE;
	hit->spot = NORN_NO_SPOT;
	hit->address = hit->self = 0;
	hit->slots = &look->slots[(size_t)(look->count - 1) * look->slots_each];
	hit->value = hit->old = norn_value_unknown();
	for (uint32_t i = 0; i < s->slots_total; i++)
		hit->slots[i] = norn_value_unknown();
	return hit;
}

struct match_condition {
	const struct norn_online_thread *self;
	const struct norn_online_hit *hit;
};

static struct norn_value leaf(void *context, const struct norn_expr *e)
{
	const struct match_condition *c = context;
	switch (e->op) {
	case NORN_EXPR_SLOT:
		return c->hit->slots[e->index];
	case NORN_EXPR_VALUE:
		return c->hit->value;
	case NORN_EXPR_OLD:
		return c->hit->old;
	case NORN_EXPR_SELF:
		return c->hit->self ? norn_value_integer(c->hit->self) : norn_value_unknown();
	case NORN_EXPR_TID:
		return norn_value_integer(c->self->number);
	default:
		return norn_value_unknown();
	}
}

/* All that the event carries is in the hit: what does its condition say? A hit that does not hold is taken back. */
static void settle(const struct norn_event_match *event_match, const struct norn_online_thread *self, struct norn_online_hit *hit,
        struct norn_look *look)
{
	const struct norn_expr *condition = event_match->spec->events[hit->event].selectors[hit->selector].condition;
	if (!condition)
		return;
	struct match_condition c = {self, hit};
	enum norn_truth truth = norn_expr_holds(condition, &(struct norn_eval_env){leaf, &c});
	hit->holds = (int8_t)(truth == NORN_TRUTH_YES && hit->unseen ? NORN_TRUTH_UNKNOWN : truth);
	if (truth == NORN_TRUTH_NO)
		look->count--;
}

static void set_slot(const struct norn_checked_selector *s, struct norn_online_hit *hit, uint32_t slot, uint64_t raw)
{
	if (slot < s->slots_total)
		hit->slots[slot] = norn_value_of_bits(s->types[slot], 8, raw);
}

static void set_arguments(const struct norn_checked_selector *s, struct norn_online_hit *hit, const uint64_t *args, uint32_t known)
{
	for (uint32_t i = 0; i < s->slot_count && i < 32; i++)
		if (s->slots[i] != NORN_SLOT_NONE && known >> i & 1)
			set_slot(s, hit, s->slots[i], args[i]);
}

void norn_event_match_enter(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const struct norn_event_match_site *site, struct norn_look *look)
{
	for (uint32_t i = 0; i < site->calls.count; i++) {
		struct norn_online_hit *hit = add_hit(event_match, self, &site->calls.list[i], event, look);
		if (!hit)
			continue;
		set_arguments(selector_of(event_match, &site->calls.list[i]), hit, event->args, (uint32_t)event->argument);
		settle(event_match, self, hit, look);
	}
}

void norn_event_match_leave(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const struct norn_event_match_site *site, const uint64_t *arguments, uint32_t known,
        struct norn_look *look)
{
	for (uint32_t i = 0; i < site->returns.count; i++) {
		const struct norn_checked_selector *s = selector_of(event_match, &site->returns.list[i]);
		if (event->argument & NORN_LEAVE_UNWOUND && !s->anyhow)
			continue;
		struct norn_online_hit *hit = add_hit(event_match, self, &site->returns.list[i], event, look);
		if (!hit)
			continue;
		set_arguments(s, hit, arguments, known);
		if (event->count) {
			set_slot(s, hit, s->result, event->args[0]);
			hit->value =
			        s->result < s->slots_total ? hit->slots[s->result] : norn_value_integer((int64_t)event->args[0]);
		}
		settle(event_match, self, hit, look);
	}
}

static bool is_text(const char *text, const char *name, size_t length)
{
	return strlen(text) == length && memcmp(text, name, length) == 0;
}

static void set_hits(const struct norn_event_match *event_match, const struct norn_event *event, const char *name, size_t length,
        struct norn_look *look)
{
	for (uint32_t i = 0; i < event_match->spec->place_count && look->count < look->room; i++) {
		const struct norn_place *p = &event_match->spec->places[i];
		if ((p->kind != NORN_PLACE_SET && p->kind != NORN_PLACE_FREE) || !is_text(p->text, name, length))
			continue;
		struct norn_online_hit *hit = &look->hits[look->count++];
		*hit = (struct norn_online_hit){.event = NORN_SLOT_NONE,
		        .selector = NORN_SLOT_NONE,
		        .holds = NORN_TRUTH_YES,
		        .place = i,
		        .spot = NORN_NO_SPOT,
		        .value = norn_value_integer((int64_t)event->value)};
	}
}

static bool is_mark(const struct norn_checked_selector *s, unsigned op, const char *name, size_t length)
{
	switch (s->mark) {
	case NORN_NOTE_BLOCK:
		return op == NORN_MARK_ATOMIC_BEGIN && (!s->note || is_text(s->note, name, length));
	case NORN_NOTE_BLOCK_END:
		return op == NORN_MARK_ATOMIC_END;
	default:
		return op == NORN_MARK_EVENT && is_text(s->note, name, length);
	}
}

void norn_event_match_mark(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const char *name, size_t length, struct norn_look *look)
{
	if (event->op == NORN_MARK_SET && event_match->has_sets)
		set_hits(event_match, event, name, length, look);
	for (uint32_t i = 0; event->op != NORN_MARK_SET && i < event_match->notes.count; i++) {
		const struct norn_event_selector *candidate = &event_match->notes.list[i];
		struct norn_online_hit *hit = is_mark(selector_of(event_match, candidate), event->op, name, length)
		                                      ? add_hit(event_match, self, candidate, event, look)
		                                      : NULL;
		if (!hit)
			continue;
		hit->value = norn_value_integer((int64_t)event->value);
		settle(event_match, self, hit, look);
	}
}

void norn_event_match_start(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, bool exits, const char *started, struct norn_look *look)
{
	for (uint32_t i = 0; i < event_match->starts.count; i++) {
		const struct norn_event_selector *candidate = &event_match->starts.list[i];
		const struct norn_checked_selector *s = selector_of(event_match, candidate);
		if ((s->kind == NORN_POINT_EXIT) != exits || (s->function && !norn_function_is_named(started, s->function)))
			continue;
		struct norn_online_hit *hit = add_hit(event_match, self, candidate, event, look);
		if (!hit)
			continue;
		hit->value = norn_value_integer(event->thread);
		settle(event_match, self, hit, look);
	}
}

void norn_event_match_join(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, uint64_t types, const char *started, struct norn_look *look)
{
	for (uint32_t i = 0; i < event_match->joins.count; i++) {
		const struct norn_event_selector *candidate = &event_match->joins.list[i];
		const struct norn_checked_selector *s = selector_of(event_match, candidate);
		if ((s->joined_type != NORN_SLOT_NONE && !(types >> s->joined_type & 1)) ||
		        (s->function && !norn_function_is_named(started, s->function)))
			continue;
		struct norn_online_hit *hit = add_hit(event_match, self, candidate, event, look);
		if (!hit)
			continue;
		hit->value = norn_value_integer((int64_t)event->value);
		settle(event_match, self, hit, look);
	}
}

/* ---- locks and accesses ---- */

/* The FIELD place that this lock is, 1 + its number, 0: none. A wait for a condition names the condition, not its lock: so it is
 * remembered what the lock was when it was named. Entries are made once; the key is written last, and a reader that sees it sees
 * the place. */
static uint32_t field_lock(const struct norn_event_match *event_match, uint64_t address, uint32_t site)
{
	const struct norn_event_match_site *named = norn_event_match_site(event_match, site);
	uint32_t place = named ? named->field : 0;
	uint32_t mask = event_match->lock_room - 1, at = (uint32_t)((address >> 3) * 0x9e3779b1u) & mask;
	for (unsigned tries = 0; tries < 64; tries++, at = (at + 1) & mask) {
		uint64_t there = atomic_load_explicit(&event_match->field_locks[at], memory_order_acquire);
		/* Address in the low 48 bits, place above. */
		if (there && (there & ((UINT64_C(1) << 48) - 1)) == address)
			return (uint32_t)(there >> 48);
		if (there)
			continue;
		if (!place || place > UINT16_MAX ||
		        atomic_compare_exchange_strong(&event_match->field_locks[at], &there, address | (uint64_t)place << 48))
			return place;
	}
	return place;
}

void norn_event_match_lock(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, struct norn_look *look)
{
	bool acquires = event->op == NORN_SYNC_ACQUIRE || event->op == NORN_SYNC_ACQUIRE_SHARED;
	uint32_t ranges[NORN_HITS_MAX];
	if (!acquires && event->op != NORN_SYNC_RELEASE && event->op != NORN_SYNC_RELEASE_SHARED)
		return;
	uint32_t count = norn_place_index_find(&event_match->place_index, event->addr, 1, ranges, NORN_HITS_MAX);
	uint32_t field = event_match->has_fields ? field_lock(event_match, event->addr, event->site) : 0;
	for (uint32_t i = 0; i < event_match->locks.count; i++) {
		const struct norn_checked_selector *s = selector_of(event_match, &event_match->locks.list[i]);
		uint64_t address = field == s->place + 1 ? event->addr : 0;
		for (uint32_t k = 0; k < count && !address; k++) {
			const struct norn_place_range *z = &event_match->place_index.list[ranges[k]];
			if (z->place == s->place && z->hop + 1 == event_match->spec->places[z->place].hops)
				address = z->address;
		}
		if ((s->kind == NORN_POINT_LOCK) != acquires || !address)
			continue;
		struct norn_online_hit *hit = add_hit(event_match, self, &event_match->locks.list[i], event, look);
		if (!hit)
			continue;
		hit->place = s->place;
		hit->address = address;
		hit->self = event->addr;
		settle(event_match, self, hit, look);
	}
}

static void range_hits(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *e, const struct norn_place_range *z, struct norn_look *look)
{
	const struct norn_place *p = &event_match->spec->places[z->place];
	if (z->hop + 1 != p->hops || norn_event_value_neighbour(p, look->bitfield))
		return;
	for (uint32_t i = 0; i < event_match->accesses.count; i++) {
		const struct norn_checked_selector *s = selector_of(event_match, &event_match->accesses.list[i]);
		if (s->place != z->place || !norn_event_value_fits(s, e))
			continue;
		struct norn_online_hit *hit = add_hit(event_match, self, &event_match->accesses.list[i], e, look);
		if (!hit)
			continue;
		/* Of several elements: the one accessed. */
		uint64_t address = z->address;
		if (z->cell_step && e->addr > z->address)
			address += (e->addr - z->address) / z->cell_step * z->cell_step;
		hit->place = z->place;
		hit->spot = z->spot;
		hit->address = z->address;
		hit->self = address;
		hit->value = norn_event_value_carried(p, e, address, (unsigned)z->size);
		settle(event_match, self, hit, look);
	}
}

/* An external write is none here: which field of its word has changed is not known. */
static void field_hits(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *e, struct norn_look *look)
{
	const struct norn_event_match_site *site =
	        e->kind == NORN_EVENT_EXTERNAL ? NULL : norn_event_match_site(event_match, e->site);
	if (!site || !site->field)
		return;
	const struct norn_place *p = &event_match->spec->places[site->field - 1];
	uint64_t raw = p->bit_size ? e->value >> p->bit_offset / 8 * 8 : e->value;
	bool whole = e->known && e->size <= 8 && e->size == (p->bit_size ? e->size : p->size);
	for (uint32_t i = 0; i < event_match->accesses.count; i++) {
		const struct norn_checked_selector *s = selector_of(event_match, &event_match->accesses.list[i]);
		struct norn_online_hit *hit = s->place == site->field - 1 && norn_event_value_fits(s, e)
		                                      ? add_hit(event_match, self, &event_match->accesses.list[i], e, look)
		                                      : NULL;
		if (!hit)
			continue;
		hit->place = site->field - 1;
		hit->address = hit->self = e->addr;
		hit->value = whole ? norn_event_value_place(p, raw) : norn_value_unknown();
		settle(event_match, self, hit, look);
	}
}

static bool touches_bits(const struct norn_event_match *event_match, const uint32_t *ranges, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (event_match->spec->places[event_match->place_index.list[ranges[i]].place].bit_size)
			return true;
	return false;
}

void norn_event_match_access(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const uint32_t *ranges, uint32_t count, struct norn_look *look)
{
	look->bitfield = NULL;
	if (event->kind != NORN_EVENT_EXTERNAL && touches_bits(event_match, ranges, count)) {
		struct norn_site_words words;
		norn_modules_site(event_match->modules, event->site, &words);
		if (words.site && words.site->flags & NORN_SITE_BITFIELD)
			look->bitfield = norn_event_value_part(*words.field ? words.field : words.name);
	}
	if (!event_match->accesses.count)
		return;
	for (uint32_t i = 0; i < count; i++)
		range_hits(event_match, self, event, &event_match->place_index.list[ranges[i]], look);
	if (event_match->has_fields)
		field_hits(event_match, self, event, look);
}

uint32_t norn_event_match_changed(const struct norn_event_match *event_match, const struct norn_event *e,
        const struct norn_change *changes, uint32_t change_count, uint32_t *ranges, uint32_t count)
{
	uint32_t kept = 0;
	if (e->kind != NORN_EVENT_EXTERNAL)
		return count;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < change_count; k++)
			if (changes[k].write.spot == event_match->place_index.list[ranges[i]].spot && !changes[k].write.silent) {
				ranges[kept++] = ranges[i];
				break;
			}
	return kept;
}

uint32_t norn_event_match_written(const struct norn_event_match *event_match, struct norn_place_values *values,
        const struct norn_event *e, const uint32_t *ranges, uint32_t count, struct norn_change *changes, uint32_t change_count,
        uint32_t room)
{
	if (!norn_event_value_writes(e))
		return change_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_place_range *z = &event_match->place_index.list[ranges[i]];
		bool whole = e->known && e->size <= 8 && e->size == event_match->spec->places[z->place].size;
		if (z->cell_step)
			change_count = norn_place_values_set(values, z->place, whole, e->value, changes, change_count, room);
	}
	const struct norn_event_match_site *site =
	        event_match->has_fields && e->kind != NORN_EVENT_EXTERNAL ? norn_event_match_site(event_match, e->site) : NULL;
	if (!site || !site->field)
		return change_count;
	const struct norn_place *p = &event_match->spec->places[site->field - 1];
	bool whole = e->known && e->size <= 8 && e->size == (p->bit_size ? e->size : p->size);
	return norn_place_values_set(values, site->field - 1, whole, p->bit_size ? e->value >> p->bit_offset / 8 * 8 : e->value,
	        changes, change_count, room);
}
