/* clocks TRACE VARIABLE...: the writes of these variables with their multithreaded vector clocks, thread by thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causality/mvc_events.h"
#include "trace/merge.h"
#include "../unit/mvc_message.h"

#define RELEVANT 4096u

struct write {
	char name[64];
	long long value;
};

static void fail(const char *what, const struct norn_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(1);
}

static bool is_relevant(const struct norn_trace *trace, const struct norn_event *e, char **names, struct write *ret_write)
{
	struct norn_site_info site;
	if (e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW)
		return false;
	norn_trace_site(trace, e->site, &site);
	while (*names && strcmp(*names, site.name) != 0)
		names++;
	if (!*names)
		return false;
	snprintf(ret_write->name, sizeof ret_write->name, "%s", site.name);
	ret_write->value = e->size == 4 ? (int32_t)e->value : (long long)e->value;
	return true;
}

static void show(const struct norn_computation *c, const struct write *writes)
{
	for (uint32_t i = 0; i < c->threads; i++)
		for (uint32_t k = 0; k < c->events[i]; k++) {
			const struct write *w = &writes[norn_computation_payload(c, i, k)];
			printf("%s=%lld (", w->name, w->value);
			for (uint32_t j = 0; j < c->threads; j++)
				printf("%s%u", j ? "," : "", norn_computation_clock(c, i, k)[j]);
			printf(")\n");
		}
}

int main(int argc, char **argv)
{
	static struct write writes[RELEVANT + 1];
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_merge *merge;
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder = norn_computation_builder_new();
	struct norn_computation *c = NULL;
	struct norn_event e;
	uint32_t count = 0;
	int r;
	if (argc < 3)
		return 2;
	if (norn_trace_open(argv[1], false, &trace, &err) < 0)
		fail(argv[1], &err);
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	if (norn_mvc_new(NORN_CAUSALITY_MVC, &mvc) < 0)
		return 1;
	while ((r = norn_merge_next(merge, &e, &err)) == 1) {
		bool relevant = count < RELEVANT && is_relevant(trace, &e, argv + 2, &writes[count]);
		if (norn_mvc_follow(mvc, &e, relevant) < 0 || (relevant && mvc_message(mvc, e.thread, count++, builder) < 0))
			return 1;
	}
	if (r < 0 || norn_computation_finish(builder, &c, &err) < 0)
		fail(argv[1], &err);
	show(c, writes);
	norn_computation_free(c);
	norn_computation_builder_free(builder);
	norn_mvc_free(mvc);
	norn_merge_free(merge);
	norn_trace_close(trace);
	return 0;
}
