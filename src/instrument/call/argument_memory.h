/* Memory behind arguments: memory that functions without hooks read and write through the pointers that they get
 * (effects/effects.h says which).
 *
 * A read by such a function becomes a read event before the call, a write becomes a write event after it. */
#ifndef NORN_INSTRUMENT_CALL_ARGUMENT_MEMORY_H
#define NORN_INSTRUMENT_CALL_ARGUMENT_MEMORY_H

#include "instrument/pass.h"

#define NORN_ARGUMENT_PARTS_MAX 16
#define NORN_ARGUMENT_NONE 255

/* Numbers of arguments, or NORN_ARGUMENT_NONE. */
struct norn_argument_part {
	bool writes;
	uint8_t pointer; /* NONE: what the function returns, unless it is a variable: */
	const char *global; /* NULL: none */
	uint8_t extent; /* enum norn_extent */
	uint8_t other; /* the extent depends on this */
	uint8_t limit, times; /* so many bytes at most: their product, times bytes unless that is 0 */
	bool result; /* writes: the limit is what the function returns, times the others */
	bool loaded; /* global: it is a pointer, and what it points to is meant */
	bool careful; /* it is no fault if the memory is not there */
	bool behind; /* the limit is a pointer to the number */
	uint8_t after; /* writes: 1 + the number of the read at whose last byte it begins; 0: at the pointer */
	uint8_t condition, subject; /* enum norn_effects_if; an argument, or NONE: what the function returns */
	int8_t value;
	uint32_t bytes;
};

struct norn_argument_parts {
	struct norn_argument_part list[NORN_ARGUMENT_PARTS_MAX];
	unsigned count;
};

/* All memory that the function reads or writes through its arguments. False: unknown; then ret_parts is empty. */
bool norn_argument_memory_find(struct norn_pass *pass, LLVMValueRef call, struct norn_argument_parts *ret_parts);
/* Its points, one for each part of memory that may be shared; their operand is the number of the part. */
void norn_argument_memory_consider(struct norn_pass *pass, LLVMValueRef call);
void norn_argument_memory_rewrite(struct norn_pass *pass, const struct norn_point *point);

#endif
