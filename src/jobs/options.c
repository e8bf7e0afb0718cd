#include "jobs/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/nearest_word.h"
#include "jobs/say.h"

#define WIDTH 100 /* of help */
#define INDENT 28

static const struct norn_option help_option = {'h', "help", NULL, "Show this help and exit.", NULL};

void norn_args_init(struct norn_args *args, const struct norn_command *command, int argc, char **argv)
{
	*args = (struct norn_args){.command = command, .argc = argc, .argv = argv, .index = 1};
}

bool norn_option_letter(const struct norn_option *option)
{
	return option->id > 0 && option->id < 128 && isalnum(option->id);
}

const struct norn_option *norn_option_at(const struct norn_command *command, unsigned i)
{
	if (command->options) {
		for (unsigned n = 0; command->options[n].id; n++)
			if (i-- == 0)
				return &command->options[n];
	}
	return i == 0 ? &help_option : NULL;
}

static const char *option_name(const void *command, unsigned i)
{
	return norn_option_at(command, i)->name;
}

static const struct norn_option *find_long(const struct norn_command *command, const char *name, size_t length)
{
	const struct norn_option *o;
	for (unsigned i = 0; (o = norn_option_at(command, i)); i++)
		if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

static const struct norn_option *find_letter(const struct norn_command *command, char letter)
{
	const struct norn_option *o;
	for (unsigned i = 0; (o = norn_option_at(command, i)); i++)
		if (norn_option_letter(o) && o->id == letter)
			return o;
	return NULL;
}

static _Noreturn void unknown_option(const struct norn_command *command, const char *name)
{
	unsigned count = 0;
	while (norn_option_at(command, count))
		count++;
	const char *nearest = norn_nearest(name, count, option_name, command);
	if (nearest)
		norn_fail("%s has no option --%s: did you mean --%s?", command->name, name, nearest);
	else
		norn_fail("%s has no option --%s; `norn %s --help` lists them", command->name, name, command->name);
	exit(NORN_EXIT_USAGE);
}

static int take(struct norn_args *args, const struct norn_option *option, const char *given, const char *attached)
{
	if (option == &help_option) {
		norn_help(stdout, args->command);
		exit(NORN_EXIT_OK);
	}
	args->value = NULL;
	args->option = option->name;
	if (!option->argument) {
		if (attached)
			exit(norn_fail("%s takes no argument", given));
		return option->id;
	}
	if (!attached && args->index < args->argc)
		attached = args->argv[args->index++];
	if (!attached)
		exit(norn_fail("%s needs an argument: %s", given, option->argument));
	args->value = attached;
	return option->id;
}

static int take_letter(struct norn_args *args)
{
	char given[] = {'-', *args->cluster++, 0};
	const struct norn_option *option = find_letter(args->command, given[1]);
	if (!option)
		exit(norn_fail(
		        "%s has no option %s; `norn %s --help` lists them", args->command->name, given, args->command->name));
	const char *rest = args->cluster;
	if (!*rest || option->argument)
		args->cluster = NULL;
	return take(args, option, given, option->argument && *rest ? rest : NULL);
}

static int take_long(struct norn_args *args, char *word)
{
	char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	char given[80];
	snprintf(given, sizeof given, "%.*s", (int)length, word);
	const struct norn_option *option = find_long(args->command, word + 2, length - 2);
	if (!option)
		unknown_option(args->command, given + 2);
	return take(args, option, given, equals ? equals + 1 : NULL);
}

int norn_args_next(struct norn_args *args)
{
	if (args->cluster)
		return take_letter(args);
	if (args->index >= args->argc)
		return 0;
	char *word = args->argv[args->index];
	if (!args->operands_only && strcmp(word, "--") == 0) {
		args->operands_only = true;
		args->index++;
		return norn_args_next(args);
	}
	if (args->operands_only || word[0] != '-' || !word[1]) {
		if (args->command->leading)
			return 0;
		args->value = word;
		args->option = NULL;
		args->index++;
		return NORN_OPERAND;
	}
	args->index++;
	if (word[1] == '-')
		return take_long(args, word);
	args->cluster = word + 1;
	return take_letter(args);
}

unsigned long long norn_args_number(const struct norn_args *args, unsigned long long least, unsigned long long most)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(args->value, &end, 0);
	if (errno || *end || end == args->value || args->value[0] == '-' || number < least || number > most)
		exit(norn_fail("%s is not a number from %llu to %llu%s%s", args->value, least, most, args->option ? ": --" : "",
		        args->option ? args->option : ""));
	return number;
}

/* Prints text from column on, broken at spaces, later lines indented. */
static void wrap(FILE *to, const char *text, unsigned column, unsigned indent)
{
	while (*text) {
		size_t word = strcspn(text, " \n");
		if (column > indent && column + 1 + word > WIDTH) {
			fprintf(to, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', to);
			column++;
		}
		fwrite(text, 1, word, to);
		column += word;
		text += word;
		if (strncmp(text, "\n\n", 2) == 0) {
			fprintf(to, "\n\n%*s", indent, "");
			column = indent;
			text += 2;
		} else if (*text) {
			text++;
		}
	}
	fputc('\n', to);
}

static void help_line(FILE *to, const struct norn_option *option)
{
	char label[120], letter[] = {'-', (char)option->id, ',', 0};
	int column = snprintf(label, sizeof label, "  %-3s --%s%s%s", norn_option_letter(option) ? letter : "", option->name,
	        option->argument ? " " : "", option->argument ? option->argument : "");
	fputs(label, to);
	if (column + 2 > INDENT) {
		fputc('\n', to);
		column = 0;
	}
	fprintf(to, "%*s", INDENT - column, "");
	wrap(to, option->help, INDENT, INDENT);
}

void norn_help(FILE *to, const struct norn_command *command)
{
	fprintf(to, "Usage: norn %s %s%s\n\n", command->name, command->options ? "[OPTION…] " : "", command->operands);
	fprintf(to, "%s.\n", command->summary);
	if (command->description) {
		fputc('\n', to);
		wrap(to, command->description, 0, 0);
	}
	if (command->commands)
		fputs("\nCommands:\n", to);
	for (unsigned i = 0; command->commands && command->commands[i]; i++)
		fprintf(to, "  norn %-*s %s.\n", INDENT - 8, command->commands[i]->name, command->commands[i]->summary);
	const char *heading = NULL;
	const struct norn_option *option;
	for (unsigned i = 0; (option = norn_option_at(command, i)); i++) {
		const char *category = option->category ? option->category : heading ? heading : "Options";
		if (!heading || strcmp(heading, category) != 0)
			fprintf(to, "\n%s:\n", heading = category);
		help_line(to, option);
	}
}
