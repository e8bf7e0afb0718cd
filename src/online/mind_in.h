/* The inside of a mind, for mind*.c only. */
#ifndef NORN_ONLINE_MIND_IN_H
#define NORN_ONLINE_MIND_IN_H

#include "online/mind.h"

/* ---- mind_prepare.c: what is known of formulas beforehand ---- */

int norn_minds_prepare(struct norn_minds *minds); /* makes lines, needs, updates */
void norn_minds_forget(struct norn_minds *minds);

/* ---- mind_eval.c: what lines are worth ---- */

/* The value of a line in the state of the mind's thread, with thread variables as assigned: in brief; if it is long, it is in mind->long_value.
 * Pure: kept truths change only between positions. */
static inline int64_t norn_mind_value(struct norn_mind *mind, const struct norn_mind_line *line)
{
	return line->eval(mind, line);
}
/* Both operands are values of the thread's own, or constants. */
bool norn_mind_has_leaves(const struct norn_mttl *program, const struct norn_mttl_line *line);
/* What computes a line; kept: once a position. */
norn_mind_function *norn_mind_evaluator(const struct norn_mttl *program, const struct norn_mttl_line *line, bool kept);
enum norn_truth norn_mind_truth(struct norn_mind *mind, const struct norn_mind_line *line);
/* What a table keeps of this position. */
enum norn_truth norn_mind_keep(struct norn_mind *mind, const struct norn_mttl_table *table);
/* Where in a block, among the values of a remote or in a table that begins there, the threads assigned to these variables are. */
size_t norn_mind_cell(const struct norn_mind *mind, const uint32_t *before, const uint32_t *dimension, uint32_t dimensions);

/* ---- mind_step.c: one position ---- */

/* The properties that the impression is a position of. */
uint64_t norn_mind_positions_of(const struct norn_mind *mind, const struct norn_impression *impression);
void norn_mind_begin_local(struct norn_mind *mind, uint32_t local, struct norn_value value);
enum norn_truth norn_mind_judge(struct norn_mind *mind, uint32_t property);
/* The position that mind->impression is: ghosts, tables, and verdicts. The properties that are violated now, and were not before. */
uint64_t norn_mind_position(struct norn_mind *mind, bool *ret_tables_changed);
/* The same of a call, and what it changed is put off, if it takes nothing but the thread's own variables: no news, no tables. */
uint64_t norn_mind_position_of_call(struct norn_mind *mind);
/* What the event changed of the remotes' values; or nothing for now, as nobody will see them before the next event. */
bool norn_mind_renew(struct norn_mind *mind);
static inline void norn_mind_put_off(struct norn_mind *mind)
{
	mind->owed |= mind->dirty & mind->world->told;
	mind->dirty = NORN_NEED_POSITION;
}
/* Whether what was put off has changed something that others see. */
bool norn_mind_catch_up(struct norn_mind *mind);

/* ---- mind_table.c ---- */

/* Gives everyone who is heard of a place in the tables, and lists whose entries are news. False: no memory. */
bool norn_mind_meet(struct norn_mind *mind);
void norn_mind_free_tables(struct norn_mind *mind);
void norn_mind_find_cells(struct norn_mind *mind); /* where echoes go: whenever the width or its seat has changed */

/* ---- mind_short.c ---- */

void norn_mind_forget_shortcuts(struct norn_mind *mind);
/* It knows this now, of which it gets one reference, and so many more to lend; 0: it takes them. */
void norn_mind_know(struct norn_mind *mind, struct norn_knowledge *now, uint32_t credit);
void norn_mind_settle_all(struct norn_mind *mind);

/* ---- what it has heard ---- */

/* The entry of a seat that is not its own. */
static inline struct norn_known_thread *norn_mind_heard(const struct norn_mind *m, uint32_t seat)
{
	return seat < m->heard_count ? m->heard[seat].thread : NULL;
}

static inline uint32_t norn_mind_seats(const struct norn_mind *m)
{
	return m->seat != NORN_SEAT_NONE && m->seat >= m->heard_count ? m->seat + 1 : m->heard_count;
}

#endif
