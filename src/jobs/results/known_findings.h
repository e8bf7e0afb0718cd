/* Findings that were kept, from a baseline or from the JSON of an earlier result. They are told apart by their fingerprints.
 *
 * A baseline is a text file that is kept beside the source: a line for each finding that is known, with its fingerprint, its
 * id, and what it is. Lines that begin with # say something to people. */
#ifndef NORN_JOBS_RESULTS_KNOWN_FINDINGS_H
#define NORN_JOBS_RESULTS_KNOWN_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/vector.h"
#include "finding/finding.h"

struct norn_known_finding {
	char *fingerprint, *id, *text; /* text: what it is and where, as far as that was kept */
	bool met; /* for those who compare */
};

struct norn_known_findings NORN_VECTOR_OF(struct norn_known_finding);

/* Reads either form. Each finding is there once. */
int norn_known_findings_read(const char *path, struct norn_known_findings *ret_known, struct norn_error *err);
void norn_known_findings_done(struct norn_known_findings *known);
struct norn_known_finding *norn_known_findings_get(const struct norn_known_findings *known, const char *fingerprint);

/* Marks the findings that are known. Returns how many of the known ones were not met. */
uint32_t norn_known_findings_mark(struct norn_known_findings *known, struct norn_findings *findings);
/* Writes a baseline, in the order of the fingerprints: so that it changes little from one time to the next. */
void norn_known_findings_write(const struct norn_known_findings *known, FILE *to);
void norn_known_findings_join(struct norn_known_findings *known, struct norn_known_findings *others); /* takes them */
void norn_known_findings_add(struct norn_known_findings *known, const struct norn_findings *findings);

#endif
