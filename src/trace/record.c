#include "trace/record.h"

#include <stdbool.h>

/* Units of each kind, 0 where the record itself says. */
static const uint8_t fixed_units[16] = {
        [NORN_TAG_WRITE] = 3,
        [NORN_TAG_EXT] = 3,
        [NORN_TAG_SYNC] = 3,
        [NORN_TAG_THREAD] = 3,
        [NORN_TAG_ENTER] = 1,
        [NORN_TAG_LEAVE] = 1,
        [NORN_TAG_VALUE] = 2,
        [NORN_TAG_ALLOC] = 3,
        [NORN_TAG_MARK] = 3,
        [NORN_TAG_TIME] = 1,
        [NORN_TAG_LOST] = 1,
};

static bool in_word(uint64_t unit, unsigned log2_size)
{
	return log2_size <= 3 && (norn_record_addr(unit) & 7) + (1u << log2_size) <= 8;
}

static unsigned read_units(const uint64_t *r, unsigned available)
{
	unsigned log2_size = norn_record_sub(r[0]) & ~NORN_READ_SPAN;
	if (!norn_record_spans(r[0]))
		return in_word(r[0], log2_size) ? 2 : 0;
	return log2_size <= 3 && !in_word(r[0], log2_size) && available >= 3 && r[2] <= UINT32_MAX ? 3 : 0;
}

static unsigned rmw_units(uint64_t unit)
{
	unsigned size = norn_record_sub(unit);
	if (size == 4)
		return norn_record_addr(unit) & 7 ? 0 : 5;
	return in_word(unit, size) ? 3 : 0;
}

static unsigned data_units(unsigned sub, uint64_t bytes)
{
	switch (sub) {
	case NORN_RANGE_WRITE:
		return (bytes + 7) / 8;
	case NORN_RANGE_SET:
	case NORN_RANGE_FREE:
		return 1;
	default:
		return 0;
	}
}

static unsigned range_units(const uint64_t *r, unsigned available)
{
	if (available < 4 || norn_record_sub(r[0]) >= NORN_RANGE_SUBS)
		return 0;
	uint64_t bytes = r[1] >> 32, runs = r[2] >> 32, data = (uint32_t)r[2];
	if (bytes == 0 || bytes > NORN_RANGE_BYTES || data != data_units(norn_record_sub(r[0]), bytes))
		return 0;
	uint64_t words = norn_range_words(norn_record_addr(r[0]), bytes);
	if (runs == 0 || runs > words || available < 3 + runs + data)
		return 0;
	uint64_t covered = 0;
	for (uint64_t i = 0; i < runs; i++) {
		if (r[3 + i] >> 32 == 0)
			return 0;
		covered += r[3 + i] >> 32;
	}
	unsigned tail = bytes % 8;
	bool padded = norn_record_sub(r[0]) != NORN_RANGE_WRITE || tail == 0 || r[3 + runs + data - 1] >> (8 * tail) == 0;
	return covered == words && padded ? 3 + runs + data : 0;
}

static bool sub_valid(uint64_t unit)
{
	unsigned sub = norn_record_sub(unit);
	switch (norn_record_tag(unit)) {
	case NORN_TAG_WRITE:
		return in_word(unit, sub);
	case NORN_TAG_EXT:
		return sub == 0 && (norn_record_addr(unit) & 7) == 0;
	case NORN_TAG_SYNC:
		return sub > 0 && sub < NORN_SYNC_OPS;
	case NORN_TAG_THREAD:
		return sub > 0 && sub < NORN_THREAD_OPS && unit >> 16 == 0;
	case NORN_TAG_VALUE:
		return sub <= NORN_VALUE_RESULT && unit >> 16 == 0;
	case NORN_TAG_ALLOC:
		return sub > 0 && sub < NORN_ALLOC_OPS;
	case NORN_TAG_MARK:
		return sub > 0 && sub < NORN_MARK_OPS && unit >> 16 == 0;
	case NORN_TAG_ENTER:
	case NORN_TAG_LEAVE:
	case NORN_TAG_TIME:
	case NORN_TAG_LOST:
		return (unit >> 4 & 15) == 0;
	default:
		return false;
	}
}

unsigned norn_record_units(const uint64_t *r, unsigned available)
{
	if (available == 0)
		return 0;
	unsigned tag = norn_record_tag(r[0]), units;
	if (tag == NORN_TAG_RANGE)
		return range_units(r, available);
	if (tag == NORN_TAG_READ)
		units = read_units(r, available);
	else if (tag == NORN_TAG_RMW)
		units = rmw_units(r[0]);
	else
		units = sub_valid(r[0]) ? fixed_units[tag] : 0;
	return units <= available ? units : 0;
}

unsigned norn_record_widen(const uint64_t *r, uint64_t ret_range[5])
{
	uint64_t bytes = UINT64_C(1) << (norn_record_sub(r[0]) & ~NORN_READ_SPAN);
	uint32_t low = (uint32_t)(r[1] >> 32), high = low + ((uint32_t)r[2] >> 1 ^ -((uint32_t)r[2] & 1));
	unsigned runs = low == high ? 1 : 2;
	ret_range[0] = norn_record_addr(r[0]) << 16 | NORN_RANGE_READ << 4 | NORN_TAG_RANGE;
	ret_range[1] = bytes << 32 | (uint32_t)r[1];
	ret_range[2] = (uint64_t)runs << 32;
	ret_range[3] = (runs == 1 ? UINT64_C(2) : UINT64_C(1)) << 32 | low;
	ret_range[4] = UINT64_C(1) << 32 | high;
	return 3 + runs;
}
