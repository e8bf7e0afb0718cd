/* Text that comes from outside (names that a program gives, file names, messages), made fit to be shown: on a terminal, in HTML, in
 * JSON. A name must not be able to move the cursor, to begin a line that looks like Norn's own, or to make a document invalid. */
#ifndef NORN_BASE_PRINTABLE_H
#define NORN_BASE_PRINTABLE_H

#include <stdbool.h>

/* Bytes of the UTF-8 character at text, 0 if it is none. */
unsigned norn_utf8_character(const char *text);

/* True if the text is UTF-8 without control characters and without marks that change the direction of writing. lines: line ends and
 * tabs are all right. */
bool norn_is_printable(const char *text, bool lines);

/* A copy in which all others are escapes: \n, \x1b, \u202e; bytes that are no UTF-8: \xff. To be freed. */
char *norn_printable(const char *text, bool lines);

#endif
