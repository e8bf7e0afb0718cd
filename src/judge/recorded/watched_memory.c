#include "judge/recorded/watched_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

/* Entries for all spots that the binding has by now. */
static int follow_binding(struct norn_watched_memory *m)
{
	const struct norn_binding *b = m->binding;
	uint32_t count = b->spot_count;
	if (count > m->spots) {
		uint64_t *bytes = realloc(m->bytes, (count + 1ul) * sizeof *bytes);
		m->bytes = bytes ? bytes : m->bytes;
		uint8_t *known = realloc(m->known, count + 1ul);
		m->known = known ? known : m->known;
		if (!bytes || !known)
			return -ENOMEM;
		for (; m->spots < count; m->spots++)
			m->known[m->spots] = norn_binding_initial(b, m->spots, &m->bytes[m->spots]);
	}
	if (b->zone_count > m->stamp_room) {
		uint32_t *stamps = realloc(m->stamps, b->zone_count * 2ul * sizeof *stamps);
		if (!stamps)
			return -ENOMEM;
		memset(stamps + m->stamp_room, 0, (b->zone_count * 2ul - m->stamp_room) * sizeof *stamps);
		m->stamps = stamps;
		m->stamp_room = b->zone_count * 2;
	}
	return 0;
}

int norn_watched_memory_init(struct norn_watched_memory *memory, const struct norn_binding *binding)
{
	*memory = (struct norn_watched_memory){.binding = binding};
	return follow_binding(memory);
}

void norn_watched_memory_done(struct norn_watched_memory *memory)
{
	free(memory->bytes);
	free(memory->known);
	free(memory->stamps);
	free(memory->zones);
	free(memory->writes);
	*memory = (struct norn_watched_memory){0};
}

/* ---- zones ---- */

static bool overlaps(const struct norn_zone *z, uint64_t address, uint64_t size)
{
	if (address + size <= z->address)
		return false;
	if (!z->cell_step)
		return address < z->address + z->size;
	/* The first element that ends after address. */
	uint64_t k = address < z->address + z->size ? 0 : (address - z->address - z->size) / z->cell_step + 1;
	return (z->count == 0 || k < z->count) && z->address + k * z->cell_step < address + size;
}

static int touch_zone(struct norn_watched_memory *m, uint32_t zone, uint64_t address, uint64_t size)
{
	if (m->stamps[zone] == m->stamp || !overlaps(&m->binding->zones[zone], address, size))
		return 0;
	m->stamps[zone] = m->stamp;
	if (m->zone_count == m->zone_room) {
		uint32_t room = m->zone_room ? m->zone_room * 2 : 16;
		uint32_t *zones = realloc(m->zones, room * sizeof *zones);
		if (!zones)
			return -ENOMEM;
		m->zones = zones;
		m->zone_room = room;
	}
	m->zones[m->zone_count++] = zone;
	return 0;
}

static int touch_word(struct norn_watched_memory *m, uint64_t word, uint64_t address, uint64_t size)
{
	const uint32_t *first = norn_map_get(&m->binding->words, word);
	int r = 0;
	for (uint32_t i = first ? *first : 0; i && r == 0; i = m->binding->links[i - 1].next)
		r = touch_zone(m, m->binding->links[i - 1].zone, address, size);
	return r;
}

int norn_watched_memory_touch(struct norn_watched_memory *m, uint64_t address, uint64_t size)
{
	const struct norn_binding *b = m->binding;
	m->zone_count = 0;
	if (address >= b->high || address + size <= b->low)
		return 0;
	int r = m->stamp_room < b->zone_count ? follow_binding(m) : 0;
	if (++m->stamp == 0) {
		memset(m->stamps, 0, m->stamp_room * sizeof *m->stamps);
		m->stamp = 1;
	}
	uint64_t from = address < b->low ? b->low : address, to = address + size > b->high ? b->high : address + size;
	if ((to - from) / 8 > b->zone_count) { /* a large block */
		for (uint32_t i = 0; r == 0 && i < b->zone_count; i++)
			r = touch_zone(m, i, address, size);
		return r;
	}
	for (uint64_t word = from / 8; r == 0 && word <= (to - 1) / 8; word++)
		r = touch_word(m, word, address, size);
	for (uint32_t i = 0; r == 0 && i < b->wide_count; i++)
		r = touch_zone(m, b->wide[i], address, size);
	return r;
}

/* ---- contents ---- */

static int add_write(struct norn_watched_memory *m, const struct norn_spot_write *w)
{
	for (uint32_t i = 0; i < m->write_count; i++)
		if (m->writes[i].spot == w->spot)
			return 0;
	if (m->write_count == m->write_room) {
		uint32_t room = m->write_room ? m->write_room * 2 : 16;
		struct norn_spot_write *writes = realloc(m->writes, room * sizeof *writes);
		if (!writes)
			return -ENOMEM;
		m->writes = writes;
		m->write_room = room;
	}
	m->writes[m->write_count++] = *w;
	return 0;
}

static int write_spots(struct norn_watched_memory *m, const struct norn_event *e)
{
	for (uint32_t i = 0; i < m->zone_count; i++) {
		uint32_t spot = m->binding->zones[m->zones[i]].spot;
		struct norn_spot_write w = {.spot = spot};
		if (spot == NORN_SPOT_NONE)
			continue;
		const struct norn_spot *s = &m->binding->spots[spot];
		if (!norn_event_value_effect(e, s->address, s->size, m->known[spot], m->bytes[spot], &w))
			continue;
		int r = add_write(m, &w);
		if (r != 0)
			return r;
	}
	for (uint32_t i = 0; i < m->write_count; i++) {
		const struct norn_spot_write *w = &m->writes[i];
		uint64_t mask = norn_event_value_bytes(w->written);
		m->bytes[w->spot] = (m->bytes[w->spot] & ~mask) | (w->bytes & mask);
		m->known[w->spot] = (uint8_t)((m->known[w->spot] & ~w->written) | w->known);
	}
	return 0;
}

int norn_watched_memory_step(struct norn_watched_memory *m, const struct norn_event *e)
{
	m->zone_count = 0;
	m->write_count = 0;
	if (e->kind == NORN_EVENT_LOST) {
		for (uint32_t i = 0; i < m->spots; i++)
			m->known[i] = 0;
		return 0;
	}
	bool access = e->kind <= NORN_EVENT_EXTERNAL, block = e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE;
	if (!access && !(block && m->binding->has_pointers))
		return 0;
	if (e->addr >= m->binding->high || e->addr + e->size <= m->binding->low)
		return 0;
	int r = m->spots < m->binding->spot_count ? follow_binding(m) : 0;
	if (r == 0)
		r = norn_watched_memory_touch(m, e->addr, e->size);
	return r == 0 && m->zone_count ? write_spots(m, e) : r;
}
