/* Properties without a parser, for tests of monitors: formulas and expressions in Polish notation.
 *
 * Atoms are the letters a … z, numbered as they first occur. Operators come before their operands:
 *
 *   1 0 true false   ! not   & and   | or   > implies
 *   past     Y prev   / start   \ end   O once   H hist   S since   T weak since   I interval [p,q)   J weak interval
 *   future   X next   N weak next   F eventually   G always   U until   R release   W unless
 *   words . any ! not * + ? repeated ; one after the other & and | or {LM a, at least L, at most M (digits; M 9: unlimited)
 *
 * Blanks are ignored. An atom is an event (notes of different names) or a predicate over a place. */
#ifndef NORN_TESTS_MACHINES_H
#define NORN_TESTS_MACHINES_H

#include "monitor/monitor.h"

struct machine {
	struct norn_spec spec;
	struct norn_property property;
	struct norn_atom atoms[64];
	struct norn_checked_event events[64];
	struct norn_checked_selector selectors[64];
	struct norn_place places[64];
	struct norn_expr exprs[64];
	struct norn_node nodes[4096];
	struct norn_rnode rnodes[4096];
	char names[64][2];
	char letters[65]; /* the atoms' names in order */
};

/* events: the atoms are events, else predicates. ends: how the property says that runs end. */
void machine_init(struct machine *m, enum norn_logic_kind logic, bool events, const char *polish);
/* Makes the atom of that name, if need be. */
uint32_t machine_atom(struct machine *m, char name);
/* "pq" is a letter with two atoms, "-" one without any. Names that the property does not have are left out. */
uint64_t machine_letter(const struct machine *m, const char *step, size_t length);
/* The verdicts on a trace as text: "T F ? …"; with `first` the empty prefix's, too. */
const char *machine_play(const struct machine *m, const struct norn_monitor_options *options, bool first, const char *trace);

/* Numbers that are the same in every run. */
uint32_t machine_random(uint32_t *seed, uint32_t below);
/* A random formula of past or future operators, or a random expression, of about that many operators over the first atoms. */
void machine_random_text(uint32_t *seed, enum norn_logic_kind logic, unsigned atoms, unsigned size, char *ret_polish);

#endif
