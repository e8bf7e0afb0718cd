#include "instrument/site/site_pack.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/pass_memory.h"
#include "trace/site_table.h"

struct packed_bytes {
	uint8_t *at;
	size_t count, room;
};

static void put(struct packed_bytes *b, uint32_t number)
{
	if (b->count + 5 > b->room)
		b->at = norn_pass_grow(b->at, b->room = b->room * 2 + 4096);
	for (; number >= 128; number >>= 7)
		b->at[b->count++] = (uint8_t)(number | 128);
	b->at[b->count++] = (uint8_t)number;
}

static void put_difference(struct packed_bytes *b, uint32_t now, uint32_t before)
{
	uint32_t d = now - before;
	put(b, d << 1 ^ -(d >> 31));
}

/* ---- what many sites have in common, once each ---- */

#define WORDS 7u
struct site_group {
	uint32_t words[WORDS];
};

struct groups {
	struct site_group *all;
	uint32_t *slots; /* 1 + number */
	uint32_t count, room;
};

static uint32_t hash_of(const struct site_group *g)
{
	uint32_t h = 2166136261u;
	for (unsigned i = 0; i < WORDS; i++)
		h = (h ^ g->words[i]) * 16777619u ^ h >> 15;
	return h;
}

static void init(struct groups *groups, uint32_t most)
{
	*groups = (struct groups){.room = 16};
	while (groups->room < most * 2)
		groups->room *= 2;
	groups->all = norn_pass_grow(NULL, (most + (size_t)1) * sizeof *groups->all);
	groups->slots = norn_pass_grow(NULL, groups->room * sizeof *groups->slots);
	memset(groups->slots, 0, groups->room * sizeof *groups->slots);
}

static void done(struct groups *groups)
{
	free(groups->all);
	free(groups->slots);
}

static uint32_t number_of(struct groups *groups, const struct site_group *g)
{
	uint32_t i = hash_of(g) & (groups->room - 1);
	while (groups->slots[i] && memcmp(&groups->all[groups->slots[i] - 1], g, sizeof *g) != 0)
		i = (i + 1) & (groups->room - 1);
	if (!groups->slots[i]) {
		groups->all[groups->count] = *g;
		groups->slots[i] = ++groups->count;
	}
	return groups->slots[i] - 1;
}

static struct site_group shape_of(const struct norn_site *s)
{
	return (struct site_group){
	        {s->kind | (uint32_t)s->order << 4, s->flags, s->order_failure, s->size, s->name, s->type, s->field}};
}

static struct site_group scope_of(const struct norn_site *s)
{
	return (struct site_group){{s->function, s->file, s->inlined_at}};
}

/* ---- the stream ---- */

static void put_shapes(struct packed_bytes *b, const struct groups *shapes)
{
	for (uint32_t i = 0; i < shapes->count; i++)
		for (unsigned w = 0; w < WORDS; w++)
			put(b, shapes->all[i].words[w]);
}

static void put_scopes(struct packed_bytes *b, const struct groups *scopes)
{
	struct site_group before = {{0}};
	for (uint32_t i = 0; i < scopes->count; i++) {
		for (unsigned w = 0; w < 3; w++)
			put_difference(b, scopes->all[i].words[w], before.words[w]);
		before = scopes->all[i];
	}
}

static void put_frames(struct packed_bytes *b, const struct norn_site_builder *table)
{
	struct norn_frame before = {0};
	for (uint32_t i = 0; i < table->frame_count; i++) {
		const struct norn_frame *f = &table->frames[i];
		put_difference(b, f->function, before.function);
		put_difference(b, f->file, before.file);
		put_difference(b, f->line, before.line);
		put(b, f->column);
		put(b, f->inlined_at);
		before = *f;
	}
}

static void put_sites(struct packed_bytes *b, const struct norn_site_builder *table, struct groups *shapes, struct groups *scopes)
{
	struct norn_site before = {0};
	uint32_t next = 1, scope_before = UINT32_MAX;
	for (uint32_t i = 0; i < table->site_count; i++) {
		const struct norn_site *s = &table->sites[i];
		struct site_group shape = shape_of(s), scope = scope_of(s);
		uint32_t scope_now = number_of(scopes, &scope);
		bool follows = s->facts == next && next < table->fact_bytes;
		put(b, (scope_now != scope_before ? NORN_PACKED_SCOPE : 0) | (s->entry != before.entry ? NORN_PACKED_ENTRY : 0) |
		                (s->line != before.line ? NORN_PACKED_LINE : 0) |
		                (s->column != before.column ? NORN_PACKED_COLUMN : 0) | (follows ? 0 : NORN_PACKED_FACTS));
		put(b, number_of(shapes, &shape));
		if (scope_now != scope_before)
			put(b, scope_now);
		if (s->entry != before.entry)
			put(b, i - s->entry);
		if (s->line != before.line)
			put_difference(b, s->line, before.line);
		if (s->column != before.column)
			put_difference(b, s->column, before.column);
		if (follows)
			next += norn_site_facts_bytes(table->facts + next, table->fact_bytes - next);
		else
			put(b, s->facts);
		before = *s;
		scope_before = scope_now;
	}
}

void *norn_site_pack(const struct norn_site_builder *table, const struct norn_site_table *head, size_t *ret_bytes)
{
	struct groups shapes, scopes;
	init(&shapes, table->site_count);
	init(&scopes, table->site_count);
	for (uint32_t i = 0; i < table->site_count; i++) {
		struct site_group shape = shape_of(&table->sites[i]), scope = scope_of(&table->sites[i]);
		number_of(&shapes, &shape);
		number_of(&scopes, &scope);
	}
	struct packed_bytes stream = {0};
	put_shapes(&stream, &shapes);
	put_scopes(&stream, &scopes);
	put_frames(&stream, table);
	put_sites(&stream, table, &shapes, &scopes);
	struct norn_site_packed packed = {
	        .head = *head, .bytes = (uint32_t)stream.count, .shapes = shapes.count, .scopes = scopes.count};
	packed.head.magic = NORN_SITE_PACKED;
	*ret_bytes = sizeof packed + stream.count + head->facts + head->strings;
	char *blob = norn_pass_grow(NULL, *ret_bytes), *p = blob;
	memcpy(p, &packed, sizeof packed);
	p += sizeof packed;
	memcpy(p, stream.at, stream.count);
	p += stream.count;
	if (head->facts)
		memcpy(p, table->facts, head->facts);
	memcpy(p + head->facts, table->strings, head->strings);
	free(stream.at);
	done(&shapes);
	done(&scopes);
	return blob;
}
