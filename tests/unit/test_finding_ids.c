/* Ids of built-in errors: errors that differ in anything that they name have different ids, in whatever order their places come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"
#include "finding/predicted_errors.h"

enum { PAIRS = 200000 };

static uint64_t number(const char *id)
{
	return strtoul(id + 1, NULL, 16);
}

/* All pairs of lines of one function: sums of hashes of places collided, as of lines 12 and 15 with 13 and 14. */
static void pairs_of_lines_differ(void **state)
{
	struct norn_findings f;
	struct norn_map seen;
	norn_findings_init(&f);
	norn_map_init(&seen, 0);
	unsigned collisions = 0;
	for (unsigned a = 1; a <= 300; a++)
		for (unsigned b = a; b <= 300; b++) {
			char identity[80];
			void *nothing;
			snprintf(identity, sizeof identity, "race\nx\na.c:%u:f::\na.c:%u:f::", a, b);
			uint64_t id = number(norn_error_id(NORN_FINDING_RACE, identity, 0, &f));
			collisions += norn_map_get(&seen, id) != NULL;
			assert_int_equal(norn_map_put(&seen, id, &nothing), 0);
		}
	/* 45,150 ids of 32 bits: one pair in four such sets agrees by chance. */
	assert_in_range(collisions, 0, 2);
	norn_map_done(&seen);
	norn_findings_done(&f);
}

/* Two that differ in one letter, wherever that is. */
static void near_ones_differ(void **state)
{
	struct norn_findings f;
	norn_findings_init(&f);
	srand(7);
	for (unsigned i = 0; i < PAIRS; i++) {
		char one[64], other[64];
		unsigned length = 8 + (unsigned)rand() % 50;
		for (unsigned k = 0; k < length; k++)
			one[k] = (char)('a' + rand() % 26);
		one[length] = 0;
		memcpy(other, one, sizeof one);
		unsigned at = (unsigned)rand() % length;
		other[at] = (char)('a' + (one[at] - 'a' + 1 + rand() % 25) % 26);
		assert_string_not_equal(
		        norn_error_id(NORN_FINDING_RACE, one, 0, &f), norn_error_id(NORN_FINDING_RACE, other, 0, &f));
		if (i % 1000 == 999) { /* texts of findings are kept */
			norn_findings_done(&f);
			norn_findings_init(&f);
		}
	}
	norn_findings_done(&f);
}

/* Where an id is another finding's, the next one is taken: it is not the same. */
static void an_id_that_is_taken_has_a_next(void **state)
{
	struct norn_findings f;
	norn_findings_init(&f);
	const char *first = norn_error_id(NORN_FINDING_DEADLOCK, "deadlock\n\na.c:1:f::L", 0, &f);
	assert_int_equal(first[0], 'D');
	assert_string_not_equal(first, norn_error_id(NORN_FINDING_DEADLOCK, "deadlock\n\na.c:1:f::L", 1, &f));
	assert_string_equal(first, norn_error_id(NORN_FINDING_DEADLOCK, "deadlock\n\na.c:1:f::L", 0, &f));
	norn_findings_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pairs_of_lines_differ),
	        cmocka_unit_test(near_ones_differ),
	        cmocka_unit_test(an_id_that_is_taken_has_a_next),
	};
	return cmocka_run_group_tests_name("finding ids", tests, NULL, NULL);
}
