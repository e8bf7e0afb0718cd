#include "errors/harm/consequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/conflict.h"
#include "errors/harm/update.h"
#include "errors/values/schedule_values.h"
#include "sliced/attempts.h"
#include "witness/check_witnesses.h"

#define AHEAD 64u /* events of a thread after a read, among which its write, or an assertion, is looked for */

/* Another thread's write between two accesses of one. */
struct split_update {
	uint32_t read, between, write;
};

struct consequences {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_builtin_options *options;
	struct norn_predictions *predictions;
	struct norn_schedule_values *values;
	NORN_VECTOR(struct norn_attempt) attempts;
	NORN_VECTOR(struct split_update) splits; /* by an attempt's number */
};

static bool is_judged(const struct norn_predicted *p)
{
	return p->kind == NORN_PREDICTED_RACE && p->stop_count == 2 && !p->assumed_count;
}

/* ---- updates that are lost ---- */

/* The next write of what was read, if it is made of that; 0: it is not, or there is none. */
static uint32_t writes_back(const struct consequences *c, uint32_t read)
{
	uint32_t i = c->events[read].next;
	for (unsigned steps = 0; i && steps < AHEAD; steps++, i = c->events[i].next)
		if (c->events[i].kind == NORN_EVENT_WRITE && norn_same_bytes(c->events + i, c->events + read))
			return norn_update_read(c->graph, i, read) ? i : 0;
	return 0;
}

static void add_split(struct consequences *c, uint32_t group, uint32_t access, uint32_t between)
{
	const struct norn_graph_event *e = c->events + access;
	struct split_update split = {.between = between};
	if (e->kind == NORN_EVENT_READ) {
		split.read = access;
		split.write = writes_back(c, access);
	} else if (e->kind == NORN_EVENT_WRITE) {
		split.read = norn_update_read(c->graph, access, 0);
		split.write = access;
	}
	if (!split.read || !split.write || !norn_conflict_writes(c->graph, between) ||
	        !norn_same_bytes(c->events + between, c->events + split.read))
		return;
	uint32_t guard = norn_conflict_keeps_out(c->graph, split.write, between);
	if (guard && norn_conflict_holds(c->graph, split.read, guard))
		return;
	struct norn_attempt attempt = {.group = group, .number = c->splits.count, .includes = {split.read}};
	if (guard) { /* as in atomicity.c */
		attempt.includes[1] = between;
		attempt.open_last_only = true;
		attempt.search_only = between < split.write;
	} else {
		attempt.stops[attempt.count++] = between;
	}
	attempt.stops[attempt.count++] = split.write;
	norn_must_push(&c->splits, split);
	norn_must_push(&c->attempts, attempt);
}

/* It is a cycle of a block and an access, so the checker of these knows it (V10). */
static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct consequences *c = context;
	const struct split_update *split = c->splits.items + attempt->number;
	predicted->kind = NORN_PREDICTED_ATOMICITY;
	predicted->cycle = (struct norn_cycle){.count = 3, .events = {split->read, split->between, split->write}};
	norn_conflict_bytes(c->graph, split->read, split->write, &predicted->addr, &predicted->size);
	predicted->pairs = attempt->group; /* of no use otherwise */
}

/* The value as it is then, and as it would be had the read come after the other write. */
static void value_lost(struct consequences *c, const struct norn_predicted *shown, struct norn_consequence *ret)
{
	struct norn_graph_chain chain;
	uint64_t between, read;
	uint32_t writer;
	const struct norn_graph_event *e = c->events + ret->write;
	ret->known = norn_schedule_values_run(c->values, &shown->schedule, NULL, 0, 0) &&
	             norn_schedule_values_source(c->values, ret->write, &chain) == ret->read &&
	             norn_schedule_values_read(c->values, ret->read, &read, &writer) &&
	             norn_schedule_values_written(c->values, ret->event, &between) &&
	             norn_schedule_values_written(c->values, ret->write, &ret->now);
	if (!ret->known)
		return;
	ret->then = norn_graph_follow(&chain, between);
	ret->then &= e->size == 8 ? UINT64_MAX : (UINT64_C(1) << e->size * 8) - 1;
}

static void take_lost(struct consequences *c, const struct norn_predictions *shown)
{
	for (uint32_t i = 0; i < shown->count; i++) {
		const uint32_t *events = shown->list[i].cycle.events;
		struct norn_consequence found = {
		        .kind = NORN_CONSEQUENCE_LOST_UPDATE, .read = events[0], .event = events[1], .write = events[2]};
		value_lost(c, &shown->list[i], &found);
		if (!found.known || found.then != found.now)
			c->predictions->list[shown->list[i].pairs].consequence = found;
	}
}

