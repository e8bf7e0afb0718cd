/* Playing a trace against a property by hand: what `norn prop try` does.
 *
 * Steps are positions separated by blanks, each `-` or, joined by commas, what is so there: `p`, an event that happens or a
 * variable that is true at this position only; `x=1`, a variable's value from here on. At first all variables are 0. Keys and
 * parameters of events are not looked at: it is one instance that is tried.
 *
 * Of an ltl property, what stands in parentheses at the end is repeated for ever: `- ( p - )`. */
#ifndef NORN_MONITOR_EXPLAIN_TRY_H
#define NORN_MONITOR_EXPLAIN_TRY_H

#include "monitor/monitor.h"

/* The letters that the property's atoms make of steps; malloc'ed. other: some position has an event that the property does not
 * name. */
struct norn_try {
	uint64_t *letters;
	uint32_t count;
	uint32_t
	        loop; /* those from here on are repeated; 0: none are, as a loop has been gone through once before it is repeated */
	uint32_t shown; /* positions as they are written: the loop once */
	bool other;
};

int norn_try_init(struct norn_try *try, const struct norn_spec *spec, const struct norn_property *property, const char *steps,
        struct norn_error *err);
void norn_try_done(struct norn_try *try);

/* The form in which steps write a place: as the file does, but without struct or union before it. */
const char *norn_try_place_name(const struct norn_place *place);

/* The verdicts, separated by blanks, as text that the caller frees: one per position, and but for ptLTL that of the empty run
 * before them. If the last steps are repeated, that of the infinite run comes last. If a step has an event that the property does
 * not name, such events are part of an expression's alphabet; a run that is checked never has any, since they are not relevant. */
int norn_try_play(const struct norn_spec *spec, const struct norn_property *property, const char *steps, char **ret_verdicts,
        struct norn_error *err);

#endif
