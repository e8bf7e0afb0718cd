#include "causality/variable_clocks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12
#define PAGE_BYTES (UINT64_C(1) << PAGE_SHIFT)
#define BLOCK_WORDS 16u
#define PAGE_BLOCKS ((unsigned)(PAGE_BYTES / 8 / BLOCK_WORDS))
#define WHOLE_WORD 0xffu
#define OWNER_BITS 24
#define SPAN_BYTES (UINT64_C(16) << 20) /* whole pages of a write, from so many on, are one span */

/* Bytes of one word that share their clocks. The groups of a word are disjoint and none is empty, but for the first of a word that
 * has none. Bytes in no group have the page's clock, as V^a and as V^w. */
struct clock_group {
	uint32_t access, write;
	uint32_t mask : 8; /* bit b: byte b */
	uint32_t owner : OWNER_BITS; /* 1 + a thread that knows access, and therefore write; 0: perhaps none does */
	uint32_t next; /* of this word: in more, 0 at the end */
};

struct clock_block {
	struct clock_group first[BLOCK_WORDS]; /* per word */
};

struct clock_table {
	uint32_t block[PAGE_BLOCKS]; /* 0: its words have no groups */
};

struct clock_page {
	uint64_t key; /* 1 + address / PAGE_BYTES; 0: no page */
	uint32_t clock; /* of its last write as a whole */
	uint32_t table; /* 0: its words have no groups */
};

/* Pages that were written as one, by the making or end of a large mapping: those of them that are in no table of pages have its
 * clock. */
struct clock_span {
	uint64_t from, end; /* multiples of PAGE_BYTES */
	uint32_t clock;
};

/* Arrays that are indexed from 1; spare ones are linked through their first uint32_t. */
struct clock_pool {
	void *items;
	size_t item_bytes;
	uint32_t used, room, spare;
};

struct norn_variable_clocks {
	struct norn_clocks *clocks;
	struct clock_page *pages; /* open addressing, at most half full */
	uint64_t page_mask, page_count;
	struct clock_span *spans; /* disjoint, in no order */
	size_t span_count, span_room;
	struct clock_pool tables, blocks, more;
};

/* ---- pools ---- */

static int pool_init(struct clock_pool *pool, size_t item_bytes)
{
	*pool = (struct clock_pool){.item_bytes = item_bytes, .used = 1, .room = 64};
	pool->items = calloc(pool->room, item_bytes);
	return pool->items ? 0 : -ENOMEM;
}

static void *pool_at(const struct clock_pool *pool, uint32_t i)
{
	return (char *)pool->items + i * pool->item_bytes;
}

static uint32_t pool_take_new(struct clock_pool *pool)
{
	if (pool->used == pool->room) {
		uint32_t room = pool->room + pool->room / 2;
		void *bigger = room > pool->room ? realloc(pool->items, room * pool->item_bytes) : NULL;
		if (!bigger)
			return 0;
		pool->items = bigger;
		pool->room = room;
	}
	return pool->used++;
}

/* A zeroed item; 0: out of memory. Items move. */
static uint32_t pool_take(struct clock_pool *pool)
{
	uint32_t i = pool->spare;
	if (i)
		memcpy(&pool->spare, pool_at(pool, i), sizeof pool->spare);
	else
		i = pool_take_new(pool);
	if (i)
		memset(pool_at(pool, i), 0, pool->item_bytes);
	return i;
}

static void pool_give(struct clock_pool *pool, uint32_t i)
{
	memset(pool_at(pool, i), 0, pool->item_bytes);
	memcpy(pool_at(pool, i), &pool->spare, sizeof pool->spare);
	pool->spare = i;
}

static struct clock_group *group_at(const struct norn_variable_clocks *v, uint32_t i)
{
	return (struct clock_group *)v->more.items + i;
}

static struct clock_block *block_at(const struct norn_variable_clocks *v, uint32_t i)
{
	return (struct clock_block *)v->blocks.items + i;
}

static struct clock_table *table_at(const struct norn_variable_clocks *v, uint32_t i)
{
	return (struct clock_table *)v->tables.items + i;
}

/* ---- making, freeing ---- */

