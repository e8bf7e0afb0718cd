/* Values of places from memory, registers and events: bits as values, and the effect of an event on the few bytes whose value is
 * tracked. The same inside the program as on a recorded run. */
#ifndef NORN_JUDGE_EVENT_VALUES_H
#define NORN_JUDGE_EVENT_VALUES_H

#include "monitor/eval.h"
#include "trace/event.h"

/* Bytes of a spot that got new values. */
struct norn_spot_write {
	uint32_t spot;
	uint8_t written, known; /* masks of bytes, the lowest address first */
	bool silent; /* the bytes became known, or unknown, without a write */
	uint64_t bytes;
};

/* 64 bits of memory or a register as a value of a C type; type may be NULL (a signed number of size bytes). */
struct norn_value norn_value_of_bits(const struct norn_type *type, uint64_t size, uint64_t raw);
/* The place's value, given the bytes of its spot. */
struct norn_value norn_event_value_place(const struct norn_place *place, uint64_t bytes);
/* The bits of its spot's bytes that belong to the place. */
uint64_t norn_event_value_mask(const struct norn_place *place);
/* The bits of bytes that are given by a bit each. */
uint64_t norn_event_value_bytes(uint64_t bytes);
/* The value of the place at address that an event which covers it carries. */
struct norn_value norn_event_value_carried(
        const struct norn_place *place, const struct norn_event *event, uint64_t address, unsigned bytes);

/* The effect of an event on a spot of size bytes at address, of which these are known: false if none. write->spot is the caller's,
 * the rest 0. */
bool norn_event_value_effect(const struct norn_event *event, uint64_t address, unsigned size, uint8_t known, uint64_t bytes,
        struct norn_spot_write *write);

bool norn_event_value_writes(const struct norn_event *event); /* also if its writer is unknown */
/* True if an access is of the kind that the selector (READ, WRITE, ACCESS) asks for. */
bool norn_event_value_fits(const struct norn_checked_selector *selector, const struct norn_event *event);

/* The part of a path of names after its last dot: of a bit-field, what sites call it. */
const char *norn_event_value_part(const char *text);
/* The place is a bit-field, and its word was accessed for the sake of a neighbour. bitfield: the one that the access is of, or
 * NULL. */
bool norn_event_value_neighbour(const struct norn_place *place, const char *bitfield);

#endif
