/* The parts of norn dump. */
#ifndef NORN_CLI_DUMP_H
#define NORN_CLI_DUMP_H

#include "trace/reader.h"

int norn_dump_facts(const struct norn_trace *trace); /* exit status */

#endif