int norn_variable_clocks_new(struct norn_clocks *clocks, struct norn_variable_clocks **ret_variables)
{
	struct norn_variable_clocks *v = calloc(1, sizeof *v);
	if (!v)
		return -ENOMEM;
	v->clocks = clocks;
	v->page_mask = 255;
	v->pages = calloc(v->page_mask + 1, sizeof *v->pages);
	if (!v->pages || pool_init(&v->tables, sizeof(struct clock_table)) < 0 ||
	        pool_init(&v->blocks, sizeof(struct clock_block)) < 0 || pool_init(&v->more, sizeof(struct clock_group)) < 0) {
		norn_variable_clocks_free(v);
		return -ENOMEM;
	}
	*ret_variables = v;
	return 0;
}

void norn_variable_clocks_free(struct norn_variable_clocks *variables)
{
	if (!variables)
		return;
	free(variables->pages);
	free(variables->spans);
	free(variables->tables.items);
	free(variables->blocks.items);
	free(variables->more.items);
	free(variables);
}

static uint64_t pool_bytes(const struct clock_pool *pool)
{
	return pool->room * pool->item_bytes;
}

uint64_t norn_variable_clocks_bytes(const struct norn_variable_clocks *variables)
{
	return sizeof *variables + (variables->page_mask + 1) * sizeof *variables->pages +
	       variables->span_room * sizeof *variables->spans + pool_bytes(&variables->tables) + pool_bytes(&variables->blocks) +
	       pool_bytes(&variables->more);
}

static void mark_block(const struct norn_variable_clocks *v, const struct clock_block *block)
{
	for (unsigned w = 0; w < BLOCK_WORDS; w++) {
		for (const struct clock_group *g = &block->first[w];; g = group_at(v, g->next)) {
			norn_clocks_mark(v->clocks, g->access);
			norn_clocks_mark(v->clocks, g->write);
			if (!g->next)
				break;
		}
	}
}

void norn_variable_clocks_mark(const struct norn_variable_clocks *variables)
{
	for (size_t i = 0; i < variables->span_count; i++)
		norn_clocks_mark(variables->clocks, variables->spans[i].clock);
	for (uint64_t i = 0; i <= variables->page_mask; i++) {
		const struct clock_page *page = &variables->pages[i];
		if (!page->key)
			continue;
		norn_clocks_mark(variables->clocks, page->clock);
		for (unsigned b = 0; page->table && b < PAGE_BLOCKS; b++)
			if (table_at(variables, page->table)->block[b])
				mark_block(variables, block_at(variables, table_at(variables, page->table)->block[b]));
	}
}

/* ---- finding words ---- */

/* The page of addr, or the free slot where it belongs. */
static struct clock_page *find_page(const struct norn_variable_clocks *v, uint64_t addr)
{
	uint64_t key = (addr >> PAGE_SHIFT) + 1, hash = key * UINT64_C(0x9e3779b97f4a7c15);
	for (uint64_t at = (hash ^ hash >> 32) & v->page_mask;; at = (at + 1) & v->page_mask)
		if (v->pages[at].key == key || !v->pages[at].key)
			return &v->pages[at];
}

static int grow_pages(struct norn_variable_clocks *v)
{
	struct norn_variable_clocks bigger = *v;
	bigger.page_mask = v->page_mask * 2 + 1;
	bigger.pages = calloc(bigger.page_mask + 1, sizeof *bigger.pages);
	if (!bigger.pages)
		return -ENOMEM;
	for (uint64_t i = 0; i <= v->page_mask; i++)
		if (v->pages[i].key)
			*find_page(&bigger, (v->pages[i].key - 1) << PAGE_SHIFT) = v->pages[i];
	free(v->pages);
	v->pages = bigger.pages;
	v->page_mask = bigger.page_mask;
	return 0;
}

/* What a page that is in no table knows: its last write, as a part of a span. */
static uint32_t span_clock(const struct norn_variable_clocks *v, uint64_t addr)
{
	for (size_t i = 0; i < v->span_count; i++)
		if (addr >= v->spans[i].from && addr < v->spans[i].end)
			return v->spans[i].clock;
	return NORN_CLOCK_ZERO;
}

/* NULL: out of memory. It holds until another page is made. */
static struct clock_page *make_page(struct norn_variable_clocks *v, uint64_t addr)
{
	struct clock_page *page = find_page(v, addr);
	if (page->key)
		return page;
	if (v->page_count >= v->page_mask / 2) {
		if (grow_pages(v) < 0)
			return NULL;
		page = find_page(v, addr);
	}
	page->key = (addr >> PAGE_SHIFT) + 1;
	page->clock = span_clock(v, addr);
	v->page_count++;
	return page;
}

