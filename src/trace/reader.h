/* The reader: a trace file, open for random access.
 *
 * norn_trace_open maps the file, checks header, footer and the headers of all blocks, and indexes threads, modules and names. All
 * of a block is checked when it is decoded: events when a cursor comes to them (each thread's first block at once), all else when
 * the trace is opened. A damaged or foreign file gives -EBADMSG and a sentence in err, never a crash; a trace without its footer
 * (state RECORDING) is refused unless partial is set, then what can be found is read.
 * The trace owns everything that it hands out. Not thread-safe; cursors of one trace may be used from several threads. */
#ifndef NORN_TRACE_READER_H
#define NORN_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/site.h"

struct norn_trace;

int norn_trace_open(const char *path, bool partial, struct norn_trace **ret_trace, struct norn_error *err);
void norn_trace_close(struct norn_trace *trace);
/* Gives back memory that holds parts of the file: it will be read again where it is wanted. */
void norn_trace_rest(const struct norn_trace *trace);

const char *norn_trace_path(const struct norn_trace *trace);
const struct norn_file_header *norn_trace_header(const struct norn_trace *trace);
const char *norn_trace_info(const struct norn_trace *trace, const char *key); /* INFO value, NULL if absent */
/* All values of a key that there may be several of, one after another; *cursor starts at 0. */
const char *norn_trace_info_next(const struct norn_trace *trace, const char *key, uint32_t *cursor);

/* Threads, numbered 0 (main) … threads-1. */
uint32_t norn_trace_threads(const struct norn_trace *trace);
#define NORN_PATH_TEXT 1000u
struct norn_thread_info {
	const char *path; /* "main", "main/2/1": the identity. "main/?N" for thread number N whose origin is unknown, or so many
	                     generations away that its path would be longer than NORN_PATH_TEXT */
	const char *name; /* given by norn_thread_name, or NULL */
	uint32_t parent; /* NORN_NO_THREAD if unknown */
	uint32_t blocks;
	uint64_t records;
};
/* NULL if there is no such thread. */
const struct norn_thread_info *norn_trace_thread(const struct norn_trace *trace, uint32_t thread);

const char *norn_trace_name(const struct norn_trace *trace, uint32_t name); /* of a MARK; "" if unknown */
const char *norn_trace_name_at(
        const struct norn_trace *trace, uint32_t i); /* the i-th from 0, whatever its number; NULL past the last */

/* A site, with its strings resolved. */
struct norn_site_info {
	const struct norn_site *site; /* NULL: unknown; all strings are then "" */
	const char *module; /* path of the executable or library */
	const char *function, *file, *name, *type, *field;
	unsigned line, column;
	const struct norn_site_table *table;
};
void norn_trace_site(const struct norn_trace *trace, uint32_t site, struct norn_site_info *ret_info);
/* The frame that an inlined site stands in; returns false at the outermost. *index: site->inlined_at, then what this call left. */
bool norn_trace_frame(
        const struct norn_site_info *info, uint32_t *index, const char **ret_function, const char **ret_file, unsigned *ret_line);

/* The facts for slicing of a site (facts.h), checked when the trace was opened. False if it has none: then nothing is known. The
 * sites that they name are indices in the same table. */
struct norn_facts;
bool norn_trace_facts(const struct norn_trace *trace, uint32_t site, struct norn_facts *ret_facts);
/* Addresses of the variables that facts of this site's table speak of. */
const uint64_t *norn_trace_variables(const struct norn_trace *trace, uint32_t site, uint32_t *ret_count);

/* All modules, for listing. Returns false past the last. */
bool norn_trace_module(const struct norn_trace *trace, unsigned i, uint32_t *ret_base, const char **ret_path,
        const struct norn_site_table **ret_table);
uint64_t norn_trace_load(const struct norn_trace *trace, unsigned i); /* address that module i was loaded at, 0 unknown */

/* A cursor: the raw records of one thread, in order, one decoded block in memory at a time. */
struct norn_cursor;
int norn_cursor_new(struct norn_trace *trace, uint32_t thread, struct norn_cursor **ret_cursor);
void norn_cursor_free(struct norn_cursor *cursor);
/* *ret_record points to the next whole record (units long), valid until the next call. Returns 1, 0 at the end, negative errno
 * with err filled on damage. */
int norn_cursor_next(struct norn_cursor *cursor, const uint64_t **ret_record, unsigned *ret_units, struct norn_error *err);

/* The same as events: VALUE and TIME are folded in; what reads and copies saw is not known (merge.h knows it). */
int norn_cursor_event(struct norn_cursor *cursor, struct norn_event *ret_event, struct norn_error *err);

#endif
