/* Algorithm A on recorded runs: the worked clocks of the paper's examples, what each kind of event orders, and random runs against
 * the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "causality/mvc_events.h"
#include "trace/merge.h"
#include "trace_builder.h"
#include "mvc_message.h"

static char path[64];

static struct norn_writer *begin(void)
{
	struct norn_writer *w;
	struct norn_error err = {0};
	assert_int_equal(norn_writer_new(path, &w, &err), 0);
	put_sites(w, 1, "x", NORN_SITE_READ);
	return w;
}

/* ---- worked examples: threads 1 and 2, whose relevant events are all their writes of 4 bytes ---- */

/* The value written is the payload, so that the clock can be found whatever order the merge chose. */
static struct norn_computation *compute(void)
{
	struct norn_trace *trace;
	struct norn_merge *merge;
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder;
	struct norn_computation *c;
	struct norn_error err = {0};
	struct norn_event e;
	int r;
	assert_int_equal(norn_trace_open(path, false, &trace, &err), 0);
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	builder = norn_computation_builder_new();
	while ((r = norn_merge_next(merge, &e, &err)) == 1) {
		bool relevant = e.kind == NORN_EVENT_WRITE;
		assert_int_equal(norn_mvc_follow(mvc, &e, relevant), 0);
		if (relevant)
			assert_int_equal(mvc_message(mvc, e.thread, (uint32_t)e.value, builder), 0);
	}
	assert_int_equal(r, 0);
	assert_int_equal(norn_computation_finish(builder, &c, &err), 0);
	norn_computation_builder_free(builder);
	norn_mvc_free(mvc);
	norn_merge_free(merge);
	norn_trace_close(trace);
	return c;
}

static void assert_clock(
        const struct norn_computation *c, uint32_t i, uint32_t k, uint32_t payload, uint32_t first, uint32_t second)
{
	assert_int_equal(norn_computation_payload(c, i, k), payload);
	assert_int_equal(norn_computation_clock(c, i, k)[0], first);
	assert_int_equal(norn_computation_clock(c, i, k)[1], second);
}

static void begin_threads(struct norn_writer *w, uint64_t first_time, uint64_t second_time)
{
	put_child(w, 0, 1, 1);
	put_child(w, 0, 2, 2);
	put_time(w, 1, first_time);
	put_time(w, 2, second_time);
}

/* T1: r radio, w approved, r approved, w landing; T2: r radio, w radio. landing and approved share a word. */
static void landing_by_hand(void **state)
{
	(void)state;
	enum { LANDING = 0x4000, APPROVED = 0x4004, RADIO = 0x4008 };
	for (unsigned order = 0; order < 3; order++) {
		struct norn_writer *w = begin();
		begin_threads(w, 1000, order == 0 ? 1 : 5000);
		put_read(w, 1, RADIO, 4, 0);
		put_write(w, 1, APPROVED, 4, 1, 11);
		if (order == 2)
			put_time(w, 1, 100000);
		put_read(w, 1, APPROVED, 4, 1);
		put_write(w, 1, LANDING, 4, 2, 12);
		put_read(w, 2, RADIO, 4, 0);
		put_write(w, 2, RADIO, 4, 1, 21);
		assert_int_equal(finish_trace(w), 0);
		struct norn_computation *c = compute();
		assert_int_equal(c->threads, 2);
		assert_int_equal(c->total, 3);
		assert_clock(c, 0, 0, 11, 1, 0);
		assert_clock(c, 0, 1, 12, 2, 0);
		assert_clock(c, 1, 0, 21, 0, 1);
		norn_computation_free(c);
	}
}

/* T1: r x, w x=0, r x, w y=1; T2: r x, w z=1, r x, w x=1. T1's second read saw the first write (JMPaX, the example of section 3),
 * or the second. */
