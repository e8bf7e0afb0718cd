/* Opening what is to be checked: a trace of Norn's, or RAPID's text, which is converted on the way. */
#ifndef NORN_CLI_OPEN_H
#define NORN_CLI_OPEN_H

#include <stdbool.h>

#include "trace/reader.h"

/* Says what is wrong; returns the exit status. */
int norn_open(const char *path, bool partial, struct norn_trace **ret_trace);

#endif
