/* The values of a schedule (V4 to V8): it is gone through in its order; a read sees the latest write of each byte, a write leaves
 * what its chain makes of the read that it comes from.
 *
 * Only reads of *words of interest* can see another value that is known: those that assertions read, and those that the writes of
 * such words come from, and those that a read of a schedule finds as they were before it. Their writers are listed. Everything
 * else is as recorded, or not known. */
#ifndef NORN_ERRORS_SCHEDULE_VALUES_H
#define NORN_ERRORS_SCHEDULE_VALUES_H

#include "base/map.h"
#include "base/vector.h"
#include "sliced/schedule.h"

struct norn_schedule_values;

/* The graph must outlive it. */
struct norn_schedule_values *norn_schedule_values_new(const struct norn_graph *graph);
void norn_schedule_values_free(struct norn_schedule_values *values);

/* The word that this event reads, and those that its writers' values come from, are of interest. Before all else. */
void norn_schedule_values_want(struct norn_schedule_values *values, uint32_t read);
void norn_schedule_values_index(struct norn_schedule_values *values);
/* All that writes this word of interest, ascending: writes, external writes, allocations and frees. */
const uint32_t *norn_schedule_values_writers(const struct norn_schedule_values *values, uint64_t addr, uint32_t *ret_count);

/* The read that the value of this write is made of by its chain; 0: there is none. Of a read-modify-write: itself. */
uint32_t norn_schedule_values_source(const struct norn_schedule_values *values, uint32_t write, struct norn_graph_chain *ret_chain);

/* The event of the assertion that is asked for from now on; 0: none. */
void norn_schedule_values_at(struct norn_schedule_values *values, uint32_t at);
/* Goes through a schedule. freed: reads that may decide otherwise by assertions (norn_graph_loose_same), or as pointers. stop: an
 * event that its thread is to come to, past the assertions before it; 0: none. False: a read would decide otherwise, or an
 * assertion fail on the way, or that is not known. */
bool norn_schedule_values_run(struct norn_schedule_values *values, const struct norn_schedule *schedule, const uint32_t *freed,
        uint32_t freed_count, uint32_t stop);
/* Were there too many words that turned out to be of interest? Then more was not known than had to be. */
bool norn_schedule_values_starved(const struct norn_schedule_values *values);
/* After that: what the read saw, or, if it has not happened, would see if it came next; false: not known. Writer: of its first
 * byte, 0: none, as far as is known. */
bool norn_schedule_values_read(const struct norn_schedule_values *values, uint32_t read, uint64_t *ret_value, uint32_t *ret_writer);
/* The same of a write: what it left, or would leave. */
bool norn_schedule_values_written(const struct norn_schedule_values *values, uint32_t write, uint64_t *ret_value);
/* The condition of an assertion whose reads have happened, but for the event after which it comes; false: not known. */
bool norn_schedule_values_assertion(
        const struct norn_schedule_values *values, const struct norn_graph_assertion *assertion, uint64_t *ret_value);

#endif
