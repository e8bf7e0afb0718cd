/* norn: finds the sub-command and hands over to it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/nearest_word.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man.h"
#include "jobs/say.h"

const struct norn_command *const norn_commands[] = {
        &norn_command_cc,
        &norn_command_cxx,
        &norn_command_run,
        &norn_command_record,
        &norn_command_check,
        &norn_command_confirm,
        &norn_command_replay,
        &norn_command_observe,
        &norn_command_watch,
        &norn_command_report,
        &norn_command_coverage,
        &norn_command_baseline,
        &norn_command_diff,
        &norn_command_explain,
        &norn_command_dump,
        &norn_command_stats,
        &norn_command_convert,
        &norn_command_prop,
        &norn_command_scope,
        &norn_command_effects,
        &norn_command_doctor,
        NULL,
};

static const char *command_name(const void *names, unsigned i)
{
	(void)names;
	return norn_commands[i]->name;
}

static const struct norn_command *find(const char *name)
{
	unsigned count = 0;
	for (; norn_commands[count]; count++)
		if (strcmp(norn_commands[count]->name, name) == 0)
			return norn_commands[count];
	const char *nearest = norn_nearest(name, count, command_name, NULL);
	if (nearest)
		norn_fail("there is no command %s: did you mean `norn %s`?", name, nearest);
	else
		norn_fail("there is no command %s; `norn --help` lists them", name);
	exit(NORN_EXIT_USAGE);
}

static int overview(void)
{
	puts("Usage: norn COMMAND [OPTION…] …\n\n" NORN_ABOUT ".\n\nCommands:");
	for (unsigned i = 0; norn_commands[i]; i++)
		printf("  %-10s %s\n", norn_commands[i]->name, norn_commands[i]->summary);
	puts("\n`norn COMMAND --help` and `norn help COMMAND` tell more; `norn --version` tells the version.");
	return NORN_EXIT_OK;
}

static int version(void)
{
	printf("norn " NORN_VERSION " (commit %s)\n", norn_commit);
	return NORN_EXIT_OK;
}

/* Of a command that has commands of its own: "prop check" is called check there. */
static int help_part(const struct norn_command *command, const char *name)
{
	for (const struct norn_command *const *part = command->commands; *part; part++)
		if (strcmp(strrchr((*part)->name, ' ') + 1, name) == 0) {
			norn_help(stdout, *part);
			return NORN_EXIT_OK;
		}
	return norn_fail("there is no command %s %s; `norn help %s` lists them", command->name, name, command->name);
}

static int help(int argc, char **argv)
{
	if (argc < 2)
		return overview();
	const struct norn_command *command = find(argv[1]);
	if (command->commands && argc > 2)
		return help_part(command, argv[2]);
	norn_help(stdout, command);
	return NORN_EXIT_OK;
}

static bool ends(const char *word, const char *tail)
{
	size_t a = strlen(word), b = strlen(tail);
	return a >= b && strcmp(word + a - b, tail) == 0;
}

/* norn-cc and norn-c++ are links to norn, for build systems that want a compiler's name to be one word. */
static const struct norn_command *by_own_name(const char *self)
{
	const char *slash = strrchr(self, '/'), *base = slash ? slash + 1 : self;
	if (ends(base, "norn-cc"))
		return &norn_command_cc;
	if (ends(base, "norn-c++"))
		return &norn_command_cxx;
	return NULL;
}

/* What is opened later shall not become standard input, output or error, and get what is meant for these. Programs that are started
 * find them closed, as they were. */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC); /* it can be used as little as before */
}

int main(int argc, char **argv)
{
	hold_standard_descriptors();
	atexit(norn_finish_output);
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a line is one write */
	const struct norn_command *command = argc > 0 ? by_own_name(argv[0]) : NULL;
	if (command)
		return command->run(argc, argv);
	if (argc < 2)
		return norn_fail("a command is missing; `norn --help` lists them");
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return overview();
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return version();
	if (strcmp(word, "--man") == 0)
		return argc > 2 ? norn_man_command(stdout, find(argv[2])) : norn_man(stdout);
	if (strcmp(word, "--completion") == 0)
		return norn_completion(argc > 2 ? argv[2] : "nothing", stdout);
	if (strcmp(word, "help") == 0)
		return help(argc - 1, argv + 1);
	if (word[0] == '-')
		return norn_fail("norn has no option %s; `norn --help` lists the commands", word);
	return find(word)->run(argc - 1, argv + 1);
}