static void xyz_by_hand(void **state)
{
	(void)state;
	enum { X = 0x4000, Y = 0x4004, Z = 0x4008 };
	for (unsigned late = 0; late < 2; late++) {
		struct norn_writer *w = begin();
		begin_threads(w, 1000, 5000);
		put_read(w, 1, X, 4, 0);
		put_write(w, 1, X, 4, 1, 10);
		put_read(w, 1, X, 4, late ? 2 : 1);
		put_write(w, 1, Y, 4, late ? 3 : 2, 11);
		put_read(w, 2, X, 4, 1);
		put_write(w, 2, Z, 4, 1, 21);
		put_read(w, 2, X, 4, late ? 1 : 2);
		put_write(w, 2, X, 4, late ? 2 : 3, 22);
		assert_int_equal(finish_trace(w), 0);
		struct norn_computation *c = compute();
		assert_int_equal(c->total, 4);
		assert_clock(c, 0, 0, 10, 1, 0);
		assert_clock(c, 1, 0, 21, 1, 1);
		assert_clock(c, 1, 1, 22, 1, 2);
		assert_clock(c, 0, 1, 11, 2, late ? 2 : 0);
		norn_computation_free(c);
	}
}

/* ---- what each kind orders ---- */

static struct norn_event sync_event(enum norn_sync_op op, uint64_t argument)
{
	return (struct norn_event){.kind = NORN_EVENT_SYNC, .op = op, .addr = 0x4000, .argument = argument};
}

static struct norn_event access_event(enum norn_event_kind kind, uint64_t addr, uint64_t size)
{
	return (struct norn_event){.kind = kind, .addr = addr, .size = size};
}

/* Thread 1 emits a mark and does a, then thread 2 does b and emits a mark: are the marks ordered? */
static bool ordered(struct norn_event a, struct norn_event b)
{
	struct norn_mvc *mvc;
	struct norn_event first = {.kind = NORN_EVENT_MARK, .thread = 1}, second = {.kind = NORN_EVENT_MARK, .thread = 2};
	a.thread = 1;
	b.thread = 2;
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	assert_int_equal(norn_mvc_follow(mvc, &first, true), 0);
	assert_int_equal(norn_mvc_follow(mvc, &a, false), 0);
	assert_int_equal(norn_mvc_follow(mvc, &b, false), 0);
	assert_int_equal(norn_mvc_follow(mvc, &second, true), 0);
	uint32_t width;
	bool before = norn_mvc_clock(mvc, 2, &width)[0] == 1;
	assert_int_equal(norn_mvc_column_thread(mvc, 0), 1);
	norn_mvc_free(mvc);
	return before;
}

static void reads_and_writes(void **state)
{
	(void)state;
	struct norn_event read = access_event(NORN_EVENT_READ, 0x4000, 4), write = access_event(NORN_EVENT_WRITE, 0x4002, 1);
	struct norn_event rmw = access_event(NORN_EVENT_RMW, 0x4000, 16), beside = access_event(NORN_EVENT_WRITE, 0x4004, 4);
	struct norn_event external = access_event(NORN_EVENT_EXTERNAL, 0x4000, 8);
	struct norn_event alloc = access_event(NORN_EVENT_ALLOC, 0x3f00, 0x200),
	                  freed = access_event(NORN_EVENT_FREE, 0x3000, 0x8000);
	assert_false(ordered(read, read));
	assert_true(ordered(read, write));
	assert_true(ordered(write, read));
	assert_false(ordered(read, beside));
	assert_false(ordered(beside, write));
	assert_true(ordered(rmw, beside));
	assert_true(ordered(read, rmw));
	assert_true(ordered(external, beside));
	assert_true(ordered(read, external));
	assert_true(ordered(read, alloc));
	assert_true(ordered(alloc, read));
	assert_true(ordered(freed, read));
	assert_true(ordered(read, freed));
	assert_true(ordered(freed, alloc));
	assert_false(ordered(freed, access_event(NORN_EVENT_READ, 0xb000, 8)));
	assert_true(ordered(freed, access_event(NORN_EVENT_READ, 0xafff, 8)));
	assert_true(ordered(sync_event(NORN_SYNC_RELEASE, 0), freed));
}

