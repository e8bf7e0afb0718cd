#include "errors/values/doubted_assertions.h"

#include <stdlib.h>

#include "base/must.h"

#define NODES_MAX 64u /* of a value that are looked at */
#define ATTEMPTS 48u /* for the reads that the assertions go by at one place */

/* ---- which reads ---- */

static void add(struct norn_doubted_reads *d, struct norn_schedule_values *values, uint32_t read, uint32_t asserted)
{
	uint8_t *seen = norn_must_map_put(&d->seen, read);
	if (*seen)
		return;
	*seen = 1;
	struct norn_doubted_read doubted = {read, asserted};
	norn_must_push(&d->list, doubted);
	norn_schedule_values_want(values, read);
}

static bool reads(const struct norn_graph_event *e)
{
	return (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && e->size && e->addr % 8 + e->size <= 8;
}

/* The reads that the node stands for. */
static void add_node(struct norn_doubted_reads *d, const struct norn_graph *graph, struct norn_schedule_values *values,
        uint32_t node, uint32_t asserted)
{
	uint32_t stack[NODES_MAX + 2] = {node}, depth = 1, a, b;
	for (unsigned looked = 0; depth && looked < NODES_MAX; looked++) {
		enum norn_graph_node kind = norn_graph_node(graph, stack[--depth], &a, &b);
		if (kind == NORN_NODE_READ && reads(norn_graph_event(graph, a)))
			add(d, values, a, asserted);
		if (kind != NORN_NODE_UNION || depth + 2 > NODES_MAX)
			continue;
		stack[depth++] = a;
		stack[depth++] = b;
	}
}

/* What the read saw is made of. */
static void add_sources(struct norn_doubted_reads *d, const struct norn_graph *graph, struct norn_schedule_values *values,
        struct norn_doubted_read of)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(graph, &norn_graph_event(graph, of.read)->link, &writers);
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = norn_graph_event(graph, writers[i]);
		if (w->kind == NORN_EVENT_RMW && reads(w))
			add(d, values, writers[i], of.asserted);
		if (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW)
			add_node(d, graph, values, w->other, of.asserted);
	}
}

void norn_doubted_reads_find(
        struct norn_doubted_reads *ret_doubted, const struct norn_graph *graph, struct norn_schedule_values *values)
{
	uint32_t count;
	const uint32_t *all = norn_graph_doubts(graph, &count);
	*ret_doubted = (struct norn_doubted_reads){0};
	norn_map_init(&ret_doubted->seen, 1);
	for (uint32_t i = 0; i < count; i++)
		if (all[i] > norn_graph_carried(graph) && reads(norn_graph_event(graph, all[i])))
			add(ret_doubted, values, all[i], all[i]);
	for (uint32_t i = 0; i < ret_doubted->list.count; i++)
		add_sources(ret_doubted, graph, values, ret_doubted->list.items[i]);
}

void norn_doubted_reads_done(struct norn_doubted_reads *doubted)
{
	norn_vector_done(&doubted->list);
	norn_map_done(&doubted->seen);
}

/* ---- might they see something else? ---- */

struct doubted_place {
	uint32_t number; /* 1 + group, 0: none yet */
	uint32_t site;
	uint32_t attempts;
	bool cut; /* not all were tried */
};

struct doubted_search {
	const struct norn_doubted_reads *doubted;
	struct norn_changed_reads *changed;
	struct norn_map by_place; /* of the read that the assertion goes by */
	NORN_VECTOR(struct doubted_place) places;
	NORN_VECTOR(struct norn_attempt) attempts;
};

static struct doubted_place *place_of(struct doubted_search *s, uint32_t read)
{
	uint32_t site = s->changed->events[read].site;
	uint32_t *number = norn_must_map_put(&s->by_place, norn_graph_place(s->changed->graph, site));
	if (*number == 0) {
		struct doubted_place place = {.number = *number = s->places.count + 1, .site = site};
		norn_must_push(&s->places, place);
	}
	return s->places.items + *number - 1;
}

static void enumerate(struct doubted_search *s, uint32_t number)
{
	const struct norn_doubted_read *d = s->doubted->list.items + number;
	struct norn_read_options options;
	norn_changed_reads_options(s->changed, d->read, &options);
	if (!options.count)
		return;
	struct doubted_place *place = place_of(s, d->asserted);
	for (uint32_t i = 0; i < options.count; i++) {
		struct norn_attempt attempts[NORN_CHANGED_ATTEMPTS];
		uint64_t saw;
		if (norn_graph_value_read(s->changed->graph, d->read, &saw) && saw == options.items[i].value)
			continue;
		uint32_t made = norn_changed_reads_ask(s->changed, d->read, 0, &options.items[i].change, 1, attempts);
		for (uint32_t k = 0; k < made; k++) {
			if (place->attempts++ == ATTEMPTS) {
				place->cut = true;
				return;
			}
			attempts[k].number = number;
			attempts[k].group = place->number - 1;
			norn_must_push(&s->attempts, attempts[k]);
		}
	}
}

/* Does the read that stops see another value then? */
static bool is_shown(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	const struct doubted_search *s = context;
	struct norn_schedule_values *values = s->changed->values;
	uint64_t now, saw;
	uint32_t writer, read = attempt->stops[0];
	norn_schedule_values_at(values, 0);
	return norn_schedule_values_run(values, schedule, attempt->freed, attempt->freed_count, read) &&
	       (!norn_schedule_values_read(values, read, &now, &writer) || !norn_graph_value_read(s->changed->graph, read, &saw) ||
	               now != saw);
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	predicted->kind = NORN_PREDICTED_ASSERTION; /* it is dropped */
}

void norn_doubted_reads_judge(struct norn_attempt_runner *attempt_runner, const struct norn_doubted_reads *doubted,
        struct norn_changed_reads *changed, struct norn_predictions *predictions)
{
	struct doubted_search s = {.doubted = doubted, .changed = changed};
	struct norn_builtin_stats *stats = &predictions->stats;
	uint32_t known = predictions->count;
	norn_map_init(&s.by_place, sizeof(uint32_t));
	changed->at = 0;
	for (uint32_t i = 0; i < doubted->list.count; i++)
		enumerate(&s, i);
	bool *found = norn_must_calloc(s.places.count + 1ul, sizeof *found);
	norn_attempt_runner_shows(attempt_runner, is_shown, &s);
	if (s.attempts.count)
		norn_attempt_runner_try(attempt_runner, s.attempts.items, s.attempts.count, found, fill, &s);
	norn_attempt_runner_shows(attempt_runner, NULL, NULL);
	predictions->count = known; /* it is not known what follows */
	for (uint32_t i = 0; i < s.places.count; i++) {
		if (found[i] && !stats->doubted.places++)
			stats->doubted.read = s.places.items[i].site;
		stats->limits[NORN_LIMIT_OPERANDS] += s.places.items[i].cut && !found[i];
	}
	free(found);
	norn_map_done(&s.by_place);
	norn_vector_done(&s.places);
	norn_vector_done(&s.attempts);
}
