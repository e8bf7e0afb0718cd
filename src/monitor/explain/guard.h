/* Sets of letters as people would write them: a short sum of conjunctions of atoms and negated atoms, instead of up to 2^n rows. */
#ifndef NORN_MONITOR_EXPLAIN_GUARD_H
#define NORN_MONITOR_EXPLAIN_GUARD_H

#include <stdio.h>

#include "monitor/automata/letters.h"

/* One conjunction: the atoms of `care` are as in `value`; other atoms do not matter. */
struct norn_cube {
	uint64_t care, value;
};

/* Cubes that contain every letter with member[i] != 0, and no other letter of letters. Words that are no letters may be in them.
 * malloc'ed; the caller frees. */
struct norn_cube *norn_guard_cubes(const struct norn_letters *letters, const uint8_t *member, uint32_t *ret_count);
/* "p && !q || r"; "any" for a cube without literals. */
void norn_guard_write(const struct norn_property *property, const struct norn_cube *cubes, uint32_t count, FILE *to);

#endif
