/* The table of rules: that each row is one, and where closure, step model and checker once disagreed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causality/happens_before.h"
#include "causality/rules.h"
#include "causality/sync_rules.h"
#include "hand_run.h"
#include "sliced/step/fixed_reads.h"
#include "sliced/step/step_model.h"
#include "trace/record.h"

#define FORKS "0f1 0f2 "

static const struct norn_rule *rule_of(const char *text, unsigned word)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	const struct norn_rule *rule = norn_rule_of(graph, hand_event(run, word));
	norn_graph_free(graph);
	hand_free(run);
	return rule;
}

static void count_need(void *context, uint32_t event)
{
	(void)event;
	++*(unsigned *)context;
}

/* How many events this one needs, in both forms; -1: it can never happen. */
static int needs_of(const char *text, unsigned word)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	uint32_t event = hand_event(run, word);
	struct norn_rule_walk walk = {.graph = graph};
	unsigned count = 0;
	bool can = norn_rule_needs_each(&walk, event, norn_rule_of(graph, event), count_need, &count) &&
	           !norn_rule_from_nowhere(graph, event);
	struct norn_rule_walk steps = {.graph = graph, .steps = true};
	unsigned step_count = 0;
	norn_rule_needs_each(&steps, event, norn_rule_of(graph, event), count_need, &step_count);
	assert_int_equal(step_count, count);
	norn_graph_free(graph);
	hand_free(run);
	return can ? (int)count : -1;
}

static void each_row_has_a_law(void **state)
{
	static const char *const runs[] = {"0f1 1b 1Wx 1Rx 1aL 1uL 1AL 1UL 1e 0j1", "0aL 0wC 0uL 0sC 0BC 0aL 0kC",
	        "0pS 0qS 0iL 0dL 0O 0C 0< 0> 0+ 0- 0I 0T 0x"};
	for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct hand_run *run;
		struct norn_graph *graph = hand_slice(runs[i], true, &run);
		for (uint32_t e = 1; e <= norn_graph_count(graph); e++) {
			const struct norn_rule *rule = norn_rule_of(graph, e);
			assert_non_null(rule->name);
			assert_true(strchr("RSVX", rule->law[0]) && rule->law[1]);
		}
		norn_graph_free(graph);
		hand_free(run);
	}
}

static void threads_have_beginnings(void **state)
{
	assert_int_equal(needs_of("0f1 1b", 2), 1);
	assert_int_equal(needs_of("1b", 1), -1);
	/* S13: a child that did nothing still has its end; one of which nothing is known cannot be joined. */
	assert_int_equal(needs_of("0f1 1b 1e 0j1", 4), 1);
	assert_int_equal(needs_of("0f1 0j1", 2), 1);
	assert_int_equal(needs_of("0j1", 1), -1);
}

/* S13: the system decided that a fork failed; it needs nothing, and both forms allow it. */
static void failed_forks_need_nothing(void **state)
{
	assert_int_equal(needs_of("0f1 1b 1f2 1z2", 4), 0);
	assert_true(rule_of("0f1 1b 1f2 1z2", 4)->exact);
	assert_int_not_equal(rule_of("0f1 1b 1f2 1z2", 4)->guard, NORN_GUARD_NEVER);
}

/* X5: what code without hooks enters or leaves needs the calls, input and output before it, and no more. */
static void callbacks_need_the_world(void **state)
{
	assert_int_equal(needs_of(FORKS "1b 2b 2O 1l", 6), 1);
	assert_int_equal(needs_of(FORKS "1b 2b 2T 1l", 6), 1);
	assert_int_equal(needs_of(FORKS "1b 2b 2Wx 1l", 6), 0);
	assert_true(rule_of(FORKS "1b 2b 2O 1l", 6)->exact);
	assert_int_not_equal(rule_of(FORKS "1b 2b 2O 1l", 6)->guard, NORN_GUARD_NEVER);
}

/* V3: the value that a read-modify-write read is what counts. V4: an address of memory that is allocated later is no number. */
static void equal_values(void **state)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice("0Wx:5 0Nx 0Mp 0Wy:65656", true, &run); /* the address of p */
	uint64_t value = 0, p = hand_variable('p');
	uint32_t alloc = hand_event(run, 3);
	assert_int_equal(p, 65656);
	assert_true(norn_graph_value_read(graph, hand_event(run, 2), &value));
	assert_int_equal(value, 5);
	assert_false(norn_graph_exact(graph, alloc - 1, alloc + 1, 8, p));
	assert_false(norn_graph_exact(graph, alloc - 1, alloc + 1, 8, p + 63));
	assert_true(norn_graph_exact(graph, alloc, alloc + 1, 8, p)); /* as in the base */
	assert_true(norn_graph_exact(graph, 0, alloc + 1, 8, 0));
	assert_true(norn_graph_exact(graph, 0, alloc + 1, 8, hand_variable('a'))); /* static */
	assert_true(norn_graph_exact(graph, 0, alloc + 1, 4, p)); /* too short for an address */
	norn_graph_free(graph);
	hand_free(run);
}

