#include "cli/prop/prop.h"

#include <string.h>

#include "base/text/nearest_word.h"
#include "cli/commands.h"
#include "jobs/say.h"

static const struct norn_command *const commands[] = {
        &norn_command_prop_check,
        &norn_command_prop_fmt,
        &norn_command_prop_explain,
        &norn_command_prop_try,
        NULL,
};

static int run(int argc, char **argv);

const struct norn_command norn_command_prop = {
        .name = "prop",
        .run = run,
        .operands = "COMMAND …",
        .summary = "Work with properties in .prop files",
        .commands = commands,
        .leading = true,
};

static const char *short_name(const struct norn_command *command)
{
	return strrchr(command->name, ' ') + 1;
}

static const char *name_at(const void *names, unsigned i)
{
	(void)names;
	return short_name(commands[i]);
}

static int unknown(const char *name)
{
	unsigned count = 0;
	while (commands[count])
		count++;
	const char *nearest = norn_nearest(name, count, name_at, NULL);
	if (nearest)
		return norn_fail("there is no command prop %s: did you mean `norn prop %s`?", name, nearest);
	return norn_fail("there is no command prop %s; `norn prop --help` lists them", name);
}

static int run(int argc, char **argv)
{
	struct norn_args args;
	norn_args_init(&args, &norn_command_prop, argc, argv);
	norn_args_next(&args);
	if (args.index >= argc)
		return norn_fail("what about properties? `norn prop --help` lists the commands");
	const char *name = argv[args.index];
	for (unsigned i = 0; commands[i]; i++)
		if (strcmp(short_name(commands[i]), name) == 0)
			return commands[i]->run(argc - args.index, argv + args.index);
	return unknown(name);
}
