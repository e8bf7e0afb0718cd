/* Programs whose atomic blocks are broken by accesses of several variables. Recorded, one thread after the other; built with -DSHOWN
 * and run by other steps, they come to a result that no serial run has. */
#ifndef TORN_H
#define TORN_H

#include <norn.h>
#include <stdatomic.h>

#include "../sliced/cast.h"

#ifdef SHOWN
#define STEP(step) gate(step)
#else
#define STEP(step) (void)0
#endif
#define TORN 7 /* what such a run ends with */

#endif
