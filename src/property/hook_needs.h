/* What properties need to see of a program: which accesses, functions and values must have hooks.
 *
 * `norn cc --prop FILE` gives hooks to that and no more, and tells the pass in words (instrument/only.h), which the pass leaves in the site table of
 * each unit. So whoever judges the program later, by these or other properties, can tell what it cannot see. */
#ifndef NORN_PROPERTY_HOOK_NEEDS_H
#define NORN_PROPERTY_HOOK_NEEDS_H

#include "base/pack.h"
#include "property/property.h"
#include "trace/site.h"

/* All-zero: nothing is needed. It owns its words. */
struct norn_needs {
	struct norn_pack
	        words; /* " f:FUNCTION " (entered and left), a: (its arguments and result), v:VARIABLE, m:FIELD; each once */
	bool named, all; /* accesses: of what is named; all of them */
};

void norn_needs_done(struct norn_needs *needs);
/* Adds what a file of properties needs. 0 or -ENOMEM. */
int norn_needs_add(struct norn_needs *needs, const struct norn_spec *spec);
/* As the pass wants it; the caller frees it. NULL: out of memory. */
char *norn_needs_text(const struct norn_needs *needs);

/* Are all accesses of this unit recorded that other threads may have a part in? Else nothing can be predicted. */
bool norn_unit_is_whole(const struct norn_site_table *table);
const char *norn_unit_source(const struct norn_site_table *table);
/* What the properties need and this unit has no hooks for, in words for people, up to a few of them; false: nothing. */
bool norn_needs_missing(const struct norn_needs *needs, const struct norn_site_table *table, char *to, size_t room);

#endif