/* R6: of a property that speaks of reads the step model fixes all reads with masks, which is stricter than the law. */
static bool is_stricter_by_masks(const char *text, bool reads)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	struct norn_fixed_reads fixed;
	norn_fixed_reads_init(&fixed, graph, NULL, 0);
	struct norn_step_model_property property = {.reads = reads};
	struct norn_step_model *model = norn_step_model_new(&fixed, &property, 0, norn_graph_count(graph));
	bool masked = model->masked;
	norn_step_model_free(model);
	norn_fixed_reads_done(&fixed);
	norn_graph_free(graph);
	hand_free(run);
	return masked;
}

static void masked_reads(void **state)
{
	assert_false(is_stricter_by_masks(FORKS "2b 2Wp 1b 1Gp 1Yx", false));
	assert_false(is_stricter_by_masks(FORKS "2b 2Wp 1b 1Gp 1Yx 2Rx", false));
	/* Masks do not have reads, of which the property speaks. */
	assert_true(is_stricter_by_masks(FORKS "2b 2Wp 1b 1Gp 1Yx", true));
	assert_false(is_stricter_by_masks(FORKS "2b 1b 1Gp 1Yx", true)); /* p is used by one thread only */
}

static void what_is_stricter_says_so(void **state)
{
	/* The value of a semaphore without an init is not known. */
	assert_false(rule_of("0pS 0qS", 2)->exact);
	assert_true(rule_of("0aL 0uL", 1)->exact);
	/* A lock that is created while it is there. */
	assert_true(rule_of("0iL 0aL 0uL 0dL 0iL", 5)->exact);
	assert_false(rule_of("0iL 0aL 0uL 0iL", 4)->exact);
	/* Another thread has begun to read from the channel: it may have taken something, or not. */
	assert_true(rule_of(FORKS "1b 2b 2T 2I 1T 1I", 8)->exact);
	assert_false(rule_of(FORKS "1b 2b 2T 1T 1I", 7)->exact);
	/* A signal wakes the thread that has slept longest; where the record says otherwise, who sleeps is not known any more. */
	assert_true(rule_of(FORKS "1b 1aL 1wC 1uL 2b 2aL 2wC 2uL 0sC 1aL 1kC 1uL 0sC", 15)->exact);
	assert_false(rule_of(FORKS "1b 1aL 1wC 1uL 2b 2aL 2wC 2uL 0sC 2aL 2kC 2uL 0sC", 15)->exact);
}

static void tries_fail_by_state(void **state)
{
	/* S2: of a free lock never, of one that another thread holds while it does, of one's own always. */
	assert_int_equal(rule_of("0f1 1b 1tL", 3)->guard, NORN_GUARD_NEVER);
	assert_int_equal(rule_of("0f1 1b 0aL 1tL 0uL", 4)->guard, NORN_GUARD_HELD);
	assert_int_equal(rule_of("0aL 0tL 0uL", 2)->guard, NORN_GUARD_NONE);
	assert_true(norn_rule_enabled(rule_of("0f1 1b 0aL 1tL 0uL", 4), NORN_STATE_EXCLUSIVE));
	assert_false(norn_rule_enabled(rule_of("0f1 1b 0aL 1tL 0uL", 4), 0));
	assert_false(norn_rule_enabled(rule_of("0f1 1b 0aL 1tL 0uL", 4), NORN_STATE_DESTROYED));
}

