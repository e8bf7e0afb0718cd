#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/codec/codec.h"
#include "records.h"

enum { UNITS = 16384 };

struct fixture {
	struct norn_codec *codec;
	uint64_t *raw, *again;
	uint8_t *bytes, *other;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->codec = calloc(1, norn_codec_bytes());
	f->raw = calloc(UNITS, 8);
	f->again = calloc(UNITS, 8);
	f->bytes = calloc(1, norn_codec_bound(UNITS));
	f->other = calloc(1, norn_codec_bound(UNITS));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	free(f->codec);
	free(f->raw);
	free(f->again);
	free(f->bytes);
	free(f->other);
	free(f);
	return 0;
}

/* Encodes, both ways, decodes, compares; returns the bytes. */
static size_t round_trip(struct fixture *f, unsigned units)
{
	uint32_t records, decoded;
	unsigned taken;
	size_t bytes = norn_codec_encode_anywhere(f->codec, f->raw, units, f->other, &records, &taken);
	assert_int_equal(taken, units);
	assert_int_equal(norn_codec_encode(f->codec, f->raw, units, f->bytes, &decoded, &taken), bytes);
	assert_int_equal(taken, units);
	assert_int_equal(decoded, records);
	assert_memory_equal(f->bytes, f->other, bytes);
	assert_true(bytes <= norn_codec_bound(units));
	assert_int_equal(norn_codec_decode(f->codec, f->bytes, bytes, f->again, units, &decoded), 0);
	assert_int_equal(records, decoded);
	assert_memory_equal(f->raw, f->again, units * 8);
	return bytes;
}

static void random_records_come_back(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 1;
	for (unsigned i = 0; i < 300; i++) {
		unsigned room = i % 3 ? 1 + random_below(&seed, 200) : UNITS;
		round_trip(f, random_records(&seed, f->raw, room));
	}
}

/* Numbers next to where the codec takes another byte, or wraps around. */
static uint64_t random_edge(uint64_t *seed, unsigned bits)
{
	uint64_t edge = UINT64_C(1) << random_below(seed, bits), near = random_below(seed, 5) - 2;
	return random_below(seed, 8) ? (random_below(seed, 2) ? edge + near : near - edge) : random_next(seed);
}

/* Few sites that come in turn, mostly, each with an address, a version and a value that go on, mostly. */
static unsigned loop_records(uint64_t *seed, uint64_t *r, unsigned room)
{
	enum { SITES = 12 };
	static const uint8_t tags[] = {NORN_TAG_READ, NORN_TAG_READ, NORN_TAG_WRITE, NORN_TAG_WRITE, NORN_TAG_RMW, NORN_TAG_EXT};
	uint64_t addr[SITES], version[SITES], value[SITES], cell_step[SITES], wild = 1 + random_below(seed, 200);
	unsigned n = 0, sites = 1 + random_below(seed, SITES), period = 1 + random_below(seed, 30);
	uint8_t turn[30], tag[SITES];
	for (unsigned i = 0; i < sites; i++) {
		tag[i] = tags[random_below(seed, sizeof tags)];
		addr[i] = random_edge(seed, 48) & ~UINT64_C(7);
		version[i] = random_edge(seed, 32);
		value[i] = random_edge(seed, 64);
		cell_step[i] = random_edge(seed, 30) & ~UINT64_C(7);
	}
	for (unsigned i = 0; i < period; i++)
		turn[i] = random_below(seed, sites);
	for (unsigned i = 0; n + 3 <= room; i++) {
		unsigned k = random_below(seed, wild) ? turn[i % period] : random_below(seed, sites);
		if (!random_below(seed, wild)) {
			addr[k] += random_edge(seed, 48) & ~UINT64_C(7);
			version[k] += random_edge(seed, 32);
			value[k] = random_edge(seed, 64);
		}
		addr[k] += cell_step[k];
		r[n++] = addr[k] << 16 | (tag[k] == NORN_TAG_EXT ? 0 : 3 << 4) | tag[k];
		r[n++] = version[k]++ << 32 | (1u << 22 | k);
		if (tag[k] != NORN_TAG_READ)
			r[n++] = value[k];
	}
	return n;
}

static void loops_come_back(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 5;
	for (unsigned i = 0; i < 600; i++)
		round_trip(f, loop_records(&seed, f->raw, i % 3 ? 1 + random_below(&seed, 500) : UNITS));
}

/* A run whose records differ only in their sites, then one that goes on with the address and version that its site's context has
 * not. */
static void sites_that_count_up_come_back(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;
	for (uint64_t pass = 0; pass < 3; pass++) {
		for (uint64_t i = 0; i < 40; i++) {
			f->raw[n++] = (0x7f0000000000 + 8 * i) << 16 | 3 << 4 | NORN_TAG_READ;
			f->raw[n++] = UINT64_C(1) << 32 | (1u << 22) + i;
		}
		for (uint64_t i = 0; i < 40; i++) {
			f->raw[n++] = (0x7f0000000000 + 8 * pass) << 16 | 3 << 4 | NORN_TAG_READ;
			f->raw[n++] = i << 32 | (1u << 22);
		}
	}
	round_trip(f, n);
}

