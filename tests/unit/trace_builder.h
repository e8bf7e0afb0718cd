/* Traces for tests: records one by one, and whole random runs of a small simulated machine, of which every value is known. */
#ifndef NORN_TESTS_TRACE_BUILDER_H
#define NORN_TESTS_TRACE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/record.h"
#include "trace/writer.h"

/* One record each; version and site as in record.h. */
void put_time(struct norn_writer *w, uint32_t thread, uint64_t ticks);
void put_read(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version);
void put_write(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version, uint64_t value);
void put_rmw(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version, uint64_t value);
void put_external(struct norn_writer *w, uint32_t thread, uint64_t addr, uint32_t version, uint64_t value);
void put_sync(struct norn_writer *w, uint32_t thread, enum norn_sync_op op, uint64_t addr, uint32_t version, uint64_t argument);
void put_thread(struct norn_writer *w, uint32_t thread, enum norn_thread_op op, uint32_t other, uint64_t argument);
void put_enter(struct norn_writer *w, uint32_t thread, uint32_t site);
void put_leave(struct norn_writer *w, uint32_t thread, uint32_t site);
void put_value(struct norn_writer *w, uint32_t thread, unsigned index, uint64_t value);
void put_alloc(struct norn_writer *w, uint32_t thread, uint64_t addr, uint32_t version, uint64_t size);
void put_lost(struct norn_writer *w, uint32_t thread, uint64_t count);
/* versions: one per word; data: as the record's data units, may be NULL. */
void put_range(struct norn_writer *w, uint32_t thread, enum norn_range_sub sub, uint64_t addr, unsigned bytes,
        const uint32_t *versions, const void *data, unsigned data_units);

/* A table with count sites called name0, name1 …, at NORN_SITE_FIRST; kind: enum norn_site_kind. */
void put_sites(struct norn_writer *w, unsigned count, const char *name, unsigned kind);

/* FORK by parent as its ordinal-th child, and BEGIN. */
void put_child(struct norn_writer *w, uint32_t parent, uint32_t child, uint32_t ordinal);

/* A finished file from w; frees w. Returns 0. */
int finish_trace(struct norn_writer *w);
int finish_trace_as(struct norn_writer *w, int exit_status, uint64_t lost);

/* Records of a simulated run, and what each thread saw. */
struct seen {
	uint8_t kind; /* enum norn_event_kind */
	uint64_t addr, size;
	uint8_t data[64];
};

struct run {
	uint32_t threads;
	uint64_t **units; /* per thread: raw records */
	unsigned *used, *room;
	unsigned **starts; /* per thread: where each record starts */
	unsigned *records;
	struct seen **seen; /* per thread: accesses, in order */
	unsigned *seen_count;
};

struct run_options {
	uint64_t seed;
	uint32_t threads; /* besides main */
	unsigned steps;
	unsigned words; /* shared ones */
	bool stamps; /* TIME records, one tick every 16 steps */
	bool simple; /* only reads, writes and locks: every record but a read matters to the verifier */
};

void run_simulate(const struct run_options *options, struct run *ret_run);
void run_done(struct run *run);
/* Writes the run to path; block_units > 0: blocks of about so many units. */
int run_write(const struct run *run, const char *path, unsigned block_units);

#endif
