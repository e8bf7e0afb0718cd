/* Fingerprints: which findings of two versions of a program are the same one.
 *
 * An id is made of places with their lines, so that no two findings of a run share one; it is another when lines move. A
 * fingerprint is made of the kind, the property or variable, and for each place what is done there in which function. Findings
 * that agree in these are numbered as they come: "5f0c9a1e", "5f0c9a1e-2". */
#ifndef NORN_FINDING_FINGERPRINT_H
#define NORN_FINDING_FINGERPRINT_H

#include "finding/finding.h"

/* Gives each of them its fingerprint. */
void norn_findings_fingerprint(struct norn_findings *findings);

#endif
