#include "predict/search.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/property_terms.h"

/* ---- life ---- */

void norn_search_init(struct norn_property_search *s)
{
	const struct norn_spec *spec = s->binding->spec;
	s->start = norn_must(norn_position_copy(spec, s->start, &s->arena));
	s->properties = norn_must_calloc(spec->property_count, sizeof *s->properties);
}

static void free_groups(struct norn_property_search *s)
{
	for (uint32_t i = 0; i < s->group_count; i++) {
		struct norn_property_group *g = &s->groups[i];
		for (uint32_t k = 0; k < g->instances.count; k++) {
			norn_instance_search_free(g->instances.items[k]->open);
			norn_vector_done(&g->instances.items[k]->own);
			free(g->instances.items[k]);
		}
		norn_vector_done(&g->instances);
		norn_vector_done(&g->common);
		norn_map_done(&g->index);
		free(g->members);
	}
	free(s->groups);
}

void norn_search_done(struct norn_property_search *s)
{
	free_groups(s);
	for (uint32_t i = 0; i < s->property_count; i++) {
		norn_view_free(s->properties[i].view);
		norn_influence_done(&s->properties[i].influence);
		norn_monitor_free(s->properties[i].monitor);
	}
	free(s->properties);
	norn_vector_done(&s->kept);
	norn_arena_done(&s->arena);
}

bool norn_search_wants(const struct norn_property *p, const struct norn_property_search_options *options)
{
	return p->logic <= NORN_LOGIC_FSM && (options->every || p->predict != NORN_PREDICT_NONE);
}

int norn_search_add_property(struct norn_property_search *s, const struct norn_property *property, struct norn_error *err)
{
	struct norn_searched_property *p = &s->properties[s->property_count];
	p->property = property;
	p->order = s->property_count++;
	p->view = norn_view_new(s->binding, property);
	norn_influence_init(&p->influence, p->view);
	return norn_monitor_new(s->binding->spec, property, NULL, &p->monitor, err);
}

/* Do both have the same relevant events, and tell instances apart alike? */
static bool are_alike(const struct norn_binding *b, const struct norn_searched_property *x, const struct norn_searched_property *y)
{
	uint32_t events = b->spec->event_count, keys = x->property->key_count;
	return keys == y->property->key_count &&
	       memcmp(x->view->terms.key_slots, y->view->terms.key_slots,
	               (size_t)events * keys * sizeof *x->view->terms.key_slots) == 0 &&
	       memcmp(x->influence.events, y->influence.events, events * sizeof(bool)) == 0 &&
	       memcmp(x->influence.spots, y->influence.spots, b->place_index->spot_count * sizeof(bool)) == 0;
}

/* Can an event concern all instances of the property? */
static bool may_be_common(const struct norn_spec *spec, const struct norn_searched_property *p)
{
	uint32_t keys = p->property->key_count;
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (p->influence.places[i])
			return true;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t k = 0; p->influence.events[e] && k < keys; k++)
			if (p->view->terms.key_slots[e * keys + k] == NORN_SLOT_NONE)
				return true;
	return false;
}

void norn_search_make_groups(struct norn_property_search *s, bool together)
{
	s->groups = norn_must_calloc(s->property_count, sizeof *s->groups);
	for (uint32_t i = 0; i < s->property_count; i++) {
		struct norn_searched_property *p = &s->properties[i];
		uint32_t at = 0;
		while (at < s->group_count && !(together && are_alike(s->binding, s->groups[at].members[0], p)))
			at++;
		struct norn_property_group *g = &s->groups[at];
		if (at == s->group_count) {
			s->group_count++;
			*g = (struct norn_property_group){.search = s, .may_be_common = may_be_common(s->binding->spec, p)};
			norn_map_init(&g->index, sizeof(uint32_t));
		}
		g->members = norn_must_realloc(g->members, g->count + 1ul, sizeof(*g->members));
		g->members[g->count++] = p;
	}
}

static void give_up(struct norn_property_group *g, const char *why)
{
	if (g->given_up)
		return;
	g->given_up = why;
	if (!g->search->live)
		return; /* nothing was judged yet: that is said where it would be */
	for (uint32_t i = 0; i < g->count; i++)
		norn_findings_partial(g->search->findings, NORN_REASON_PROPERTY, 1, "judge it by norn record and norn check",
		        "property %s is not judged any further: %s", g->members[i]->property->name, why);
}

