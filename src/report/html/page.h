/* Findings as one page for a browser, with everything in it: nothing is fetched.
 *
 * All that is said stands in the page's elements, and can be read without its script. The script (page.js) draws the witnesses,
 * puts the source beside each place, filters, and copies. */
#ifndef NORN_REPORT_HTML_PAGE_H
#define NORN_REPORT_HTML_PAGE_H

#include <stdio.h>

#include "finding/finding.h"

/* The judged run, and its time: texts, "" if it is not known. */
struct norn_report_about {
	const char *trace, *command, *recorded, *version;
};

void norn_report_html(const struct norn_findings *findings, const struct norn_report_about *about, FILE *to);

#endif
