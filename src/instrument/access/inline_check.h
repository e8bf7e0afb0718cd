/* Programs that are built to be watched by what threads know (`norn cc --prop` with mttl properties) see for themselves that an
 * access changes nothing, which is what most do, and call the hook only otherwise. How, and why that is right:
 * mttl/knowledge_cache.h. */
#ifndef NORN_INSTRUMENT_ACCESS_INLINE_CHECK_H
#define NORN_INSTRUMENT_ACCESS_INLINE_CHECK_H

#include "instrument/pass.h"

bool norn_inline_check_takes(struct norn_pass *pass, LLVMTypeRef type);
/* The load or store stays, for the case that nothing happens. The returned instruction, a copy for the other case, is to be
 * rewritten. */
LLVMValueRef norn_inline_check_load(struct norn_pass *pass, LLVMValueRef load, uint32_t site);
LLVMValueRef norn_inline_check_store(struct norn_pass *pass, LLVMValueRef store, uint32_t site);
void norn_inline_check_finish(struct norn_pass *pass); /* the function at hand is rewritten */

#endif
