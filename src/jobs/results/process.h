/* A recorded process: what people know it by, and how it is begun again. */
#ifndef NORN_JOBS_RESULTS_PROCESS_H
#define NORN_JOBS_RESULTS_PROCESS_H

#include <limits.h>
#include <stdbool.h>

#include "finding/finding.h"
#include "trace/reader.h"

/* The process of a trace; its texts are those of findings. */
struct norn_finding_process norn_process_of(const struct norn_trace *trace, struct norn_findings *findings);

struct norn_process_beginning {
	char **argv; /* to be freed, with its one text; NULL: it is not known, or it cannot be begun again */
	char directory[PATH_MAX]; /* where; "": here */
	const char *reason; /* why it cannot be begun again, as far as the trace tells; NULL: it can */
};

/* As the trace says. A process that the command of the recording began by itself (child, or one that has other arguments than that
 * command) is begun as it was, where it was; the command's own as it was, there, too, if that is still there. */
struct norn_process_beginning norn_process_beginning_of(const struct norn_trace *trace, bool child);

/* The path of a program that is to be begun in this directory. */
const char *norn_process_path(const char *directory, const char *program, char place[PATH_MAX]);

#endif
