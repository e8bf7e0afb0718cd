/* Code that the pass adds: hook calls, site numbers, the module's descriptor. */
#ifndef NORN_INSTRUMENT_EMIT_H
#define NORN_INSTRUMENT_EMIT_H

#include "instrument/pass.h"

enum norn_hook { /* the functions of runtime/hooks.h, in its order */
	NORN_HOOK_READ1,
	NORN_HOOK_READ2,
	NORN_HOOK_READ4,
	NORN_HOOK_READ8,
	NORN_HOOK_WRITE1,
	NORN_HOOK_WRITE2,
	NORN_HOOK_WRITE4,
	NORN_HOOK_WRITE8,
	NORN_HOOK_READN,
	NORN_HOOK_WRITEN,
	NORN_HOOK_TOUCH,
	NORN_HOOK_PASSED_MEMORY,
	NORN_HOOK_FILLED,
	NORN_HOOK_COPY,
	NORN_HOOK_SET,
	NORN_HOOK_RMW_BEGIN,
	NORN_HOOK_RMW_END,
	NORN_HOOK_FENCE,
	NORN_HOOK_ENTER,
	NORN_HOOK_ARGUMENT,
	NORN_HOOK_RESULT,
	NORN_HOOK_LEAVE,
	NORN_HOOK_UNWIND,
	NORN_HOOK_CALL,
	NORN_HOOK_RETURN,
	NORN_HOOK_CALL_WITH,
	NORN_HOOK_RETURN_WITH,
	NORN_HOOK_CHANGES,
	NORN_HOOK_LOOKED,
	NORN_HOOK_OBJECT,
	NORN_HOOK_JOBS,
	NORN_HOOK_NAMED,
	NORN_HOOK_COUNT
};
_Static_assert(NORN_HOOK_COUNT <= NORN_HOOKS, "room for every hook");

void norn_emit_init(struct norn_pass *pass);
/* Positions the builder, with a debug location: that of the instruction, or line 0 of its function. */
void norn_emit_at(struct norn_pass *pass, LLVMValueRef place, LLVMValueRef instruction); /* before place, located as instruction */
void norn_emit_before(struct norn_pass *pass, LLVMValueRef instruction);
void norn_emit_after(struct norn_pass *pass, LLVMValueRef instruction); /* not a terminator */
/* Behind a call, an invoke that returns, or assembly that may go on at one of several labels: there are so many ways. */
unsigned norn_emit_ways_after(LLVMValueRef call);
void norn_emit_way_after(struct norn_pass *pass, LLVMValueRef call, unsigned way);
LLVMValueRef norn_emit_hook(struct norn_pass *pass, enum norn_hook hook, LLVMValueRef *arguments, unsigned count);
LLVMValueRef norn_emit_site(struct norn_pass *pass, uint32_t site); /* the number of a site, as an i32 */
LLVMValueRef norn_emit_int(struct norn_pass *pass, LLVMTypeRef type, uint64_t value);
void norn_emit_call_site(struct norn_pass *pass, uint32_t site); /* notes it as the call that comes next */
void norn_emit_callee(
        /* the function that the runtime stands in for, in the call that comes next */
        struct norn_pass *pass, LLVMValueRef function);
void norn_emit_module(struct norn_pass *pass); /* the site table, its descriptor and their constructor */

#endif
