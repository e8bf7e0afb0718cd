/* The blocks of one function, as control may flow between them.
 *
 * Only blocks that can be reached count; they are numbered in reverse postorder, the entry is 0. The function's end is what follows
 * every block without a successor (return, unreachable), and, so that each block has a way to it, what follows every block that can
 * never come to one of those. All memory belongs to struct norn_blocks. */
#ifndef NORN_INSTRUMENT_FLOW_BLOCKS_H
#define NORN_INSTRUMENT_FLOW_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#define NORN_NONE UINT32_MAX

/* Numbers for things that have an address, or for pairs of numbers. 0 = not there. */
struct norn_number_map {
	struct norn_number {
		uint64_t key;
		uint32_t number;
	} *slots;
	uint32_t room, used;
};

uint32_t norn_number_map_get(const struct norn_number_map *numbers, uint64_t key);
void norn_number_map_set(struct norn_number_map *numbers, uint64_t key, uint32_t number); /* key and number are not 0 */
void norn_number_map_done(struct norn_number_map *numbers);

struct norn_basic_block {
	LLVMBasicBlockRef block;
	LLVMValueRef terminator;
	uint32_t successors, successor_count; /* the first in norn_blocks.successors */
	uint32_t predecessors, predecessor_count;
	uint32_t dominator; /* immediate; of the entry: itself */
	uint32_t order, extent; /* in the dominator tree: this block's number, and how many blocks it dominates */
	uint32_t postdominator; /* immediate; NORN_NONE: only the function's end */
	uint32_t loop; /* header of the innermost loop around, NORN_NONE */
	uint32_t outer; /* of a header: header of the next loop around its own, NORN_NONE */
	bool ends; /* may come to a block without successors */
};

struct norn_blocks {
	struct norn_basic_block *all;
	uint32_t count;
	uint32_t *successors, *predecessors;
	bool irreducible; /* has a loop with more than one entry: then loops are not to be trusted */
	struct norn_number_map numbers; /* 1 + number of each block */
};

void norn_blocks_init(struct norn_blocks *blocks, LLVMValueRef function);
void norn_blocks_done(struct norn_blocks *blocks);
uint32_t norn_blocks_find(const struct norn_blocks *blocks, LLVMBasicBlockRef block); /* NORN_NONE if it cannot be reached */
bool norn_blocks_dominates(const struct norn_blocks *blocks, uint32_t a, uint32_t b);
bool norn_blocks_loop_contains(const struct norn_blocks *blocks, uint32_t header, uint32_t block);

#endif
