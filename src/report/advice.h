/* What a finding's steps say about their order, and what might be done about it. Made of the witness alone: of a predicted run, of
 * the two steps that changed their order compared to the run that was observed, the pair that is nearest to the violation. */
#ifndef NORN_REPORT_ADVICE_H
#define NORN_REPORT_ADVICE_H

#include "finding/finding.h"

/* The orders, as numbers of steps; "" if they are too many or the run was observed. The caller frees it; NULL: out of memory. */
char *norn_advice_orders(const struct norn_finding *finding);
/* Which step came before which when the program ran; "" if there is nothing to say. */
char *norn_advice_change(const struct norn_finding *finding);
/* What might help; "" if nothing can be said that is not vague. */
char *norn_advice_help(const struct norn_finding *finding);

#endif
