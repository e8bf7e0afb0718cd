/* Relevant events: which events of the run are positions of some property of a spec.
 *
 * Most events are none, and are told apart by one lookup: of their site, or of the word that they access. An event is a position
 * if a selector of a declared event fits it, if it changes what is known of a spot, or if it frees memory that keys may point to. */
#ifndef NORN_PREDICT_RELEVANT_H
#define NORN_PREDICT_RELEVANT_H

#include "predict/foresight.h"
#include "predict/memory.h"

struct norn_relevant;

/* foresight must live longer, or be NULL. */
int norn_relevant_new(
        const struct norn_binding *binding, const struct norn_foresight *foresight, struct norn_relevant **ret_relevant);
void norn_relevant_free(struct norn_relevant *relevant);

/* The next event of the merged run: 1 and a position, which holds until the next call, 0 if it is none, -ENOMEM. */
int norn_relevant_event(struct norn_relevant *relevant, const struct norn_event *event, const struct norn_position **ret_position);

/* Position 0, the start of the run: it has no hits and no writes, but may have fades. */
const struct norn_position *norn_relevant_start(struct norn_relevant *relevant);

#endif
