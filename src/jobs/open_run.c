#include "jobs/open_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "jobs/say.h"

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
	for (unsigned i = 0; i < 1000 && !found && fgets(line, sizeof line, from); i++) /* /dev/zero has no end */
		found = line[strspn(line, " \t\r\n")] != 0;
	rewind(from);
	return found && is_rapid_line(line);
}

static int open_text(FILE *from, const char *path, struct norn_run **ret_run)
{
	struct norn_error err = {0};
	struct norn_rapid_text *text;
	if (norn_rapid_text_new(from, path, &text, &err) != 0)
		return norn_fail_error(&err);
	*ret_run = norn_run_of_text(text);
	return NORN_EXIT_OK;
}

int norn_open(const char *path, bool partial, struct norn_trace **ret_trace)
{
	struct norn_error err = {0};
	int r = norn_trace_open(path, partial, ret_trace, &err);
	if (r == -ENOENT && strcmp(path, "norn.trace") == 0)
		return norn_fail("there is no norn.trace here: `norn run ./prog` makes one, or name a trace");
	return r == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}

static int open_trace(const char *path, bool partial, struct norn_run **ret_run)
{
	struct norn_trace *trace;
	int status = norn_open(path, partial, &trace);
	if (status == NORN_EXIT_OK)
		*ret_run = norn_run_of_trace(trace);
	return status;
}

int norn_open_run(const char *path, bool partial, struct norn_run **ret_run)
{
	struct stat st; /* a pipe that no process writes is not waited for */
	FILE *from = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	bool text = from && is_rapid(from);
	int status = text ? open_text(from, path, ret_run) : open_trace(path, partial, ret_run);
	if (from)
		fclose(from);
	return status;
}

void norn_close_run(struct norn_run *run)
{
	struct norn_trace *trace = norn_run_recorded(run);
	norn_run_free(run);
	if (trace)
		norn_trace_close(trace);
}
