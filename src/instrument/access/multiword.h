/* Vectors and other values of several words, as scalar accesses of their words.
 *
 * A hook for one aligned word is several times faster than the one for a range, and vectors are what loops are made of. So a vector
 * (or i128) whose size is a multiple of 8 is accessed word by word if its address turns out to be a multiple of 8, else by
 * elements of 4 bytes if it is aligned to these. Such an access is not indivisible for the machine either. */
#ifndef NORN_INSTRUMENT_ACCESS_MULTIWORD_H
#define NORN_INSTRUMENT_ACCESS_MULTIWORD_H

#include "instrument/pass.h"

bool norn_multiword_takes(struct norn_pass *pass, LLVMTypeRef type);
/* In place of a load and a store, which they erase. */
void norn_multiword_rewrite_load(struct norn_pass *pass, LLVMValueRef load, uint32_t site);
void norn_multiword_rewrite_store(struct norn_pass *pass, LLVMValueRef store, uint32_t site);

#endif
