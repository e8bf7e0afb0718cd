#include "causality/last_writers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/map.h"
#include "base/page_set.h"
#include "base/slab.h"

#define PAGE_BYTES UINT64_C(4096)
#define BLOCK_BYTES UINT64_C(512)
#define PAGE_BLOCKS (PAGE_BYTES / BLOCK_BYTES)
#define QUADS (BLOCK_BYTES / 4)
#define WORDS (BLOCK_BYTES / 8)
#define SPLIT 0x80000000u /* of a quad: its bytes differ, and stand in splits */
#define RECENT 512u

struct block {
	uint32_t quads[QUADS]; /* writers of 4 bytes at once */
	uint32_t lives[WORDS];
};

struct page {
	uint32_t blocks[PAGE_BLOCKS]; /* 1 + index, 0: none */
};

struct split {
	uint32_t bytes[4];
};

struct norn_last_writers {
	struct norn_map pages; /* page number + 1 → struct page: those that have blocks */
	struct norn_page_set present; /* the same pages */
	struct norn_intervals lives; /* of whole pages: the last event that took them, for all words without a block */
	struct norn_slab slab; /* of blocks */
	struct block **blocks; /* by index - 1 */
	uint32_t block_count, block_room;
	struct split *splits; /* [0] is not used */
	uint32_t split_count, split_room, spare; /* spare ones are linked through bytes[0] */
	struct {
		uint64_t key; /* 1 + address / BLOCK_BYTES */
		struct block *block;
	} recent[RECENT];
	uint32_t *found; /* of the last question */
	uint32_t found_count, found_room;
};

int norn_last_writers_new(struct norn_last_writers **ret_writers)
{
	struct norn_last_writers *writers = calloc(1, sizeof *writers);
	if (!writers)
		return -ENOMEM;
	norn_map_init(&writers->pages, sizeof(struct page));
	norn_page_set_init(&writers->present);
	writers->slab.bytes = sizeof(struct block);
	*ret_writers = writers;
	return 0;
}

void norn_last_writers_free(struct norn_last_writers *writers)
{
	if (!writers)
		return;
	norn_map_done(&writers->pages);
	norn_page_set_done(&writers->present);
	norn_intervals_done(&writers->lives);
	norn_slab_done(&writers->slab);
	free(writers->blocks);
	free(writers->splits);
	free(writers->found);
	free(writers);
}

uint64_t norn_last_writers_bytes(const struct norn_last_writers *writers)
{
	return sizeof *writers + writers->pages.capacity * writers->pages.slot_bytes + norn_page_set_bytes(&writers->present) +
	       norn_intervals_bytes(&writers->lives) + writers->slab.allocated + writers->block_room * sizeof(struct block *) +
	       (uint64_t)writers->split_room * sizeof(struct split) + (uint64_t)writers->found_room * sizeof(uint32_t);
}

/* ---- finding ---- */

static struct block *block_at(const struct norn_last_writers *writers, uint32_t index)
{
	return writers->blocks[index - 1];
}

static int new_block(struct norn_last_writers *writers, uint32_t life, uint32_t *ret_index)
{
	if (writers->block_count == writers->block_room) {
		uint32_t room = writers->block_room ? writers->block_room * 2 : 64;
		struct block **blocks = realloc(writers->blocks, room * sizeof(*blocks));
		if (!blocks)
			return -ENOMEM;
		writers->blocks = blocks;
		writers->block_room = room;
	}
	struct block *block = norn_slab_alloc(&writers->slab);
	for (unsigned i = 0; i < QUADS && life; i++)
		block->quads[i] = life;
	for (unsigned i = 0; i < WORDS && life; i++)
		block->lives[i] = life;
	writers->blocks[writers->block_count++] = block;
	*ret_index = writers->block_count;
	return 0;
}

static int make_block(struct norn_last_writers *writers, uint64_t addr, struct block **ret_block)
{
	struct page *page;
	int r = norn_map_put(&writers->pages, addr / PAGE_BYTES + 1, (void **)&page);
	if (r < 0)
		return r;
	uint32_t *index = &page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
	if (*index == 0) {
		norn_page_set_add(&writers->present, addr / PAGE_BYTES);
		r = new_block(writers, norn_intervals_get(&writers->lives, addr), index);
		if (r < 0)
			return r;
	}
	*ret_block = block_at(writers, *index);
	return 0;
}

/* The block of addr, made if it is not there. */
static inline int get_block(struct norn_last_writers *writers, uint64_t addr, struct block **ret_block)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = (key ^ key >> 9) % RECENT;
	if (writers->recent[slot].key == key) {
		*ret_block = writers->recent[slot].block;
		return 0;
	}
	int r = make_block(writers, addr, ret_block);
	if (r == 0) {
		writers->recent[slot].key = key;
		writers->recent[slot].block = *ret_block;
	}
	return r;
}

