/* Traces that are judged together: those that were named, all of a directory that was named, and those of other processes of the
 * same runs, which a trace names (INFO processes). Each is there once, by its real path. */
#ifndef NORN_JOBS_TRACE_SET_H
#define NORN_JOBS_TRACE_SET_H

#include "base/vector.h"
#include "trace/reader.h"

struct norn_trace_set {
	NORN_VECTOR(char *) paths; /* as they were named, in this order */
	NORN_VECTOR(char *) real; /* the same, without links; in the same order */
};

void norn_trace_set_done(struct norn_trace_set *set);
/* A trace, or a directory: all whole traces in it, by name. Returns the exit status, and has said what is wrong. */
int norn_trace_set_add(struct norn_trace_set *set, const char *path);
/* The other processes of that run. Returns how many of their traces are not there any more. */
uint32_t norn_trace_set_add_processes(struct norn_trace_set *set, const struct norn_trace *trace);

#endif
