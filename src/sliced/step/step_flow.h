/* The flow of values in the step model of a property: what becomes of fixed reads that see something else.
 *
 * A violating run may end before anything depends on such a read (V1). So its thread may go on all the same, if it is *soft*:
 *   - nothing is decided by it: what its thread writes of it is then another value, by the chain of the write (V7), or not known;
 *   - it decides by tests only, and these come out the same (V6);
 *   - it decides only whether some bytes are written (R5, V11), and no event of the property can lie there: these bytes are
 *     *unsettled* from then on, no read of them is right any more, and accesses that it controls are passed over.
 * A node has a *slot* for each soft read that a later step of its thread depends on: SLOT_RIGHT, SLOT_BROKEN, or the value that it
 * saw instead; and one for each thread whose events carry values of which it is only known that they come from what it had read. */
#ifndef NORN_SLICED_STEP_FLOW_H
#define NORN_SLICED_STEP_FLOW_H

#include "sliced/step/step_draft.h"
#include "sliced/step/step_model.h"

/* While the model is made: which reads are soft, and what they flow into; after norn_step_draft_note's first pass, and after the
 * last of them the flows of the steps, which are by thread then. They are of models of properties only. */
void norn_step_flows_find_soft(struct norn_step_draft *draft);
void norn_step_flows_expect(struct norn_step_draft *draft); /* of blocks of memory, what may become another value */
void norn_step_flows_note(struct norn_step_draft *draft); /* of words */
void norn_step_flows_make(struct norn_step_draft *draft); /* takes over the draft's byte groups */
void norn_step_flows_free(struct norn_step_flows *flows);

/* The step's event may happen or not at this node: a broken read controls it. */
bool norn_step_flows_passes(const struct norn_step_model *model, const struct norn_step_model_step *step, const uint32_t *node);
bool norn_step_flows_may_pass(const struct norn_step_model *model, const struct norn_step_model_step *step);
/* May the step be made, as far as what is read goes? */
bool norn_step_flows_enabled(const struct norn_step_model *model, const struct norn_step_model_step *step, const uint32_t *node);
/* The step, which is enabled, is made: first it reads, then it writes. */
enum norn_step_way norn_step_flows_read(
        const struct norn_step_model *model, const struct norn_step_model_step *step, uint32_t *node);
void norn_step_flows_write(
        const struct norn_step_model *model, const struct norn_step_model_step *step, enum norn_step_way way, uint32_t *node);

#endif
