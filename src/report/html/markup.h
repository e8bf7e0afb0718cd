/* Text in a page: what is put is never taken for more than text. */
#ifndef NORN_REPORT_HTML_MARKUP_H
#define NORN_REPORT_HTML_MARKUP_H

#include <stddef.h>
#include <stdio.h>

void norn_html_put_bytes(FILE *to, const char *text, size_t length);
void norn_html_put(FILE *to, const char *text);
/* The same, as the value of an attribute with quotes: name="text", with a blank before it; nothing if the text is "". */
void norn_html_attribute(FILE *to, const char *name, const char *text);

#endif
