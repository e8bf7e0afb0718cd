/* A small set of monitor states: where a monitor may be when not all that it saw is known. Almost always it has one element. */
#ifndef NORN_MONITOR_STATES_H
#define NORN_MONITOR_STATES_H

#include "monitor/monitor.h"

#define NORN_STATES_MAX 64u
#define NORN_UNKNOWN_MAX 6u

/* The letter of a position for a property: for each of its atoms yes, no or unknown. */
struct norn_letter {
	uint64_t yes, unknown; /* a bit per atom */
	bool sure; /* this is a position of the property whatever its unknown event atoms are */
};

struct norn_states {
	uint32_t count; /* 0: given up, nothing is known */
	uint64_t one; /* the first */
	uint64_t *more; /* the others, NULL if there were never any; owned, NORN_STATES_MAX - 1 of them */
};

void norn_states_set(struct norn_states *states, uint64_t state);
int norn_states_copy(struct norn_states *to, const struct norn_states *from);
void norn_states_done(struct norn_states *states);

static inline uint64_t norn_states_at(const struct norn_states *s, uint32_t i)
{
	return i ? s->more[i - 1] : s->one;
}

/* Steps on every completion of the letter. event_atoms: bits of atoms that are events; a completion in which nothing happens is no
 * step. -E2BIG: there are too many possibilities, the set is given up. */
int norn_states_step(
        struct norn_states *states, const struct norn_monitor *monitor, const struct norn_letter *letter, uint64_t event_atoms);

/* The number of them that are violations. */
uint32_t norn_states_violated(const struct norn_states *states, const struct norn_monitor *monitor);
/* The verdict and, of an fsm, the state that all possibilities share; false if they differ. */
bool norn_states_common(const struct norn_states *states, const struct norn_monitor *monitor, bool fsm,
        enum norn_verdict *ret_verdict, uint32_t *ret_state);

#endif
