/* Values of places, as the events of the run tell them; what is not told is unknown.
 *
 * Each spot (place_index.h) has its bytes and which of them are known. A write makes them known, a free or an allocation unknown, a
 * read tells what was unknown. Where memory does not hold what the last event left there, code without hooks has written:
 * norn_place_values_check notices that, and what has changed is unknown until the next event tells. All of it under the lock of
 * the owner of the values. */
#ifndef NORN_JUDGE_PLACE_VALUES_H
#define NORN_JUDGE_PLACE_VALUES_H

#include "engine/engine.h"
#include "judge/event_values.h"
#include "judge/place_index.h"

#define NORN_CHANGES_MAX 32u

/* Copies memory that may not be there; false: it is not. Of a recorded run: the memory that it starts with. */
typedef bool norn_peek(const void *context, uint64_t address, void *to, size_t bytes);

struct norn_spot_bytes {
	uint64_t bytes; /* those that are not known are 0 */
	uint64_t known; /* a bit per byte; as wide as bytes, so that there is no padding: spots are compared as memory */
};

struct norn_place_values {
	struct norn_place_index *place_index;
	norn_peek *peek;
	const void *context; /* peek's */
	struct norn_spot_bytes *spots;
	uint32_t ready; /* spots that have an entry */
	uint32_t room;
	bool learns; /* ranges are added where pointers lead */
};

/* The effect of an event on a spot. */
struct norn_change {
	struct norn_spot_write write;
	uint64_t changed; /* bits */
	struct norn_spot_bytes before;
};

/* The value of a spot at first: unknown but for what peek tells. */
struct norn_spot_bytes norn_spot_initial(const struct norn_place_index *index, uint32_t spot, norn_peek *peek, const void *context);

int norn_place_values_init(struct norn_place_values *values, struct norn_place_index *index, norn_peek *peek, const void *context);
void norn_place_values_done(struct norn_place_values *values);
/* New spots, by new modules or pointers: what memory holds there now. -ENOMEM only where ranges grow; the spots that have an entry
 * are good. */
int norn_place_values_follow(struct norn_place_values *values);

/* The event touches these ranges. changes has that much room, and gets what the event did to each spot; returns how many there are.
 * Beyond that the values follow, but the change is not told. */
uint32_t norn_place_values_apply(struct norn_place_values *values, const struct norn_event *event, const uint32_t *ranges,
        uint32_t count, struct norn_change *changes, uint32_t room);
/* The last value written to a place that is many, or to a norn_set's name: one change more. */
uint32_t norn_place_values_set(struct norn_place_values *values, uint32_t place, bool known, uint64_t raw,
        struct norn_change *changes, uint32_t count, uint32_t room);
/* A write, in the given spots: what it changes. */
void norn_spot_write(struct norn_spot_bytes *spots, struct norn_change *change);
/* Before a read at address: whether a spot of these ranges does not hold what is known of it; the event is then the write that
 * no hook saw. */
bool norn_place_values_external(
        const struct norn_place_values *values, const uint32_t *ranges, uint32_t count, struct norn_event *ret_event);
/* Forgets what memory belies. learned: also of what pointers lead to. True if there was any. */
bool norn_place_values_check(struct norn_place_values *values, uint32_t place, bool learned);

/* The places' values in these spots, of which count have an entry; unknown if it is, or if its pointers lead nowhere known. */
struct norn_value norn_place_value(
        const struct norn_place_index *index, const struct norn_spot_bytes *spots, uint32_t count, uint32_t place);
/* The spot where the place is now: follows its pointers. *ret_passed: passes is on the way, or the end. */
uint32_t norn_place_spot(const struct norn_place_index *index, const struct norn_spot_bytes *spots, uint32_t count, uint32_t place,
        uint32_t passes, bool *ret_passed);
/* The value of the accessed place before these changes. */
struct norn_value norn_place_values_old(const struct norn_place_values *values, const struct norn_change *changes, uint32_t count,
        const struct norn_online_hit *hit);
/* The value of a place with these bytes. */
struct norn_value norn_spot_value(const struct norn_place *place, const struct norn_spot_bytes *spot);

#endif
