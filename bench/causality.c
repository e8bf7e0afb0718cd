/* How fast algorithm A is: a synthetic run, without a trace and its merge.
 *
 *   causality [EVENTS]      prints a section for RESULTS.md
 *
 * Threads take turns of a few dozen events. Two thirds of all events go to memory of the thread's own, 128 KiB, near each other for a
 * turn; one fifth to 128 KiB of shared memory, one in 500 of these is a write; the rest are short regions under one of 64 locks that
 * read and write what the lock protects. Words are accessed whole, or as two ints. One event in 1000 is relevant; in the last rows
 * one in 10, and each single one, to show what clocks that always change cost. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "causality/mvc.h"

struct step {
	uint64_t where;
	uint32_t thread;
	uint8_t op, size;
	bool relevant;
};

enum { CHUNK = 1 << 16, LOCKS = 64, OWN_WORDS = 1 << 14, WINDOW_WORDS = 64, SHARED_WORDS = 1 << 14, LOCKED_WORDS = 32 };

struct generator {
	uint64_t seed;
	uint32_t threads, relevant; /* one in so many */
	uint32_t thread, turn; /* whose turn, and for how many more events */
	uint32_t window; /* what it uses of its own memory this time */
	uint32_t lock, held; /* events to come in its region */
};

static uint32_t draw(struct generator *g, uint32_t below)
{
	g->seed ^= g->seed << 13;
	g->seed ^= g->seed >> 7;
	g->seed ^= g->seed << 17;
	return (uint32_t)((g->seed >> 32) * below >> 32);
}

static struct step next_step(struct generator *g)
{
	if (g->turn == 0 && g->held == 0) {
		g->thread = draw(g, g->threads);
		g->turn = 1 + draw(g, 63);
		g->window = draw(g, OWN_WORDS - WINDOW_WORDS);
	}
	g->turn -= g->turn > 0;
	struct step s = {.thread = g->thread, .op = NORN_MVC_WRITE, .size = 4, .relevant = draw(g, g->relevant) == 0};
	if (g->held) {
		g->held--;
		s.where = UINT64_C(0x500000) + g->lock * 0x1000;
		if (g->held == 0)
			return s;
		s.where += 64 + draw(g, LOCKED_WORDS) * 8;
		s.op = draw(g, 2) ? NORN_MVC_READ : NORN_MVC_WRITE;
		return s;
	}
	uint32_t kind = draw(g, 64);
	if (kind < 48) {
		uint32_t word = g->window + draw(g, WINDOW_WORDS);
		s.where = (UINT64_C(1) + g->thread) << 32 | word * 8;
		s.op = kind < 32 ? NORN_MVC_READ : NORN_MVC_WRITE;
		if (word & 1)
			s.size = 8;
		else
			s.where += kind & 4;
	} else if (kind < 62) {
		s.where = UINT64_C(0x10000000) + draw(g, SHARED_WORDS) * 8;
		s.op = draw(g, 500) ? NORN_MVC_READ : NORN_MVC_WRITE;
	} else {
		g->lock = draw(g, LOCKS);
		g->held = 4;
		s.where = UINT64_C(0x500000) + g->lock * 0x1000;
	}
	return s;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(uint32_t threads, uint32_t relevant, uint64_t events)
{
	static struct step steps[CHUNK];
	struct generator g = {.seed = 88172645463325252u, .threads = threads, .relevant = relevant};
	struct norn_mvc *mvc;
	if (norn_mvc_new(NORN_CAUSALITY_MVC, &mvc) < 0)
		exit(1);
	double seconds = 0;
	uint64_t most = 0, count = 0;
	for (uint64_t done = 0; done < events; done += CHUNK) {
		for (unsigned i = 0; i < CHUNK; i++) {
			steps[i] = next_step(&g);
			count += steps[i].relevant;
		}
		double start = now();
		for (unsigned i = 0; i < CHUNK; i++) {
			const struct step *s = &steps[i];
			if (norn_mvc_step(mvc, s->thread, s->op, s->where, s->size, s->relevant) < 0)
				exit(1);
		}
		seconds += now() - start;
		uint64_t bytes = norn_mvc_bytes(mvc);
		most = bytes > most ? bytes : most;
	}
	events = (events + CHUNK - 1) / CHUNK * CHUNK;
	printf("| %" PRIu32 " | %" PRIu64 " | %.1f | %.1f | %.1f |\n", threads, count, (double)events / seconds * 1e-6,
	        (double)most * 1e-6, (double)most / (double)events);
	fflush(stdout);
	norn_mvc_free(mvc);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	printf("\n# What causality costs\n\nMade by `build/bench/causality`: algorithm A on a synthetic run of %.1f M events "
	       "(bench/causality.c says which), on one core, without reading and merging a trace.\n\n",
	        (double)events * 1e-6);
	printf("| threads | relevant events | M events / CPU s | memory at most, MB | bytes / event |\n|--:|--:|--:|--:|--:|\n");
	static const uint32_t threads[] = {4, 16, 64};
	for (unsigned i = 0; i < 3; i++)
		measure(threads[i], 1000, events);
	measure(64, 10, events);
	measure(64, 1, events);
	return 0;
}
