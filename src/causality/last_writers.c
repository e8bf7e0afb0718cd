#include "causality/last_writers.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/must.h"
#include "base/page_set.h"
#include "base/slab.h"

#define PAGE_BYTES UINT64_C(4096)
#define BLOCK_BYTES UINT64_C(512)
#define PAGE_BLOCKS (PAGE_BYTES / BLOCK_BYTES)
#define QUADS (BLOCK_BYTES / 4)
#define WORDS (BLOCK_BYTES / 8)
#define SPLIT 0x80000000u /* of a quad: its bytes differ, and stand in splits */
#define RECENT 512u

struct writers_block {
	uint32_t quads[QUADS]; /* writers of 4 bytes at once */
	uint32_t lives[WORDS];
};

struct writers_page {
	uint32_t blocks[PAGE_BLOCKS]; /* 1 + index, 0: none */
};

struct split {
	uint32_t bytes[4];
};

struct norn_last_writers {
	struct norn_map pages; /* page number + 1 → struct writers_page: those that have blocks */
	struct norn_page_set present; /* the same pages */
	struct norn_intervals lives; /* of whole pages: the last event that took them, for all words without a block */
	struct norn_slab slab; /* of blocks */
	NORN_VECTOR(struct writers_block *) blocks; /* by index - 1 */
	NORN_VECTOR(struct split) splits; /* [0] is not used */
	uint32_t spare; /* they are linked through bytes[0] */
	struct {
		uint64_t key; /* 1 + address / BLOCK_BYTES */
		struct writers_block *block;
	} recent[RECENT];
	struct norn_numbers found; /* of the last question */
};

struct norn_last_writers *norn_last_writers_new(void)
{
	struct norn_last_writers *writers = norn_must_calloc(1, sizeof *writers);
	norn_map_init(&writers->pages, sizeof(struct writers_page));
	norn_page_set_init(&writers->present);
	writers->slab.bytes = sizeof(struct writers_block);
	norn_must_add(&writers->splits);
	return writers;
}

void norn_last_writers_free(struct norn_last_writers *writers)
{
	if (!writers)
		return;
	norn_map_done(&writers->pages);
	norn_page_set_done(&writers->present);
	norn_intervals_done(&writers->lives);
	norn_slab_done(&writers->slab);
	norn_vector_done(&writers->blocks);
	norn_vector_done(&writers->splits);
	norn_vector_done(&writers->found);
	free(writers);
}

uint64_t norn_last_writers_bytes(const struct norn_last_writers *writers)
{
	return sizeof *writers + writers->pages.capacity * writers->pages.slot_bytes + norn_page_set_bytes(&writers->present) +
	       norn_intervals_bytes(&writers->lives) + writers->slab.allocated +
	       writers->blocks.room * sizeof(struct writers_block *) + (uint64_t)writers->splits.room * sizeof(struct split) +
	       (uint64_t)writers->found.room * sizeof(uint32_t);
}

/* ---- finding ---- */

static struct writers_block *block_at(const struct norn_last_writers *writers, uint32_t index)
{
	assert(index && index <= writers->blocks.count);
	return writers->blocks.items[index - 1];
}

static struct writers_block *new_block(struct norn_last_writers *writers, uint32_t life)
{
	struct writers_block *block = norn_slab_alloc(&writers->slab);
	for (unsigned i = 0; i < QUADS && life; i++)
		block->quads[i] = life;
	for (unsigned i = 0; i < WORDS && life; i++)
		block->lives[i] = life;
	return block;
}

static struct writers_block *make_block(struct norn_last_writers *writers, uint64_t addr)
{
	struct writers_page *page = norn_must_map_put(&writers->pages, addr / PAGE_BYTES + 1);
	uint32_t *index = &page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
	if (*index == 0) {
		norn_page_set_add(&writers->present, addr / PAGE_BYTES);
		norn_must_push(&writers->blocks, new_block(writers, norn_intervals_get(&writers->lives, addr)));
		*index = writers->blocks.count;
	}
	return block_at(writers, *index);
}

