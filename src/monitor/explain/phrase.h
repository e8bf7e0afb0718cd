/* Properties in words. Short parts are written in one line, longer ones as an outline whose indentation says what belongs
 * together. */
#ifndef NORN_MONITOR_EXPLAIN_PHRASE_H
#define NORN_MONITOR_EXPLAIN_PHRASE_H

#include <stdio.h>

#include "property/property.h"

/* A formula in words, at the present position. indent: blanks before each line. */
void norn_phrase_form(const struct norn_spec *spec, const struct norn_form *form, unsigned indent, FILE *to);
/* The events of an expression, in their order. */
void norn_phrase_rex(const struct norn_rex *rex, unsigned indent, FILE *to);
void norn_phrase_fsm(const struct norn_property *property, unsigned indent, FILE *to);
/* An event's selectors in words: "calls of queue_put by threads of type reader, or …". */
void norn_phrase_event(const struct norn_spec *spec, uint32_t event, FILE *to);

#endif
