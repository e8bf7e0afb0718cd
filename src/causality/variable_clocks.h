/* The variables' clocks of algorithm A: for each byte of memory V^a, what its last accesses knew, and V^w, what its last write
 * knew.
 *
 * A variable is one byte. Bytes of a word that were always accessed together share their clocks: as a rule a word has one group of
 * bytes, two if it holds two ints, up to eight. Words lie in pages of 4 KiB; a write that covers a whole page (an allocation, a
 * free, a memset) is noted once for the page, and one of 16 MiB or more (a mapping that programs make to have addresses) once for
 * all of its pages.
 *
 * Memory: 16 bytes per word in blocks of 16 words, 16 more for each group of a word beyond its first, 128 per page in which a word
 * was accessed by itself, 16 to 32 per page; no more than the program touched, allocated or freed.
 * Clocks are numbers of the struct norn_clocks given (clock.h), where failures are noted, too. */
#ifndef NORN_CAUSALITY_VARIABLE_CLOCKS_H
#define NORN_CAUSALITY_VARIABLE_CLOCKS_H

#include <stdint.h>

#include "causality/clock.h"

struct norn_variable_clocks;

int norn_variable_clocks_new(struct norn_clocks *clocks, struct norn_variable_clocks **ret_variables);
void norn_variable_clocks_free(struct norn_variable_clocks *variables);

/* A thread, whose clock is *clock, reads or writes size bytes at addr. *clock becomes what it knows then: for a read max{V, V^w},
 * and V^a becomes max{V^a, V}; for a write max{V, V^a}, and V^a and V^w become V; of all the bytes at once. 0 or -ENOMEM. */
int norn_variable_clocks_read(
        struct norn_variable_clocks *variables, uint32_t thread, uint64_t addr, uint64_t size, uint32_t *clock);
int norn_variable_clocks_write(
        struct norn_variable_clocks *variables, uint32_t thread, uint64_t addr, uint64_t size, uint32_t *clock);

void norn_variable_clocks_mark(const struct norn_variable_clocks *variables); /* all their clocks: see norn_clocks_mark */
uint64_t norn_variable_clocks_bytes(const struct norn_variable_clocks *variables); /* allocated */

#endif
