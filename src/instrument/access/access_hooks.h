/* Loads, stores and atomic instructions.
 *
 * A value of 1, 2, 4 or 8 bytes goes through __norn_readN or __norn_writeN, which perform the access; vectors and i128 by their
 * words (multiword.h); any other size (i24, long double, odd vectors, first-class structs) through a private spill slot and
 * __norn_readn or __norn_writen. Read-modify-writes, and atomic loads and stores of other sizes, stay as they are between
 * __norn_rmw_begin and __norn_rmw_end. */
#ifndef NORN_INSTRUMENT_ACCESS_ACCESS_HOOKS_H
#define NORN_INSTRUMENT_ACCESS_ACCESS_HOOKS_H

#include "instrument/pass.h"

/* Adds a point if the instruction (load, store, atomicrmw, cmpxchg) can be an event. */
void norn_access_consider(struct norn_pass *pass, LLVMValueRef instruction);
/* True if the assembly is an atomic read-modify-write: then it has its point, if others may share the memory. */
bool norn_access_consider_assembly(struct norn_pass *pass, LLVMValueRef call);
void norn_access_rewrite(struct norn_pass *pass, const struct norn_point *point);
/* Accesses of one value, whatever they come from, at the builder's place. Values of other sizes than 1, 2, 4 and 8 need
 * pass->spill; norn_access_reserve, called in the first walk, sees to it. False: no hook takes this type. */
bool norn_access_reserve(struct norn_pass *pass, LLVMTypeRef type);
LLVMValueRef norn_access_emit_read(struct norn_pass *pass, LLVMTypeRef type, LLVMValueRef pointer, uint32_t site);
void norn_access_emit_write(struct norn_pass *pass, LLVMValueRef value, LLVMValueRef pointer, uint32_t site);
bool norn_access_is_scalar(struct norn_pass *pass, LLVMTypeRef type); /* of 1, 2, 4 or 8 bytes: one record */
bool norn_access_is_errno(LLVMValueRef pointer); /* of the thread's errno? */
uint8_t norn_access_order(LLVMAtomicOrdering ordering); /* enum norn_site_order */
/* A value as an integer of its own width, widened with zeros to `bytes` (1, 2, 4 or 8); NULL if it does not fit. */
LLVMValueRef norn_access_integer(struct norn_pass *pass, LLVMValueRef value, unsigned bytes);

#endif
