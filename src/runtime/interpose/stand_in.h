/* Functions of libraries that the runtime stands in for where they are called (HOOKED_CALL in effects/effects.h): the library makes
 * its locks of futexes, or of functions that it calls within itself, so nothing there passes by libnorn. The pass has calls come to
 * __norn_NAME instead, and __norn_callee says where the function itself is. A library that has hooks itself makes its own records:
 * it is called as if Norn were not here. */
#ifndef NORN_RUNTIME_INTERPOSE_STAND_IN_H
#define NORN_RUNTIME_INTERPOSE_STAND_IN_H

#include "runtime/interpose/interpose.h"

#pragma clang diagnostic ignored "-Wmissing-prototypes" /* they are called by what the pass makes */

#define STAND_IN __attribute__((visibility("default")))

/* The function itself, as a pointer to one of this type. */
#define ITSELF(type) ((type)(uintptr_t)__norn_callee)

/* Are calls of it to be recorded? */
static inline bool norn_stand_in_records(const void *callee)
{
	return norn_self && !norn_call_begins_hooked((uintptr_t)callee, 0);
}

static inline void norn_stand_in_show(const uint32_t *before)
{
	norn_call_show(*before);
}
/* The library's inner synchronization (its futexes) is not recorded, up to the end of this block. */
#define HIDE uint32_t before __attribute__((cleanup(norn_stand_in_show), unused)) = norn_call_hide()

/* ---- guard.c: initialisation that only one thread makes ---- */
/* In place of a function that says whether the caller is to initialise what is at location. */
int norn_stand_in_once_enter(void *location);
/* It is done. Before the library says so. */
void norn_stand_in_once_end(const void *location, uint32_t site);

#endif
