/* Predictions that the checker of witnesses (sliced_witness.h) agrees to. */
#ifndef NORN_PREDICT_AGREED_H
#define NORN_PREDICT_AGREED_H

#include "predict/builtin.h"

/* Drops the others, and adds their number to *refused: they are Norn's own errors. 0 or -ENOMEM. */
int norn_agreed(const struct norn_slice *slice, struct norn_predictions *predictions, uint64_t *refused);

#endif
