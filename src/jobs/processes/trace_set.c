#include "jobs/processes/trace_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "jobs/say.h"

void norn_trace_set_done(struct norn_trace_set *set)
{
	for (uint32_t i = 0; i < set->paths.count; i++) {
		free(set->paths.items[i]);
		free(set->real.items[i]);
	}
	norn_vector_done(&set->paths);
	norn_vector_done(&set->real);
}

static void add_file(struct norn_trace_set *set, const char *path)
{
	char place[PATH_MAX];
	const char *real = realpath(path, place) ? place : path;
	for (uint32_t i = 0; i < set->real.count; i++)
		if (strcmp(set->real.items[i], real) == 0)
			return;
	norn_must_push(&set->paths, norn_must_text(path));
	norn_must_push(&set->real, norn_must_text(real));
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);
	return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* By how it begins. Older traces, and those that were never completed, are judged only if they are named. */
static bool is_trace(const char *path)
{
	char magic[sizeof NORN_FILE_MAGIC - 1];
	FILE *from = ends_in(path, ".old") || ends_in(path, ".part") ? NULL : fopen(path, "re");
	bool found = from && fread(magic, sizeof magic, 1, from) == 1 && memcmp(magic, NORN_FILE_MAGIC, sizeof magic) == 0;
	if (from)
		fclose(from);
	return found;
}

static int add_directory(struct norn_trace_set *set, const char *path)
{
	struct dirent **names;
	uint32_t before = set->paths.count;
	int count = scandir(path, &names, NULL, alphasort);
	if (count < 0)
		return norn_fail("cannot read %s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char file[PATH_MAX];
		struct stat st;
		if (snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name) < (int)sizeof file && stat(file, &st) == 0 &&
		        S_ISREG(st.st_mode) && is_trace(file))
			add_file(set, file);
		free(names[i]);
	}
	free(names);
	return set->paths.count > before ? NORN_EXIT_OK : norn_fail("there is no trace in %s", path);
}

int norn_trace_set_add(struct norn_trace_set *set, const char *path)
{
	struct stat st;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_directory(set, path);
	add_file(set, path);
	return NORN_EXIT_OK;
}

uint32_t norn_trace_set_add_processes(struct norn_trace_set *set, const struct norn_trace *trace)
{
	const char *at = norn_trace_info(trace, "processes"), *path = norn_trace_path(trace);
	uint32_t missing = 0;
	while (at && *at) {
		char file[PATH_MAX];
		size_t length = strcspn(at, "/");
		int n = snprintf(file, sizeof file, "%.*s%.*s", (int)(basename(path) - path), path, (int)length, at);
		if (n < (int)sizeof file && access(file, F_OK) == 0)
			add_file(set, file);
		else
			missing++;
		at += length + (at[length] == '/');
	}
	return missing;
}
