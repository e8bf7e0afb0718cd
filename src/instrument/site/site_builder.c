/* See site_builder.h. */
#include "instrument/site/site_builder.h"
#include "instrument/pass_memory.h"

#include "instrument/site/site_pack.h"
#include "trace/facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash(const void *data, size_t bytes)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* The key of an index: the bytes of the item at a position. */
typedef const void *key_of(const struct norn_site_builder *table, uint32_t at, size_t *ret_bytes);

static const void *string_at(const struct norn_site_builder *table, uint32_t at, size_t *ret_bytes)
{
	*ret_bytes = strlen(table->strings + at);
	return table->strings + at;
}

static const void *frame_at(const struct norn_site_builder *table, uint32_t at, size_t *ret_bytes)
{
	*ret_bytes = sizeof *table->frames;
	return table->frames + at;
}

static const void *facts_at(const struct norn_site_builder *table, uint32_t at, size_t *ret_bytes)
{
	struct norn_facts facts = {table->facts + at, table->facts + table->fact_bytes};
	uint32_t kind, count, item;
	while (norn_facts_next(&facts, &kind, &count))
		while (count--)
			norn_facts_number(&facts, &item);
	*ret_bytes = facts.p - (table->facts + at);
	return table->facts + at;
}

static uint32_t *find(
        struct norn_index *index, const struct norn_site_builder *table, const void *key, size_t bytes, key_of *key_of)
{
	for (uint32_t i = hash(key, bytes) & (index->room - 1);; i = (i + 1) & (index->room - 1)) {
		size_t other;
		if (!index->slots[i])
			return index->slots + i;
		const void *there = key_of(table, index->slots[i] - 1, &other);
		if (other == bytes && memcmp(there, key, bytes) == 0)
			return index->slots + i;
	}
}

static void make_room(struct norn_index *index, const struct norn_site_builder *table, key_of *key_of)
{
	if (index->used * 2 < index->room)
		return;
	struct norn_index bigger = {.room = index->room ? index->room * 2 : 256, .used = index->used};
	bigger.slots = norn_pass_grow(NULL, bigger.room * sizeof *bigger.slots);
	memset(bigger.slots, 0, bigger.room * sizeof *bigger.slots);
	for (uint32_t i = 0; i < index->room; i++) {
		uint32_t at = index->slots[i];
		if (!at)
			continue;
		size_t bytes;
		const void *key = key_of(table, at - 1, &bytes);
		*find(&bigger, table, key, bytes, key_of) = at;
	}
	free(index->slots);
	*index = bigger;
}

void norn_site_builder_init(struct norn_site_builder *table)
{
	*table = (struct norn_site_builder){.string_bytes = 1, .string_room = 4096};
	table->strings = norn_pass_grow(NULL, table->string_room);
	table->strings[0] = 0;
}

void norn_site_builder_done(struct norn_site_builder *table)
{
	free(table->sites);
	free(table->frames);
	free(table->strings);
	free(table->facts);
	free(table->string_index.slots);
	free(table->frame_index.slots);
	free(table->fact_index.slots);
}

static bool is_control(char c)
{
	return (c > 0 && c < 0x20) || c == 0x7f;
}

/* Names of files may have control characters. Readers of traces take none for true (clean_strings in trace_modules.c): were they
 * in tables, a trace's would not be that of its program. A copy, if there are any; else NULL. */
static char *without_controls(const char *text, size_t length)
{
	char *copy = NULL;
	for (size_t i = 0; i < length; i++) {
		if (!is_control(text[i]))
			continue;
		if (!copy)
			copy = memcpy(norn_pass_grow(NULL, length), text, length);
		copy[i] = '?';
	}
	return copy;
}

static uint32_t add_string(struct norn_site_builder *table, const char *text, size_t length)
{
	make_room(&table->string_index, table, string_at);
	uint32_t *slot = find(&table->string_index, table, text, length, string_at);
	if (*slot)
		return *slot - 1;
	while (table->string_bytes + length + 1 > table->string_room)
		table->strings = norn_pass_grow(table->strings, table->string_room *= 2);
	memcpy(table->strings + table->string_bytes, text, length);
	table->strings[table->string_bytes + length] = 0;
	*slot = table->string_bytes + 1;
	table->string_index.used++;
	table->string_bytes += length + 1;
	return *slot - 1;
}

uint32_t norn_site_builder_string(struct norn_site_builder *table, const char *text, size_t length)
{
	const char *end = length ? memchr(text, 0, length) : NULL;
	if (end)
		length = end - text;
	if (!length)
		return 0;
	char *clean = without_controls(text, length);
	uint32_t at = add_string(table, clean ? clean : text, length);
	free(clean);
	return at;
}

uint32_t norn_site_builder_frame(struct norn_site_builder *table, const struct norn_frame *frame)
{
	make_room(&table->frame_index, table, frame_at);
	uint32_t *slot = find(&table->frame_index, table, frame, sizeof *frame, frame_at);
	if (*slot)
		return *slot;
	if (table->frame_count == table->frame_room)
		table->frames = norn_pass_grow(table->frames, (table->frame_room = table->frame_room * 2 + 64) * sizeof *frame);
	table->frames[table->frame_count] = *frame;
	table->frame_index.used++;
	return *slot = ++table->frame_count;
}

uint32_t norn_site_builder_site(struct norn_site_builder *table, const struct norn_site *site)
{
	if (table->site_count == table->site_room)
		table->sites = norn_pass_grow(table->sites, (table->site_room = table->site_room * 2 + 256) * sizeof *site);
	table->sites[table->site_count] = *site;
	return table->site_count++;
}

uint32_t norn_site_builder_facts(struct norn_site_builder *table, const uint8_t *bytes, size_t count)
{
	make_room(&table->fact_index, table, facts_at);
	uint32_t *slot = find(&table->fact_index, table, bytes, count, facts_at);
	if (*slot)
		return *slot - 1;
	if (!table->fact_bytes)
		table->fact_bytes = 1; /* offset 0 means none */
	while (table->fact_bytes + count > table->fact_room) {
		table->fact_room = table->fact_room * 2 + 4096;
		table->facts = norn_pass_grow(table->facts, table->fact_room);
	}
	table->facts[0] = NORN_FACT_END;
	memcpy(table->facts + table->fact_bytes, bytes, count);
	*slot = table->fact_bytes + 1;
	table->fact_index.used++;
	table->fact_bytes += count;
	return *slot - 1;
}

void *norn_site_builder_build(
        struct norn_site_builder *table, const char *source, size_t length, unsigned level, const char *only, size_t *ret_bytes)
{
	struct norn_site_table head = {.magic = NORN_SITE_MAGIC, .version = NORN_SITE_VERSION, .level = level};
	head.source = norn_site_builder_string(table, source, length);
	head.only = norn_site_builder_string(table, only, strlen(only));
	head.sites = table->site_count;
	head.frames = table->frame_count;
	head.facts = table->fact_bytes;
	head.strings = table->string_bytes;
	return norn_site_pack(table, &head, ret_bytes);
}
