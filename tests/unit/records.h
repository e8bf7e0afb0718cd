/* Records for tests: valid ones of all kinds at random, and streams that look like what programs do. */
#ifndef NORN_TESTS_RECORDS_H
#define NORN_TESTS_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/record.h"

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

/* Any number of bits, so that short and long encodings both occur. */
static inline uint64_t random_value(uint64_t *state)
{
	return random_next(state) >> random_below(state, 64);
}

static inline unsigned random_range(uint64_t *state, uint64_t *r, unsigned room)
{
	unsigned sub = random_below(state, NORN_RANGE_SUBS);
	uint64_t addr = random_value(state) >> 16, bytes = 1 + random_below(state, random_below(state, 4) ? 40 : NORN_RANGE_BYTES);
	uint64_t words = norn_range_words(addr, bytes), covered = 0, runs = 0;
	uint64_t data = sub == NORN_RANGE_WRITE ? (bytes + 7) / 8 : sub == NORN_RANGE_SET || sub == NORN_RANGE_FREE ? 1 : 0;
	if (3 + words + data > room)
		return 0;
	while (covered < words) {
		uint64_t count = 1 + random_below(state, words - covered);
		r[3 + runs++] = count << 32 | (uint32_t)random_value(state);
		covered += count;
	}
	for (uint64_t i = 0; i < data; i++)
		r[3 + runs + i] = random_next(state);
	if (sub == NORN_RANGE_WRITE && bytes % 8)
		r[3 + runs + data - 1] &= (UINT64_C(1) << 8 * (bytes % 8)) - 1;
	r[0] = addr << 16 | sub << 4 | NORN_TAG_RANGE;
	r[1] = bytes << 32 | (uint32_t)random_value(state);
	r[2] = runs << 32 | data;
	return 3 + runs + data;
}

/* Writes one valid record to r, which has room for room units; returns its units, 0 if it found none that fits. */
static inline unsigned random_record(uint64_t *state, uint64_t *r, unsigned room)
{
	unsigned tag = NORN_TAG_READ + random_below(state, NORN_TAG_LOST), size;
	uint64_t word = random_value(state) >> 16 & ~UINT64_C(7),
	         site = random_below(state, 2) ? 1 << 22 | random_below(state, 40) : random_value(state) >> 36;
	uint64_t second = (random_value(state) & UINT32_MAX) << 32 | site, value = random_value(state);
	if (tag == NORN_TAG_RANGE)
		return random_range(state, r, room);
	if (room < 5)
		return 0;
	r[1] = second;
	r[2] = value;
	switch (tag) {
	case NORN_TAG_READ:
	case NORN_TAG_WRITE:
	case NORN_TAG_RMW:
		size = random_below(state, tag == NORN_TAG_RMW ? 5 : 4);
		if (tag == NORN_TAG_READ && size && !random_below(state, 4)) {
			r[0] = (word + 7) << 16 | (NORN_READ_SPAN | size) << 4 | tag;
			r[2] &= UINT32_MAX;
			return 3;
		}
		r[0] = (word + (size < 3 ? random_below(state, 8 >> size) << size : 0)) << 16 | size << 4 | tag;
		r[3] = random_next(state);
		r[4] = random_value(state) & UINT32_MAX;
		return tag == NORN_TAG_READ ? 2 : size == 4 ? 5 : 3;
	case NORN_TAG_EXT:
		r[0] = word << 16 | tag;
		return 3;
	case NORN_TAG_SYNC:
		r[0] = word << 16 | (1 + random_below(state, NORN_SYNC_OPS - 1)) << 4 | tag;
		return 3;
	case NORN_TAG_ALLOC:
		r[0] = word << 16 | (1 + random_below(state, NORN_ALLOC_OPS - 1)) << 4 | tag;
		return 3;
	case NORN_TAG_THREAD:
		r[0] = (1 + random_below(state, NORN_THREAD_OPS - 1)) << 4 | tag;
		return 3;
	case NORN_TAG_MARK:
		r[0] = (1 + random_below(state, NORN_MARK_OPS - 1)) << 4 | tag;
		return 3;
	case NORN_TAG_VALUE:
		r[0] = (random_below(state, 4) ? random_below(state, 6) : NORN_VALUE_RESULT) << 4 | tag;
		r[1] = value;
		return 2;
	case NORN_TAG_ENTER:
		r[0] = (random_value(state) & 0xfffffff) << 36 | (site & 0xfffffff) << 8 | tag;
		return 1;
	case NORN_TAG_LEAVE:
		r[0] = random_below(state, 2) << 36 | (site & 0xfffffff) << 8 | tag;
		return 1;
	default:
		r[0] = random_value(state) << 8 | tag;
		return 1;
	}
}

/* Fills up to room units with whole records, some of them repeated with small changes; returns how many units. */
static inline unsigned random_records(uint64_t *state, uint64_t *r, unsigned room)
{
	unsigned n = 0, last = 0, units = 0;
	while (n < room) {
		if (units && random_below(state, 3) && n + units <= room) {
			memcpy(r + n, r + last, units * sizeof *r);
			if (units > 1 && random_below(state, 2) && norn_record_tag(r[n]) != NORN_TAG_RANGE)
				r[n + units - 1] += (uint64_t)random_below(state, 3) << (units == 2 ? 32 : 0);
		} else {
			units = random_record(state, r + n, room - n);
			if (units == 0)
				break;
		}
		last = n;
		n += units;
	}
	return n;
}

#endif
