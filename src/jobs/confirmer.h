/* The confirmer: lets the program itself take the runs that were predicted of it. Behind norn confirm and norn run --confirm. */
#ifndef NORN_JOBS_CONFIRMER_H
#define NORN_JOBS_CONFIRMER_H

#include <stdbool.h>

#include "jobs/options.h"
#include "finding/error_findings.h"
#include "confirm/schedule_file.h"

struct norn_confirming {
	bool wanted;
	const char *id; /* of the only finding to be confirmed, NULL: all */
	const char *output; /* of the program, NULL: nowhere */
	const char *directory; /* for schedules; NULL: norn.schedules */
	unsigned tries; /* 0: three */
	char *const *program; /* NULL: as the trace has it */
};

enum { NORN_CONFIRM_ID = 640, NORN_CONFIRM_OUTPUT, NORN_CONFIRM_SCHEDULES, NORN_CONFIRM_TRIES };

#define NORN_CONFIRM_OPTIONS                                                                                                       \
	{NORN_CONFIRM_OUTPUT, "confirm-output", "FILE", "Append what the program prints while it is run again to FILE.",           \
	        "Confirming"},                                                                                                     \
	        {NORN_CONFIRM_SCHEDULES, "schedules", "DIRECTORY", "Write the schedules to DIRECTORY instead of norn.schedules.",  \
	                NULL},                                                                                                     \
	{                                                                                                                          \
		NORN_CONFIRM_TRIES, "tries", "N", "Run the program up to N times for each finding (3).", NULL                      \
	}

bool norn_confirmer_option(struct norn_confirming *confirming, int id, const struct norn_args *args);

/* A sentence and NORN_EXIT_USAGE if there is no way to write what is to be written: before a program is run in vain. */
int norn_confirmer_ready(const struct norn_confirming *confirming);

/* What was predicted of a trace, with the script of each. */
struct norn_replay_jobs {
	struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_replay_job_result {
		struct norn_schedule_file script;
		uint32_t *prefixes; /* what the predicted run has of each thread: schedule_constraints.h */
		unsigned rounds; /* of a loop: how often it is gone through */
		char *reason; /* there is no script; NULL: there is */
	} *list;
	uint32_t count, room;
};
void norn_replay_jobs_done(struct norn_replay_jobs *replay_jobs);
/* For norn_described: context is a replay jobs. */
int norn_replay_jobs_take(void *context, const struct norn_finding *finding, const struct norn_predicted *predicted);
/* The same for findings of properties, from their witnesses. 0 or -ENOMEM. */
void norn_replay_jobs_take_properties(struct norn_replay_jobs *replay_jobs, const struct norn_findings *findings);

/* Is a property violated in this new trace, in the order that was seen? Returns the exit status; *ret_violated. */
typedef int norn_confirmer_judge(void *context, const char *trace, const struct norn_finding *finding, bool *ret_violated);

/* Runs the program for each finding; sets status and what is told of it. Returns the exit status: not OK if something is wrong with
 * the program or the schedules. */
int norn_confirmer_run(const struct norn_confirming *confirming, struct norn_replay_jobs *replay_jobs, norn_confirmer_judge *judge,
        void *context, struct norn_findings *findings);

#endif
