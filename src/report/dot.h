/* Pictures for Graphviz: a lattice as the JMPaX paper draws it, the empty cut on top, states as tuples; the observed run is blue,
 * the violating one red. */
#ifndef NORN_REPORT_DOT_H
#define NORN_REPORT_DOT_H

#include <stdio.h>

#include "lattice/lattice_picture.h"

void norn_report_dot(const struct norn_lattice_picture *picture, FILE *to);

#endif
