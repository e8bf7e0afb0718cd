/* A user's model of functions that are not instrumented: what Norn may assume of them, beyond its own table (known_functions.h).
 *
 *   # comment
 *   checksum     pure
 *   my_log_*     output
 *
 * A name, or the beginning of one and *, and a class: pure, output, quiet, ordered, ends (known_functions.h says what each means),
 * opaque. Later lines win. It is applied when a trace is analysed, by the name of the callee of each recorded call
 * (NORN_THREAD_CALL). */
#ifndef NORN_EFFECTS_USER_MODEL_H
#define NORN_EFFECTS_USER_MODEL_H

#include "base/error.h"
#include "effects/known_functions.h"

struct norn_effects_model;

/* -errno with a sentence in err, which names file and line, if it cannot be read or understood. */
int norn_effects_model_read(const char *path, struct norn_effects_model **ret_model, struct norn_error *err);
int norn_effects_model_parse(const char *text, const char *path, struct norn_effects_model **ret_model, struct norn_error *err);
void norn_effects_model_free(struct norn_effects_model *model); /* takes NULL */

/* The class of a call that was recorded and entered no instrumented function: OPAQUE and ORDERED as known_functions.h says, any
 * other class is harmless. Whatever it is, its arguments decide. model may be NULL: Norn's own table alone. */
enum norn_known_function norn_effects_model_call(const struct norn_effects_model *model, const char *name);

#endif
