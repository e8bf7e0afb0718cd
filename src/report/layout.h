/* Laying out text for a terminal: colours, and lines that fit. */
#ifndef NORN_REPORT_LAYOUT_H
#define NORN_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdio.h>

struct norn_text_printer {
	FILE *to;
	bool colour;
	unsigned width; /* columns of a line; 0: as many as it takes */
};

/* Escape sequences, or "". */
const char *norn_bold(const struct norn_text_printer *printer);
const char *norn_red(const struct norn_text_printer *printer);
const char *norn_plain(const struct norn_text_printer *printer);

/* A long name of C++ without what stands in its angle brackets: "deque<…>::pop_front"; others, and assertions, as they are. */
#define NORN_FOLDED 160u
const char *norn_folded(const char *name, char to[NORN_FOLDED]);

/* Columns that the text takes: characters, not bytes. */
unsigned norn_columns(const char *text);
/* A paragraph: words are broken to lines that are indented, the first by what stands before it already. */
void norn_put_wrapped(const struct norn_text_printer *printer, unsigned indent, const char *text);

#endif
