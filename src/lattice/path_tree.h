/* Paths: how the cuts of the present level were reached.
 *
 * A tree of entries, each with one parent and the thread whose event led from there. Every (cut, belief) of the present level has a
 * path, shared with others as far back as they coincide. Entries from which no cut of the present level descends are dropped by
 * norn_path_compact; the lattice chooses parents such that paths coincide soon.
 *
 * Path 0 is the empty one. Entries lie in chunks, one writer each, so that workers append without waiting for each other; only
 * taking a new chunk needs the caller's lock. 6 bytes an entry. */
#ifndef NORN_LATTICE_PATH_TREE_H
#define NORN_LATTICE_PATH_TREE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_PATH_CHUNK 4096u

struct norn_path_chunk {
	uint32_t parents[NORN_PATH_CHUNK];
	uint16_t threads[NORN_PATH_CHUNK];
	uint32_t used;
};

struct norn_path_tree {
	struct norn_path_chunk **chunks;
	uint32_t count, room; /* chunks */
	uint64_t *marks; /* while compacting: a bit per entry */
	uint32_t *ranks; /* marked entries before each word of marks */
};

void norn_path_done(struct norn_path_tree *tree); /* an all-zero tree is an empty one */
size_t norn_path_bytes(const struct norn_path_tree *tree);
size_t norn_path_entries(const struct norn_path_tree *tree);

/* A new chunk for one writer: its number. false: there are no more numbers for entries. */
bool norn_path_take(struct norn_path_tree *tree, uint32_t *ret_chunk);

/* chunk has room. */
static inline uint32_t norn_path_append(struct norn_path_chunk *chunk, uint32_t number, uint32_t parent, uint32_t thread)
{
	assert(chunk->used < NORN_PATH_CHUNK);
	uint32_t at = chunk->used++;
	chunk->parents[at] = parent;
	chunk->threads[at] = (uint16_t)thread;
	return number * NORN_PATH_CHUNK + at;
}

/* The thread of a path's last step, and what was before it; path is not 0. */
static inline uint32_t norn_path_last(const struct norn_path_tree *tree, uint32_t path, uint32_t *ret_parent)
{
	assert(path && path / NORN_PATH_CHUNK < tree->count);
	const struct norn_path_chunk *chunk = tree->chunks[path / NORN_PATH_CHUNK];
	*ret_parent = chunk->parents[path % NORN_PATH_CHUNK];
	return chunk->threads[path % NORN_PATH_CHUNK];
}

/* Compaction: begin, mark every path that is needed, ask for its new number, end. Chunks that writers held are theirs no more. */
void norn_path_compact_begin(struct norn_path_tree *tree);
void norn_path_mark(struct norn_path_tree *tree, uint32_t path);
void norn_path_compact_rank(struct norn_path_tree *tree); /* all are marked */
uint32_t norn_path_renamed(const struct norn_path_tree *tree, uint32_t path); /* of a marked one */
void norn_path_compact_end(struct norn_path_tree *tree);

#endif
