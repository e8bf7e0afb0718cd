/* The failed part of a formula, for readers of a violation.
 *
 * The formula is false at the last position (ptltl), or from the first on (ltl). From there the way goes down as long as one
 * operand alone is at fault: the false one of a conjunction, what an implication demands, the position where an always fails. The
 * rest is shown. If the run is not infinite, its continuation is unknown. */
#ifndef NORN_MONITOR_FAILED_PART_H
#define NORN_MONITOR_FAILED_PART_H

#include "property/property.h"

/* letters: of all positions from the first on; unknown as in norn_lasso_judge. loop: where an infinite run goes back to, count if
 * it is none. *ret_node is the node of the property's formula at fault, *ret_position where. 0, or -ENOENT if that cannot
 * be said. */
int norn_failed_part(const struct norn_property *property, const uint64_t *letters, const uint64_t *unknown, uint32_t count,
        uint32_t loop, uint32_t *ret_node, uint32_t *ret_position);

#endif
