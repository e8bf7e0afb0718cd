/* Predictions that need lock regions to change places: not without effort, with it if they are there, and all as the checker wants
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_run.h"
#include "errors/builtin_search.h"
#include "witness/sliced_witness.h"

static const enum norn_sliced_kind kinds[] = {
        [NORN_PREDICTED_RACE] = NORN_SLICED_RACE,
        [NORN_PREDICTED_DEADLOCK] = NORN_SLICED_DEADLOCK,
        [NORN_PREDICTED_USE_AFTER_FREE] = NORN_SLICED_USE_AFTER_FREE,
        [NORN_PREDICTED_DOUBLE_FREE] = NORN_SLICED_DOUBLE_FREE,
        [NORN_PREDICTED_ATOMICITY] = NORN_SLICED_ATOMICITY,
};

static void check(struct norn_sliced_checker *checker, const struct norn_predicted *p)
{
	const struct norn_sliced_claim claim = {.kind = kinds[p->kind],
	        .base = p->schedule.base,
	        .events = p->schedule.events,
	        .count = p->schedule.count,
	        .stops = p->stops,
	        .stop_count = p->stop_count,
	        .first = p->first,
	        .cycle = p->cycle.events,
	        .cycle_begins = p->cycle.begins,
	        .cycle_count = p->cycle.count,
	        .block = p->begin};
	struct norn_error why;
	if (norn_sliced_check(checker, &claim, &why) != 0)
		fail_msg("%s", why.message);
}

static unsigned found(const char *text, enum norn_predicted_kind kind, char name, unsigned effort, struct norn_builtin_stats *stats)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	struct norn_predictions p = {0};
	norn_builtin_errors(graph, &(struct norn_builtin_options){.guarded = true, .effort = effort}, &p);
	struct norn_sliced_checker *checker = norn_sliced_checker_new(graph);
	unsigned count = 0;
	for (uint32_t i = 0; i < p.count; i++) {
		check(checker, &p.list[i]);
		count += p.list[i].kind == kind && (!name || (p.list[i].addr & ~UINT64_C(7)) == hand_variable(name));
	}
	*stats = p.stats;
	norn_sliced_checker_free(checker);
	norn_predictions_done(&p);
	norn_graph_free(graph);
	hand_free(run);
	return count;
}

/* Only a search finds it. */
static void is_searched_for(const char *text, enum norn_predicted_kind kind, char name)
{
	struct norn_builtin_stats stats;
	assert_int_equal(found(text, kind, name, 0, &stats), 0);
	assert_int_equal(stats.searches, 0);
	assert_int_equal(found(text, kind, name, 300, &stats), 1);
	assert_int_not_equal(stats.searches, 0);
}

/* There is nothing, and that is soon clear. */
static void is_hopeless(const char *text, enum norn_predicted_kind kind, char name)
{
	struct norn_builtin_stats stats;
	assert_int_equal(found(text, kind, name, 300, &stats), 0);
	assert_false(norn_builtin_limited(&stats));
}

#define FORKS "0f1 0f2 "

static void swaps_nested_regions(void **state)
{
	/* T1 stands in a region of M, T2's region of it is inside one of L. */
	is_searched_for(FORKS "1b 1aM 1aL 1uL 1Wx 1uM 2b 2aL 2aM 2uM 2uL 2Wx", NORN_PREDICTED_RACE, 'x');
	is_searched_for(FORKS "1b 1aM 1aL 1uM 1Wx 1uL 2b 2aM 2aL 2uL 2uM 2Wx", NORN_PREDICTED_RACE, 'x');
	/* T2 looks at what T1 did there. */
	is_hopeless(FORKS "1b 1aM 1aL 1Wf 1uL 1Wx 1uM 2b 2aL 2Rf 2aM 2uM 2uL 2Wx", NORN_PREDICTED_RACE, 'x');
	/* Both hold it. */
	is_hopeless(FORKS "1b 1aM 1aL 1uL 1Wx 1uM 2b 2aL 2aM 2uL 2Wx 2uM", NORN_PREDICTED_RACE, 'x');
}

#define BEHIND FORKS "1b 1aM 1aL 1uL 1aL 1uM 1uL 2b 2aL 2aM 2uL 2uM 2aL 2aM 2uM 2uL"

