/* The files of a recording. Each trace is written to a file of its own, FILE.part or FILE.RANDOM.part, which only its user can
 * read, and gets its final name when it is whole. So recordings under one name, at one time, keep apart: the second to end takes
 * the name FILE.1, and says so. */
#ifndef NORN_RECORDER_TRACE_FILE_H
#define NORN_RECORDER_TRACE_FILE_H

#include <sys/types.h>

#include "base/error.h"

struct norn_trace_file {
	const char *asked; /* the final name, as the user wrote it */
	char *part; /* the name until then */
	char *absolute; /* the same, since the program may change its directory */
	char *final; /* the final name, or asked with a number; NULL: not chosen yet */
	dev_t device; /* of what had the name when the recording began; inode 0: nothing had it */
	ino_t inode;
	int lock; /* the directory, locked while names are given; -1: it is not */
};

/* Makes the partial file, with a header that says that it is being written. */
int norn_trace_file_make(struct norn_trace_file *file, const char *asked, struct norn_error *err);

/* Chooses the final name, and keeps other recordings from giving names in this directory until norn_trace_file_done. What had the
 * name when the recording began is then called FILE.old. */
void norn_trace_file_choose(struct norn_trace_file *file);

/* The final name of the trace of a process whose partial file is part, an absolute path: FILE, or FILE.PID for another process. To
 * be freed. */
char *norn_trace_file_name(const struct norn_trace_file *file, const char *part);

void norn_trace_file_done(struct norn_trace_file *file);

#endif
