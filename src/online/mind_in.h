/* The inside of a mind, for mind*.c only. */
#ifndef NORN_ONLINE_MIND_IN_H
#define NORN_ONLINE_MIND_IN_H

#include "online/mind.h"

/* ---- mind_eval.c: what lines are worth ---- */

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

/* ---- mind_step.c: one position ---- */

uint64_t norn_mind_all_properties(const struct norn_mttl *program);
/* The properties that the impression is a position of. */
uint64_t norn_mind_positions_of(const struct norn_mind *mind, const struct norn_impression *impression);
void norn_mind_update_ghosts(struct norn_mind *mind, const struct norn_impression *impression);
/* Every table and every remote of the properties whose position it is. */
void norn_mind_step_all(struct norn_mind *mind, bool *tables_changed, bool *values_changed);
enum norn_truth norn_mind_judge(struct norn_mind *mind, const struct norn_mttl_property *property);
uint64_t norn_mind_judge_all(struct norn_mind *mind); /* the properties that are violated now, and were not before */

/* ---- mind_table.c ---- */

/* Gives everyone who is heard of a place in the tables. False: no memory. */
bool norn_mind_meet(struct norn_mind *mind);

/* ---- mind_short.c ---- */

void norn_mind_forget_shortcuts(struct norn_mind *mind);
#define NORN_CREDIT (1u << 16)
/* It knows this now, of which it gets one reference, and so many more to lend. */
void norn_mind_know(struct norn_mind *mind, struct norn_knowledge *now, uint32_t credit);
void norn_mind_settle_all(struct norn_mind *mind);

/* ---- what it has heard ---- */

/* The entry of a seat as far as this event's news go; not its own. */
static inline struct norn_known_thread *norn_mind_heard(const struct norn_mind *m, uint32_t seat)
{
	if (!m->news)
		return norn_knowledge_of(m->now, seat);
	return seat < m->heard_count ? m->heard[seat].thread : NULL;
}

static inline uint32_t norn_mind_seats(const struct norn_mind *m)
{
	uint32_t count = m->news ? m->heard_count : m->now->count;
	return m->seat != NORN_SEAT_NONE && m->seat >= count ? m->seat + 1 : count;
}

#endif