/* Of 0x8000 bytes, two words are in the first piece; what has no versions goes with it. */
static void a_free_in_pieces(void **state)
{
	(void)state;
	struct norn_event first = access_event(NORN_EVENT_FREE, 0x3000, 0x8000),
	                  later = access_event(NORN_EVENT_FREE, 0x3010, 0xff0);
	first.pieces = 1;
	first.count = 2;
	later.pieces = 2;
	later.count = 0xff0 / 8;
	assert_true(ordered(first, access_event(NORN_EVENT_READ, 0x3008, 8)));
	assert_false(ordered(first, access_event(NORN_EVENT_READ, 0x3010, 8)));
	assert_true(ordered(later, access_event(NORN_EVENT_READ, 0x3010, 8)));
	assert_false(ordered(later, access_event(NORN_EVENT_READ, 0x3008, 8)));
	assert_true(ordered(first, access_event(NORN_EVENT_READ, 0x4000, 8)));
	assert_true(ordered(first, access_event(NORN_EVENT_READ, 0xaff8, 8)));
	assert_false(ordered(first, access_event(NORN_EVENT_READ, 0xb000, 8)));
}

static void locks(void **state)
{
	(void)state;
	struct norn_event acquire = sync_event(NORN_SYNC_ACQUIRE, NORN_LOCK_MUTEX),
	                  release = sync_event(NORN_SYNC_RELEASE, NORN_LOCK_MUTEX);
	struct norn_event shared = sync_event(NORN_SYNC_ACQUIRE_SHARED, NORN_LOCK_RWLOCK),
	                  unshared = sync_event(NORN_SYNC_RELEASE_SHARED, NORN_LOCK_RWLOCK);
	struct norn_event failed = sync_event(NORN_SYNC_TRY_FAILED, NORN_LOCK_MUTEX),
	                  failed_rw = sync_event(NORN_SYNC_TRY_FAILED, NORN_LOCK_RWLOCK), other = acquire;
	other.addr += 4; /* two spinlocks side by side */
	assert_true(ordered(release, acquire));
	assert_false(ordered(release, other));
	assert_false(ordered(unshared, shared));
	assert_true(ordered(unshared, acquire));
	assert_true(ordered(release, shared));
	assert_true(ordered(acquire, failed));
	assert_true(ordered(failed, release));
	assert_false(ordered(failed, failed));
	assert_true(ordered(shared, failed_rw));
	assert_true(ordered(failed_rw, unshared));
}

static void other_objects(void **state)
{
	(void)state;
	static const enum norn_sync_op writes[] = {NORN_SYNC_WAIT_BEGIN, NORN_SYNC_WAIT_END, NORN_SYNC_WAIT_TIMEOUT,
	        NORN_SYNC_SIGNAL, NORN_SYNC_BROADCAST, NORN_SYNC_SEM_INIT, NORN_SYNC_SEM_POST, NORN_SYNC_SEM_WAIT,
	        NORN_SYNC_ONCE_BEGIN, NORN_SYNC_ONCE_END, NORN_SYNC_CREATE, NORN_SYNC_DESTROY, NORN_SYNC_SEND, NORN_SYNC_RECEIVE};
	enum { COUNT = sizeof writes / sizeof *writes };
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned j = 0; j < COUNT; j++)
			assert_true(ordered(sync_event(writes[i], 0), sync_event(writes[j], 0)));
	struct norn_event pass = sync_event(NORN_SYNC_ONCE_PASS, 0), failed = sync_event(NORN_SYNC_SEM_TRY_FAILED, 0);
	assert_true(ordered(sync_event(NORN_SYNC_ONCE_END, 0), pass));
	assert_false(ordered(pass, pass));
	assert_true(ordered(failed, sync_event(NORN_SYNC_SEM_POST, 0)));
	assert_true(ordered(sync_event(NORN_SYNC_SEM_WAIT, 0), failed));
	assert_false(ordered(failed, failed));
}

static struct norn_event thread_event(enum norn_thread_op op, uint32_t which, uint64_t argument)
{
	return (struct norn_event){.kind = NORN_EVENT_THREAD, .op = op, .value = which, .argument = argument};
}

