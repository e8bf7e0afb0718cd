/* A ptLTL monitor as equations: what its bits mean, and how each follows from the letter and from the bits before. */
#ifndef NORN_MONITOR_EXPLAIN_EQUATIONS_H
#define NORN_MONITOR_EXPLAIN_EQUATIONS_H

#include <stdio.h>

#include "monitor/ptltl.h"

/* b1, b2, … are bits; t1, t2, … subformulas that several equations use. A mark (b1') says: at the position before. */
void norn_equations_write(const struct norn_property *property, const struct norn_ptltl *ptltl, FILE *to);

#endif
