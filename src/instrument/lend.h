/* Lent memory: what functions of libc read and write behind the pointers that they get (effects/known_functions.h says which).
 *
 * What such a function reads becomes a read event before the call, what it wrote a write event after it. */
#ifndef NORN_INSTRUMENT_LEND_H
#define NORN_INSTRUMENT_LEND_H

#include "instrument/pass.h"

#define NORN_LENT_MAX 10
#define NORN_LENT_NONE 255

/* Numbers of arguments, or NORN_LENT_NONE. */
struct norn_lent {
	bool writes;
	uint8_t pointer; /* NONE: what the function returns */
	uint8_t extent; /* enum norn_extent */
	uint8_t other; /* what the extent depends on */
	uint8_t limit, times; /* so many bytes at most: their product */
	bool result; /* writes: the limit is what the function returns, times what `times` says */
	uint8_t after; /* writes: 1 + the number of the read at whose last byte it begins; 0: at the pointer */
	uint8_t least; /* writes: it does so if the function returns this much, or more; 0: whatever it returns */
	uint32_t bytes; /* if not 0, the limit */
};

struct norn_lending {
	struct norn_lent lents[NORN_LENT_MAX];
	unsigned count;
};

/* True if the call is one of such a function. */
bool norn_lend_find(LLVMValueRef call, struct norn_lending *ret_lending);
/* Its points, one for each part of memory that may be shared; their operand is the number of the part. */
void norn_lend_consider(struct norn_pass *pass, LLVMValueRef call);
void norn_lend_rewrite(struct norn_pass *pass, const struct norn_point *point);

#endif
