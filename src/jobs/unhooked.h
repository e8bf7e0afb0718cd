/* Code of a recorded program that has no hooks: units that another compiler built, libraries of its own. Its effects on memory were
 * not seen, so no verdict on the run is complete, unless models say what it does. Libraries of the system are known, or their calls
 * are recorded as such. */
#ifndef NORN_JOBS_UNHOOKED_H
#define NORN_JOBS_UNHOOKED_H

#include "effects/user_model.h"
#include "finding/finding.h"
#include "trace/reader.h"

void norn_unhooked_say(const struct norn_trace *trace, const struct norn_effects_model *const *models, uint32_t model_count,
        struct norn_findings *findings);

#endif
