/* Predictions by closures on runs written by hand: the counterexamples of the validated rules, one for each rule, with the rule and
 * without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hand_run.h"
#include "witness/check_witnesses.h"
#include "errors/builtin_search.h"
#include "sliced/closure.h"

/* How many predictions of this kind, that rest on no assumption, are about variable name (0: any)? */
static unsigned found_kind(const char *text, bool facts, unsigned without, enum norn_predicted_kind kind, char name)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, facts, &run);
	struct norn_predictions p = {0};
	struct norn_builtin_options options = {.without = without, .guarded = true};
	norn_builtin_errors(graph, &options, &p);
	unsigned count = 0;
	for (uint32_t i = 0; i < p.count; i++)
		count += p.list[i].kind == kind && !p.list[i].assumed_count &&
		         (!name || (p.list[i].addr & ~UINT64_C(7)) == hand_variable(name));
	norn_predictions_done(&p);
	norn_graph_free(graph);
	hand_free(run);
	return count;
}

static unsigned races(const char *text, bool facts, unsigned without, char name)
{
	return found_kind(text, facts, without, NORN_PREDICTED_RACE, name);
}

#define FORKS "0f1 0f2 "
#define FORKS3 "0f1 0f2 0f3 "

/* The rule keeps the prediction away, and nothing else does. */
static void needs_rule(const char *text, unsigned rule, char name)
{
	assert_int_equal(races(text, true, 0, name), 0);
	assert_int_not_equal(races(text, true, rule, name), 0);
}

static void finds_what_happens_before_misses(void **state)
{
	const char *t01 = FORKS "1b 1Wy 1aL 1Wx 1uL 2b 2aL 2Wx 2uL 2Wy";
	assert_int_equal(races(t01, false, 0, 'y'), 1);
	assert_int_equal(races(t01, true, 0, 'y'), 1);
	assert_int_equal(races(t01, true, 0, 'x'), 0);
	/* Both threads stood there. */
	assert_int_equal(races(FORKS "1b 2b 1Wy 2Wy", true, 0, 'y'), 1);
}

static void finds_past_reads_that_do_not_decide(void **state)
{
	const char *t02 = FORKS "1b 1Wy 1aL 1Wx 1uL 2b 2aL 2Fx 2uL 2Vz 2Wy";
	assert_int_equal(races(t02, true, 0, 'y'), 1);
	assert_int_equal(races(t02, false, 0, 'y'), 0); /* all reads decide */
}

static void finds_with_open_regions_last(void **state)
{
	const char *t04 = FORKS3 "1b 1aL 1Wy 1uL 2b 2aL 2Wf 2uL 3b 3Rf 3Wy";
	assert_int_equal(races(t04, true, 0, 'y'), 1);
	/* A thread's stack is no obstacle. */
	assert_int_equal(races(FORKS3 "1b 1aL 1Wy 1uL 2b 2g 2aL 2Wf 2uL 3b 3g 3Rf 3Wy", true, 0, 'y'), 1);
	/* Two that hold it. */
	assert_int_equal(races(FORKS "1b 1aL 1Wy 1uL 2b 2aL 2Wy 2uL", true, 0, 'y'), 0);
	/* What the region did is needed. */
	assert_int_equal(races(FORKS3 "1b 1aL 1Wg 1Wy 1uL 2b 2aL 2Rg 2Wf 2uL 3b 3Rf 3Wy", true, 0, 'y'), 0);
}

static void keeps_reads_that_decide(void **state)
{
	needs_rule(FORKS "1b 1Wy 1Wx 2b 2Rx 2Wy", NORN_RULE_FIXED, 'y');
	/* H19 and H15: a flag, a fork that it decides. */
	needs_rule(FORKS "2b 2Wy 2Wx 1b 1Rx 1Rx 1Wy", NORN_RULE_FIXED, 'y');
	needs_rule("0f1 1b 1Wy 1Wp 0Rp 0f2 2b 2Wy", NORN_RULE_FIXED, 'y');
	/* H16: the lock's address. H18: an endless loop before a join. */
	needs_rule(FORKS "2b 2aL 2Wy 2uL 2Wp 1b 1Rp 1aM 1Wy 1uM", NORN_RULE_FIXED, 'y');
	needs_rule("0f1 0f2 2b 2Wy 2Wz 1b 1Rz 1e 0j1 0Wy", NORN_RULE_FIXED, 'y');
}

