/* Temporal properties under sliced causality: a random automaton over marks and over what is written to z, against all
 * interleavings. */
#ifndef NORN_ORACLE_PROPERTY_H
#define NORN_ORACLE_PROPERTY_H

#include "judge.h"

/* The automaton of "forbid .* A B C". */
extern const uint8_t forbid_abc[MONITOR_STATES][MONITOR_LETTERS];

struct property_result {
	bool observed, found; /* a violation: in the recorded run, or in a predicted one */
	enum judgement judgement; /* of the prediction */
	char message[600];
};

/* The search of norn for the automaton of trial's code, in the slice of its recording, from the base on. */
void property_search(
        const struct trial *trial, const struct norn_graph *graph, uint32_t base, FILE *out, struct property_result *ret_result);

#endif
