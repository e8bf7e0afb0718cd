#include "lattice/path_tree.h"

#include <errno.h>
#include <stdlib.h>

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

int norn_path_take(struct norn_path_tree *tree, uint32_t *ret_chunk)
{
	if (tree->count == UINT32_MAX / NORN_PATH_CHUNK)
		return -ENOMEM;
	if (tree->count == tree->room) {
		uint32_t room = tree->room ? 2 * tree->room : 8;
		struct norn_path_chunk **chunks = realloc(tree->chunks, room * sizeof *chunks);
		if (!chunks)
			return -ENOMEM;
		tree->chunks = chunks;
		tree->room = room;
	}
	struct norn_path_chunk *chunk = malloc(sizeof *chunk);
	if (!chunk)
		return -ENOMEM;
	chunk->used = tree->count == 0; /* entry 0 of all is the empty path */
	chunk->parents[0] = 0;
	chunk->threads[0] = 0;
	tree->chunks[tree->count] = chunk;
	*ret_chunk = tree->count++;
	return 0;
}

int norn_path_compact_begin(struct norn_path_tree *tree)
{
	size_t words = (size_t)tree->count * (NORN_PATH_CHUNK / 64);
	tree->marks = calloc(words + 1, sizeof *tree->marks);
	tree->ranks = malloc((words + 1) * sizeof *tree->ranks);
	if (tree->marks && tree->ranks) {
		tree->marks[0] = 1;
		return 0;
	}
	free(tree->marks);
	free(tree->ranks);
	tree->marks = NULL;
	tree->ranks = NULL;
	return -ENOMEM;
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
	uint64_t before = tree->marks[path / 64] & ((UINT64_C(1) << path % 64) - 1);
	return tree->ranks[path / 64] + (uint32_t)__builtin_popcountll(before);
}

/* A new number is never above the old one, so entries move down in order and overwrite only what has moved already. */
void norn_path_compact_end(struct norn_path_tree *tree)
{
	uint32_t kept = 0, chunks;
	for (size_t i = 0; i < (size_t)tree->count * (NORN_PATH_CHUNK / 64); i++)
		for (uint64_t left = tree->marks[i]; left; left &= left - 1) {
			uint32_t parent, path = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left);
			uint32_t thread = norn_path_last(tree, path, &parent);
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