static void keeps_what_values_come_from(void **state)
{
	/* H13: T1 copies p to x, which is read in T2; p comes from T3, which wrote y first. */
	const char *h13 = FORKS3 "3b 3Wy 3Wp 1b 1Fp 1Vx 1Wf 2b 2Rf 2Rx 2Wy";
	needs_rule(h13, NORN_RULE_KNOWN, 'y');
	needs_rule(FORKS3 "3b 3Wy 3Wp 1b 1Fp 1Fq 1Qx 1Wf 2b 2Rf 2Rx 2Wy", NORN_RULE_KNOWN, 'y');
	/* Through an atomic increment. */
	needs_rule(FORKS3 "3b 3Wy 3Np 1b 1Np 2b 2Jp 2Wy", NORN_RULE_KNOWN, 'y');
	/* Through memory that decides nothing. */
	needs_rule(FORKS3 "3b 3Wy 3Wp 1b 1Fp 1Vq 1Fq 1Vx 1Wf 2b 2Rf 2Rx 2Wy", NORN_RULE_KNOWN, 'y');
	/* A constant does not come from p. */
	assert_int_equal(races(FORKS3 "3b 3Wy 3Wp 1b 1Fp 1Wx 1Wf 2b 2Rf 2Rx 2Wy", true, 0, 'y'), 1);
}

