/* Findings of traces that were judged before the others were there (jobs/processes/background.h), for norn_checker_run to take in
 * its own order: what it shows is the same as if it had judged them itself. */
#ifndef NORN_JOBS_PROCESSES_JUDGED_EARLY_H
#define NORN_JOBS_PROCESSES_JUDGED_EARLY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"
#include "finding/finding.h"

struct norn_early_trace {
	dev_t device; /* of the file, which gets its final name later */
	ino_t inode;
	bool by_properties; /* it was judged by them, too */
	char *executable; /* of its process, "": not known */
	char *said; /* what was said on standard error meanwhile */
	struct norn_findings findings;
};

struct norn_judged_early {
	NORN_VECTOR(struct norn_early_trace) traces;
	bool interrupted; /* the user does not want to wait for the rest */
};

void norn_judged_early_done(struct norn_judged_early *early);
/* Takes over the texts and the findings; device and inode are those of the file at path. False, and they are the caller's: there is
 * no such file. */
bool norn_judged_early_keep(struct norn_judged_early *early, const char *path, const struct norn_early_trace *trace);
/* NULL: it was not judged. Its texts stay here; whoever takes the findings leaves empty ones. */
struct norn_early_trace *norn_judged_early_get(struct norn_judged_early *early, const char *path);

#endif
