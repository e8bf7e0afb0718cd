/* A position: what one event of the run is to the properties of a spec. A self-contained value, to be judged at once or kept and
 * played in another order: whether a selector's condition holds, whether a pointer leads to this object and what a write changes is
 * left to the valuation that the position is applied to (valuation.h).
 *
 * A position that belongs to none of a property's atoms is no position of that property. */
#ifndef NORN_JUDGE_RECORDED_POSITION_H
#define NORN_JUDGE_RECORDED_POSITION_H

#include "base/arena.h"
#include "judge/event_match.h"

/* Bytes of a spot that are unknown from here on, after the position: others write them unseen. */
struct norn_spot_fade {
	uint32_t spot;
	uint8_t bytes; /* mask */
};

struct norn_position {
	uint32_t thread, site;
	uint32_t caller; /* calls and returns: the site that called, 0 if unknown */
	uint8_t kind, op; /* of the event: enum norn_event_kind */
	uint64_t index; /* within its thread */
	uint64_t number; /* in the observed order, from 1; 0: the start of the run */
	uint64_t time;
	uint64_t address, size; /* of the event */
	const char *bitfield; /* the site accesses this bit-field, not its neighbours; else NULL */
	const struct norn_online_hit *hits; /* holds: as far as the event alone decides it; old: unknown */
	const struct norn_spot_write *writes;
	const struct norn_spot_fade *fades;
	uint32_t hit_count, write_count, fade_count;
	bool lost; /* events of this thread are missing here: all values are unknown until they are written again */
};

/* A copy that lives as long as the arena; NULL: out of memory. */
const struct norn_position *norn_position_copy(
        const struct norn_spec *spec, const struct norn_position *position, struct norn_arena *arena);

#endif
