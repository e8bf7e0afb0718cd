/* The room that a local monitor has for what its formulas say of other threads: a cell per seat, and one for strangers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/local_monitor_state.h"

#define WIDTH_FIRST 4u

static bool has_dimensions(const struct norn_mttl *p)
{
	return p->remotes_of[1] || p->remotes_of[2] || p->tables_of[1] || p->tables_of[2];
}

/* A block of cells for tables of the new width, each where it belongs. Cells have size bytes; before(i) is where block i's
 * begin. */
struct seat_layout {
	uint32_t count;
	size_t size;
	const struct norn_mttl *program;
	bool remotes;
};

static const uint32_t *before_of(const struct seat_layout *l, uint32_t i, uint32_t *ret_dimensions)
{
	*ret_dimensions = l->remotes ? l->program->remotes[i].dimensions : l->program->tables[i].dimensions;
	return l->remotes ? l->program->remotes[i].before : l->program->tables[i].before;
}

static void *widen_block(const struct seat_layout *l, const void *old, uint32_t from, uint32_t to)
{
	const uint32_t *of = l->remotes ? l->program->remotes_of : l->program->tables_of;
	char *block = calloc(norn_mttl_offset(of, to) + 1, l->size);
	for (uint32_t i = 0; block && old && i < l->count; i++) {
		uint32_t dimensions;
		const uint32_t *before = before_of(l, i, &dimensions);
		const char *source = (const char *)old + norn_mttl_offset(before, from) * l->size;
		char *target = block + norn_mttl_offset(before, to) * l->size;
		size_t rows = dimensions == 2 ? from + 1ul : 1, columns = dimensions ? from + 1ul : 1;
		for (size_t row = 0; row < rows; row++)
			memcpy(target + row * (to + 1ul) * l->size, source + row * columns * l->size, columns * l->size);
	}
	return block;
}

/* The cells of each kind that a local monitor has. */
struct room {
	struct seat_layout values, longs, tables;
};

static struct room room_of(const struct norn_local_monitor *m)
{
	const struct norn_mttl *p = &m->world->program;
	return (struct room){.values = {p->remote_count, sizeof *m->values, p, true},
	        .longs = {p->remote_count, sizeof *m->longs, p, true},
	        .tables = {p->table_count, 1, p, false}};
}

void norn_local_monitor_find_cells(struct norn_local_monitor *m)
{
	const struct norn_local_monitors *world = m->world;
	for (uint32_t i = 0; i < world->first_published_local[world->program.local_count]; i++) {
		const struct norn_published_local *e = &world->published_locals[i];
		m->cells[i] = e->before[0];
		if (e->dimensions)
			m->cells[i] =
			        m->seat == NORN_SEAT_NONE ? UINT32_MAX : e->before[0] + e->before[1] * (m->width + 1) + m->self;
	}
}

static bool widen(struct norn_local_monitor *m, uint32_t seats)
{
	const struct room room = room_of(m);
	uint32_t width = m->width ? m->width : WIDTH_FIRST;
	while (width < seats)
		width *= 2;
	int64_t *values = widen_block(&room.values, m->values, m->width, width);
	struct norn_value *longs = widen_block(&room.longs, m->longs, m->width, width);
	int8_t *kept = widen_block(&room.tables, m->kept, m->width, width),
	       *next = widen_block(&room.tables, NULL, m->width, width);
	uint32_t *who = calloc(width, sizeof *who), *fresh = calloc(width, sizeof *fresh);
	if (!values || !longs || !kept || !next || !who || !fresh) {
		free(values);
		free(longs);
		free(kept);
		free(next);
		free(who);
		free(fresh);
		return false;
	}
	if (m->width)
		memcpy(who, m->who, m->width * sizeof *who);
	norn_local_monitor_free_tables(m);
	m->values = values;
	m->longs = longs;
	m->kept = kept;
	m->next = next;
	m->who = who;
	m->fresh = fresh;
	m->width = width;
	norn_local_monitor_find_cells(m);
	return true;
}

void norn_local_monitor_free_tables(struct norn_local_monitor *m)
{
	free(m->values);
	free(m->longs);
	free(m->kept);
	free(m->next);
	free(m->who);
	free(m->fresh);
}

/* A value for strangers holds for a thread that was one until now. */
static void copy_stranger(const struct seat_layout *l, void *block, uint32_t width, uint32_t seat)
{
	size_t row = width + 1ul;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t dimensions;
		char *at = (char *)block + norn_mttl_offset(before_of(l, i, &dimensions), width) * l->size;
		if (dimensions == 1)
			memcpy(at + (seat + 1ul) * l->size, at, l->size);
		for (size_t k = 0; dimensions == 2 && k < row; k++)
			memcpy(at + ((seat + 1ul) * row + k) * l->size, at + k * l->size, l->size);
		for (size_t k = 0; dimensions == 2 && k < row; k++)
			memcpy(at + (k * row + seat + 1) * l->size, at + k * row * l->size, l->size);
	}
}

static void begin_cells(struct norn_local_monitor *m, uint32_t seat, uint32_t who)
{
	const struct room room = room_of(m);
	m->who[seat] = who;
	copy_stranger(&room.values, m->values, m->width, seat);
	copy_stranger(&room.longs, m->longs, m->width, seat);
	copy_stranger(&room.tables, m->kept, m->width, seat);
}

bool norn_local_monitor_meet(struct norn_local_monitor *m)
{
	const struct norn_mttl *p = &m->world->program;
	uint32_t seats = norn_local_monitor_seats(m);
	m->fresh_count = 0;
	if (!has_dimensions(p))
		return true;
	if (seats > m->width && !widen(m, seats))
		return false;
	assert(m->width >= seats && m->width % 2 == 0);
	if (m->whole)
		norn_local_monitor_find_cells(m);
	for (uint32_t i = 0; i < seats; i++) {
		const struct norn_known_thread *t = i == m->seat ? NULL : norn_local_monitor_heard(m, i);
		bool fresh = t != norn_knowledge_of(m->now, i);
		if (t && fresh)
			m->fresh[m->fresh_count++] = i;
		if (!fresh && !m->whole)
			continue;
		uint32_t who = i == m->seat ? m->number + 1 : t ? t->number + 1 : 0;
		if (who && who != m->who[i])
			begin_cells(m, i, who);
	}
	return true;
}
