/* The writer: a trace file made from records that are at hand, by an importer or a test. Recording goes another way (complete.h).
 *
 * Records are given per thread, in the thread's order; threads may alternate. The file grows as FILE.part and gets its name when
 * it is whole. After a failure all calls return it again, so that only the last one has to be looked at. */
#ifndef NORN_TRACE_WRITER_H
#define NORN_TRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format.h"
#include "trace/site.h"

struct norn_writer;

int norn_writer_new(const char *path, struct norn_writer **ret_writer, struct norn_error *err);
void norn_writer_free(struct norn_writer *writer); /* without norn_writer_finish: no file is left */

/* thread is the ordinal-th (from 1) that parent created; ordinal 0: unknown. Before its first record; main needs none. */
int norn_writer_thread(struct norn_writer *writer, uint32_t thread, uint32_t parent, uint32_t ordinal);
int norn_writer_record(struct norn_writer *writer, uint32_t thread, const uint64_t *record, unsigned units);
/* Ends the thread's block: what follows goes to another one. */
int norn_writer_flush(struct norn_writer *writer, uint32_t thread);

int norn_writer_module(
        struct norn_writer *writer, uint32_t base, const char *path, const struct norn_site_table *table, size_t table_bytes);
int norn_writer_name(struct norn_writer *writer, uint32_t number, uint32_t thread, const char *name); /* see norn_name_block */
void norn_writer_info(struct norn_writer *writer, const char *key_value);

/* Takes from header what the writer cannot know: clock, times, pid, exit status, lost events and threads. */
int norn_writer_finish(struct norn_writer *writer, const struct norn_file_header *header, struct norn_error *err);

#endif
