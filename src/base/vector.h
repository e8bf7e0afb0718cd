/* Vectors: arrays that grow at their end.
 *
 *	NORN_VECTOR(struct norn_event) events;  a member or a variable; all-zero is empty
 *	events.items[i], events.count           its items, and how many there are
 *
 * A vector owns its items and moves them when it grows: a pointer to an item holds until the next addition. Functions that are
 * handed a vector need a type with a tag: struct norn_numbers, or struct norn_events NORN_VECTOR_OF(struct norn_event).
 *
 * Additions come in two kinds, as in all of base/. Code that may run inside the watched program uses those below, which report
 * -ENOMEM or NULL and leave the vector as it was. Offline code uses norn_must_push and its like (must.h), which do not fail.
 * A vector that is named in a macro's argument is evaluated more than once. */
#ifndef NORN_BASE_VECTOR_H
#define NORN_BASE_VECTOR_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define NORN_VECTOR_OF(type)                                                                                                       \
	{                                                                                                                          \
		type *items;                                                                                                       \
		uint32_t count, room; /* count ≤ room */                                                                           \
	}
#define NORN_VECTOR(type) struct NORN_VECTOR_OF(type)

struct norn_numbers NORN_VECTOR_OF(uint32_t);

/* Leaves an empty vector. */
#define norn_vector_done(v) (free((v)->items), (v)->items = NULL, (void)((v)->count = (v)->room = 0))

/* Room for so many items in all. 0 or -ENOMEM. */
#define norn_vector_reserve(v, total) norn_grow(&(v)->items, (total), &(v)->room, sizeof *(v)->items)

/* Appends a copy of a value. 0 or -ENOMEM. The value must not be computed by an addition to the same vector. */
#define norn_vector_push(v, ...)                                                                                                   \
	(norn_vector_reserve(v, (v)->count + UINT64_C(1)) < 0 ? -ENOMEM : ((v)->items[(v)->count++] = (__VA_ARGS__), 0))

/* Appends an item of zero bytes: its address, or NULL. */
#define norn_vector_add(v)                                                                                                         \
	((__typeof__((v)->items))(norn_vector_reserve(v, (v)->count + UINT64_C(1)) < 0                                             \
	                                  ? NULL                                                                                   \
	                                  : memset((v)->items + (v)->count++, 0, sizeof *(v)->items)))

#endif
