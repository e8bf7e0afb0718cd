/* The site table under construction: one per module (trace/site.h says what it becomes).
 *
 * Strings and frames are stored once each. The table owns everything in it until norn_site_builder_done. */
#ifndef NORN_INSTRUMENT_SITE_SITE_BUILDER_H
#define NORN_INSTRUMENT_SITE_SITE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/site.h"

struct norn_index { /* open addressing over things that are stored elsewhere: 1 + their position, 0 = free */
	uint32_t *slots;
	uint32_t room, used;
};

struct norn_site_builder {
	struct norn_site *sites;
	struct norn_frame *frames;
	char *strings;
	uint8_t *facts;
	uint32_t site_count, site_room;
	uint32_t frame_count, frame_room;
	uint32_t string_bytes, string_room;
	uint32_t fact_bytes, fact_room;
	struct norn_index string_index, frame_index;
	struct norn_index fact_index; /* of entries that were added whole, by where they begin */
};

void norn_site_builder_init(struct norn_site_builder *table);
void norn_site_builder_done(struct norn_site_builder *table);
uint32_t norn_site_builder_string(struct norn_site_builder *table, const char *text, size_t length); /* offset; 0 for "" */
uint32_t norn_site_builder_frame(
        struct norn_site_builder *table, const struct norn_frame *frame); /* 1 + index, as inlined_at wants it */
uint32_t norn_site_builder_site(struct norn_site_builder *table, const struct norn_site *site); /* index */
/* Offset of these bytes, which end with NORN_FACT_END, in the facts area; never 0. Equal ones are stored once. */
uint32_t norn_site_builder_facts(struct norn_site_builder *table, const uint8_t *bytes, size_t count);
/* The finished blob, of *ret_bytes bytes; the caller frees it. */
void *norn_site_builder_build(struct norn_site_builder *table, const char *source, size_t length, unsigned level, const char *only,
        size_t *ret_bytes); /* only: see trace/site.h */

#endif
