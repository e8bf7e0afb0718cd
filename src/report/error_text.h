/* Built-in errors for people: what happens at once, who is where and holds what, how it comes to that, and what might be done. */
#ifndef NORN_REPORT_ERROR_TEXT_H
#define NORN_REPORT_ERROR_TEXT_H

#include "finding/finding.h"
#include "report/layout.h"
#include "report/source_lines.h"

void norn_show_error(const struct norn_painter *painter, struct norn_source_cache *cache, const struct norn_finding *finding);

/* What came of re-enactment, of any finding. */
void norn_show_enacted(const struct norn_painter *painter, const struct norn_finding *finding);

#endif
