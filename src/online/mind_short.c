/* Shortcuts of a mind: what it found out about vectors, until it knows more; and references that are counted by the way. */
#include <string.h>

#include "online/mind_in.h"

#define CREDIT (1u << 16)

void norn_mind_forget_familiars(struct norn_mind *m, struct norn_familiars *f, uint8_t *table)
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

void norn_mind_forget_shortcuts(struct norn_mind *m)
{
	if (!m->has_shortcuts)
		return;
	norn_mind_forget_familiars(m, &m->holding, m->familiar);
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
	remember_familiar(m, &m->known, m->familiar + NORN_GLANCE_KNOWN, knowledge);
}

void norn_mind_befriend(struct norn_mind *m, struct norn_knowledge *write, struct norn_knowledge *access)
{
	if (m->glance.now == NORN_GLANCE_CLOSED)
		return;
	remember_familiar(m, &m->holding, m->familiar, access);
	remember_familiar(m, &m->known, m->familiar + NORN_GLANCE_KNOWN, write);
	m->has_shortcuts = true;
}
