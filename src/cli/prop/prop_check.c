#include <stdlib.h>

#include "cli/prop/prop.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "property/property.h"

static int run(int argc, char **argv);

static const struct norn_option options[] = {
        {'p', "program", "PROG", "The program that the properties are about: names and types are looked up in it.", NULL},
        {0},
};

const struct norn_command norn_command_prop_check = {
        .name = "prop check",
        .run = run,
        .operands = "FILE…",
        .summary = "Find mistakes in property files",
        .description =
                "Without --program, a name that no file declares stands for a variable, event or function that is yet to come. "
                "With it, every name must be one of the program's.\n\n"
                "Mistakes are shown with their place and, where Norn knows, what to write instead. The exit status is 2 if "
                "there are errors, and 0 if there are only warnings.",
        .options = options,
};

static int check_file(const char *path, const struct norn_program *program)
{
	struct norn_prop_file file;
	int status = norn_prop_open(&file, path, program);
	norn_prop_unload(&file);
	return status;
}

static int run(int argc, char **argv)
{
	const char *program_path = NULL;
	int files = 0, status = NORN_EXIT_OK;
	struct norn_args args;
	norn_args_init(&args, &norn_command_prop_check, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == 'p')
			program_path = args.value;
		else
			argv[files++] = (char *)args.value;
	if (files == 0)
		return norn_fail("which file? `norn prop check FILE` looks for mistakes in it");
	struct norn_error err = {0};
	struct norn_program *program = program_path ? norn_program_new() : NULL;
	if (program && norn_program_add(program, program_path, 0, &err) < 0) {
		norn_program_free(program);
		return norn_fail("%s", err.message);
	}
	for (int i = 0; i < files; i++)
		if (check_file(argv[i], program) != NORN_EXIT_OK)
			status = NORN_EXIT_USAGE;
	norn_program_free(program);
	return status;
}
