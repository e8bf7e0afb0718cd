#include "errors/fix/checked_fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "errors/fix/fix_candidates.h"

#define TRIES 48u /* fixes that are tried in all, of runs that are not long */
#define EVENTS 1000000u /* that are gone through for them */
#define STEPS 1000000u /* that their searches take, if those of the recorded run did not take more */

struct fix_check {
	struct norn_builtin_driver_sites *sites;
	struct norn_run *run;
	const struct norn_graph *graph;
	const struct norn_builtin_options *options;
	const struct norn_predictions *before;
	struct norn_findings *findings;
	uint32_t tried, untried, allowed;
	uint64_t steps; /* of searches, so far */
};

/* ---- the check ---- */

static uint64_t line_hash(const struct fix_check *s, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(s->sites->trace, site, &info);
	return norn_fnv_text(NORN_FNV_BEGIN + info.line, info.file);
}

static uint64_t place_hash(const struct fix_check *s, const struct norn_graph *graph, uint32_t event)
{
	return line_hash(s, norn_graph_event(graph, event)->site);
}

/* Kind and lines, in no order. */
static uint64_t signature(const struct fix_check *s, const struct norn_graph *graph, const struct norn_predicted *p)
{
	uint64_t sum = p->kind;
	if (p->assertion)
		return sum + line_hash(s, p->assertion->site);
	for (uint32_t i = 0; i < p->cycle.count; i++)
		sum += place_hash(s, graph, p->cycle.events[i]);
	if (p->cycle.count)
		return sum;
	for (uint32_t i = 0; i < p->stop_count; i++)
		sum += place_hash(s, graph, p->stops[i]);
	return p->first ? sum + place_hash(s, graph, p->first) : sum;
}

static bool was_there(const struct fix_check *s, uint64_t wanted)
{
	for (uint32_t i = 0; i < s->before->count; i++)
		if (signature(s, s->graph, &s->before->list[i]) == wanted)
			return true;
	return false;
}

/* Nothing is left of the finding, no deadlock is new, and no more was given up than before. */
static bool is_better(
        const struct fix_check *s, const struct norn_graph *fixed, const struct norn_predictions *after, uint64_t finding)
{
	for (uint32_t i = 0; i < after->count; i++) {
		uint64_t found = signature(s, fixed, &after->list[i]);
		if (found == finding || (after->list[i].kind == NORN_PREDICTED_DEADLOCK && !was_there(s, found)))
			return false;
	}
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS; i++)
		if (after->stats.limits[i] > s->before->stats.limits[i])
			return false;
	return true;
}

static uint64_t steps_of(const struct norn_predictions *predictions)
{
	return predictions->stats.steps + predictions->stats.search_steps;
}

/* Tries take no more than twice as long as the prediction itself, or little. */
static bool is_spent(const struct fix_check *s)
{
	return s->tried == s->allowed || (s->steps > STEPS && s->steps > steps_of(s->before));
}

static bool check(struct fix_check *s, const struct norn_fix_candidate *c, const struct norn_predicted *p)
{
	struct norn_graph *fixed = norn_fixed_run_graph(s->sites, s->run, s->graph, &c->fix);
	struct norn_predictions after = {0};
	s->tried++;
	if (!fixed)
		return false;
	norn_builtin_errors(fixed, s->options, &after);
	s->steps += steps_of(&after);
	bool better = is_better(s, fixed, &after, signature(s, s->graph, p));
	norn_predictions_done(&after);
	norn_graph_free(fixed);
	return better;
}

static void take(struct fix_check *s, const struct norn_fix_candidate *c, struct norn_finding *x)
{
	struct norn_fix_place *places = norn_must_arena_alloc(&s->findings->arena, NORN_FIX_REGIONS * sizeof *places);
	for (uint32_t i = 0; i < c->fix.region_count; i++) {
		const struct norn_fix_region *r = &c->fix.regions[i];
		places[i] = (struct norn_fix_place){.file = norn_findings_text(s->findings, "%s", r->file),
		        .function = norn_findings_text(s->findings, "%s", r->function),
		        .first = r->first,
		        .last = r->last};
	}
	x->fix = c->text;
	x->fix_places = places;
	x->fix_place_count = c->fix.region_count;
}

static void fix_one(struct fix_check *s, const struct norn_predicted *p, struct norn_finding *x)
{
	const struct norn_fix_run run = {s->sites->trace, s->graph, s->findings};
	struct norn_fix_candidates candidates;
	norn_fix_candidates_find(&run, p, x, &candidates);
	for (uint32_t i = 0; i < candidates.count && !x->fix; i++) {
		if (is_spent(s)) {
			s->untried++;
			return;
		}
		if (check(s, &candidates.list[i], p))
			take(s, &candidates.list[i], x);
	}
}

void norn_checked_fixes_find(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_builtin_options *options, const struct norn_predictions *predictions, const uint32_t *indices,
        struct norn_findings *findings)
{
	uint32_t allowed = EVENTS / (norn_graph_count(graph) + 1);
	struct fix_check s = {.sites = sites,
	        .run = run,
	        .graph = graph,
	        .options = options,
	        .before = predictions,
	        .findings = findings,
	        .allowed = allowed > TRIES ? TRIES : allowed};
	for (uint32_t i = 0; i < predictions->count; i++)
		if (!findings->list[indices[i]].fix && !predictions->list[i].assumed_count)
			fix_one(&s, &predictions->list[i], &findings->list[indices[i]]);
	if (s.untried)
		norn_findings_note(findings, "%u fixes were tried on the recorded run; for %u finding%s none was", s.tried,
		        s.untried, s.untried == 1 ? "" : "s");
}
