/* Fixed reads, the set K of docs/prediction.md: those that must see the value that they saw, if relevant events are to be what they
 * were (R6, R14).
 *
 * All reads that decide are fixed, so every event of a thread happens again, where it happened; and all that the values of relevant
 * events come from. A fixed read must see the value that it saw, or, of a part, if it decides no more than its tests, one by which
 * these come out the same: all that its writers' values come from is fixed, too, by value. The other reads are free. */
#ifndef NORN_SLICED_FIXED_READS_H
#define NORN_SLICED_FIXED_READS_H

#include "base/vector.h"
#include "causality/dependence_graph.h"

struct norn_fixed_reads {
	const struct norn_graph *graph;
	struct norn_fixed_reads *whole; /* of the whole run, if this is of a part; else NULL */
	uint32_t base, end; /* the part: events base + 1 … end; what comes before is as it was */
	uint64_t *events; /* a bit for each of these that is fixed */
	/* of a part: a bit for each of those that may see another value, if all their tests come out the same (V6) */
	uint64_t *kept;
	uint64_t *nodes; /* a bit for each that was gone through; of a part: the whole's, and */
	struct norn_numbers seen; /* these nodes are set there */
	uint32_t *next; /* per thread: all its reads before this event are fixed; 0: all of them */
	struct norn_numbers work; /* fixed reads whose writers have not been looked at */
	const uint32_t *stops; /* of a part, stop_count of them */
	uint32_t stop_count;
	/* of a part: reads that need not see what they saw, though they decide; with masks: they are to skip what they control */
	const uint32_t *freed;
	uint32_t freed_count;
	struct norn_numbers calls; /* of code without hooks, ascending */
	/* of the whole run, made once parts have had as many events, NULL until then: a bit for each access of a word that one
	 * thread reads and another writes; and for each other read or write that needs nothing, and that nothing needs */
	uint64_t *shared, *quiet;
	uint64_t looked; /* events of all parts so far */
};

/* For a property, whose reads may be soft (step_flow.h): the sources of whatever else is written where fixed reads look are fixed,
 * too, so that it is known what they may see instead. relevant: numbers of events whose values matter, count of them. */
void norn_fixed_reads_init(
        struct norn_fixed_reads *fixed, const struct norn_graph *graph, const uint64_t *relevant, uint32_t count);
/* For the sake of parts: nothing is fixed, but what parts have in common is there. */
void norn_fixed_reads_init_whole(struct norn_fixed_reads *fixed, const struct norn_graph *graph);
/* Of a part only: what decides among its events up to last, and before the stops of their threads, and what controls these and the
 * stops, is fixed. whole must outlive it, and can have one part at a time. */
void norn_fixed_reads_part(struct norn_fixed_reads *fixed, struct norn_fixed_reads *whole, uint32_t base, uint32_t end,
        uint32_t last, const uint32_t *stops, uint32_t stop_count, const uint32_t *freed, uint32_t freed_count);
void norn_fixed_reads_done(struct norn_fixed_reads *fixed);

static inline bool norn_fixed_reads_has(const struct norn_fixed_reads *fixed, uint32_t event)
{
	if (event <= fixed->base || event > fixed->end)
		return event <= fixed->base;
	uint32_t i = event - fixed->base;
	return fixed->events[i / 64] >> i % 64 & 1;
}

/* Is it fixed for its tests alone, so that nothing else comes of its value? */
static inline bool norn_fixed_reads_keeps(const struct norn_fixed_reads *fixed, uint32_t event)
{
	uint32_t i = event - fixed->base;
	return fixed->kept && event > fixed->base && event <= fixed->end && fixed->kept[i / 64] >> i % 64 & 1;
}

/* May the access, of a part, have to do with one of another thread? */
static inline bool norn_fixed_reads_shares(const struct norn_fixed_reads *fixed, uint32_t event)
{
	const uint64_t *shared = fixed->whole ? fixed->whole->shared : NULL;
	return !shared || shared[event / 64] >> event % 64 & 1;
}

/* Is it, in a part, of no matter but for whether it happens? */
static inline bool norn_fixed_reads_quiet(const struct norn_fixed_reads *fixed, uint32_t event)
{
	const uint64_t *quiet = fixed->whole && fixed->freed_count == 0 ? fixed->whole->quiet : NULL;
	return quiet && quiet[event / 64] >> event % 64 & 1;
}

/* Is this assertion or branch come to in the part? */
bool norn_fixed_reads_comes_to(const struct norn_fixed_reads *fixed, const struct norn_graph_assertion *a);

static inline bool norn_fixed_reads_frees(const struct norn_fixed_reads *fixed, uint32_t event)
{
	for (uint32_t i = 0; i < fixed->freed_count; i++)
		if (fixed->freed[i] == event)
			return true;
	return false;
}

/* Does a read that is freed skip this event (V11)? */
static inline bool norn_fixed_reads_skips(const struct norn_fixed_reads *fixed, uint32_t event)
{
	uint32_t reads[NORN_SKIPPERS], count = fixed->freed_count ? norn_graph_skippers(fixed->graph, event, reads) : 0;
	while (count && !norn_fixed_reads_frees(fixed, reads[count - 1]))
		count--;
	return count;
}

/* The last call of code without hooks up to this event, 0: none. */
uint32_t norn_fixed_reads_call(const struct norn_fixed_reads *fixed, uint32_t event);
/* Is the value of this write what it was, as long as fixed reads see what they saw? In doubt: no. */
bool norn_fixed_reads_knows(const struct norn_fixed_reads *fixed, uint32_t write);

/* Does it happen, as long as fixed reads see what they saw? In doubt: no. */
bool norn_fixed_reads_certain(const struct norn_fixed_reads *fixed, uint32_t event);

#endif
