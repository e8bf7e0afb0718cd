/* The clang that does the work: what NORN_CC or NORN_CXX says (words, so that `ccache clang-19` is possible), or clang 19. */
#ifndef NORN_CLI_CC_CLANG_H
#define NORN_CLI_CC_CLANG_H

#include <stdbool.h>

#define NORN_CLANG_WORDS 16

struct norn_clang {
	char text[1024]; /* as given */
	char copy[1024]; /* cut into words */
};

void norn_clang_find(bool cxx, struct norn_clang *ret_clang);
/* Puts pointers to its words (they live in clang) into argv and returns how many, at least 1. */
unsigned norn_clang_words(struct norn_clang *clang, char *argv[NORN_CLANG_WORDS]);

#endif
