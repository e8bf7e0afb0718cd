/* `norn prop`: a command whose first operand is a command of its own, each in a file prop_NAME.c. */
#ifndef NORN_CLI_PROP_H
#define NORN_CLI_PROP_H

#include "cli/options.h"
#include "prop/program.h"
#include "prop/source.h"

/* Their names begin with "prop ", for help; run gets the arguments from there on, argv[0] being the last word. */
extern const struct norn_command norn_command_prop_check;
extern const struct norn_command norn_command_prop_fmt;
extern const struct norn_command norn_command_prop_explain;
extern const struct norn_command norn_command_prop_try;

extern const struct norn_command *const norn_prop_commands[]; /* ends with NULL; in prop.c */

/* Shows all complaints on stderr, and how many errors there were if there were any. Returns the exit status: 0 or 2. */
int norn_prop_show_complaints(const struct norn_sources *sources);

#endif
