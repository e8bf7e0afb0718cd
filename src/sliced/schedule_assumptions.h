/* The assumptions of a schedule: what code without hooks must not have done, so that the schedule is a run of the program (X9). */
#ifndef NORN_SLICED_SCHEDULE_ASSUMPTIONS_H
#define NORN_SLICED_SCHEDULE_ASSUMPTIONS_H

#include "base/arena.h"
#include "sliced/schedule.h"

/* Is this event ordered after all earlier ones, so that no window contains it? */
bool norn_schedule_comes_after(const struct norn_graph *graph, uint32_t event);
/* Sets the calls that the prediction assumes to be harmless; they lie in the arena. False: it also assumes something that is not a
 * call. */
bool norn_schedule_find_assumed(const struct norn_graph *graph, struct norn_predicted *predicted, struct norn_arena *arena);
/* The site of an event of this schedule, or a stop, that is ordered after all earlier events, or whose memory was changed by code
 * without hooks; 0: there is none, or its site is not known. */
uint32_t norn_schedule_bar(
        const struct norn_graph *graph, const struct norn_schedule *schedule, const uint32_t *stops, uint32_t count);

#endif