/* Each record's site was that of the one before, too, and its address is far from both: the other one's base is its own. */
static void a_site_after_itself_comes_back(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;
	uint64_t seed = 6;
	while (n + 2 <= UNITS) {
		f->raw[n++] = (random_edge(&seed, 48) & ~UINT64_C(7)) << 16 | 3 << 4 | NORN_TAG_READ;
		f->raw[n++] = random_edge(&seed, 32) << 32 | (1u << 22);
	}
	round_trip(f, n);
}

static void encoding_forgets_what_it_encoded_before(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 2;
	uint32_t records;
	unsigned taken;
	for (unsigned i = 0; i < 20; i++) {
		unsigned units = random_records(&seed, f->raw, 2000);
		size_t first = norn_codec_encode(f->codec, f->raw, units, f->bytes, &records, &taken);
		unsigned others = random_records(&seed, f->again, UNITS);
		norn_codec_encode(f->codec, f->again, others, f->other, &records, &taken);
		size_t second = norn_codec_encode(f->codec, f->raw, units, f->other, &records, &taken);
		assert_int_equal(first, second);
		assert_memory_equal(f->bytes, f->other, first);
	}
}

static void more_sites_than_contexts_come_back(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;
	for (uint64_t i = 0; n + 2 <= UNITS; i++) {
		f->raw[n++] = (0x7f0000000000 + 8 * i) << 16 | 3 << 4 | NORN_TAG_READ;
		f->raw[n++] = UINT64_C(1) << 32 | (1u << 22) + i * 7 % 3000;
	}
	round_trip(f, n);
}

static void only_events_are_counted(void **state)
{
	struct fixture *f = *state;
	const uint64_t raw[] = {NORN_TAG_TIME | 77 << 8, 5 << 8 | NORN_TAG_ENTER, 0 << 4 | NORN_TAG_VALUE, 99,
	        0x1000 << 16 | 3 << 4 | NORN_TAG_READ, UINT64_C(1) << 32 | 6, NORN_VALUE_RESULT << 4 | NORN_TAG_VALUE, 1,
	        5 << 8 | NORN_TAG_LEAVE, 3 << 8 | NORN_TAG_LOST};
	uint32_t records;
	unsigned taken;
	norn_codec_encode(f->codec, raw, sizeof raw / 8, f->bytes, &records, &taken);
	assert_int_equal(records, 3);
	assert_int_equal(taken, sizeof raw / 8);
}

static void what_is_no_record_becomes_lost(void **state)
{
	struct fixture *f = *state;
	const uint64_t raw[] = {5 << 8 | NORN_TAG_ENTER, 0, 5 << 8 | NORN_TAG_LEAVE};
	uint32_t records;
	unsigned taken;
	size_t bytes = norn_codec_encode(f->codec, raw, 3, f->bytes, &records, &taken);
	assert_int_equal(taken, 2);
	assert_int_equal(norn_codec_decode(f->codec, f->bytes, bytes, f->again, 2, &records), 0);
	assert_int_equal(records, 1);
	assert_int_equal(f->again[1], 2 << 8 | NORN_TAG_LOST);
}

/* Whatever the input, decoding ends, stays in bounds (the sanitizers' build sees to it), and gives only valid records. */
static void decode_anything(struct fixture *f, size_t bytes, unsigned units)
{
	uint8_t *input = malloc(bytes ? bytes : 1);
	uint64_t *output = malloc(units ? units * 8 : 1);
	uint32_t records;
	memcpy(input, f->other, bytes);
	int r = norn_codec_decode(f->codec, input, bytes, output, units, &records);
	if (r == 0) {
		for (unsigned i = 0; i < units;) {
			unsigned n = norn_record_units(output + i, units - i);
			assert_true(n > 0);
			i += n;
		}
	} else {
		assert_int_equal(r, -EBADMSG);
	}
	free(input);
	free(output);
}

static void mutated_input_is_refused_or_valid(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 3;
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t records;
		unsigned taken, units = random_records(&seed, f->raw, 100);
		size_t bytes = norn_codec_encode(f->codec, f->raw, units, f->other, &records, &taken);
		if (bytes == 0)
			continue;
		for (unsigned k = random_below(&seed, 4); k > 0; k--)
			f->other[random_below(&seed, bytes)] = random_next(&seed);
		if (random_below(&seed, 3) == 0)
			bytes = random_below(&seed, bytes);
		decode_anything(f, bytes, units + random_below(&seed, 2));
	}
}

static void random_input_is_refused_or_valid(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 4;
	for (unsigned i = 0; i < 20000; i++) {
		size_t bytes = random_below(&seed, 100);
		for (size_t k = 0; k < bytes; k++)
			f->other[k] = random_below(&seed, 3) ? random_next(&seed) : random_below(&seed, 64);
		decode_anything(f, bytes, random_below(&seed, 200));
	}
}

