/* The inside of a mind: what its lines are worth. For mind*.c only. */
#ifndef NORN_ONLINE_MIND_EVAL_H
#define NORN_ONLINE_MIND_EVAL_H

#include "online/mind.h"

/* The value of a line in the state of the mind's thread, with thread variables as assigned. Pure: kept truths change only between positions. */
struct norn_value norn_mind_eval(struct norn_mind *mind, uint32_t line);
/* The same where all values on the way are integers of 64 bits, known, and there is nothing of the past; else false. Not while evidence is collected. */
bool norn_mind_quick(struct norn_mind *mind, uint32_t line, int64_t *ret_value);
/* What a table keeps of this position. */
enum norn_truth norn_mind_keep(struct norn_mind *mind, const struct norn_mttl_table *table);
/* Where in a table, or among the values of a remote, the threads assigned to these variables are. */
size_t norn_mind_cell(const struct norn_mind *mind, const uint32_t *dimension, uint32_t dimensions);
/* Whether the thread on that seat, which may be the mind's own, is one that the quantified variable ranges over. */
bool norn_mind_can_mean(const struct norn_mind *mind, uint32_t variable, uint32_t seat);

/* The entry of a seat as far as this event's news go; not its own. */
static inline struct norn_known_thread *norn_mind_heard(const struct norn_mind *m, uint32_t seat)
{
	if (!m->news)
		return norn_knowledge_of(m->now, seat);
	return seat < m->heard_count ? m->heard[seat] : NULL;
}

static inline uint32_t norn_mind_seats(const struct norn_mind *m)
{
	uint32_t count = m->news ? m->heard_count : m->now->count;
	return m->seat != NORN_SEAT_NONE && m->seat >= count ? m->seat + 1 : count;
}

#endif
