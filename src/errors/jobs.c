#include "errors/jobs.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/conflict.h"
#include "trace/record.h"

/* The latest accesses to a word of earlier jobs, and of the one that runs. */
struct word_uses {
	uint32_t job; /* that the last two are of */
	uint32_t read_before, written_before, read, written;
};

static bool begins_job(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BACK && e->value == NORN_BACK_JOB;
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
		job += begins_job(e);
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
		if (begins_job(e) && ++jobs[e->thread] == 2)
			found = of_thread(graph, e->thread);
	}
	free(jobs);
	return found;
}
