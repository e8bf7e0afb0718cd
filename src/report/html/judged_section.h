/* The section of the page that tells what was judged and what was not. */
#ifndef NORN_REPORT_HTML_JUDGED_SECTION_H
#define NORN_REPORT_HTML_JUDGED_SECTION_H

#include <stdio.h>

#include "finding/finding.h"

void norn_html_judged(const struct norn_findings *findings, FILE *to); /* nothing, if it was not asked for */

#endif