static void finds_deadlocks_behind_others(void **state)
{
	struct norn_builtin_stats stats;
	unsigned closed = found(BEHIND, NORN_PREDICTED_DEADLOCK, 0, 0, &stats);
	assert_true(found(BEHIND, NORN_PREDICTED_DEADLOCK, 0, 300, &stats) > closed);
}

static void puts_regions_into_blocks(void **state)
{
	/* The other thread's region was before the block's two, and can be between them. */
	is_searched_for(FORKS "2b 2aL 2Wy 2uL 1b 1( 1aL 1Fy 1uL 1aL 1Wy 1uL 1)", NORN_PREDICTED_ATOMICITY, 'y');
	/* Not if the block looks at it first. */
	is_hopeless(FORKS "2b 2aL 2Wy 2uL 1b 1( 1aL 1Ry 1uL 1aL 1Wy 1uL 1)", NORN_PREDICTED_ATOMICITY, 'y');
	is_hopeless(FORKS "2b 2aL 2Wy 2Wf 2uL 1b 1( 1aL 1Rf 1Fy 1uL 1aL 1Wy 1uL 1)", NORN_PREDICTED_ATOMICITY, 'y');
	/* One region for all of it. */
	is_hopeless(FORKS "2b 2aL 2Wy 2uL 1b 1( 1aL 1Fy 1Wy 1uL 1)", NORN_PREDICTED_ATOMICITY, 'y');
}

static void sees_equal_values_of_one_life(void **state)
{
	/* T1's region would come first, but what 1Ra sees then was written before the memory was freed. */
	is_hopeless("0Ma 0f1 0f2 0Wa:4 2b 2ma 2aL 2Wa:4 1b 1Ra 2Wy 2uL 1aL 1uL 1Ry", NORN_PREDICTED_RACE, 'y');
}

static void frees_in_an_earlier_region(void **state)
{
	/* The free's region comes before the use's, though both threads had another one before. */
	is_searched_for(
	        FORKS "0Ma 1b 1aM 1aL 1uL 1aK 1Wb 1uK 1uM 2b 2aL 2aM 2uM 2uL 2aK 2ma 2uK", NORN_PREDICTED_USE_AFTER_FREE, 'b');
	is_hopeless(FORKS "0Ma 1b 1aM 1aL 1uL 1aK 1Rp 1Wb 1uK 1uM 2b 2aL 2aM 2uM 2uL 2aK 2ma 2Wp 2uK",
	        NORN_PREDICTED_USE_AFTER_FREE, 'b');
}

static void keeps_failed_tries_failing(void **state)
{
	/* Somebody must hold M when T2 tries it: T3 did, but T1 may. */
	is_searched_for(FORKS "0f3 3b 3Wx 3aM 2b 2tM 3uM 2Wx 1b 1aM 1uM", NORN_PREDICTED_RACE, 'x');
	is_hopeless(FORKS "0f3 3b 3Wx 3aM 2b 2tM 3uM 2Wx 1b", NORN_PREDICTED_RACE, 'x');
}

static void gives_up_only_for_lack_of_effort(void **state)
{
	/* Each order of the two regions is refuted. */
	struct norn_builtin_stats stats;
	assert_false(found(FORKS "1b 1aM 1aL 1Wf 1uL 1Wx 1uM 2b 2aL 2Rf 2aM 2uM 2uL 2Wx", NORN_PREDICTED_RACE, 'x', 1, &stats));
	assert_false(norn_builtin_limited(&stats));
	/* M must be held when T2 tries it: by T1 it cannot be before x, so by T4. */
	const char *run = FORKS "0f3 0f4 3b 3Wx 3Wf 3aM 2b 2tM 3uM 2Wx 1b 1Rf 1aM 1uM 4b 4aM 4uM";
	assert_false(found(run, NORN_PREDICTED_RACE, 'x', 0, &stats));
	assert_int_not_equal(stats.limits[NORN_LIMIT_NODES], 0);
	assert_true(found(run, NORN_PREDICTED_RACE, 'x', 1, &stats));
	assert_false(norn_builtin_limited(&stats));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(swaps_nested_regions),
	        cmocka_unit_test(finds_deadlocks_behind_others),
	        cmocka_unit_test(puts_regions_into_blocks),
	        cmocka_unit_test(sees_equal_values_of_one_life),
	        cmocka_unit_test(frees_in_an_earlier_region),
	        cmocka_unit_test(keeps_failed_tries_failing),
	        cmocka_unit_test(gives_up_only_for_lack_of_effort),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
