/* Runs under sliced causality: the shapes of docs/prediction.md, section 16, by hand, and random ones against all orders, tried one
 * by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sliced/step/step_lattice.h"
#include "trace/record.h"
#include "trace/site.h"

enum { SITE_ENTER = 9, SITE_DECIDES, SITE_FREE, SITE_CONSTANT, SITE_COPY, SITE_OTHER };

static const uint8_t decides[] = {NORN_FACT_DECIDES, 0, NORN_FACT_END}, nothing[] = {NORN_FACT_END},
                     constant[] = {NORN_FACT_VALUE, 0, NORN_FACT_END},
                     copy[] = {NORN_FACT_VALUE, 1, SITE_FREE << 2 | NORN_SOURCE_LATEST, NORN_FACT_END};

static void look_up(void *context, uint32_t site, struct norn_graph_site *s)
{
	(void)context;
	*s = (struct norn_graph_site){
	        .kind = site == SITE_DECIDES || site == SITE_FREE ? NORN_SITE_READ : NORN_SITE_WRITE, .entry = SITE_ENTER};
	switch (site) {
	case SITE_ENTER:
		s->kind = NORN_SITE_ENTER;
		s->facts = (struct norn_facts){nothing, nothing + sizeof nothing};
		break;
	case SITE_DECIDES:
		s->facts = (struct norn_facts){decides, decides + sizeof decides};
		break;
	case SITE_FREE:
		s->facts = (struct norn_facts){nothing, nothing + sizeof nothing};
		break;
	case SITE_CONSTANT:
		s->facts = (struct norn_facts){constant, constant + sizeof constant};
		break;
	case SITE_COPY:
		s->facts = (struct norn_facts){copy, copy + sizeof copy};
		break;
	default:
		break;
	}
}

/* ---- runs ---- */

#define EVENTS_MAX 64u
#define X 0x1000u
#define Z 0x2000u
#define LOCK 0x8000u

struct run {
	struct norn_graph_builder *builder;
	uint64_t marks[EVENTS_MAX]; /* numbers of the relevant events */
	char letters[EVENTS_MAX];
	uint32_t mark_count, count;
	uint64_t indexes[8];
};

static void begin(struct run *run)
{
	memset(run, 0, sizeof *run);
	run->builder = norn_graph_builder_new(look_up, NULL, NULL);
}

static void add(struct run *run, uint32_t thread, struct norn_event event)
{
	event.thread = thread;
	event.known = true;
	event.index = run->indexes[thread]++;
	run->count++;
	assert_int_equal(norn_graph_add(run->builder, &event), 0);
}

static void mark(struct run *run, uint32_t thread, char letter)
{
	add(run, thread, (struct norn_event){.kind = NORN_EVENT_MARK, .op = NORN_MARK_EVENT, .site = SITE_OTHER});
	run->marks[run->mark_count] = run->count;
	run->letters[run->mark_count++] = letter;
}

static void acquire(struct run *run, uint32_t thread, uint64_t lock)
{
	add(run, thread, (struct norn_event){.kind = NORN_EVENT_SYNC, .op = NORN_SYNC_ACQUIRE, .addr = lock, .site = SITE_OTHER});
}

static void release(struct run *run, uint32_t thread, uint64_t lock)
{
	add(run, thread, (struct norn_event){.kind = NORN_EVENT_SYNC, .op = NORN_SYNC_RELEASE, .addr = lock, .site = SITE_OTHER});
}

static void access(struct run *run, uint32_t thread, bool writes, uint64_t addr, uint64_t value, uint32_t site)
{
	add(run, thread,
	        (struct norn_event){.kind = writes ? NORN_EVENT_WRITE : NORN_EVENT_READ,
	                .addr = addr,
	                .size = 4,
	                .value = value,
	                .site = site});
}

static void fork_all(struct run *run, uint32_t threads)
{
	for (uint32_t t = 1; t <= threads; t++)
		add(run, 0, (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_FORK, .value = t, .site = SITE_OTHER});
	for (uint32_t t = 1; t <= threads; t++) {
		add(run, t, (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_BEGIN, .value = t, .argument = 0});
		add(run, t, (struct norn_event){.kind = NORN_EVENT_ENTER, .site = SITE_ENTER});
	}
}

/* ---- a monitor: does the word come to an end as a part of the run, its letters one right after the other? ---- */

struct pattern {
	const struct run *run;
	const char *word;
};

