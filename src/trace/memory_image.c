#include "trace/memory_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define PAGE_WORDS 16u /* words that are accessed together lie together */
#define PAGE_SHIFT 7
#define SLAB_PAGES 256u

struct image_page {
	struct norn_memory_image_cell cell[PAGE_WORDS];
};

struct slab {
	struct slab *next;
	struct image_page page[SLAB_PAGES];
};

struct page_entry {
	uint64_t key; /* 1 + page number; 0: empty */
	struct image_page *page;
};

/* Reads to come of a version that is not there yet. An entry with count 0 is empty. */
struct later {
	uint64_t word;
	uint32_t version, count;
};

struct norn_memory_image {
	struct page_entry *pages;
	uint64_t page_mask, page_count;
	struct slab *slabs;
	unsigned slab_used;
	struct later *later;
	uint64_t later_mask, later_count;
};

static uint64_t mix(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 29;
}

static struct later *new_later(uint64_t count)
{
	struct later *table = norn_must(aligned_alloc(64, count * sizeof *table));
	return memset(table, 0, count * sizeof *table);
}

struct norn_memory_image *norn_memory_image_new(void)
{
	struct norn_memory_image *image = norn_must_calloc(1, sizeof *image);
	image->page_mask = image->later_mask = 1023;
	image->pages = norn_must_calloc(image->page_mask + 1, sizeof *image->pages);
	image->later = new_later(image->later_mask + 1);
	return image;
}

void norn_memory_image_free(struct norn_memory_image *image)
{
	if (!image)
		return;
	for (struct slab *slab = image->slabs, *next; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	free(image->pages);
	free(image->later);
	free(image);
}

static void grow_pages(struct norn_memory_image *image)
{
	uint64_t mask = image->page_mask * 2 + 1;
	struct page_entry *pages = norn_must_calloc(mask + 1, sizeof *pages);
	for (uint64_t i = 0; i <= image->page_mask; i++) {
		struct page_entry entry = image->pages[i];
		if (!entry.key)
			continue;
		uint64_t at = mix(entry.key) & mask;
		while (pages[at].key)
			at = (at + 1) & mask;
		pages[at] = entry;
	}
	free(image->pages);
	image->pages = pages;
	image->page_mask = mask;
}

static struct image_page *new_page(struct norn_memory_image *image)
{
	if (!image->slabs || image->slab_used == SLAB_PAGES) {
		struct slab *slab = norn_must_calloc(1, sizeof *slab);
		slab->next = image->slabs;
		image->slabs = slab;
		image->slab_used = 0;
	}
	return &image->slabs->page[image->slab_used++];
}

static __attribute__((noinline)) struct image_page *add_page(struct norn_memory_image *image, uint64_t key)
{
	if (image->page_count * 2 > image->page_mask)
		grow_pages(image);
	struct image_page *page = new_page(image);
	uint64_t at = mix(key) & image->page_mask;
	while (image->pages[at].key)
		at = (at + 1) & image->page_mask;
	image->pages[at] = (struct page_entry){key, page};
	image->page_count++;
	return page;
}

struct norn_memory_image_cell *norn_memory_image_cell(struct norn_memory_image *image, uint64_t addr)
{
	uint64_t key = (addr >> PAGE_SHIFT) + 1, at = mix(key) & image->page_mask;
	struct image_page *page = NULL;
	for (; image->pages[at].key; at = (at + 1) & image->page_mask)
		if (image->pages[at].key == key) {
			page = image->pages[at].page;
			break;
		}
	if (__builtin_expect(!page, 0))
		page = add_page(image, key);
	return &page->cell[addr >> 3 & (PAGE_WORDS - 1)];
}

/* Four successive versions of a word share a cache line: they are asked for one after the other. */
static uint64_t later_home(const struct norn_memory_image *image, uint64_t word, uint32_t version)
{
	return (mix(word + (uint64_t)(version / 4) * UINT64_C(0xd1342543de82ef95)) * 4 + version % 4) & image->later_mask;
}

static struct later *later_find(struct norn_memory_image *image, uint64_t word, uint32_t version)
{
	uint64_t at = later_home(image, word, version);
	while (image->later[at].count && (image->later[at].word != word || image->later[at].version != version))
		at = (at + 1) & image->later_mask;
	return &image->later[at];
}

static void grow_later(struct norn_memory_image *image)
{
	struct later *old = image->later;
	uint64_t old_mask = image->later_mask;
	image->later = new_later(old_mask * 2 + 2);
	image->later_mask = old_mask * 2 + 1;
	for (uint64_t i = 0; i <= old_mask; i++)
		if (old[i].count)
			*later_find(image, old[i].word, old[i].version) = old[i];
	free(old);
}

/* Linear probing without tombstones: entries after the hole move up if that brings them nearer to their home. */
static void later_remove(struct norn_memory_image *image, struct later *entry)
{
	uint64_t mask = image->later_mask, hole = (uint64_t)(entry - image->later), at = hole;
	for (;;) {
		at = (at + 1) & mask;
		struct later *next = &image->later[at];
		if (!next->count)
			break;
		uint64_t home = later_home(image, next->word, next->version);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			image->later[hole] = *next;
			hole = at;
		}
	}
	image->later[hole].count = 0;
	image->later_count--;
}

void norn_memory_image_expect(struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version)
{
	if (cell->version == version) {
		cell->readers++;
		return;
	}
	if (image->later_count * 2 > image->later_mask)
		grow_later(image);
	struct later *entry = later_find(image, addr >> 3, version);
	if (!entry->count) {
		*entry = (struct later){addr >> 3, version, 0};
		image->later_count++;
		cell->later++;
	}
	entry->count++;
}

void norn_memory_image_seen(struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version)
{
	if (cell->version == version) {
		if (cell->readers)
			cell->readers--;
		return;
	}
	if (!cell->later)
		return;
	struct later *entry = later_find(image, addr >> 3, version);
	if (entry->count && --entry->count == 0) {
		entry->count = 1; /* still occupied, for later_remove's search */
		later_remove(image, entry);
		cell->later--;
	}
}

void norn_memory_image_move(struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version)
{
	cell->version = version;
	cell->readers = 0;
	if (!cell->later)
		return;
	struct later *entry = later_find(image, addr >> 3, version);
	if (entry->count) {
		cell->readers = entry->count;
		later_remove(image, entry);
		cell->later--;
	}
}
