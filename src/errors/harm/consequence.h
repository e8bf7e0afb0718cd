/* Consequences of races: what changes when the two accesses come in the other order, as far as the recorded run tells.
 *
 * An update is lost if the other thread's write comes between a read and a write that is made of it: a schedule for that is looked
 * for, and held against the rules like every other. Otherwise the schedule of the race is gone through with its values
 * (schedule_values.h), and the accesses come in either order. What is not known is not said. */
#ifndef NORN_ERRORS_HARM_CONSEQUENCE_H
#define NORN_ERRORS_HARM_CONSEQUENCE_H

#include "errors/builtin_search.h"

/* Fills in the consequences of all races. The predictions have been checked; an assertion is only said to fail if it is among
 * them. */
void norn_consequences_find(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions);

#endif
