#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double up to a limit: there may be many small arenas. */
#define CHUNK_LEAST (1u << 10)
#define CHUNK_MOST (64u << 10)

struct norn_arena_chunk {
	struct norn_arena_chunk *next;
	alignas(max_align_t) unsigned char bytes[];
};

void norn_arena_done(struct norn_arena *arena)
{
	for (struct norn_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct norn_arena){0};
}

static size_t next_room(size_t room)
{
	room = room * 2 < CHUNK_MOST ? room * 2 : CHUNK_MOST;
	return room > CHUNK_LEAST ? room : CHUNK_LEAST;
}

void *norn_arena_alloc(struct norn_arena *arena, size_t bytes)
{
	const size_t align = alignof(max_align_t);
	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) / align * align;
	if (!arena->chunks || bytes > arena->room - arena->used) {
		size_t room = next_room(arena->room);
		room = bytes > room ? bytes : room;
		struct norn_arena_chunk *chunk = calloc(1, sizeof *chunk + room);
		if (!chunk)
			return NULL;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->used = 0;
		arena->room = room;
	}
	void *piece = arena->chunks->bytes + arena->used;
	arena->used += bytes;
	assert(arena->used <= arena->room && (uintptr_t)piece % align == 0);
	return piece;
}

char *norn_arena_text(struct norn_arena *arena, const char *text, size_t bytes)
{
	char *copy = norn_arena_alloc(arena, bytes + 1);
	if (copy && bytes)
		memcpy(copy, text, bytes);
	return copy;
}