/* ---- what is kept ---- */

/* Does the position free what the instance is about? */
static bool is_end(const struct norn_property_group *g, const struct norn_searched_instance *i, const struct norn_position *p)
{
	return p->kind == NORN_EVENT_FREE && !i->ended && i->keys &&
	       norn_keys_in(i->keys, g->members[0]->property->key_count, p->address, p->size);
}

static bool concerns(const struct norn_property_group *g, const struct norn_position *p)
{
	bool any = norn_influence_has(&g->members[0]->influence, p);
	for (uint32_t i = 0; p->kind == NORN_EVENT_FREE && i < g->instances.count && !any; i++)
		any = is_end(g, g->instances.items[i], p);
	return any;
}

bool norn_search_concerns(const struct norn_property_search *s, const struct norn_position *p)
{
	for (uint32_t i = 0; i < s->group_count; i++)
		if (!(s->live && s->groups[i].given_up) && concerns(&s->groups[i], p))
			return true;
	return false;
}

struct norn_projected *norn_search_keep(
        struct norn_property_search *s, const struct norn_position *position, uint32_t entries, uint64_t number)
{
	size_t clock = entries * sizeof(struct norn_clock_entry);
	struct norn_projected *kept = norn_must_arena_alloc(&s->arena, sizeof *kept + clock);
	const struct norn_position *copy = norn_must(norn_position_copy(s->binding->spec, position, &s->arena));
	if (number)
		((struct norn_position *)(uintptr_t)copy)->number = number;
	*kept = (struct norn_projected){.position = copy, .index = s->kept.count, .thread = position->thread, .number = number};
	norn_must_push(&s->kept, kept);
	s->kept_bytes += sizeof *kept + clock + sizeof *copy + copy->hit_count * sizeof *copy->hits +
	                 copy->write_count * sizeof *copy->writes;
	return kept;
}

/* ---- instances ---- */

static int open_instance(const struct norn_property_group *g, struct norn_searched_instance *i)
{
	i->open = norn_instance_search_new(g->search, g->members, g->count, i->keys, &g->common);
	return norn_instance_search_begin(i->open);
}

static int add_instance(struct norn_property_group *g, const struct norn_value *keys, struct norn_searched_instance **ret_instance)
{
	struct norn_searched_instance *i = norn_must_calloc(1, sizeof *i);
	if (keys)
		i->keys = norn_must_arena_copy(&g->search->arena, keys, g->members[0]->property->key_count, sizeof *keys);
	norn_must_push(&g->instances, i);
	*ret_instance = i;
	return g->search->live ? open_instance(g, i) : 0;
}

/* The instance with these keys, made if there is none that has not ended. keys NULL: the only one. */
static int find_instance(struct norn_property_group *g, const struct norn_value *keys, struct norn_searched_instance **ret_instance)
{
	const struct norn_property *p = g->members[0]->property;
	uint32_t *newest = norn_must_map_put(&g->index, keys ? norn_keys_hash(keys, p->key_count) : 0);
	for (uint32_t i = *newest; i; i = g->instances.items[i - 1]->chain) {
		struct norn_searched_instance *instance = g->instances.items[i - 1];
		if (!instance->ended && (!keys || norn_keys_same(instance->keys, keys, p->key_count))) {
			*ret_instance = instance;
			return 0;
		}
	}
	int r = add_instance(g, keys, ret_instance);
	(*ret_instance)->chain = *newest;
	*newest = g->instances.count;
	return r;
}

int norn_search_only_instance(struct norn_property_group *g, struct norn_searched_instance **ret_instance)
{
	assert(g->members[0]->property->key_count == 0);
	return find_instance(g, NULL, ret_instance);
}

/* ---- events ---- */

static void append(struct norn_projected_list *list, const struct norn_projected *kept)
{
	if (!list->count || list->items[list->count - 1] != kept)
		norn_must_push(list, kept);
}

static int add_own(struct norn_searched_instance *i, const struct norn_projected *kept)
{
	if (i->open)
		return norn_instance_search_add(i->open, kept);
	append(&i->own, kept);
	return 0;
}

