/* Findings for people: a title line, the property as it is written with the part that failed, the witness as a column per thread,
 * its order against the observed one, source lines, the values at the end, what might help; last a summary. */
#ifndef NORN_REPORT_FINDING_TEXT_H
#define NORN_REPORT_FINDING_TEXT_H

#include <stdio.h>

#include "finding/finding.h"

/* width: columns of a terminal; 0: lines may be as long as they like. */
/* most: so many findings at most; the others are listed. */
void norn_report_findings(const struct norn_findings *findings, uint32_t most, bool colour, unsigned width, FILE *to);
/* One of them, without colour, in lines as long as it takes. */
void norn_report_finding_of(const struct norn_findings *findings, const struct norn_finding *finding, FILE *to);
/* The same bit by bit: while a run goes on. */
void norn_report_finding(const struct norn_finding *finding, bool colour, unsigned width, FILE *to);
void norn_report_summary(const struct norn_findings *findings, bool colour, unsigned width, FILE *to);

#endif
