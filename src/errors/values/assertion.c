#include "errors/values/assertion.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/values/changed_reads.h"
#include "errors/values/doubted_assertions.h"

/* Combinations of values that are evaluated for one assertion that was passed: so many, until all of one in the code have had … */
#define EVALUATED 4096u
#define EVALUATED_FREELY (1u << 18)
#define EVALUATED_OFTEN 256u /* … then these */
#define ASKED 6u /* of them that fail, for which schedules are asked */
#define ATTEMPTS 2048u /* of one assertion of the code */

struct assertion_group {
	uint32_t attempts, left_out, evaluated;
	bool cut; /* not all values that are known were tried */
	uint64_t passed;
};

struct assertion_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_changed_reads changed;
	const struct norn_graph_assertion *all;
	uint32_t count;
	struct norn_schedule_values *values;
	struct norn_map by_place;
	NORN_VECTOR(struct assertion_group) groups;
	NORN_VECTOR(struct norn_attempt) attempts;
	uint32_t max_attempts;
};

/* ---- attempts ---- */

/* The event that is next when the assertion is decided: what it comes after, if that is one of its reads. 0: the thread did nothing
 * after it. */
static uint32_t stop_of(const struct assertion_search *s, const struct norn_graph_assertion *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->reads[i] == a->event)
			return a->event;
	return s->events[a->event].next;
}

static void add_attempt(struct assertion_search *s, uint32_t group, uint32_t number, const struct norn_attempt *attempt)
{
	struct assertion_group *g = s->groups.items + group;
	struct norn_attempt full = *attempt;
	if (g->attempts++ >= s->max_attempts) {
		g->left_out++;
		return;
	}
	full.group = group;
	full.number = number;
	norn_must_push(&s->attempts, full);
}

static void ask(struct assertion_search *s, uint32_t group, uint32_t number, const struct norn_read_change *changes, uint32_t count)
{
	struct norn_attempt attempts[NORN_CHANGED_ATTEMPTS];
	s->changed.at = s->all[number].event;
	uint32_t stop = stop_of(s, s->all + number), kept = stop == s->all[number].event ? stop : 0;
	uint32_t made = stop ? norn_changed_reads_ask(&s->changed, stop, kept, changes, count, attempts) : 0;
	for (uint32_t i = 0; i < made; i++)
		add_attempt(s, group, number, &attempts[i]);
}

/* ---- enumeration ---- */

struct assertion_instance {
	uint32_t number, group;
	uint64_t values[NORN_ASSERT_SOURCES];
	struct norn_read_options options[NORN_ASSERT_SOURCES];
	unsigned evaluated, most, asked; /* most: to be evaluated */
};

static bool fails(const struct assertion_search *s, const struct assertion_instance *x, const uint64_t *values)
{
	uint64_t value;
	const struct norn_graph_assertion *a = s->all + x->number;
	return norn_graph_assertion_value(a, values, &value) && value == a->fails_if;
}

/* Chooses options of the reads from this one on, so many of them. */
static void choose(struct assertion_search *s, struct assertion_instance *x, uint32_t from, unsigned left, uint64_t *values,
        struct norn_read_change *changes, unsigned chosen)
{
	const struct norn_graph_assertion *a = s->all + x->number;
	if (left == 0) {
		x->evaluated++;
		if (fails(s, x, values)) {
			x->asked++;
			ask(s, x->group, x->number, changes, chosen);
		}
		return;
	}
	for (uint32_t i = from; i < a->count; i++) {
		uint64_t before = values[i];
		for (uint32_t k = 0; k < x->options[i].count && x->evaluated < x->most && x->asked < ASKED; k++) {
			values[i] = x->options[i].items[k].value;
			changes[chosen] = x->options[i].items[k].change;
			choose(s, x, i + 1, left - 1, values, changes, chosen + 1);
		}
		values[i] = before;
	}
}

static void enumerate(struct assertion_search *s, uint32_t number)
{
	const struct norn_graph_assertion *a = s->all + number;
	struct assertion_instance x = {.number = number};
	struct norn_read_change changes[3];
	for (uint32_t i = 0; i < a->count; i++)
		if (!norn_graph_value_read(s->graph, a->reads[i], &x.values[i]))
			return;
	if (a->event <= norn_graph_carried(s->graph) || fails(s, &x, x.values))
		return; /* it was passed, so the expression is not what was decided */
	uint32_t *group = norn_must_map_put(&s->by_place, norn_graph_place(s->graph, a->site));
	if (*group == 0) {
		norn_must_add(&s->groups);
		*group = s->groups.count;
	}
	x.group = *group - 1;
	struct assertion_group *g = s->groups.items + x.group;
	g->passed++;
	x.most = g->evaluated < EVALUATED_FREELY ? EVALUATED : EVALUATED_OFTEN;
	for (uint32_t i = 0; i < a->count; i++)
		norn_changed_reads_options(&s->changed, a->reads[i], &x.options[i]);
	uint64_t values[NORN_ASSERT_SOURCES];
	memcpy(values, x.values, sizeof values);
	for (unsigned n = 1; n <= 3 && n <= a->count; n++)
		choose(s, &x, 0, n, values, changes, 0);
	g = s->groups.items + x.group;
	g->evaluated += x.evaluated;
	g->cut |= x.evaluated == x.most;
	for (uint32_t i = 0; i < a->count; i++)
		g->cut |= x.options[i].count == NORN_READ_OPTIONS;
}

