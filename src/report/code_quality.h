/* Findings as GitLab's code-quality report: a list of issues, each with a fingerprint, a severity, and a place in the
 * repository. */
#ifndef NORN_REPORT_CODE_QUALITY_H
#define NORN_REPORT_CODE_QUALITY_H

#include <stdio.h>

#include "finding/finding.h"

/* root: paths below this directory are named relative to it. */
void norn_report_code_quality(const struct norn_findings *findings, const char *root, FILE *to);

#endif
