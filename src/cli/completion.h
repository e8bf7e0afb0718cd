/* Completions of commands and options for shells, from the same tables as help and the man pages. */
#ifndef NORN_CLI_COMPLETION_H
#define NORN_CLI_COMPLETION_H

#include <stdio.h>

/* shell: bash, zsh or fish. Returns the exit status. */
int norn_completion(const char *shell, FILE *to);

#endif
