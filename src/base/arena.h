/* An arena: many small pieces of memory that are freed together.
 *
 * Pieces never move. An all-zero arena is an empty one; the arena owns what it hands out. */
#ifndef NORN_BASE_ARENA_H
#define NORN_BASE_ARENA_H

#include <stddef.h>

struct norn_arena {
	struct norn_arena_chunk *chunks;
	size_t used, room; /* of the newest chunk */
};

void norn_arena_done(struct norn_arena *arena); /* leaves an empty arena */

/* Zeroed and aligned for anything; NULL: out of memory. */
void *norn_arena_alloc(struct norn_arena *arena, size_t bytes);
/* A copy, with a NUL byte behind it. */
char *norn_arena_text(struct norn_arena *arena, const char *text, size_t bytes);

#endif
