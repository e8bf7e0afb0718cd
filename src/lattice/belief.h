/* Beliefs: what is known of a monitor's state after some run.
 *
 * If every atom is known, the belief is a single state. Where some are not (uninstrumented code may have written a variable), a
 * step is made with every completion of the letter, and the belief is the set of states that come of it. Violation is absorbing: a
 * completion that has violated leaves the set and is remembered. So a belief is a set of states, and whether some completions have
 * violated (bad), or can never violate any more (fine). A run violates iff all of its completions do: then the set is empty, and
 * the belief is bad and not fine. If only some have, its verdict is open, '?', never a guess.
 *
 * Beliefs are interned: equal beliefs have equal ids, and only ids are stored with cuts. The number of an id depends on the order
 * of calls. The table owns its beliefs; it has no lock of its own. */
#ifndef NORN_LATTICE_BELIEF_H
#define NORN_LATTICE_BELIEF_H

#include <assert.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/map.h"
#include "lattice/stepper.h"

/* Flags of ids. */
#define NORN_BELIEF_DONE UINT32_C(0x80000000) /* no step changes it */
#define NORN_BELIEF_VIOLATED UINT32_C(0x40000000) /* every completion has violated; DONE, too */
#define NORN_BELIEF_INDEX UINT32_C(0x3fffffff)

/* A monitor has three beliefs that are DONE, and they come first in the table: violated, fine, and neither for certain. */
static inline uint32_t norn_belief_done_monitor(uint32_t id)
{
	assert(id & NORN_BELIEF_DONE);
	return (id & NORN_BELIEF_INDEX) / 3;
}

static inline bool norn_belief_uncertain(uint32_t id) /* of one that is DONE */
{
	return (id & NORN_BELIEF_INDEX) % 3 == 2;
}

struct norn_belief_element {
	uint64_t state;
	uint64_t last; /* letter of the last position, if the end of the run matters; else 0 */
};

struct norn_belief {
	uint32_t monitor, count;
	bool bad, fine;
	const struct norn_belief_element *elements; /* sorted */
	uint32_t chain; /* next belief with the same hash, UINT32_MAX: none */
};

struct norn_belief_table {
	const struct norn_stepper *steppers;
	uint32_t monitors;
	struct norn_belief *beliefs;
	uint32_t count, room;
	struct norn_map index; /* hash to the first belief with it */
	struct norn_map memo; /* hash of a step to a struct memo */
	struct norn_belief_element *scratch;
	uint32_t scratch_count, scratch_room;
	struct norn_arena arena;
	size_t elements; /* in the arena */
};

void norn_belief_init(struct norn_belief_table *table, const struct norn_stepper *steppers, uint32_t monitors);
void norn_belief_done(struct norn_belief_table *table);
size_t norn_belief_bytes(const struct norn_belief_table *table);

uint32_t norn_belief_start(struct norn_belief_table *table, uint32_t monitor); /* before the first position */
/* After a position. unknown: bits of the letter that may be either. So many unknown bits that they cannot be tried give a belief
 * that stays open. stay: it is not known whether there is a step at all. */
uint32_t norn_belief_step(struct norn_belief_table *table, uint32_t id, uint64_t letter, uint64_t unknown, bool stay);
/* The belief at the end of the run: one that is DONE. */
uint32_t norn_belief_end(struct norn_belief_table *table, uint32_t id);

static inline const struct norn_belief *norn_belief_get(const struct norn_belief_table *table, uint32_t id)
{
	return &table->beliefs[id & NORN_BELIEF_INDEX];
}

#endif
