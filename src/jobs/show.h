/* Values and places of a trace, as the sub-commands show them. */
#ifndef NORN_JOBS_SHOW_H
#define NORN_JOBS_SHOW_H

#include <stdio.h>

#include "trace/reader.h"
#include "trace/record.h"

/* The value of an access as its site says: signed, floating, a pointer; long ones as bytes; ? if it is not known. */
void norn_show_value(FILE *to, const struct norn_event *event, const struct norn_site_info *site);

/* file:line, with the functions that it was inlined into. */
void norn_show_position(FILE *to, const struct norn_site_info *site);

/* The name of the object of a sync event, as its call names it; "" if unknown. */
const char *norn_show_lock_name(const struct norn_event *event, const struct norn_site_info *site);

#endif
