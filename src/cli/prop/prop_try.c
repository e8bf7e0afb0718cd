/* norn prop try: play a trace against a property by hand. */
#include <stdlib.h>

#include "cli/prop/prop.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "monitor/explain/try.h"

static int run(int argc, char **argv);

const struct norn_command norn_command_prop_try = {
        .name = "prop try",
        .run = run,
        .operands = "FILE NAME STEPS",
        .summary = "Play a trace against a property by hand",
        .description = "STEPS are positions separated by blanks. Each is `-`, where nothing holds, or what is so there, joined by "
                       "commas: `p` is "
                       "an event that happens, or a variable that is true at this position only; `x=1` gives a variable a value "
                       "that lasts. "
                       "At first all variables are 0.\n\n"
                       "Prints the verdicts: T, F and ? (open) of formulas, M (match), ? and F (dead) of expressions and automata. "
                       "For ptltl "
                       "there is one per position; for the others, the first is that of the empty run. Keys and parameters of "
                       "events are not "
                       "looked at: it is one instance that is tried.\n\n"
                       "Of an ltl property, steps in parentheses at the end are repeated for ever, as in `- ( p - )`; the last "
                       "verdict is then that of the infinite run.\n\n"
                       "norn prop try landing.prop landing 'radio=1 approved=1 radio=0 landing=1'",
};

static int try_steps(const char *path, const char *name, const char *steps)
{
	struct norn_prop_file file;
	int status = norn_prop_load(&file, path, NULL);
	if (status != NORN_EXIT_OK)
		return status;
	const struct norn_property *property = norn_prop_find(&file, path, name, "tried");
	status = NORN_EXIT_USAGE;
	if (property) {
		struct norn_error err = {0};
		char *verdicts;
		if (norn_try_play(file.spec, property, steps, &verdicts, &err) == 0) {
			puts(verdicts);
			free(verdicts);
			status = NORN_EXIT_OK;
		} else {
			status = norn_fail("%s: %s", name, err.message);
		}
	}
	norn_prop_unload(&file);
	return status;
}

static int run(int argc, char **argv)
{
	const char *operands[3] = {0};
	int count = 0;
	struct norn_args args;
	norn_args_init(&args, &norn_command_prop_try, argc, argv);
	while (norn_args_next(&args)) {
		if (count == 3)
			return norn_fail("%s is one too many: put the steps into quotes, as in 'p - q'", args.value);
		operands[count++] = args.value;
		args.operands_only = count == 2; /* steps may begin with - */
	}
	if (count < 3)
		return norn_fail(
		        "norn prop try needs a file, the name of a property in it, and steps: norn prop try FILE NAME 'p - q'");
	return try_steps(operands[0], operands[1], operands[2]);
}
