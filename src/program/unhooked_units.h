/* Translation units of an ELF file that were not built by norn cc.
 *
 * A function with hooks begins after a mark of eight bytes (trace/site.h). A unit none of whose functions has it has no hooks: an
 * object by another compiler, a static library. Debugging information says where units begin and end; of code without it the
 * functions themselves are named. Names that C leaves to the implementation (of start-up code, of the compiler's library) do not
 * count, nor do functions of which the caller knows what they do, and what is static beside them. */
#ifndef NORN_PROGRAM_UNHOOKED_UNITS_H
#define NORN_PROGRAM_UNHOOKED_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct norn_unhooked_units {
	NORN_VECTOR(char *) units; /* names of source files */
	NORN_VECTOR(char *) functions; /* of which it is not known */
	uint32_t hooked; /* functions that have hooks */
};

/* False: there is no such file, or it is none of a program; then nothing is known of it. Given back by _done, in any case. */
typedef bool norn_knows_function(const void *context, const char *name);
bool norn_unhooked_units_find(
        const char *path, norn_knows_function *knows, const void *context, struct norn_unhooked_units *ret_units);
void norn_unhooked_units_done(struct norn_unhooked_units *units);

#endif
