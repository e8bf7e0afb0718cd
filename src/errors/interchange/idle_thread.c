#include "errors/interchange/idle_thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/own_place.h"

struct thread_functions {
	uint32_t start; /* 1 + the function that it was first seen to enter; 0: none */
	bool *ran; /* by function */
	uint32_t room;
};

struct ran_function {
	uint32_t runner; /* 1 + the thread that runs it; UINT32_MAX: several */
	bool writes; /* memory that is no atomic, while its thread holds no lock */
};

struct functions {
	struct norn_table names; /* function and file */
	NORN_VECTOR(struct ran_function) list; /* by number */
	struct thread_functions *threads;
	uint32_t thread_count;
};

static uint32_t number_of(struct functions *f, const char *function, const char *file)
{
	bool is_new;
	char *key = norn_must_format("%s\n%s", function, file);
	uint32_t number = norn_must_table_put(&f->names, key, strlen(key), &is_new);
	free(key);
	if (is_new)
		norn_must_push(&f->list, (struct ran_function){0});
	return number;
}

static void ran(struct functions *f, uint32_t function, uint32_t thread, bool writes)
{
	struct thread_functions *t = &f->threads[thread];
	uint32_t *runner = &f->list.items[function].runner;
	if (function >= t->room) {
		uint32_t room = 2 * function + 64;
		t->ran = norn_must_realloc(t->ran, room, sizeof *t->ran);
		memset(t->ran + t->room, 0, (room - t->room) * sizeof *t->ran);
		t->room = room;
	}
	t->ran[function] = true;
	*runner = *runner == 0 || *runner == thread + 1 ? thread + 1 : UINT32_MAX;
	f->list.items[function].writes |= writes;
}

/* The program's own function that the event is in, and the first one that its thread entered at all. */
static void add(struct functions *f, const struct norn_trace *trace, const struct norn_graph_event *e, bool writes)
{
	struct norn_own_place own;
	struct norn_site_info info;
	bool enters = e->kind == NORN_EVENT_ENTER;
	bool elsewhere = e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_BACK);
	if (enters && !f->threads[e->thread].start) {
		norn_trace_site(trace, e->site, &info);
		f->threads[e->thread].start = *info.function ? 1 + number_of(f, info.function, info.file) : 0;
	}
	if (!elsewhere && norn_own_place(trace, e->site, &own) && *own.function)
		ran(f, number_of(f, own.function, own.file), e->thread, writes);
}

static bool has(const struct thread_functions *t, uint32_t function)
{
	return function < t->room && t->ran[function];
}

/* Could the idle thread have done what the busy one did? It began alike, and did nothing that the busy one did not do. */
static bool is_idle(const struct functions *f, uint32_t idle, uint32_t busy)
{
	const struct thread_functions *a = &f->threads[idle], *b = &f->threads[busy];
	if (idle == busy || !a->start || a->start != b->start)
		return false;
	for (uint32_t k = 0; k < f->list.count; k++)
		if (has(a, k) && !has(b, k))
			return false;
	return true;
}

/* "work (pool.cc)" */
static const char *function_name(const struct functions *f, uint32_t k, char *to, size_t room)
{
	const char *key = norn_table_key(&f->names, k), *file = strchr(key, '\n') + 1;
	snprintf(to, room, "%.*s (%s)", (int)(file - 1 - key), key, basename(file));
	return to;
}

/* Says it of the first pair. */
static void say(const struct functions *f, const struct norn_trace *trace, struct norn_findings *findings)
{
	for (uint32_t busy = 0; busy < f->thread_count; busy++) {
		uint32_t alone = 0, first = 0, idle = 0;
		for (uint32_t k = 0; k < f->list.count; k++)
			if (f->list.items[k].runner == busy + 1 && f->list.items[k].writes && alone++ == 0)
				first = k;
		while (idle < f->thread_count && !is_idle(f, idle, busy))
			idle++;
		if (!alone || idle == f->thread_count)
			continue;
		char name[128], more[48] = "";
		if (alone > 1)
			snprintf(more, sizeof more, " and %u other function%s", alone - 1, alone > 2 ? "s" : "");
		norn_findings_note(findings,
		        "%s alone ran %s%s, though %s began like it: what both of them would do there at once was not judged, as "
		        "it is "
		        "another run (record again, or with more to do)",
		        norn_trace_thread(trace, busy)->path, function_name(f, first, name, sizeof name), more,
		        norn_trace_thread(trace, idle)->path);
		return;
	}
}

void norn_idle_thread_note(const struct norn_trace *trace, const struct norn_graph *graph, struct norn_findings *findings)
{
	struct functions f = {.thread_count = norn_trace_threads(trace)};
	struct norn_map seen;
	f.threads = norn_must_calloc(f.thread_count + 1ul, sizeof *f.threads);
	norn_map_init(&seen, 1);
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		bool writes = e->kind == NORN_EVENT_WRITE && !e->held && !(e->flags & NORN_GRAPH_ATOMIC);
		uint8_t *known = norn_must_map_put(&seen, (uint64_t)e->site << 32 | e->thread), now = writes ? 3 : 1;
		if (e->site && e->thread < f.thread_count && (*known & now) != now)
			add(&f, trace, e, writes);
		*known |= now;
	}
	say(&f, trace, findings);
	norn_map_done(&seen);
	for (uint32_t t = 0; t < f.thread_count; t++)
		free(f.threads[t].ran);
	free(f.threads);
	norn_table_done(&f.names);
	norn_vector_done(&f.list);
}
