/* The influence on a property: all places, ghosts and events that can change its letter, in whatever order the run goes.
 *
 * That is more than the property's own positions in the observed order: whether a selector's condition holds may depend on places
 * and ghosts, and these on further events. So it is closed under all that. */
#ifndef NORN_PREDICT_INFLUENCE_H
#define NORN_PREDICT_INFLUENCE_H

#include "judge/recorded/valuation.h"

struct norn_influence {
	bool *places, *ghosts, *events, *spots;
};

void norn_influence_init(struct norn_influence *influence, const struct norn_view *view);
void norn_influence_done(struct norn_influence *influence);

bool norn_influence_has(const struct norn_influence *influence, const struct norn_position *position);

#endif
