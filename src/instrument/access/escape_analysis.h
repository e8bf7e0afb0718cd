/* Memory that may be shared between threads.
 *
 * Decided by the object that a pointer points into, never by the form of the pointer: a field at whatever offset of a local whose
 * address escaped is shared. An object is private if it is
 * - a local (alloca) or an argument passed by value whose address does not escape the function;
 * - a constant, code, or a table of virtual functions: no one writes it;
 * - a thread-local variable of this module whose address does not escape;
 * - a counter that another instrumentation of the compiler put there;
 * - nothing at all (null, undef), which is left to fault as it would have.
 * A pointer that may point into several objects is private if all of them are. Ask before any hook was added to the function:
 * a hook is an escape. */
#ifndef NORN_INSTRUMENT_ACCESS_ESCAPE_ANALYSIS_H
#define NORN_INSTRUMENT_ACCESS_ESCAPE_ANALYSIS_H

#include "instrument/pass.h"

/* May memory at pointer be shared? False also for pointers that hooks do not take (other address spaces, swifterror). */
bool norn_may_be_shared(struct norn_pass *pass, LLVMValueRef pointer);

#endif
