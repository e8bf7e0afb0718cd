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

#include "lattice/lattice.h"

enum { THREADS = 64, ROUNDS = 2 };

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
	struct norn_computation_builder *builder = norn_computation_builder_new();
	struct norn_computation *computation;
	uint32_t clocks[THREADS][THREADS] = {{0}};
	uint64_t seed = 20040426;
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

static double seconds(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct figures {
	uint64_t cuts, widest;
	double wall, cpu, record, memory; /* bytes per cut of the widest level, and of the two levels that are in memory */
};

static struct figures measure(
        const struct norn_computation *computation, const struct norn_stepper *stepper, unsigned workers, unsigned rounds)
{
	struct norn_lattice_model model = {.apply = flip, .letter = letter, .concurrent = true};
	struct norn_lattice_options options = {.workers = workers};
	struct figures best = {0};
	for (unsigned i = 0; i < rounds; i++) {
		struct norn_lattice_result result;
		double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (norn_lattice_search(computation, &model, stepper, 1, &options, &result) < 0)
			abort();
		wall = seconds(CLOCK_MONOTONIC) - wall;
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		uint64_t two = 0;
		for (uint64_t l = 1; l < result.levels; l++)
			two = result.widths[l] + result.widths[l - 1] > two ? result.widths[l] + result.widths[l - 1] : two;
		if (i == 0 || wall < best.wall)
			best = (struct figures){result.cuts, result.widest, wall, cpu,
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
		       ", %.2f s, %.2f CPU s, %.2f M cuts/CPU s, %.1f bytes/record, %.1f bytes/cut in memory\n",
		        i ? "landing" : "one state", f.cuts, f.widest, f.wall, f.cpu, (double)f.cuts / f.cpu * 1e-6, f.record,
		        f.memory);
	}
	norn_computation_free(computation);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct size sizes[] = {
	        {2, 1000, 0}, {3, 130, 0}, {4, 40, 0}, {6, 20, 3}, {8, 8, 3}, {10, 5, 6}, {12, 4, 7}, {14, 3, 9}, {16, 2, 7}};
	if (argc >= 4)
		return measure_one(argv, argc);
	printf("\n# The lattice\n\nMade by `ninja -C build bench/lattice && build/bench/lattice`; the best of %u. Synthetic "
	       "computations "
	       "(bench/lattice.c). The monitor has one state per cut, or it is the landing property's, with several.\n"
	       "*1 worker*: million cuts per CPU second. *2 workers*: per second of wall time. *CPU*: what both together take, "
	       "against one.\n"
	       "*record*: bytes of a cut of the widest level. *memory*: all that the search had allocated at most (levels, paths, "
	       "caches, "
	       "tables), in bytes per cut of two levels.\n\n"
	       "| threads | events | cuts | widest level | 1 worker | 2 workers | CPU | record | memory | landing: 1 worker | 2 "
	       "workers | CPU "
	       "| record | memory |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	        ROUNDS);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct norn_computation *computation = make(sizes[i]);
		for (unsigned j = 0; j < 2; j++) {
			struct figures f = measure(computation, j ? &past : &one, 1, ROUNDS),
			               two = measure(computation, j ? &past : &one, 2, ROUNDS);
			if (j == 0)
				printf("| %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64, sizes[i].threads, computation->total, f.cuts,
				        f.widest);
			printf(" | %.2f | %.2f | %.2f | %.1f | %.1f", (double)f.cuts / f.cpu * 1e-6,
			        (double)f.cuts / two.wall * 1e-6, two.cpu / f.cpu, f.record, f.memory);
		}
		printf(" |\n");
		fflush(stdout);
		norn_computation_free(computation);
	}
	return 0;
}
