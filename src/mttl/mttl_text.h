/* Programs of MTTL as text: what a line says, and what threads keep and publish for a property (`norn prop explain`). In the
 * command only. */
#ifndef NORN_MTTL_MTTL_TEXT_H
#define NORN_MTTL_MTTL_TEXT_H

#include <stdio.h>

#include "mttl/mttl.h"

/* "@v …": the line as it is known of the thread that the variable stands for. */
void norn_mttl_put_remote(
        const struct norn_mttl *program, const struct norn_spec *spec, uint32_t variable, uint32_t line, FILE *to);

/* The formula that is monitored, its ghosts and events, and what a knowledge vector holds for it. */
int norn_mttl_explain(const struct norn_sources *sources, const struct norn_spec *spec, const struct norn_property *property,
        FILE *to, struct norn_error *err);

#endif
