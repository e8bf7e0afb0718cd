/* All runs that sliced causality allows, for one property. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/belief.h"
#include "predict/search.h"
#include "sliced/step_lattice.h"
#include "trace/record.h"

#define PART_EVENTS 32768u /* of a run that are taken together, */
#define PART_MEMORY (UINT64_C(2) << 30) /* for each so many bytes of memory that are allowed */
#define PART_LEAST 256u /* events from the beginning of one part to that of the next */

struct search {
	struct norn_instance_search *instance;
	struct norn_property_search *driver;
	struct norn_searched_property *property;
	const struct norn_kept_list *events; /* the relevant ones */
	uint64_t *numbers; /* theirs, ascending */
	struct norn_fixed_reads fixed;
	struct norn_belief_table beliefs;
	struct norn_step_lattice_result result;
	const struct norn_rule *inexact; /* that a part met */
	/* The observed run up to the part: */
	uint32_t past; /* relevant events of it */
	uint32_t valuation, belief;
};

static const struct norn_position *position_of(const struct search *s, uint32_t relevant)
{
	return s->events->items[relevant]->position;
}

/* What the position makes of a valuation and a belief. */
static void advance(struct search *s, const struct norn_position *position, uint32_t *valuation, uint32_t *belief)
{
	struct norn_valuation_table *valuations = &s->instance->valuations;
	struct norn_letter l;
	norn_valuation_table_moment(valuations, *valuation, position);
	bool begins = position == s->driver->start;
	if ((!begins || s->property->property->states) &&
	        norn_view_letter(s->property->view, &valuations->moment, s->instance->keys, &l))
		*belief = norn_belief_step(&s->beliefs, *belief, l.yes, l.unknown, !l.sure);
	if (!begins)
		*valuation = norn_valuation_table_next(valuations, *valuation, position);
}

static enum norn_step_lattice_answer happens(void *context, uint32_t relevant, uint32_t *valuation, uint32_t *belief)
{
	struct search *s = context;
	advance(s, position_of(s, relevant), valuation, belief);
	return *belief & NORN_BELIEF_VIOLATED ? NORN_STEP_LATTICE_FOUND
	       : *belief & NORN_BELIEF_DONE   ? NORN_STEP_LATTICE_STOP
	                                      : NORN_STEP_LATTICE_ON;
}

/* Does it matter what the event carries, or only that it happens? */
static bool is_valued(const struct norn_spec *spec, const struct norn_position *p)
{
	if (p->kind != NORN_EVENT_ENTER && p->kind != NORN_EVENT_LEAVE && p->kind != NORN_EVENT_MARK)
		return true;
	for (uint32_t i = 0; i < p->hit_count; i++) {
		const struct norn_checked_selector *s = &spec->events[p->hits[i].event].selectors[p->hits[i].selector];
		if (s->slots_total || s->condition)
			return true;
	}
	return p->write_count != 0;
}

static void fix_reads(struct search *s)
{
	uint64_t *valued = norn_must_alloc(s->events->count, sizeof *valued);
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->events->count; i++)
		if (is_valued(s->driver->binding->spec, position_of(s, i)))
			valued[count++] = s->numbers[i];
	norn_fixed_reads_init(&s->fixed, s->driver->options.graph, valued, count);
	free(valued);
}

static void search_init(struct search *s, const struct norn_stepper *stepper)
{
	s->numbers = norn_must_alloc(s->events->count, sizeof *s->numbers);
	for (uint32_t i = 0; i < s->events->count; i++)
		s->numbers[i] = position_of(s, i)->number;
	norn_belief_init(&s->beliefs, stepper, 1);
	fix_reads(s);
	s->belief = norn_belief_start(&s->beliefs, 0);
	advance(s, s->driver->start, &s->valuation, &s->belief);
}

static void search_done(struct search *s)
{
	norn_fixed_reads_done(&s->fixed);
	norn_belief_done(&s->beliefs);
	free(s->numbers);
	free(s->result.threads);
}

/* ---- a violating run ---- */

/* The events of the run that was found, in their order: those of each step. */
static uint32_t list_events(const struct search *s, const struct norn_step_model *p, uint32_t *cursors, uint32_t *list)
{
	const struct norn_graph *graph = s->driver->options.graph;
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t *next = cursors + p->threads, count = 0;
	for (uint32_t t = 0; t < p->threads; t++) {
		next[t] = norn_graph_first(graph, p->numbers[t]);
		while (next[t] && next[t] <= p->base)
			next[t] = events[next[t]].next;
	}
	for (uint32_t i = 0; i < s->result.length; i++) {
		uint32_t thread = s->result.threads[i];
		const struct norn_step_model_step *step = &p->steps[p->first[thread] + cursors[thread]++];
		for (; next[thread] && next[thread] <= step->event; next[thread] = events[next[thread]].next)
			list[count++] = next[thread];
	}
	return count;
}

