/* Extended regular expressions as automata, by derivatives (Brzozowski; Sen and Roşu, "Generating optimal monitors for extended
 * regular expressions", 2003).
 *
 * The derivative of an expression by a letter is what the rest of the word must match. Expressions are kept once each
 * (hash-consing), with | and & as sorted sets, so that finitely many derivatives are left; each is a state. An event matches a
 * letter that contains it, and . matches every letter. */
#ifndef NORN_MONITOR_ERE_H
#define NORN_MONITOR_ERE_H

#include "monitor/automata/dfa.h"

int norn_ere_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err);

#endif
