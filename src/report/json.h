/* Findings as JSON: the contract for scripts (`--json`). Texts that are not UTF-8 get replacement characters. */
#ifndef NORN_REPORT_JSON_H
#define NORN_REPORT_JSON_H

#include <stdio.h>

#include "finding/finding.h"

void norn_report_json(const struct norn_findings *findings, FILE *to);

#endif