static void lets_reads_see_equal_values(void **state)
{
	/* x is 5 already. */
	assert_int_equal(races("0Wx:5 " FORKS "1b 1Wy 1Wx:5 2b 2Rx 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races("0Wx:4 " FORKS "1b 1Wy 1Wx:5 2b 2Rx 2Wy", true, 0, 'y'), 0);
	assert_int_equal(races("0Wx/lo:5 " FORKS "1b 1Wy 1Wx/lo:5 2b 2Rx/lo 2Wy", true, 0, 'y'), 1);
	/* Something else comes in between, that is needed. */
	assert_int_equal(races("0Wx:5 " FORKS3 "1b 1Wy 3b 3Wx:7 3Wf 1Wx:5 2b 2Rf 2Rx 2Wy", true, 0, 'y'), 0);
	assert_int_equal(races("0Wx:5 " FORKS3 "1b 1Wy 3b 3Wx:5 3Wf 1Wx:5 2b 2Rf 2Rx 2Wy", true, 0, 'y'), 1);
	/* The value that is needed is only written in the window, by another. */
	assert_int_equal(races("0Wx:4 " FORKS3 "1b 1Wy 3b 3Wx:5 3Wf 1Wx:5 2b 2Rf 2Rx 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races("0Wx:4 " FORKS3 "1b 1Wy 3b 3Wx:6 3Wf 1Wx:5 2b 2Rf 2Rx 2Wy", true, 0, 'y'), 0);
	/* The same value, but it would be another one. */
	needs_rule("0Wx:5 " FORKS3 "1b 1Wy 1Wp 3b 3Fp 3Vx:5 3Wf 1Wx:5 2b 2Rf 2Rx 2Wy", NORN_RULE_KNOWN, 'y');
	/* Code without hooks may have written in between. */
	assert_int_equal(races("0Wx:5 0C " FORKS "1b 1Wy 1Wx:5 2b 2Rx 2Wy", true, 0, 'y'), 0);
	assert_int_equal(races("0Wx:5 " FORKS "1b 1Wy 1Wx:5 2b 2O 2Rx 2Wy", true, 0, 'y'), 0);
	assert_int_equal(races("0Wx:5 0H " FORKS "1b 1Wy 1Wx:5 2b 2Rx 2Wy", true, 0, 'y'), 1);
	/* V4: an address of memory that was allocated before is a number, one of memory that is allocated later is not. 65660 lies
	 * in block p. */
	assert_int_equal(races("0Wx:70000 " FORKS "1b 1Wy 1Wx:70000 2b 2Rx 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races("0Mp 0Wx:65660 " FORKS "1b 1Wy 1Wx:65660 2b 2Rx 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races("0Wx:65660 " FORKS "1b 1Wy 1Mp 1Wx:65660 2b 2Rx 2Wy", true, 0, 'y'), 0);
	assert_int_equal(races("0Wx/lo:70000 " FORKS "1b 1Wy 1Wx/lo:70000 2b 2Rx/lo 2Wy", true, 0, 'y'), 1);
}

static void closes_lock_regions(void **state)
{
	/* H17: T1's region comes after that of T2, in which T2 stands. */
	needs_rule(FORKS "2b 2aL 2Wf 2Wy 2uL 1b 1Rf 1aL 1uL 1Wy", NORN_RULE_LOCK, 'y');
	/* A lock that is never released. */
	needs_rule(FORKS3 "3b 3aL 3Wg 1b 1Rg 1Wy 2b 2aL 2Wy", NORN_RULE_LOCK, 'y');
	/* For readers only where there is a writer. */
	needs_rule(FORKS "2b 2AL 2Wf 2Wy 2UL 1b 1Rf 1aL 1uL 1Wy", NORN_RULE_LOCK, 'y');
	needs_rule(FORKS "2b 2aL 2Wf 2Wy 2uL 1b 1Rf 1AL 1UL 1Wy", NORN_RULE_LOCK, 'y');
	assert_int_equal(races(FORKS "2b 2AL 2Wf 2Wy 2UL 1b 1Rf 1AL 1UL 1Wy", true, 0, 'y'), 1);
}

static void needs_forks_and_joins(void **state)
{
	needs_rule("0Wy 0f1 1b 1Wy", NORN_RULE_BEGIN, 'y');
	needs_rule("0f1 1b 1Wy 1e 0j1 0Wy", NORN_RULE_JOIN, 'y');
}

static void explains_failed_tries(void **state)
{
	/* H22 */
	needs_rule(FORKS "2b 2Wy 2aL 1b 1tL 2uL 1Wy", NORN_RULE_TRY, 'y');
}

static void keeps_the_order_of_objects(void **state)
{
	/* H23: a wait; a semaphore; create. */
	needs_rule(FORKS "1b 1aL 1wC 1uL 2b 2Wy 2aL 2sC 2uL 1aL 1kC 1uL 1Wy", NORN_RULE_ORDERED, 'y');
	needs_rule(FORKS "2b 2Wy 2pS 1b 1qS 1Wy", NORN_RULE_ORDERED, 'y');
	needs_rule(FORKS "2b 2Wy 2dL 1b 1iL 1Wy", NORN_RULE_ORDERED | NORN_RULE_LIFE, 'y');
	/* S14: a lock is destroyed while it is free, and may be used later. */
	assert_int_equal(races(FORKS "2b 2Wy 2aL 2uL 1b 1dL 1Wy", true, 0, 'y'), 1);
	needs_rule(FORKS "2b 2aL 2Wy 2uL 1b 1dL 1Wy", NORN_RULE_LOCK, 'y');
	needs_rule(FORKS "2b 2Wy 2iL 1b 1aL 1uL 1Wy", NORN_RULE_LIFE, 'y');
	needs_rule(FORKS "2b 2Wy 2T 1b 1I 1Wy", NORN_RULE_ORDERED, 'y');
}

static void knows_what_a_wait_is(void **state)
{
	/* How the wait ended is not recorded. */
	needs_rule(FORKS "1b 1aL 1wC 1uL 2b 2Wy 2aL 2sC 2uL 1aL 1Wy", NORN_RULE_ORDERED, 'y');
	/* The mutex is taken back only after the notify: even where the WAIT_END itself is not needed. */
	needs_rule(FORKS3 "1b 1aL 1wC 1uL 2b 2Wy 2aL 2sC 2uL 1aL 1kC 1uL 3b 3aL 3Wf 3uL 1aL 1Rf 1Wy", NORN_RULE_ORDERED, 'y');
	/* S5: a notify needs no waiter. That T2, which has begun to wait, falls asleep is not in the schedule. */
	struct hand_run *run;
	struct norn_graph *graph = hand_slice("0f1 0f2 2b 2aL 2wC 0Ry 2uL 1b 1sC 1Wy", true, &run);
	struct norn_predictions p = {0};
	norn_builtin_errors(graph, &(struct norn_builtin_options){0}, &p);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.list[0].schedule.base, hand_event(run, 6) - 1);
	assert_int_equal(p.list[0].schedule.events[0], hand_event(run, 8));
	norn_predictions_done(&p);
	norn_graph_free(graph);
	hand_free(run);
}

static void knows_the_lives_of_memory(void **state)
{
	/* The block that T2 gets is the one that T1 gave back after it wrote y. */
	needs_rule(FORKS "0Ma 1b 1Wy 1ma 2b 2Ma 2Wy", NORN_RULE_LIFE, 'y');
	/* What freed memory holds is anybody's guess. */
	assert_int_equal(races(FORKS "0Ma 2b 2Wy 1b 1ma 1Rb 1Wy", true, 0, 'y'), 0);
	assert_int_equal(races(FORKS "0Ma 2b 2Wy 1b 1ma 1Fb 1Wy", true, 0, 'y'), 1);
	/* The same address in two lives is no race. */
	assert_int_equal(races("0f1 0f2 1b 1Ma 1Wb 1ma 2b 2Ma 2Wb", true, NORN_RULE_LIFE, 'b'), 0);
}

static void trusts_no_code_that_it_cannot_see(void **state)
{
	needs_rule(FORKS "1b 1Wy 2b 2C 2Wy", NORN_RULE_CALL, 'y');
	needs_rule(FORKS "1b 1Wy 1O 2b 2O 2Wy", NORN_RULE_CALL, 'y');
	/* X10: whatever came before the return or the callback, also where the thread did things meanwhile that are seen. */
	needs_rule(FORKS "1b 1Wy 2b 2> 2Wy", NORN_RULE_CALL, 'y');
	needs_rule(FORKS "1b 2b 2C 2aL 2uL 1Wy 2< 2Wy", NORN_RULE_CALL, 'y');
	assert_int_equal(races(FORKS "1b 1Wy 2b 2H 2< 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1> 2b 2> 1Wy 2Wy", true, 0, 'y'), 1);
	/* X11: a job needs what was handed over, and no other job. */
	needs_rule(FORKS "0Wy 0+ 1b 1- 1Wy", NORN_RULE_CALL, 'y');
	assert_int_equal(races(FORKS "0+ 1b 1- 1Wy 0+ 2b 2- 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "0+ 1b 1- 1Wy 1C 0+ 2b 2- 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1Wy 2b 2O 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1Wy 1O 2b 2H 2Wy", true, 0, 'y'), 1);
	needs_rule(FORKS "1b 1Wy 1O 2b 2Xz 2Rz 2Wy", NORN_RULE_EXTERNAL, 'y');
	/* X13: a signal may have been sent by any call before its handler, and by no other event. */
	needs_rule("0f1 1b 1Wy 1O 0S 0Wy", NORN_RULE_CALL, 'y');
	assert_int_equal(races("0f1 1b 1Wy 0S 0Wy", true, 0, 'y'), 1);
	/* What an external write did not change is still what was there. */
	needs_rule(FORKS "1b 1Wy 1Wz 2b 2Xz 2Rz 2Wy", NORN_RULE_EXTERNAL, 'y');
}

static void stops_at_the_end_of_the_process(void **state)
{
	needs_rule("0f1 1b 1Wy 0x 0Wy", NORN_RULE_END, 'y');
}

static void is_exact_to_the_byte(void **state)
{
	assert_int_equal(races(FORKS "1b 1Wy/lo 2b 2Wy/hi", true, 0, 'y'), 0);
	assert_int_equal(races(FORKS "1b 1Wy/lo 2b 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1Wy 2b 2Ry/b", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1Ry 2b 2Ry", true, 0, 'y'), 0);
	assert_int_equal(races(FORKS "1b 1Ky 2b 2Jy", true, 0, 'y'), 0);
	assert_int_equal(races(FORKS "1b 1Ky 2b 2Ry", true, 0, 'y'), 1);
	/* The read of all bytes has two writers. */
	needs_rule(FORKS3 "3b 3Wy 3Wx/hi 1b 1Wx/lo 2b 2Rx 2Wy", NORN_RULE_FIXED, 'y');
}

static void lets_readers_in_together(void **state)
{
	assert_int_equal(races(FORKS "1b 1AL 1Wy 1UL 2b 2AL 2Wy 2UL", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 1AL 1Wy 1UL 2b 2aL 2Wy 2uL", true, 0, 'y'), 0);
	assert_int_equal(races(FORKS "1b 1AL 1Wy 1UL 2b 2AL 2UL 2Wy", true, 0, 'y'), 1);
	/* A writer in between, which needs the reader to leave. */
	assert_int_equal(races(FORKS3 "1b 1AL 1Wy 1UL 3b 3aL 3Wf 3uL 2b 2Rf 2Wy", true, 0, 'y'), 1);
	assert_int_equal(races(FORKS3 "1b 1AL 1Wg 1Wy 1UL 3b 3aL 3Rg 3Wf 3uL 2b 2Rf 2Wy", true, 0, 'y'), 0);
}

static void counts_pairs_of_positions_once(void **state)
{
	const char *loop = FORKS "1b 2b 1Wy=a 1Wy=a 2Wy=b 1Wy=a 2Wy=b 2Wy=b";
	assert_int_equal(races(loop, true, 0, 'y'), 1);
	assert_int_equal(races(FORKS "1b 2b 1Wy 1Wy 2Wy", true, 0, 'y'), 2);
}

static void finds_uses_after_free(void **state)
{
	assert_int_equal(found_kind(FORKS "0Ma 1b 1Wb 2b 2ma", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 'b'), 1);
	/* Under a lock: the free before the whole region; not if the region looks whether there is something. */
	assert_int_equal(found_kind(FORKS "0Ma 1b 1aL 1Wb 1uL 2b 2aL 2ma 2uL", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 'b'), 1);
	assert_int_equal(
	        found_kind(FORKS "0Ma 1b 1aL 1Rp 1Wb 1uL 2b 2aL 2ma 2Wp 2uL", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 0), 0);
	/* The region of the free allocates the memory again. */
	assert_int_equal(found_kind(FORKS "0Ma 1b 1aL 1Wb 1uL 2b 2aL 2ma 2Ma 2uL", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 0), 0);
	/* It happened. */
	assert_int_equal(found_kind(FORKS "0Ma 1b 1ma 2b 2Wb", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 'b'), 1);
	assert_int_equal(found_kind(FORKS "0Ma 1b 1ma 2b 2ma", true, 0, NORN_PREDICTED_DOUBLE_FREE, 'a'), 1);
	assert_int_equal(found_kind(FORKS "0Ma 1b 1ma 2b 2Ma 2Wb 2ma", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 0), 0);
	assert_int_equal(found_kind("0f1 0Ma 1b 1Wb 1e 0j1 0ma", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 'b'), 0);
	assert_int_equal(found_kind(FORKS "0Ma 1b 1Wb 1Wf 2b 2Rf 2ma", true, 0, NORN_PREDICTED_USE_AFTER_FREE, 'b'), 0);
}

static unsigned broken(const char *text)
{
	return found_kind(text, true, 0, NORN_PREDICTED_ATOMICITY, 0);
}

static void finds_broken_atomicity(void **state)
{
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1Wy 1) 2b 2Wy"), 1);
	assert_int_equal(broken(FORKS "2b 2Wy 1b 1( 1Fy 1Wy 1)"), 1);
	assert_int_equal(broken(FORKS "1b 1Ry 1Wy 2b 2Wy"), 0); /* no block */
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1) 1( 1Wy 1) 2b 2Wy"), 0); /* two */
	assert_int_equal(broken(FORKS "1b 1( 1( 1Ry 1) 1Wy 1) 2b 2Wy"), 1); /* nested */
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1) 1Wy 1( 1Wy 1) 2b 2Wy"), 0);
	/* What can be explained by one after the other. */
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1Wy 1) 2b 2Ry"), 0);
	assert_int_equal(broken(FORKS "1b 1( 1Wy 1Ry 1) 2b 2Ry"), 0);
	assert_int_equal(broken(FORKS "1b 1( 1Wy 1Wy 1) 2b 2Wy"), 0);
	assert_int_equal(broken(FORKS "1b 1( 1Wy 1Wy 1) 2b 2Ry"), 1);
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1Ry 1) 2b 2Wy"), 1);
	assert_int_equal(broken(FORKS "1b 1( 1Wy 1Ry 1) 2b 2Wy"), 1);
	/* A lock held throughout, and one that is given up in between. */
	assert_int_equal(broken(FORKS "1b 1( 1aL 1Ry 1Wy 1uL 1) 2b 2aL 2Wy 2uL"), 0);
	assert_int_equal(broken(FORKS "1b 1( 1aL 1Ry 1uL 1aL 1Wy 1uL 1) 2b 2aL 2Wy 2uL"), 1);
	/* The other thread needs what comes after the block. */
	assert_int_equal(broken(FORKS "1b 1( 1Ry 1Wy 1) 1Wf 2b 2Rf 2Wy"), 0);
	assert_int_equal(broken(FORKS "1b 1( 1aL 1Ry 1uL 1aL 1Wy 1uL 1) 1Wf 2b 2Rf 2aL 2Wy 2uL"), 0);
}

static unsigned deadlocks(const char *text)
{
	return found_kind(text, true, 0, NORN_PREDICTED_DEADLOCK, 0);
}

static void finds_deadlocks(void **state)
{
	const char *crossed = FORKS "1b 1aL 1aM 1uM 1uL 2b 2aM 2aL 2uL 2uM";
	assert_int_equal(deadlocks(crossed), 1);
	/* What orders them: a join, a gate, one thread alone, a try, a value. */
	assert_int_equal(deadlocks("0f1 1b 1aL 1aM 1uM 1uL 1e 0j1 0aM 0aL 0uL 0uM"), 0);
	assert_int_equal(deadlocks(FORKS "1b 1aG 1aL 1aM 1uM 1uL 1uG 2b 2aG 2aM 2aL 2uL 2uM 2uG"), 0);
	assert_int_equal(deadlocks(FORKS "1b 1aL 1aM 1uM 1uL 1aM 1aL 1uL 1uM"), 0);
	assert_int_equal(deadlocks(FORKS "1b 1aL 1aM 1uM 1uL 2b 2aM 2yL 2uL 2uM"), 0);
	assert_int_equal(deadlocks(FORKS "1b 1aL 1aM 1uM 1uL 1Wf 2b 2Rf 2aM 2aL 2uL 2uM"), 0);
	/* The lock that T2 asks for is another one at the same address. */
	assert_int_equal(deadlocks(FORKS "1b 1aL 1aM 1uL 1iL 1uM 2b 2aM 2aL 2uL 2uM"), 0);
	/* Where what is read does not decide, or was written before. */
	assert_int_equal(deadlocks(FORKS "1b 1aL 1aM 1uM 1uL 1Wf 2b 2Ff 2aM 2aL 2uL 2uM"), 1);
	assert_int_equal(deadlocks(FORKS "1b 1Wf 1aL 1aM 1uM 1uL 2b 2Rf 2aM 2aL 2uL 2uM"), 1);
}

static void finds_deadlocks_without_two_locks(void **state)
{
	/* A join under a lock that the child needs. */
	assert_int_equal(deadlocks("0f1 1b 1aL 1uL 1e 0aL 0j1 0uL"), 1);
	assert_int_equal(deadlocks("0f1 1b 1aL 1uL 1e 0j1 0aL 0uL"), 0);
	assert_int_equal(deadlocks("0f1 1b 1aL 1uL 1Wf 1e 0Rf 0aL 0j1 0uL"), 0);
	assert_int_equal(deadlocks("0f1 1b 1yL 1uL 1e 0aL 0j1 0uL"), 0);
	/* Through a thread in between, which holds nothing. */
	assert_int_equal(deadlocks("0f1 1b 1f2 2b 2aL 2uL 2e 1j2 1e 0aL 0j1 0uL"), 1);
	/* Who is woken takes its mutex back; or the signal came before T1 took it at all. */
	assert_int_equal(deadlocks(FORKS "1b 1aM 1aL 1wC 1uL 2b 2aL 2sC 2uL 1aL 1kC 1uL 1uM 2aL 2aM 2uM 2uL"), 2);
	/* Not before the notify, which comes after T2's regions. */
	assert_int_equal(deadlocks(FORKS "1b 1aM 1aL 1wC 1uL 2b 2aL 2uL 2sC 1aL 1kC 1uL 1uM"), 0);
}

static void finds_deadlocks_of_many(void **state)
{
	const char *three = FORKS3 "1b 1aL 1aM 1uM 1uL 2b 2aM 2aN 2uN 2uM 3b 3aN 3aL 3uL 3uN";
	assert_int_equal(deadlocks(three), 1);
	assert_int_equal(deadlocks(FORKS3 "1b 1aL 1aM 1uM 1uL 2b 2aM 2aN 2uN 2uM 3b 3aN 3uN 3aL 3uL"), 0);
	/* Readers block only writers. */
	assert_int_equal(deadlocks(FORKS "1b 1AL 1aM 1uM 1UL 2b 2aM 2AL 2UL 2uM"), 0);
	assert_int_equal(deadlocks(FORKS "1b 1AL 1aM 1uM 1UL 2b 2aM 2aL 2uL 2uM"), 1);
	assert_int_equal(deadlocks(FORKS "1b 1aL 1AM 1UM 1uL 2b 2AM 2AL 2UL 2UM"), 0);
	/* A shared gate is none. */
	assert_int_equal(deadlocks(FORKS "1b 1AG 1aL 1aM 1uM 1uL 1UG 2b 2AG 2aM 2aL 2uL 2uM 2UG"), 1);
	/* Two threads of the same code count once. */
	assert_int_equal(deadlocks(FORKS3 "1b 1aL=a 1aM=b 1uM 1uL 2b 2aM=c 2aL=d 2uL 2uM 3b 3aM=c 3aL=d 3uL 3uM"), 1);
}

/* Predictions that the checker takes; it must take all. */
static unsigned agreed(const char *text)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	struct norn_predictions p = {0};
	uint64_t refused = 0;
	norn_builtin_errors(graph, &(struct norn_builtin_options){.guarded = true}, &p);
	norn_check_witnesses(graph, &p, &refused);
	assert_int_equal(refused, 0);
	unsigned count = p.count;
	norn_predictions_done(&p);
	norn_graph_free(graph);
	hand_free(run);
	return count;
}

/* Whether 1Y happens is said to depend on 1F as well, which is not fixed for its own sake. */
static void lists_what_is_not_known_to_happen(void **state)
{
	/* Atomicity: nothing uncertain may come between. */
	assert_int_equal(agreed(FORKS "2b 2Ww 1b 1Fq 1Gp 1Yx 1( 1Fw 1Ww 1)"), 3);
	/* A read that is kept sees what 1Y may write. */
	assert_int_equal(agreed(FORKS3 "3b 3Wz 1b 1Fq 1Gp 1Yy 1Wf 2b 2Rf 2Wy 2Ry 2Wz"), 2);
	/* It is not read. */
	assert_int_equal(agreed(FORKS3 "3b 3Wz 1b 1Fq 1Gp 1Yx 1Wf 2b 2Rf 2Wy 2Ry 2Wz"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(finds_what_happens_before_misses),
	        cmocka_unit_test(finds_past_reads_that_do_not_decide),
	        cmocka_unit_test(finds_with_open_regions_last),
	        cmocka_unit_test(keeps_reads_that_decide),
	        cmocka_unit_test(keeps_what_values_come_from),
	        cmocka_unit_test(lets_reads_see_equal_values),
	        cmocka_unit_test(closes_lock_regions),
	        cmocka_unit_test(needs_forks_and_joins),
	        cmocka_unit_test(explains_failed_tries),
	        cmocka_unit_test(keeps_the_order_of_objects),
	        cmocka_unit_test(knows_what_a_wait_is),
	        cmocka_unit_test(knows_the_lives_of_memory),
	        cmocka_unit_test(trusts_no_code_that_it_cannot_see),
	        cmocka_unit_test(stops_at_the_end_of_the_process),
	        cmocka_unit_test(is_exact_to_the_byte),
	        cmocka_unit_test(lets_readers_in_together),
	        cmocka_unit_test(counts_pairs_of_positions_once),
	        cmocka_unit_test(finds_uses_after_free),
	        cmocka_unit_test(finds_broken_atomicity),
	        cmocka_unit_test(finds_deadlocks),
	        cmocka_unit_test(finds_deadlocks_without_two_locks),
	        cmocka_unit_test(finds_deadlocks_of_many),
	        cmocka_unit_test(lists_what_is_not_known_to_happen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
