/* The input of the searches as text: `norn check --debug=closure,steps`. */
#ifndef NORN_SLICED_DEBUG_H
#define NORN_SLICED_DEBUG_H

#include <stdio.h>

#include "sliced/closure.h"
#include "sliced/step/step_model.h"

/* The files for each closure that is tried, and each step model that is made; NULL: nowhere. Set before the searches begin. */
struct norn_sliced_debug {
	FILE *closures, *steps;
};
extern struct norn_sliced_debug norn_sliced_debug;

/* After a try for these stops, with this result: its window, event by event with the rule of each. */
void norn_debug_closure(struct norn_closure *closure, const struct norn_graph *graph, uint32_t base, const uint32_t *stops,
        uint32_t count, int result);
void norn_debug_steps(const struct norn_step_model *model, const struct norn_graph *graph);

#endif
