/* Properties in words. Short parts are written in one line, longer ones as an outline whose indentation says what belongs together. */
#ifndef NORN_MONITOR_EXPLAIN_PHRASE_H
#define NORN_MONITOR_EXPLAIN_PHRASE_H

#include <stdio.h>

#include "property/property.h"

/* What must be so, at the position that is spoken of. indent: blanks before each line. */
int norn_phrase_form(const struct norn_spec *spec, const struct norn_form *form, unsigned indent, FILE *to);
/* What the events are, in their order. */
int norn_phrase_rex(const struct norn_rex *rex, unsigned indent, FILE *to);
void norn_phrase_fsm(const struct norn_property *property, unsigned indent, FILE *to);
/* What makes the event: "calls of queue_put by threads of type reader, or …". */
void norn_phrase_event(const struct norn_spec *spec, uint32_t event, FILE *to);

#endif
