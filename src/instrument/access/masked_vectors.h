/* Masked vector accesses, which the vectoriser makes for machines with AVX: llvm.masked.load, store, gather, scatter.
 *
 * They become one scalar access per lane, under that lane's bit of the mask. (llvm.masked.expandload, compressstore and the vp
 * intrinsics are left as they are: what they write the runtime notices as written from outside, what they read is no event.) */
#ifndef NORN_INSTRUMENT_ACCESS_MASKED_VECTORS_H
#define NORN_INSTRUMENT_ACCESS_MASKED_VECTORS_H

#include "instrument/pass.h"

/* True if the call is one of these; it got a point if it can be an event. */
bool norn_masked_consider(struct norn_pass *pass, LLVMValueRef call);
/* The operands of such a call, NULL where it has none such. passed: what the lanes that are not loaded become. False if it is
 * none. */
struct norn_masked_operands {
	LLVMValueRef pointer, mask, stored, passed;
};
bool norn_masked_operands(LLVMValueRef call, struct norn_masked_operands *ret_operands);
void norn_masked_rewrite(struct norn_pass *pass, const struct norn_point *point);

#endif
