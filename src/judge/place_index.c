#include "judge/place_index.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDE_BYTES 512u /* larger ranges are looked for one by one */
#define WIDE_MAX 256u /* of them, where arrays do not grow */
#define ROOM_FIRST 64u

static int make_words(struct norn_place_index *z, uint32_t slots)
{
	z->words = calloc(slots, sizeof *z->words);
	z->slot_count = slots;
	return z->words ? 0 : -ENOMEM;
}

int norn_place_index_init(struct norn_place_index *z, const struct norn_spec *spec, uint32_t limit, bool grows)
{
	memset(z, 0, sizeof *z);
	z->spec = spec;
	z->limit = limit;
	z->grows = grows;
	norn_map_init(&z->spot_numbers, sizeof(uint32_t));
	atomic_store(&z->low, UINT64_MAX);
	uint32_t room = grows ? ROOM_FIRST : limit;
	while (room < spec->place_count && room < limit)
		room *= 2;
	z->room = room;
	z->link_room = 4 * room;
	z->wide_room = grows ? 16 : WIDE_MAX;
	z->list = calloc(z->room, sizeof *z->list);
	z->spots = calloc(z->room, sizeof *z->spots);
	z->links = calloc(z->link_room, sizeof *z->links);
	z->wide = calloc(z->wide_room, sizeof *z->wide);
	z->last_written = calloc(spec->place_count + 1ul, sizeof *z->last_written);
	z->firsts = calloc(spec->place_count + 1ul, sizeof *z->firsts);
	if (!z->list || !z->spots || !z->links || !z->wide || !z->last_written || !z->firsts || make_words(z, 16 * room) != 0) {
		norn_place_index_done(z);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < spec->place_count; i++) {
		const struct norn_place *p = &spec->places[i];
		bool many = p->kind != NORN_PLACE_OBJECT || (p->cell_step && p->count != 1);
		z->last_written[i] = NORN_NO_SPOT;
		z->has_pointers |= p->kind == NORN_PLACE_OBJECT && p->hops > 1;
		if (many && z->spot_count < z->room) {
			z->last_written[i] = z->spot_count;
			z->spots[z->spot_count++].size = 8;
		}
	}
	return 0;
}

void norn_place_index_done(struct norn_place_index *z)
{
	free(z->list);
	free(z->spots);
	free(z->words);
	free(z->links);
	free(z->wide);
	free(z->last_written);
	free(z->firsts);
	norn_map_done(&z->spot_numbers);
	memset(z, 0, sizeof *z);
}

unsigned norn_place_bytes(const struct norn_place *p, uint64_t *address)
{
	if (!p->bit_size)
		return p->size <= 8 ? (unsigned)p->size : 0;
	*address += p->bit_offset / 8;
	unsigned bytes = (p->bit_offset % 8u + p->bit_size + 7) / 8;
	return bytes <= 8 ? bytes : 0;
}

/* ---- adding ---- */

/* An array that has to have room for one more. -E2BIG: it does not grow. */
static int grow(const struct norn_place_index *z, void *array, uint32_t count, uint32_t *room, size_t bytes)
{
	if (count < *room)
		return 0;
	if (!z->grows || *room >= z->limit * 64ul)
		return -E2BIG;
	void **list = array, *more = realloc(*list, 2ul * *room * bytes);
	if (!more)
		return -ENOMEM;
	*list = more;
	*room *= 2;
	return 0;
}

/* Room for one more range and one more spot. */
static int reserve(struct norn_place_index *z)
{
	uint32_t count = atomic_load_explicit(&z->count, memory_order_relaxed), room = z->room;
	uint32_t most = count > z->spot_count ? count : z->spot_count;
	if (most == z->limit)
		return -E2BIG;
	int r = grow(z, &z->list, most, &room, sizeof *z->list);
	if (r != 0)
		return r;
	room = z->room;
	r = grow(z, &z->spots, most, &room, sizeof *z->spots);
	z->room = r == 0 ? room : z->room;
	return r;
}

/* The spot of these bytes, made if there is none. There is room for one. */
static int spot_of(struct norn_place_index *z, uint64_t address, unsigned size, bool learned, uint32_t *ret_spot)
{
	void *value;
	int r = norn_map_put(&z->spot_numbers, address << 4 | size, &value);
	if (r != 0)
		return r;
	uint32_t *known = value;
	if (!*known) {
		assert(z->spot_count < z->room);
		z->spots[z->spot_count] = (struct norn_online_spot){.address = address, .size = size, .learned = learned};
		*known = ++z->spot_count;
	}
	*ret_spot = *known - 1;
	return 0;
}

uint32_t norn_place_index_spot(const struct norn_place_index *z, uint64_t address, unsigned size)
{
	const uint32_t *known = norn_map_get(&z->spot_numbers, address << 4 | size);
	return known && *known ? *known - 1 : NORN_NO_SPOT;
}

