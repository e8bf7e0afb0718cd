/* Built-in properties: properties that are built-in errors (`race on …`, `deadlock`, `atomic call …`): what they ask for, and
 * which findings are theirs.
 *
 * The list owns its texts: the spec need not live longer. */
#ifndef NORN_ERRORS_BUILTIN_PROPERTY_H
#define NORN_ERRORS_BUILTIN_PROPERTY_H

#include "base/arena.h"
#include "base/vector.h"
#include "finding/finding.h"
#include "property/property.h"

struct norn_builtin_property;

struct norn_builtin_properties {
	struct norn_arena arena;
	struct norn_builtin_property *first, **end;
	uint32_t count;
	NORN_VECTOR(const char *) atomic; /* functions that are meant to be atomic */
};

void norn_builtin_properties_init(struct norn_builtin_properties *builtin_properties);
void norn_builtin_properties_done(struct norn_builtin_properties *builtin_properties);

/* Is this property one? */
static inline bool norn_builtin_property_is(const struct norn_property *property)
{
	return property->logic == NORN_LOGIC_RACE || property->logic == NORN_LOGIC_DEADLOCK || property->logic == NORN_LOGIC_ATOMIC;
}

/* Adds those of a spec. */
void norn_builtin_properties_add(struct norn_builtin_properties *builtin_properties, const struct norn_spec *spec);

/* Built-in findings that a property asked for get its name, the first one's if several did. Without `others`, findings of
 * properties that were not asked for are dropped. */
void norn_builtin_properties_assign(
        const struct norn_builtin_properties *builtin_properties, bool others, struct norn_findings *findings);

#endif