/* ---- all ---- */

/* Does the assertion fail when the schedule has run, and those right before it pass? */
static bool is_shown(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	struct assertion_search *s = context;
	const struct norn_graph_assertion *a = s->all + attempt->number;
	uint32_t count, stop = attempt->stops[0] == a->event ? a->event : 0;
	norn_schedule_values_at(s->values, a->event);
	if (!norn_schedule_values_run(s->values, schedule, attempt->freed, attempt->freed_count, stop))
		return false;
	const struct norn_graph_assertion *at = norn_graph_assertions_after(s->graph, a->event, &count);
	uint64_t value;
	for (; at < a; at++)
		if (!norn_schedule_values_assertion(s->values, at, &value) || value == at->fails_if)
			return false;
	return norn_schedule_values_assertion(s->values, a, &value) && value == a->fails_if;
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	struct assertion_search *s = context;
	const struct norn_graph_assertion *a = s->all + attempt->number;
	predicted->kind = NORN_PREDICTED_ASSERTION;
	predicted->observed = false;
	predicted->stop_count = 1; /* others only kept their threads from going on */
	predicted->assertion = a;
	predicted->pairs = s->groups.items[attempt->group].passed;
	predicted->addr = s->events[attempt->stops[0]].addr;
	predicted->size = s->events[attempt->stops[0]].size;
	for (uint32_t i = 0; i < a->count; i++) {
		uint64_t then = 0;
		norn_schedule_values_read(s->values, a->reads[i], &predicted->values[i], &predicted->writers[i]);
		norn_graph_value_read(s->graph, a->reads[i], &then);
		if (predicted->values[i] != then && predicted->writers[i] > norn_graph_carried(s->graph))
			*(predicted->first ? &predicted->second : &predicted->first) = predicted->writers[i];
	}
	for (uint32_t i = 0; i < attempt->freed_count; i++) {
		uint32_t read = attempt->freed[i], writer = 0;
		uint64_t value;
		if (!(s->events[read].flags & NORN_GRAPH_MASKED))
			continue;
		norn_schedule_values_read(s->values, read, &value, &writer);
		predicted->first = writer > norn_graph_carried(s->graph) ? writer : 0;
		predicted->second = read; /* by what it sees, a write did not happen */
	}
}

static void try_all(struct norn_attempt_runner *attempt_runner, struct assertion_search *s)
{
	bool *found = norn_must_calloc(s->groups.count + 1ul, sizeof *found);
	norn_attempt_runner_shows(attempt_runner, is_shown, s);
	if (s->attempts.count)
		norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	norn_attempt_runner_shows(attempt_runner, NULL, NULL);
	for (uint32_t i = 0; i < s->groups.count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_OPERANDS] +=
		        (s->groups.items[i].left_out || s->groups.items[i].cut) && !found[i];
	free(found);
}

void norn_assertions_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct assertion_search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .max_attempts = (uint32_t)norn_builtin_bound(options, ATTEMPTS)};
	uint32_t doubts;
	struct norn_doubted_reads doubted;
	s.all = norn_graph_assertions(graph, &s.count);
	norn_graph_doubts(graph, &doubts);
	if (!s.count && !doubts)
		return;
	norn_map_init(&s.by_place, sizeof(uint32_t));
	s.values = norn_schedule_values_new(graph);
	s.changed = (struct norn_changed_reads){
	        .graph = graph, .events = s.events, .order = norn_attempt_runner_order(attempt_runner), .values = s.values};
	for (uint32_t i = 0; i < s.count; i++)
		for (uint32_t k = 0; k < s.all[i].count && s.all[i].known;
		        k++) /* of branches, too: they are to come out as they did */
			norn_schedule_values_want(s.values, s.all[i].reads[k]);
	norn_doubted_reads_find(&doubted, graph, s.values);
	norn_schedule_values_index(s.values);
	for (uint32_t i = 0; i < s.count; i++)
		if (s.all[i].known && !s.all[i].branch)
			enumerate(&s, i);
	try_all(attempt_runner, &s);
	if (!options->without)
		norn_doubted_reads_judge(attempt_runner, &doubted, &s.changed, predictions);
	norn_doubted_reads_done(&doubted);
	norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_VALUES] += norn_schedule_values_starved(s.values);
	norn_schedule_values_free(s.values);
	norn_map_done(&s.by_place);
	norn_vector_done(&s.groups);
	norn_vector_done(&s.attempts);
}