static int note(struct norn_last_writers *writers, uint32_t event)
{
	if (writers->found_count && writers->found[writers->found_count - 1] == event)
		return 0;
	if (writers->found_count == writers->found_room) {
		uint32_t room = writers->found_room ? writers->found_room * 2 : 256;
		uint32_t *found = realloc(writers->found, room * sizeof *found);
		if (!found)
			return -ENOMEM;
		writers->found = found;
		writers->found_room = room;
	}
	writers->found[writers->found_count++] = event;
	return 0;
}

/* ---- bytes ---- */

static int split_quad(struct norn_last_writers *writers, uint32_t *quad)
{
	uint32_t i = writers->spare;
	if (i) {
		writers->spare = writers->splits[i].bytes[0];
	} else {
		if (writers->split_count + 1 >= writers->split_room) {
			uint32_t room = writers->split_room ? writers->split_room * 2 : 256;
			struct split *splits = realloc(writers->splits, room * sizeof *splits);
			if (!splits)
				return -ENOMEM;
			writers->splits = splits;
			writers->split_room = room;
		}
		i = ++writers->split_count;
	}
	for (unsigned b = 0; b < 4; b++)
		writers->splits[i].bytes[b] = *quad;
	*quad = i | SPLIT;
	return 0;
}

static void set_quad(struct norn_last_writers *writers, uint32_t *quad, uint32_t event)
{
	if (*quad & SPLIT) {
		uint32_t i = *quad & ~SPLIT;
		writers->splits[i].bytes[0] = writers->spare;
		writers->spare = i;
	}
	*quad = event;
}

static int write_part(struct norn_last_writers *writers, uint32_t *quad, unsigned first, unsigned end, uint32_t event)
{
	if (!(*quad & SPLIT)) {
		if (*quad == event)
			return 0;
		int r = split_quad(writers, quad);
		if (r < 0)
			return r;
	}
	uint32_t *bytes = writers->splits[*quad & ~SPLIT].bytes;
	for (unsigned b = first; b < end; b++)
		bytes[b] = event;
	if (bytes[0] == bytes[1] && bytes[0] == bytes[2] && bytes[0] == bytes[3])
		set_quad(writers, quad, event);
	return 0;
}

/* [offset, end) of a block. */
static int write_block(struct norn_last_writers *writers, struct block *block, unsigned offset, unsigned end, uint32_t event)
{
	while (offset < end) {
		unsigned first = offset % 4, last = end - (offset - first) < 4 ? end - (offset - first) : 4;
		uint32_t *quad = &block->quads[offset / 4];
		if (first == 0 && last == 4) {
			set_quad(writers, quad, event);
		} else {
			int r = write_part(writers, quad, first, last, event);
			if (r < 0)
				return r;
		}
		offset += last - first;
	}
	return 0;
}

static unsigned part_of_block(uint64_t addr, uint64_t size)
{
	uint64_t left = BLOCK_BYTES - addr % BLOCK_BYTES;
	return (unsigned)(size < left ? size : left);
}

int norn_last_writers_write(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	while (size) {
		struct block *block;
		unsigned bytes = part_of_block(addr, size), offset = addr % BLOCK_BYTES;
		int r = get_block(writers, addr, &block);
		if (r == 0)
			r = write_block(writers, block, offset, offset + bytes, event);
		if (r < 0)
			return r;
		addr += bytes;
		size -= bytes;
	}
	return 0;
}

static int read_block(struct norn_last_writers *writers, const struct block *block, unsigned offset, unsigned end)
{
	while (offset < end) {
		unsigned first = offset % 4, last = end - (offset - first) < 4 ? end - (offset - first) : 4;
		uint32_t quad = block->quads[offset / 4];
		int r = 0;
		if (!(quad & SPLIT))
			r = note(writers, quad);
		else
			for (unsigned b = first; b < last && r == 0; b++)
				r = note(writers, writers->splits[quad & ~SPLIT].bytes[b]);
		if (r < 0)
			return r;
		offset += last - first;
	}
	return 0;
}

int norn_last_writers_read(
        struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events, uint32_t *ret_count)
{
	writers->found_count = 0;
	while (size) {
		struct block *block;
		unsigned bytes = part_of_block(addr, size), offset = addr % BLOCK_BYTES;
		int r = get_block(writers, addr, &block);
		if (r == 0)
			r = read_block(writers, block, offset, offset + bytes);
		if (r < 0)
			return r;
		addr += bytes;
		size -= bytes;
	}
	*ret_events = writers->found;
	*ret_count = writers->found_count;
	return 0;
}

/* ---- lives ---- */

