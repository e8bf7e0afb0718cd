/* A program that is to be watched by certain properties (`norn cc --prop FILE`) needs hooks for what they name, and no more.
 *
 * norn cc says what that is in the environment: NORN_ONLY="access=none|named|all f:FUNCTION… a:FUNCTION… v:VARIABLE… m:FIELD…"; a:
 * its arguments and result matter. Without it everything has hooks. Of accesses those have hooks that may touch a variable or field
 * that is named: by its name, or through a pointer that does not tell. */
#ifndef NORN_INSTRUMENT_HOOK_FILTER_H
#define NORN_INSTRUMENT_HOOK_FILTER_H

#include <stdbool.h>
#include <stddef.h>

const char *norn_hook_filter_text(void); /* NORN_ONLY, NULL: it is not set */
bool norn_hook_filter_set(void); /* NORN_ONLY is set */
bool norn_hook_filter_all_accesses(void); /* every access matters */
bool norn_hook_filter_function(const char *name);
bool norn_hook_filter_values(const char *name); /* of a function: arguments and result */
/* name: of the access's site (variable_name.h); member: it is a field of some object. */
bool norn_hook_filter_access(const char *name, bool member);

#endif