static void find_lost(struct consequences *c)
{
	struct norn_predictions shown = {0};
	uint64_t refused = 0;
	for (uint32_t i = 0; i < c->predictions->count; i++) {
		const struct norn_predicted *p = &c->predictions->list[i];
		for (unsigned k = 0; k < 2 && is_judged(p); k++)
			add_split(c, i, p->stops[k], p->stops[!k]);
	}
	if (!c->attempts.count)
		return;
	bool *found = norn_must_calloc(c->predictions->count, sizeof *found);
	struct norn_attempt_runner *runner = norn_attempt_runner_new(c->graph, c->options, &shown);
	norn_attempt_runner_try(runner, c->attempts.items, c->attempts.count, found, fill, c);
	norn_attempt_runner_free(runner);
	free(found);
	norn_check_witnesses(c->graph, &shown, &refused);
	take_lost(c, &shown);
	norn_predictions_done(&shown);
}

/* ---- other values ---- */

/* The schedule, and these events after it. */
static bool run_longer(struct consequences *c, const struct norn_schedule *schedule, const uint32_t *more, uint32_t count,
        const uint32_t *freed, uint32_t freed_count)
{
	uint32_t *events = norn_must_alloc(schedule->count + (uint64_t)count + 1, sizeof *events);
	if (schedule->count)
		memcpy(events, schedule->events, schedule->count * sizeof *events);
	if (count)
		memcpy(events + schedule->count, more, count * sizeof *events);
	struct norn_schedule longer = {.base = schedule->base, .count = schedule->count + count, .events = events};
	bool same = norn_schedule_values_run(c->values, &longer, freed, freed_count, 0);
	free(events);
	return same;
}

static bool is_predicted(const struct consequences *c, uint32_t site)
{
	for (uint32_t i = 0; i < c->predictions->count; i++)
		if (c->predictions->list[i].assertion && c->predictions->list[i].assertion->site == site)
			return true;
	return false;
}

static bool is_made_of(const struct norn_graph_assertion *a, uint32_t read)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->reads[i] == read)
			return a->known;
	return false;
}

/* The read is done, perhaps after the write, and its thread goes on by itself: the first assertion of what was read that fails. */
static const struct norn_graph_assertion *failing(
        struct consequences *c, const struct norn_predicted *p, uint32_t read, uint32_t before)
{
	uint32_t more[AHEAD + 1], count = 0;
	if (before)
		more[count++] = before;
	for (uint32_t i = read; i && count <= AHEAD; i = c->events[i].next) {
		const struct norn_graph_event *e = c->events + i;
		uint32_t found;
		if (e->kind != NORN_EVENT_READ && e->kind != NORN_EVENT_WRITE)
			return NULL;
		more[count++] = i;
		const struct norn_graph_assertion *a = norn_graph_assertions_after(c->graph, i, &found);
		for (; found; a++, found--) {
			uint64_t value;
			if (!a->branch && is_made_of(a, read) && is_predicted(c, a->site) &&
			        run_longer(c, &p->schedule, more, count, &read, 1) &&
			        norn_schedule_values_assertion(c->values, a, &value) && value == a->fails_if)
				return a;
		}
	}
	return NULL;
}

static void judge_read(struct consequences *c, struct norn_predicted *p, uint32_t read, uint32_t write)
{
	uint64_t then, now[2];
	uint32_t writer;
	bool known[2];
	if (!norn_graph_value_read(c->graph, read, &then))
		return;
	for (unsigned after = 0; after < 2; after++)
		known[after] = run_longer(c, &p->schedule, &write, after, NULL, 0) &&
		               norn_schedule_values_read(c->values, read, &now[after], &writer);
	unsigned other = read < write; /* than recorded */
	if (known[0] && known[1] && now[0] == then && now[1] == then) {
		p->consequence = (struct norn_consequence){.kind = NORN_CONSEQUENCE_NOTHING, .event = read, .then = then};
		return;
	}
	if (!known[other] || now[other] == then)
		return;
	struct norn_consequence *found = &p->consequence;
	*found = (struct norn_consequence){
	        .kind = NORN_CONSEQUENCE_VALUE, .event = read, .write = write, .late = other, .then = then, .now = now[other]};
	if (c->events[read].flags & NORN_GRAPH_TESTED && !norn_graph_decides_same(c->graph, read, now[other]))
		found->kind = NORN_CONSEQUENCE_DECISION;
	found->assertion = failing(c, p, read, other ? write : 0);
	if (found->assertion)
		found->kind = NORN_CONSEQUENCE_ASSERTION;
}

static void judge_writes(struct consequences *c, struct norn_predicted *p, uint32_t early, uint32_t late)
{
	uint64_t first, last;
	if (!norn_same_bytes(c->events + early, c->events + late) ||
	        !norn_schedule_values_run(c->values, &p->schedule, NULL, 0, 0) ||
	        !norn_schedule_values_written(c->values, early, &first) || !norn_schedule_values_written(c->values, late, &last))
		return;
	struct norn_consequence found = {.kind = NORN_CONSEQUENCE_VALUE, .event = early, .then = last, .now = first};
	if (first == last)
		found.kind = NORN_CONSEQUENCE_NOTHING;
	p->consequence = found;
}

