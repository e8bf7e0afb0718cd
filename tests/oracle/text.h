/* Programs as text (program.h describes it): what failures are printed as, and what fixed cases are written in. */
#ifndef NORN_ORACLE_TEXT_H
#define NORN_ORACLE_TEXT_H

#include <stdio.h>

#include "program.h"

/* Returns NULL, or where the text is not understood. */
const char *program_parse(const char *text, struct program *ret_program);
void program_print(FILE *out, const struct program *program);
/* One statement, without the parts in braces. */
void statement_print(FILE *out, const struct statement *s);

#endif
