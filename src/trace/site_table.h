/* Site tables, packed and open (site.h says what is in them).
 *
 * A program carries its tables packed, to about a third, and so does a trace; all code works on an open table. Packed:
 *
 *   struct norn_site_packed | stream | facts | strings
 *
 * The stream is unsigned LEB128 numbers (facts.h); a *difference* is one in zigzag form: 2d, or -2d - 1 if d is below 0. In order:
 *   shapes: kind | order << 4, flags, order_failure, size, name, type, field
 *   scopes: function, file, inlined_at; each as the difference from the scope before
 *   frames: function, file, line; each as the difference from the frame before; column, inlined_at
 *   sites:  enum norn_packed_bit, the number of the shape, and what the bits say
 * A field that a site omits is as at the site before; before the first, all are 0. */
#ifndef NORN_TRACE_SITE_TABLE_H
#define NORN_TRACE_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/site.h"

#define NORN_SITE_PACKED 0x5049534eu /* "NSIP": the magic of a packed table */

struct norn_site_packed {
	struct norn_site_table head; /* but for the magic that of the open table */
	uint32_t bytes; /* of the stream */
	uint32_t shapes, scopes; /* how many */
	uint32_t zero;
};

/* The fields after the number of a site's shape, in this order. */
enum norn_packed_bit {
	NORN_PACKED_SCOPE = 1, /* number of its scope */
	NORN_PACKED_ENTRY = 2, /* how far the entry lies behind its own index */
	NORN_PACKED_LINE = 4, /* difference */
	NORN_PACKED_COLUMN = 8, /* difference */
	NORN_PACKED_FACTS = 16, /* their offset; otherwise they follow the last ones without one */
};

/* Bytes of the packed table that may start here, 0: none does, or it does not fit. */
size_t norn_site_packed_bytes(const void *start, size_t bytes);
size_t norn_site_open_bytes(const struct norn_site_table *table); /* of an open table; of a packed one's head: once it is open */
/* Memory that opening it takes, more than the open table: of what is known to be one by its bytes. */
size_t norn_site_open_room(const struct norn_site_packed *packed);
/* The open table at the start of the memory, which is aligned to 8; false if the packed one is damaged. Its contents are not
 * checked beyond that (trace_modules.c does). */
bool norn_site_open(const struct norn_site_packed *packed, void *memory);
/* Bytes of the facts at the start of the area. */
size_t norn_site_facts_bytes(const uint8_t *facts, size_t area);

#endif
