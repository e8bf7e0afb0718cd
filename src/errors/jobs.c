#include "errors/jobs.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/builtin_driver.h"
#include "errors/conflict.h"
#include "trace/merge.h"
#include "trace/record.h"

#define THREADS 256u /* of a run whose jobs are divided */
#define OTHER_STACK (UINT64_C(1) << 47) /* no address of the program is so high */

/* The latest accesses of a word: by earlier jobs, and by the present one. */
struct word_uses {
	uint32_t job; /* that the last two are of */
	uint32_t read_before, written_before, read, written;
};

static bool begins_job(unsigned kind, unsigned op, uint64_t value)
{
	return kind == NORN_EVENT_THREAD && op == NORN_THREAD_BACK && value == NORN_BACK_JOB;
}

static bool conflict(const struct norn_graph *graph, uint32_t before, uint32_t now)
{
	const struct norn_graph_event *a = norn_graph_event(graph, before), *b = norn_graph_event(graph, now);
	return before && a->addr < b->addr + b->size && b->addr < a->addr + a->size && a->life == b->life &&
	       !(a->flags & b->flags & NORN_GRAPH_ATOMIC) && !norn_conflict_common_lock(graph, a->held, b->held);
}

/* A thread's own stack is no other's. */
static bool is_own(const struct norn_graph *graph, const struct norn_graph_event *e)
{
	const struct norn_graph_event *life = norn_graph_event(graph, e->life);
	return e->life && life->kind == NORN_EVENT_THREAD && life->thread == e->thread;
}

static bool use_word(const struct norn_graph *graph, struct norn_map *words, uint64_t word, uint32_t job, uint32_t event)
{
	struct word_uses *uses = norn_must_map_put(words, word);
	if (uses->job != job) {
		uses->read_before = uses->read ? uses->read : uses->read_before;
		uses->written_before = uses->written ? uses->written : uses->written_before;
		uses->job = job;
		uses->read = uses->written = 0;
	}
	bool writes = norn_conflict_writes(graph, event);
	*(writes ? &uses->written : &uses->read) = event;
	return conflict(graph, uses->written_before, event) || (writes && conflict(graph, uses->read_before, event));
}

/* Long ranges are looked at by their first word only. */
static uint32_t of_thread(const struct norn_graph *graph, uint32_t thread)
{
	struct norn_map words;
	uint32_t job = 0, found = 0;
	norn_map_init(&words, sizeof(struct word_uses));
	for (uint32_t i = norn_graph_first(graph, thread); i && !found; i = norn_graph_event(graph, i)->next) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		job += begins_job(e->kind, e->op, e->value);
		if (job && norn_graph_is_access(e) && !is_own(graph, e) && use_word(graph, &words, e->addr / 8 + 1, job, i))
			found = e->site;
	}
	norn_map_done(&words);
	return found;
}

uint32_t norn_jobs_conflict(const struct norn_graph *graph)
{
	uint32_t count = norn_graph_count(graph), found = 0, threads = norn_graph_threads(graph);
	uint32_t *jobs = norn_must_calloc(threads + UINT64_C(1), sizeof *jobs);
	for (uint32_t i = 1; i <= count && !found; i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		if (begins_job(e->kind, e->op, e->value) && ++jobs[e->thread] == 2)
			found = of_thread(graph, e->thread);
	}
	free(jobs);
	return found;
}

/* ---- the run with jobs divided ---- */

struct job_thread {
	uint32_t jobs; /* so far */
	uint32_t depth; /* of calls, in the job that runs */
	bool away; /* the second thread runs the job */
	uint64_t stack, stack_end; /* its own, 0: not known */
};

/* Is the job given to the second thread? By the Thue-Morse sequence, so that both threads soon get jobs of each function, however
 * functions alternate. */
static bool is_given_away(uint32_t job)
{
	return __builtin_parity(job);
}

static void note_stack(struct job_thread *t, const struct norn_event *e)
{
	if (!t->stack)
		t->stack = e->argument;
	else if (!t->stack_end)
		t->stack_end = t->stack + e->argument;
}

/* The event in the divided run. A job of the second thread uses a stack of its own. */
static struct norn_event divided(struct job_thread *t, struct norn_event e, uint32_t others)
{
	if (e.kind == NORN_EVENT_THREAD && e.op == NORN_THREAD_STACK)
		note_stack(t, &e);
	if (begins_job(e.kind, e.op, e.argument)) {
		t->away = is_given_away(t->jobs++);
		t->depth = 0;
	}
	if (e.kind == NORN_EVENT_THREAD && e.op == NORN_THREAD_END)
		t->away = false;
	if (!t->away)
		return e;
	t->depth += e.kind == NORN_EVENT_ENTER;
	t->depth -= e.kind == NORN_EVENT_LEAVE && t->depth;
	t->away = t->depth || e.kind != NORN_EVENT_LEAVE; /* the job ends as its function does */
	e.thread += others;
	if (e.kind != NORN_EVENT_SYNC && e.addr >= t->stack && e.addr < t->stack_end)
		e.addr += OTHER_STACK;
	return e;
}

/* The second threads exist from the start: their BEGIN events come before the run's. */
static int add_others(const struct norn_graph *graph, uint32_t others, struct norn_graph_builder *builder)
{
	uint32_t *jobs = norn_must_calloc(others + UINT64_C(1), sizeof *jobs), count = norn_graph_count(graph);
	uint64_t *numbers = norn_must_calloc(others + UINT64_C(1), sizeof *numbers);
	int r = 0;
	for (uint32_t i = 1; i <= count && r == 0; i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		if (!begins_job(e->kind, e->op, e->value) || ++jobs[e->thread] != 2)
			continue;
		uint32_t other = others + e->thread;
		struct norn_event begin = {.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_BEGIN, .thread = other, .argument = other};
		r = norn_graph_add(builder, &begin);
	}
	norn_graph_carry(builder, 0, numbers);
	free(numbers);
	free(jobs);
	return r;
}

struct norn_graph *norn_jobs_divide(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph)
{
	const struct norn_graph_limits limits = {.max_bytes = sites->options->max_memory};
	uint32_t threads = norn_trace_threads(sites->trace);
	if (threads > THREADS || norn_graph_threads(graph) > threads)
		return NULL;
	struct job_thread *state = norn_must_calloc(threads + UINT64_C(1), sizeof *state);
	struct norn_graph_builder *builder = norn_graph_builder_new(norn_builtin_driver_sites_look_up, sites, &limits);
	struct norn_graph *made = NULL;
	struct norn_event e;
	struct norn_error err = {0};
	if (sites->options->initial)
		norn_graph_initial_memory(builder, sites->options->initial, sites->options->initial_context);
	norn_run_begin(run, NORN_MERGE_PATIENCE);
	int r = -1, added = add_others(graph, threads, builder);
	while (added == 0 && (r = norn_run_next(run, &e, &err)) == 1 && e.thread < threads) {
		e = divided(&state[e.thread], e, threads);
		added = norn_graph_add(builder, &e);
	}
	norn_run_rest(run);
	if (added == 0 && r == 0)
		made = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	free(state);
	return made;
}

uint32_t norn_jobs_given(const struct norn_graph *divided, uint32_t threads, uint32_t event)
{
	uint32_t thread = norn_graph_event(divided, event)->thread, job = 0;
	for (uint32_t i = norn_graph_first(divided, thread); i && i <= event; i = norn_graph_event(divided, i)->next) {
		const struct norn_graph_event *e = norn_graph_event(divided, i);
		job = begins_job(e->kind, e->op, e->value) ? i : job;
	}
	return thread >= threads ? job : 0;
}