static uint32_t step_pattern(const char *word, uint32_t state, char letter)
{
	/* Words of tests have no border, so that a mismatch starts anew. */
	return word[state] == letter ? state + 1 : word[0] == letter;
}

static enum norn_step_lattice_answer happens(void *context, uint32_t relevant, uint32_t *world, uint32_t *belief)
{
	const struct pattern *p = context;
	(void)world;
	*belief = step_pattern(p->word, *belief, p->run->letters[relevant]);
	return p->word[*belief] == 0 ? NORN_STEP_LATTICE_FOUND : NORN_STEP_LATTICE_ON;
}

static bool finds(struct run *run, const char *word)
{
	struct norn_graph *graph;
	struct norn_fixed_reads kept;
	struct pattern pattern = {run, word};
	struct norn_step_lattice_options options = {.context = &pattern, .happens = happens};
	graph = norn_graph_finish(run->builder);
	norn_fixed_reads_init(&kept, graph, NULL, 0);
	struct norn_step_model_property property = {.relevant = run->marks, .relevant_count = run->mark_count};
	struct norn_step_model *plan = norn_step_model_new(&kept, &property, 0, norn_graph_count(graph));
	struct norn_step_lattice_result result = norn_step_lattice(plan, &options);
	bool found = result.found;
	assert_true(result.complete);
	free(result.threads);
	norn_step_model_free(plan);
	norn_fixed_reads_done(&kept);
	norn_graph_free(graph);
	norn_graph_builder_free(run->builder);
	return found;
}

/* T1: lock L; x = 1; A; unlock L | T2: lock L; r = x; [if (r == 0)] B; unlock L; C. T2 ran first. */
static void p01(struct run *run, uint32_t site)
{
	begin(run);
	fork_all(run, 2);
	acquire(run, 2, LOCK);
	access(run, 2, false, X, 0, site);
	if (site == SITE_FREE)
		access(run, 2, true, Z, 0, SITE_COPY);
	mark(run, 2, 'B');
	release(run, 2, LOCK);
	mark(run, 2, 'C');
	acquire(run, 1, LOCK);
	access(run, 1, true, X, 1, SITE_CONSTANT);
	mark(run, 1, 'A');
	release(run, 1, LOCK);
}

static void test_regions_do_not_swap_falsely(void **state)
{
	(void)state;
	struct run run;
	p01(&run, SITE_DECIDES);
	assert_false(finds(&run, "ABC"));
	p01(&run, SITE_DECIDES);
	assert_true(finds(&run, "BAC"));
}

static void test_regions_swap(void **state)
{
	(void)state;
	struct run run;
	p01(&run, SITE_FREE);
	assert_true(finds(&run, "ABC"));
	p01(&run, SITE_FREE);
	assert_false(finds(&run, "CB"));
	p01(&run, SITE_FREE);
	assert_false(finds(&run, "BACA"));
}

/* A lock's regions exclude each other. */
static void test_regions_exclude(void **state)
{
	(void)state;
	for (unsigned shared = 0; shared < 2; shared++) {
		struct run run;
		begin(&run);
		fork_all(&run, 2);
		for (uint32_t t = 1; t <= 2; t++) {
			uint8_t take = shared ? NORN_SYNC_ACQUIRE_SHARED : NORN_SYNC_ACQUIRE,
			        give = shared ? NORN_SYNC_RELEASE_SHARED : NORN_SYNC_RELEASE;
			add(&run, t, (struct norn_event){.kind = NORN_EVENT_SYNC, .op = take, .addr = LOCK});
			mark(&run, t, (char)('A' + 2 * (t - 1)));
			mark(&run, t, (char)('B' + 2 * (t - 1)));
			add(&run, t, (struct norn_event){.kind = NORN_EVENT_SYNC, .op = give, .addr = LOCK});
		}
		assert_int_equal(finds(&run, "ACBD"), shared);
	}
}

/* A kept read may see another write of the same value, if that is known. */
static void test_equal_values(void **state)
{
	(void)state;
	for (unsigned same = 0; same < 2; same++) {
		struct run run;
		begin(&run);
		fork_all(&run, 3);
		access(&run, 1, true, X, 5, SITE_CONSTANT);
		mark(&run, 1, 'A');
		mark(&run, 3, 'D');
		access(&run, 3, true, X, 5 + !same, SITE_CONSTANT);
		access(&run, 2, false, X, 5 + !same, SITE_DECIDES);
		mark(&run, 2, 'B');
		assert_int_equal(finds(&run, "ABD"), same);
	}
}

