/* All runs that sliced causality allows, for one property. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/search_state.h"
#include "lattice/belief.h"
#include "sliced/step_lattice.h"

#define PART_EVENTS 32768u /* of a run that are taken together */
#define PART_LEAST 256u /* events from the beginning of one part to that of the next */

struct search {
	struct norn_property_search *forecast;
	struct norn_search_state *search_state;
	const struct norn_projection *projection;
	uint64_t *numbers; /* of the relevant events, ascending */
	struct norn_fixed_reads kept;
	struct norn_valuation_table valuation_table;
	struct norn_belief_table beliefs;
	struct norn_step_lattice_result_result result;
	const struct norn_rule *inexact; /* that a part met */
	/* The observed run up to the part: */
	uint32_t past; /* relevant events of it */
	uint32_t world, belief;
};

static const struct norn_position *position_of(const struct search *s, uint32_t relevant)
{
	return s->forecast->kept[s->projection->payloads[relevant]];
}

/* What the position makes of a world and a belief. */
static int advance(struct search *s, const struct norn_position *position, uint32_t *world, uint32_t *belief)
{
	struct norn_letter l;
	int r = norn_valuation_table_look(&s->valuation_table, *world, position);
	if (r != 0)
		return r;
	bool begins = position == s->forecast->start;
	if ((!begins || s->search_state->property->states) &&
	        norn_view_letter(s->search_state->view, &s->valuation_table.moment, s->projection->keys, &l))
		r = norn_belief_step(&s->beliefs, *belief, l.yes, l.unknown, !l.sure, belief);
	return r == 0 && !begins ? norn_valuation_table_next(&s->valuation_table, *world, position, world) : r;
}

static int happens(void *context, uint32_t relevant, uint32_t *world, uint32_t *belief, enum norn_step_lattice_result *ret_what)
{
	struct search *s = context;
	int r = advance(s, position_of(s, relevant), world, belief);
	*ret_what = *belief & NORN_BELIEF_VIOLATED ? NORN_STEP_LATTICE_RESULT_FOUND
	            : *belief & NORN_BELIEF_DONE   ? NORN_STEP_LATTICE_RESULT_STOP
	                                           : NORN_STEP_LATTICE_RESULT_ON;
	return r;
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

static int keep_reads(struct search *s)
{
	const struct norn_property_search *f = s->forecast;
	uint64_t *valued = malloc((s->projection->count + 1ul) * sizeof *valued);
	uint32_t count = 0;
	if (!valued)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->projection->count; i++)
		if (is_valued(f->binding->spec, position_of(s, i)))
			valued[count++] = s->numbers[i];
	int r = norn_fixed_reads_init(&s->kept, f->options.graph, valued, count);
	free(valued);
	return r;
}

static int search_init(struct search *s, const struct norn_stepper *stepper)
{
	const struct norn_property_search *f = s->forecast;
	s->numbers = malloc((s->projection->count + 1ul) * sizeof *s->numbers);
	if (!s->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->projection->count; i++)
		s->numbers[i] = position_of(s, i)->number;
	int r = norn_valuation_table_init(&s->valuation_table, f->binding, f->start);
	if (r == 0)
		r = norn_belief_init(&s->beliefs, stepper, 1);
	if (r == 0)
		r = keep_reads(s);
	if (r == 0)
		r = norn_belief_start(&s->beliefs, 0, &s->belief);
	return r == 0 ? advance(s, f->start, &s->world, &s->belief) : r;
}

static void search_done(struct search *s)
{
	norn_fixed_reads_done(&s->kept);
	norn_belief_done(&s->beliefs);
	norn_valuation_table_done(&s->valuation_table);
	free(s->numbers);
	free(s->result.threads);
}

/* ---- a violating run ---- */

