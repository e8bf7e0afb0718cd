/* The order in which the events of a window were observed. It decides which violations are near the observed run, nothing else; so
 * it need not be a run. Owns its arrays. */
#ifndef NORN_LATTICE_OBSERVED_RUN_H
#define NORN_LATTICE_OBSERVED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
void norn_observed_run_init(struct norn_observed_run *observed, struct norn_observed_run_event *list, uint64_t total);
void norn_observed_run_done(struct norn_observed_run *observed);
size_t norn_observed_run_bytes(const struct norn_observed_run *observed);

static inline uint32_t norn_observed_run_thread(const struct norn_observed_run *observed, uint64_t place)
{
	return observed->threads[place];
}

#endif
