/* How fast the lattice is built, and what a cut costs: synthetic computations.
 *
 *   lattice                                 prints a section for RESULTS.md
 *   lattice THREADS EVENTS MESSAGES [N]     one computation; N workers, 1 unless told
 *
 * THREADS threads of EVENTS events each take turns; MESSAGES of 16 events come after the last event of another thread. Each event flips one of
 * three variables, so that the cut determines them. Monitors: none that matters (one state per cut: what a cut costs at least), or
 * the landing property's (several states per cut). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "predict/lattice.h"

enum { THREADS = 64 };

struct size {
	uint32_t threads, events, messages;
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)((*seed >> 32) * below >> 32);
}

static struct norn_computation *make(struct size size)
{
	struct norn_computation_builder *builder;
	struct norn_computation *computation;
	uint32_t clocks[THREADS][THREADS] = {{0}};
	uint64_t seed = 20040426;
	if (norn_computation_builder_new(&builder) < 0)
		abort();
	for (uint32_t i = 0; i < size.threads * size.events; i++) {
		uint32_t t = i % size.threads, from = draw(&seed, size.threads);
		if (draw(&seed, 16) < size.messages)
			for (uint32_t j = 0; j < size.threads; j++)
				clocks[t][j] = clocks[from][j] > clocks[t][j] ? clocks[from][j] : clocks[t][j];
		clocks[t][t]++;
		if (norn_computation_add(builder, t, clocks[t], size.threads, i) < 0)
			abort();
	}
	if (norn_computation_finish(builder, &computation, NULL) < 0)
		abort();
	norn_computation_builder_free(builder);
	return computation;
}

static int flip(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	(void)context;
	*ret_valuation = valuation ^ 1u << (event.thread + event.k / 4) % 3;
	return 0;
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t valuation,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	(void)context;
	(void)monitor;
	(void)event;
	*ret_letter = valuation;
	*ret_unknown = 0;
	return NORN_LATTICE_POSITION;
}

static uint64_t start(const void *context)
{
	(void)context;
	return 8;
}

/* The letter is the state: as many states as a cut has valuations, one. */
static uint64_t copy(const void *context, uint64_t state, uint64_t l)
{
	(void)context;
	(void)state;
	return l;
}

static bool never(const void *context, uint64_t state)
{
	(void)context;
	(void)state;
	return false;
}

/* start(p) -> [start(q), r): bits 0 to 2 are the last letter, 3 the first position, 4 the interval, 5 the verdict's opposite. */
static uint64_t landing(const void *context, uint64_t state, uint64_t l)
{
	(void)context;
	bool first = state & 8, p = l & 1 && !first && !(state & 1), q = l & 2 && !first && !(state & 2);
	bool interval = !(l & 4) && (q || (!first && state & 16));
	return l | (interval ? 16 : 0) | (p && !interval ? 32 : 0);
}

static bool bit_5(const void *context, uint64_t state)
{
	(void)context;
	return state & 32;
}

static const struct norn_stepper one = {.start = start, .step = copy, .violated = never};
static const struct norn_stepper past = {.start = start, .step = landing, .violated = bit_5};

static double seconds(unsigned workers)
{
	struct timespec now;
	clock_gettime(workers > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct figures {
	uint64_t cuts, widest;
	double seconds, record, memory; /* bytes per cut of the widest level, and of the two levels that are in memory */
};

static struct figures measure(
        const struct norn_computation *computation, const struct norn_stepper *stepper, unsigned workers, unsigned rounds)
{
	struct norn_lattice_model model = {.apply = flip, .letter = letter, .concurrent = true};
	struct norn_lattice_options options = {.workers = workers};
	struct figures best = {0};
	for (unsigned i = 0; i < rounds; i++) {
		struct norn_lattice_result result;
		double begin = seconds(workers);
		if (norn_lattice_search(computation, &model, stepper, 1, &options, &result) < 0)
			abort();
		double took = seconds(workers) - begin;
		uint64_t two = 0;
		for (uint64_t l = 1; l < result.levels; l++)
			two = result.widths[l] + result.widths[l - 1] > two ? result.widths[l] + result.widths[l - 1] : two;
		if (i == 0 || took < best.seconds)
			best = (struct figures){result.cuts, result.widest, took,
			        (double)result.record_bytes / (double)result.widest, (double)result.memory / (double)two};
		norn_lattice_result_done(&result);
	}
	return best;
}

static int measure_one(char **arguments, int count)
{
	struct size size = {(uint32_t)atoi(arguments[1]), (uint32_t)atoi(arguments[2]), (uint32_t)atoi(arguments[3])};
	if (size.threads < 1 || size.threads > THREADS || size.events < 1)
		return 2;
	struct norn_computation *computation = make(size);
	for (unsigned i = 0; i < 2; i++) {
		struct figures f = measure(computation, i ? &past : &one, count > 4 ? (unsigned)atoi(arguments[4]) : 1, 1);
		printf("%s: %" PRIu64 " cuts, widest %" PRIu64
		       ", %.2f s, %.2f M cuts/s, %.1f bytes/record, %.1f bytes/cut in memory\n",
		        i ? "landing" : "one state", f.cuts, f.widest, f.seconds, (double)f.cuts / f.seconds * 1e-6, f.record,
		        f.memory);
	}
	norn_computation_free(computation);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct size sizes[] = {
	        {2, 1500, 1}, {3, 150, 1}, {4, 60, 2}, {6, 20, 3}, {8, 10, 3}, {10, 8, 4}, {12, 6, 4}, {14, 6, 5}, {16, 5, 5}};
	if (argc >= 4)
		return measure_one(argv, argc);
	printf("\n# The lattice\n\nMade by `ninja -C build bench/lattice && build/bench/lattice`; the best of 3. Synthetic "
	       "computations (bench/lattice.c); the "
	       "monitor has one state per cut, or is the landing property's.\n"
	       "*record*: what a cut of the widest level takes. *memory*: all that the search had allocated at most (levels, "
	       "paths, caches, "
	       "tables), per cut of the two levels in memory.\n\n"
	       "| threads | events | cuts | widest level | M cuts/s, 1 core | 2 cores | bytes/cut, record | memory | landing: M "
	       "cuts/s | "
	       "2 cores | record | memory |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct norn_computation *computation = make(sizes[i]);
		struct figures f[4];
		for (unsigned j = 0; j < 4; j++)
			f[j] = measure(computation, j / 2 ? &past : &one, 1 + j % 2, 3);
		printf("| %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64, sizes[i].threads, computation->total, f[0].cuts, f[0].widest);
		for (unsigned j = 0; j < 4; j += 2)
			printf(" | %.2f | %.2f | %.1f | %.1f", (double)f[j].cuts / f[j].seconds * 1e-6,
			        (double)f[j + 1].cuts / f[j + 1].seconds * 1e-6, f[j].record, f[j].memory);
		printf(" |\n");
		fflush(stdout);
		norn_computation_free(computation);
	}
	return 0;
}
