/* The site table as programs carry it: packed (trace/site_table.h). */
#ifndef NORN_INSTRUMENT_SITE_SITE_PACK_H
#define NORN_INSTRUMENT_SITE_SITE_PACK_H

#include <stddef.h>

#include "instrument/site/site_builder.h"

/* The blob, of *ret_bytes bytes; the caller frees it. head: as of the open table. */
void *norn_site_pack(const struct norn_site_builder *table, const struct norn_site_table *head, size_t *ret_bytes);

#endif
