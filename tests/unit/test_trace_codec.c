#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/codec.h"
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

/* Encodes, decodes, compares; returns the bytes. */
static size_t round_trip(struct fixture *f, unsigned units)
{
	uint32_t records, decoded;
	unsigned taken;
	size_t bytes = norn_codec_encode(f->codec, f->raw, units, f->bytes, &records, &taken);
	assert_int_equal(taken, units);
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
	        cmocka_unit_test_setup_teardown(random_records_come_back, setup, teardown),
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
