/* offline TRACE KINDS: all events of these kinds (a mask) with their clocks, as they follow from a trace: "thread index kind thread:count …", sorted by
 * nothing in particular. The clocks of a run that was observed while it was recorded must be the same.
 * Events that come after all others so far (a signal, the process's end) depend on the order that the merge chose; they are marked "after". */
#include <stdio.h>
#include <stdlib.h>

#include "causality/mvc_events.h"
#include "trace/merge.h"
#include "trace/record.h"

static void show(const struct norn_mvc *mvc, const struct norn_event *e)
{
	uint32_t width;
	const uint32_t *clock = norn_mvc_clock(mvc, e->thread, &width);
	printf("%u %llu %u", e->thread, (unsigned long long)e->index, e->kind);
	for (uint32_t i = 0; i < width; i++)
		if (clock[i])
			printf(" %u:%u", norn_mvc_column_thread(mvc, i), clock[i]);
	bool after = e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_EXIT || e->op == NORN_THREAD_SIGNAL);
	puts(after ? " after" : e->pieces ? " pieces" : "");
}

int main(int argc, char **argv)
{
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_merge *merge;
	struct norn_mvc *mvc;
	struct norn_event e;
	int r;
	if (argc != 3)
		return 2;
	unsigned long kinds = strtoul(argv[2], NULL, 0);
	if (norn_trace_open(argv[1], false, &trace, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	if (norn_mvc_new(NORN_CAUSALITY_MVC, &mvc) < 0)
		return 1;
	while ((r = norn_merge_next(merge, &e, &err)) == 1) {
		bool relevant = kinds >> e.kind & 1;
		if (norn_mvc_follow(mvc, &e, relevant) < 0)
			return 1;
		if (relevant)
			show(mvc, &e);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	norn_mvc_free(mvc);
	norn_merge_free(merge);
	norn_trace_close(trace);
	return r < 0;
}
