/* What a frame still needs, at its calls, of what it has computed: the fact FORGETS (trace/facts.h).
 *
 * A worker comes back to the top of its loop as if it had just begun: none of its locals matters any more. Two threads that stand
 * at such a call, in frames that are all like that, are in the same state, and may go on as each other (docs/prediction.md, R23).
 *
 * A value that is made of parameters and constants alone is no computed one. A local in memory that is only loaded and stored is
 * like a variable; of any other, each use needs it. */
#ifndef NORN_INSTRUMENT_FLOW_FRAME_NEED_H
#define NORN_INSTRUMENT_FLOW_FRAME_NEED_H

#include "instrument/flow/blocks.h"
#include "instrument/pass.h"

enum norn_frame_need {
	NORN_FRAME_NEEDS_LOCALS, /* or it is not known */
	NORN_FRAME_NEEDS_NOTHING,
	NORN_FRAME_NEEDS_PARAMETERS, /* and nothing else */
};

struct norn_call_need {
	uint8_t need; /* enum norn_frame_need */
	uint32_t origin; /* copies that the optimiser has made of one call of the source have the same; 0: not known */
};

/* By the index of the site less first: of calls in loops, and of locks. The caller frees it. */
struct norn_call_need *norn_frame_need_find(struct norn_pass *pass, const struct norn_blocks *blocks, uint32_t first);
/* Can code of this module tell in which thread it runs: by its number, or by variables that each thread has of its own? */
bool norn_frame_need_knows_threads(const struct norn_pass *pass);

#endif