/* The events of the way, in their order: those of each step. */
static uint32_t list_events(const struct search *s, const struct norn_step_model *p, uint32_t *cursors, uint32_t *list)
{
	const struct norn_graph *graph = s->forecast->options.graph;
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

static int claim(struct search *s, const struct norn_step_model *p, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_property_search *f = s->forecast;
	uint32_t *cursors = calloc(2ul * p->threads + 1, sizeof *cursors), count = 0;
	uint32_t *list = norn_arena_alloc(&f->arena, (p->end - p->base + 1ul) * sizeof *list);
	uint32_t *valued = norn_arena_alloc(&f->arena, (s->projection->count + 1ul) * sizeof *valued), valued_count = 0;
	const struct norn_position **steps = norn_arena_alloc(&f->arena, (s->projection->count + 1ul) * sizeof(*steps));
	if (!cursors || !list || !steps || !valued) {
		free(cursors);
		return norn_error_no_memory(err);
	}
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
		if (is_valued(f->binding->spec, steps[count - 1]))
			valued[valued_count++] = step->event;
	}
	free(cursors);
	struct norn_search_model model = {.forecast = f, .findings = findings};
	struct norn_candidate c = {.steps = steps,
	        .count = count,
	        .graph = f->options.graph,
	        .schedule = schedule,
	        .valued = valued,
	        .valued_count = valued_count,
	        .extent = norn_findings_text(findings, "%llu states under sliced causality", (unsigned long long)s->result.nodes)};
	return norn_search_model_claim(&model, s->projection, s->search_state, &c, err);
}

/* ---- parts ---- */

/* The observed run goes on to the beginning of the next part. */
static int pass(struct search *s, uint32_t base)
{
	int r = 0;
	for (; r == 0 && s->past < s->projection->count && s->numbers[s->past] <= base; s->past++)
		r = advance(s, position_of(s, s->past), &s->world, &s->belief);
	return r;
}

static int search_part(struct search *s, uint32_t base, uint32_t end, struct norn_findings *findings, struct norn_error *err)
{
	const struct norn_property_search_options *o = &s->forecast->options;
	struct norn_step_model *plan;
	struct norn_step_lattice_options options = {.max_nodes = o->max_cuts,
	        .max_memory = o->max_memory,
	        .beam = (uint32_t)(o->beam > UINT32_MAX / 2 ? 0 : o->beam),
	        .world = s->world,
	        .belief = s->belief,
	        .context = s,
	        .happens = happens};
	int r = norn_step_model_new(&s->kept, s->numbers, s->projection->count, base, end, &plan);
	if (r != 0)
		return norn_error_no_memory(err);
	free(s->result.threads);
	r = norn_step_lattice(plan, &options, &s->result);
	findings->stats.cuts += s->result.nodes;
	if (r == 0 && s->result.found)
		r = claim(s, plan, findings, err);
	if (plan->inexact)
		s->inexact = plan->inexact;
	norn_step_model_free(plan);
	return r == -ENOMEM ? norn_error_no_memory(err) : r;
}

/* Where the part after the one from base begins: at half of it, or, as nothing passes what is opaque, after that. */
static uint32_t next_base(const struct norn_graph *graph, uint32_t base)
{
	uint32_t i = base + PART_LEAST, last = base + PART_EVENTS / 2;
	while (i < last && i < norn_graph_count(graph) && !norn_rule_never(graph, i))
		i++;
	return i;
}

static int search_run(struct search *s, struct norn_findings *findings, struct norn_error *err)
{
	const struct norn_graph *graph = s->forecast->options.graph;
	uint32_t total = norn_graph_count(graph);
	bool complete = true;
	int r = 0;
	for (uint32_t base = 0; r == 0 && base < total && !s->result.found; base = next_base(graph, base)) {
		r = pass(s, base) == 0 ? 0 : norn_error_no_memory(err);
		if (r != 0 || s->belief & NORN_BELIEF_DONE || s->past == s->projection->count)
			break;
		uint32_t end = total - base > PART_EVENTS ? base + PART_EVENTS : total;
		if (s->numbers[s->past] <= end)
			r = search_part(s, base, end, findings, err);
		complete &= s->result.complete && end == total && base == 0;
		if (total <= base + PART_LEAST)
			break;
	}
	if (r == 0 && s->inexact && !s->result.found)
		r = norn_findings_inexact(findings, s->inexact->name) == 0 ? 0 : norn_error_no_memory(err);
	if (r != 0 || complete || s->result.found)
		return r;
	findings->stats.complete = false;
	r = norn_findings_note(findings,
	        "property %s: under sliced causality not all runs were searched, only those near the observed one",
	        s->search_state->property->name);
	return r == 0 ? 0 : norn_error_no_memory(err);
}

int norn_search_state_slice(struct norn_property_search *f, struct norn_search_state *search_state,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err)
{
	struct search s = {.forecast = f, .search_state = search_state, .projection = projection};
	struct norn_stepper stepper = norn_stepper_of(search_state->monitor, search_state->property, true);
	int r = search_init(&s, &stepper) == 0 ? 0 : norn_error_no_memory(err);
	if (r == 0 && !(s.belief & NORN_BELIEF_DONE))
		r = search_run(&s, findings, err);
	search_done(&s);
	return r;
}
