/* The initial contents of a recorded program's static memory, from its files: opened when it is first asked for, and silent about
 * those that are not there. */
#ifndef NORN_JOBS_INITIAL_MEMORY_H
#define NORN_JOBS_INITIAL_MEMORY_H

#include "program/program.h"
#include "trace/reader.h"

struct norn_checking;

struct norn_initial_words {
	const struct norn_checking *checking;
	struct norn_trace *trace; /* NULL: there is none */
	struct norn_program *program; /* NULL: not known */
	bool opened;
};

/* The word at this address; false: not known. A norn_graph_initial_word. */
bool norn_initial_words_get(void *words, uint64_t addr, uint64_t *ret_word);
void norn_initial_words_done(struct norn_initial_words *words);

#endif
