/* Computations of threads that access variables, by hand or by chance, played to minds (mttl/local_monitor.h). */
#ifndef NORN_TESTS_MINDS_H
#define NORN_TESTS_MINDS_H

#include "mttl/knowledge_fast_path.h"
#include "mttl/knowledge_cell.h"

#define STEPS_MAX 64u
#define THREADS_MAX 12u
#define VARIABLES_MAX 8u

enum step_kind { STEP_INTERNAL, STEP_READ, STEP_WRITE, STEP_NOTE, STEP_SET, STEP_FORK, STEP_END, STEP_JOIN };

struct step {
	enum step_kind kind;
	uint32_t thread;
	uint32_t variable; /* READ, WRITE: number below VARIABLES_MAX; NOTE: event; SET: place; FORK, JOIN: thread */
	int value; /* WRITE, SET */
};

/* A run of a spec's formulas: minds, and variables: two ints in a word, which must not be mixed up. */
struct play {
	struct norn_local_monitors local_monitors;
	struct norn_local_monitor *local_monitor[THREADS_MAX];
	struct norn_knowledge_cell words[VARIABLES_MAX / 2];
	struct norn_knowledge *fork[THREADS_MAX], *end[THREADS_MAX];
	uint32_t place[VARIABLES_MAX]; /* per variable: number of the program's places, or NORN_SLOT_NONE */
	uint64_t types[THREADS_MAX];
};

/* The spec has no program. names: of variables, NULL at the end; all are 0 at first. Threads whose bit is set in begun are there
 * from the start. */
void play_open(struct play *play, const struct norn_sources *sources, const struct norn_spec *spec, const char *const *names,
        const uint64_t *types, uint32_t threads, uint32_t begun);
void play_close(struct play *play);
/* One event. false: properties (by number in the program) whose verdict is F then. Returns those that were not F before. */
uint64_t play_step(struct play *play, const struct step *step, uint64_t *ret_false, uint64_t *ret_unknown);

#endif
