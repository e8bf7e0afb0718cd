#include "witness/access_labels.h"

#include "base/must.h"

#define PAGE 4096u

struct labelled_word {
	uint32_t any[8], write[8]; /* per byte */
};

struct label_page {
	uint32_t any, write; /* of accesses to the whole page */
	uint32_t most_any, most_write; /* of all accesses to bytes of it */
};

/* A piece of an access: a whole page, or bytes of one word. */
struct label_piece {
	uint64_t address, size;
	bool whole;
};

static struct label_piece next_piece(uint64_t address, uint64_t size)
{
	if (address % PAGE == 0 && size >= PAGE)
		return (struct label_piece){address, PAGE, true};
	uint64_t room = 8 - address % 8;
	return (struct label_piece){address, size < room ? size : room, false};
}

static void raise(uint32_t *label, uint32_t to)
{
	if (*label < to)
		*label = to;
}

void norn_access_labels_init(struct norn_access_labels *labels)
{
	norn_map_init(&labels->words, sizeof(struct labelled_word));
	norn_map_init(&labels->pages, sizeof(struct label_page));
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
		struct label_piece piece = next_piece(address, size);
		const struct label_page *page = norn_map_get(&labels->pages, address / PAGE);
		if (page && piece.whole)
			raise(&label, writes ? page->most_any : page->most_write);
		if (page && !piece.whole) {
			const struct labelled_word *word = norn_map_get(&labels->words, address / 8);
			raise(&label, writes ? page->any : page->write);
			for (uint64_t i = 0; word && i < piece.size; i++)
				raise(&label, writes ? word->any[address % 8 + i] : word->write[address % 8 + i]);
		}
		address += piece.size;
		size -= piece.size;
	}
	return label;
}

static void leave_piece(struct norn_access_labels *labels, struct label_piece piece, bool writes, uint32_t label)
{
	struct label_page *page = norn_must_map_put(&labels->pages, piece.address / PAGE);
	raise(&page->most_any, label);
	if (writes)
		raise(&page->most_write, label);
	if (piece.whole) {
		raise(&page->any, label);
		if (writes)
			raise(&page->write, label);
		return;
	}
	struct labelled_word *word = norn_must_map_put(&labels->words, piece.address / 8);
	for (uint64_t i = piece.address % 8; i < piece.address % 8 + piece.size; i++) {
		raise(&word->any[i], label);
		if (writes)
			raise(&word->write[i], label);
	}
}

void norn_access_labels_leave(struct norn_access_labels *labels, uint64_t address, uint64_t size, bool writes, uint32_t label)
{
	while (size && label) { /* 0 is what all bytes have */
		struct label_piece piece = next_piece(address, size);
		leave_piece(labels, piece, writes, label);
		address += piece.size;
		size -= piece.size;
	}
}
