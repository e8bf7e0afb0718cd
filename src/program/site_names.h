/* The site tables in an ELF file: which functions and variables the pass has seen, and what it knew of them.
 *
 * The linker leaves the tables of all translation units one after the other, with zeros in between, in the section norn_sites. A
 * table is bounds-checked before it is believed; what is damaged is passed over. Strings belong to the section. */
#ifndef NORN_PROGRAM_SITE_NAMES_H
#define NORN_PROGRAM_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/vector.h"
#include "trace/site.h"

/* A site that is the first of its name in its file. */
struct norn_named_site {
	const struct norn_site *site;
	const char *name, *type, *function, *file, *field; /* file: of the site, or the translation unit's if that is unknown */
	uint32_t next; /* 1 + index of the next with the same name */
};

struct norn_sites {
	NORN_VECTOR(const struct norn_site_table *) tables; /* open */
	NORN_VECTOR(void *) opened; /* those of them that were packed: owned */
	NORN_VECTOR(struct norn_named_site) named; /* functions (ENTER), variables and members (accesses) as they come */
	struct {
		struct norn_table names;
		struct norn_numbers first; /* by number of a name: 1 + index in named of its newest site */
	} kinds[2]; /* of variables, of functions */
};

/* Calls of norn_set. */
struct norn_set_calls {
	bool any, unnamed; /* unnamed: the name is not a constant */
};

void norn_sites_init(struct norn_sites *sites, const void *section, size_t bytes);
void norn_sites_done(struct norn_sites *sites);

/* True if this very table, which may have a tail that is no part of it, is among them. */
bool norn_sites_match(const struct norn_sites *sites, const void *table, size_t bytes);

/* The sites of that name, one per file: function entries, or accesses. *cursor starts at 0; NULL past the last. */
const struct norn_named_site *norn_sites_find(const struct norn_sites *sites, bool is_function, const char *name, uint32_t *cursor);

/* The next call of norn_set whose name is a constant: that name; NULL past the last. *table, *site start at 0. All of them are
 * noted in ret_calls. */
const char *norn_sites_set(const struct norn_sites *sites, uint32_t *table, uint32_t *site, struct norn_set_calls *ret_calls);

#endif
