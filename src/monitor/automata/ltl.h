/* LTL with three verdicts (Bauer, Leucker, Schallhart: "Runtime verification for LTL and TLTL", 2011), as a minimal Moore machine.
 *
 * The sets of obligations of the formula and of its negation are followed side by side. When no live set of the formula is left, no
 * continuation satisfies it: F. When none of the negation is left, every continuation does: T. As early as can be, in other words.
 * end=finite keeps the sets that are not live, too: where the run ends, a set is met that does not ask for another position. */
#ifndef NORN_MONITOR_LTL_H
#define NORN_MONITOR_LTL_H

#include "monitor/automata/dfa.h"

int norn_ltl_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err);

#endif
