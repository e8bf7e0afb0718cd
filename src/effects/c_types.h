/* Types of C that declarations of effects name: their letters (effects.h), and their sizes on x86-64. */
#ifndef NORN_EFFECTS_C_TYPES_H
#define NORN_EFFECTS_C_TYPES_H

#include <stdint.h>

struct norn_c_type {
	const char *name; /* without const and other qualifiers: "unsigned", "struct tm" */
	/* As an argument, and as a result if that differs: a value of a struct type may be passed in several registers. "*":
	 * clang's way of passing it is not written down, calls with any types are meant. NULL: it is only pointed to. */
	const char *argument, *result;
	uint32_t bytes; /* 0: not known, or none */
};

/* NULL if there is none. */
const struct norn_c_type *norn_c_type_find(const char *name);

#endif
