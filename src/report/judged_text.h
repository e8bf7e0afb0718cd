/* Judged and unjudged pairs (finding/judged_pairs.h), for people: the numbers, then variables, pairs and functions, the most
 * important first; of long lists the beginning. */
#ifndef NORN_REPORT_JUDGED_TEXT_H
#define NORN_REPORT_JUDGED_TEXT_H

#include <stdio.h>

#include "finding/finding.h"

/* Nothing, if it was not asked for. */
void norn_report_judged(const struct norn_findings *findings, bool colour, unsigned width, FILE *to);

/* "12 pairs of places access 5 variables that threads share: 10 proved, 2 unjudged, none with a finding". To be freed. */
struct norn_judged_pairs;
struct norn_judged_pair;
char *norn_judged_sentence(const struct norn_judged_pairs *judged);
/* "a.c:10 f - b.c:7 g". To be freed. */
char *norn_judged_places_text(const struct norn_judged_pair *pair);
const char *norn_judged_variable_text(const char *name); /* of one without a name, too */
#define NORN_JUDGED_ALONE "Functions that one thread alone ran: what two threads that run them at once would do was not seen."

#endif
