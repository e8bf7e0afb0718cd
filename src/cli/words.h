/* A growing list of words; it owns them. Used for command lines and the response files in them. */
#ifndef NORN_CLI_WORDS_H
#define NORN_CLI_WORDS_H

#include <stddef.h>

struct norn_words {
	char **at; /* ends with NULL once there is a word */
	size_t count, room;
};

int norn_words_add(struct norn_words *words, const char *word, size_t length); /* copies; -ENOMEM */
/* Adds the argument; if it is @FILE and the file can be read, the words in that file instead, as clang takes them: separated by
 * white space, quotes keep it, a backslash keeps the next character, and files may name files. */
int norn_words_expand(struct norn_words *words, const char *argument);
void norn_words_done(struct norn_words *words);

#endif
