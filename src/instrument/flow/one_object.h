/* Comparisons of addresses that come out the same wherever the objects lie: of two places in one object, or of two objects of which
 * both are there, for being equal. V4 in docs/prediction.md. */
#ifndef NORN_INSTRUMENT_FLOW_ONE_OBJECT_H
#define NORN_INSTRUMENT_FLOW_ONE_OBJECT_H

#include <stdbool.h>

#include "instrument/flow/static_flow.h"

/* Does this comparison, or subtraction, say nothing of where its operands lie? */
bool norn_flow_is_of_one_object(const struct norn_flow *flow, LLVMValueRef instruction);

/* Does the C++ library make this call of memcmp and its kind for texts? */
bool norn_flow_is_of_text(LLVMValueRef call);

#endif