/* The block of addr, made if it is not there. */
static inline struct writers_block *get_block(struct norn_last_writers *writers, uint64_t addr)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = (key ^ key >> 9) % RECENT;
	if (writers->recent[slot].key != key) {
		writers->recent[slot].block = make_block(writers, addr);
		writers->recent[slot].key = key;
	}
	return writers->recent[slot].block;
}

static void note(struct norn_numbers *found, uint32_t event)
{
	if (found->count == 0 || found->items[found->count - 1] != event)
		norn_must_push(found, event);
}

/* ---- bytes ---- */

static void split_quad(struct norn_last_writers *writers, uint32_t *quad)
{
	struct split split = {{*quad, *quad, *quad, *quad}};
	uint32_t i = writers->spare;
	if (i) {
		writers->spare = writers->splits.items[i].bytes[0];
		writers->splits.items[i] = split;
	} else {
		i = writers->splits.count;
		norn_must_push(&writers->splits, split);
	}
	*quad = i | SPLIT;
}

static void set_quad(struct norn_last_writers *writers, uint32_t *quad, uint32_t event)
{
	if (*quad & SPLIT) {
		uint32_t i = *quad & ~SPLIT;
		writers->splits.items[i].bytes[0] = writers->spare;
		writers->spare = i;
	}
	*quad = event;
}

static void write_part(struct norn_last_writers *writers, uint32_t *quad, unsigned first, unsigned end, uint32_t event)
{
	if (!(*quad & SPLIT)) {
		if (*quad == event)
			return;
		split_quad(writers, quad);
	}
	uint32_t *bytes = writers->splits.items[*quad & ~SPLIT].bytes;
	for (unsigned b = first; b < end; b++)
		bytes[b] = event;
	if (bytes[0] == bytes[1] && bytes[0] == bytes[2] && bytes[0] == bytes[3])
		set_quad(writers, quad, event);
}

/* [offset, end) of a block. */
static void write_block(
        struct norn_last_writers *writers, struct writers_block *block, unsigned offset, unsigned end, uint32_t event)
{
	while (offset < end) {
		unsigned first = offset % 4, last = end - (offset - first) < 4 ? end - (offset - first) : 4;
		uint32_t *quad = &block->quads[offset / 4];
		if (first == 0 && last == 4)
			set_quad(writers, quad, event);
		else
			write_part(writers, quad, first, last, event);
		offset += last - first;
	}
}

static unsigned part_of_block(uint64_t addr, uint64_t size)
{
	uint64_t left = BLOCK_BYTES - addr % BLOCK_BYTES;
	return (unsigned)(size < left ? size : left);
}

void norn_last_writers_write(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	for (unsigned bytes; size; addr += bytes, size -= bytes) {
		unsigned offset = addr % BLOCK_BYTES;
		bytes = part_of_block(addr, size);
		write_block(writers, get_block(writers, addr), offset, offset + bytes, event);
	}
}

static void read_block(struct norn_last_writers *writers, const struct writers_block *block, unsigned offset, unsigned end)
{
	while (offset < end) {
		unsigned first = offset % 4, last = end - (offset - first) < 4 ? end - (offset - first) : 4;
		uint32_t quad = block->quads[offset / 4];
		if (!(quad & SPLIT))
			note(&writers->found, quad);
		else
			for (unsigned b = first; b < last; b++)
				note(&writers->found, writers->splits.items[quad & ~SPLIT].bytes[b]);
		offset += last - first;
	}
}

uint32_t norn_last_writers_read(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events)
{
	writers->found.count = 0;
	for (unsigned bytes; size; addr += bytes, size -= bytes) {
		unsigned offset = addr % BLOCK_BYTES;
		bytes = part_of_block(addr, size);
		read_block(writers, get_block(writers, addr), offset, offset + bytes);
	}
	*ret_events = writers->found.items;
	return writers->found.count;
}

/* ---- lives ---- */

