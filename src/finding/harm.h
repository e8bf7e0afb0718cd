/* The severity of findings: what is known to do harm comes first. One table, for the order of reports and for --only-harmful. */
#ifndef NORN_FINDING_HARM_H
#define NORN_FINDING_HARM_H

#include "finding/finding.h"

/* The gravest first. */
enum norn_harm {
	NORN_HARM_FAILURE, /* what must hold does not: an assertion, a property, a block that is said to be atomic; a crash */
	NORN_HARM_NULL, /* a null pointer is followed */
	NORN_HARM_MEMORY, /* memory is used that is gone */
	NORN_HARM_DEADLOCK,
	NORN_HARM_LOST_UPDATE, /* a race by which one is lost */
	NORN_HARM_OTHER, /* nothing is known of what it does */
	NORN_HARMS
};
const char *norn_harm_name(enum norn_harm harm); /* "failure", … */

enum norn_harm norn_finding_harm(const struct norn_finding *finding);
/* Puts the gravest first, in each severity as they were; those that are only suspected after all others. */
void norn_findings_sort(struct norn_findings *findings);
/* Takes those out of which no harm is known. Returns how many. */
uint32_t norn_findings_only_harmful(struct norn_findings *findings);

#endif
