/* Lent memory: what functions without hooks read and write behind the pointers that they get (effects/effects.h says which).
 *
 * What such a function reads becomes a read event before the call, what it wrote a write event after it. */
#ifndef NORN_INSTRUMENT_LEND_H
#define NORN_INSTRUMENT_LEND_H

#include "instrument/pass.h"

#define NORN_LENT_MAX 16
#define NORN_LENT_NONE 255

/* Numbers of arguments, or NORN_LENT_NONE. */
struct norn_lent {
	bool writes;
	uint8_t pointer; /* NONE: what the function returns, unless it is a variable: */
	const char *global; /* NULL: none */
	uint8_t extent; /* enum norn_extent */
	uint8_t other; /* what the extent depends on */
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

struct norn_lending {
	struct norn_lent lents[NORN_LENT_MAX];
	unsigned count;
};

/* All that the function is lent. False: that is not known; then ret_lending has nothing. */
bool norn_lend_find(struct norn_pass *pass, LLVMValueRef call, struct norn_lending *ret_lending);
/* Its points, one for each part of memory that may be shared; their operand is the number of the part. */
void norn_lend_consider(struct norn_pass *pass, LLVMValueRef call);
void norn_lend_rewrite(struct norn_pass *pass, const struct norn_point *point);

#endif