/* Whole pages are allocated or freed: their existing blocks are overwritten, and no new ones are made. */
static void live_pages(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	uint64_t end = (addr + size) / PAGE_BYTES;
	norn_intervals_set(&writers->lives, addr, addr + size, event);
	for (uint64_t n = addr / PAGE_BYTES; (n = norn_page_set_next(&writers->present, n, end)) < end; n++) {
		const struct writers_page *page = norn_map_get(&writers->pages, n + 1);
		for (unsigned b = 0; b < PAGE_BLOCKS; b++) {
			if (page->blocks[b] == 0)
				continue;
			struct writers_block *block = block_at(writers, page->blocks[b]);
			write_block(writers, block, 0, BLOCK_BYTES, event);
			for (unsigned i = 0; i < WORDS; i++)
				block->lives[i] = event;
		}
	}
}

/* Of a part of a block. */
static void live_words(struct norn_last_writers *writers, uint64_t addr, unsigned size, uint32_t event)
{
	struct writers_block *block = get_block(writers, addr);
	unsigned offset = addr % BLOCK_BYTES;
	write_block(writers, block, offset, offset + size, event);
	for (unsigned i = offset / 8; i < (offset + size + 7) / 8; i++)
		block->lives[i] = event;
}

void norn_last_writers_live(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	for (uint64_t bytes; size; addr += bytes, size -= bytes) {
		if (addr % PAGE_BYTES == 0 && size >= PAGE_BYTES) {
			bytes = size - size % PAGE_BYTES;
			live_pages(writers, addr, bytes, event);
		} else {
			bytes = part_of_block(addr, size);
			live_words(writers, addr, (unsigned)bytes, event);
		}
	}
}

uint32_t norn_last_writers_life(const struct norn_last_writers *writers, uint64_t addr)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = (key ^ key >> 9) % RECENT;
	if (writers->recent[slot].key == key)
		return writers->recent[slot].block->lives[addr % BLOCK_BYTES / 8];
	const struct writers_page *page = norn_map_get(&writers->pages, addr / PAGE_BYTES + 1);
	uint32_t index = page ? page->blocks[addr % PAGE_BYTES / BLOCK_BYTES] : 0;
	return index ? block_at(writers, index)->lives[addr % BLOCK_BYTES / 8] : norn_intervals_get(&writers->lives, addr);
}

/* Writers of the part of [addr, end) within its page. True: all of that has blocks. */
static bool page_lives(struct norn_last_writers *writers, const struct writers_page *page, uint64_t addr, uint64_t end)
{
	bool whole = true;
	while (addr < end) {
		uint64_t next = addr - addr % BLOCK_BYTES + BLOCK_BYTES;
		uint32_t index = page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
		if (next > end)
			next = end;
		whole &= index != 0;
		for (uint64_t a = addr & ~UINT64_C(7); index && a < next; a += 8)
			note(&writers->found, block_at(writers, index)->lives[a % BLOCK_BYTES / 8]);
		addr = next;
	}
	return whole;
}

/* Lives of [addr, end) where there are no blocks. */
static void interval_lives(struct norn_last_writers *writers, uint64_t addr, uint64_t end)
{
	struct norn_interval interval;
	for (; addr < end && norn_intervals_after(&writers->lives, addr, &interval) && interval.from < end; addr = interval.to)
		note(&writers->found, interval.value);
}

uint32_t norn_last_writers_lives(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events)
{
	writers->found.count = 0;
	uint64_t end = addr + size, last = (end + PAGE_BYTES - 1) / PAGE_BYTES;
	while (addr < end) {
		uint64_t n = norn_page_set_next(&writers->present, addr / PAGE_BYTES, last);
		if (n > addr / PAGE_BYTES) {
			uint64_t next = n * PAGE_BYTES < end ? n * PAGE_BYTES : end;
			interval_lives(writers, addr, next);
			addr = next;
			continue;
		}
		uint64_t next = (n + 1) * PAGE_BYTES < end ? (n + 1) * PAGE_BYTES : end;
		if (!page_lives(writers, norn_map_get(&writers->pages, n + 1), addr, next))
			interval_lives(writers, addr, next);
		addr = next;
	}
	*ret_events = writers->found.items;
	return writers->found.count;
}
