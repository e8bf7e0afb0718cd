#include "judge/place_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDE_BYTES 512u /* larger zones are looked for one by one */

int norn_place_index_init(struct norn_place_index *z, const struct norn_spec *spec)
{
	memset(z, 0, sizeof *z);
	z->spec = spec;
	z->list = calloc(NORN_PLACE_INDEX_MAX, sizeof *z->list);
	z->spots = calloc(NORN_PLACE_INDEX_MAX, sizeof *z->spots);
	z->words = calloc(NORN_ZONE_SLOTS, sizeof *z->words);
	z->links = calloc(NORN_ZONE_LINKS, sizeof *z->links);
	z->last_written = calloc(spec->place_count + 1ul, sizeof *z->last_written);
	z->firsts = calloc(spec->place_count + 1ul, sizeof *z->firsts);
	norn_map_init(&z->seats, sizeof(uint32_t));
	atomic_store(&z->low, UINT64_MAX);
	if (!z->list || !z->spots || !z->words || !z->links || !z->last_written || !z->firsts) {
		norn_place_index_done(z);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < spec->place_count; i++) {
		const struct norn_place *p = &spec->places[i];
		bool many = p->kind != NORN_PLACE_OBJECT || (p->cell_step && p->count != 1);
		z->last_written[i] = NORN_NO_SPOT;
		z->has_pointers |= p->kind == NORN_PLACE_OBJECT && p->hops > 1;
		if (many && z->spot_count < NORN_PLACE_INDEX_MAX) {
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
	free(z->last_written);
	free(z->firsts);
	norn_map_done(&z->seats);
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

static uint32_t seat(struct norn_place_index *z, uint64_t address, unsigned size, bool learned)
{
	void *value;
	if (norn_map_put(&z->seats, address << 4 | size, &value) != 0)
		return NORN_NO_SPOT;
	uint32_t *known = value;
	if (*known)
		return *known - 1;
	if (z->spot_count == NORN_PLACE_INDEX_MAX) {
		z->full = true;
		return NORN_NO_SPOT;
	}
	z->spots[z->spot_count] = (struct norn_online_spot){.address = address, .size = size, .learned = learned};
	*known = ++z->spot_count;
	return z->spot_count - 1;
}

uint32_t norn_place_index_spot(const struct norn_place_index *z, uint64_t address, unsigned size)
{
	const uint32_t *known = norn_map_get(&z->seats, address << 4 | size);
	return known && *known ? *known - 1 : NORN_NO_SPOT;
}

static uint64_t end_of(const struct norn_online_zone *z)
{
	if (z->cell_step && z->count == 0)
		return UINT64_MAX;
	return z->address + (z->cell_step ? z->cell_step * (z->count - 1) : 0) + z->size;
}

static struct zone_word *slot_of(const struct norn_place_index *z, uint64_t word)
{
	uint32_t i = (uint32_t)((word * 0x9e3779b97f4a7c15u) >> 40) % NORN_ZONE_SLOTS;
	for (;; i = (i + 1) % NORN_ZONE_SLOTS) {
		uint64_t there = atomic_load_explicit(&z->words[i].word, memory_order_acquire);
		if (!there || there == word)
			return &z->words[i];
	}
}

/* Links are written before they can be found: the release stores pair with the acquire loads of those who look. */
static bool link_words(struct norn_place_index *z, uint32_t zone)
{
	const struct norn_online_zone *n = &z->list[zone];
	uint64_t end = end_of(n), first = n->address / 8, last = (end - 1) / 8;
	if (end - n->address > WIDE_BYTES) {
		uint32_t count = atomic_load_explicit(&z->wide_count, memory_order_relaxed);
		if (count == NORN_ZONE_WIDE)
			return false;
		z->wide[count] = zone;
		atomic_store_explicit(&z->wide_count, count + 1, memory_order_release);
		return true;
	}
	if (last - first + 1 > NORN_ZONE_LINKS - z->link_count)
		return false;
	for (uint64_t word = first; word <= last; word++) {
		struct zone_word *slot = slot_of(z, word);
		z->links[z->link_count] = (struct zone_link){zone, atomic_load_explicit(&slot->first, memory_order_relaxed)};
		atomic_store_explicit(&slot->first, ++z->link_count, memory_order_release);
		atomic_store_explicit(&slot->word, word, memory_order_release);
	}
	return true;
}

static bool is_known(const struct norn_place_index *z, const struct norn_online_zone *n)
{
	if (n->spot == NORN_NO_SPOT)
		return false;
	for (uint32_t i = z->spots[n->spot].zones; i; i = z->list[i - 1].of_spot)
		if (z->list[i - 1].place == n->place && z->list[i - 1].hop == n->hop && z->list[i - 1].address == n->address)
			return true;
	return false;
}

static bool is_single(const struct norn_place *p)
{
	return p->cell_step == 0 || p->count == 1;
}

static void describe(const struct norn_place_index *z, struct norn_online_zone *n, unsigned *ret_bytes)
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

static int add_zone(struct norn_place_index *z, uint32_t place, uint32_t hop, uint64_t address, uint64_t witness)
{
	struct norn_online_zone n = {.place = place,
	        .hop = hop,
	        .address = address,
	        .spot = NORN_NO_SPOT,
	        .learned = hop > 0 || witness,
	        .witness = witness};
	unsigned bytes;
	uint32_t count = atomic_load_explicit(&z->count, memory_order_relaxed);
	describe(z, &n, &bytes);
	if (n.address == 0 || end_of(&n) < n.address)
		return 0;
	if (bytes)
		n.spot = seat(z, n.address, bytes, n.learned);
	if (is_known(z, &n))
		return 0;
	if (count == NORN_PLACE_INDEX_MAX) {
		z->full = true;
		return -E2BIG;
	}
	if (n.spot != NORN_NO_SPOT) {
		n.of_spot = z->spots[n.spot].zones;
		z->spots[n.spot].zones = count + 1;
	}
	z->list[count] = n;
	if (!link_words(z, count)) {
		z->full = true;
		return -E2BIG;
	}
	if (n.address < atomic_load_explicit(&z->low, memory_order_relaxed))
		atomic_store_explicit(&z->low, n.address, memory_order_release);
	if (end_of(&n) > atomic_load_explicit(&z->high, memory_order_relaxed))
		atomic_store_explicit(&z->high, end_of(&n), memory_order_release);
	atomic_store_explicit(&z->count, count + 1, memory_order_release);
	if (hop == 0)
		atomic_store_explicit(&z->firsts[place], n.address, memory_order_release);
	return 0;
}

int norn_place_index_bind(struct norn_place_index *z, uint32_t place, uint64_t address, uint64_t witness)
{
	return add_zone(z, place, 0, address + z->spec->places[place].offsets[0], witness);
}

void norn_place_index_learn(struct norn_place_index *z, uint32_t spot, uint64_t pointer)
{
	if (pointer < 4096)
		return; /* NULL, or no pointer yet */
	for (uint32_t i = z->spots[spot].zones, next; i; i = next) {
		const struct norn_online_zone n = z->list[i - 1];
		const struct norn_place *p = &z->spec->places[n.place];
		next = n.of_spot;
		if (n.hop + 1 < p->hops)
			add_zone(z, n.place, n.hop + 1, pointer + p->offsets[n.hop + 1], 0);
	}
}

/* ---- looking ---- */

static bool overlaps(const struct norn_online_zone *n, uint64_t address, uint64_t size)
{
	if (address + size <= n->address)
		return false;
	if (!n->cell_step)
		return address < n->address + n->size;
	/* The first element that ends after address. */
	uint64_t k = address < n->address + n->size ? 0 : (address - n->address - n->size) / n->cell_step + 1;
	return (n->count == 0 || k < n->count) && n->address + k * n->cell_step < address + size;
}

static bool is_outside(const struct norn_place_index *z, uint64_t address, uint64_t size)
{
	return address >= atomic_load_explicit(&z->high, memory_order_acquire) ||
	       address + size <= atomic_load_explicit(&z->low, memory_order_acquire);
}

struct finder {
	const struct norn_place_index *zones;
	uint64_t address, size;
	uint32_t *list, count, room;
};

static void consider(struct finder *f, uint32_t zone)
{
	if (!overlaps(&f->zones->list[zone], f->address, f->size))
		return;
	for (uint32_t i = 0; i < f->count; i++)
		if (f->list[i] == zone)
			return;
	if (f->count < f->room)
		f->list[f->count++] = zone;
}

uint32_t norn_place_index_find(
        const struct norn_place_index *z, uint64_t address, uint64_t size, uint32_t *ret_zones, uint32_t room)
{
	struct finder f = {z, address, size, ret_zones, 0, room};
	if (size == 0 || is_outside(z, address, size))
		return 0;
	uint32_t count = atomic_load_explicit(&z->count, memory_order_acquire);
	if (size / 8 > count) { /* a large block */
		for (uint32_t i = 0; i < count; i++)
			consider(&f, i);
		return f.count;
	}
	for (uint64_t word = address / 8; word <= (address + size - 1) / 8; word++) {
		const struct zone_word *slot = slot_of(z, word);
		if (atomic_load_explicit(&slot->word, memory_order_acquire) != word)
			continue;
		for (uint32_t i = atomic_load_explicit(&slot->first, memory_order_acquire); i; i = z->links[i - 1].next)
			consider(&f, z->links[i - 1].zone);
	}
	for (uint32_t i = atomic_load_explicit(&z->wide_count, memory_order_acquire); i; i--)
		consider(&f, z->wide[i - 1]);
	return f.count;
}

bool norn_place_index_touch(const struct norn_place_index *z, uint64_t address, uint64_t size)
{
	uint32_t one;
	return !is_outside(z, address, size) && norn_place_index_find(z, address, size, &one, 1) > 0;
}
