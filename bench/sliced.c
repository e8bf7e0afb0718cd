/* How fast sliced prediction of the built-in errors is, and what memory it takes.
 *
 *   sliced [EVENTS…]       synthetic runs of so many events; prints a section for RESULTS.md
 *   sliced -t TRACE        a recorded run, or one converted from RAPID's text: merge included
 *
 * In a synthetic run threads take turns of a few dozen events. Half of all events go to memory of the thread's own, a quarter are reads of shared
 * memory that nobody writes any more, the rest are regions under one of 64 locks that read and write what the lock protects; one region
 * in 1000 forgets the lock. Without facts every read decides. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "predict/builtin.h"
#include "trace/merge.h"
#include "trace/record.h"

enum { LOCKS = 64, OWN_WORDS = 1 << 14, SHARED_WORDS = 1 << 14, LOCKED_WORDS = 32, SITES = 400 };

struct generator {
	uint64_t seed;
	uint32_t threads, thread, turn;
	uint32_t lock, held; /* events to come in the region */
	bool forgot;
	uint32_t next; /* thread that has not begun */
	bool begins;
	uint64_t value;
};

static uint32_t draw(struct generator *g, uint32_t below)
{
	g->seed ^= g->seed << 13;
	g->seed ^= g->seed >> 7;
	g->seed ^= g->seed << 17;
	return (uint32_t)((g->seed >> 32) * below >> 32);
}

static struct norn_event access(struct generator *g, uint64_t addr, bool write, uint32_t site)
{
	return (struct norn_event){
	        .kind = write ? NORN_EVENT_WRITE : NORN_EVENT_READ,
	        .thread = g->thread,
	        .site = site,
	        .addr = addr,
	        .size = 8,
	        .known = true,
	        .value = ++g->value,
	};
}

static struct norn_event sync_lock(struct generator *g, enum norn_sync_op op, uint32_t site)
{
	return (struct norn_event){.kind = NORN_EVENT_SYNC,
	        .op = (uint8_t)op,
	        .thread = g->thread,
	        .site = site,
	        .addr = UINT64_C(0x500000) + g->lock * 0x1000};
}

/* Threads are forked by main, one after the other, before anything else. */
static struct norn_event start(struct generator *g)
{
	struct norn_event e = {.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_FORK, .value = g->next, .site = 1};
	if (g->begins) {
		e.op = NORN_THREAD_BEGIN;
		e.thread = g->next++;
	}
	g->begins = !g->begins;
	return e;
}

static struct norn_event in_region(struct generator *g)
{
	g->held--;
	if (g->held == 0 && !g->forgot)
		return sync_lock(g, NORN_SYNC_RELEASE, 3);
	uint32_t word = draw(g, LOCKED_WORDS);
	return access(
	        g, UINT64_C(0x500000) + g->lock * 0x1000 + 64 + word * 8, draw(g, 2), 10 + g->lock * 4 + (g->forgot ? 300 : 0));
}

static struct norn_event next_event(struct generator *g)
{
	if (g->next < g->threads)
		return start(g);
	if (g->turn == 0 && g->held == 0) {
		g->thread = draw(g, g->threads);
		g->turn = 1 + draw(g, 63);
	}
	g->turn -= g->turn > 0;
	if (g->held)
		return in_region(g);
	uint32_t what = draw(g, 100);
	if (what < 66)
		return access(g, UINT64_C(0x10000000) * (1 + g->thread) + draw(g, OWN_WORDS) * 8, draw(g, 3) == 0, 5);
	if (what < 95)
		return access(g, UINT64_C(0x400000) + draw(g, SHARED_WORDS) * 8, false, 6);
	g->lock = draw(g, LOCKS);
	g->held = 3 + draw(g, 4);
	g->forgot = draw(g, 1000) == 0;
	return g->forgot ? in_region(g) : sync_lock(g, NORN_SYNC_ACQUIRE, 2);
}

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

static void analyse(struct norn_slice_builder *builder, const char *label, double begun)
{
	struct norn_slice *slice;
	struct norn_predictions p = {0};
	if (norn_slice_finish(builder, &slice) < 0)
		fail("out of memory");
	double built = now();
	struct norn_builtin_options options = {0};
	if (norn_builtin_errors(slice, &options, &p) < 0)
		fail("out of memory");
	double done = now(), events = norn_slice_count(slice);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("| %s | %.0f | %.2f M/s | %.2f M/s | %.2f M/s | %.1f | %.0f | %" PRIu32 " | %" PRIu64 " | %" PRIu64 " |%s\n", label,
	        events, events / (built - begun) / 1e6, events / (done - built) / 1e6, events / (done - begun) / 1e6,
	        (double)norn_slice_bytes(slice) / events, (double)usage.ru_maxrss / 1024, p.count, p.stats.closures, p.stats.steps,
	        p.stats.complete ? "" : " cut short");
	norn_predictions_done(&p);
	norn_slice_free(slice);
	norn_slice_builder_free(builder);
}

static void synthetic(uint64_t events, uint32_t threads)
{
	struct generator g = {.seed = 88172645463325252u, .threads = threads, .next = 1};
	struct norn_slice_builder *builder;
	if (norn_slice_builder_new(NULL, NULL, NULL, &builder) < 0)
		fail("out of memory");
	char label[40];
	snprintf(label, sizeof label, "%u threads", threads);
	double begun = now();
	for (uint64_t i = 0; i < events; i++) {
		struct norn_event e = next_event(&g);
		if (norn_slice_add(builder, &e) < 0)
			fail("cannot add an event");
	}
	analyse(builder, label, begun);
}

static void recorded(const char *path)
{
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_merge *merge = NULL;
	struct norn_slice_builder *builder;
	if (norn_trace_open(path, false, &trace, &err) < 0 || norn_merge_new(trace, &merge) < 0)
		fail(err.message);
	if (norn_slice_builder_new(NULL, NULL, NULL, &builder) < 0)
		fail("out of memory");
	double begun = now();
	struct norn_event e;
	int r;
	while ((r = norn_merge_next(merge, &e, &err)) > 0)
		if (norn_slice_add(builder, &e) < 0)
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
