/* Accesses to ranges: memcpy, memmove, memset and related functions, as intrinsics and as calls, and arguments passed by value.
 *
 * A fortified call (__memcpy_chk) is replaced only if its check cannot fail; otherwise libc's own is called and the runtime notices
 * what it wrote. Element-wise atomic copies and va_copy are left as they are: what they write is noticed likewise, what they read
 * is no event. */
#ifndef NORN_INSTRUMENT_ACCESS_MEMORY_CALLS_H
#define NORN_INSTRUMENT_ACCESS_MEMORY_CALLS_H

#include "instrument/pass.h"

/* True if the call is one of these; it got a point if it can be an event. */
bool norn_memory_consider(struct norn_pass *pass, LLVMValueRef call);
void norn_memory_consider_byval(struct norn_pass *pass, LLVMValueRef call);
/* The operands of such a call, NULL where it has none such (byte: zeros). False if it is none. */
struct norn_memory_operands {
	LLVMValueRef to, from, byte, bytes;
};
bool norn_memory_operands(LLVMValueRef call, struct norn_memory_operands *ret_operands);
void norn_memory_rewrite(struct norn_pass *pass, const struct norn_point *point);

#endif
