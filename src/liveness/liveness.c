/* Infinite runs: claims of loops that could go on for ever, and violate a property then. */
#include <string.h>

#include "predict/search_state.h"
#include "liveness/cycle_candidates.h"

/* The full cuts, by numbers of threads instead of columns. */
static struct norn_candidate_loop *loop_of(
        struct norn_property_search *f, const struct norn_cycle_candidates *rounds, uint32_t begin)
{
	uint32_t threads = 0, columns = norn_cycle_log_columns(f->cycle_log);
	for (uint32_t c = 0; c < columns; c++)
		threads = norn_cycle_log_thread(f->cycle_log, c) >= threads ? norn_cycle_log_thread(f->cycle_log, c) + 1 : threads;
	struct norn_candidate_loop *loop = norn_arena_alloc(&f->arena, sizeof *loop);
	uint32_t *from = norn_arena_alloc(&f->arena, (threads + 1ul) * sizeof *from);
	uint32_t *to = norn_arena_alloc(&f->arena, (threads + 1ul) * sizeof *to);
	if (!loop || !from || !to)
		return NULL;
	for (uint32_t c = 0; c < columns; c++) {
		from[norn_cycle_log_thread(f->cycle_log, c)] = rounds->from[c];
		to[norn_cycle_log_thread(f->cycle_log, c)] = rounds->to[c];
	}
	*loop = (struct norn_candidate_loop){begin, from, to, threads};
	return loop;
}

static int remember(const struct norn_search_model *m, struct norn_search_state *a, const struct norn_projection *projection,
        const struct norn_loop_result *result, const struct norn_cycle_candidates *rounds, struct norn_error *err)
{
	const struct norn_position **steps = norn_arena_alloc(&m->forecast->arena, (result->count + 1ul) * sizeof(*steps));
	struct norn_candidate claim = {.steps = steps, .count = result->count, .loop = loop_of(m->forecast, rounds, result->loop)};
	if (!steps || !claim.loop)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < result->count; i++)
		steps[i] = norn_search_model_position(m, result->events[i]);
	claim.extent = norn_findings_text(m->findings, "found among %llu cuts", (unsigned long long)result->cuts);
	return norn_search_model_claim(m, projection, a, &claim, err);
}

static int search(struct norn_search_model *m, struct norn_search_state *a, const struct norn_projection *projection,
        struct norn_cycle_candidates *rounds, struct norn_error *err)
{
	struct norn_loop_result result;
	struct norn_lattice_model model = norn_search_model_lattice(m);
	struct norn_loop_rules rules = norn_cycle_candidates_rules(rounds);
	const struct norn_loop_options options = {
	        .max_cuts = m->forecast->options.max_cuts < 200000 ? m->forecast->options.max_cuts : 0};
	int r = norn_loops_search(m->computation, &model, a->property, &rules, &options, &result);
	if (r != 0)
		return norn_error_set(err, r, "loops of property %s could not be searched: %s", a->property->name, strerror(-r));
	m->findings->stats.cuts += result.cuts;
	if (result.found) {
		r = remember(m, a, projection, &result, rounds, err);
	} else if (result.limit != NORN_LOOP_COMPLETE) {
		m->findings->stats.loops_cut = true;
		r = norn_findings_note(m->findings, "property %s: the search for loops is not complete: %s", a->property->name,
		            norn_loop_limit_text(result.limit)) == 0
		            ? 0
		            : norn_error_no_memory(err);
	}
	norn_loop_result_done(&result);
	return r;
}

int norn_search_state_loops(struct norn_property_search *f, struct norn_search_state *a, const struct norn_projection *projection,
        struct norn_findings *findings, struct norn_error *err)
{
	struct norn_cycle_candidates rounds;
	struct norn_search_model m = {.forecast = f, .auguries = &a, .count = 1, .keys = projection->keys, .findings = findings};
	if (norn_cycle_log_full(f->cycle_log)) {
		findings->stats.loops_cut = true;
		return norn_findings_note(findings, "property %s: no loops are searched, as the run is too long for that",
		               a->property->name) == 0
		               ? 0
		               : norn_error_no_memory(err);
	}
	int r = norn_search_model_init(&m, projection, err);
	if (r != 0)
		return r;
	if (norn_cycle_candidates_init(&rounds, f->cycle_log, m.computation, f->kept_count) == 0) {
		r = search(&m, a, projection, &rounds, err);
		norn_cycle_candidates_done(&rounds);
	} else {
		r = norn_error_no_memory(err);
	}
	norn_search_model_done(&m);
	return r;
}