uint64_t norn_place_range_end(const struct norn_place_range *z)
{
	if (z->cell_step && z->count == 0)
		return UINT64_MAX;
	return z->address + (z->cell_step ? z->cell_step * (z->count - 1) : 0) + z->size;
}

static struct range_word *slot_of(const struct norn_place_index *z, uint64_t word)
{
	uint32_t mask = z->slot_count - 1, i = (uint32_t)((word * 0x9e3779b97f4a7c15u) >> 40) & mask;
	for (;; i = (i + 1) & mask) {
		uint64_t there = atomic_load_explicit(&z->words[i].word, memory_order_acquire);
		if (!there || there == word)
			return &z->words[i];
	}
}

/* Twice as many slots, if half of them are used. */
static int grow_words(struct norn_place_index *z)
{
	struct range_word *old = z->words;
	uint32_t count = z->slot_count;
	if (!z->grows || z->slots_used < count / 2)
		return 0;
	if (make_words(z, 2 * count) != 0) {
		z->words = old;
		z->slot_count = count;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint64_t word = atomic_load_explicit(&old[i].word, memory_order_relaxed);
		if (!word)
			continue;
		struct range_word *slot = slot_of(z, word);
		atomic_store_explicit(
		        &slot->first, atomic_load_explicit(&old[i].first, memory_order_relaxed), memory_order_relaxed);
		atomic_store_explicit(&slot->word, word, memory_order_relaxed);
	}
	free(old);
	return 0;
}

static int link_word(struct norn_place_index *z, uint32_t range, uint64_t word)
{
	int r = grow(z, &z->links, z->link_count, &z->link_room, sizeof *z->links);
	if (r == 0)
		r = grow_words(z);
	if (r != 0)
		return r;
	struct range_word *slot = slot_of(z, word);
	z->slots_used += atomic_load_explicit(&slot->word, memory_order_relaxed) == 0;
	/* Links are written before they can be found: the release stores pair with the acquire loads of norn_place_index_find. */
	z->links[z->link_count] = (struct range_link){range, atomic_load_explicit(&slot->first, memory_order_relaxed)};
	atomic_store_explicit(&slot->first, ++z->link_count, memory_order_release);
	atomic_store_explicit(&slot->word, word, memory_order_release);
	return 0;
}

static int link_words(struct norn_place_index *z, uint32_t range)
{
	const struct norn_place_range *n = &z->list[range];
	uint64_t end = norn_place_range_end(n), first = n->address / 8, last = (end - 1) / 8;
	int r = 0;
	if (end - n->address > WIDE_BYTES) {
		uint32_t count = atomic_load_explicit(&z->wide_count, memory_order_relaxed);
		if ((r = grow(z, &z->wide, count, &z->wide_room, sizeof *z->wide)) != 0)
			return r;
		z->wide[count] = range;
		atomic_store_explicit(&z->wide_count, count + 1, memory_order_release);
		return 0;
	}
	if (!z->grows && last - first + 1 > z->link_room - z->link_count)
		return -E2BIG;
	for (uint64_t word = first; r == 0 && word <= last; word++)
		r = link_word(z, range, word);
	return r;
}

static bool is_known(const struct norn_place_index *z, const struct norn_place_range *n)
{
	if (n->spot == NORN_NO_SPOT)
		return false;
	for (uint32_t i = z->spots[n->spot].ranges; i; i = z->list[i - 1].of_spot)
		if (z->list[i - 1].place == n->place && z->list[i - 1].hop == n->hop && z->list[i - 1].address == n->address)
			return true;
	return false;
}

static bool is_single(const struct norn_place *p)
{
	return p->cell_step == 0 || p->count == 1;
}

static void describe(const struct norn_place_index *z, struct norn_place_range *n, unsigned *ret_bytes)
{
	const struct norn_place *p = &z->spec->places[n->place];
	bool last = n->hop + 1 == p->hops;
	*ret_bytes = 8;
	n->size = 8;
	n->count = 1;
	if (!last)
		return;
	if (!is_single(p)) {
		n->cell_step = p->cell_step;
		n->count = p->count;
	}
	n->size = p->size ? p->size : 1;
	*ret_bytes = is_single(p) ? norn_place_bytes(p, &n->address) : 0;
	if (*ret_bytes)
		n->size = *ret_bytes;
	else if (n->hop)
		*ret_bytes = 1; /* has no value; the spot only tells that this object is known */
}