static uint32_t *block_slot(const struct norn_variable_clocks *v, const struct clock_page *page, uint64_t addr)
{
	return &table_at(v, page->table)->block[addr / 8 / BLOCK_WORDS % PAGE_BLOCKS];
}

static struct clock_group *word_in(const struct norn_variable_clocks *v, uint32_t block, uint64_t addr)
{
	return &block_at(v, block)->first[addr / 8 % BLOCK_WORDS];
}

/* The first group of the word at addr in page, NULL if it has none. */
static struct clock_group *find_word(const struct norn_variable_clocks *v, const struct clock_page *page, uint64_t addr)
{
	uint32_t block = page->table ? *block_slot(v, page, addr) : 0;
	return block ? word_in(v, block, addr) : NULL;
}

/* The same, made if it is not there. NULL: out of memory. */
static struct clock_group *make_word(struct norn_variable_clocks *v, struct clock_page *page, uint64_t addr)
{
	if (!page->table)
		page->table = pool_take(&v->tables);
	if (!page->table)
		return NULL;
	uint32_t *block = block_slot(v, page, addr);
	if (!*block)
		*block = pool_take(&v->blocks);
	return *block ? word_in(v, *block, addr) : NULL;
}

/* ---- one word ---- */

/* The clocks that an access to the bytes of mask comes after. Groups know what the page knew when they were made, so it can be
 * joined always. */
static uint32_t gather_word(const struct norn_variable_clocks *v, const struct clock_group *first, uint32_t page_clock,
        uint32_t mask, bool write, uint32_t clock)
{
	clock = norn_clocks_join(v->clocks, clock, page_clock);
	for (const struct clock_group *g = first; g; g = g->next ? group_at(v, g->next) : NULL)
		if (g->mask & mask)
			clock = norn_clocks_join(v->clocks, clock, write ? g->access : g->write);
	return clock;
}

/* Group i of the word whose first group is first, which is number 0. */
static struct clock_group *member(const struct norn_variable_clocks *v, struct clock_group *first, uint32_t i)
{
	return i ? group_at(v, i) : first;
}

/* Threads with numbers beyond the bits own nothing, nor does NORN_CLOCK_NOBODY. */
static uint32_t owner_of(uint32_t thread)
{
	return thread < (1u << OWNER_BITS) - 1 ? thread + 1 : 0;
}

/* One more group. first does not move by that, as it lies in another pool. */
static int add_group(struct norn_variable_clocks *v, struct clock_group *first, struct clock_group group)
{
	if (!first->mask) {
		assert(!first->next);
		*first = group;
		return 0;
	}
	uint32_t i = pool_take(&v->more);
	if (!i)
		return -ENOMEM;
	group.next = first->next;
	*group_at(v, i) = group;
	first->next = i;
	return 0;
}

/* Takes the bytes of mask out of all groups. */
static void clear_groups(struct norn_variable_clocks *v, struct clock_group *first, uint32_t mask)
{
	for (uint32_t *link = &first->next; *link;) {
		uint32_t i = *link;
		struct clock_group *g = group_at(v, i);
		g->mask &= ~mask;
		if (g->mask) {
			link = &g->next;
		} else {
			*link = g->next;
			pool_give(&v->more, i);
		}
	}
	first->mask &= ~mask;
	if (first->mask || !first->next)
		return;
	uint32_t i = first->next;
	*first = *group_at(v, i);
	pool_give(&v->more, i);
}

static int write_word(struct norn_variable_clocks *v, uint32_t thread, struct clock_group *first, uint32_t mask, uint32_t clock)
{
	clear_groups(v, first, mask);
	return add_group(v, first, (struct clock_group){.access = clock, .write = clock, .mask = mask, .owner = owner_of(thread)});
}

/* Divides the groups that mask covers in part; clock is at least all their V^w and page_clock. */
static int read_word(struct norn_variable_clocks *v, struct clock_group *first, uint32_t page_clock, uint32_t mask, uint32_t clock)
{
	uint32_t left = mask, i = 0;
	do {
		struct clock_group *g = member(v, first, i);
		uint32_t both = g->mask & mask, rest = g->mask & ~mask;
		if (both && rest) {
			uint32_t apart = pool_take(&v->more);
			if (!apart)
				return -ENOMEM;
			g = member(v, first, i);
			*group_at(v, apart) = *g;
			group_at(v, apart)->mask = rest;
			g->mask = both;
			g->next = apart;
		}
		if (both) {
			g->access = norn_clocks_join(v->clocks, g->access, clock);
			g->owner = 0;
		}
		left &= ~both;
		i = g->next;
	} while (i);
	return left ? add_group(v, first, (struct clock_group){.access = clock, .write = page_clock, .mask = left}) : 0;
}

