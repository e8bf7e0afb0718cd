/* Findings as SARIF 2.1.0, which code hosts and editors show beside the source: a result for each finding, and the run that leads
 * to it as a code flow with one thread flow per thread, whose steps are numbered through. */
#ifndef NORN_REPORT_SARIF_H
#define NORN_REPORT_SARIF_H

#include <stdio.h>

#include "finding/finding.h"

struct norn_sarif_about {
	const char *root; /* files below this directory (an absolute path) are named relative to it, as code hosts want them */
	const char *version, *docs; /* of Norn; the address of its documents, without a slash at its end; "": none is named */
};

void norn_report_sarif(const struct norn_findings *findings, const struct norn_sarif_about *about, FILE *to);

#endif
