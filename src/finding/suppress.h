/* Suppressions: findings that are known, and not to be shown again (docs/suppressions.md).
 *
 * A file has one suppression per line: a kind of finding, or *, and conditions KEY=GLOB, all of which must hold. variable, property
 * and id must match the finding's own; function and file must match one of its places, or of the calls that lead there; each
 * condition finds a place for itself. Globs are those of the shell (fnmatch); a file's glob without a slash is held against the
 * name without its directories. Values may stand in double quotes. # begins a comment. The list owns its texts. */
#ifndef NORN_FINDING_SUPPRESS_H
#define NORN_FINDING_SUPPRESS_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "finding/finding.h"

struct norn_suppression {
	const char *file; /* its place, */
	unsigned line;
	const char *text; /* and how */
	int kind; /* enum norn_finding_kind, -1: any */
	struct norn_suppression_condition *conditions;
	uint64_t matched; /* findings that it kept back */
};

struct norn_suppressions {
	struct norn_arena arena;
	struct norn_suppression *list;
	uint32_t count, room;
};

void norn_suppressions_done(struct norn_suppressions *suppressions); /* an all-zero one is empty */

/* Adds those of a file. -EINVAL, with file, line and column in err, if a line is wrong. */
int norn_suppressions_read(struct norn_suppressions *suppressions, FILE *from, const char *name, struct norn_error *err);

/* Takes the findings out that a suppression matches; returns how many. */
uint32_t norn_suppress(struct norn_suppressions *suppressions, struct norn_findings *findings);

#endif
