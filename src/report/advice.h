/* Text about the order of a finding's steps, and advice. Made of the witness alone: of a predicted run, of
 * the two steps that changed their order compared to the run that was observed, the pair that is nearest to the violation. */
#ifndef NORN_REPORT_ADVICE_H
#define NORN_REPORT_ADVICE_H

#include "finding/finding.h"

/* The orders, as numbers of steps; "" if they are too many or the run was observed. The caller frees it; NULL: out of memory. */
char *norn_advice_orders(const struct norn_finding *finding);
/* The steps that came before others when the program ran; "" if there is nothing to say. */
char *norn_advice_change(const struct norn_finding *finding);
/* Advice; "" if nothing can be said that is not vague. */
char *norn_advice_help(const struct norn_finding *finding);

/* The other places of the same cause, folded: those of f->also, of which there are some. */
char *norn_advice_also(const struct norn_finding *f);

/* Which of the processes that were judged have it, as a sentence; "" if there was only one. To be freed. */
char *norn_advice_processes(const struct norn_finding *f);

/* "f() (no hooks, called at x.c:12) does not synchronise, nor touch this memory": to be freed. */
char *norn_assumption_text(const struct norn_assumption *assumption);

#endif
