/* What a property is concerned with: every position that can change its letter, in whatever order the run goes.
 *
 * That is more than the property's own positions in the observed order: whether a selector's condition holds may depend on places and
 * ghosts, and these on further events. So the concern is closed under all that. */
#ifndef NORN_PREDICT_CONCERN_H
#define NORN_PREDICT_CONCERN_H

#include "predict/valuation.h"

struct norn_concern {
	bool *places, *ghosts, *events, *spots;
};

int norn_concern_init(struct norn_concern *concern, const struct norn_view *view);
void norn_concern_done(struct norn_concern *concern);

bool norn_concern_has(const struct norn_concern *concern, const struct norn_position *position);

#endif
