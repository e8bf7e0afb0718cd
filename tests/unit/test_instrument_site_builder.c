/* The site table that the pass builds: strings and frames once each, and a blob that trace/site.h describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "instrument/site/site_builder.h"
#include "trace/site_table.h"

static uint32_t string(struct norn_site_builder *table, const char *text)
{
	return norn_site_builder_string(table, text, strlen(text));
}

static void test_strings_are_stored_once(void **state)
{
	struct norn_site_builder table;
	norn_site_builder_init(&table);
	assert_int_equal(string(&table, ""), 0);
	uint32_t offsets[3000];
	char text[32];
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof text, "name%d", i);
		offsets[i] = string(&table, text);
		assert_string_equal(table.strings + offsets[i], text);
	}
	uint32_t bytes = table.string_bytes;
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof text, "name%d", i);
		assert_int_equal(string(&table, text), offsets[i]);
	}
	assert_int_equal(table.string_bytes, bytes);
	/* A prefix of a string, and a string with a NUL inside, are strings of their own. */
	assert_int_not_equal(string(&table, "name"), offsets[0]);
	assert_int_equal(norn_site_builder_string(&table, "name7\0tail", 10), offsets[7]);
	norn_site_builder_done(&table);
}

static void test_frames_are_stored_once(void **state)
{
	struct norn_site_builder table;
	norn_site_builder_init(&table);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			struct norn_frame frame = {.function = i % 7, .line = i, .inlined_at = i / 2};
			assert_int_equal(norn_site_builder_frame(&table, &frame), i + 1);
		}
	assert_int_equal(table.frame_count, 1000);
	norn_site_builder_done(&table);
}

/* As the pass leaves it, and then as readers see it. */
static struct norn_site_table *open_built(struct norn_site_builder *table, size_t *ret_bytes)
{
	struct norn_site_packed *packed = norn_site_builder_build(table, "a.c", 3, NORN_INSTRUMENT_LEVEL_SHARED, "", ret_bytes);
	assert_int_equal(norn_site_packed_bytes(packed, *ret_bytes), *ret_bytes);
	assert_int_equal(norn_site_packed_bytes(packed, *ret_bytes - 1), 0);
	struct norn_site_table *open = calloc(norn_site_open_room(packed), 1);
	assert_true(norn_site_open(packed, open));
	packed->bytes--; /* a byte short */
	void *damaged = calloc(norn_site_open_room(packed), 1);
	assert_false(norn_site_open(packed, damaged));
	free(damaged);
	free(packed);
	*ret_bytes = norn_site_open_bytes(open);
	return open;
}

static void test_packed_sites_are_the_same(void **state)
{
	struct norn_site_builder table;
	norn_site_builder_init(&table);
	uint32_t strings[8], next = 1;
	for (uint32_t i = 0; i < 8; i++)
		strings[i] = string(&table, (char[]){(char)('a' + i), 'x', 0});
	for (uint32_t i = 0; i < 100; i++)
		norn_site_builder_frame(&table, &(struct norn_frame){strings[i % 5], strings[i % 3], i * 37 % 1000, i % 80, i / 2});
	for (uint32_t i = 0; i < 3000; i++) {
		next = next * 1103515245 + 12345;
		uint32_t a = next >> 8;
		struct norn_site site = {.kind = (uint8_t)(1 + a % 10),
		        .order = a % 6,
		        .order_failure = (uint8_t)(a % 64),
		        .flags = (uint8_t)(a >> 3),
		        .size = a % 3 ? 4 : a,
		        .function = strings[a % 8],
		        .file = strings[a % 2],
		        .line = a % 5 ? 100 + i : a,
		        .column = a % 100,
		        .inlined_at = a % 4 ? 0 : a % 101,
		        .entry = i - i % 50,
		        .name = strings[a % 7],
		        .type = strings[a % 3],
		        .field = strings[a % 8]};
		uint8_t facts[] = {2, 1, (uint8_t)(a % 100), 0};
		site.facts = a % 9 ? norn_site_builder_facts(&table, facts, sizeof facts) : 0;
		norn_site_builder_site(&table, &site);
	}
	size_t bytes;
	struct norn_site_table *open = open_built(&table, &bytes);
	assert_memory_equal(open + 1, table.sites, 3000 * sizeof *table.sites);
	assert_memory_equal((struct norn_site *)(open + 1) + 3000, table.frames, 100 * sizeof *table.frames);
	free(open);
	norn_site_builder_done(&table);
}

static void test_blob_has_the_layout_of_the_format(void **state)
{
	struct norn_site_builder table;
	norn_site_builder_init(&table);
	struct norn_site site = {.kind = NORN_SITE_WRITE, .size = 4, .line = 12};
	site.name = string(&table, "hits");
	for (uint32_t i = 0; i < 600; i++) {
		site.column = i;
		assert_int_equal(norn_site_builder_site(&table, &site), i);
	}
	struct norn_frame frame = {.function = string(&table, "f"), .line = 3};
	norn_site_builder_frame(&table, &frame);
	size_t bytes;
	struct norn_site_table *blob = open_built(&table, &bytes);
	assert_int_equal(blob->magic, NORN_SITE_MAGIC);
	assert_int_equal(blob->version, NORN_SITE_VERSION);
	assert_int_equal(blob->level, NORN_INSTRUMENT_LEVEL_SHARED);
	assert_int_equal(blob->sites, 600);
	assert_int_equal(blob->frames, 1);
	assert_int_equal(bytes, sizeof *blob + 600 * sizeof site + sizeof frame + blob->facts + blob->strings);
	const struct norn_site *sites = (const struct norn_site *)(blob + 1);
	const struct norn_frame *frames = (const struct norn_frame *)(sites + blob->sites);
	const char *strings = (const char *)(frames + blob->frames) + blob->facts;
	assert_int_equal(sites[599].column, 599);
	assert_string_equal(strings, "");
	assert_string_equal(strings + sites[0].name, "hits");
	assert_string_equal(strings + frames[0].function, "f");
	assert_string_equal(strings + blob->source, "a.c");
	assert_int_equal(strings[blob->strings - 1], 0);
	free(blob);
	norn_site_builder_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_strings_are_stored_once),
	        cmocka_unit_test(test_frames_are_stored_once),
	        cmocka_unit_test(test_packed_sites_are_the_same),
	        cmocka_unit_test(test_blob_has_the_layout_of_the_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