/* Who must see a value must see that it comes from the same values, too. */
static void test_values_of_values(void **state)
{
	(void)state;
	for (unsigned free = 0; free < 2; free++) {
		struct run run;
		begin(&run);
		fork_all(&run, 3);
		mark(&run, 3, 'D');
		access(&run, 3, true, X, 1, SITE_CONSTANT);
		access(&run, 1, false, X, 1, SITE_FREE);
		access(&run, 1, true, Z, 1, SITE_COPY);
		access(&run, 2, false, Z, 1, free ? SITE_FREE : SITE_DECIDES);
		mark(&run, 2, 'B');
		assert_int_equal(finds(&run, "BD"), free);
	}
}

/* A thread begins after its fork, and ends before it is joined. */
static void test_fork_and_join(void **state)
{
	(void)state;
	static const char *const words[] = {"BA", "CB", "ABC"};
	for (unsigned i = 0; i < 3; i++) {
		struct run run;
		begin(&run);
		mark(&run, 0, 'A');
		fork_all(&run, 1);
		mark(&run, 1, 'B');
		add(&run, 1, (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_END, .value = 1});
		add(&run, 0, (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_JOIN, .value = 1});
		mark(&run, 0, 'C');
		assert_int_equal(finds(&run, words[i]), i == 2);
	}
}

/* Nothing passes the end of the process. */
static void test_exit(void **state)
{
	(void)state;
	struct run run;
	begin(&run);
	fork_all(&run, 1);
	mark(&run, 1, 'B');
	add(&run, 0, (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_EXIT});
	mark(&run, 0, 'C');
	assert_false(finds(&run, "CB"));
}

/* ---- random runs against all orders ---- */

enum op { OP_READ, OP_WRITE, OP_ACQUIRE, OP_RELEASE, OP_MARK };

struct act {
	enum op op;
	uint32_t place; /* variable or lock */
	uint32_t value;
	bool decides;
	char letter;
	uint32_t seen; /* reads: what they saw */
};

#define THREADS 3u
#define ACTS 5u

struct script {
	struct act acts[THREADS][ACTS];
	uint32_t counts[THREADS];
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % below;
}

static void write_script(struct script *s, uint64_t *seed)
{
	memset(s, 0, sizeof *s);
	char letter = 'A';
	for (uint32_t t = 0; t < THREADS; t++) {
		bool holds = false;
		for (uint32_t i = 0; i < ACTS; i++) {
			struct act *a = &s->acts[t][i];
			uint32_t what = draw(seed, 5);
			if (holds && i == ACTS - 1)
				what = OP_RELEASE;
			else if ((what == OP_ACQUIRE && (holds || i + 1 == ACTS)) || (what == OP_RELEASE && !holds) ||
			         (what == OP_MARK && letter > 'E'))
				what = OP_WRITE;
			a->op = what;
			a->place = what == OP_READ || what == OP_WRITE ? draw(seed, 2) : 0;
			a->value = 1 + draw(seed, 2);
			a->decides = draw(seed, 3) != 0;
			a->letter = what == OP_MARK ? letter++ : 0;
			holds = what == OP_ACQUIRE || (holds && what != OP_RELEASE);
		}
		s->counts[t] = ACTS;
	}
}

/* What is true of a moment of some run. */
struct moment {
	uint32_t cursors[THREADS], memory[2], owner, matched;
};

static bool may_act(const struct script *s, const struct moment *m, uint32_t t, bool replay)
{
	if (m->cursors[t] == s->counts[t])
		return false;
	const struct act *a = &s->acts[t][m->cursors[t]];
	if (a->op == OP_ACQUIRE)
		return m->owner == 0;
	return !replay || a->op != OP_READ || !a->decides || m->memory[a->place] == a->seen;
}

static void do_act(const struct script *s, struct moment *m, uint32_t t, const char *word)
{
	const struct act *a = &s->acts[t][m->cursors[t]++];
	if (a->op == OP_WRITE)
		m->memory[a->place] = a->value;
	if (a->op == OP_ACQUIRE || a->op == OP_RELEASE)
		m->owner = a->op == OP_ACQUIRE ? t + 1 : 0;
	if (a->op == OP_MARK && word[m->matched])
		m->matched = step_pattern(word, m->matched, a->letter);
}

static bool some_order(const struct script *s, const struct moment *m, const char *word)
{
	if (!word[m->matched])
		return true;
	for (uint32_t t = 0; t < THREADS; t++)
		if (may_act(s, m, t, true)) {
			struct moment next = *m;
			do_act(s, &next, t, word);
			if (some_order(s, &next, word))
				return true;
		}
	return false;
}