/* Threads, and what has an unknown order (C5). */
static void threads(void **state)
{
	(void)state;
	struct norn_event mark = {.kind = NORN_EVENT_MARK}, enter = {.kind = NORN_EVENT_ENTER}, lost = {.kind = NORN_EVENT_LOST};
	assert_true(ordered(thread_event(NORN_THREAD_FORK, 2, 0), thread_event(NORN_THREAD_BEGIN, 2, 1)));
	assert_false(ordered(thread_event(NORN_THREAD_FORK, 3, 0), thread_event(NORN_THREAD_BEGIN, 2, 0)));
	assert_true(ordered(mark, thread_event(NORN_THREAD_BEGIN, 2, NORN_NO_THREAD)));
	assert_true(ordered(thread_event(NORN_THREAD_END, 1, 0), thread_event(NORN_THREAD_JOIN, 1, 0)));
	assert_false(ordered(thread_event(NORN_THREAD_END, 1, 0), thread_event(NORN_THREAD_JOIN, 3, 0)));
	assert_false(ordered(mark, thread_event(NORN_THREAD_DETACH, 1, 0)));
	assert_true(ordered(mark, thread_event(NORN_THREAD_EXIT, 0, 0)));
	assert_false(ordered(thread_event(NORN_THREAD_EXIT, 0, 0), mark));
	assert_true(ordered(mark, thread_event(NORN_THREAD_SIGNAL, 0, 10)));
	assert_false(ordered(mark, thread_event(NORN_THREAD_SIGNAL_END, 0, 0)));
	assert_true(ordered(mark, thread_event(NORN_THREAD_BACK, 0, NORN_BACK_RETURNED)));
	assert_true(ordered(mark, thread_event(NORN_THREAD_BACK, 0, NORN_BACK_ENTERED)));
	assert_false(ordered(mark, thread_event(NORN_THREAD_BACK, 0, NORN_BACK_JOB)));
	assert_true(
	        ordered(thread_event(NORN_THREAD_CALL, 0, NORN_CALL_SUBMITS), thread_event(NORN_THREAD_BACK, 0, NORN_BACK_JOB)));
	assert_false(ordered(thread_event(NORN_THREAD_CALL, 0, NORN_CALL_ANY), thread_event(NORN_THREAD_BACK, 0, NORN_BACK_JOB)));
	assert_true(ordered(mark, lost));
	assert_true(ordered(lost, mark));
	assert_false(ordered(mark, enter));
}

/* Two rounds of two threads; thread 2 notes that it left the first one only after thread 1 arrived for the second. */
static void a_late_leave(void **state)
{
	(void)state;
	struct norn_mvc *mvc;
	struct norn_event init = sync_event(NORN_SYNC_BARRIER_INIT, 2), arrive = sync_event(NORN_SYNC_BARRIER_ARRIVE, 0),
	                  leave = sync_event(NORN_SYNC_BARRIER_LEAVE, 0), mark = {.kind = NORN_EVENT_MARK};
	const struct {
		uint32_t thread;
		struct norn_event *event;
		uint32_t clock[2]; /* after it */
	} steps[] = {{0, &init, {0, 0}}, {1, &mark, {1, 0}}, {1, &arrive, {1, 0}}, {2, &mark, {0, 1}}, {2, &arrive, {1, 1}},
	        {1, &leave, {1, 1}}, {1, &mark, {2, 1}}, {1, &arrive, {2, 1}}, {2, &leave, {1, 1}}, {2, &mark, {1, 2}},
	        {2, &arrive, {2, 2}}, {1, &leave, {2, 2}}, {2, &leave, {2, 2}}};
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct norn_event e = *steps[i].event;
		uint32_t width;
		e.thread = steps[i].thread;
		assert_int_equal(norn_mvc_follow(mvc, &e, e.kind == NORN_EVENT_MARK), 0);
		const uint32_t *clock = norn_mvc_clock(mvc, e.thread, &width);
		for (uint32_t j = 0; j < 2; j++)
			assert_int_equal(j < width ? clock[j] : 0, steps[i].clock[j]);
	}
	norn_mvc_free(mvc);
}

/* ---- random runs, recorded and merged, against the definition ---- */

enum { MERGED = 1024 };

struct merged {
	unsigned count;
	struct norn_event events[MERGED];
	bool relevant[MERGED];
	uint64_t before[MERGED][MERGED / 64];
};

/* 'r' or 'w' of [addr, addr + size), or 0. */
static char touches(const struct norn_event *e, uint64_t *ret_size)
{
	*ret_size = e->kind == NORN_EVENT_SYNC ? 4 : e->size;
	switch (e->kind) {
	case NORN_EVENT_READ:
		return 'r';
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
	case NORN_EVENT_SYNC: /* the machine has mutexes only */
		return 'w';
	}
	return 0;
}

