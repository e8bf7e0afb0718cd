/* How fast sliced prediction of the built-in errors is, and what memory it takes.
 *
 *   sliced [EVENTS…]       synthetic runs of so many events; prints a section for RESULTS.md
 *   sliced -t TRACE        a recorded run, or one converted from RAPID's text: merge included
 *
 * Synthetic runs are those of synthetic.h. Without facts every read decides. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "errors/builtin_search.h"
#include "synthetic.h"
#include "trace/merge.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
	fprintf(stderr, "sliced: %s\n", what);
	exit(2);
}

static void analyse(struct norn_graph_builder *builder, const char *label, double begun)
{
	struct norn_graph *graph = norn_graph_finish(builder);
	struct norn_predictions p = {0};
	double built = now();
	struct norn_builtin_options options = {.effort = 300, .guarded = true};
	norn_builtin_errors(graph, &options, &p);
	double done = now(), events = norn_graph_count(graph);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("| %s | %.0f | %.2f M/s | %.2f M/s | %.2f M/s | %.1f | %.0f | %" PRIu32 " | %" PRIu64 " | %" PRIu64 " |%s\n", label,
	        events, events / (built - begun) / 1e6, events / (done - built) / 1e6, events / (done - begun) / 1e6,
	        (double)norn_graph_bytes(graph) / events, (double)usage.ru_maxrss / 1024, p.count, p.stats.closures, p.stats.steps,
	        norn_builtin_limited(&p.stats) ? " cut short" : "");
	norn_predictions_done(&p);
	norn_graph_free(graph);
	norn_graph_builder_free(builder);
}

static void synthetic(uint64_t events, uint32_t threads)
{
	struct generator g = GENERATOR(threads);
	struct norn_graph_builder *builder = norn_graph_builder_new(NULL, NULL, NULL);
	char label[40];
	snprintf(label, sizeof label, "%u threads", threads);
	double begun = now();
	for (uint64_t i = 0; i < events; i++) {
		struct norn_event e = next_event(&g);
		if (norn_graph_add(builder, &e) < 0)
			fail("cannot add an event");
	}
	analyse(builder, label, begun);
}

static void recorded(const char *path)
{
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_merge *merge = NULL;
	struct norn_graph_builder *builder;
	if (norn_trace_open(path, false, &trace, &err) < 0)
		fail(err.message);
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	builder = norn_graph_builder_new(NULL, NULL, NULL);
	double begun = now();
	struct norn_event e;
	int r;
	while ((r = norn_merge_next(merge, &e, &err)) > 0)
		if (norn_graph_add(builder, &e) < 0)
			fail("cannot add an event");
	if (r < 0)
		fail(err.message);
	analyse(builder, path, begun);
	norn_merge_free(merge);
	norn_trace_close(trace);
}

int main(int argc, char **argv)
{
	printf("\n## Sliced prediction of built-in errors (bench/sliced)\n\nProcessor time; *graph*: events to the dependence "
	       "graph (of "
	       "a trace: with reading and merging it).\n\n"
	       "| run | events | graph | prediction | both | bytes an event | peak MB | found | closures | their events "
	       "|\n|---|---|---|---|---|---|---|---|---|---|\n");
	if (argc > 2 && strcmp(argv[1], "-t") == 0) {
		recorded(argv[2]);
		return 0;
	}
	static const char *const sizes[] = {"100000", "1000000", "10000000"};
	const char *const *list = argc > 1 ? (const char *const *)argv + 1 : sizes;
	for (int i = 0; i < (argc > 1 ? argc - 1 : 3); i++) {
		synthetic(strtoull(list[i], NULL, 10), 4);
		synthetic(strtoull(list[i], NULL, 10), 16);
	}
	return 0;
}
