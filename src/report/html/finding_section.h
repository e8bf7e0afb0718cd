/* A finding in a page: an entry in its index, and a section with all that is known of it. */
#ifndef NORN_REPORT_HTML_FINDING_SECTION_H
#define NORN_REPORT_HTML_FINDING_SECTION_H

#include <stdio.h>

#include "finding/finding.h"
#include "report/html/source_store.h"

void norn_html_index_entry(const struct norn_finding *finding, FILE *to);
/* open: its details are shown from the start. */
void norn_html_finding(const struct norn_finding *finding, bool open, struct norn_source_store *store, FILE *to);

#endif