static bool directly(const struct norn_event *a, const struct norn_event *b)
{
	uint64_t size_a, size_b;
	char how_a = touches(a, &size_a), how_b = touches(b, &size_b);
	if (how_a && how_b && (how_a == 'w' || how_b == 'w') && a->addr < b->addr + size_b && b->addr < a->addr + size_a)
		return true;
	if (a->kind == NORN_EVENT_THREAD && a->op == NORN_THREAD_FORK && a->value == b->thread)
		return true;
	if (b->kind == NORN_EVENT_THREAD && b->op == NORN_THREAD_JOIN && b->value == a->thread)
		return true;
	return a->thread == b->thread || (b->kind == NORN_EVENT_THREAD && b->op == NORN_THREAD_EXIT);
}

static void close_order(struct merged *m, unsigned e)
{
	memset(m->before[e], 0, sizeof m->before[e]);
	for (unsigned d = 0; d < e; d++) {
		if (!directly(&m->events[d], &m->events[e]))
			continue;
		for (unsigned i = 0; i <= d / 64; i++)
			m->before[e][i] |= m->before[d][i];
		m->before[e][d / 64] |= UINT64_C(1) << d % 64;
	}
}

static unsigned assert_order(const struct merged *m, const struct norn_computation *c)
{
	unsigned free_pairs = 0;
	for (uint32_t i = 0; i < c->threads; i++)
		for (uint32_t j = 0; j < c->threads; j++)
			for (uint32_t k = 0; k < c->events[i]; k++)
				for (uint32_t l = 0; l < c->events[j]; l++) {
					uint32_t d = norn_computation_payload(c, i, k), e = norn_computation_payload(c, j, l);
					bool before = m->before[e][d / 64] >> d % 64 & 1;
					assert_int_equal(norn_computation_precedes(c, i, k, j, l), before);
					free_pairs += d < e && !before;
				}
	return free_pairs;
}

static unsigned check_run(struct merged *m, uint64_t seed)
{
	struct norn_trace *trace;
	struct norn_merge *merge;
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder;
	struct norn_computation *c;
	struct norn_error err = {0};
	assert_int_equal(norn_trace_open(path, false, &trace, &err), 0);
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	builder = norn_computation_builder_new();
	for (m->count = 0; norn_merge_next(merge, &m->events[m->count], &err) == 1; m->count++) {
		assert_true(m->count + 1 < MERGED);
		bool relevant = (m->count * 2654435761u ^ seed) % 5 == 0;
		close_order(m, m->count);
		assert_int_equal(norn_mvc_follow(mvc, &m->events[m->count], relevant), 0);
		if (relevant)
			assert_int_equal(mvc_message(mvc, m->events[m->count].thread, m->count, builder), 0);
	}
	assert_string_equal(err.message, "");
	assert_int_equal(norn_computation_finish(builder, &c, &err), 0);
	unsigned free_pairs = assert_order(m, c);
	norn_computation_free(c);
	norn_computation_builder_free(builder);
	norn_mvc_free(mvc);
	norn_merge_free(merge);
	norn_trace_close(trace);
	return free_pairs;
}

static void random_runs(void **state)
{
	(void)state;
	static struct merged m;
	unsigned free_pairs = 0;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		const struct run_options options = {.seed = seed,
		        .threads = 1 + seed % 6,
		        .steps = 40 + seed % 100,
		        .words = 2 + seed % 40,
		        .stamps = seed % 2,
		        .simple = seed % 7 == 0};
		struct run run;
		run_simulate(&options, &run);
		assert_int_equal(run_write(&run, path, 0), 0);
		free_pairs += check_run(&m, seed);
		run_done(&run);
	}
	assert_true(free_pairs > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(landing_by_hand),
	        cmocka_unit_test(xyz_by_hand),
	        cmocka_unit_test(reads_and_writes),
	        cmocka_unit_test(a_free_in_pieces),
	        cmocka_unit_test(locks),
	        cmocka_unit_test(other_objects),
	        cmocka_unit_test(threads),
	        cmocka_unit_test(a_late_leave),
	        cmocka_unit_test(random_runs),
	};
	snprintf(path, sizeof path, "/tmp/norn-follow-%d.trace", (int)getpid());
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
