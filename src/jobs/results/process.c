#include "jobs/results/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "jobs/checker.h"

/* Its arguments; of one that was forked only the program is known. */
static const char *command_of(const struct norn_trace *trace, struct norn_findings *f)
{
	const char *own = norn_trace_info(trace, "own-arguments"), *executable = own ? NULL : norn_checker_executable(trace);
	if (!own)
		return executable ? norn_findings_text(f, "%s (forked)", executable) : "";
	char *text = norn_must_text(own);
	for (char *c = text; *c; c++)
		*c = *c == NORN_ARGUMENT_END ? ' ' : *c;
	const char *kept = norn_findings_text(f, "%s", text);
	free(text);
	return kept;
}

struct norn_finding_process norn_process_of(const struct norn_trace *trace, struct norn_findings *f)
{
	const char *directory = norn_trace_info(trace, "own-directory");
	return (struct norn_finding_process){.pid = norn_trace_header(trace)->pid,
	        .trace = norn_findings_text(f, "%s", norn_trace_path(trace)),
	        .command = command_of(trace, f),
	        .directory = norn_findings_text(f, "%s", directory ? directory : "")};
}

/* A stored command line as an array, to be freed with its one text. */
static char **split(const char *stored)
{
	size_t count = 1;
	for (const char *c = stored; *c; c++)
		count += *c == NORN_ARGUMENT_END;
	char **argv = norn_must_alloc((count + 1) * sizeof *argv + strlen(stored) + 1, 1);
	char *text = strcpy((char *)(argv + count + 1), stored);
	for (size_t i = 0; i < count; i++) {
		argv[i] = text;
		text += strcspn(text, (const char[]){NORN_ARGUMENT_END, 0});
		*text++ = 0;
	}
	argv[count] = NULL;
	return argv;
}

/* Its directory, unless it is this one. False: it is not there any more. */
static bool find_directory(const char *directory, char place[PATH_MAX])
{
	char here[PATH_MAX];
	struct stat st;
	*place = 0;
	if (getcwd(here, sizeof here) && strcmp(here, directory) == 0)
		return true;
	if (*directory != '/' || strlen(directory) >= PATH_MAX || stat(directory, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	strcpy(place, directory);
	return true;
}

struct norn_process_beginning norn_process_beginning_of(const struct norn_trace *trace, bool child)
{
	struct norn_process_beginning b = {0};
	const char *command = norn_trace_info(trace, "arguments"), *own = norn_trace_info(trace, "own-arguments"),
	           *directory = norn_trace_info(trace, "own-directory");
	bool forked = norn_trace_info(trace, "forked");
	child |= command && own && !forked && strcmp(command, own) != 0;
	bool there = directory && find_directory(directory, b.directory);
	const char *stored = child ? own : command;
	if (child && forked)
		b.reason = "not tried: its process was begun by fork, and only what a program begins with can be replayed";
	else if (child && (!own || !directory))
		b.reason = "not tried: the trace does not say how its process was begun";
	else if (child && !there)
		b.reason = "not tried: the directory that its process was begun in is not there any more";
	else if (stored)
		b.argv = split(stored);
	return b;
}

const char *norn_process_path(const char *directory, const char *program, char place[PATH_MAX])
{
	if (!*directory || *program == '/' || !strchr(program, '/') ||
	        snprintf(place, PATH_MAX, "%s/%s", directory, program) >= PATH_MAX)
		return program;
	return place;
}
