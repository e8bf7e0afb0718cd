/* Jumps that the program makes itself: whoever is left by them was seen to be. */
#include <setjmp.h>

#include "runtime/interpose/interpose.h"

#define JUMP(name)                                                                                                                 \
	void name(struct __jmp_buf_tag *place, int value) __attribute__((noreturn));                                               \
	NORN_EXPORT void name(struct __jmp_buf_tag *place, int value)                                                              \
	{                                                                                                                          \
		norn_self_jumps();                                                                                                 \
		REAL(name)(place, value);                                                                                          \
		__builtin_unreachable();                                                                                           \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
