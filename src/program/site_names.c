#include "program/site_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/site_table.h"

/* ---- tables ---- */

static const char *strings_of(const struct norn_site_table *table)
{
	const struct norn_site *sites = (const struct norn_site *)(table + 1);
	const struct norn_frame *frames = (const struct norn_frame *)(sites + table->sites);
	return (const char *)(frames + table->frames) + table->facts;
}

/* The bytes of the open table that starts here, 0 if none does. */
static size_t table_bytes(const void *start, size_t bytes)
{
	const struct norn_site_table *table = start;
	if (bytes < sizeof *table || table->magic != NORN_SITE_MAGIC || table->version < NORN_SITE_VERSION_OLDEST ||
	        table->version > NORN_SITE_VERSION)
		return 0;
	size_t need = norn_site_open_bytes(table);
	if (need > bytes || table->strings == 0 || table->source >= table->strings)
		return 0;
	const char *strings = strings_of(table);
	return strings[0] == 0 && strings[table->strings - 1] == 0 ? need : 0;
}

static const char *string_at(const struct norn_site_table *table, uint32_t offset)
{
	return offset < table->strings ? strings_of(table) + offset : "";
}

/* ---- names ---- */

static struct norn_named_site *known(struct norn_sites *sites, uint32_t first, const char *file, const struct norn_site *site)
{
	for (uint32_t i = first; i; i = sites->named.items[i - 1].next) {
		struct norn_named_site *named = &sites->named.items[i - 1];
		if (strcmp(named->file, file) == 0 && (site->kind == NORN_SITE_ENTER || named->site->size == site->size) &&
		        !((named->site->flags ^ site->flags) & NORN_SITE_MEMBER))
			return named;
	}
	return NULL;
}

static void add_name(struct norn_sites *sites, const struct norn_site_table *table, const struct norn_site *site)
{
	const char *name = string_at(table, site->name), *file = string_at(table, site->file), *type = string_at(table, site->type);
	if (!*name)
		return;
	if (!*file)
		file = string_at(table, table->source);
	bool is_function = site->kind == NORN_SITE_ENTER, is_new;
	uint32_t number = norn_must_table_put(&sites->kinds[is_function].names, name, strlen(name), &is_new);
	if (is_new)
		norn_must_push(&sites->kinds[is_function].first, 0);
	uint32_t *first = &sites->kinds[is_function].first.items[number];
	struct norn_named_site *named = known(sites, *first, file, site);
	if (named) {
		if (!*named->type && *type) { /* say what is known, though another access does not know it */
			named->type = type;
			named->site = site;
		}
		return;
	}
	norn_must_push(&sites->named, (struct norn_named_site){
	                                      .site = site,
	                                      .name = name,
	                                      .type = type,
	                                      .function = string_at(table, site->function),
	                                      .file = file,
	                                      .field = string_at(table, site->field),
	                                      .next = *first,
	                              });
	*first = sites->named.count;
}

static bool is_access(const struct norn_site *site)
{
	return site->kind == NORN_SITE_READ || site->kind == NORN_SITE_WRITE || site->kind == NORN_SITE_RMW ||
	       site->kind == NORN_SITE_CMPXCHG;
}

static void add_table(struct norn_sites *sites, const struct norn_site_table *table)
{
	const struct norn_site *all = (const struct norn_site *)(table + 1);
	norn_must_push(&sites->tables, table);
	for (uint32_t i = 0; i < table->sites; i++)
		if (all[i].kind == NORN_SITE_ENTER || is_access(&all[i]))
			add_name(sites, table, &all[i]);
}

static void add_packed(struct norn_sites *sites, const struct norn_site_packed *packed)
{
	void *open = norn_must_calloc(norn_site_open_room(packed), 1);
	if (norn_site_open(packed, open) && table_bytes(open, norn_site_open_bytes(open))) {
		norn_must_push(&sites->opened, open);
		add_table(sites, open);
	} else {
		free(open);
	}
}

void norn_sites_init(struct norn_sites *sites, const void *section, size_t bytes)
{
	*sites = (struct norn_sites){0};
	/* The pass aligns to 8; whatever a linker makes of that, all that a table has are words of 4. */
	for (size_t at = 0, size; section && at < bytes; at += size ? (size + 3) & ~(size_t)3 : 4) {
		const void *start = (const char *)section + at;
		size = norn_site_packed_bytes(start, bytes - at);
		if (size) {
			add_packed(sites, start);
			continue;
		}
		size = table_bytes(start, bytes - at);
		if (size)
			add_table(sites, start);
	}
}

void norn_sites_done(struct norn_sites *sites)
{
	norn_vector_done(&sites->tables);
	for (uint32_t i = 0; i < sites->opened.count; i++)
		free(sites->opened.items[i]);
	norn_vector_done(&sites->opened);
	norn_vector_done(&sites->named);
	for (int i = 0; i < 2; i++) {
		norn_table_done(&sites->kinds[i].names);
		norn_vector_done(&sites->kinds[i].first);
	}
}

bool norn_sites_match(const struct norn_sites *sites, const void *table, size_t bytes)
{
	size_t size = table_bytes(table, bytes);
	for (uint32_t i = 0; size && i < sites->tables.count; i++)
		if (memcmp(sites->tables.items[i], table, sizeof(struct norn_site_table)) == 0 &&
		        memcmp(sites->tables.items[i], table, size) == 0)
			return true;
	return false;
}

const struct norn_named_site *norn_sites_find(const struct norn_sites *sites, bool is_function, const char *name, uint32_t *cursor)
{
	uint32_t at = *cursor;
	if (at == 0) {
		uint32_t number = norn_table_find(&sites->kinds[is_function].names, name, strlen(name));
		at = number == NORN_TABLE_NONE ? UINT32_MAX : sites->kinds[is_function].first.items[number];
	}
	if (at == UINT32_MAX)
		return NULL;
	const struct norn_named_site *named = &sites->named.items[at - 1];
	*cursor = named->next ? named->next : UINT32_MAX;
	return named;
}

const char *norn_sites_set(const struct norn_sites *sites, uint32_t *table, uint32_t *site, struct norn_set_calls *ret_calls)
{
	for (; *table < sites->tables.count; ++*table, *site = 0) {
		const struct norn_site_table *t = sites->tables.items[*table];
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
