/* Modules: the translation units that were instrumented and are loaded, with their tables of sites.
 *
 * Added under one lock, looked up by any thread at any time; never taken out, as sites' numbers are not used again. A
 * table may be gone when its library was unloaded: it must not be read then (see norn_modules_where). */
#ifndef NORN_JUDGE_MODULES_H
#define NORN_JUDGE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/site.h"

#define NORN_MODULES_MAX 65536u

struct norn_loaded {
	uint32_t base, sites; /* numbers of its sites */
	uint64_t load; /* address */
	const char *path; /* lives as long as the list */
	const struct norn_site_table *table;
};

struct norn_modules {
	struct norn_loaded *list;
	_Atomic uint32_t count;
};

int norn_modules_init(struct norn_modules *modules);
void norn_modules_done(struct norn_modules *modules); /* not while it may be looked up */
/* The copy in the list, NULL: there is no room. */
const struct norn_loaded *norn_modules_add(struct norn_modules *modules, const struct norn_loaded *module);

/* True if two names are of the same module: the command's may be relative, or lead through a link. */
bool norn_module_is(const char *a, const char *b);

struct norn_site_words {
	const struct norn_site *site; /* NULL: unknown */
	const char *function, *file, *name, *field; /* never NULL */
};

/* The table's facts about the site. */
void norn_modules_site(const struct norn_modules *modules, uint32_t site, struct norn_site_words *ret_words);

/* True if the site stands in code of that function (of that file, if it is not NULL) that was inlined into another. */
bool norn_modules_inlined(const struct norn_modules *modules, uint32_t site, const char *function, const char *file);
/* True if path is file, or ends with it as whole parts. */
bool norn_path_ends(const char *path, const char *file);

#endif
