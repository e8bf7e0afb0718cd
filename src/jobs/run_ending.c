#include "jobs/run_ending.h"

#include <limits.h>
#include <string.h>

#include "finding/run_end_findings.h"
#include "jobs/say.h"
#include "program/program.h"
#include "trace/site_table.h"

/* Source positions are looked up only if the program is still the one that ran, and nothing is said if it is not. */
static struct norn_program *open_program(const struct norn_checking *c, const struct norn_trace *trace)
{
	struct norn_program *program = norn_program_new();
	uint32_t base;
	const char *path, *last = NULL;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++) {
		char place[PATH_MAX];
		struct norn_error err = {0};
		if (last && strcmp(last, path) == 0)
			continue; /* another unit of the same */
		last = path;
		uint32_t m = norn_program_modules(program);
		if (norn_program_add(program, norn_checker_module(c, trace, path, place), 0, &err) != 0)
			continue;
		norn_program_set_load(program, m, norn_trace_load(trace, i));
		if (!norn_program_matches_sites(program, m, table, norn_site_open_bytes(table))) {
			norn_program_free(program);
			return NULL;
		}
	}
	return program;
}

static int find(void *context, uint64_t address, bool returns, const char **ret_file, unsigned *ret_line, const char **ret_function)
{
	return norn_program_code_place(context, address - returns, ret_file, ret_line, ret_function);
}

int norn_judge_run_end(const struct norn_checking *c, struct norn_trace *trace, struct norn_findings *findings)
{
	struct norn_run_end end;
	struct norn_error err = {0};
	norn_run_end_read(trace, &end);
	struct norn_program *program = end.crashed ? open_program(c, trace) : NULL;
	const struct norn_place_finder finder = {find, program};
	int r = norn_run_end_findings(trace, &end, program ? &finder : NULL, findings, &err);
	norn_program_free(program);
	norn_run_end_done(&end);
	return r == 0 ? NORN_EXIT_OK : norn_fail("%s: %s", c->trace, err.message);
}