/* 0, also if it is there already; -E2BIG: there is no room; -ENOMEM. */
static int add_range(struct norn_place_index *z, uint32_t place, uint32_t hop, uint64_t address, uint64_t witness)
{
	struct norn_place_range n = {.place = place,
	        .hop = hop,
	        .address = address,
	        .spot = NORN_NO_SPOT,
	        .learned = hop > 0 || witness,
	        .witness = witness};
	unsigned bytes;
	uint32_t count = atomic_load_explicit(&z->count, memory_order_relaxed);
	describe(z, &n, &bytes);
	if (n.address == 0 || norn_place_range_end(&n) < n.address)
		return 0;
	int r = reserve(z);
	if (r == 0 && bytes)
		r = spot_of(z, n.address, bytes, n.learned, &n.spot);
	if (r != 0 || is_known(z, &n))
		return r;
	z->list[count] = n;
	if ((r = link_words(z, count)) != 0)
		return r;
	if (n.spot != NORN_NO_SPOT) {
		z->list[count].of_spot = z->spots[n.spot].ranges;
		z->spots[n.spot].ranges = count + 1;
	}
	if (n.address < atomic_load_explicit(&z->low, memory_order_relaxed))
		atomic_store_explicit(&z->low, n.address, memory_order_release);
	if (norn_place_range_end(&n) > atomic_load_explicit(&z->high, memory_order_relaxed))
		atomic_store_explicit(&z->high, norn_place_range_end(&n), memory_order_release);
	atomic_store_explicit(&z->count, count + 1, memory_order_release);
	if (hop == 0)
		atomic_store_explicit(&z->firsts[place], n.address, memory_order_release);
	return 0;
}

int norn_place_index_bind(struct norn_place_index *z, uint32_t place, uint64_t address, uint64_t witness)
{
	int r = add_range(z, place, 0, address + z->spec->places[place].offsets[0], witness);
	z->full |= r == -E2BIG;
	return r;
}

int norn_place_index_learn(struct norn_place_index *z, uint32_t spot, uint64_t pointer)
{
	int r = 0;
	if (pointer < 4096)
		return 0; /* NULL, or no pointer yet */
	for (uint32_t i = z->spots[spot].ranges, next; r == 0 && i; i = next) {
		const struct norn_place_range n = z->list[i - 1];
		const struct norn_place *p = &z->spec->places[n.place];
		next = n.of_spot;
		if (n.hop + 1 < p->hops)
			r = add_range(z, n.place, n.hop + 1, pointer + p->offsets[n.hop + 1], 0);
		if (r == -E2BIG) {
			z->full = true;
			r = 0; /* its values stay unknown */
		}
	}
	return r;
}

/* ---- looking ---- */

static bool overlaps(const struct norn_place_range *n, uint64_t address, uint64_t size)
{
	if (address + size <= n->address)
		return false;
	if (!n->cell_step)
		return address < n->address + n->size;
	/* The first element that ends after address. */
	uint64_t k = address < n->address + n->size ? 0 : (address - n->address - n->size) / n->cell_step + 1;
	return (n->count == 0 || k < n->count) && n->address + k * n->cell_step < address + size;
}

struct finder {
	const struct norn_place_index *place_index;
	uint64_t address, size;
	uint32_t *list, count, room;
};

static void consider(struct finder *f, uint32_t range)
{
	if (f->count < f->room && overlaps(&f->place_index->list[range], f->address, f->size))
		f->list[f->count++] = range;
}

/* A range that lies in several of the words is considered at the first of them. */
static void consider_word(struct finder *f, uint64_t word, bool first)
{
	const struct norn_place_index *z = f->place_index;
	const struct range_word *slot = slot_of(z, word);
	if (atomic_load_explicit(&slot->word, memory_order_acquire) != word)
		return;
	for (uint32_t i = atomic_load_explicit(&slot->first, memory_order_acquire); i; i = z->links[i - 1].next)
		if (first || z->list[z->links[i - 1].range].address / 8 == word)
			consider(f, z->links[i - 1].range);
}

uint32_t norn_place_index_find(
        const struct norn_place_index *z, uint64_t address, uint64_t size, uint32_t *ret_ranges, uint32_t room)
{
	struct finder f = {z, address, size, ret_ranges, 0, room};
	if (size == 0 || !norn_place_index_near(z, address, size))
		return 0;
	uint32_t count = atomic_load_explicit(&z->count, memory_order_acquire);
	if (size / 8 > count) { /* a large block */
		for (uint32_t i = 0; i < count; i++)
			consider(&f, i);
		return f.count;
	}
	for (uint64_t word = address / 8; word <= (address + size - 1) / 8; word++)
		consider_word(&f, word, word == address / 8);
	for (uint32_t i = atomic_load_explicit(&z->wide_count, memory_order_acquire); i; i--)
		consider(&f, z->wide[i - 1]);
	return f.count;
}

bool norn_place_index_touch(const struct norn_place_index *z, uint64_t address, uint64_t size)
{
	uint32_t one;
	return norn_place_index_near(z, address, size) && norn_place_index_find(z, address, size, &one, 1) > 0;
}
