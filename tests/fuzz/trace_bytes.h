/* Traces as bytes, for fuzzers: checksums that are right, and mutations that keep the structure of the file. */
#ifndef NORN_TESTS_FUZZ_TRACE_BYTES_H
#define NORN_TESTS_FUZZ_TRACE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Puts the checksums right: the header's, and that of every block whose header can be found. */
void trace_repair(uint8_t *bytes, size_t size);

/* Mutates one block of a trace: its payload is unpacked (decoded, if it has events), changed, and stored as it is. Whatever indexes
 * blocks is left out then, so that the file is read as one that was never completed. Returns the new size, 0 if that did not
 * work. */
size_t trace_mutate(uint8_t *bytes, size_t size, size_t most, unsigned seed);

#endif
