/* Conflicts: pairs of events of two threads that would be an error if both could happen at once: accesses of common bytes, one of
 * them at least a write and one at least not atomic, with no lock that would keep them apart; and a use of memory with the free of
 * it.
 *
 * A pair's first event is the one that was observed first, with no alloc or free of the memory between them. Of each thread and
 * site only the latest earlier access is taken, and of the pairs with the same two code positions the first few, then ever fewer:
 * what they have in common mostly decides whether they are errors. Bytes of objects of synchronization never conflict.
 *
 * Memory: 4 bytes per word that was accessed, 16 per thread and site that accessed a word which two threads share, but hardly more
 * than 8 per event. */
#ifndef NORN_ERRORS_CONFLICT_H
#define NORN_ERRORS_CONFLICT_H

#include "causality/dependence_graph.h"
#include "errors/fork_order.h"

struct norn_conflict {
	uint32_t first, second; /* events; a use comes first, its free second */
	uint32_t pair; /* of code positions: in pairs */
	bool late; /* not one of the first few of its pair: to be tried after those of all pairs */
	bool guarded; /* a use and a free, under one lock: the free can only come before all of the use's region */
};

struct norn_conflict_pair {
	uint32_t place, other; /* norn_graph_place of both */
	bool frees; /* the second is a free */
	bool found; /* for whoever tries them */
	uint32_t tries; /* the same */
	uint64_t seen; /* how many conflicts there were */
	uint64_t left_out; /* of these, that are not in the list */
	uint64_t counted; /* of them, that were counted before */
};

struct norn_conflicts {
	struct norn_conflict *list; /* by second */
	uint32_t count, room;
	struct norn_conflict_pair *pairs;
	uint32_t pair_count, pair_room;
	uint64_t forgotten; /* accesses of memory used at many places, that later ones were not compared with */
};

struct norn_conflict_options {
	bool races, frees, guarded;
	uint32_t seen; /* conflicts up to this event were counted before */
	unsigned tries; /* how many conflicts of a pair of positions are taken before they get fewer */
	uint32_t look_back; /* accesses of a word that are remembered; 0: a default */
	const struct norn_fork_order *order; /* events that it orders do not conflict; NULL: all may */
};

int norn_conflicts_find(
        const struct norn_graph *graph, const struct norn_conflict_options *options, struct norn_conflicts *ret_conflicts);
void norn_conflicts_done(struct norn_conflicts *conflicts);

/* Does this access write, whatever it reads? A compare-and-swap may find another value than it did. */
bool norn_conflict_writes(const struct norn_graph *graph, uint32_t event);

/* The bytes that both access, those of objects of synchronization left out; *ret_size is 0 if there are none. */
void norn_conflict_bytes(const struct norn_graph *graph, uint32_t a, uint32_t b, uint64_t *ret_addr, uint64_t *ret_size);

#endif