static void records_are_validated(void **state)
{
	(void)state;
	uint64_t r[8] = {0};
	assert_int_equal(norn_record_units(r, 8), 0);
	assert_int_equal(norn_record_units(r, 0), 0);
	r[0] = 0x1000 << 16 | 3 << 4 | NORN_TAG_READ;
	assert_int_equal(norn_record_units(r, 2), 2);
	assert_int_equal(norn_record_units(r, 1), 0);
	r[0] = 0x1001 << 16 | 3 << 4 | NORN_TAG_READ; /* straddles two words */
	assert_int_equal(norn_record_units(r, 2), 0);
	r[0] = 0x1000 << 16 | 4 << 4 | NORN_TAG_RMW;
	assert_int_equal(norn_record_units(r, 5), 5);
	assert_int_equal(norn_record_units(r, 4), 0);
	r[0] = NORN_SYNC_OPS << 4 | NORN_TAG_SYNC;
	assert_int_equal(norn_record_units(r, 3), 0);
	r[0] = 0x1004 << 16 | NORN_RANGE_WRITE << 4 | NORN_TAG_RANGE;
	r[1] = UINT64_C(8) << 32 | 1;
	r[2] = UINT64_C(1) << 32 | 1;
	r[3] = UINT64_C(2) << 32 | 1;
	assert_int_equal(norn_record_units(r, 5), 5);
	r[3] = UINT64_C(1) << 32 | 1; /* touches two words, covers one */
	assert_int_equal(norn_record_units(r, 5), 0);
	r[0] = 15;
	assert_int_equal(norn_record_units(r, 8), 0);
}

static void a_span_is_short_for_a_range(void **state)
{
	(void)state;
	uint64_t r[] = {UINT64_C(0x1005) << 16 | (NORN_READ_SPAN | 2) << 4 | NORN_TAG_READ, UINT64_C(7) << 32 | 9, 3}, range[5];
	assert_int_equal(norn_record_units(r, 3), 3);
	assert_int_equal(norn_record_units(r, 2), 0);
	assert_int_equal(norn_record_widen(r, range), 5);
	assert_int_equal(norn_record_units(range, 5), 5);
	assert_int_equal(range[0], UINT64_C(0x1005) << 16 | NORN_RANGE_READ << 4 | NORN_TAG_RANGE);
	assert_int_equal(range[1], UINT64_C(4) << 32 | 9);
	assert_int_equal(range[3], UINT64_C(1) << 32 | 7);
	assert_int_equal(range[4], UINT64_C(1) << 32 | 5);
	r[2] = 0;
	assert_int_equal(norn_record_widen(r, range), 4);
	assert_int_equal(norn_record_units(range, 4), 4);
	assert_int_equal(range[3], UINT64_C(2) << 32 | 7);
	r[1] = 9;
	r[2] = UINT32_MAX; /* versions 0 and 1 << 31 */
	norn_record_widen(r, range);
	assert_int_equal(range[4], UINT64_C(1) << 32 | UINT32_C(1) << 31);
	r[2] = UINT64_C(1) << 32;
	assert_int_equal(norn_record_units(r, 3), 0);
	r[0] = UINT64_C(0x1004) << 16 | (NORN_READ_SPAN | 2) << 4 | NORN_TAG_READ; /* one word */
	r[2] = 0;
	assert_int_equal(norn_record_units(r, 3), 0);
}

/* A loop over an array, and a counter that another thread counts up, too. */
static void regular_records_cost_little(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0, turns = 0;
	for (uint64_t i = 0; n + 7 <= UNITS; i++) {
		f->raw[n++] = (0x7f0000000000 + 8 * i) << 16 | 3 << 4 | NORN_TAG_READ;
		f->raw[n++] = UINT64_C(1) << 32 | (1u << 22);
		f->raw[n++] = UINT64_C(0x7e0000000000) << 16 | 3 << 4 | NORN_TAG_READ;
		f->raw[n++] = (3 * i + 1) << 32 | (1u << 22 | 1);
		f->raw[n++] = UINT64_C(0x7e0000000000) << 16 | 3 << 4 | NORN_TAG_WRITE;
		f->raw[n++] = (3 * i + 2) << 32 | (1u << 22 | 2);
		f->raw[n++] = i;
		turns++;
	}
	assert_true(round_trip(f, n) <= 4 * turns + 60); /* one byte a record, one more for the value */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(records_are_validated),
	        cmocka_unit_test(a_span_is_short_for_a_range),
	        cmocka_unit_test_setup_teardown(random_records_come_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(loops_come_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(sites_that_count_up_come_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(a_site_after_itself_comes_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(encoding_forgets_what_it_encoded_before, setup, teardown),
	        cmocka_unit_test_setup_teardown(more_sites_than_contexts_come_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(only_events_are_counted, setup, teardown),
	        cmocka_unit_test_setup_teardown(what_is_no_record_becomes_lost, setup, teardown),
	        cmocka_unit_test_setup_teardown(mutated_input_is_refused_or_valid, setup, teardown),
	        cmocka_unit_test_setup_teardown(random_input_is_refused_or_valid, setup, teardown),
	        cmocka_unit_test_setup_teardown(regular_records_cost_little, setup, teardown),
	};
	return cmocka_run_group_tests_name("trace codec", tests, NULL, NULL);
}
