#include "jobs/prop_load.h"

#include <string.h>

#include "base/text/nearest_word.h"
#include "jobs/say.h"

/* Reads the file and checks it. A file with syntax errors is not checked further: most diagnostics would be consequences. */
static int load(struct norn_prop_file *file, const char *path, const struct norn_program *program, struct norn_error *err)
{
	uint32_t number;
	file->sources = norn_sources_new();
	int r = norn_sources_read(file->sources, path, &number, err);
	if (r != 0)
		return r;
	file->tree = norn_tree_parse(file->sources, number);
	if (norn_diagnostics_errors(file->sources) == 0)
		file->spec = norn_spec_check(file->sources, file->tree, program);
	return 0;
}

int norn_prop_load(struct norn_prop_file *file, const char *path, const char *program)
{
	struct norn_error err = {0};
	memset(file, 0, sizeof *file);
	int status, r = 0;
	if (program) {
		file->program = norn_program_new();
		r = norn_program_add(file->program, program, 0, &err);
	}
	if (r == 0)
		r = load(file, path, file->program, &err);
	if (r < 0)
		status = norn_fail_error(&err);
	else
		status = norn_diagnostics_errors(file->sources) ? norn_prop_show_diagnostics(file->sources) : NORN_EXIT_OK;
	if (status != NORN_EXIT_OK)
		norn_prop_unload(file);
	return status;
}

int norn_prop_open(struct norn_prop_file *file, const char *path, const struct norn_program *program)
{
	struct norn_error err = {0};
	memset(file, 0, sizeof *file);
	int status = load(file, path, program, &err) < 0 ? norn_fail_error(&err) : norn_prop_show_diagnostics(file->sources);
	if (status != NORN_EXIT_OK)
		norn_prop_unload(file);
	return status;
}

int norn_prop_load_for(struct norn_prop_file *file, const char *path, const struct norn_program *program)
{
	int status = norn_prop_open(file, path, program);
	if (status != NORN_EXIT_OK || file->spec->property_count || file->spec->scope_count)
		return status;
	norn_prop_unload(file);
	return norn_fail("%s has no properties", path);
}

void norn_prop_unload(struct norn_prop_file *file)
{
	norn_spec_free(file->spec);
	norn_tree_free(file->tree);
	norn_sources_free(file->sources);
	norn_program_free(file->program);
	memset(file, 0, sizeof *file);
}

static const char *name_at(const void *names, unsigned i)
{
	return ((const struct norn_spec *)names)->properties[i].name;
}

static bool is_scope(const struct norn_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->scope_count; i++)
		if (strcmp(spec->scopes[i].name, name) == 0)
			return true;
	return false;
}

const struct norn_property *norn_prop_find(const struct norn_prop_file *file, const char *path, const char *name, const char *what)
{
	static const char *const kinds[] = {
	        [NORN_LOGIC_RACE] = "a built-in check for races",
	        [NORN_LOGIC_DEADLOCK] = "a built-in check for deadlocks",
	        [NORN_LOGIC_ATOMIC] = "a built-in check of atomic blocks",
	};
	const struct norn_property *property = norn_spec_property(file->spec, name);
	if (property && property->logic <= NORN_LOGIC_FSM)
		return property;
	if (property && property->logic == NORN_LOGIC_MTTL)
		norn_fail("%s is an mttl formula, about what threads know of each other: it needs a run to be %s; use norn check "
		          "--prop %s on a "
		          "recorded one, or norn watch --prop %s, whose findings say who knew what",
		        name, what, path, path);
	else if (property)
		norn_fail("%s is %s: it cannot be %s step by step yet", name, kinds[property->logic], what);
	else if (is_scope(file->spec, name))
		norn_fail("%s is a scope, which speaks of several threads: it cannot be %s step by step yet", name, what);
	else if (file->spec->property_count == 0)
		norn_fail("%s has no properties", path);
	else if (norn_nearest(name, file->spec->property_count, name_at, file->spec))
		norn_fail("%s has no property %s: did you mean %s?", path, name,
		        norn_nearest(name, file->spec->property_count, name_at, file->spec));
	else
		norn_fail("%s has no property %s; its first one is %s", path, name, file->spec->properties[0].name);
	return NULL;
}

int norn_prop_show_diagnostics(const struct norn_sources *sources)
{
	const struct norn_diagnostic *diagnostics;
	uint32_t count = norn_diagnostics(sources, &diagnostics), errors = norn_diagnostics_errors(sources), shown = 0;
	bool colour = norn_colour(stderr);
	fflush(stdout);
	for (uint32_t i = 0; i < count; i++) {
		norn_diagnostic_show(sources, &diagnostics[i], colour, stderr);
		shown += diagnostics[i].severity == NORN_SEVERITY_ERROR;
	}
	if (errors == 0)
		return NORN_EXIT_OK;
	if (shown < errors)
		return norn_fail("%u errors, of which the first %u are shown", errors, shown);
	return norn_fail("%u error%s", errors, errors == 1 ? "" : "s");
}
