/* Built-in properties: properties that are built-in errors (`race on …`, `deadlock`, `atomic call …`): what they ask for, and
 * which findings are theirs.
 *
 * The list owns its texts: the spec need not live longer. */
#ifndef NORN_ERRORS_BUILTIN_PROPERTY_H
#define NORN_ERRORS_BUILTIN_PROPERTY_H

#include "base/arena.h"
#include "base/vector.h"
#include "errors/builtin_search.h"
#include "finding/finding.h"
#include "property/property.h"

struct norn_builtin_property;

struct norn_builtin_properties {
	struct norn_arena arena;
	struct norn_builtin_property *first, **end;
	uint32_t count;
	NORN_VECTOR(const char *) atomic; /* functions that are meant to be atomic */
	NORN_VECTOR(struct norn_named_memory) variables; /* of races; findings have their numbers */
};

/* The address of the place's variable in the run; 0: that is not known. */
typedef uint64_t norn_variable_address(const void *context, const struct norn_place *place);

void norn_builtin_properties_init(struct norn_builtin_properties *builtin_properties);
void norn_builtin_properties_done(struct norn_builtin_properties *builtin_properties);

/* Is this property one? */
static inline bool norn_builtin_property_is(const struct norn_property *property)
{
	return property->logic == NORN_LOGIC_RACE || property->logic == NORN_LOGIC_DEADLOCK || property->logic == NORN_LOGIC_ATOMIC;
}

/* Adds those of a spec. */
void norn_builtin_properties_add(struct norn_builtin_properties *builtin_properties, const struct norn_spec *spec,
        norn_variable_address *address, const void *context);

/* Built-in findings that a property asked for get its name, the first one's if several did. Without `others`, findings of
 * properties that were not asked for are dropped. searched: races were looked for on the memory of variables, too; where they were
 * not, or a variable has none that is known, other races may be on it, and the result is partial. */
void norn_builtin_properties_assign(
        const struct norn_builtin_properties *builtin_properties, bool others, bool searched, struct norn_findings *findings);

#endif
