/* Finding blocks in a file that may have gaps: for completing a trace, and for reading one that was never completed. */
#ifndef NORN_TRACE_SCAN_H
#define NORN_TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

/* True if a whole block with a right checksum stands at data + offset, before data + end. */
bool norn_scan_valid(const uint8_t *data, uint64_t end, uint64_t offset, struct norn_block_header *ret_header);

/* Offset of the first valid block at or after offset (a multiple of 8), end if there is none. */
uint64_t norn_scan_next(const uint8_t *data, uint64_t end, uint64_t offset, struct norn_block_header *ret_header);

#endif
