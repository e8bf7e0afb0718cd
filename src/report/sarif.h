/* Findings as SARIF 2.1.0, which code hosts and editors show beside the source: a result for each finding, and the run that leads
 * to it as a code flow with one thread flow per thread, whose steps are numbered through. */
#ifndef NORN_REPORT_SARIF_H
#define NORN_REPORT_SARIF_H

#include <stdio.h>

#include "finding/finding.h"

/* root: files below this directory (an absolute path) are named relative to it, as code hosts want them. */
void norn_report_sarif(const struct norn_findings *findings, const char *root, const char *version, FILE *to);

#endif
