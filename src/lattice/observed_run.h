/* The observed run: each event's place in it, as far as the lattice cares.
 *
 * Nothing depends on its being a run but how near to it others are. Owns its arrays. */
#ifndef NORN_LATTICE_OBSERVED_RUN_H
#define NORN_LATTICE_OBSERVED_RUN_H

#include <stddef.h>

#include "causality/computation.h"

struct norn_observed_run {
	uint64_t *ranks; /* per event: how many were observed before it */
	uint16_t *threads; /* per place: whose event it was */
	uint64_t count; /* of places */
};

struct norn_observed_run_event {
	uint64_t place; /* any number; ascending as they were observed */
	uint64_t event; /* index in ranks */
	uint16_t thread;
	bool past; /* it has a rank, but no place: it lies before the first one */
};

/* Sorts the list. */
int norn_observed_run_of(struct norn_observed_run *observed, struct norn_observed_run_event *list, uint64_t total);
/* places has a number per event, ascending as they were observed; NULL: events in the order of how many must come before. */
int norn_observed_run_init(struct norn_observed_run *observed, const struct norn_computation *computation, const uint64_t *places);
void norn_observed_run_done(struct norn_observed_run *observed);
size_t norn_observed_run_bytes(const struct norn_observed_run *observed);

static inline uint32_t norn_observed_run_thread(const struct norn_observed_run *observed, uint64_t place)
{
	return observed->threads[place];
}

#endif
