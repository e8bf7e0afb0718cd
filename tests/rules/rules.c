/* rules TRACE MODEL FACTS CLOSURE: races that the engine predicts from a trace when it does without some rules, one line each: "race VARIABLE". The checker is not asked.
 *
 * FACTS: letters of what is not looked at: d which reads decide, m what masks name, k that there are masks (all branches are kept then), c who controls an access, v where
 * values come from, r where results do, a where arguments do. CLOSURE: enum norn_rule_switch that are switched off, as a number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sliced/closure.h"
#include "errors/builtin_driver.h"
#include "errors/site_facts.h"
#include "trace/site.h"

struct look_up {
	struct norn_builtin_driver_sites sites;
	const char *without;
};

static void put(uint8_t **to, uint32_t number)
{
	for (; number > 127; number >>= 7)
		*(*to)++ = (uint8_t)(number | 128);
	*(*to)++ = (uint8_t)number;
}

static bool drops(const char *without, unsigned kind)
{
	static const char letters[] = {[NORN_FACT_DECIDES] = 'd',
	        [NORN_FACT_MASKS] = 'k',
	        [NORN_FACT_CONTROL] = 'c',
	        [NORN_FACT_VALUE] = 'v',
	        [NORN_FACT_RESULT] = 'r',
	        [NORN_FACT_ARGUMENT] = 'a'};
	return kind < sizeof letters && letters[kind] && strchr(without, letters[kind]);
}

/* The facts without what is not looked at. They stay until the process ends. */
static struct norn_facts weaken(struct norn_facts facts, const char *without)
{
	uint8_t *bytes = malloc((size_t)(facts.end - facts.p) + 64), *to = bytes;
	uint32_t kind, count, item;
	if (!bytes)
		exit(2);
	while (norn_facts_next(&facts, &kind, &count)) {
		bool dropped = drops(without, kind), empty = kind == NORN_FACT_MASKS && strchr(without, 'm');
		if (!dropped)
			put(&to, kind);
		if (!dropped)
			put(&to, empty ? 0 : count);
		while (count-- && norn_facts_number(&facts, &item))
			if (!dropped && !empty)
				put(&to, item);
	}
	put(&to, NORN_FACT_END);
	return (struct norn_facts){bytes, to};
}

static void look_up(void *context, uint32_t number, struct norn_graph_site *ret_site)
{
	struct look_up *l = context;
	norn_builtin_driver_sites_look_up(&l->sites, number, ret_site);
	if (ret_site->facts.p)
		ret_site->facts = weaken(ret_site->facts, l->without);
}

static int slice_of(struct norn_run *run, struct look_up *l, struct norn_graph **ret_graph)
{
	struct norn_graph_builder *builder = norn_graph_builder_new(look_up, l, NULL);
	struct norn_event event;
	int r = 0;
	norn_run_begin(run, 0);
	while (r == 0 && (r = norn_run_next(run, &event, NULL)) == 1)
		r = norn_graph_add(builder, &event);
	if (r == 0)
		*ret_graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	return r;
}

int main(int argc, char **argv)
{
	struct norn_trace *trace;
	struct norn_run *run;
	struct norn_effects_model *model;
	struct norn_graph *graph;
	struct norn_predictions found = {.count = 0};
	if (argc != 5 || norn_trace_open(argv[1], false, &trace, NULL) < 0 || norn_effects_model_read(argv[2], &model, NULL) < 0)
		return 2;
	run = norn_run_of_trace(trace);
	const struct norn_effects_model *models[] = {model};
	struct norn_builtin_driver_options options = {.models = models, .model_count = 1};
	struct norn_builtin_options builtin = {.what = NORN_BUILTIN_RACE, .without = (unsigned)atoi(argv[4])};
	struct look_up l = {.without = argv[3]};
	norn_builtin_driver_sites_init(&l.sites, run, &options);
	if (slice_of(run, &l, &graph) < 0)
		return 2;
	norn_builtin_errors(graph, &builtin, &found);
	for (uint32_t i = 0; i < found.count; i++) {
		struct norn_site_info info;
		norn_trace_site(trace, norn_graph_event(graph, found.list[i].stops[0])->site, &info);
		printf("race %s\n", info.name);
	}
	norn_predictions_done(&found);
	norn_graph_free(graph);
	norn_builtin_driver_sites_done(&l.sites);
	norn_effects_model_free(model);
	return 0;
}
