/* The callee of a call, as far as it is known at compile time. */
#ifndef NORN_INSTRUMENT_CALLEE_H
#define NORN_INSTRUMENT_CALLEE_H

#include "instrument/pass.h"
#include "effects/known_functions.h"

struct norn_callee {
	LLVMValueRef function; /* NULL: through a pointer, or inline assembly */
	enum norn_known_function known; /* what may be relied on; a function that is instrumented here is OPAQUE: its frame tells */
	bool here; /* a function of this module that gets hooks */
	bool intrinsic; /* LLVM's, or inline assembly: no call at all in the end */
	bool loop_ends; /* NORN_LOOP_ENDS() */
	bool announced; /* recorded (NORN_THREAD_CALL), since code may run that Norn cannot see */
};

#define NORN_CALLEE_TYPE_MAX 64
/* The types of the call's result and arguments, as effects/known_functions.h writes them. */
void norn_callee_type(LLVMValueRef call, char ret_text[static NORN_CALLEE_TYPE_MAX]);
struct norn_callee norn_callee_of(struct norn_pass *pass, LLVMValueRef call);

/* True for NORN_LOOP_ENDS (include/norn.h). */
bool norn_callee_says_loop_ends(LLVMValueRef call);

#endif
