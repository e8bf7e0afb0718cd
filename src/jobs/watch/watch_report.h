/* The messages of a watched program, made into findings and shown. */
#ifndef NORN_JOBS_WATCH_REPORT_H
#define NORN_JOBS_WATCH_REPORT_H

#include "jobs/watch/watch_plan.h"
#include "engine/watch_message.h"
#include "finding/finding.h"

struct norn_watch_report {
	const struct norn_watch_plan *plan;
	struct norn_findings findings;
	bool incomplete; /* the program said that it could not judge all */
	bool greeted, over; /* the program said hello, and good-bye */
	uint64_t heard; /* verdicts */
};

void norn_watch_report_init(struct norn_watch_report *report, const struct norn_watch_plan *plan);
void norn_watch_report_done(struct norn_watch_report *report);
/* Shows at once what is new in it, on standard error: standard output is the program's. */
void norn_watch_report_message(struct norn_watch_report *report, const struct norn_watch_message *message);
/* The summary, and the JSON; returns the exit status. */
int norn_watch_report_end(struct norn_watch_report *report, const char *json);

#endif
