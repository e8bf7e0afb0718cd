/* The texts of findings, made fit to be shown (base/text/printable.h): names of threads, marks, files and variables come from the
 * program, and may hold anything. Called once before findings go out, in whatever format. */
#ifndef NORN_FINDING_PRINTABLE_FINDINGS_H
#define NORN_FINDING_PRINTABLE_FINDINGS_H

struct norn_finding;
struct norn_findings;

void norn_finding_printable(struct norn_findings *findings, struct norn_finding *finding);
void norn_findings_printable(struct norn_findings *findings); /* all of them, notes and reasons */

#endif
