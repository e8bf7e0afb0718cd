/* The checker: judges a trace by property files and shows what it finds. Behind both `norn check` and `norn run`. */
#ifndef NORN_CLI_CHECKER_H
#define NORN_CLI_CHECKER_H

#include <stdbool.h>

#include "cli/options.h"

enum norn_causality { NORN_CAUSALITY_DEFAULT, NORN_CAUSALITY_OBSERVED, NORN_CAUSALITY_MVC, NORN_CAUSALITY_SLICED };

struct norn_checking {
	const char *trace;
	const char **props; /* paths; room for as many as there are arguments */
	unsigned prop_count;
	const char *program; /* in place of the executable that the trace names, or NULL */
	const char *json; /* file, - for standard output, NULL: none */
	enum norn_causality causality;
	bool only_props, partial;
};

enum {
	NORN_CHECK_PROP = 512,
	NORN_CHECK_CAUSALITY,
	NORN_CHECK_ONLY_PROPS,
	NORN_CHECK_JSON,
	NORN_CHECK_PROGRAM,
};

/* Rows of an option table. */
#define NORN_CHECK_OPTIONS                                                                                                         \
	{NORN_CHECK_PROP, "prop", "FILE", "Judge by the properties in FILE. May be given several times.", "Checking"},             \
	        {NORN_CHECK_CAUSALITY, "causality", "NAME",                                                                        \
	                "Which orders of the run to judge: observed (the one that was seen), mvc or sliced (others, too). "        \
	                "Overrides what "                                                                                          \
	                "properties say. This version judges the observed order only.",                                            \
	                NULL},                                                                                                     \
	        {NORN_CHECK_ONLY_PROPS, "only-props", NULL,                                                                        \
	                "Look for violations of the properties only, not for built-in errors.", NULL},                             \
	        {NORN_CHECK_JSON, "json", "FILE",                                                                                  \
	                "Write the findings to FILE as JSON, too; - is standard output, instead of the text.", NULL},              \
	{                                                                                                                          \
		NORN_CHECK_PROGRAM, "program", "FILE",                                                                             \
		        "The program as it was when it was recorded, if it is not where the trace says.", NULL                     \
	}

/* Takes an option of the above; false if id is none of them. Ends the process if its argument is wrong. */
bool norn_checker_option(struct norn_checking *checking, int id, const struct norn_args *args);

/* A sentence and NORN_EXIT_USAGE if there is nothing to check by, or a file is missing: before a program is run in vain. */
int norn_checker_ready(const struct norn_checking *checking);

/* Returns the exit status. */
int norn_checker_run(const struct norn_checking *checking);

#endif
