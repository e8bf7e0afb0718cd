#include "program/site_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program/name_index.h"

/* ---- tables ---- */

static const char *strings_of(const struct norn_site_table *table)
{
	const struct norn_site *sites = (const struct norn_site *)(table + 1);
	const struct norn_frame *frames = (const struct norn_frame *)(sites + table->sites);
	return (const char *)(frames + table->frames) + table->facts;
}

/* The bytes of the table that starts here, 0 if none does. */
static size_t table_bytes(const void *start, size_t bytes)
{
	const struct norn_site_table *table = start;
	if (bytes < sizeof *table || table->magic != NORN_SITE_MAGIC || table->version < NORN_SITE_VERSION_OLDEST ||
	        table->version > NORN_SITE_VERSION)
		return 0;
	uint64_t need = sizeof *table + (uint64_t)table->sites * sizeof(struct norn_site) +
	                (uint64_t)table->frames * sizeof(struct norn_frame) + table->facts + table->strings;
	if (need > bytes || table->strings == 0 || table->source >= table->strings)
		return 0;
	const char *strings = strings_of(table);
	return strings[0] == 0 && strings[table->strings - 1] == 0 ? need : 0;
}

static const char *string_at(const struct norn_site_table *table, uint32_t offset)
{
	return offset < table->strings ? strings_of(table) + offset : "";
}

static int add_table(struct norn_sites *sites, const struct norn_site_table *table)
{
	if (sites->table_count == sites->table_room) {
		uint32_t room = sites->table_room * 2 + 16;
		void *moved = realloc(sites->tables, room * sizeof(void *));
		if (!moved)
			return -ENOMEM;
		sites->tables = moved;
		sites->table_room = room;
	}
	sites->tables[sites->table_count++] = table;
	return 0;
}

/* ---- names ---- */

static struct norn_named_site *known(
        struct norn_sites *sites, uint32_t first, const char *name, const char *file, const struct norn_site *site)
{
	for (uint32_t i = first; i; i = sites->named[i - 1].next) {
		struct norn_named_site *named = &sites->named[i - 1];
		if (strcmp(named->name, name) == 0 && strcmp(named->file, file) == 0 && named->site->size == site->size &&
		        !((named->site->flags ^ site->flags) & NORN_SITE_MEMBER))
			return named;
	}
	return NULL;
}

static int add_name(struct norn_sites *sites, const struct norn_site_table *table, const struct norn_site *site)
{
	const char *name = string_at(table, site->name), *file = string_at(table, site->file), *type = string_at(table, site->type);
	if (!*name)
		return 0;
	if (!*file)
		file = string_at(table, table->source);
	void *value;
	int r = norn_map_put(site->kind == NORN_SITE_ENTER ? &sites->functions : &sites->variables, norn_name_hash(name), &value);
	if (r < 0)
		return r;
	uint32_t *first = value;
	struct norn_named_site *named = known(sites, *first, name, file, site);
	if (named) {
		if (!*named->type && *type) { /* say what is known, though another access does not know it */
			named->type = type;
			named->site = site;
		}
		return 0;
	}
	if (sites->named_count == sites->named_room) {
		uint32_t room = sites->named_room * 2 + 256;
		void *moved = realloc(sites->named, room * sizeof *sites->named);
		if (!moved)
			return -ENOMEM;
		sites->named = moved;
		sites->named_room = room;
	}
	sites->named[sites->named_count++] = (struct norn_named_site){
	        .site = site,
	        .name = name,
	        .type = type,
	        .function = string_at(table, site->function),
	        .file = file,
	        .field = string_at(table, site->field),
	        .next = *first,
	};
	*first = sites->named_count;
	return 0;
}

static bool is_access(const struct norn_site *site)
{
	return site->kind == NORN_SITE_READ || site->kind == NORN_SITE_WRITE || site->kind == NORN_SITE_RMW ||
	       site->kind == NORN_SITE_CMPXCHG;
}

static int add_names(struct norn_sites *sites, const struct norn_site_table *table)
{
	const struct norn_site *all = (const struct norn_site *)(table + 1);
	for (uint32_t i = 0; i < table->sites; i++) {
		if (all[i].kind != NORN_SITE_ENTER && !is_access(&all[i]))
			continue;
		int r = add_name(sites, table, &all[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int norn_sites_init(struct norn_sites *sites, const void *section, size_t bytes)
{
	*sites = (struct norn_sites){0};
	norn_map_init(&sites->functions, sizeof(uint32_t));
	norn_map_init(&sites->variables, sizeof(uint32_t));
	/* The pass aligns to 8; whatever a linker makes of that, all that a table has are words of 4. */
	for (size_t at = 0, size; section && at < bytes; at += size ? (size + 3) & ~(size_t)3 : 4) {
		const void *start = (const char *)section + at;
		size = table_bytes(start, bytes - at);
		int r = size ? add_table(sites, start) : 0;
		if (r == 0 && size)
			r = add_names(sites, start);
		if (r < 0)
			return r;
	}
	return 0;
}

void norn_sites_done(struct norn_sites *sites)
{
	free(sites->tables);
	free(sites->named);
	norn_map_done(&sites->functions);
	norn_map_done(&sites->variables);
	*sites = (struct norn_sites){0};
}

bool norn_sites_match(const struct norn_sites *sites, const void *table, size_t bytes)
{
	size_t size = table_bytes(table, bytes);
	for (uint32_t i = 0; size && i < sites->table_count; i++)
		if (memcmp(sites->tables[i], table, sizeof(struct norn_site_table)) == 0 &&
		        memcmp(sites->tables[i], table, size) == 0)
			return true;
	return false;
}

const struct norn_named_site *norn_sites_find(const struct norn_sites *sites, bool is_function, const char *name, uint32_t *cursor)
{
	uint32_t at = *cursor;
	if (at == 0) {
		const uint32_t *first = norn_map_get(is_function ? &sites->functions : &sites->variables, norn_name_hash(name));
		at = first ? *first : UINT32_MAX;
	}
	while (at != UINT32_MAX) {
		const struct norn_named_site *named = &sites->named[at - 1];
		at = *cursor = named->next ? named->next : UINT32_MAX;
		if (strcmp(named->name, name) == 0)
			return named;
	}
	return NULL;
}

const char *norn_sites_set(const struct norn_sites *sites, uint32_t *table, uint32_t *site, struct norn_set_calls *ret_calls)
{
	for (; *table < sites->table_count; ++*table, *site = 0) {
		const struct norn_site_table *t = sites->tables[*table];
		const struct norn_site *all = (const struct norn_site *)(t + 1);
		while (*site < t->sites) {
			const struct norn_site *s = &all[(*site)++];
			if (s->kind != NORN_SITE_CALL || strcmp(string_at(t, s->name), "norn_set") != 0)
				continue;
			const char *name = string_at(t, s->field);
			ret_calls->any = true;
			if (*name)
				return name;
			ret_calls->unnamed = true;
		}
	}
	return NULL;
}
