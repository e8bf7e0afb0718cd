/* norn observe: judge programs while they run. */
#include <stdlib.h>

#include "base/must.h"
#include "cli/commands.h"
#include "jobs/observer.h"
#include "jobs/say.h"

enum { LISTEN = 700, ANYWHERE, ONCE, TOKEN_FILE };

static const struct norn_option options[] = {
        {LISTEN, "listen", "ADDRESS",
                "Where to listen: unix:PATH, a socket that only you can use, or tcp:HOST:PORT. Port 0: any that is free.", NULL},
        {ANYWHERE, "listen-anywhere", NULL, "Let HOST be an address that other machines can reach. Nothing is encrypted.", NULL},
        {TOKEN_FILE, "token-file", "FILE",
                "Take the token that programs need from FILE instead of printing a new one; if there is no such file, make it.",
                NULL},
        {ONCE, "once", NULL, "End when the first program has ended, and all others that came meanwhile.", NULL},
        NORN_CHECK_SEARCH_OPTIONS,
        {0},
};

static int run(int argc, char **argv)
{
	struct norn_observing observing = {
	        .checking = {.props = norn_must_calloc((size_t)argc + 1, sizeof(char *)), .only_props = true}};
	struct norn_args args;
	int status = NORN_EXIT_OK;
	norn_args_init(&args, &norn_command_observe, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		switch (id) {
		case LISTEN:
			observing.listen = args.value;
			break;
		case ANYWHERE:
			observing.anywhere = true;
			break;
		case TOKEN_FILE:
			observing.token_file = args.value;
			break;
		case ONCE:
			observing.once = true;
			break;
		case NORN_OPERAND:
			status = norn_fail("what is %s? To start a program and observe it: norn run --observe", args.value);
			break;
		default:
			norn_checker_option(&observing.checking, id, &args);
		}
	if (status == NORN_EXIT_OK && !observing.listen)
		status = norn_fail("where to listen? For example: norn observe --listen unix:norn.socket --prop FILE");
	if (status == NORN_EXIT_OK)
		status = norn_observer_watch(&observing, NULL);
	free(observing.checking.props);
	return status;
}

const struct norn_command norn_command_observe = {
        .name = "observe",
        .run = run,
        .operands = "",
        .summary = "Judge programs by properties while they run",
        .description =
                "Listens for programs that were built by norn cc, and predicts violations while they run. A program is started as "
                "the first line that is printed says: with NORN_OPTIONS=observer=ADDRESS,token=TOKEN. Violations are shown as soon "
                "as they are known, and a summary for each program when it has ended. SIGINT and SIGTERM end the observer, with a "
                "summary of what it has.\n\n"
                "Exit status: 0 nothing found, 1 findings, 2 something is wrong with the input, 3 nothing found but not all could "
                "be judged. docs/observer.md tells more.",
        .options = options,
};