/* Can the step model make the run's steps in this order of threads? */
static bool can_go(const char *text, const char *order)
{
	struct hand_run *run;
	struct norn_graph *graph = hand_slice(text, true, &run);
	struct norn_fixed_reads kept;
	uint64_t relevant[64];
	uint32_t count = norn_graph_count(graph);
	unsigned words = 1;
	for (const char *c = text; *c; c++)
		words += *c == ' ';
	for (unsigned i = 0; i < words; i++)
		relevant[i] = hand_event(run, i + 1); /* each word is a step, and more than one where its thread begins */
	norn_fixed_reads_init(&kept, graph, relevant, 0);
	struct norn_step_model_property property = {.relevant = relevant, .relevant_count = words};
	struct norn_step_model *model = norn_step_model_new(&kept, &property, 0, count);
	uint32_t *node = calloc(norn_step_model_words(model) + 1, sizeof *node);
	norn_step_model_start(model, node);
	bool can = true;
	for (; *order && can; order++) {
		uint32_t t = 0;
		while (model->numbers[t] != (uint32_t)(*order - '0'))
			t++;
		const struct norn_step_model_step *step = &model->steps[model->first[t] + node[t]];
		can = norn_step_model_enabled(model, step, t, node);
		if (can)
			norn_step_model_make(model, step, t, node);
		/* What is no word goes along. */
		for (; can && step->relevant == NORN_STEP_MODEL_NONE; step++) {
			can = norn_step_model_enabled(model, step + 1, t, node);
			if (can)
				norn_step_model_make(model, step + 1, t, node);
		}
	}
	free(node);
	norn_step_model_free(model);
	norn_fixed_reads_done(&kept);
	norn_graph_free(graph);
	hand_free(run);
	return can;
}

static void steps_go_by_state(void **state)
{
	/* Locks; created and destroyed (S1, S14). */
	assert_true(can_go(FORKS "1b 1aL 1uL 2b 2aL 2uL", "00222111"));
	assert_false(can_go(FORKS "1b 1aL 1uL 2b 2aL 2uL", "002211"));
	assert_true(can_go("0iL " FORKS "1b 1aL 1uL 2b 2aL 2uL", "000222111"));
	assert_true(can_go(FORKS "1b 1aL 1uL 2b 2dL", "0022"));
	assert_false(can_go(FORKS "1b 1aL 1uL 2b 2dL", "00221"
	                                               "1"));
	/* Conditions: the notify comes when somebody sleeps, or is lost (S5, S6). */
	assert_true(can_go(FORKS "1b 1aL 1wC 1uL 2b 2sC 1aL 1kC", "0011112211"));
	assert_true(can_go(FORKS "1b 1aL 1wC 1uL 2b 2sC 1aL 1kC", "00221111"));
	assert_false(can_go(FORKS "1b 1aL 1wC 1uL 2b 2sC 1aL 1kC", "002211111"));
	/* A try that fails (S2). */
	assert_true(can_go("0f1 0f2 0aL 0uL 1b 1aL 2b 2tL 1uL", "00112"
	                                                        "2"));
	assert_false(can_go("0f1 0f2 1b 1aL 2b 2tL 1uL", "00122"));
	/* Channels: who receives comes after what was sent (X4). A fork that failed needs nothing, a join the end. */
	assert_false(can_go(FORKS "1b 1T 2b 2I", "0022"));
	assert_false(can_go("0f1 1b 1e 0j1", "00"));
}

/* C4, and that all operations are known to both columns. */
static void happens_before_goes_by_rounds(void **state)
{
	struct norn_hb *hb = norn_hb_new();
	static const struct {
		uint32_t thread;
		uint8_t op;
	} run[] = {{0, NORN_SYNC_BARRIER_INIT}, {0, NORN_SYNC_BARRIER_ARRIVE}, {1, NORN_SYNC_BARRIER_ARRIVE},
	        {1, NORN_SYNC_BARRIER_LEAVE}, {1, NORN_SYNC_BARRIER_ARRIVE}, {0, NORN_SYNC_BARRIER_LEAVE}};
	for (unsigned i = 0; i < sizeof run / sizeof *run; i++) {
		struct norn_event e = {
		        .kind = NORN_EVENT_SYNC, .op = run[i].op, .thread = run[i].thread, .addr = 64, .argument = 2};
		assert_int_equal(norn_hb_event(hb, &e, i + 1), 0);
	}
	assert_true(norn_hb_before(hb, 1, 3, 0)); /* its arrival for this round */
	assert_false(norn_hb_before(hb, 1, 5, 0)); /* the early one for the next */
	assert_true(norn_hb_before(hb, 0, 2, 1));
	norn_hb_free(hb);
	for (unsigned op = NORN_SYNC_ACQUIRE; op < NORN_SYNC_OPS; op++)
		assert_int_not_equal(norn_rule_clock(NORN_EVENT_SYNC, op, 0), NORN_CLOCK_RULE_INTERNAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_row_has_a_law),
	        cmocka_unit_test(threads_have_beginnings),
	        cmocka_unit_test(failed_forks_need_nothing),
	        cmocka_unit_test(callbacks_need_the_world),
	        cmocka_unit_test(equal_values),
	        cmocka_unit_test(masked_reads),
	        cmocka_unit_test(what_is_stricter_says_so),
	        cmocka_unit_test(tries_fail_by_state),
	        cmocka_unit_test(steps_go_by_state),
	        cmocka_unit_test(happens_before_goes_by_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
