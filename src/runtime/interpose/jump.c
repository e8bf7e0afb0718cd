/* Jumps that the program makes itself: the frames that they leave were seen. */
#include <setjmp.h>
#include <ucontext.h>

#include "runtime/interpose/interpose.h"

#define JUMP(name)                                                                                                                 \
	void name(struct __jmp_buf_tag *place, int value) __attribute__((noreturn));                                               \
	NORN_EXPORT void name(struct __jmp_buf_tag *place, int value)                                                              \
	{                                                                                                                          \
		norn_self_jumps();                                                                                                 \
		REAL(name)(place, value);                                                                                          \
		__builtin_unreachable();                                                                                           \
	}

/* ---- contexts: another stack, on which other functions are active, perhaps in another thread than before ---- */

NORN_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	norn_self_switches();
	int result = REAL(swapcontext)(from, to);
	norn_self_switches();
	return result;
}

NORN_EXPORT int setcontext(const ucontext_t *to)
{
	norn_self_switches();
	return REAL(setcontext)(to);
}

/* ---- jumps within a stack ---- */

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
