#include "property.h"

#include <stdlib.h>
#include <string.h>

#include "sliced/step/step_lattice.h"
#include "trace/record.h"

const uint8_t forbid_abc[MONITOR_STATES][MONITOR_LETTERS] = {{1, 0, 0, 0, 0}, {1, 2, 0, 1, 1}, {1, 0, 3, 2, 2}, {3, 3, 3, 3, 3}};

struct search {
	const struct trial *trial;
	const struct norn_graph *graph;
	uint64_t relevant[EVENTS], valued[EVENTS];
	uint32_t relevant_count, valued_count;
	uint32_t base; /* where the search begins */
};

/* -1: the event is none of the property's. */
static int letter_of(const struct program *program, const struct norn_event *e)
{
	const uint64_t z = ADDRESS_MEMORY + 8 * VAR_Z;
	if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_EVENT)
		return program->statements[statement_of_site(e->site)].number;
	if ((e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW) || e->addr > z || e->addr + e->size <= z)
		return -1;
	return LETTER_Z + (e->size > 8 ? e->data[z - e->addr] & 1 : (int)(e->value & 1));
}

static enum norn_step_lattice_answer happens(void *context, uint32_t relevant, uint32_t *world, uint32_t *belief)
{
	const struct search *s = context;
	const struct code *code = s->trial->code;
	int letter = letter_of(code->program, &s->trial->recording->events[s->relevant[relevant] - 1]);
	*belief = code->monitor[*belief][letter];
	return *belief == MONITOR_STATES - 1 ? NORN_STEP_LATTICE_FOUND : NORN_STEP_LATTICE_ON;
}

static void collect(struct search *s)
{
	const struct recording *r = s->trial->recording;
	for (uint32_t i = 0; i < r->count; i++) {
		int letter = letter_of(s->trial->code->program, &r->events[i]);
		if (letter >= 0)
			s->relevant[s->relevant_count++] = i + 1;
		if (letter >= LETTER_Z)
			s->valued[s->valued_count++] = i + 1;
	}
}

/* Runs it; what the machine has too little memory for is not judged. */
static enum judgement judge_sequence(
        const struct trial *trial, const struct norn_sliced_claim *claim, bool early, uint32_t *ret_at, bool *ret_unjudged)
{
	struct state state;
	const struct norn_sliced_claim list = {.events = claim->events, .count = claim->count}; /* nothing stops after it */
	state_start(trial->code, &state);
	for (uint32_t i = 0; i < claim->base + claim->count; i++) {
		uint32_t event = i < claim->base ? i + 1 : claim->events[i - claim->base];
		bool happens = i < claim->base ? replay(trial->code, trial->recording, event - 1, &state)
		                               : judge_replay(trial, event, &state);
		if (!happens) {
			*ret_at = event;
			*ret_unjudged = lacks_memory(trial->code, &state, &trial->recording->events[event - 1]);
			return *ret_unjudged ? JUDGED_TRUE : JUDGED_DIVERGES;
		}
		if (early && i >= claim->base)
			judge_come_on(trial, &list, i - claim->base + 1, event, &state);
	}
	return state.monitor == MONITOR_STATES - 1 ? JUDGED_TRUE : JUDGED_HARMLESS;
}

static void judge_found(const struct search *s, const struct norn_step_model *plan, const struct norn_step_lattice_result *found,
        FILE *out, struct property_result *result)
{
	uint32_t events[EVENTS + 2], valued[EVENTS], at = 0;
	bool unjudged = false;
	struct norn_error err = {.message = ""};
	const struct norn_graph_range z = {ADDRESS_MEMORY + 8 * VAR_Z, 2};
	struct norn_sliced_claim claim = {.base = s->base, .events = events, .stops = valued, .watched = &z, .watched_count = 1};
	claim.count = norn_step_lattice_events(plan, s->graph, found, events);
	for (uint32_t i = 0; i < claim.count; i++)
		for (uint32_t j = 0; j < s->valued_count; j++)
			if (s->valued[j] == events[i])
				valued[claim.stop_count++] = events[i];
	result->judgement = judge_sequence(s->trial, &claim, false, &at, &unjudged);
	if (result->judgement == JUDGED_TRUE && !unjudged)
		result->judgement = judge_sequence(s->trial, &claim, true, &at, &unjudged);
	bool refused = norn_sliced_check_sequence(s->trial->checker, &claim, &err) != 0;
	if (result->judgement == JUDGED_TRUE && refused)
		result->judgement = JUDGED_REFUSED;
	else if (result->judgement == JUDGED_TRUE && !unjudged && s->trial->reachable->complete && !s->trial->reachable->violation)
		result->judgement = JUDGED_UNREACHED;
	snprintf(result->message, sizeof(result->message), "%s", err.message);
	if (result->judgement == JUDGED_TRUE || !out)
		return;
	claim_print(out, s->trial, &claim);
	fprintf(out, "=> property: %s (event %u); the checker says: %s\n", judgement_name(result->judgement), at,
	        refused ? err.message : "good");
}

/* The automaton at the base, and whether the recorded run violates. */
static uint32_t follow(const struct search *s, bool *ret_observed)
{
	uint32_t belief = 0, at_base = 0;
	for (uint32_t i = 0; i < s->relevant_count; i++) {
		const struct norn_event *e = &s->trial->recording->events[s->relevant[i] - 1];
		belief = s->trial->code->monitor[belief][letter_of(s->trial->code->program, e)];
		if (s->relevant[i] <= s->base)
			at_base = belief;
	}
	*ret_observed = belief == MONITOR_STATES - 1;
	return at_base;
}

void property_search(
        const struct trial *trial, const struct norn_graph *graph, uint32_t base, FILE *out, struct property_result *result)
{
	struct search s = {.trial = trial, .graph = graph, .base = base};
	struct norn_fixed_reads kept;
	struct norn_step_lattice_options options = {.context = &s, .happens = happens, .max_nodes = 20000};
	memset(result, 0, sizeof(*result));
	collect(&s);
	options.belief = follow(&s, &result->observed);
	if (!s.relevant_count || options.belief == MONITOR_STATES - 1)
		return;
	norn_fixed_reads_init(&kept, graph, s.valued, s.valued_count);
	const struct norn_graph_range z = {ADDRESS_MEMORY + 8 * VAR_Z, 2};
	struct norn_step_model_property property = {.relevant = s.relevant,
	        .relevant_count = s.relevant_count,
	        .valued = s.valued,
	        .valued_count = s.valued_count,
	        .watched = &z,
	        .watched_count = 1};
	struct norn_step_model *plan = norn_step_model_new(&kept, &property, base, norn_graph_count(graph));
	struct norn_step_lattice_result found = norn_step_lattice(plan, &options);
	result->found = found.found;
	if (found.found)
		judge_found(&s, plan, &found, out, result);
	free(found.threads);
	norn_step_model_free(plan);
	norn_fixed_reads_done(&kept);
}
