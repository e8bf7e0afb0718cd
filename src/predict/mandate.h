/* Mandates: properties that are built-in errors (`race on …`, `deadlock`, `atomic call …`): what they ask for, and which findings are theirs.
 *
 * The list owns its texts: the spec need not live longer. */
#ifndef NORN_PREDICT_MANDATE_H
#define NORN_PREDICT_MANDATE_H

#include "base/arena.h"
#include "predict/finding.h"
#include "prop/property.h"

struct norn_mandate;

struct norn_mandates {
	struct norn_arena arena;
	struct norn_mandate *first, **end;
	const char **atomic; /* functions that are meant to be atomic */
	uint32_t count, atomic_count, atomic_room;
};

void norn_mandates_init(struct norn_mandates *mandates);
void norn_mandates_done(struct norn_mandates *mandates);

/* Is this property one? */
static inline bool norn_mandate_is(const struct norn_property *property)
{
	return property->logic == NORN_LOGIC_RACE || property->logic == NORN_LOGIC_DEADLOCK || property->logic == NORN_LOGIC_ATOMIC;
}

/* Adds those of a spec. 0 or -ENOMEM. */
int norn_mandates_add(struct norn_mandates *mandates, const struct norn_spec *spec);

/* Built-in findings that a property asked for get its name, the first one's if several did. Without `others` those that nobody asked for go. */
void norn_mandates_assign(const struct norn_mandates *mandates, bool others, struct norn_findings *findings);

#endif
