#include "jobs/results/source_paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "program/source_files.h"
#include "trace/reader.h"
#include "trace/site_table.h"

struct path_search {
	struct norn_source_files files;
	struct norn_findings *findings;
};

/* Is name all of the path, or its end from a slash on? */
static bool ends_with(const char *path, const char *name)
{
	size_t length = strlen(path), end = strlen(name);
	return length > end && path[length - end - 1] == '/' && strcmp(path + length - end, name) == 0;
}

/* The one source file that this may be the name of; false: there is none, or there are several. */
static bool find_file(const struct norn_source_files *files, const char *file, char found[PATH_MAX])
{
	char real[PATH_MAX];
	*found = 0;
	for (uint32_t i = 0; i < files->count; i++) {
		if (!ends_with(files->items[i], file) || !realpath(files->items[i], real))
			continue;
		if (*found && strcmp(found, real) != 0)
			return false;
		strcpy(found, real);
	}
	return *found;
}

static void look_up(struct path_search *s, const char *file)
{
	char found[PATH_MAX];
	if (!*file || *file == '/' || norn_findings_path(s->findings, file) != file)
		return;
	if (find_file(&s->files, file, found))
		norn_findings_add_path(s->findings, file, found);
}

static void look_up_steps(struct path_search *s, const struct norn_step_text *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		look_up(s, steps[i].file);
}

static void look_up_finding(struct path_search *s, const struct norn_finding *f)
{
	look_up_steps(s, f->where, f->where_count);
	look_up_steps(s, f->also, f->also_count);
	look_up_steps(s, f->witness, f->witness_count);
	for (uint32_t i = 0; f->sides && i < f->where_count; i++) {
		look_up_steps(s, f->sides[i].frames, f->sides[i].frame_count);
		look_up_steps(s, f->sides[i].locks, f->sides[i].lock_count);
	}
}

void norn_source_paths_find(const struct norn_checking *c, const struct norn_trace *trace, struct norn_findings *findings)
{
	struct path_search s = {.findings = findings};
	uint32_t base;
	const char *path, *before = "";
	const struct norn_site_table *table;
	for (unsigned i = 0; findings->count && norn_trace_module(trace, i, &base, &path, &table); i++) {
		char place[PATH_MAX];
		if (strcmp(path, before) != 0) /* a module has a table for each of its units */
			norn_source_files_add(&s.files, norn_checker_module(c, trace, path, place));
		before = path;
	}
	for (uint32_t i = 0; i < findings->count; i++)
		look_up_finding(&s, &findings->list[i]);
	norn_source_files_done(&s.files);
}
