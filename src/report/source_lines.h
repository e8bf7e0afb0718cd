/* Lines of source files, as far as they are on disk: read once, at most a few MiB each. */
#ifndef NORN_REPORT_SOURCE_LINES_H
#define NORN_REPORT_SOURCE_LINES_H

#include "finding/finding.h"

struct norn_source_cache;

/* findings: they know the paths of files; NULL: names are paths. */
struct norn_source_cache *norn_source_cache_new(const struct norn_findings *findings);
void norn_source_cache_free(struct norn_source_cache *cache);

/* The line, without its end; tabs at its beginning are one space each. NULL if it is not to be had. Holds until the next call. */
const char *norn_source_line(struct norn_source_cache *cache, const char *file, unsigned line);

#endif