/* One run of the script, by chance: reads note what they see. */
static void record(struct script *s, struct run *run, uint64_t *seed)
{
	struct moment m = {0};
	begin(run);
	fork_all(run, THREADS);
	for (uint32_t left = THREADS * ACTS; left;) {
		uint32_t t = draw(seed, THREADS);
		if (!may_act(s, &m, t, false))
			continue;
		struct act *a = &s->acts[t][m.cursors[t]];
		uint64_t addr = X + 8 * a->place;
		left--;
		switch (a->op) {
		case OP_READ:
			a->seen = m.memory[a->place];
			access(run, t + 1, false, addr, a->seen, a->decides ? SITE_DECIDES : SITE_FREE);
			break;
		case OP_WRITE:
			access(run, t + 1, true, addr, a->value, SITE_CONSTANT);
			break;
		case OP_ACQUIRE:
			acquire(run, t + 1, LOCK);
			break;
		case OP_RELEASE:
			release(run, t + 1, LOCK);
			break;
		case OP_MARK:
			mark(run, t + 1, a->letter);
			break;
		}
		do_act(s, &m, t, "");
	}
}

static void test_against_all_orders(void **state)
{
	(void)state;
	static const char *const words[] = {"AB", "BA", "AC", "CA", "CBA", "ACB", "BAC", "DA", "CB", "DBA"};
	uint64_t seed = 42;
	unsigned found = 0, runs = 2000;
	for (unsigned i = 0; i < runs; i++) {
		struct script script;
		struct run run;
		struct moment start = {0};
		const char *word = words[draw(&seed, sizeof words / sizeof *words)];
		write_script(&script, &seed);
		record(&script, &run, &seed);
		bool expected = some_order(&script, &start, word), got = finds(&run, word);
		if (expected != got)
			fail_msg("run %u, %s: %s", i, word, got ? "no order has it" : "it is not found");
		found += got;
	}
	assert_in_range(found, runs / 20, runs);
}

/* ---- limits ---- */

#define LONG 100u /* steps of each of two threads */
#define ALL_NODES (LONG + 1) * (LONG + 1)

static bool never(void *context, const uint32_t *node)
{
	(void)context;
	(void)node;
	return false;
}

/* Two threads that have nothing to do with each other: the level in the middle is the widest. */
static struct norn_step_lattice_result explore_two_threads(uint64_t max_nodes)
{
	static const struct norn_rule rule = {"access", "R6", 0, .exact = true};
	static struct norn_step_model_step steps[2 * LONG];
	static uint32_t order[2 * LONG];
	uint32_t numbers[] = {0, 1}, first[] = {0, LONG, 2 * LONG}, last_read[1] = {0};
	for (uint32_t i = 0; i < 2 * LONG; i++) {
		steps[i] = (struct norn_step_model_step){.event = i + 1,
		        .rule = &rule,
		        .relevant = NORN_STEP_MODEL_NONE,
		        .object = NORN_STEP_MODEL_NONE,
		        .condition = NORN_STEP_MODEL_NONE};
		order[i] = i / LONG;
	}
	const struct norn_step_model model = {
	        .threads = 2, .numbers = numbers, .first = first, .steps = steps, .order = order, .last_read = last_read};
	const struct norn_step_lattice_options options = {.max_nodes = max_nodes, .reached = never};
	return norn_step_lattice(&model, &options);
}

/* What narrow levels leave of the limit wide ones may have. */
static void test_wide_levels_have_what_others_leave(void **state)
{
	(void)state;
	struct norn_step_lattice_result all = explore_two_threads(ALL_NODES), few = explore_two_threads(ALL_NODES / 4);
	assert_true(all.complete && !all.found);
	assert_int_equal(all.nodes, ALL_NODES - 1); /* all but the first */
	assert_false(few.complete);
	assert_in_range(few.nodes, 1, ALL_NODES / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_regions_do_not_swap_falsely),
	        cmocka_unit_test(test_regions_swap),
	        cmocka_unit_test(test_regions_exclude),
	        cmocka_unit_test(test_equal_values),
	        cmocka_unit_test(test_values_of_values),
	        cmocka_unit_test(test_fork_and_join),
	        cmocka_unit_test(test_exit),
	        cmocka_unit_test(test_against_all_orders),
	        cmocka_unit_test(test_wide_levels_have_what_others_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
