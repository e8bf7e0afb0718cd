#include "jobs/initial_memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/checker.h"
#include "trace/site_table.h"

/* A file that is not there, or was built again since, tells nothing; nor does one that has not all hooks, as what it writes is not
 * seen; nor do the files of a process that was forked: it begins with what its parent had by then. */
static void open_modules(struct norn_initial_words *w)
{
	uint32_t base;
	const char *path, *last = NULL;
	const struct norn_site_table *table;
	w->opened = true;
	if (norn_trace_info(w->trace, "forked"))
		return;
	w->program = norn_program_new();
	for (unsigned i = 0; norn_trace_module(w->trace, i, &base, &path, &table); i++) {
		struct norn_error err = {0};
		char place[PATH_MAX];
		uint32_t m = norn_program_modules(w->program);
		bool again = last && strcmp(last, path) == 0; /* another translation unit of the same module */
		last = path;
		if (!again && norn_program_add(w->program, norn_checker_module(w->checking, w->trace, path, place), 0, &err) == 0)
			norn_program_set_load(w->program, m, norn_trace_load(w->trace, i));
		bool there = norn_program_modules(w->program) > 0 &&
		             norn_program_matches_sites(
		                     w->program, norn_program_modules(w->program) - 1, table, norn_site_open_bytes(table));
		if (!there || table->level < NORN_INSTRUMENT_LEVEL_SHARED || table->only) {
			norn_program_free(w->program);
			w->program = NULL;
			return;
		}
	}
}

bool norn_initial_words_get(void *words, uint64_t addr, uint64_t *ret_word)
{
	struct norn_initial_words *w = words;
	if (!w->opened)
		open_modules(w);
	for (uint32_t m = 0; w->program && m < norn_program_modules(w->program); m++) {
		uint64_t bias = norn_program_bias(w->program, m);
		if (addr >= bias && norn_program_initial(w->program, m, addr - bias, ret_word, sizeof *ret_word) == 0)
			return true;
	}
	return false;
}

void norn_initial_words_done(struct norn_initial_words *words)
{
	norn_program_free(words->program);
}
