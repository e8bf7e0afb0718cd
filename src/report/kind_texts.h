/* Explanations of each kind of finding, for SARIF's rules and norn explain. A new kind gets its row in kind_texts.c. */
#ifndef NORN_REPORT_KIND_TEXTS_H
#define NORN_REPORT_KIND_TEXTS_H

#include "finding/finding.h"

struct norn_kind_text {
	const char *name; /* "DataRace" */
	const char *summary; /* a sentence: what it is */
	const char *harm; /* sentences: why it matters */
	const char *help; /* sentences: how it is usually fixed */
	const char *section; /* of docs/findings.md, as the end of a link */
	bool security; /* it may be made use of by an attacker */
};

const struct norn_kind_text *norn_kind_text(enum norn_finding_kind kind);

#endif
