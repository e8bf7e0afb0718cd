#include "cli/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "trace/rapid.h"

/* thread|op(target)…: what every line of RAPID's text looks like, and nothing else does. */
static bool is_rapid_line(const char *line)
{
	const char *bar = strchr(line, '|'), *open = bar ? strchr(bar, '(') : NULL;
	static const char *const ops[] = {"r", "w", "acq", "rel", "fork", "join", "begin", "end"};
	for (unsigned i = 0; bar && bar > line && i < sizeof ops / sizeof *ops; i++) {
		size_t length = strlen(ops[i]);
		if (strncmp(bar + 1, ops[i], length) != 0)
			continue;
		if (open == bar + 1 + length || bar[1 + length] == '|')
			return true;
	}
	return false;
}

static bool is_rapid(FILE *from)
{
	char line[512];
	bool found = false;
	while (fgets(line, sizeof line, from) && !(found = line[strspn(line, " \t\r\n")] != 0))
		;
	rewind(from);
	return found && is_rapid_line(line);
}

/* A file that has no name any more once it is open. */
static int import(FILE *from, const char *name, struct norn_trace **ret_trace)
{
	struct norn_error err = {0};
	struct norn_rapid_import result;
	char directory[PATH_MAX], path[PATH_MAX + 16];
	const char *place = getenv("TMPDIR");
	snprintf(directory, sizeof directory, "%s/norn-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(directory))
		return norn_fail("there is no room for %s: %s: %s", name, directory, strerror(errno));
	snprintf(path, sizeof path, "%s/trace", directory);
	int r = norn_rapid_import(from, name, path, &result, &err);
	if (r == 0)
		r = norn_trace_open(path, false, ret_trace, &err);
	unlink(path);
	rmdir(directory);
	return r == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}

int norn_open(const char *path, bool partial, struct norn_trace **ret_trace)
{
	struct norn_error err = {0};
	FILE *from = fopen(path, "re");
	if (from && is_rapid(from)) {
		int status = import(from, path, ret_trace);
		fclose(from);
		return status;
	}
	if (from)
		fclose(from);
	return norn_trace_open(path, partial, ret_trace, &err) == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}
