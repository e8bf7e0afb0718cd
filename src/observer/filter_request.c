#include "observer/filter_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define BIT(n) (UINT32_C(1) << (n))
#define ACCESSES (BIT(NORN_EVENT_WRITE) | BIT(NORN_EVENT_RMW) | BIT(NORN_EVENT_EXTERNAL))
#define LOCKING (BIT(NORN_SYNC_ACQUIRE) | BIT(NORN_SYNC_RELEASE) | BIT(NORN_SYNC_ACQUIRE_SHARED) | BIT(NORN_SYNC_RELEASE_SHARED))

struct making {
	struct norn_wire_filter filter;
	struct norn_numbers sites;
	NORN_VECTOR(struct norn_wire_range) ranges;
	NORN_VECTOR(struct norn_wire_text) names;
	size_t bytes; /* that names take */
};

static void add_name(struct making *m, const char *name)
{
	norn_must_push(&m->names, (struct norn_wire_text){name, strlen(name)});
	m->bytes += strlen(name) + 10;
}

/* The events of a place that selectors ask for, beyond its writes. */
static uint32_t kinds_for(const struct norn_binding *b, uint32_t place)
{
	uint32_t kinds = 0;
	for (uint32_t e = 0; e < b->spec->event_count; e++)
		for (uint32_t i = 0; i < b->spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &b->spec->events[e].selectors[i];
			if (s->kind < NORN_POINT_READ || s->kind > NORN_POINT_UNLOCK || s->place != place)
				continue;
			if (s->kind == NORN_POINT_READ || s->kind == NORN_POINT_ACCESS)
				kinds |= BIT(NORN_EVENT_READ);
			if (s->kind == NORN_POINT_LOCK || s->kind == NORN_POINT_UNLOCK)
				kinds |= BIT(NORN_EVENT_SYNC);
		}
	return kinds;
}

/* A read tells a value that was not known. */
static bool is_unknown(const struct norn_binding *b, uint32_t spot)
{
	return spot != NORN_NO_SPOT && !norn_binding_initial(b, spot).known;
}

static void add_ranges(struct making *m, const struct norn_binding *b)
{
	for (uint32_t i = 0; i < b->place_index->count; i++) {
		const struct norn_place_range *z = &b->place_index->list[i];
		uint64_t size = z->cell_step && !z->count ? z->size : norn_place_range_end(z) - z->address;
		uint32_t kinds = ACCESSES | kinds_for(b, z->place) | (is_unknown(b, z->spot) ? BIT(NORN_EVENT_READ) : 0);
		norn_must_push(&m->ranges, (struct norn_wire_range){z->address, size, kinds});
	}
}

static const struct norn_checked_selector *selector_of(const struct norn_binding *b, const struct norn_event_selector *candidate)
{
	return &b->spec->events[candidate->event].selectors[candidate->selector];
}

static void add_marks(struct making *m, const struct norn_binding *b)
{
	for (uint32_t i = 0; i < b->event_match->notes.count; i++)
		add_name(m, selector_of(b, &b->event_match->notes.list[i])->note);
	for (uint32_t i = 0; i < b->spec->place_count; i++)
		if (b->spec->places[i].kind == NORN_PLACE_SET || b->spec->places[i].kind == NORN_PLACE_FREE)
			add_name(m, b->spec->places[i].text);
}

/* Sites of all bindings, each once. */
static void add_sites(struct making *m, struct norn_binding *const *bindings, uint32_t count)
{
	uint32_t end = NORN_SITE_FIRST;
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t i = 0; i < bindings[k]->modules.count; i++) {
			const struct norn_loaded *module = &bindings[k]->modules.list[i];
			end = module->base + module->sites > end ? module->base + module->sites : end;
		}
	for (uint32_t site = NORN_SITE_FIRST; site < end; site++) {
		bool wanted = false;
		for (uint32_t k = 0; k < count; k++)
			wanted |= norn_event_match_site(bindings[k]->event_match, site) != NULL;
		if (wanted)
			norn_must_push(&m->sites, site);
	}
}

static bool has_field_locks(const struct norn_binding *b)
{
	for (uint32_t i = 0; i < b->event_match->locks.count; i++)
		if (b->spec->places[selector_of(b, &b->event_match->locks.list[i])->place].kind == NORN_PLACE_FIELD)
			return true;
	return false;
}

static void gather(struct making *m, struct norn_binding *const *bindings, uint32_t count)
{
	add_sites(m, bindings, count);
	m->filter.thread_ops = BIT(NORN_THREAD_FORK) | BIT(NORN_THREAD_FORK_FAILED);
	for (uint32_t k = 0; k < count; k++) {
		const struct norn_binding *b = bindings[k];
		if (b->event_match->starts.count || b->event_match->joins.count)
			m->filter.thread_ops |= BIT(NORN_THREAD_BEGIN) | BIT(NORN_THREAD_END) | BIT(NORN_THREAD_EXIT);
		if (has_field_locks(b))
			m->filter.sync_ops |= LOCKING;
		if (b->event_match->has_keys)
			m->filter.kinds |= BIT(NORN_EVENT_FREE);
		add_ranges(m, b);
		add_marks(m, b);
	}
	m->filter.sites = m->sites.items;
	m->filter.site_count = m->sites.count;
	m->filter.ranges = m->ranges.items;
	m->filter.range_count = m->ranges.count;
	m->filter.names = m->names.items;
	m->filter.name_count = m->names.count;
}

int norn_filter_make(struct norn_binding *const *bindings, uint32_t count, uint32_t modules, void **ret_frame, size_t *ret_length)
{
	struct making m = {.filter.modules = modules};
	gather(&m, bindings, count);
	/* Varints take ten bytes at most. */
	size_t room = NORN_WIRE_OVERHEAD + 256 + m.bytes + m.filter.site_count * 10ul + m.filter.range_count * 30ul;
	void *frame = norn_must_alloc(room, 1);
	size_t length = norn_wire_put_filter(frame, room, &m.filter);
	norn_vector_done(&m.sites);
	norn_vector_done(&m.ranges);
	norn_vector_done(&m.names);
	if (length == 0) {
		free(frame);
		return -EMSGSIZE;
	}
	*ret_frame = frame;
	*ret_length = length;
	return 0;
}
