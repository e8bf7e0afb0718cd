/* Blocks: the unit of writing, checking and compressing (layout: trace/format.h).
 *
 * Building a block runs inside the watched program: no allocation, no libc beyond memcpy and memset. All memory comes from a
 * workspace that the caller owns. Building the same block twice gives the same bytes. */
#ifndef NORN_TRACE_BLOCK_H
#define NORN_TRACE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

struct norn_workspace; /* codec contexts, zstd's static context, buffers */
size_t norn_workspace_bytes(unsigned units); /* memory for blocks of up to so many units, or 8 * units bytes of another kind */
struct norn_workspace *norn_workspace_init(void *memory, size_t bytes); /* memory: zeroed, 64-byte aligned; NULL if too small */

/* The thread whose records a block holds, and which part of them. */
struct norn_block_id {
	uint32_t thread;
	uint32_t parent, ordinal; /* as in struct norn_block_header */
	uint64_t sequence;
};

/* Builds an EVENTS block (header, payload, padding) in the workspace. Returns its length, a multiple of 8; *ret_block points into
 * the workspace. 0 if units is 0. */
size_t norn_block_events(
        struct norn_workspace *w, const struct norn_block_id *id, const uint64_t *raw, unsigned units, const uint8_t **ret_block);

/* Builds a block of another kind; payload given in two parts. Payloads that do not fit the workspace are stored uncompressed:
 * then *ret_block is just the header (with the right checksum and length) and the caller writes the two parts after it, and zeros
 * up to norn_block_span of the header; *ret_whole tells which. Returns the bytes at *ret_block. */
size_t norn_block_other(struct norn_workspace *w, enum norn_block_kind kind, const void *a, size_t a_bytes, const void *b,
        size_t b_bytes, const uint8_t **ret_block, int *ret_whole);

/* The header of a PAD block that covers bytes bytes in all: a multiple of 8, from sizeof(struct norn_block_header) to 1 GiB. */
void norn_block_pad(uint64_t bytes, struct norn_block_header *ret_header);

/* The payload of a PAD block does not count: give none. */
uint64_t norn_block_checksum(
        const struct norn_block_header *header, const void *payload_a, size_t a_bytes, const void *payload_b, size_t b_bytes);
uint64_t norn_header_checksum(const struct norn_file_header *header);

#endif
