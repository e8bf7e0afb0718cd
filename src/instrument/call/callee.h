/* The callee of a call, as far as it is known at compile time. */
#ifndef NORN_INSTRUMENT_CALL_CALLEE_H
#define NORN_INSTRUMENT_CALL_CALLEE_H

#include "instrument/pass.h"
#include "effects/effects.h"
#include "effects/resource_events.h"

enum norn_callee_class {
	NORN_CALLEE_UNKNOWN, /* code that may do anything, or has hooks itself */
	NORN_CALLEE_PURE, /* a value of its arguments alone, or of the machine */
	/* writes to a file what its arguments are, or point to. The program sees no more of it than its result */
	NORN_CALLEE_OUTPUT,
	NORN_CALLEE_KNOWN, /* does what its entry says, or makes records of its own: its arguments decide */
	NORN_CALLEE_ENDS, /* never returns to its caller: its arguments decide */
};

struct norn_callee {
	LLVMValueRef function; /* NULL: through a pointer, or inline assembly */
	uint8_t known; /* enum norn_callee_class; a function that is instrumented here is UNKNOWN: its frame tells */
	bool here; /* a function of this module that gets hooks */
	bool intrinsic; /* LLVM's, or inline assembly: no call at all in the end */
	bool loop_ends; /* NORN_LOOP_ENDS() */
	bool announced; /* recorded (NORN_THREAD_CALL), since code may run that Norn cannot see */
	bool named; /* a library's, by a name that C leaves to programs: it may be another one (runtime/hooks.h: __norn_named) */
	struct norn_resource_events resources; /* that other threads can tell */
};

#define NORN_CALLEE_TYPE_MAX 64
/* The types of the call's result and arguments, as effects/effects.h writes them. */
void norn_callee_type(LLVMValueRef call, char ret_text[static NORN_CALLEE_TYPE_MAX]);
/* The effects of the called function, if it is another module's and Norn has an entry of it; else NULL. */
const struct norn_effects *norn_callee_effects(LLVMValueRef call);
struct norn_callee norn_callee_of(struct norn_pass *pass, LLVMValueRef call);
bool norn_callee_is_fence(LLVMValueRef call); /* one of the processor's, by an intrinsic or assembly? */

#endif
