/* `norn prop`: a command whose first operand is a command of its own, each in a file prop_NAME.c. */
#ifndef NORN_CLI_PROP_PROP_H
#define NORN_CLI_PROP_PROP_H

#include "jobs/options.h"

/* Their names begin with "prop ", for help; run gets the arguments from there on, argv[0] being the last word. */
extern const struct norn_command norn_command_prop_check;
extern const struct norn_command norn_command_prop_fmt;
extern const struct norn_command norn_command_prop_explain;
extern const struct norn_command norn_command_prop_try;

#endif
