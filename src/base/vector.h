/* Vectors: arrays that grow at their end.
 *
 *	NORN_VECTOR(struct norn_event) events;  a member or a variable; all-zero is empty
 *	events.items[i], events.count           its items, and how many there are
 *
 * A vector owns its items and moves them when it grows: a pointer to an item holds until the next addition. Functions that are
 * handed a vector need a type with a tag: struct norn_numbers, or struct norn_events NORN_VECTOR_OF(struct norn_event).
 *
 * Code that may run inside the watched program reserves room, and handles -ENOMEM, which leaves the vector as it was. Offline code
 * uses norn_must_push and its like (must.h), which do not fail. A vector that is named in a macro's argument is evaluated more than
 * once. */
#ifndef NORN_BASE_VECTOR_H
#define NORN_BASE_VECTOR_H

#include <stdlib.h>

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

#endif
