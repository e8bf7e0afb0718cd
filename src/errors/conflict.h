/* Conflicts: pairs of events of two threads that would be an error if both could happen at once: accesses of common bytes, one of
 * them at least a write and one at least not atomic, with no lock that would keep them apart; and a use of memory with the free of
 * it.
 *
 * A pair's first event is the one that was observed first, with no alloc or free of the memory between them. Of each thread and
 * site only the latest earlier access is taken. Of the pairs with the same two code positions
 *   - those that happens-before (causality/happens_before.h) leaves unordered are all taken, if not at once: norn_conflicts_more;
 *   - of the others the first few, then ever fewer (they are sampled): what they have in common mostly decides whether they are
 *     errors.
 * Bytes of objects of synchronization never race; an operation on such an object uses its first word, and conflicts with a free.
 *
 * Memory: 4 bytes per word that was accessed, 16 per thread and site that accessed a word which two threads share, but hardly more
 * than 8 per event, unless so many accesses of a word are unordered; 16 for each conflict of a list. */
#ifndef NORN_ERRORS_CONFLICT_H
#define NORN_ERRORS_CONFLICT_H

#include "base/map.h"
#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "errors/fork_order.h"

struct norn_conflict {
	uint32_t first, second; /* events; a use comes first, its free second */
	uint32_t pair; /* of code positions: in pairs */
	bool unordered; /* by happens-before: the observed order itself may show the error */
	bool sampled; /* other orders are worth a search, too */
	bool late; /* not one of the first few of its pair: to be tried after those of all pairs */
	bool guarded; /* a use and a free, under one lock: the free can only come before all of the use's region */
};

struct norn_conflict_pair {
	uint32_t place, other; /* norn_graph_place of both */
	bool frees; /* the second is a free */
	uint64_t seen; /* how many conflicts there were */
	uint64_t left_out; /* of these, that are not sampled */
	uint64_t unordered; /* of these, that are so by happens-before */
	uint64_t taken; /* of the unordered ones, the first so many have been in a list; */
	uint64_t before; /* so many before this list */
	uint64_t counted; /* of them, that were counted before */
};

struct norn_conflicts {
	NORN_VECTOR(struct norn_conflict) list; /* by second */
	NORN_VECTOR(struct norn_conflict_pair) pairs;
	struct norn_map by_places; /* → 1 + number of a pair */
	uint64_t forgotten; /* accesses of memory used at many places, that later ones were not compared with */
};

struct norn_conflict_options {
	bool races, frees, guarded;
	uint32_t seen; /* conflicts up to this event were counted before */
	unsigned tries; /* how many conflicts of a pair of positions are taken before they get fewer */
	uint32_t look_back; /* accesses of a word that are remembered; 0: a default */
	const struct norn_fork_order *order; /* events that it orders do not conflict; NULL: all may */
	const struct norn_named_memory *only; /* NULL: conflicts on any memory */
	struct norn_judged_places *judged; /* gets the meetings of accesses, those that are no conflicts, too; NULL: not asked */
};

void norn_conflicts_find(
        const struct norn_graph *graph, const struct norn_conflict_options *options, struct norn_conflicts *ret_conflicts);
/* Makes the list one of further unordered conflicts, of pairs that are not found, none of which was in a list before. False: there
 * are none. */
bool norn_conflicts_more(const struct norn_graph *graph, const struct norn_conflict_options *options, const bool *found,
        struct norn_conflicts *conflicts);
void norn_conflicts_done(struct norn_conflicts *conflicts);

/* Does this access write, whatever it reads? A compare-and-swap may find another value than it did. */
/* Is some lock in both lists of locks held (struct norn_graph_event), at least once not only to read? */
bool norn_conflict_common_lock(const struct norn_graph *graph, uint32_t held, uint32_t others);
bool norn_conflict_writes(const struct norn_graph *graph, uint32_t event);

/* The bytes that both access, those of objects of synchronization left out; *ret_size is 0 if there are none. */
void norn_conflict_bytes(const struct norn_graph *graph, uint32_t a, uint32_t b, uint64_t *ret_addr, uint64_t *ret_size);
/* The bytes that one uses and the other frees; of an object of synchronization its first. */
void norn_conflict_freed_bytes(
        const struct norn_graph *graph, uint32_t use, uint32_t free_event, uint64_t *ret_addr, uint64_t *ret_size);

/* The acquire of a lock that is held at a and keeps b's thread from being at b, 0: there is none. */
uint32_t norn_conflict_keeps_out(const struct norn_graph *graph, uint32_t a, uint32_t b);
bool norn_conflict_holds(const struct norn_graph *graph, uint32_t event, uint32_t acquire); /* is it held at the event? */

#endif
