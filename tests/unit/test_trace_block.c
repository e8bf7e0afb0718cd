#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zstd.h>

#include "trace/codec/block.h"
#include "trace/codec/codec.h"
#include "records.h"

enum { UNITS = 4096 };

struct fixture {
	struct norn_workspace *workspace;
	void *memory;
	uint64_t *raw, *again;
	uint8_t *coded;
	struct norn_codec *codec;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	size_t bytes = (norn_workspace_bytes(UNITS) + 63) & ~(size_t)63;
	f->memory = aligned_alloc(64, bytes);
	memset(f->memory, 0, bytes);
	f->workspace = norn_workspace_init(f->memory, norn_workspace_bytes(UNITS));
	f->raw = calloc(UNITS, 8);
	f->again = calloc(UNITS, 8);
	f->coded = calloc(1, norn_codec_bound(UNITS));
	f->codec = calloc(1, norn_codec_bytes());
	*state = f;
	return f->workspace ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	free(f->memory);
	free(f->raw);
	free(f->again);
	free(f->coded);
	free(f->codec);
	free(f);
	return 0;
}

static struct norn_block_header check(const uint8_t *block, size_t length)
{
	struct norn_block_header header;
	memcpy(&header, block, sizeof header);
	assert_int_equal(header.magic, NORN_BLOCK_MAGIC);
	assert_int_equal(norn_block_span(&header), length);
	assert_int_equal(length % 8, 0);
	assert_int_equal(header.checksum, norn_block_checksum(&header, block + sizeof header, header.stored, NULL, 0));
	for (size_t i = sizeof header + header.stored; i < length; i++)
		assert_int_equal(block[i], 0);
	return header;
}

static void decode(struct fixture *f, const uint8_t *block, const struct norn_block_header *header)
{
	const uint8_t *payload = block + sizeof *header;
	uint32_t records;
	if (header->flags & NORN_BLOCK_ZSTD) {
		assert_int_equal(ZSTD_decompress(f->coded, norn_codec_bound(UNITS), payload, header->stored), header->bytes);
		payload = f->coded;
	} else {
		assert_int_equal(header->stored, header->bytes);
	}
	assert_int_equal(norn_codec_decode(f->codec, payload, header->bytes, f->again, header->units, &records), 0);
	assert_int_equal(records, header->records);
	assert_memory_equal(f->raw, f->again, header->units * 8);
}

static void events_come_back(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 5;
	const struct norn_block_id id = {.thread = 3, .parent = 1, .ordinal = 2, .sequence = 7};
	for (unsigned i = 0; i < 100; i++) {
		unsigned units = random_records(&seed, f->raw, 1 + random_below(&seed, UNITS));
		const uint8_t *block;
		size_t length = norn_block_events(f->workspace, &id, f->raw, units, &block);
		if (units == 0) {
			assert_int_equal(length, 0);
			continue;
		}
		struct norn_block_header header = check(block, length);
		assert_int_equal(header.kind, NORN_BLOCK_EVENTS);
		assert_int_equal(header.units, units);
		assert_int_equal(header.thread, 3);
		assert_int_equal(header.parent, 1);
		assert_int_equal(header.ordinal, 2);
		assert_int_equal(header.sequence, 7);
		decode(f, block, &header);
	}
}

static void the_same_records_give_the_same_block(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 6;
	const struct norn_block_id id = {.thread = 1};
	for (unsigned i = 0; i < 20; i++) {
		unsigned units = random_records(&seed, f->raw, UNITS);
		const uint8_t *block;
		size_t length = norn_block_events(f->workspace, &id, f->raw, units, &block);
		uint8_t *copy = malloc(length);
		memcpy(copy, block, length);
		random_records(&seed, f->again, UNITS);
		norn_block_events(f->workspace, &id, f->again, UNITS / 2, &block);
		assert_int_equal(norn_block_events(f->workspace, &id, f->raw, units, &block), length);
		assert_memory_equal(block, copy, length);
		free(copy);
	}
}

/* Range writes of the same text over and over: dense, and zstd helps. */
static void dense_blocks_are_compressed(void **state)
{
	struct fixture *f = *state;
	const struct norn_block_id id = {.thread = 0};
	unsigned n = 0;
	for (uint64_t i = 0; n + 68 <= UNITS; i++) {
		uint64_t *r = f->raw + n;
		r[0] = (0x1000 + 512 * i) << 16 | NORN_RANGE_WRITE << 4 | NORN_TAG_RANGE;
		r[1] = UINT64_C(512) << 32 | 5;
		r[2] = UINT64_C(1) << 32 | 64;
		r[3] = UINT64_C(64) << 32 | 1;
		memset(r + 4, 'a' + i % 3, 512);
		n += 68;
	}
	const uint8_t *block;
	size_t length = norn_block_events(f->workspace, &id, f->raw, n, &block);
	struct norn_block_header header = check(block, length);
	assert_true(header.flags & NORN_BLOCK_ZSTD);
	assert_true(header.stored < header.bytes / 10);
	decode(f, block, &header);
}

static void other_blocks_keep_their_payload(void **state)
{
	struct fixture *f = *state;
	static const size_t sizes[] = {0, 1, 100, 300, 5000, 40000, 3000000};
	uint8_t *b = malloc(3000000), *joined = malloc(3000008);
	for (size_t i = 0; i < 3000000; i++)
		b[i] = i / 1000;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint8_t *block;
		int whole;
		memcpy(joined, "12345678", 8);
		memcpy(joined + 8, b, sizes[i]);
		size_t total = sizes[i] + 8;
		size_t length = norn_block_other(f->workspace, NORN_BLOCK_MODULE, joined, 8, b, sizes[i], &block, &whole);
		struct norn_block_header header;
		memcpy(&header, block, sizeof header);
		assert_int_equal(header.bytes, total);
		if (!whole) {
			assert_int_equal(length, sizeof header);
			assert_int_equal(header.stored, total);
			assert_int_equal(header.checksum, norn_block_checksum(&header, joined, total, NULL, 0));
			continue;
		}
		header = check(block, length);
		if (header.flags & NORN_BLOCK_ZSTD) {
			uint8_t *plain = malloc(total);
			assert_int_equal(ZSTD_decompress(plain, total, block + sizeof header, header.stored), total);
			assert_memory_equal(plain, joined, total);
			free(plain);
		} else {
			assert_memory_equal(block + sizeof header, joined, total);
		}
	}
	free(b);
	free(joined);
}

static void a_pad_covers_its_gap(void **state)
{
	(void)state;
	struct norn_block_header pad;
	norn_block_pad(4096, &pad);
	assert_int_equal(norn_block_span(&pad), 4096);
	assert_int_equal(pad.checksum, norn_block_checksum(&pad, NULL, 0, NULL, 0));
}

static void too_little_memory_is_refused(void **state)
{
	struct fixture *f = *state;
	assert_null(norn_workspace_init(f->memory, norn_workspace_bytes(1) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(events_come_back, setup, teardown),
	        cmocka_unit_test_setup_teardown(the_same_records_give_the_same_block, setup, teardown),
	        cmocka_unit_test_setup_teardown(dense_blocks_are_compressed, setup, teardown),
	        cmocka_unit_test_setup_teardown(other_blocks_keep_their_payload, setup, teardown),
	        cmocka_unit_test(a_pad_covers_its_gap),
	        cmocka_unit_test_setup_teardown(too_little_memory_is_refused, setup, teardown),
	};
	return cmocka_run_group_tests_name("trace block", tests, NULL, NULL);
}
