/* text EVENTS THREADS: a synthetic run (synthetic.h) in RAPID's text format, on standard output. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "synthetic.h"
#include "trace/record.h"

static void print(const struct norn_event *e)
{
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK)
		printf("T%u|fork(T%" PRIu64 ")|%u\n", e->thread, e->value, e->site);
	else if (e->kind == NORN_EVENT_THREAD)
		printf("T%u|begin(T%u)|%u\n", e->thread, e->thread, e->site);
	else if (e->kind == NORN_EVENT_SYNC)
		printf("T%u|%s(L%" PRIx64 ")|%u\n", e->thread, e->op == NORN_SYNC_ACQUIRE ? "acq" : "rel", e->addr >> 12, e->site);
	else
		printf("T%u|%s(V%" PRIx64 ")|%u\n", e->thread, e->kind == NORN_EVENT_WRITE ? "w" : "r", e->addr >> 3, e->site);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "text EVENTS THREADS\n");
		return 2;
	}
	struct generator g = GENERATOR((uint32_t)strtoul(argv[2], NULL, 10));
	for (uint64_t i = strtoull(argv[1], NULL, 10); i > 0; i--) {
		struct norn_event e = next_event(&g);
		print(&e);
	}
	return fflush(stdout) != 0;
}
