#include "sliced/word_table.h"

#include "base/must.h"

#define PAGE_BYTES UINT64_C(4096)
#define BLOCK_BYTES UINT64_C(512)
#define PAGE_BLOCKS (PAGE_BYTES / BLOCK_BYTES)
#define BLOCK_WORDS (BLOCK_BYTES / 8)

struct word_page {
	uint32_t *blocks[PAGE_BLOCKS];
};

void norn_word_table_init(struct norn_word_table *cells)
{
	*cells = (struct norn_word_table){0};
	norn_map_init(&cells->pages, sizeof(struct word_page));
	norn_page_set_init(&cells->present);
	cells->blocks.bytes = BLOCK_WORDS * sizeof(uint32_t);
}

void norn_word_table_done(struct norn_word_table *cells)
{
	norn_slab_done(&cells->blocks);
	norn_map_done(&cells->pages);
	norn_page_set_done(&cells->present);
	norn_word_table_init(cells);
}

static uint32_t *make_block(struct norn_word_table *cells, uint64_t addr)
{
	norn_page_set_add(&cells->present, addr / PAGE_BYTES);
	struct word_page *page = norn_must_map_put(&cells->pages, addr / PAGE_BYTES + 1);
	uint32_t **block = &page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
	if (!*block)
		*block = norn_must(norn_slab_alloc(&cells->blocks));
	return *block;
}

uint32_t *norn_word_table_get(struct norn_word_table *cells, uint64_t addr)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = (key ^ key >> 8) % NORN_WORD_TABLE_RECENT;
	if (cells->recent[slot].key != key) {
		cells->recent[slot].key = key;
		cells->recent[slot].block = make_block(cells, addr);
	}
	return cells->recent[slot].block + addr % BLOCK_BYTES / 8;
}

static void visit_page(const struct word_page *page, uint64_t addr, uint64_t end,
        void (*visit)(void *, uint64_t addr, uint32_t *cell), void *context)
{
	while (addr < end) {
		uint32_t *block = page->blocks[addr % PAGE_BYTES / BLOCK_BYTES];
		uint64_t next = addr - addr % BLOCK_BYTES + BLOCK_BYTES;
		for (; block && addr < next && addr < end; addr += 8)
			if (block[addr % BLOCK_BYTES / 8])
				visit(context, addr, &block[addr % BLOCK_BYTES / 8]);
		addr = next;
	}
}

void norn_word_table_visit(struct norn_word_table *cells, uint64_t addr, uint64_t size,
        void (*visit)(void *, uint64_t addr, uint32_t *cell), void *context)
{
	uint64_t end = addr + size, last = (end + PAGE_BYTES - 1) / PAGE_BYTES;
	addr &= ~UINT64_C(7);
	for (uint64_t n = addr / PAGE_BYTES; (n = norn_page_set_next(&cells->present, n, last)) < last; n++) {
		uint64_t from = n * PAGE_BYTES, to = from + PAGE_BYTES;
		visit_page(norn_map_get(&cells->pages, n + 1), from < addr ? addr : from, to > end ? end : to, visit, context);
	}
}
