/* Levels of a lattice, one after the other. Included by lattice.c and the files that build levels only.
 *
 * There is a present level and a *window*: the events in which cuts from here on may differ, up to some level. Events before the
 * window are in every cut of the present level, and only the paths need them; events beyond it cannot be in cuts of these levels.
 * When more levels are closed, lattice.c moves the window (norn_levels_move_window), which rewrites the present level: cuts are
 * packed anew, relative to the window's beginning. Their order stays, since it is that of the threads' numbers of events, the last
 * thread's first (cut.h), and those of threads outside the window are equal in all of them. */
#ifndef NORN_LATTICE_LEVELS_H
#define NORN_LATTICE_LEVELS_H

#include "lattice/worker_pool.h"
#include "lattice/level_merge.h"
#include "lattice/observed_run.h"

struct norn_levels {
	struct norn_search search;
	struct norn_lattice_options options;
	struct norn_lattice_result result;
	uint64_t width_room; /* of result.widths */
	struct norn_observed_run observed; /* of the window */
	uint64_t observed_from; /* level at which it begins */
	uint32_t threads; /* that events may be of: all below */
	uint64_t total; /* events, as far as they are known */
	unsigned members;
	struct norn_worker_pool *worker_pool; /* NULL until a level is worth it, and for one worker */
	struct norn_worker **workers;
	struct norn_level present, next;
	uint64_t level; /* of present */
	bool probing; /* there is a copy of a level, whose paths must stay as they are */
	bool over; /* a limit was reached, or all is decided: no more levels */
	size_t compact_at; /* entries of the path tree */
	size_t belief_bytes, path_bytes, window_bytes; /* as counted in search.other_bytes */
	/* The level that is being built. */
	struct norn_part *parts;
	uint32_t part_count;
	_Atomic uint32_t part_next;
	uint64_t *bounds; /* cuts between parts */
};

/* model, options and steppers must live longer. Then comes a window, then the first level. -EOVERFLOW: too many monitors. */
int norn_levels_init(struct norn_levels *levels, const struct norn_lattice_model *model, const struct norn_stepper *steppers,
        uint32_t monitors, const struct norn_lattice_options *options);
void norn_levels_done(struct norn_levels *levels); /* frees all but the result */

/* Sets the first window of events. Takes over packing and observed. */
void norn_levels_set_window(
        struct norn_levels *levels, const struct norn_packing *packing, const struct norn_observed_run *observed);
void norn_levels_start(struct norn_levels *levels); /* level 0 */

/* Replaces the window by one of later events, and perhaps of more threads. base: per thread, how many events lie before the new
 * window. taken: per thread, how many events the observed run has performed at the present level. Takes over packing and observed.
 * */
int norn_levels_move_window(struct norn_levels *levels, const struct norn_packing *packing,
        const struct norn_observed_run *observed, const uint32_t *base, const uint32_t *taken);

/* Builds levels until this one is the present one, a limit is reached, or nothing can change any more. base: as for
 * norn_levels_move_window; levels are visited; NULL: they are not. */
int norn_levels_to(struct norn_levels *levels, uint64_t level, const uint32_t *base);
void norn_levels_visit(
        struct norn_levels *levels, const uint32_t *base); /* shows the nodes of the present level to options.visit */

/* As norn_levels_to, with at most so many cuts; afterwards restores the previous state, and keeps only the violations that were
 * found. */
int norn_levels_probe(struct norn_levels *levels, uint64_t level, uint64_t cuts);

/* Per thread of the window: the least number of its events in any cut of the present level. */
void norn_levels_least(const struct norn_levels *levels, uint32_t *least);

/* Judges the end of the run, if the present level is the last cut. */
void norn_levels_finish(struct norn_levels *levels);

/* For level_window.c and levels.c. Computes from the cut of a record which threads' next events are enabled. Notes that memory of
 * *was bytes has now the size `is`. */
void norn_levels_enable(const struct norn_search *search, uint64_t *record);
void norn_levels_account(struct norn_levels *levels, size_t *was, size_t is);

#endif
