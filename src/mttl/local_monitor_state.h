/* The inside of a local monitor, for local_monitor*.c only. */
#ifndef NORN_MTTL_LOCAL_MONITOR_STATE_H
#define NORN_MTTL_LOCAL_MONITOR_STATE_H

#include "mttl/local_monitor.h"

/* ---- local_monitor_prepare.c: what is known of formulas beforehand ---- */

int norn_local_monitors_prepare(struct norn_local_monitors *local_monitors); /* makes lines, needs, updates */
void norn_local_monitors_forget(struct norn_local_monitors *local_monitors);

/* ---- local_monitor_eval.c: what lines are worth ---- */

/* The value of a line in the state of the local monitor's thread, with thread variables as assigned: in brief; if it is long,
 * it is in monitor->long_value. Pure: kept truths change only between positions. */
static inline int64_t norn_local_monitor_value(struct norn_local_monitor *local_monitor, const struct norn_local_monitor_line *line)
{
	return line->eval(local_monitor, line);
}
/* The code that computes a line; kept: once a position. */
norn_local_monitor_function *norn_local_monitor_evaluator(
        const struct norn_mttl *program, const struct norn_mttl_line *line, bool kept);
enum norn_truth norn_local_monitor_truth(struct norn_local_monitor *local_monitor, const struct norn_local_monitor_line *line);
/* The cells of a table for this position. */
enum norn_truth norn_local_monitor_keep(struct norn_local_monitor *local_monitor, const struct norn_mttl_table *table);
/* The offset in a block, among the values of a remote or in a table that begins there, of the threads assigned to these
 * variables. */
size_t norn_local_monitor_cell(
        const struct norn_local_monitor *local_monitor, const uint32_t *before, const uint32_t *dimension, uint32_t dimensions);

/* ---- local_monitor_step.c: one position ---- */

/* The properties that the input is a position of. */
uint64_t norn_local_monitor_positions_of(const struct norn_local_monitor *local_monitor, const struct norn_monitor_input *input);
void norn_local_monitor_begin_local(struct norn_local_monitor *local_monitor, uint32_t local, struct norn_value value);
enum norn_truth norn_local_monitor_judge(struct norn_local_monitor *local_monitor, uint32_t property);
/* The position that monitor->input is: ghosts, tables, and verdicts. The properties that are violated now, and were not
 * before. */
uint64_t norn_local_monitor_position(struct norn_local_monitor *local_monitor, bool *ret_tables_changed);
/* The same of a call, and its changes are put off, if it takes only the thread's own variables: no news, no tables. */
uint64_t norn_local_monitor_position_of_call(struct norn_local_monitor *local_monitor);
/* The changes of the remotes' values by the event; or none for now, as no thread will see them before the next event. */
bool norn_local_monitor_renew(struct norn_local_monitor *local_monitor);
static inline void norn_local_monitor_put_off(struct norn_local_monitor *local_monitor)
{
	local_monitor->unpublished |= local_monitor->dirty & local_monitor->world->told;
	local_monitor->dirty = NORN_NEED_POSITION;
}
/* True if a change that was put off is one that others see. */
bool norn_local_monitor_catch_up(struct norn_local_monitor *local_monitor);

/* ---- local_monitor_table.c ---- */

/* Gives every thread that is heard of a place in the tables, and lists those whose entries are news. False: no memory. */
bool norn_local_monitor_meet(struct norn_local_monitor *local_monitor);
void norn_local_monitor_free_tables(struct norn_local_monitor *local_monitor);
void norn_local_monitor_find_cells(
        struct norn_local_monitor *local_monitor); /* the indices of published locals: whenever the width or its seat has changed */

/* ---- local_monitor_cache.c ---- */

void norn_local_monitor_forget_shortcuts(struct norn_local_monitor *local_monitor);
/* It knows this now, of which it gets one reference, and so many more to lend; 0: it takes them. */
void norn_local_monitor_know(struct norn_local_monitor *local_monitor, struct norn_knowledge *now, uint32_t spare_references);
void norn_local_monitor_release_all_deferred(struct norn_local_monitor *local_monitor);

/* ---- what it has heard ---- */

/* The entry of a seat that is not its own. */
static inline struct norn_known_thread *norn_local_monitor_heard(const struct norn_local_monitor *m, uint32_t seat)
{
	return seat < m->heard_count ? m->heard[seat].thread : NULL;
}

static inline uint32_t norn_local_monitor_seats(const struct norn_local_monitor *m)
{
	return m->seat != NORN_SEAT_NONE && m->seat >= m->heard_count ? m->seat + 1 : m->heard_count;
}

#endif