/* Of pages that are taken as a whole: what they have of blocks is overwritten, no new ones are made. */
static int live_pages(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	uint64_t end = (addr + size) / PAGE_BYTES;
	int r = 0;
	norn_intervals_set(&writers->lives, addr, addr + size, event);
	for (uint64_t n = addr / PAGE_BYTES; r == 0 && (n = norn_page_set_next(&writers->present, n, end)) < end; n++) {
		const struct page *page = norn_map_get(&writers->pages, n + 1);
		for (unsigned b = 0; b < PAGE_BLOCKS && r == 0; b++) {
			if (page->blocks[b] == 0)
				continue;
			struct block *block = block_at(writers, page->blocks[b]);
			r = write_block(writers, block, 0, BLOCK_BYTES, event);
			for (unsigned i = 0; i < WORDS; i++)
				block->lives[i] = event;
		}
	}
	return r;
}

/* Of a part of a block. */
static int live_words(struct norn_last_writers *writers, uint64_t addr, unsigned size, uint32_t event)
{
	struct block *block;
	unsigned offset = addr % BLOCK_BYTES;
	int r = get_block(writers, addr, &block);
	if (r == 0)
		r = write_block(writers, block, offset, offset + size, event);
	for (unsigned i = offset / 8; r == 0 && i < (offset + size + 7) / 8; i++)
		block->lives[i] = event;
	return r;
}

int norn_last_writers_live(struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t event)
{
	int r = 0;
	for (uint64_t bytes; size && r == 0; addr += bytes, size -= bytes) {
		if (addr % PAGE_BYTES == 0 && size >= PAGE_BYTES) {
			bytes = size - size % PAGE_BYTES;
			r = live_pages(writers, addr, bytes, event);
		} else {
			bytes = part_of_block(addr, size);
			r = live_words(writers, addr, (unsigned)bytes, event);
		}
	}
	return r;
}

uint32_t norn_last_writers_life(const struct norn_last_writers *writers, uint64_t addr)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = (key ^ key >> 9) % RECENT;
	if (writers->recent[slot].key == key)
		return writers->recent[slot].block->lives[addr % BLOCK_BYTES / 8];
	const struct page *page = norn_map_get(&writers->pages, addr / PAGE_BYTES + 1);
	uint32_t index = page ? page->blocks[addr % PAGE_BYTES / BLOCK_BYTES] : 0;
	return index ? block_at(writers, index)->lives[addr % BLOCK_BYTES / 8] : norn_intervals_get(&writers->lives, addr);
}

/* Of the part of [addr, end) that lies in its page. *ret_whole: all of it has blocks. */
static int page_lives(struct norn_last_writers *writers, const struct page *page, uint64_t addr, uint64_t end, bool *ret_whole)
{
	*ret_whole = true;
	while (addr < end) {
		uint64_t next = addr - addr % BLOCK_BYTES + BLOCK_BYTES;
		uint32_t index = page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
		if (next > end)
			next = end;
		*ret_whole &= index != 0;
		int r = 0;
		for (uint64_t a = addr & ~UINT64_C(7); index && a < next && r == 0; a += 8)
			r = note(writers, block_at(writers, index)->lives[a % BLOCK_BYTES / 8]);
		if (r < 0)
			return r;
		addr = next;
	}
	return 0;
}

/* Of [addr, end) without blocks, as far as it is taken. */
static int interval_lives(struct norn_last_writers *writers, uint64_t addr, uint64_t end)
{
	struct norn_interval interval;
	int r = 0;
	for (; r == 0 && addr < end && norn_intervals_after(&writers->lives, addr, &interval) && interval.from < end;
	        addr = interval.to)
		r = note(writers, interval.value);
	return r;
}

int norn_last_writers_lives(
        struct norn_last_writers *writers, uint64_t addr, uint64_t size, uint32_t **ret_events, uint32_t *ret_count)
{
	writers->found_count = 0;
	uint64_t end = addr + size, last = (end + PAGE_BYTES - 1) / PAGE_BYTES;
	int r = 0;
	while (addr < end && r == 0) {
		uint64_t n = norn_page_set_next(&writers->present, addr / PAGE_BYTES, last);
		if (n > addr / PAGE_BYTES) {
			uint64_t next = n * PAGE_BYTES < end ? n * PAGE_BYTES : end;
			r = interval_lives(writers, addr, next);
			addr = next;
			continue;
		}
		uint64_t next = (n + 1) * PAGE_BYTES < end ? (n + 1) * PAGE_BYTES : end;
		bool whole;
		r = page_lives(writers, norn_map_get(&writers->pages, n + 1), addr, next, &whole);
		if (r == 0 && !whole)
			r = interval_lives(writers, addr, next);
		addr = next;
	}
	*ret_events = writers->found;
	*ret_count = writers->found_count;
	return r;
}
