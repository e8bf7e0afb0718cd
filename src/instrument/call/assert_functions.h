/* Functions of the program by which it says that something is wrong, as its user names them (norn cc --assert-function; the
 * environment's NORN_ASSERT_FUNCTIONS has all of them, with blanks between).
 *
 * "NAME": each call is a failure. "NAME:N": its argument N, from 1, is the condition; a call with 0 is a failure, any other call
 * none. Names are those that people write (base/text/function_name.h), or the linker's. */
#ifndef NORN_INSTRUMENT_CALL_ASSERT_FUNCTIONS_H
#define NORN_INSTRUMENT_CALL_ASSERT_FUNCTIONS_H

#include "instrument/shim.h"

bool norn_assert_function_is_named(LLVMValueRef function);
bool norn_assert_function_fails(LLVMValueRef call); /* is this call a failure? */

/* Makes two calls of each whose condition is not constant: one is given 0, the other what is not. In between stands a branch, which
 * the flow of values takes for the assertion that it is. */
void norn_assert_function_split(LLVMValueRef function);

#endif
