/* The meaning of a property: in words, as equations or as an automaton, with its size, its relevant events, and shortest runs. */
#ifndef NORN_MONITOR_EXPLAIN_EXPLAIN_H
#define NORN_MONITOR_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "monitor/monitor.h"

/* path: the property's file, as the user would write it. -E2BIG and a sentence if its monitor would be too big. */
int norn_explain_text(
        const struct norn_spec *spec, const struct norn_property *property, const char *path, FILE *to, struct norn_error *err);
/* Graphviz text. -E2BIG if there would be too many states to look at. */
int norn_explain_dot(const struct norn_spec *spec, const struct norn_property *property, FILE *to, struct norn_error *err);

#endif
