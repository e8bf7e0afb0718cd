/* A user's model of functions that are not instrumented: what Norn may assume of them, beyond its own table (effects.h).
 *
 *	# comment
 *	int checksum(const void *data, size_t n) : nothing
 *	my_log_* : adds files
 *	my_cache_get : updates statics; errno
 *
 * Entries as in effects_parse.h. A name, or the beginning of one and *, can stand for the declaration; a class can stand for the
 * effects, without the colon: pure (nothing), output (adds files), quiet (hooked), ordered (updates statics), ends, opaque. Later
 * entries win. A model is applied when a program is recorded (effects_image.h), so that the memory that it names is recorded, too;
 * and, as far as it names none, when a trace is analysed, by the name of the callee of each recorded call (NORN_THREAD_CALL). */
#ifndef NORN_EFFECTS_USER_MODEL_H
#define NORN_EFFECTS_USER_MODEL_H

#include "base/error.h"
#include "effects/effects.h"

struct norn_effects_model;

/* -errno with a sentence in err, which names file and line, if it cannot be read or understood. */
int norn_effects_model_read(const char *path, struct norn_effects_model **ret_model, struct norn_error *err);
int norn_effects_model_parse(const char *text, const char *path, struct norn_effects_model **ret_model, struct norn_error *err);
void norn_effects_model_free(struct norn_effects_model *model); /* takes NULL */

/* Its entry for this function, NULL if it has none; model may be NULL. */
const struct norn_effects *norn_effects_model_find(const struct norn_effects_model *model, const char *name);

/* Does an entry name memory? Then it serves fully only where the program was recorded with it. */
bool norn_effects_model_names_memory(const struct norn_effects_model *model);

/* All entries of these files as a text for the recorder: an image (effects_image.h), two hexadecimal digits for each byte; the
 * caller frees it. NULL if there are no files. -errno with a sentence in err. */
int norn_effects_models_as_text(const char *const *paths, unsigned count, char **ret_text, struct norn_error *err);

/* The meaning of a model's entry for a call that was recorded and entered no instrumented function (docs/prediction.md, X1 and X2).
 * Whatever it is, its arguments decide. A call stays opaque where the entry names memory that was not recorded. */
enum norn_effects_call { NORN_EFFECTS_CALL_OPAQUE, NORN_EFFECTS_CALL_ORDERED, NORN_EFFECTS_CALL_HARMLESS };
enum norn_effects_call norn_effects_model_call(const struct norn_effects *entry);

#endif
