/* The man page, in roff, from the tables of commands and options: `norn --man` prints it when Norn is built. */
#ifndef NORN_CLI_MAN_H
#define NORN_CLI_MAN_H

#include <stdio.h>

#define NORN_ABOUT                                                                                                                 \
	"Watches one run of a multithreaded C program and tells which errors another schedule of the same run could have shown"

/* Both return the exit status. */
int norn_man(FILE *to);
struct norn_command;
int norn_man_command(FILE *to, const struct norn_command *command); /* that of one command: `norn --man COMMAND` */

#endif
