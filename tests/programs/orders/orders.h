/* Memory orders of C11, right and wrong: with RIGHT a program is correct and must be silent; without, one order is missing, which no
 * run on x86-64 shows. Threads take turns that Norn does not see (cast.h), so that each run goes the same way. */
#ifndef ORDERS_H
#define ORDERS_H

#include <stdatomic.h>

#include "../sliced/cast.h"

#ifdef RIGHT
#define PICK(right, wrong) right
#else
#define PICK(right, wrong) wrong
#endif

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel

#define LOAD(object, order) atomic_load_explicit(&(object), order)
#define STORE(object, value, order) atomic_store_explicit(&(object), value, order)

#endif
