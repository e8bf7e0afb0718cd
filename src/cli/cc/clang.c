#include "cli/cc/clang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void norn_clang_find(bool cxx, struct norn_clang *ret_clang)
{
	const char *named = getenv(cxx ? "NORN_CXX" : "NORN_CC");
	if (!named || !named[strspn(named, " ")])
		named = cxx ? "clang++-19" : "clang-19";
	snprintf(ret_clang->text, sizeof ret_clang->text, "%s", named);
}

unsigned norn_clang_words(struct norn_clang *clang, char *argv[NORN_CLANG_WORDS])
{
	unsigned n = 0;
	memcpy(clang->copy, clang->text, sizeof clang->copy);
	char *rest = NULL;
	for (char *word = strtok_r(clang->copy, " ", &rest); word && n < NORN_CLANG_WORDS; word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	return n;
}
