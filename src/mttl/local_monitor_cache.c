/* Shortcuts of a local monitor: what it found out about vectors, until it knows more; and references that are counted by the
 * way. */
#include "mttl/local_monitor_state.h"
#include "mttl/cell_readers.h"

static void set_entry(struct norn_local_monitor *m, uint64_t index, uint8_t to)
{
	__atomic_store_n(&m->tables.entries[index], to, __ATOMIC_RELAXED);
}

static void forget_held(struct norn_local_monitor *m)
{
	while (m->held_count)
		set_entry(m, m->held[--m->held_count], 0);
}

void norn_local_monitor_forget_shortcuts(struct norn_local_monitor *m)
{
	forget_held(m);
	for (uint32_t i = 0; m->has_joined && i < NORN_JOINS; i++) {
		norn_knowledge_drop(m->joined[i].from);
		norn_knowledge_drop(m->joined[i].result);
		m->joined[i] = (struct norn_joined){0};
	}
	m->has_joined = false;
}

void norn_local_monitor_take_references(struct norn_local_monitor *m)
{
	atomic_fetch_add_explicit(&m->now->refs, NORN_SPARE_REFERENCES, memory_order_relaxed);
	m->spare_references += NORN_SPARE_REFERENCES;
}

void norn_local_monitor_release_deferred(struct norn_deferred_release *deferred)
{
	assert(!deferred->count || deferred->id > NORN_ID_NONE);
	if (deferred->count)
		norn_knowledge_drop_many(norn_id_objects[deferred->id], deferred->count);
	*deferred = (struct norn_deferred_release){0};
}

void norn_local_monitor_release_all_deferred(struct norn_local_monitor *m)
{
	for (uint32_t i = 0; i < NORN_DEFERRED_RELEASES; i++)
		norn_local_monitor_release_deferred(&m->deferred_releases[i]);
}

void norn_local_monitor_know(struct norn_local_monitor *m, struct norn_knowledge *now, uint32_t spare_references)
{
	assert(!norn_cell_readers_are(now));
	assert(norn_knowledge_covers(&m->world->program, now, m->now)); /* a local monitor forgets nothing */
	norn_local_monitor_forget_shortcuts(m);
	/* Words will give back theirs soon. */
	if (m->now && m->now->id)
		norn_local_monitor_defer_release(m, m->now->id, m->spare_references + 1);
	else if (m->now)
		norn_knowledge_drop_many(m->now, m->spare_references + 1);
	m->now = now;
	m->spare_references = spare_references;
	if (!spare_references)
		norn_local_monitor_take_references(m);
}

struct norn_knowledge *norn_local_monitor_join(struct norn_local_monitor *m, struct norn_knowledge *access)
{
	struct norn_joined *j = &m->joined[norn_knowledge_id(access) % NORN_JOINS];
	if (norn_knowledge_covers(&m->world->program, m->now, access))
		return norn_local_monitor_share(m);
	if (norn_knowledge_covers(&m->world->program, access, m->now))
		return norn_knowledge_keep(access);
	if (j->from == access)
		return norn_knowledge_keep(j->result);
	struct norn_knowledge *result = norn_knowledge_join(&m->world->program, m->now, access);
	if (!result) {
		norn_local_monitors_drop(m->world);
		return NULL;
	}
	norn_knowledge_drop(j->from);
	norn_knowledge_drop(j->result);
	*j = (struct norn_joined){.from = norn_knowledge_keep(access), .result = norn_knowledge_keep(result)};
	m->has_joined = true;
	return result;
}

void norn_local_monitor_recognize(struct norn_local_monitor *m, struct norn_knowledge *knowledge)
{
	if (knowledge && knowledge->id)
		set_entry(m, NORN_KNOWLEDGE_CACHE_KNOWN + knowledge->id, 1);
}

void norn_local_monitor_befriend(struct norn_local_monitor *m, struct norn_knowledge *write, struct norn_knowledge *access)
{
	if (m->knowledge_cache->now == NORN_KNOWLEDGE_CACHE_CLOSED)
		return;
	norn_local_monitor_recognize(m, write);
	if (!access || !access->id || norn_local_monitor_is_holding(m, access->id))
		return;
	if (m->held_count == NORN_HELD)
		forget_held(m);
	m->held[m->held_count++] = access->id;
	set_entry(m, access->id, 1);
}
