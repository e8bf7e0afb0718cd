/* Infinite runs: candidates of loops that could go on for ever, and violate a property then. */
#include <stdlib.h>
#include <string.h>

#include "liveness/loop_candidates.h"
#include "predict/search.h"

#define CUTS_SHARE 10u /* of the cuts allowed, for loops */
#define WORK 25u /* pairs of cuts for each of these */

/* The full cuts, by numbers of threads instead of columns of the cycle log. */
static struct norn_lasso *loop_of(struct norn_property_search *s, const struct norn_loop_candidates *cycles, uint32_t begin)
{
	uint32_t threads = 0, columns = norn_loop_log_columns(s->loop_log);
	for (uint32_t c = 0; c < columns; c++)
		threads = norn_loop_log_thread(s->loop_log, c) >= threads ? norn_loop_log_thread(s->loop_log, c) + 1 : threads;
	struct norn_lasso *loop = norn_must_arena_alloc(&s->arena, sizeof *loop);
	uint32_t *from = norn_must_arena_alloc(&s->arena, (threads + 1ul) * sizeof *from);
	uint32_t *to = norn_must_arena_alloc(&s->arena, (threads + 1ul) * sizeof *to);
	for (uint32_t c = 0; c < columns; c++) {
		from[norn_loop_log_thread(s->loop_log, c)] = cycles->from[c];
		to[norn_loop_log_thread(s->loop_log, c)] = cycles->to[c];
	}
	*loop = (struct norn_lasso){begin, from, to, threads};
	return loop;
}

static void add_candidate(
        struct norn_instance_search *i, const struct norn_loop_result *result, const struct norn_loop_candidates *cycles)
{
	struct norn_property_search *s = i->search;
	const struct norn_position **steps = norn_must_arena_alloc(&s->arena, (result->count + 1ul) * sizeof(*steps));
	for (uint32_t k = 0; k < result->count; k++)
		steps[k] = norn_instance_search_position(i, result->events[k]);
	struct norn_candidate candidate = {.steps = steps,
	        .count = result->count,
	        .loop = loop_of(s, cycles, result->loop),
	        .extent = norn_findings_text(s->findings, "found among %llu cuts", (unsigned long long)result->cuts)};
	norn_instance_search_candidate(i, i->properties[0], &candidate);
}

static int search(struct norn_instance_search *i, const struct norn_computation *computation, const uint64_t *places,
        struct norn_loop_candidates *cycles, struct norn_error *err)
{
	const struct norn_property *property = i->properties[0]->property;
	struct norn_findings *findings = i->search->findings;
	uint64_t max_cuts = i->search->options.max_cuts;
	struct norn_loop_result result;
	struct norn_lattice_model model = norn_instance_search_model(i);
	struct norn_loop_rules rules = norn_loop_candidates_rules(cycles);
	/* The search for loops takes more time and memory than a cut of the lattice. */
	const struct norn_loop_options options = {
	        .max_cuts = max_cuts ? max_cuts / CUTS_SHARE + 1 : 0, .max_work = max_cuts * WORK};
	model.observed = places;
	int r = norn_loops_search(computation, &model, property, &rules, &options, &result);
	if (r != 0)
		return norn_error_set(err, r, "loops of property %s could not be searched: %s", property->name, strerror(-r));
	findings->stats.cuts += result.cuts;
	if (result.found) {
		add_candidate(i, &result, cycles);
	} else if (result.limit != NORN_LOOP_COMPLETE) {
		findings->stats.loops_cut = true;
		norn_findings_partial(findings, NORN_REASON_LIMIT, 1, norn_loop_limit_remedy(result.limit),
		        "property %s: the search for loops is not complete: %s", property->name,
		        norn_loop_limit_text(result.limit));
	}
	norn_loop_result_done(&result);
	return 0;
}

/* Does the call at this site wait, however long it takes? */
static bool waits(void *context, uint32_t site)
{
	static const char *const names[] = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	        "pthread_cond_wait", "sem_wait", "mtx_lock", "cnd_wait", "pthread_barrier_wait", "pthread_once", "call_once"};
	struct norn_site_info info;
	norn_trace_site(context, site, &info);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(info.name, names[i]) == 0)
			return true;
	return false;
}

int norn_search_loops(struct norn_instance_search *i, struct norn_error *err)
{
	struct norn_property_search *s = i->search;
	struct norn_loop_candidates cycles;
	struct norn_computation *computation;
	if (norn_loop_log_full(s->loop_log)) {
		s->findings->stats.loops_cut = true;
		norn_findings_partial(s->findings, NORN_REASON_MEMORY, 1,
		        "allow more memory (--max-memory), or record a shorter run",
		        "property %s: no loops are searched, as the run is too long for that", i->properties[0]->property->name);
		return 0;
	}
	int r = norn_projection_computation(&i->projection, &computation, err);
	if (r != 0)
		return r;
	uint64_t *places = norn_must_alloc(computation->total, sizeof *places);
	for (uint64_t k = 0; k < computation->total; k++)
		places[k] = s->kept.items[computation->payloads[k]]->number;
	norn_loop_candidates_init(&cycles, s->loop_log, computation, s->kept.count);
	if (s->binding && s->binding->trace) {
		cycles.waits = waits;
		cycles.context = (void *)s->binding->trace;
	}
	r = search(i, computation, places, &cycles, err);
	norn_loop_candidates_done(&cycles);
	norn_computation_free(computation);
	free(places);
	return r;
}