static void judge(struct consequences *c, struct norn_predicted *p)
{
	uint32_t a = p->stops[0], b = p->stops[1];
	enum norn_event_kind first = c->events[a].kind, second = c->events[b].kind;
	if (first == NORN_EVENT_READ && second != NORN_EVENT_READ)
		judge_read(c, p, a, b);
	else if (second == NORN_EVENT_READ && first != NORN_EVENT_READ)
		judge_read(c, p, b, a);
	else if (first == NORN_EVENT_WRITE && second == NORN_EVENT_WRITE)
		judge_writes(c, p, a < b ? a : b, a < b ? b : a);
}

/* ---- use before initialisation ---- */

static bool overlap(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* Did nothing but its allocation, or its beginning, write these bytes before? */
static bool is_first_write(const struct consequences *c, uint32_t write)
{
	uint32_t count;
	const uint32_t *writers = norn_schedule_values_writers(c->values, c->events[write].addr, &count);
	for (uint32_t i = 0; i < count && writers[i] < write; i++) {
		const struct norn_graph_event *e = c->events + writers[i];
		bool begins = e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
		              (e->kind == NORN_EVENT_EXTERNAL && e->flags & NORN_GRAPH_ORDERED);
		if (!begins && overlap(e, c->events + write) && writers[i] > norn_graph_memory(c->graph, write))
			return false;
	}
	return true;
}

/* Races of a first write, which came first, and a read of all that it writes. Who tests what it reads may look whether it is set;
 * updates are made of whatever is there. */
static void note_first_writes(struct consequences *c, struct norn_map *set)
{
	for (uint32_t i = 0; i < c->predictions->count; i++) {
		struct norn_predicted *p = &c->predictions->list[i];
		if (!is_judged(p))
			continue;
		uint32_t early = p->stops[0] < p->stops[1] ? p->stops[0] : p->stops[1], late = p->stops[0] + p->stops[1] - early;
		const struct norn_graph_event *w = c->events + early, *r = c->events + late;
		if (w->kind != NORN_EVENT_WRITE || r->kind != NORN_EVENT_READ || !norn_same_bytes(w, r) ||
		        r->flags & NORN_GRAPH_TESTED || writes_back(c, late) || !is_first_write(c, early))
			continue;
		p->consequence.sets = early;
		p->consequence.uses = late;
		*(uint32_t *)norn_must_map_put(set, w->addr) = early;
	}
}

/* Memory that some read saw before that is meant to be so. Objects come and go at one address: only their own life counts. */
static void find_unset(struct consequences *c)
{
	struct norn_map set;
	norn_map_init(&set, sizeof(uint32_t));
	note_first_writes(c, &set);
	for (uint32_t i = 1; set.count && i <= norn_graph_count(c->graph); i++) {
		const struct norn_graph_event *e = c->events + i;
		uint32_t *write = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW ? norn_map_get(&set, e->addr) : NULL;
		if (write && i < *write && norn_graph_memory(c->graph, i) == norn_graph_memory(c->graph, *write))
			*write = 0;
	}
	for (uint32_t i = 0; i < c->predictions->count; i++) {
		struct norn_consequence *found = &c->predictions->list[i].consequence;
		const uint32_t *write = found->sets ? norn_map_get(&set, c->events[found->sets].addr) : NULL;
		if (found->sets && (!write || *write != found->sets))
			found->sets = found->uses = 0;
	}
	norn_map_done(&set);
}

/* ---- all ---- */

void norn_consequences_find(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct consequences c = {
	        .graph = graph, .events = norn_graph_events(graph), .options = options, .predictions = predictions};
	uint32_t races = 0;
	for (uint32_t i = 0; i < predictions->count; i++)
		races += is_judged(&predictions->list[i]);
	if (!races)
		return;
	c.values = norn_schedule_values_new(graph);
	for (uint32_t i = 0; i < predictions->count; i++)
		for (unsigned k = 0; k < 2 && is_judged(&predictions->list[i]); k++)
			norn_schedule_values_want(c.values, predictions->list[i].stops[k]);
	norn_schedule_values_index(c.values);
	find_lost(&c);
	for (uint32_t i = 0; i < predictions->count; i++)
		if (is_judged(&predictions->list[i])) {
			struct norn_consequence lost = predictions->list[i].consequence;
			judge(&c, &predictions->list[i]);
			if (lost.kind > predictions->list[i].consequence.kind)
				predictions->list[i].consequence = lost;
		}
	find_unset(&c);
	norn_schedule_values_free(c.values);
	norn_vector_done(&c.attempts);
	norn_vector_done(&c.splits);
}
