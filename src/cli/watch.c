/* norn watch: run a program with its monitors inside it. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "cli/commands.h"
#include "jobs/say.h"
#include "jobs/watch/watcher.h"
#include "scope/scope_engine.h"

enum { PROP = 700, MODE, JSON, MODULE, PLAN };

static const struct norn_option options[] = {
        {PROP, "prop", "FILE", "Judge by the properties in FILE. May be given several times.", NULL},
        {MODE, "mode", "MODE",
                "global: one monitor for all threads, which judges their events in the order in which they happen (the default). "
                "thread: one monitor for each "
                "thread, which sees that thread's events alone. Scopes are judged by the program's own synchronization; if global "
                "is asked "
                "for, all their events go through one lock. mttl is the same in all modes.",
                NULL},
        {JSON, "json", "FILE", "Write the findings to FILE as JSON, too; - is standard output.", NULL},
        {MODULE, "module", "FILE",
                "A library that the program loads while it runs (dlopen), if properties name its variables. May be given several "
                "times.",
                NULL},
        {PLAN, "plan", "FD",
                "For the runtime (NORN_OPTIONS=prop=FILE): write what the program needs to know to this file descriptor, and run "
                "nothing.",
                NULL},
        {0},
};

static int read_mode(const char *word, enum norn_watch_mode *ret_mode)
{
	*ret_mode = strcmp(word, "thread") == 0 ? NORN_WATCH_THREAD : NORN_WATCH_GLOBAL;
	norn_scope_plan_global = *ret_mode == NORN_WATCH_GLOBAL;
	if (strcmp(word, "thread") == 0 || strcmp(word, "global") == 0)
		return NORN_EXIT_OK;
	return norn_fail("there is no mode %s: it is global or thread", word);
}

static int run(int argc, char **argv)
{
	struct norn_watching_options watching = {.props = norn_must_calloc((size_t)argc + 1, sizeof(char *)),
	        .modules = norn_must_calloc((size_t)argc + 1, sizeof(char *))};
	struct norn_args args;
	int status = NORN_EXIT_OK, plan = -1;
	norn_args_init(&args, &norn_command_watch, argc, argv);
	for (int id; status == NORN_EXIT_OK && (id = norn_args_next(&args));)
		switch (id) {
		case PROP:
			watching.props[watching.prop_count++] = args.value;
			break;
		case MODE:
			status = read_mode(args.value, &watching.mode);
			break;
		case JSON:
			watching.json = args.value;
			break;
		case MODULE:
			watching.modules[watching.module_count++] = args.value;
			break;
		case PLAN:
			plan = (int)norn_args_number(&args, 0, 1u << 20);
			break;
		}
	if (status == NORN_EXIT_OK && args.index >= argc)
		status = norn_fail("which program? For example: norn watch --prop FILE ./prog");
	if (status == NORN_EXIT_OK && !watching.prop_count)
		status = norn_fail("what is the program to be judged by? Name a file of properties: --prop FILE");
	if (status == NORN_EXIT_OK)
		status = plan >= 0 ? norn_watcher_plan(&watching, argv[args.index], plan)
		                   : norn_watcher_run(&watching, argv + args.index);
	free(watching.props);
	free(watching.modules);
	return status;
}

const struct norn_command norn_command_watch = {
        .name = "watch",
        .run = run,
        .operands = "[--] PROG [ARG…]",
        .summary = "Run a program with monitors inside it, which act at once",
        .description = "Properties are judged in the program's own threads, while it runs: there is no trace and no observer. A "
                       "violation is shown at once, and the "
                       "actions that the property names (call, abort, reset, and callbacks of norn_on_violation) run in the thread "
                       "that violated it. Nothing is "
                       "predicted: that is what norn run is for. The program must be built by norn cc; with --level sync, or "
                       "--prop FILE, it pays only for what "
                       "its properties need.\n\n"
                       "Without this command the same is done by NORN_OPTIONS=prop=FILE ./prog (mode=thread, json=FILE: findings "
                       "are appended, a line each).\n\n"
                       "Exit status: 0 nothing found, 1 findings, 2 something is wrong with the input, 3 nothing found but not all "
                       "could be judged. The program's own "
                       "exit status is shown, and does not mix with these.",
        .options = options,
        .leading = true,
};