/* ---- whole pages ---- */

static uint32_t gather_page(const struct norn_variable_clocks *v, const struct clock_page *page, bool write, uint32_t clock)
{
	clock = norn_clocks_join(v->clocks, clock, page->clock);
	for (unsigned b = 0; page->table && b < PAGE_BLOCKS; b++) {
		uint32_t block = table_at(v, page->table)->block[b];
		for (unsigned w = 0; block && w < BLOCK_WORDS; w++)
			clock = gather_word(v, &block_at(v, block)->first[w], page->clock, WHOLE_WORD, write, clock);
	}
	return clock;
}

/* All its words have the page's clock again. */
static void empty_page(struct norn_variable_clocks *v, struct clock_page *page)
{
	for (unsigned b = 0; page->table && b < PAGE_BLOCKS; b++) {
		uint32_t block = table_at(v, page->table)->block[b];
		for (unsigned w = 0; block && w < BLOCK_WORDS; w++)
			clear_groups(v, &block_at(v, block)->first[w], WHOLE_WORD);
		if (block)
			pool_give(&v->blocks, block);
	}
	if (page->table)
		pool_give(&v->tables, page->table);
	page->table = 0;
}

/* ---- ranges ---- */

/* The part of [addr, end) that lies in addr's word. */
static uint32_t word_mask(uint64_t addr, uint64_t end, uint64_t *ret_next)
{
	uint32_t from = addr & 7;
	uint64_t bytes = end - addr < 8 - from ? end - addr : 8 - from;
	*ret_next = addr + bytes;
	return ((1u << bytes) - 1) << from;
}

static bool whole_page(uint64_t addr, uint64_t end)
{
	return addr % PAGE_BYTES == 0 && end - addr >= PAGE_BYTES;
}

/* ---- spans ---- */

static bool is_span(uint64_t addr, uint64_t end)
{
	return whole_page(addr, end) && end - addr >= SPAN_BYTES;
}

static uint64_t span_end(uint64_t end)
{
	return end & ~(PAGE_BYTES - 1);
}

/* The page in slot i of the table, if it is one of [from, end). */
static struct clock_page *page_within(const struct norn_variable_clocks *v, uint64_t i, uint64_t from, uint64_t end)
{
	struct clock_page *page = &v->pages[i];
	uint64_t addr = (page->key - 1) << PAGE_SHIFT;
	return page->key && addr >= from && addr < end ? page : NULL;
}

static uint32_t gather_span(const struct norn_variable_clocks *v, uint64_t from, uint64_t end, bool write, uint32_t clock)
{
	for (size_t i = 0; i < v->span_count; i++)
		if (v->spans[i].from < end && from < v->spans[i].end)
			clock = norn_clocks_join(v->clocks, clock, v->spans[i].clock);
	for (uint64_t i = 0; i <= v->page_mask; i++) {
		const struct clock_page *page = page_within(v, i, from, end);
		clock = page ? gather_page(v, page, write, clock) : clock;
	}
	return clock;
}

/* The other spans keep what lies beside [from, end): two parts of one of them at most, so that there is room for two more. */
static int write_span(struct norn_variable_clocks *v, uint64_t from, uint64_t end, uint32_t clock)
{
	if (v->span_count + 2 > v->span_room) {
		size_t room = v->span_room * 2 + 8;
		struct clock_span *bigger = realloc(v->spans, room * sizeof *bigger);
		if (!bigger)
			return -ENOMEM;
		v->spans = bigger;
		v->span_room = room;
	}
	size_t kept = 0, count = v->span_count;
	struct clock_span after = {0};
	for (size_t i = 0; i < count; i++) {
		struct clock_span span = v->spans[i];
		if (span.from < from && span.end > end) {
			assert(!after.end);
			after = (struct clock_span){end, span.end, span.clock};
		}
		if (span.from < from) {
			span.end = span.end < from ? span.end : from;
			v->spans[kept++] = span;
		} else if (span.end > end) {
			span.from = span.from > end ? span.from : end;
			v->spans[kept++] = span;
		}
	}
	if (after.end)
		v->spans[kept++] = after;
	v->spans[kept++] = (struct clock_span){from, end, clock};
	assert(kept <= v->span_room);
	v->span_count = kept;
	for (uint64_t i = 0; i <= v->page_mask; i++) {
		struct clock_page *page = page_within(v, i, from, end);
		if (page) {
			empty_page(v, page);
			page->clock = clock;
		}
	}
	return 0;
}

