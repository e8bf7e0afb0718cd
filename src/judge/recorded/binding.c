#include "judge/recorded/binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "judge/modules.h"
#include "trace/record.h"

/* ---- places ---- */

bool norn_binding_peek(const void *binding, uint64_t address, void *to, size_t bytes)
{
	const struct norn_binding *b = binding;
	for (uint32_t m = 0; b->program && !b->forked && m < norn_program_modules(b->program); m++) {
		uint64_t bias = norn_program_bias(b->program, m);
		if (address >= bias && norn_program_initial(b->program, m, address - bias, to, bytes) == 0)
			return true;
	}
	return false;
}

static void bind_place(struct norn_binding *b, uint32_t place)
{
	const struct norn_place *p = &b->spec->places[place];
	if (p->kind != NORN_PLACE_OBJECT || !p->base || p->base->is_thread_local || !p->base->address || !p->hops)
		return; /* no memory of its own */
	uint64_t bias = b->program ? norn_program_bias(b->program, p->base->module) : 0;
	int r = norn_place_index_bind(b->place_index, place, p->base->address + bias, 0);
	norn_must_do(r == -E2BIG ? 0 : r); /* its values stay unknown */
}

static void bind_places(struct norn_binding *b)
{
	struct norn_place_values values;
	for (uint32_t i = 0; i < b->spec->place_count; i++)
		bind_place(b, i);
	/* Pointers may start out leading somewhere. */
	if (b->place_index->has_pointers) {
		norn_must_do(norn_place_values_init(&values, b->place_index, norn_binding_peek, b));
		norn_must_do(norn_place_values_follow(&values));
		norn_place_values_done(&values);
	}
}

/* ---- sites and threads ---- */

void norn_binding_add_sites(struct norn_binding *b)
{
	struct norn_loaded module = {0};
	for (unsigned i = b->modules.count; norn_trace_module(b->trace, i, &module.base, &module.path, &module.table); i++) {
		module.sites = module.table->sites;
		norn_must_do(norn_event_match_add_sites(b->event_match, norn_must(norn_modules_add(&b->modules, &module))));
	}
}

static int first_entered(struct norn_binding *b, struct norn_trace *trace, uint32_t thread, struct norn_error *err)
{
	struct norn_cursor *cursor;
	struct norn_event event = {0};
	if (norn_cursor_new(trace, thread, &cursor) != 0)
		return norn_error_no_memory(err);
	int r;
	while ((r = norn_cursor_event(cursor, &event, err)) == 1 && event.kind != NORN_EVENT_ENTER)
		;
	struct norn_site_info info = {.name = ""};
	if (r == 1)
		norn_trace_site(trace, event.site, &info);
	b->started[thread] = info.name;
	norn_cursor_free(cursor);
	return r < 0 ? r : 0;
}

static void find_types(struct norn_binding *b, uint32_t thread)
{
	const struct norn_thread_info *info = norn_trace_thread(b->trace, thread);
	b->types[thread] = norn_event_match_types(
	        b->event_match, thread, info ? info->path : "", info && info->name ? info->name : "", b->started[thread]);
}

void norn_binding_add_thread(struct norn_binding *b, uint32_t thread, const char *started)
{
	uint32_t threads = b->threads ? b->threads : 8;
	while (threads <= thread)
		threads *= 2;
	if (threads > b->threads) {
		b->types = norn_must_realloc(b->types, threads + 1ul, sizeof *b->types);
		b->started = norn_must_realloc(b->started, threads + 1ul, sizeof *b->started);
		memset(b->types + b->threads, 0, (threads - b->threads) * sizeof *b->types);
		for (uint32_t i = b->threads; i < threads; i++)
			b->started[i] = "";
		b->threads = threads;
	}
	b->started[thread] = started;
	find_types(b, thread);
}

static bool wants_starts(const struct norn_binding *b)
{
	return b->spec->type_count || b->event_match->starts.count || b->event_match->joins.count;
}

static int bind_threads(struct norn_binding *b, struct norn_trace *trace, struct norn_error *err)
{
	b->threads = norn_trace_threads(trace);
	b->types = norn_must_calloc(b->threads + 1ul, sizeof *b->types);
	b->started = norn_must_calloc(b->threads + 1ul, sizeof *b->started);
	for (uint32_t i = 0; i < b->threads; i++) {
		int r = wants_starts(b) ? first_entered(b, trace, i, err) : 0;
		if (r != 0)
			return r;
		find_types(b, i);
	}
	return 0;
}

int norn_binding_starts(struct norn_binding *b, struct norn_trace *trace, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < b->threads && !wants_starts(b); i++)
		r = first_entered(b, trace, i, err);
	return r;
}

int norn_binding_new(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace,
        struct norn_binding **ret_binding, struct norn_error *err)
{
	if (spec->type_count > NORN_TYPES_MAX)
		return norn_error_set(
		        err, -E2BIG, "there are %u thread types: more than %u are too many", spec->type_count, NORN_TYPES_MAX);
	struct norn_binding *b = norn_must_calloc(1, sizeof *b);
	b->spec = spec;
	b->program = program;
	b->trace = trace;
	b->forked = norn_trace_info(trace, "forked");
	b->event_match = norn_must_calloc(1, sizeof *b->event_match);
	norn_must_do(norn_modules_init(&b->modules));
	norn_must_do(norn_event_match_init(b->event_match, NULL, spec, &b->modules));
	b->place_index = &b->event_match->place_index;
	bind_places(b);
	norn_binding_add_sites(b);
	int r = bind_threads(b, trace, err);
	if (r != 0) {
		norn_binding_free(b);
		return r;
	}
	*ret_binding = b;
	return 0;
}

void norn_binding_free(struct norn_binding *b)
{
	if (!b)
		return;
	if (b->event_match)
		norn_event_match_done(b->event_match);
	free(b->event_match);
	norn_modules_done(&b->modules);
	free(b->types);
	free(b->started);
	free(b);
}