static int add_common(struct norn_property_group *g, const struct norn_projected *kept)
{
	int r = 0;
	norn_must_push(&g->common, kept);
	for (uint32_t i = 0; r == 0 && i < g->instances.count; i++)
		if (g->instances.items[i]->open)
			r = norn_instance_search_add(g->instances.items[i]->open, kept);
	return r;
}

static bool are_known(const struct norn_property *p, const struct norn_value *keys)
{
	for (uint32_t k = 0; k < p->key_count; k++)
		if (!keys[k].known)
			return false;
	return true;
}

/* To the instances that its events name; to all if one of its events, or a write, names none. */
static int distribute(struct norn_property_group *g, const struct norn_projected *kept)
{
	const struct norn_searched_property *first = g->members[0];
	const struct norn_position *p = kept->position;
	struct norn_value keys[NORN_KEYS_MAX];
	struct norn_searched_instance *instance;
	bool common = p->write_count || p->fade_count;
	int r = 0;
	for (uint32_t h = 0; h < p->hit_count && !common; h++)
		common = first->influence.events[p->hits[h].event] && !norn_view_keys(first->view, &p->hits[h], keys);
	for (uint32_t h = 0; r == 0 && h < p->hit_count; h++) {
		if (!first->influence.events[p->hits[h].event] || !norn_view_keys(first->view, &p->hits[h], keys))
			continue;
		if (!are_known(first->property, keys)) {
			give_up(g, "an event's key is not known");
			return 0;
		}
		r = find_instance(g, keys, &instance);
		if (r == 0 && !common)
			r = add_own(instance, kept);
	}
	return r == 0 && common ? add_common(g, kept) : r;
}

/* A free of the memory that a key points to ends an instance: what comes later with the same key is another one. */
static int end_instances(struct norn_property_group *g, const struct norn_projected *kept)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < g->instances.count; i++)
		if (is_end(g, g->instances.items[i], kept->position)) {
			r = add_own(g->instances.items[i], kept);
			g->instances.items[i]->ended = true;
		}
	return r;
}

/* Did code without hooks write one of the variables? An observer cannot tell since when. */
static bool is_foreign(const struct norn_searched_property *property, const struct norn_position *p)
{
	for (uint32_t i = 0; p->kind == NORN_EVENT_EXTERNAL && i < p->write_count; i++)
		if (property->influence.spots[p->writes[i].spot] && !p->writes[i].silent)
			return true;
	return false;
}

static int take(struct norn_property_group *g, const struct norn_position *p, const struct norn_projected *kept)
{
	const struct norn_searched_property *first = g->members[0];
	struct norn_searched_instance *only;
	int r = 0;
	if (g->given_up)
		return 0;
	if (g->search->live && is_foreign(first, p)) {
		give_up(g, "code without Norn's hooks wrote one of its variables");
		return 0;
	}
	if (kept && norn_influence_has(&first->influence, p)) {
		if (first->property->key_count)
			r = distribute(g, kept);
		else if ((r = norn_search_only_instance(g, &only)) == 0)
			r = add_own(only, kept);
	}
	if (r == 0 && kept)
		r = end_instances(g, kept);
	if (r != -ESTALE)
		return r;
	give_up(g, "an event came that belongs before what was judged already (of a thread that was not "
	           "announced, or whose wait ended early)");
	return 0;
}

int norn_search_distribute(struct norn_property_search *s, const struct norn_position *position, const struct norn_projected *kept)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < s->group_count; i++)
		r = take(&s->groups[i], position, kept);
	return r;
}

void norn_search_events(
        const struct norn_property_group *g, const struct norn_searched_instance *instance, struct norn_projected_list *ret_events)
{
	const struct norn_projected_list *own = &instance->own, *common = &g->common;
	uint32_t a = 0, b = 0;
	assert(!instance->open && ret_events->count == 0);
	norn_must_reserve(ret_events, (uint64_t)own->count + common->count);
	while (a < own->count || b < common->count) {
		bool first = b == common->count || (a < own->count && own->items[a]->index <= common->items[b]->index);
		append(ret_events, first ? own->items[a++] : common->items[b++]);
	}
}
