/* Function entry and exit, and the calls in between.
 *
 * __norn_enter stands after the allocas of the entry block and gives the frame's depth; __norn_leave stands before each return (and
 * before a musttail call, after which there is no place for it). Frames that end otherwise, by longjmp or an exception, are closed
 * where control comes back: after setjmp and its variants, and in landing pads, stands __norn_unwind(depth). Where setjmp is
 * called, the depth is kept in memory, since a register may hold anything after longjmp. */
#ifndef NORN_INSTRUMENT_CALL_FRAME_HOOKS_H
#define NORN_INSTRUMENT_CALL_FRAME_HOOKS_H

#include "instrument/pass.h"

void norn_frame_consider_call(struct norn_pass *pass, LLVMValueRef call);
void norn_frame_consider_goto(struct norn_pass *pass, LLVMValueRef assembly); /* asm goto */
void norn_frame_rewrite_call(struct norn_pass *pass, const struct norn_point *point);
struct norn_site norn_frame_site(struct norn_pass *pass); /* ENTER of the function at hand */
void norn_frame_add(struct norn_pass *pass); /* enter, leave and unwind; after all points were rewritten */
bool norn_frame_calls_setjmp(LLVMValueRef function);

#endif
