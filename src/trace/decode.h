/* Decoding: raw records to events, one thread at a time.
 *
 * Most records are one event each. TIME only moves the clock of the events that follow, a result waits for its LEAVE, and the
 * arguments of an ENTER follow it, so that a reader asks norn_decode_argument about each record after an ENTER.
 * Both readers (reader.h per thread, merge.h in one order) go through here. A decoder owns what its events point to; that and the
 * raw record must stay until the event is done with. */
#ifndef NORN_TRACE_DECODE_H
#define NORN_TRACE_DECODE_H

#include "trace/event.h"
#include "trace/format.h"
#include "trace/record.h"

#define NORN_DECODE_ARGS 64u /* further arguments of one ENTER are left out */

struct norn_decode {
	uint32_t thread;
	bool has_result;
	uint64_t result;
	uint64_t tsc_start, tsc_hz;
	uint64_t time; /* nanoseconds since the start */
	uint64_t index; /* of the next event */
	uint64_t args[NORN_DECODE_ARGS];
	uint32_t versions[NORN_RANGE_BYTES / 8 + 1];
	uint8_t data[NORN_RANGE_BYTES + 8]; /* written by a SET; padded, so that 8 bytes can be taken anywhere */
};

void norn_decode_init(struct norn_decode *d, uint32_t thread, const struct norn_file_header *header);

/* Time of a TIME record, in ticks since the start; and ticks in nanoseconds. */
uint64_t norn_decode_ticks(const struct norn_decode *d, uint64_t unit);
uint64_t norn_decode_nanoseconds(const struct norn_decode *d, uint64_t ticks);

/* Returns 1 and an event, 0 if the record was folded in, -EBADMSG if it is none. Ranges come whole (pieces 0); reads, and what a
 * copy writes, are not known. units: as norn_record_units says. */
int norn_decode_record(struct norn_decode *d, const uint64_t *record, unsigned units, struct norn_event *ret_event);

/* True if the record is an argument of event, an ENTER that this decoder gave last; then it is added to it. */
bool norn_decode_argument(struct norn_decode *d, const uint64_t *record, struct norn_event *event);

/* The value of up to 8 bytes. */
uint64_t norn_decode_value(const uint8_t *data, uint64_t bytes);

/* Words that a range of bytes bytes at addr touches. */
static inline unsigned norn_decode_words(uint64_t addr, uint64_t bytes)
{
	return (unsigned)(((addr & 7) + bytes + 7) / 8);
}

#endif
