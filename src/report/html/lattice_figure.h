/* A small lattice as a figure of a page: the empty cut on top, a row for each level, as the JMPaX paper draws it. Events and values
 * are told on hover. */
#ifndef NORN_REPORT_HTML_LATTICE_FIGURE_H
#define NORN_REPORT_HTML_LATTICE_FIGURE_H

#include <stdio.h>

#include "lattice/lattice_picture.h"

void norn_html_lattice(const struct norn_lattice_picture *picture, FILE *to);

#endif
