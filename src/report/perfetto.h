/* The runs of findings for Perfetto's viewer (ui.perfetto.dev, chrome://tracing), as trace events in JSON: a group of tracks for
 * each finding, a track for each of its threads, and a slice for each step. Time is the number of the step: a predicted run has no
 * other. */
#ifndef NORN_REPORT_PERFETTO_H
#define NORN_REPORT_PERFETTO_H

#include <stdio.h>

#include "finding/finding.h"

void norn_report_perfetto(const struct norn_findings *findings, FILE *to);

#endif
