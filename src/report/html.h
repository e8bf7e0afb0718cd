/* Findings as one page for a browser, with everything in it: no script, nothing to be fetched. */
#ifndef NORN_REPORT_HTML_H
#define NORN_REPORT_HTML_H

#include <stdio.h>

#include "finding/finding.h"

/* title: what was judged. */
void norn_report_html(const struct norn_findings *findings, const char *title, FILE *to);

#endif
