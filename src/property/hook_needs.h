/* Hooks that properties need: which accesses, functions and values of a program must be seen.
 *
 * `norn cc --prop FILE` gives hooks to these and no more. It tells the pass in words (instrument/hook_filter.h), which the pass
 * leaves in the site table of each unit; so a later judgement, by these or other properties, can tell what it cannot see. */
#ifndef NORN_PROPERTY_HOOK_NEEDS_H
#define NORN_PROPERTY_HOOK_NEEDS_H

#include "base/vector.h"
#include "property/property.h"
#include "trace/site.h"

/* All-zero: nothing is needed. It owns its words. */
struct norn_needs {
	NORN_VECTOR(char)
	words; /* " f:FUNCTION " (entered and left), a: (its arguments and result), v:VARIABLE, m:FIELD; each once */
	bool named, all; /* accesses: of what is named; all of them */
};

void norn_needs_done(struct norn_needs *needs);
/* Adds what a file of properties needs. */
void norn_needs_add(struct norn_needs *needs, const struct norn_spec *spec);
/* As the pass wants it; the caller frees it. */
char *norn_needs_text(const struct norn_needs *needs);

/* Are all accesses of this unit recorded that other threads may have a part in? Else nothing can be predicted. */
bool norn_unit_is_whole(const struct norn_site_table *table);
const char *norn_unit_source(const struct norn_site_table *table);
/* The hooks that the properties need and this unit does not have, in words for people, up to a few of them; false: none. */
bool norn_needs_missing(const struct norn_needs *needs, const struct norn_site_table *table, char *to, size_t room);

#endif
