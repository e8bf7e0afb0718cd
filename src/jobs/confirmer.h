/* The confirmer: lets the program itself take the runs that were predicted of it. Behind norn confirm and norn run --confirm. */
#ifndef NORN_JOBS_CONFIRMER_H
#define NORN_JOBS_CONFIRMER_H

#include <stdbool.h>

#include "jobs/options.h"
#include "finding/predicted_errors.h"
#include "confirm/schedule_file.h"

struct norn_checking;

struct norn_confirming {
	bool wanted;
	const char *id; /* of the only finding to be confirmed, NULL: all */
	const char *output; /* of the program, NULL: nowhere */
	const char *directory; /* for schedules; NULL: norn.schedules */
	const char *save; /* file that the schedule of the confirmed finding is kept in, NULL: none */
	unsigned tries; /* 0: three */
	char *const *program; /* NULL: as the trace has it */
	bool child; /* it is another process than the one that was started: it is begun by itself, as it was */
	const struct norn_checking *checking; /* for what became of the program */
	bool *found; /* set if there is a finding with the id */
};

enum { NORN_CONFIRM_ID = 640, NORN_CONFIRM_OUTPUT, NORN_CONFIRM_SCHEDULES, NORN_CONFIRM_TRIES, NORN_CONFIRM_SAVE };

#define NORN_CONFIRM_DIRECTORY "norn.schedules"

#define NORN_CONFIRM_OPTIONS                                                                                                       \
	{NORN_CONFIRM_OUTPUT, "confirm-output", "FILE", "Append what the program prints while it is run again to FILE.",           \
	        "Confirming"},                                                                                                     \
	        {NORN_CONFIRM_SCHEDULES, "schedules", "DIRECTORY", "Write the schedules to DIRECTORY instead of norn.schedules.",  \
	                NULL},                                                                                                     \
	{                                                                                                                          \
		NORN_CONFIRM_TRIES, "tries", "N", "Run the program up to N times for each finding (3).", NULL                      \
	}

bool norn_confirmer_option(struct norn_confirming *confirming, int id, const struct norn_args *args);

/* A sentence and NORN_EXIT_USAGE if an output cannot be written: before the program is run. */
int norn_confirmer_ready(const struct norn_confirming *confirming);

/* The predictions of a trace, with the schedule of each. */
struct norn_replay_jobs {
	struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_replay_job_result {
		struct norn_schedule_file schedule;
		const struct norn_graph *graph; /* of the run that the prediction is of */
		uint32_t *prefixes; /* events of each thread in the predicted run: schedule_constraints.h */
		unsigned rounds; /* of a loop: how often it is gone through */
		char *reason; /* there is no schedule; NULL: there is */
	} *list;
	uint32_t count, room;
	struct norn_graph **others; /* runs that were made for predictions */
	uint32_t other_count, other_room;
};
void norn_replay_jobs_done(struct norn_replay_jobs *replay_jobs);
/* For norn_described: context is a replay jobs. */
int norn_replay_jobs_take(
        void *context, const struct norn_graph *graph, const struct norn_finding *finding, const struct norn_predicted *predicted);
void norn_replay_jobs_keep(void *context, struct norn_graph *graph);
/* The same for findings of properties, from their witnesses. */
void norn_replay_jobs_take_properties(struct norn_replay_jobs *replay_jobs, const struct norn_findings *findings);

/* Is a property violated in this new trace, in the order that was seen? Returns the exit status; *ret_violated. */
typedef int norn_confirmer_judge(void *context, const char *trace, const struct norn_finding *finding, bool *ret_violated);

/* Runs the program for each finding; sets status and what is told of it. Returns the exit status: not OK if something is wrong with
 * the program or the schedules. */
int norn_confirmer_run(const struct norn_confirming *confirming, struct norn_replay_jobs *replay_jobs, norn_confirmer_judge *judge,
        void *context, struct norn_findings *findings);

/* A schedule as a file, whole or not at all. Returns the exit status. */
int norn_confirmer_write(const char *path, const struct norn_schedule_file *schedule);

#endif
