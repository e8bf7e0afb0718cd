/* The witness of a finding: a column per thread where these fit, a line per step, with where it was; for narrow terminals the place
 * stands below the event, or threads are named instead of having columns. */
#ifndef NORN_REPORT_WITNESS_COLUMNS_H
#define NORN_REPORT_WITNESS_COLUMNS_H

#include "finding/finding.h"
#include "report/layout.h"

#define NORN_STEPS_SHOWN 20u

void norn_show_witness(const struct norn_text_printer *printer, const struct norn_finding *finding);
/* The label of a step: its place in the witness, as shown. */
unsigned norn_step_number(const struct norn_finding *finding, uint32_t i);
/* "write radio: 1 -> 0", "call suspend(c=0x55)" */
void norn_step_describe(const struct norn_step_text *step, char *to, size_t room);

#endif
