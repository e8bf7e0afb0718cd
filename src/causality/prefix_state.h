/* The summary of a prefix for a dependence graph that begins in mid-run: a few of the events before it, which stand for all.
 *
 * A graph that starts in mid-run treats the prefix as fixed (closure.h: the base). So of that nothing matters but what it left
 * behind: threads that live, and their forks; ended ones that no thread has joined; functions that are not left; locks that are
 * held; waits that go on; resources that are being changed; atomic blocks that are open; memory that is allocated (as much of it as
 * fits); and each thread's last event, where it tells what the next one is. These events, in their order, make a graph in the same
 * state as the whole run would, but that memory is taken for initial and objects for new. Writes and reads of the prefix are all in
 * the past. Reads of memory that had been freed are told (norn_prefix_event): the graph would not know.
 *
 * Events are copied without what they point to. Memory: 120 bytes for each event that is carried, 100 per page of memory that is
 * free. */
#ifndef NORN_CAUSALITY_PREFIX_STATE_H
#define NORN_CAUSALITY_PREFIX_STATE_H

#include "causality/dependence_graph.h"

struct norn_prefix_event {
	struct norn_event event;
	uint64_t number; /* of the run, from 1 */
};

struct norn_prefix;

/* max_blocks: at most so many allocated blocks are carried. */
struct norn_prefix *norn_prefix_new(uint32_t max_blocks);
void norn_prefix_free(struct norn_prefix *prefix);

/* The next event of the run. True: it reads memory that is free. */
bool norn_prefix_event(struct norn_prefix *prefix, const struct norn_event *event);
uint32_t norn_prefix_kept(const struct norn_prefix *prefix); /* how many events are carried */
/* The carried events, in their order. The caller frees the array. */
struct norn_prefix_event *norn_prefix_list(const struct norn_prefix *prefix, uint32_t *ret_count);
/* A graph begins with them; before is how many events of the run they stand for. */
int norn_prefix_begin(const struct norn_prefix_event *list, uint32_t count, uint64_t before, struct norn_graph_builder *builder);

#endif
