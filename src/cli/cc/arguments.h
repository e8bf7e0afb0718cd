/* A growing list of words; it owns them. Used for command lines and the response files in them. */
#ifndef NORN_CLI_CC_ARGUMENTS_H
#define NORN_CLI_CC_ARGUMENTS_H

#include "base/vector.h"

struct norn_arguments NORN_VECTOR_OF(char *);

/* Adds the argument; if it is @FILE and the file can be read, the words in that file instead, as clang takes them: separated by
 * white space, quotes keep it, a backslash keeps the next character, and files may name files. */
void norn_arguments_expand(struct norn_arguments *words, const char *argument);
void norn_arguments_done(struct norn_arguments *words);

#endif