/* ---- accesses ---- */

static uint32_t gather(const struct norn_variable_clocks *v, uint64_t addr, uint64_t end, bool write, uint32_t clock)
{
	while (addr < end) {
		if (is_span(addr, end)) {
			clock = gather_span(v, addr, span_end(end), write, clock);
			addr = span_end(end);
			continue;
		}
		const struct clock_page *page = find_page(v, addr);
		uint64_t next = (addr | (PAGE_BYTES - 1)) + 1;
		if (!page->key) {
			clock = norn_clocks_join(v->clocks, clock, span_clock(v, addr));
			addr = next && next < end ? next : end;
		} else if (whole_page(addr, end)) {
			clock = gather_page(v, page, write, clock);
			addr += PAGE_BYTES;
		} else {
			uint32_t mask = word_mask(addr, end, &next);
			clock = gather_word(v, find_word(v, page, addr), page->clock, mask, write, clock);
			addr = next;
		}
	}
	return clock;
}

static int settle(struct norn_variable_clocks *v, uint32_t thread, uint64_t addr, uint64_t end, bool write, uint32_t clock)
{
	while (addr < end) {
		if (write && is_span(addr, end)) {
			if (write_span(v, addr, span_end(end), clock) < 0)
				return -ENOMEM;
			addr = span_end(end);
			continue;
		}
		struct clock_page *page = make_page(v, addr);
		if (!page)
			return -ENOMEM;
		if (write && whole_page(addr, end)) {
			empty_page(v, page);
			page->clock = clock;
			addr += PAGE_BYTES;
			continue;
		}
		uint32_t mask = word_mask(addr, end, &addr);
		struct clock_group *first = make_word(v, page, addr - 1);
		int r = -ENOMEM;
		if (first)
			r = write ? write_word(v, thread, first, mask, clock) : read_word(v, first, page->clock, mask, clock);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The group of exactly these bytes, if there is one: no other shares a byte with it. */
static struct clock_group *exact_group(const struct norn_variable_clocks *v, uint64_t addr, uint64_t size)
{
	if (size == 0 || size > 8 || (addr & 7) + size > 8)
		return NULL;
	const struct clock_page *page = find_page(v, addr);
	struct clock_group *g = find_word(v, page, addr);
	uint32_t mask = ((1u << size) - 1) << (addr & 7);
	while (g && g->mask != mask)
		g = g->next ? group_at(v, g->next) : NULL;
	return g;
}

static uint64_t end_of(uint64_t addr, uint64_t size)
{
	return size > UINT64_MAX - addr ? UINT64_MAX : addr + size;
}

int norn_variable_clocks_read(
        struct norn_variable_clocks *variables, uint32_t thread, uint64_t addr, uint64_t size, uint32_t *clock)
{
	struct clock_group *g = exact_group(variables, addr, size);
	if (g && g->owner && g->owner == owner_of(thread)) {
		g->access = *clock;
		return 0;
	}
	if (g) {
		*clock = norn_clocks_learn(variables->clocks, thread, *clock, g->write);
		g->access = norn_clocks_teach(variables->clocks, thread, *clock, g->access);
		g->owner = g->access == *clock ? owner_of(thread) : 0;
		return 0;
	}
	uint64_t end = end_of(addr, size);
	*clock = gather(variables, addr, end, false, *clock);
	return settle(variables, thread, addr, end, false, *clock);
}

int norn_variable_clocks_write(
        struct norn_variable_clocks *variables, uint32_t thread, uint64_t addr, uint64_t size, uint32_t *clock)
{
	struct clock_group *g = exact_group(variables, addr, size);
	if (g) {
		if (!g->owner || g->owner != owner_of(thread))
			*clock = norn_clocks_learn(variables->clocks, thread, *clock, g->access);
		g->access = g->write = *clock;
		g->owner = owner_of(thread);
		return 0;
	}
	uint64_t end = end_of(addr, size);
	*clock = gather(variables, addr, end, true, *clock);
	return settle(variables, thread, addr, end, true, *clock);
}
