/* Findings for people: a title line, the property as it is written, the witness as a column per thread, source lines, the values at
 * the end; last a summary in one line. */
#ifndef NORN_REPORT_TEXT_H
#define NORN_REPORT_TEXT_H

#include <stdio.h>

#include "predict/finding.h"

#define NORN_STEPS_SHOWN 20u

void norn_report_text(const struct norn_findings *findings, bool colour, FILE *to);
/* The same bit by bit: while a run goes on. */
void norn_report_finding(const struct norn_finding *finding, bool colour, FILE *to);
void norn_report_summary(const struct norn_findings *findings, bool colour, FILE *to);

#endif
