/* The last writers of memory: for each byte the last event that wrote it, and for each word its *life*, the last event that
 * allocated or freed it. An event is a number; 0 is none.
 *
 * Allocations and frees count as writes, too. Of memory that was never accessed only whole pages are noted. Memory: 12 bytes per
 * word in blocks of 64 words that were accessed, 32 more per word that was accessed by single bytes or halves of 4, 50 to 100 per
 * page that was accessed, and 32 for each stretch of whole pages that was allocated or freed at once. */
#ifndef NORN_CAUSALITY_LAST_WRITERS_H
#define NORN_CAUSALITY_LAST_WRITERS_H

#include <stdint.h>

struct norn_last_writers;

struct norn_last_writers *norn_last_writers_new(void);
void norn_last_writers_free(struct norn_last_writers *writers);

/* Event writes size bytes at addr. */
void norn_last_writers_write(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event);
/* The writers of size bytes at addr, neighbours alike named once: some may be there twice, or 0. Returns their number; they hold
 * until the next call, and may be sorted. */
uint32_t norn_last_writers_read(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events);

/* Event allocates or frees size bytes at addr: a write, and their life from now on. */
void norn_last_writers_live(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event);
/* The life of the word at addr. */
uint32_t norn_last_writers_life(const struct norn_last_writers *writers, uint64_t addr);
/* The lives of size bytes at addr, as norn_last_writers_read gives writers. */
uint32_t norn_last_writers_lives(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events);

uint64_t norn_last_writers_bytes(const struct norn_last_writers *writers); /* allocated */

#endif