static void add_candidate(struct search *s, const struct norn_step_model *p)
{
	struct norn_property_search *driver = s->driver;
	uint32_t *cursors = norn_must_calloc(2ul * p->threads, sizeof *cursors), count = 0;
	uint32_t *list = norn_must_arena_alloc(&driver->arena, (p->end - p->base + 1ul) * sizeof *list);
	uint32_t *valued = norn_must_arena_alloc(&driver->arena, (s->events->count + 1ul) * sizeof *valued), valued_count = 0;
	const struct norn_position **steps = norn_must_arena_alloc(&driver->arena, (s->events->count + 1ul) * sizeof(*steps));
	struct norn_schedule schedule = {.base = p->base, .count = list_events(s, p, cursors, list), .events = list};
	for (; count < s->past; count++)
		steps[count] = position_of(s, count);
	memset(cursors, 0, p->threads * sizeof *cursors);
	for (uint32_t i = 0; i < s->result.length; i++) {
		uint32_t thread = s->result.threads[i];
		const struct norn_step_model_step *step = &p->steps[p->first[thread] + cursors[thread]++];
		if (step->relevant == NORN_STEP_MODEL_NONE)
			continue;
		steps[count++] = position_of(s, step->relevant);
		if (is_valued(driver->binding->spec, steps[count - 1]))
			valued[valued_count++] = step->event;
	}
	free(cursors);
	struct norn_candidate candidate = {.steps = steps,
	        .count = count,
	        .graph = driver->options.graph,
	        .schedule = schedule,
	        .valued = valued,
	        .valued_count = valued_count,
	        .extent = norn_findings_text(
	                driver->findings, "%llu states under sliced causality", (unsigned long long)s->result.nodes)};
	norn_instance_search_candidate(s->instance, s->property, &candidate);
}

/* ---- parts ---- */

/* The observed run goes on to the beginning of the next part. */
static void pass(struct search *s, uint32_t base)
{
	for (; s->past < s->events->count && s->numbers[s->past] <= base; s->past++)
		advance(s, position_of(s, s->past), &s->valuation, &s->belief);
}

static void search_part(struct search *s, uint32_t base, uint32_t end)
{
	const struct norn_property_search_options *o = &s->driver->options;
	struct norn_step_lattice_options options = {.max_nodes = o->max_cuts,
	        .max_memory = o->max_memory,
	        .beam = (uint32_t)(o->beam > UINT32_MAX / 2 ? 0 : o->beam),
	        .world = s->valuation,
	        .belief = s->belief,
	        .context = s,
	        .happens = happens};
	struct norn_step_model *model = norn_step_model_new(&s->fixed, s->numbers, s->events->count, base, end);
	free(s->result.threads);
	s->result = norn_step_lattice(model, &options);
	s->driver->findings->stats.cuts += s->result.nodes;
	if (s->result.found)
		add_candidate(s, model);
	if (model->inexact || model->masked)
		s->inexact = model->inexact ? model->inexact : &norn_rule_masked_read;
	norn_step_model_free(model);
}

/* How many events are taken together. */
static uint32_t part_events(uint64_t max_memory)
{
	uint64_t times = max_memory / PART_MEMORY;
	return times > 1024 ? PART_EVENTS * 1024 : times > 1 ? PART_EVENTS * (uint32_t)times : PART_EVENTS;
}

/* Are there calls of code without hooks that may do anything? No search passes these, but begins again after them. */
static bool has_calls(const struct norn_graph *graph)
{
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && norn_rule_never(graph, i))
			return true;
	}
	return false;
}

/* Where the part after the one from base begins: at half of it, or, as nothing passes what is opaque, after that. */
static uint32_t next_base(const struct norn_graph *graph, uint32_t base, uint32_t most)
{
	uint32_t i = base + PART_LEAST, last = base + most / 2;
	while (i < last && i < norn_graph_count(graph) && !norn_rule_never(graph, i))
		i++;
	return i;
}

static void search_run(struct search *s)
{
	const struct norn_graph *graph = s->driver->options.graph;
	struct norn_findings *findings = s->driver->findings;
	uint32_t total = norn_graph_count(graph);
	uint32_t most = part_events(s->driver->options.max_memory);
	bool calls = has_calls(graph), whole = false, limited = false; /* whole: all of it was searched, up to such calls */
	for (uint32_t base = 0; base < total && !s->result.found; base = next_base(graph, base, most)) {
		pass(s, base);
		if (s->belief & NORN_BELIEF_DONE || s->past == s->events->count)
			break;
		uint32_t end = total - base > most ? base + most : total;
		if (s->numbers[s->past] <= end)
			search_part(s, base, end);
		limited |= !s->result.complete;
		whole |= base == 0 && end == total && s->result.complete;
		if (total <= base + PART_LEAST || (whole && !calls))
			break;
	}
	if (s->inexact && !s->result.found)
		norn_findings_inexact(findings, s->inexact->name);
	if (whole || s->result.found)
		return;
	if (limited)
		norn_findings_partial(findings, NORN_REASON_LIMIT, 1, "allow more (--max-cuts, --beam, --max-memory)",
		        "property %s: under sliced causality not all runs were searched, only those near the observed one",
		        s->property->property->name);
	if (total > most)
		norn_findings_partial(findings, NORN_REASON_MEMORY, 1, "allow more memory (--max-memory)",
		        "property %s: under sliced causality not all runs were searched, only those that differ from the observed "
		        "one "
		        "within %u events",
		        s->property->property->name, most);
}

void norn_search_sliced(struct norn_instance_search *instance, struct norn_searched_property *property)
{
	struct search s = {.instance = instance, .driver = instance->search, .property = property, .events = instance->events};
	struct norn_stepper stepper = norn_stepper_of(property->monitor, property->property, true);
	search_init(&s, &stepper);
	if (!(s.belief & NORN_BELIEF_DONE))
		search_run(&s);
	search_done(&s);
}
