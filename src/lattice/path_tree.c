#include "lattice/path_tree.h"

#include <stdlib.h>

#include "base/must.h"

void norn_path_done(struct norn_path_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		free(tree->chunks[i]);
	free(tree->chunks);
	free(tree->marks);
	free(tree->ranks);
	*tree = (struct norn_path_tree){0};
}

size_t norn_path_bytes(const struct norn_path_tree *tree)
{
	return tree->count * sizeof **tree->chunks + tree->room * sizeof *tree->chunks;
}

size_t norn_path_entries(const struct norn_path_tree *tree)
{
	size_t entries = 0;
	for (uint32_t i = 0; i < tree->count; i++)
		entries += tree->chunks[i]->used;
	return entries;
}

bool norn_path_take(struct norn_path_tree *tree, uint32_t *ret_chunk)
{
	if (tree->count == UINT32_MAX / NORN_PATH_CHUNK)
		return false;
	norn_must_grow(&tree->chunks, tree->count + UINT64_C(1), &tree->room, sizeof(*tree->chunks));
	struct norn_path_chunk *chunk = norn_must_alloc(1, sizeof *chunk);
	chunk->used = tree->count == 0; /* entry 0 of all is the empty path */
	chunk->parents[0] = 0;
	chunk->threads[0] = 0;
	tree->chunks[tree->count] = chunk;
	*ret_chunk = tree->count++;
	return true;
}

void norn_path_compact_begin(struct norn_path_tree *tree)
{
	size_t words = (size_t)tree->count * (NORN_PATH_CHUNK / 64);
	assert(!tree->marks);
	tree->marks = norn_must_calloc(words + 1, sizeof *tree->marks);
	tree->ranks = norn_must_alloc(words + 1, sizeof *tree->ranks);
	tree->marks[0] = 1;
}

void norn_path_mark(struct norn_path_tree *tree, uint32_t path)
{
	while (!(tree->marks[path / 64] >> path % 64 & 1)) {
		tree->marks[path / 64] |= UINT64_C(1) << path % 64;
		norn_path_last(tree, path, &path);
	}
}

void norn_path_compact_rank(struct norn_path_tree *tree)
{
	uint32_t rank = 0;
	for (size_t i = 0; i < (size_t)tree->count * (NORN_PATH_CHUNK / 64); i++) {
		tree->ranks[i] = rank;
		rank += (uint32_t)__builtin_popcountll(tree->marks[i]);
	}
}

uint32_t norn_path_renamed(const struct norn_path_tree *tree, uint32_t path)
{
	assert(tree->marks[path / 64] >> path % 64 & 1);
	uint64_t before = tree->marks[path / 64] & ((UINT64_C(1) << path % 64) - 1);
	return tree->ranks[path / 64] + (uint32_t)__builtin_popcountll(before);
}

/* A new number is never above the old one, so entries move down in order and overwrite only what has moved already. */
void norn_path_compact_end(struct norn_path_tree *tree)
{
	uint32_t kept = 0, chunks;
	for (size_t i = 0; i < (size_t)tree->count * (NORN_PATH_CHUNK / 64); i++)
		for (uint64_t left = tree->marks[i]; left; left &= left - 1) {
			uint32_t path = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left);
			const struct norn_path_chunk *from = tree->chunks[path / NORN_PATH_CHUNK];
			uint32_t parent = from->parents[path % NORN_PATH_CHUNK], thread = from->threads[path % NORN_PATH_CHUNK];
			assert(kept <= path);
			struct norn_path_chunk *to = tree->chunks[kept / NORN_PATH_CHUNK];
			to->parents[kept % NORN_PATH_CHUNK] = norn_path_renamed(tree, parent);
			to->threads[kept % NORN_PATH_CHUNK] = (uint16_t)thread;
			kept++;
		}
	chunks = (kept + NORN_PATH_CHUNK - 1) / NORN_PATH_CHUNK;
	for (uint32_t i = 0; i < tree->count; i++)
		if (i < chunks)
			tree->chunks[i]->used = i + 1 < chunks ? NORN_PATH_CHUNK : kept - i * NORN_PATH_CHUNK;
		else
			free(tree->chunks[i]);
	tree->count = chunks;
	free(tree->marks);
	free(tree->ranks);
	tree->marks = NULL;
	tree->ranks = NULL;
}
