#include "predict/race.h"

#include <errno.h>
#include <stdlib.h>

#include "predict/conflict.h"

#define TRIES 32u

struct races {
	const struct norn_slice *slice;
	const struct norn_conflicts *conflicts;
};

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct races *races = context;
	const struct norn_conflict_pair *pair = races->conflicts->pairs + attempt->group;
	predicted->kind = pair->frees ? NORN_PREDICTED_USE_AFTER_FREE : NORN_PREDICTED_RACE;
	predicted->pairs = pair->seen;
	predicted->first = attempt->includes[1];
	uint32_t other = attempt->count == 1 ? attempt->includes[1] : attempt->stops[1];
	norn_conflict_bytes(races->slice, attempt->stops[0], other, &predicted->addr, &predicted->size);
}

/* A free comes before the use that it was observed after. */
static struct norn_attempt attempt_of(const struct norn_conflicts *conflicts, const struct norn_conflict *conflict)
{
	struct norn_attempt attempt = {.group = conflict->pair};
	if (conflict->guarded) {
		attempt.stops[attempt.count++] = conflict->first;
		attempt.includes[1] = conflict->second;
		attempt.open_last_only = true;
		return attempt;
	}
	bool frees = conflicts->pairs[conflict->pair].frees;
	attempt.stops[attempt.count++] = frees ? conflict->second : conflict->first;
	attempt.stops[attempt.count++] = frees ? conflict->first : conflict->second;
	return attempt;
}

static int try_conflicts(struct norn_sweep *sweep, const struct norn_slice *slice, const struct norn_conflicts *conflicts)
{
	struct races races = {slice, conflicts};
	struct norn_attempt *attempts = malloc((conflicts->count + UINT64_C(1)) * sizeof *attempts);
	bool *found = calloc(conflicts->pair_count + UINT64_C(1), sizeof *found);
	int r = -ENOMEM;
	if (attempts && found) {
		for (uint32_t i = 0; i < conflicts->count; i++)
			attempts[i] = attempt_of(conflicts, conflicts->list + i);
		r = norn_sweep_try(sweep, attempts, conflicts->count, found, fill, &races);
	}
	free(attempts);
	free(found);
	return r;
}

int norn_races_find(struct norn_sweep *sweep, const struct norn_slice *slice, const struct norn_builtin_options *options)
{
	struct norn_conflict_options wanted = {
	        .races = options->what & NORN_BUILTIN_RACE,
	        .frees = options->what & NORN_BUILTIN_FREE,
	        .guarded = options->guarded,
	        .tries = options->tries ? options->tries : TRIES,
	};
	struct norn_conflicts conflicts;
	int r = norn_conflicts_find(slice, &wanted, &conflicts);
	if (r < 0)
		return r;
	r = try_conflicts(sweep, slice, &conflicts);
	norn_conflicts_done(&conflicts);
	return r;
}
