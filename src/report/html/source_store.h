/* The source lines of a page, each once: those around every place that is named. */
#ifndef NORN_REPORT_HTML_SOURCE_STORE_H
#define NORN_REPORT_HTML_SOURCE_STORE_H

#include <stdbool.h>
#include <stdio.h>

#include "finding/finding.h"

struct norn_source_store;

struct norn_source_store *norn_source_store_new(void);
void norn_source_store_free(struct norn_source_store *store);
/* Notes a place. Returns the number of its file, by which the page calls it. file lives as long as the store. */
unsigned norn_source_store_add(struct norn_source_store *store, const char *file, unsigned line);
/* The lines around all places that were noted: a pre for each file, a span for each line. Nothing if no file can be read. */
void norn_source_store_put(const struct norn_source_store *store, const struct norn_findings *findings, FILE *to);

#endif
