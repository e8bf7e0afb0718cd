/* Findings as a report of JUnit, which CI services show as tests: a test that fails for each finding, one that is skipped for
 * each that is known or only suspected, and one for the verdict. */
#ifndef NORN_REPORT_JUNIT_H
#define NORN_REPORT_JUNIT_H

#include <stdio.h>

#include "finding/finding.h"

void norn_report_junit(const struct norn_findings *findings, FILE *to);

#endif
