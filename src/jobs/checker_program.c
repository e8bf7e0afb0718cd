/* The program of a trace: the executable and the libraries that the run had, as files that are there now. */
#include "jobs/checker.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jobs/say.h"
#include "program/program.h"
#include "trace/reader.h"
#include "trace/site_table.h"

static bool is_first_word(const char *command, const char *word)
{
	size_t length = strlen(word);
	return strncmp(command, word, length) == 0 && (command[length] == ' ' || command[length] == 0);
}

/* Has the program that the command names this base name? Its module has its path as the kernel tells it, without links. */
static bool has_base_name(const char *command, const char *path)
{
	const char *base = strrchr(path, '/'), *word = command;
	for (const char *c = command; *c && *c != ' '; c++)
		word = *c == '/' ? c + 1 : word;
	return base && is_first_word(word, base + 1);
}

const char *norn_checker_executable(const struct norn_trace *trace)
{
	uint32_t base;
	const char *path, *first = NULL, *alike = NULL, *command = norn_trace_info(trace, "command");
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++) {
		if (command && is_first_word(command, path))
			return path;
		if (command && !alike && has_base_name(command, path))
			alike = path;
		if (!first || (strstr(first, ".so") && !strstr(path, ".so")))
			first = path;
	}
	return alike ? alike : first;
}

/* The file that stands for a module of the trace: --program for the executable, or the module of that name. */
static const char *file_for(const struct norn_checking *c, const char *path, const char *main_path)
{
	if (!c->program)
		return path;
	return strcmp(basename(path), basename(c->program)) == 0 || strcmp(path, main_path) == 0 ? c->program : path;
}

/* A relative name is one from where the program was started; or it lies beside the trace, or here. */
static const char *locate(const struct norn_checking *c, const struct norn_trace *trace, const char *file, char place[PATH_MAX])
{
	const char *directory = norn_trace_info(trace, "directory");
	if (file[0] == '/' || file == c->program)
		return file;
	if (directory && snprintf(place, PATH_MAX, "%s/%s", directory, file) < PATH_MAX && access(place, F_OK) == 0)
		return place;
	if (snprintf(place, PATH_MAX, "%.*s%s", (int)(basename(c->trace) - c->trace), c->trace, file) < PATH_MAX &&
	        access(place, F_OK) == 0)
		return place;
	return file;
}

/* Number of the module if it is in the program already, else how many there are. */
static uint32_t find_module(const struct norn_program *program, const char *path)
{
	uint32_t m = 0;
	while (m < norn_program_modules(program) && strcmp(norn_program_path(program, m), path) != 0)
		m++;
	return m;
}

const char *norn_checker_module(
        const struct norn_checking *c, const struct norn_trace *trace, const char *path, char place[PATH_MAX])
{
	return locate(c, trace, file_for(c, path, norn_checker_executable(trace)), place);
}

static int add_modules(const struct norn_checking *c, struct norn_trace *trace, struct norn_program *program)
{
	uint32_t base;
	const char *path, *main_path = norn_checker_executable(trace), *missing = NULL;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++) {
		struct norn_error err = {0};
		if (missing && strcmp(missing, path) == 0)
			continue;
		char place[PATH_MAX];
		const char *file = locate(c, trace, file_for(c, path, main_path), place);
		uint32_t m = find_module(program, file);
		if (m == norn_program_modules(program)) {
			bool library = strcmp(path, main_path) != 0;
			int r = norn_program_add(program, file, 0, &err);
			if (r != 0 && library) {
				norn_note("the library %s is not there: what is in it cannot be named, nor are its initial values "
				          "known",
				        file);
				missing = path;
				continue;
			}
			if (r != 0)
				return norn_fail("%s (--program FILE)", err.message);
			norn_program_set_load(program, m, norn_trace_load(trace, i));
		}
		if (!norn_program_matches_sites(program, m, table, norn_site_open_bytes(table)))
			return norn_fail("%s was built again since it was recorded: record it again, or name the program that was "
			                 "recorded: --program FILE",
			        file);
	}
	if (!main_path)
		return norn_fail("%s names no program", norn_trace_path(trace));
	return NORN_EXIT_OK;
}

bool norn_checker_is_loaded_by(const struct norn_checking *c, struct norn_trace *trace, struct norn_program *program)
{
	uint32_t base;
	const char *path, *main_path = norn_checker_executable(trace);
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++) {
		char place[PATH_MAX];
		uint32_t m = find_module(program, locate(c, trace, file_for(c, path, main_path), place));
		if (m == norn_program_modules(program) ||
		        !norn_program_matches_sites(program, m, table, norn_site_open_bytes(table)))
			return false;
		norn_program_set_load(program, m, norn_trace_load(trace, i));
	}
	return main_path;
}

int norn_checker_program(const struct norn_checking *c, struct norn_trace *trace, struct norn_program **ret_program)
{
	struct norn_program *program = norn_program_new();
	int status = add_modules(c, trace, program);
	const char *name;
	for (uint32_t i = 0; status == NORN_EXIT_OK && (name = norn_trace_name_at(trace, i)); i++)
		if (*name)
			norn_program_add_set(program, name);
	if (status == NORN_EXIT_OK)
		*ret_program = program;
	else
		norn_program_free(program);
	return status;
}
