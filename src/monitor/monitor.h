/* Monitors: small step machines, one per property.
 *
 * A monitor is immutable and may be shared by threads. Its state is one machine word: equality is ==, and norn_monitor_hash makes a
 * hash of it. A step takes the state and the letter of a position, a word with one bit per atom of the property.
 *
 *   ptLTL      verdict T or F of the last position; '?' before the first one
 *   LTL        T, F, ? (LTL3): what every, no, some continuation makes of it
 *   ERE, FSM   M match, ? open, F dead
 *
 * Synthesis that would explode is refused with -E2BIG and a sentence that says why and how far it came. */
#ifndef NORN_MONITOR_MONITOR_H
#define NORN_MONITOR_MONITOR_H

#include "property/property.h"

enum norn_verdict { NORN_VERDICT_OPEN, NORN_VERDICT_TRUE, NORN_VERDICT_FALSE, NORN_VERDICT_MATCH };

struct norn_monitor;

struct norn_monitor_options {
	bool any_letter; /* all letters are possible, also events at once that cannot be; for `norn prop try` */
	bool other; /* ERE, FSM: the letter 0, an event that the property does not name, is a position, too; for `norn prop try` */
	uint32_t max_states; /* 0: 100,000 */
};

/* options may be NULL. Not for MTTL, race, deadlock, atomic: -ENOTSUP. */
int norn_monitor_new(const struct norn_spec *spec, const struct norn_property *property, const struct norn_monitor_options *options,
        struct norn_monitor **ret_monitor, struct norn_error *err);
void norn_monitor_free(struct norn_monitor *monitor);

uint64_t norn_monitor_start(const struct norn_monitor *monitor); /* before any position */
uint64_t norn_monitor_step(const struct norn_monitor *monitor, uint64_t state, uint64_t letter);
enum norn_verdict norn_monitor_verdict(const struct norn_monitor *monitor, uint64_t state);
char norn_verdict_letter(enum norn_verdict verdict); /* ? T F M */

/* The verdict's meaning for the property: a violation is F, but M for forbid. At the end of a run (final), end=finite and
 * end=stutter settle what is still open. */
bool norn_monitor_violated(const struct norn_monitor *monitor, uint64_t state);
enum norn_verdict norn_monitor_final(const struct norn_monitor *monitor, uint64_t state, uint64_t last_letter);
bool norn_monitor_ends_badly(const struct norn_monitor *monitor, uint64_t state, uint64_t last_letter); /* final is a violation */
/* No continuation changes the verdict any more. */
bool norn_monitor_settled(const struct norn_monitor *monitor, uint64_t state);
uint32_t norn_monitor_fsm_state(const struct norn_monitor *monitor, uint64_t state); /* FSM: its state, or NORN_FSM_DEAD */

/* States of the minimal machine (ERE, LTL, FSM: as written), or bits of ptLTL. */
uint32_t norn_monitor_size(const struct norn_monitor *monitor);
/* True if a position can have this letter (`other` and `any_letter` considered). */
bool norn_monitor_possible(const struct norn_monitor *monitor, uint64_t letter);

static inline uint64_t norn_monitor_hash(uint64_t state)
{
	state = (state ^ state >> 32) * 0x9e3779b97f4a7c15u;
	return state ^ state >> 29;
}

#endif
