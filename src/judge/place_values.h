/* Values of places, as the events of the run tell them; what is not told is unknown.
 *
 * Each spot (place_index.h) has its bytes and which of them are known. A write makes them known, a free or an allocation unknown, a read tells what was
 * unknown. Where memory does not hold what the last event left there, code without hooks has written: norn_place_values_check notices that,
 * and what has changed is unknown until the next event tells. All of it under the lock of whoever owns the values. */
#ifndef NORN_JUDGE_PLACE_VALUES_H
#define NORN_JUDGE_PLACE_VALUES_H

#include "judge/event_values.h"
#include "judge/place_index.h"

#define NORN_CHANGES_MAX 32u

/* Copies memory that may not be there; false: it is not. */
typedef bool norn_peek(uint64_t address, void *to, size_t bytes);

struct norn_place_values {
	struct norn_place_index *zones;
	norn_peek *peek;
	struct norn_spot_bytes {
		uint64_t bytes; /* those that are not known are 0 */
		uint8_t known; /* a bit per byte */
	} *spots;
	uint32_t ready; /* spots that have an entry */
};

/* What an event did to a spot. */
struct norn_change {
	struct norn_spot_write write;
	uint64_t changed; /* bits */
	struct norn_spot_bytes before;
};

int norn_place_values_init(struct norn_place_values *values, struct norn_place_index *zones, norn_peek *peek);
void norn_place_values_done(struct norn_place_values *values);
/* New spots, by new modules or pointers: what memory holds there now. */
void norn_place_values_follow(struct norn_place_values *values);

/* The event touches these zones. changes has room for NORN_CHANGES_MAX; returns how many there are. */
uint32_t norn_place_values_apply(struct norn_place_values *values, const struct norn_event *event, const uint32_t *zones,
        uint32_t count, struct norn_change *changes);
/* The last value written to a place that is many, or to a norn_set's name. */
uint32_t norn_place_values_set(
        struct norn_place_values *values, uint32_t place, bool known, uint64_t raw, struct norn_change *changes, uint32_t count);
/* Before a read at address: whether a spot of these zones does not hold what is known of it; the event is then the write that nobody saw. */
bool norn_place_values_external(
        const struct norn_place_values *values, const uint32_t *zones, uint32_t count, struct norn_event *ret_event);
/* Forgets what memory belies. learned: also of what pointers lead to. Whether there was any. */
bool norn_place_values_check(struct norn_place_values *values, uint32_t place, bool learned);

/* The place's value; unknown if it is, or if its pointers lead nowhere known. */
struct norn_value norn_place_values_place(const struct norn_place_values *values, uint32_t place);
/* The spot where the place is now: follows its pointers. *ret_passed: passes is on the way, or the end. */
uint32_t norn_place_values_resolve(const struct norn_place_values *values, uint32_t place, uint32_t passes, bool *ret_passed);
struct norn_value norn_place_values_old(const struct norn_place_values *values, uint32_t place, uint32_t spot);

#endif
