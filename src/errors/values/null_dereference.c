#include "errors/values/null_dereference.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/values/changed_reads.h"
#include "trace/record.h"

#define ASKED 6u /* writes of null for which schedules are asked, of one read */
#define ATTEMPTS 256u /* of one dereference of the code */

struct null_group {
	uint32_t attempts, left_out;
	uint64_t count;
};

struct null_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_graph_dereference *all;
	uint32_t count;
	struct norn_schedule_values *values;
	struct norn_changed_reads changed;
	struct norn_map words; /* address / 8 → enum null_word */
	struct norn_map by_place;
	NORN_VECTOR(struct null_group) groups;
	NORN_VECTOR(struct norn_attempt) attempts;
	uint32_t max_attempts;
};

enum null_word { WORD_UNKNOWN, WORD_NULL, WORD_SET };

/* ---- which pointers may be null at all ---- */

static bool is_candidate(const struct null_search *s, const struct norn_graph_dereference *d)
{
	const struct norn_graph_event *e = s->events + d->read;
	return d->read > norn_graph_carried(s->graph) && e->flags & NORN_GRAPH_POINTER && !(e->flags & NORN_GRAPH_ODD) &&
	       e->addr % 8 == 0 && norn_graph_pointer_same(s->graph, d->read, 0);
}

static bool may_write_null(const struct null_search *s, uint32_t write)
{
	const struct norn_graph_event *w = s->events + write;
	struct norn_graph_chain chain;
	if (w->kind == NORN_EVENT_ALLOC)
		return w->op == NORN_ALLOC_CALLOC;
	return w->kind == NORN_EVENT_EXTERNAL || w->size < 8 || w->value == 0 || norn_graph_makes(s->graph, write, &chain);
}

/* Is there anything that would leave null there? */
static bool word_may_be_null(struct null_search *s, uint64_t addr)
{
	uint8_t *known = norn_must_map_put(&s->words, addr / 8);
	uint32_t count;
	uint64_t word;
	const uint32_t *list = norn_schedule_values_writers(s->values, addr, &count);
	if (*known == WORD_UNKNOWN) {
		bool null = norn_graph_initial(s->graph, addr, &word) && word == 0;
		for (uint32_t i = 0; i < count && !null; i++)
			null = may_write_null(s, list[i]);
		*known = null ? WORD_NULL : WORD_SET;
	}
	return *known == WORD_NULL;
}

/* ---- attempts ---- */

static uint32_t group_of(struct null_search *s, uint32_t event)
{
	uint32_t *group = norn_must_map_put(&s->by_place, norn_graph_place(s->graph, s->events[event].site));
	if (*group == 0) {
		norn_must_add(&s->groups);
		*group = s->groups.count;
	}
	return *group - 1;
}

static void add_attempt(struct null_search *s, uint32_t group, uint32_t number, const struct norn_attempt *attempt)
{
	struct null_group *g = s->groups.items + group;
	struct norn_attempt full = *attempt;
	if (g->attempts++ >= s->max_attempts) {
		g->left_out++;
		return;
	}
	full.group = group;
	full.number = number;
	full.nowhere = s->all[number].event;
	norn_must_push(&s->attempts, full);
}

static void enumerate(struct null_search *s, uint32_t number)
{
	const struct norn_graph_dereference *d = s->all + number;
	struct norn_read_options options;
	norn_changed_reads_options(&s->changed, d->read, &options);
	if (!options.count)
		return;
	uint32_t group = group_of(s, d->event);
	s->groups.items[group].count++;
	for (uint32_t i = 0; i < options.count && i < ASKED; i++) {
		struct norn_attempt attempts[NORN_CHANGED_ATTEMPTS];
		uint32_t made = norn_changed_reads_ask(&s->changed, d->event, 0, &options.items[i].change, 1, attempts);
		for (uint32_t k = 0; k < made; k++)
			add_attempt(s, group, number, &attempts[k]);
	}
}

/* ---- all ---- */

/* Has the pointer been read as null when the schedule has run? */
static bool is_shown(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	struct null_search *s = context;
	uint64_t value;
	uint32_t writer;
	return norn_schedule_values_run(s->values, schedule, attempt->freed, attempt->freed_count, attempt->stops[0]) &&
	       norn_schedule_values_read(s->values, s->all[attempt->number].read, &value, &writer) && value == 0;
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	struct null_search *s = context;
	const struct norn_graph_dereference *d = s->all + attempt->number;
	predicted->kind = NORN_PREDICTED_NULL;
	predicted->observed = false;
	predicted->stop_count = 1; /* others only kept their threads from going on */
	predicted->first = d->read;
	predicted->pairs = s->groups.items[attempt->group].count;
	predicted->addr = s->events[d->event].kind == NORN_EVENT_ENTER ? 0 : s->events[d->event].addr - s->events[d->read].value;
	predicted->size = s->events[d->event].size;
	norn_schedule_values_read(s->values, d->read, &predicted->values[0], &predicted->writers[0]);
	if (predicted->writers[0] > norn_graph_carried(s->graph) && s->events[predicted->writers[0]].kind <= NORN_EVENT_RMW)
		predicted->second = predicted->writers[0];
}

static void try_all(struct norn_attempt_runner *attempt_runner, struct null_search *s)
{
	bool *found = norn_must_calloc(s->groups.count + 1ul, sizeof *found);
	norn_attempt_runner_shows(attempt_runner, is_shown, s);
	if (s->attempts.count)
		norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	norn_attempt_runner_shows(attempt_runner, NULL, NULL);
	for (uint32_t i = 0; i < s->groups.count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_MEETINGS] += s->groups.items[i].left_out && !found[i];
	free(found);
}

void norn_null_dereferences_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct null_search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .max_attempts = (uint32_t)norn_builtin_bound(options, ATTEMPTS)};
	s.all = norn_graph_dereferences(graph, &s.count);
	if (!s.count)
		return;
	norn_map_init(&s.words, 1);
	norn_map_init(&s.by_place, sizeof(uint32_t));
	s.values = norn_schedule_values_new(graph);
	s.changed = (struct norn_changed_reads){.graph = graph,
	        .events = s.events,
	        .order = norn_attempt_runner_order(attempt_runner),
	        .values = s.values,
	        .only_null = true};
	for (uint32_t i = 0; i < s.count; i++)
		if (is_candidate(&s, &s.all[i]))
			norn_schedule_values_want(s.values, s.all[i].read);
	norn_schedule_values_index(s.values);
	for (uint32_t i = 0; i < s.count; i++)
		if (is_candidate(&s, &s.all[i]) && word_may_be_null(&s, s.events[s.all[i].read].addr))
			enumerate(&s, i);
	try_all(attempt_runner, &s);
	norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_VALUES] += norn_schedule_values_starved(s.values);
	norn_schedule_values_free(s.values);
	norn_map_done(&s.words);
	norn_map_done(&s.by_place);
	norn_vector_done(&s.groups);
	norn_vector_done(&s.attempts);
}
