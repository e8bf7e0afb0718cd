/* Commands and their options, as tables: parsing, `--help` and the man page all come from these and from nothing else.
 *
 * Each sub-command is one file that defines a `const struct norn_command` (listed in commands.h and main.c) and its run function,
 * which gets the arguments with argv[0] being the command's name:
 *
 *	struct norn_args args;
 *	norn_args_init(&args, &norn_command_dump, argc, argv);
 *	for (int id; (id = norn_args_next(&args));)
 *		switch (id) {
 *		case 'v': verify = true; break;
 *		case NORN_OPERAND: path = args.value; break;
 *		}
 *
 * `--help` and wrong options end the process in norn_args_next, with the text or the sentence that they deserve. */
#ifndef NORN_JOBS_OPTIONS_H
#define NORN_JOBS_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

struct norn_option {
	int id; /* returned by norn_args_next: if it is a letter or digit, that is the short option, too; never 0 */
	const char *name; /* long option, without its dashes */
	const char *argument; /* how help calls its argument; NULL if it takes none */
	const char *help; /* its effect, in a few words or sentences, no line breaks */
	const char *category; /* heading in help; NULL: that of the option before it, or "Options" */
};

struct norn_command {
	const char *name;
	int (*run)(int argc, char **argv); /* returns the exit status */
	const char *operands; /* "[--] PROG [ARG…]", "" if none */
	const char *summary; /* a phrase without a full stop */
	const char *description; /* paragraphs separated by empty lines; NULL if the summary says it all */
	const struct norn_option *options; /* ends with id 0; NULL if there are none but --help */
	const struct norn_command *const *commands; /* its own sub-commands ("prop check"), up to a NULL; or NULL */
	bool leading; /* options end at the first operand: the rest belongs to another program */
};

#define NORN_OPERAND (-1)

struct norn_args {
	const struct norn_command *command;
	int argc, index; /* index: the next argument to look at; after the end of a leading command's options, its first operand */
	char **argv;
	const char *value; /* of the option or operand just returned */
	const char *option; /* the name of that option; NULL: it was an operand */
	const char *cluster; /* rest of -abc */
	bool operands_only; /* past "--" */
};

void norn_args_init(struct norn_args *args, const struct norn_command *command, int argc, char **argv);
/* The id of the next option, NORN_OPERAND for an operand, 0 at the end (of options, if the command is `leading`). */
int norn_args_next(struct norn_args *args);
/* args->value as a number from least to most; ends the process with a sentence if it is none. */
unsigned long long norn_args_number(const struct norn_args *args, unsigned long long least, unsigned long long most);

/* For help and man page: all options in order, --help last, NULL past it; whether it has a short form. */
const struct norn_option *norn_option_at(const struct norn_command *command, unsigned i);
bool norn_option_letter(const struct norn_option *option);
void norn_help(FILE *to, const struct norn_command *command);

#endif
