/* A binding: the names of a spec, bound to one recorded run.
 *
 * It has the matching (judge/event_match.h), with the ranges of the spec's places, which are found out before the run is judged
 * where pointers lead to them (hidden_writes.h); a valuation is the values of their spots. It also knows which type each thread is
 * of. It points into spec, program and trace, which must live longer. */
#ifndef NORN_JUDGE_RECORDED_BINDING_H
#define NORN_JUDGE_RECORDED_BINDING_H

#include "judge/event_match.h"
#include "property/property.h"
#include "trace/reader.h"

#define NORN_TYPES_MAX 64u

struct norn_binding {
	const struct norn_spec *spec;
	const struct norn_program *program; /* may be NULL: initial values are unknown */
	const struct norn_trace *trace;
	uint32_t threads;

	struct norn_modules modules; /* of the trace */
	struct norn_event_match *event_match;
	struct norn_place_index *place_index; /* the matching's */

	uint64_t *types; /* per thread: a bit per thread type */
	bool forked; /* the process begins with what its parent had by then, not with what its files have */
	const char **started; /* per thread: name of the function that it entered first, "" if none */
};

/* Fails for lack of memory, or with a sentence if the trace cannot be read. */
int norn_binding_new(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace,
        struct norn_binding **ret_binding, struct norn_error *err);
void norn_binding_free(struct norn_binding *binding);
/* Finds out what threads were started with, even if the spec does not ask. */
int norn_binding_starts(struct norn_binding *binding, struct norn_trace *trace, struct norn_error *err);

/* For runs that are still going on. A thread that the trace has got since; there is then room for some more than that (threads).
 * started: the function that it entered first, "" if none; it may become known later. And the sites of modules that it has got
 * since. */
void norn_binding_add_thread(struct norn_binding *binding, uint32_t thread, const char *started);
void norn_binding_add_sites(struct norn_binding *binding);

static inline bool norn_binding_is_type(const struct norn_binding *b, uint32_t thread, uint32_t type)
{
	return thread < b->threads && b->types[thread] >> type & 1;
}

/* The memory at the start of the run, as the program's files have it: a norn_peek, whose context is the binding. */
bool norn_binding_peek(const void *binding, uint64_t address, void *to, size_t bytes);
static inline struct norn_spot_bytes norn_binding_initial(const struct norn_binding *b, uint32_t spot)
{
	return norn_spot_initial(b->place_index, spot, norn_binding_peek, b);
}

#endif
