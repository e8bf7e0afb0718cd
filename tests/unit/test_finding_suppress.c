/* Suppressions: what they match, and what is said about mistakes in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "finding/suppress.h"

static const struct norn_step_text places[] = {
        {.thread = "main/1", .event = "write", .file = "/src/bank.c", .function = "deposit", .line = 12},
        {.thread = "main/2", .event = "read", .file = "/src/report.c", .function = "print_all", .line = 30},
};
static const struct norn_step_text callers[] = {{.file = "/src/lib/pool.c", .function = "worker", .line = 3}};
static const struct norn_side sides[] = {{.frames = callers, .frame_count = 1}, {0}};

static int read_text(const char *text, struct norn_suppressions *s, struct norn_error *err)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	assert_non_null(from);
	int r = norn_suppressions_read(s, from, "norn.supp", err);
	fclose(from);
	return r;
}

/* How many of a race on acct.balance, a deadlock of two locks and a property's violation are left. */
static uint32_t left(const char *text, uint64_t *ret_matched)
{
	struct norn_finding all[] = {norn_finding_new(NORN_FINDING_RACE), norn_finding_new(NORN_FINDING_DEADLOCK),
	        norn_finding_new(NORN_FINDING_PROPERTY)};
	all[0].id = "R1";
	all[0].variable = "acct.balance";
	all[0].where = places;
	all[0].sides = sides;
	all[0].where_count = 2;
	all[1].id = "D1";
	all[1].variable = "a, b";
	all[1].where = places;
	all[1].where_count = 1;
	all[2].id = "P1";
	all[2].variable = "a[]";
	all[2].property = "conserved";
	struct norn_suppressions s = {0};
	struct norn_findings f;
	norn_findings_init(&f);
	for (unsigned i = 0; i < 3; i++)
		assert_non_null(norn_findings_add(&f, &all[i]));
	assert_int_equal(read_text(text, &s, NULL), 0);
	uint32_t taken = norn_suppress(&s, &f);
	uint32_t count = f.count;
	assert_int_equal(taken, 3 - count);
	if (ret_matched)
		*ret_matched = s.count ? s.list[0].matched : 0;
	norn_findings_done(&f);
	norn_suppressions_done(&s);
	return count;
}

static void test_matching(void **state)
{
	(void)state;
	assert_int_equal(left("# nothing but words\n\n  \t\n", NULL), 3);
	assert_int_equal(left("race variable=acct.balance", NULL), 2);
	assert_int_equal(left("race variable=acct.*  # the whole account\n", NULL), 2);
	assert_int_equal(left("race variable=acct", NULL), 3);
	assert_int_equal(left("deadlock variable=acct.balance", NULL), 3);
	assert_int_equal(left("race function=deposit function=print_all", NULL), 2);
	assert_int_equal(left("race function=deposit function=none", NULL), 3);
	assert_int_equal(left("race function=worker", NULL), 2); /* by a caller */
	assert_int_equal(left("race file=bank.c", NULL), 2);
	assert_int_equal(left("race file=*/lib/*", NULL), 2);
	assert_int_equal(left("race file=src/bank.c", NULL), 3); /* globs match whole names */
	assert_int_equal(left("* function=deposit", NULL), 1);
	assert_int_equal(left("* id=?1", NULL), 0);
	assert_int_equal(left("deadlock variable=\"a, b\"", NULL), 2);
	assert_int_equal(left("property property=cons*", NULL), 2);
	assert_int_equal(left("property variable=\"a\\[\\]\"", NULL), 2);
	assert_int_equal(left("property variable=a[]", NULL), 2); /* an empty set is none: these are brackets */
	assert_int_equal(left("race function=deposit\ndeadlock function=deposit\nproperty property=conserved\n", NULL), 0);
}

static void test_counts(void **state)
{
	uint64_t matched;
	(void)state;
	left("race variable=nothing", &matched);
	assert_int_equal(matched, 0);
	left("* function=deposit\nrace variable=*", &matched);
	assert_int_equal(matched, 2);
}

static void refuses(const char *text, unsigned line, unsigned column, const char *words)
{
	struct norn_suppressions s = {0};
	struct norn_error err = {0};
	assert_int_equal(read_text(text, &s, &err), -EINVAL);
	assert_string_equal(err.file, "norn.supp");
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
	assert_non_null(strstr(err.message, words));
	norn_suppressions_done(&s);
}

static void test_mistakes(void **state)
{
	(void)state;
	refuses("races variable=x\n", 1, 1, "no kind of finding races");
	refuses("# fine\nrace varable=x\n", 2, 6, "no condition varable");
	refuses("race x\n", 1, 6, "KEY=GLOB");
	refuses("race variable=\n", 1, 15, "nothing to compare");
	refuses("race variable=\"x\n", 1, 15, "not closed");
	refuses("race variable=\"\"\n", 1, 15, "nothing to compare");
	refuses("race  # all\n", 1, 1, "would suppress all");
	refuses("*\n", 1, 1, "would suppress all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_matching),
	        cmocka_unit_test(test_counts),
	        cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
