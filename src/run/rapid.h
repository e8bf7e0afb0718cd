/* RAPID's text format: one event per line, `thread|op(target)|location`, ops r w acq rel fork join begin end.
 *
 * In (rapid_text.h reads it): versions follow from the order of the lines. Variables and locks get addresses, and a site for each
 * use at each location that knows the name; every event gets a stamp of its own, so that the merge gives the lines' order back.
 * Threads need neither begin nor end; one that no line forks is there from the start, concurrent with all others. begin and end are
 * those of a transaction, which is an atomic block, but for begin(T) as the first line of thread T, and end(T) of one that has no
 * transaction open: these are the thread's own. A thread that is forked again was forked once; the other fork is left out. Locks
 * that their holder acquires again are recorded once, the outermost time. Out: the merged
 * order. RAPID knows neither shared locks, conditions, semaphores, barriers, calls, memory management nor writes from outside: they
 * are left out, and counted. Bytes that are accessed in different sizes become one variable per part that is always accessed
 * together. */
#ifndef NORN_RUN_RAPID_H
#define NORN_RUN_RAPID_H

#include <stdio.h>

#include "trace/event.h"
#include "run/rapid_text.h"
#include "trace/reader.h"

struct norn_rapid_import {
	uint64_t events; /* lines that became events */
	uint64_t reentrant; /* acquires and releases within the outermost ones, left out */
	uint64_t forked_again; /* forks of threads that had been forked, left out */
};

/* name: for messages. err has the line. */
int norn_rapid_import(FILE *from, const char *name, const char *to, struct norn_rapid_import *ret_import, struct norn_error *err);

/* A trace with all that a text was found to name, and no event of it but that each thread begins: for readers of the text itself.
 * wanted: a bit for each site that will be asked for (of the first site: the lowest bit); NULL: any. */
int norn_rapid_tables(const struct norn_rapid_text *text, const uint64_t *wanted, const char *to, struct norn_error *err);

struct norn_rapid_export {
	uint64_t lines;
	uint64_t left_out[NORN_EVENT_KINDS]; /* events without a counterpart, by kind */
};

int norn_rapid_export(struct norn_trace *trace, FILE *to, struct norn_rapid_export *ret_export, struct norn_error *err);

#endif
