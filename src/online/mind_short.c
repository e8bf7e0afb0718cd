/* Shortcuts of a mind: what it found out about vectors, until it knows more; and references that are counted by the way. */
#include <string.h>

#include "online/mind_in.h"

#define CREDIT (1u << 16)

static void set_entry(struct norn_mind *m, uint64_t index, uint8_t to)
{
	__atomic_store_n(&m->tables.entries[index], to, __ATOMIC_RELAXED);
}

static void forget_held(struct norn_mind *m)
{
	while (m->held_count)
		set_entry(m, m->held[--m->held_count], 0);
}

void norn_mind_forget_shortcuts(struct norn_mind *m)
{
	if (!m->has_shortcuts)
		return;
	forget_held(m);
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

void norn_mind_settle_all(struct norn_mind *m)
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
	if (knowledge && knowledge->id)
		set_entry(m, NORN_GLANCE_KNOWN + knowledge->id, 1);
}

void norn_mind_befriend(struct norn_mind *m, struct norn_knowledge *write, struct norn_knowledge *access)
{
	if (m->glance->now == NORN_GLANCE_CLOSED)
		return;
	norn_mind_recognize(m, write);
	if (!access || !access->id || norn_mind_is_holding(m, access->id))
		return;
	if (m->held_count == NORN_HELD)
		forget_held(m);
	m->held[m->held_count++] = access->id;
	set_entry(m, access->id, 1);
	m->has_shortcuts = true;
}
