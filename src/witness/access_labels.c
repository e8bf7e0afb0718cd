#include "witness/access_labels.h"

#define PAGE 4096u

struct word {
	uint32_t any[8], write[8]; /* per byte */
};

struct page {
	uint32_t any, write; /* of accesses to the whole page */
	uint32_t most_any, most_write; /* of all accesses to bytes of it */
};

/* A piece of an access: a whole page, or bytes of one word. */
struct piece {
	uint64_t address, size;
	bool whole;
};

static struct piece next_piece(uint64_t address, uint64_t size)
{
	if (address % PAGE == 0 && size >= PAGE)
		return (struct piece){address, PAGE, true};
	uint64_t room = 8 - address % 8;
	return (struct piece){address, size < room ? size : room, false};
}

static void raise(uint32_t *label, uint32_t to)
{
	if (*label < to)
		*label = to;
}

void norn_access_labels_init(struct norn_access_labels *labels)
{
	norn_map_init(&labels->words, sizeof(struct word));
	norn_map_init(&labels->pages, sizeof(struct page));
}

void norn_access_labels_done(struct norn_access_labels *labels)
{
	norn_map_done(&labels->words);
	norn_map_done(&labels->pages);
}

uint32_t norn_access_labels_meet(const struct norn_access_labels *labels, uint64_t address, uint64_t size, bool writes)
{
	uint32_t label = 0;
	while (size) {
		struct piece piece = next_piece(address, size);
		const struct page *page = norn_map_get(&labels->pages, address / PAGE);
		if (page && piece.whole)
			raise(&label, writes ? page->most_any : page->most_write);
		if (page && !piece.whole) {
			const struct word *word = norn_map_get(&labels->words, address / 8);
			raise(&label, writes ? page->any : page->write);
			for (uint64_t i = 0; word && i < piece.size; i++)
				raise(&label, writes ? word->any[address % 8 + i] : word->write[address % 8 + i]);
		}
		address += piece.size;
		size -= piece.size;
	}
	return label;
}

static int leave_piece(struct norn_access_labels *labels, struct piece piece, bool writes, uint32_t label)
{
	void *value;
	int r = norn_map_put(&labels->pages, piece.address / PAGE, &value);
	if (r < 0)
		return r;
	struct page *page = value;
	raise(&page->most_any, label);
	if (writes)
		raise(&page->most_write, label);
	if (piece.whole) {
		raise(&page->any, label);
		if (writes)
			raise(&page->write, label);
		return 0;
	}
	r = norn_map_put(&labels->words, piece.address / 8, &value);
	if (r < 0)
		return r;
	struct word *word = value;
	for (uint64_t i = piece.address % 8; i < piece.address % 8 + piece.size; i++) {
		raise(&word->any[i], label);
		if (writes)
			raise(&word->write[i], label);
	}
	return 0;
}

int norn_access_labels_leave(struct norn_access_labels *labels, uint64_t address, uint64_t size, bool writes, uint32_t label)
{
	int r = 0;
	while (size && label && r == 0) { /* 0 is what all bytes have */
		struct piece piece = next_piece(address, size);
		r = leave_piece(labels, piece, writes, label);
		address += piece.size;
		size -= piece.size;
	}
	return r;
}
