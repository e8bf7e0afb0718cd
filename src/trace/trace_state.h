/* The inside of an open trace: what reader.c, trace_modules.c, cursor.c and live_trace.c share. No other file includes this. */
#ifndef NORN_TRACE_TRACE_STATE_H
#define NORN_TRACE_TRACE_STATE_H

#include <stddef.h>

#include "base/vector.h"
#include "trace/reader.h"

struct norn_module_entry {
	uint32_t base;
	uint8_t *payload; /* owned; the others point into it */
	const char *path;
	const struct norn_site_table *table;
	uint64_t load;
	const uint64_t *variables;
	uint32_t variable_count;
};

struct norn_name_entry {
	uint32_t number;
	char *text; /* owned */
};

struct norn_block_entry {
	uint64_t offset, sequence;
	uint32_t thread, records;
	uint16_t kind;
};

struct norn_thread_entry {
	struct norn_thread_info info; /* path: made when first asked for */
	char *path, *name; /* owned */
	uint32_t ordinal;
	size_t first; /* index in blocks of its first block; info.blocks of them follow each other */
};

struct norn_trace {
	char *path;
	const uint8_t *data;
	uint64_t bytes;
	struct norn_file_header header;
	NORN_VECTOR(struct norn_block_entry) blocks; /* EVENTS first, by thread and sequence; then the others by offset */
	struct norn_thread_entry *threads;
	NORN_VECTOR(struct norn_module_entry) modules; /* by base */
	NORN_VECTOR(struct norn_name_entry) names; /* by number */
	NORN_VECTOR(char *) infos; /* owned "key=value" */
	uint64_t kept; /* bytes of memory that modules, names and infos take, as they are counted against the file's */
};

/* Names the trace, sets the message, returns -EBADMSG. */
int norn_trace_damaged(const struct norn_trace *trace, struct norn_error *err, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Counts memory that is about to be taken for as long as the trace is open; an error if a file of its size cannot need it. */
int norn_trace_keep(struct norn_trace *trace, uint64_t bytes, struct norn_error *err);

/* Checks the block at offset and gives its header and its payload, decompressed into *buffer (of *buffer_bytes bytes, grown as
 * needed) where it was compressed. */
int norn_trace_unpack(const struct norn_trace *trace, uint64_t offset, struct norn_block_header *ret_header, uint8_t **buffer,
        size_t *buffer_bytes, const uint8_t **ret_payload, struct norn_error *err);

/* Are the facts of all sites (facts.h) well formed? t is else known to be. */
bool norn_facts_check(const struct norn_site_table *t);

/* Checks the payload of a MODULE block, which it takes over, and fills entry. The payload moves if its table has to be opened. */
int norn_module_check(
        struct norn_trace *trace, uint8_t **payload, size_t bytes, struct norn_module_entry *ret_entry, struct norn_error *err);

#endif
