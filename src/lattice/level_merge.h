/* The next level from the present one, by merging.
 *
 * The successors of a level by one thread, in the order of the level, are in order themselves: to add an event is to add a constant
 * (cut.h). So each thread gives a sorted stream, and the next level is the streams' union: all paths to a cut meet at its turn, and
 * no hash table is needed. Memory is read and written from front to back, a level takes what its records take, and where a level is
 * cut into parts by ranges of cuts, the parts' results put together are the same as that of one merge: for several workers. */
#ifndef NORN_LATTICE_LEVEL_MERGE_H
#define NORN_LATTICE_LEVEL_MERGE_H

#include "lattice/belief.h"
#include "lattice/cut.h"
#include "lattice/lattice.h"
#include "lattice/level_nodes.h"
#include "lattice/path_tree.h"

/* The state that workers share. They read it, but for what is atomic and what lock protects. */
struct norn_search {
	const struct norn_lattice_model *model;
	struct norn_packing packing;
	struct norn_record_shape shape;
	uint64_t *ranks; /* per event: its place in the observed run, without gaps */
	uint32_t *wanted; /* per monitor: violations that are still to be found */
	bool any_wanted;
	uint64_t *observed; /* events per thread in the observed run's cut of the level that is built */
	bool wide; /* the present level is: blocks should be large, and parts worth while */
	uint64_t max_cuts; /* of the level that is built */
	bool (*tick)(void *context, uint64_t cuts); /* by the first worker, now and then: go on? */
	void *tick_context;
	size_t max_memory;

	bool threaded; /* there are several workers, so that lock means something */
	pthread_mutex_t lock; /* of beliefs, paths and, unless it is concurrent, the model */
	struct norn_belief_table beliefs;
	struct norn_path_tree paths;
	struct norn_level *present; /* its blocks are given back as soon as no worker needs them */
	struct norn_part *parts; /* of the next level, in order */
	uint32_t part_count, lowest; /* lowest: the first that is not done */

	struct norn_block_pool pool;
	_Atomic size_t other_bytes; /* all but the pool's and */
	_Atomic size_t chunk_bytes; /* chunks of paths that were taken at this level */
	_Atomic uint64_t produced; /* cuts of the level that is built, now and then */
	_Atomic int failed; /* -errno, or an enum norn_lattice_limit; all stop */
};

/* A violation at the level that is built. */
struct norn_found {
	uint32_t monitor, parent; /* parent: path to the cut before the event */
	uint64_t kind, distance;
	uint64_t node; /* number within the part */
	uint64_t rank; /* of the event */
	struct norn_lattice_event event;
};

/* A range of the next level. */
struct norn_part {
	const uint64_t *low, *high; /* cuts from low on, below high; NULL: no bound */
	bool done; /* search->lock protects it */
	struct norn_level level;
	struct norn_found *found; /* one per monitor and kind: the nearest, the first among equals */
	uint32_t found_count, found_room;
};

struct norn_worker;

struct norn_worker *norn_worker_new(struct norn_search *search, bool first);
void norn_worker_free(struct norn_worker *worker);
void norn_worker_prepare(struct norn_worker *worker); /* for a level that search describes */
void norn_worker_move(
        struct norn_worker *worker); /* search has another packing: event numbers and valuations mean something else */
void norn_worker_drop_chunk(struct norn_worker *worker); /* the path tree was compacted */

/* Makes a part, which is empty before, of search->present. Errors and limits go to search->failed. Parts are begun in order. A
 * worker that makes the lowest part which is not done gives the blocks back that lie before all of its streams: those of the other
 * parts are further on. So little more than one level is in memory. */
void norn_merge_part(struct norn_worker *worker, struct norn_part *part);

/* The number of the cut's events that are not among as many first ones of the observed run. */
uint64_t norn_search_distance(const struct norn_search *search, const uint64_t *cut);
size_t norn_search_memory(struct norn_search *search);

/* For level_merge.c and levels.c: adds a violation, by the rules of struct norn_part. */
void norn_part_note(struct norn_part *part, const struct norn_found *found);

#endif
