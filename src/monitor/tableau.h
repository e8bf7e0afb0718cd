/* The tableau of an LTL formula: what a search for lassos steps, where norn_lasso_judge needs the word.
 *
 * Between two positions of an infinite run, each temporal subformula has made a *promise* or its opposite: that X's operand, the
 * until or the release holds at the next position. A set of promises is a mask. Going backwards it is determined: the promises
 * after a position and its letter tell which ones there must have been before it. A sequence of masks that is right at every step
 * belongs to a run iff every until that is promised is met at some time, and every release that is denied is refuted: each has a
 * *debt* that must be paid again and again. On u v^ω the promises after u and after u v are about the same run, so they are the
 * same mask: it takes no more than one iteration of the loop to see all of it. */
#ifndef NORN_MONITOR_TABLEAU_H
#define NORN_MONITOR_TABLEAU_H

#include "property/property.h"

#define NORN_PROMISES_MAX 8u

struct norn_tableau {
	const struct norn_property *property; /* must live longer */
	uint32_t promises; /* how many; masks are below 1 << promises */
	uint32_t nodes[NORN_PROMISES_MAX];
	uint32_t debts; /* mask of those that are an until or a release */
	uint8_t *values; /* per node, for one position */
};

/* The letter of a position. */
struct norn_tableau_step {
	uint32_t before; /* promises that must have been made */
	uint32_t paid; /* debts that are paid here */
	bool holds; /* the formula, from here on */
};

/* -E2BIG: more temporal operators than NORN_PROMISES_MAX; -EINVAL: no LTL formula. */
int norn_tableau_init(struct norn_tableau *tableau, const struct norn_property *property);
void norn_tableau_done(struct norn_tableau *tableau);
/* after: the promises made after the position. */
struct norn_tableau_step norn_tableau_back(struct norn_tableau *tableau, uint64_t letter, uint32_t after);

#endif
