/* A live trace: sites, threads, names and information of a run that is being observed, as a struct norn_trace without events.
 * The functions of reader.h work on it as on a file. Additions hold until norn_trace_close.
 *
 * Additions may come from anywhere: they are checked as a file is. */
#ifndef NORN_TRACE_LIVE_TRACE_H
#define NORN_TRACE_LIVE_TRACE_H

#include <stddef.h>

#include "trace/reader.h"

#define NORN_LIVE_THREADS 65534u /* a live trace has no more threads */

/* name: what messages call it. */
struct norn_trace *norn_live_new(const char *name);

/* -EBADMSG and a sentence if the table is damaged, or its sites overlap another's. table need not be aligned. */
int norn_live_module(struct norn_trace *trace, uint32_t base, uint64_t load, const char *path, size_t path_bytes, const void *table,
        size_t table_bytes, struct norn_error *err);
/* All threads up to this one exist then. ordinal 0: where it comes from is not known (yet): its path changes when it is. name: ""
 * if it has none. -EOVERFLOW. */
int norn_live_thread(
        struct norn_trace *trace, uint32_t thread, uint32_t parent, uint32_t ordinal, const char *name, size_t name_bytes);
void norn_live_name(struct norn_trace *trace, uint32_t number, const char *text, size_t bytes); /* of a mark */
void norn_live_info(struct norn_trace *trace, const char *key, const char *value, size_t bytes);

#endif
