/* R24: a stop that reads memory up to a place which what it reads decides, as strlen does. It touches what another event has in
 * common with it only if all bytes before that come out as they did. */
#ifndef NORN_SLICED_SCANNED_STOPS_H
#define NORN_SLICED_SCANNED_STOPS_H

#include "sliced/attempts.h"
#include "sliced/schedule.h"

/* The stop whose first bytes must be as they were, and how many. 0: there is none. */
uint32_t norn_scanned_stop(const struct norn_graph *graph, const struct norn_attempt *attempt, uint64_t *ret_bytes);
/* Are they, after this schedule? */
bool norn_scanned_stops_as_then(
        const struct norn_graph *graph, const struct norn_attempt *attempt, const struct norn_schedule *schedule);

#endif
