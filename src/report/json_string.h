/* Texts as JSON has them. Bytes that are not UTF-8 become a replacement character. */
#ifndef NORN_REPORT_JSON_STRING_H
#define NORN_REPORT_JSON_STRING_H

#include <stdio.h>

void norn_put_quoted(FILE *to, const char *text);
/* "name":"text" */
void norn_put_field(FILE *to, const char *name, const char *text);

#endif
