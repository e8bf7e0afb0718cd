/* The merge: on random runs of a simulated machine every access comes out with the value that it had there; broken histories are
 * refused with a sentence; lossy ones are merged as far as they go. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/merge.h"
#include "trace_builder.h"

static char path[64];

static struct norn_writer *begin(void)
{
	struct norn_writer *w;
	struct norn_error err = {0};
	assert_int_equal(norn_writer_new(path, &w, &err), 0);
	put_sites(w, 8, "x", NORN_SITE_READ);
	return w;
}

struct merging {
	struct norn_trace *trace;
	struct norn_merge *merge;
	struct norn_error err;
};

static void open_merge(struct merging *m)
{
	*m = (struct merging){0};
	if (norn_trace_open(path, false, &m->trace, &m->err) != 0)
		fail_msg("%s", m->err.message);
	m->merge = norn_merge_new(m->trace, NORN_MERGE_PATIENCE);
}

static void close_merge(struct merging *m)
{
	norn_merge_free(m->merge);
	norn_trace_close(m->trace);
}

static int next(struct merging *m, struct norn_event *e)
{
	return norn_merge_next(m->merge, e, &m->err);
}

/* The next event of one of the access kinds. */
static int next_access(struct merging *m, struct norn_event *e)
{
	int r;
	while ((r = next(m, e)) == 1 && e->kind > NORN_EVENT_EXTERNAL)
		continue;
	return r;
}

static int merge_all(struct merging *m)
{
	struct norn_event e;
	int r;
	while ((r = next(m, &e)) == 1)
		continue;
	return r;
}

/* ---- random runs ---- */

struct progress {
	unsigned at; /* accesses of this thread that came out */
	uint64_t bytes; /* of the present one */
	uint64_t early; /* of the range read that follows external writes */
	uint64_t index;
};

/* A part of a range read that had to come before the external writes which it met later and logged first. */
static bool check_early(const struct run *run, struct progress *p, const struct norn_event *e)
{
	const struct seen *s = &run->seen[e->thread][p->at];
	if (e->kind != NORN_EVENT_READ || p->at >= run->seen_count[e->thread] || s->kind != NORN_EVENT_EXTERNAL)
		return false;
	while (s->kind == NORN_EVENT_EXTERNAL)
		s++;
	assert_true(e->known);
	assert_int_equal(e->addr, s->addr + p->early);
	assert_int_equal(e->pieces, p->early ? 3 : 1);
	const void *data = e->data ? e->data : (const uint8_t *)&e->value;
	assert_memory_equal(data, s->data + p->early, e->size);
	p->early += e->size;
	assert_true(p->early < s->size);
	return true;
}

static void check_access(const struct run *run, struct progress *p, const struct norn_event *e)
{
	const struct seen *s = &run->seen[e->thread][p->at];
	assert_true(p->at < run->seen_count[e->thread]);
	assert_int_equal(e->kind, s->kind);
	assert_true(e->known);
	assert_int_equal(e->addr, s->addr + p->bytes);
	assert_true(p->bytes + e->size <= s->size);
	assert_int_equal(e->pieces, (p->bytes ? 2 : 0) | (p->bytes + e->size < s->size ? 1 : 0));
	const void *data = e->data ? e->data : (const uint8_t *)&e->value;
	assert_memory_equal(data, s->data + p->bytes, e->size);
	p->bytes += e->size;
	if (p->bytes == s->size) {
		p->at++;
		p->bytes = 0;
		if (p->at < run->seen_count[e->thread] && s[1].kind != NORN_EVENT_EXTERNAL) {
			p->bytes = p->early;
			p->early = 0;
		}
	}
}

static unsigned hoisted;

static unsigned check_run(const struct run_options *options, unsigned block_units)
{
	struct run run;
	struct merging m;
	unsigned pieces = 0;
	run_simulate(options, &run);
	assert_int_equal(run_write(&run, path, block_units), 0);
	open_merge(&m);
	struct progress *progress = calloc(run.threads, sizeof *progress);
	struct norn_event e;
	int r;
	uint64_t last = 0;
	while ((r = next(&m, &e)) == 1) {
		struct progress *p = &progress[e.thread];
		if (check_early(&run, p, &e)) {
			hoisted++;
			continue;
		}
		assert_true(e.index == p->index || (e.index + 1 == p->index && e.pieces & 2));
		p->index = e.index + 1;
		pieces += e.pieces != 0;
		if (e.kind <= NORN_EVENT_EXTERNAL)
			check_access(&run, p, &e);
		last++;
	}
	if (r != 0)
		fail_msg("seed %lu: %s", (unsigned long)options->seed, m.err.message);
	for (uint32_t t = 0; t < run.threads; t++)
		assert_int_equal(progress[t].at, run.seen_count[t]);
	struct norn_merge_losses losses;
	norn_merge_losses(m.merge, &losses);
	assert_int_equal(losses.lost + losses.skipped + losses.late + losses.cut_off, 0);
	assert_true(last >= options->steps / 4);
	free(progress);
	close_merge(&m);
	run_done(&run);
	return pieces;
}

static void test_random_runs(void **state)
{
	unsigned pieces = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct run_options o = {
		        .seed = seed, .threads = seed % 7, .steps = 2000, .words = 2 + seed % 9, .stamps = seed % 3};
		pieces += check_run(&o, seed % 2 ? 0 : 200);
	}
	assert_true(pieces > 100); /* or the test does not test what it should */
	assert_true(hoisted > 10);
}

static void test_many_threads(void **state)
{
	check_run(&(struct run_options){.seed = 5, .threads = 500, .steps = 40000, .words = 40, .stamps = true}, 0);
	check_run(&(struct run_options){.seed = 6, .threads = 500, .steps = 20000, .words = 40}, 50);
}

/* Thread by thread the same accesses come, whole, and without the values of reads. */
static void test_cursors_give_events_too(void **state)
{
	struct run run;
	struct merging m;
	run_simulate(&(struct run_options){.seed = 11, .threads = 3, .steps = 4000, .words = 5, .stamps = true}, &run);
	assert_int_equal(run_write(&run, path, 64), 0);
	open_merge(&m);
	for (uint32_t t = 0; t < run.threads; t++) {
		struct norn_cursor *cursor;
		struct norn_event e;
		unsigned at = 0, calls = 0;
		uint64_t index = 0;
		int r;
		assert_int_equal(norn_cursor_new(m.trace, t, &cursor), 0);
		while ((r = norn_cursor_event(cursor, &e, &m.err)) == 1) {
			assert_int_equal(e.index, index++);
			calls += e.kind == NORN_EVENT_ENTER && e.count == 1 && e.args[0] == t;
			if (e.kind > NORN_EVENT_EXTERNAL)
				continue;
			const struct seen *s = &run.seen[t][at++];
			assert_int_equal(e.kind, s->kind);
			assert_int_equal(e.addr, s->addr);
			assert_int_equal(e.size, s->size);
			if (e.known)
				assert_memory_equal(e.data ? e.data : (const uint8_t *)&e.value, s->data, e.size);
		}
		assert_int_equal(r, 0);
		assert_int_equal(at, run.seen_count[t]);
		assert_true(calls > 5);
		norn_cursor_free(cursor);
	}
	close_merge(&m);
	run_done(&run);
}

/* ---- order ---- */

static void test_read_comes_before_the_write_that_it_did_not_see(void **state)
{
	/* The reader is far behind: many events, then a read of the old version. */
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	put_write(w, 0, 0x1000, 8, 1, 11);
	put_write(w, 0, 0x1000, 8, 2, 22);
	for (unsigned i = 0; i < 1000; i++)
		put_write(w, 1, 0x2000, 8, i + 1, i);
	put_read(w, 1, 0x1000, 8, 1);
	put_read(w, 1, 0x1000, 4, 2);
	assert_int_equal(finish_trace(w), 0);
	struct merging m;
	open_merge(&m);
	struct norn_event e;
	uint64_t reads[2], n = 0;
	while (next_access(&m, &e) == 1)
		if (e.kind == NORN_EVENT_READ && n < 2) {
			assert_true(e.known);
			reads[n++] = e.value;
		}
	assert_int_equal(n, 2);
	assert_int_equal(reads[0], 11);
	assert_int_equal(reads[1], 22);
	close_merge(&m);
}

static void test_time_decides_where_nothing_else_does(void **state)
{
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	for (unsigned i = 0; i < 5; i++) {
		put_time(w, 0, 1000000 * (2 * i + 2));
		put_write(w, 0, 0x1000, 8, i + 1, 2 * i);
		put_time(w, 1, 1000000 * (2 * i + 3));
		put_write(w, 1, 0x2000, 8, i + 1, 2 * i + 1);
	}
	assert_int_equal(finish_trace(w), 0);
	struct merging m;
	struct norn_event e;
	open_merge(&m);
	for (uint64_t i = 0; i < 10; i++) {
		assert_int_equal(next_access(&m, &e), 1);
		assert_int_equal(e.value, i);
		assert_int_equal(e.time, 1000000 * (i + 2));
	}
	assert_int_equal(next_access(&m, &e), 0);
	close_merge(&m);
}

/* Thread 1 looked for a tick at 1 ms, made a few accesses, and then waited amid a hook until 50 ms; what this hook logged, last of
 * its segment, happened after what thread 2 read at 40 ms, although thread 2 saw ticks at 10, 11, 12 ms. */
static void check_slow_hook(void (*put_last)(struct norn_writer *))
{
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	put_child(w, 0, 2, 2);
	put_time(w, 1, 1000000);
	for (unsigned i = 0; i < 8; i++)
		put_write(w, 1, 0x1000, 8, i + 1, i);
	put_last(w);
	put_time(w, 1, 50000000);
	put_read(w, 1, 0x1000, 8, 8);
	for (unsigned ms = 10; ms <= 40; ms++) {
		put_time(w, 2, ms * 1000000);
		put_read(w, 2, 0x3000, 8, 0);
		put_read(w, 2, 0x3000, 8, 0);
	}
	put_read(w, 2, 0x2000, 8, 0);
	assert_int_equal(finish_trace(w), 0);
	struct merging m;
	open_merge(&m);
	if (merge_all(&m) != 0)
		fail_msg("%s", m.err.message);
	close_merge(&m);
}

static void put_slow_write(struct norn_writer *w)
{
	put_write(w, 1, 0x2000, 8, 1, 5);
}

static void put_slow_external(struct norn_writer *w)
{
	put_external(w, 1, 0x2000, 1, 5);
	put_external(w, 1, 0x2008, 1, 6);
	put_range(w, 1, NORN_RANGE_COPY_FROM, 0x2000, 16, (uint32_t[]){1, 1}, NULL, 0);
	put_range(w, 1, NORN_RANGE_COPY_TO, 0x4000, 16, (uint32_t[]){1, 1}, NULL, 0);
}

static void test_a_hook_may_log_long_after_it_looked_for_a_tick(void **state)
{
	check_slow_hook(put_slow_write);
	check_slow_hook(put_slow_external);
}

static void test_a_range_is_broken_where_another_thread_came_in(void **state)
{
	/* Thread 1 reads two words; between them main writes both: the first is old, the second new. */
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	put_range(w, 1, NORN_RANGE_READ, 0x1004, 8, (uint32_t[]){1, 2}, NULL, 0);
	put_write(w, 0, 0x1000, 8, 1, 0x1111111122222222);
	put_write(w, 0, 0x1008, 8, 1, 0x3333333344444444);
	put_write(w, 0, 0x1000, 8, 2, 0x5555555566666666);
	put_write(w, 0, 0x1008, 8, 2, 0x7777777788888888);
	assert_int_equal(finish_trace(w), 0);
	struct merging m;
	struct norn_event e;
	open_merge(&m);
	unsigned n = 0;
	while (next_access(&m, &e) == 1) {
		if (e.kind != NORN_EVENT_READ)
			continue;
		assert_int_equal(e.pieces, n == 0 ? 1 : 2);
		assert_int_equal(e.size, 4);
		assert_int_equal(e.value, n == 0 ? 0x11111111 : 0x88888888);
		assert_int_equal(e.version, n + 1);
		n++;
	}
	assert_int_equal(n, 2);
	close_merge(&m);
}

static void test_calls_have_their_arguments_and_results(void **state)
{
	struct norn_writer *w = begin();
	put_time(w, 0, 1000);
	put_enter(w, 0, NORN_SITE_FIRST + 3);
	put_value(w, 0, 0, 10);
	put_time(w, 0, 2000); /* a tick in between does not part them */
	put_value(w, 0, 1, 20);
	put_value(w, 0, NORN_VALUE_RESULT, 30);
	put_leave(w, 0, NORN_SITE_FIRST + 3);
	assert_int_equal(finish_trace(w), 0);
	struct merging m;
	struct norn_event e;
	open_merge(&m);
	assert_int_equal(next(&m, &e), 1);
	assert_int_equal(e.kind, NORN_EVENT_ENTER);
	assert_int_equal(e.count, 2);
	assert_int_equal(e.args[0], 10);
	assert_int_equal(e.args[1], 20);
	assert_int_equal(next(&m, &e), 1);
	assert_int_equal(e.kind, NORN_EVENT_LEAVE);
	assert_int_equal(e.count, 1);
	assert_int_equal(e.args[0], 30);
	assert_int_equal(next(&m, &e), 0);
	close_merge(&m);
}

static void test_versions_wrap_around(void **state)
{
	/* 2^32 writes cannot be recorded here, so begin near the end, in a trace that admits to losses. */
	struct norn_writer *w = begin();
	put_write(w, 0, 0x1000, 8, UINT32_MAX, 1);
	put_write(w, 0, 0x1000, 8, 0, 2);
	put_read(w, 0, 0x1000, 8, 0);
	put_write(w, 0, 0x1000, 8, 1, 3);
	assert_int_equal(finish_trace_as(w, 0, 1), 0);
	struct merging m;
	struct norn_event e;
	open_merge(&m);
	unsigned n = 0;
	while (next_access(&m, &e) == 1)
		n++;
	assert_int_equal(n, 4);
	close_merge(&m);
}

/* ---- what does not fit ---- */

static void refuses(const char *part)
{
	struct merging m;
	open_merge(&m);
	assert_true(merge_all(&m) < 0);
	if (!strstr(m.err.message, part))
		fail_msg("\"%s\" does not say \"%s\"", m.err.message, part);
	close_merge(&m);
}

static void test_refuses_what_cannot_have_happened(void **state)
{
	struct norn_writer *w = begin();
	put_write(w, 0, 0x1000, 8, 2, 1); /* nothing made version 1 */
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	finish_trace(w);
	refuses("event 0: waits for version 1 of the word at 0x1000");

	w = begin();
	put_write(w, 0, 0x1000, 8, 1, 1);
	put_write(w, 0, 0x1000, 8, 1, 1); /* twice */
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	finish_trace(w);
	refuses("event 1: makes version 1 of the word at 0x1000 when that is already at version 1");

	w = begin();
	put_write(w, 0, 0x1000, 8, 1, 1);
	put_read(w, 0, 0x1000, 8, 0); /* a thread sees its own write */
	finish_trace(w);
	refuses("version");

	w = begin(); /* store buffering: not sequentially consistent */
	put_child(w, 0, 1, 1);
	put_write(w, 0, 0x1000, 8, 1, 1);
	put_read(w, 0, 0x2000, 8, 0);
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	put_write(w, 1, 0x2000, 8, 1, 1);
	put_read(w, 1, 0x1000, 8, 0);
	put_thread(w, 1, NORN_THREAD_END, 1, 0);
	finish_trace(w);
	refuses("the reads of version 0 cannot come before it");

	w = begin(); /* a thread without a creator */
	norn_writer_thread(w, 1, 0, 1);
	put_thread(w, 1, NORN_THREAD_BEGIN, 1, 0);
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	finish_trace(w);
	refuses("thread main/1 has records, but no thread created it");

	w = begin(); /* each waits for the other */
	put_child(w, 0, 1, 1);
	put_thread(w, 0, NORN_THREAD_JOIN, 1, 0);
	put_write(w, 0, 0x1000, 8, 1, 1);
	put_read(w, 1, 0x1000, 8, 1);
	put_thread(w, 1, NORN_THREAD_END, 1, 0);
	finish_trace(w);
	refuses("joins thread main/1, which cannot end");
}

static void test_merges_a_lossy_trace_as_far_as_it_goes(void **state)
{
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	put_write(w, 0, 0x1000, 8, 1, 5);
	put_lost(w, 0, 3); /* the writes of versions 2 and 3, among others */
	put_read(w, 1, 0x1000, 8, 1);
	put_read(w, 1, 0x1000, 8, 3);
	put_write(w, 1, 0x1000, 8, 4, 7);
	put_read(w, 1, 0x1000, 8, 4);
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	put_thread(w, 1, NORN_THREAD_END, 1, 0);
	finish_trace_as(w, 0, 3);
	struct merging m;
	struct norn_event e;
	open_merge(&m);
	unsigned reads = 0;
	int r;
	while ((r = next_access(&m, &e)) == 1) {
		if (e.kind != NORN_EVENT_READ)
			continue;
		assert_int_equal(e.known, reads != 1);
		if (reads != 1)
			assert_int_equal(e.value, reads == 0 ? 5 : 7);
		reads++;
	}
	assert_int_equal(r, 0);
	assert_int_equal(reads, 3);
	struct norn_merge_losses losses;
	norn_merge_losses(m.merge, &losses);
	assert_int_equal(losses.lost, 3);
	assert_int_equal(losses.skipped, 2);
	close_merge(&m);
}

/* Thread 1 was killed after it made version 2 of a word and before it wrote that down; missing: how many versions are. */
static int killed(int status, unsigned missing, bool end)
{
	struct norn_writer *w = begin();
	put_child(w, 0, 1, 1);
	put_write(w, 1, 0x1000, 8, 1, 5);
	if (end)
		put_thread(w, 1, NORN_THREAD_END, 1, 0);
	put_read(w, 0, 0x1000, 8, 1 + missing);
	put_thread(w, 0, NORN_THREAD_EXIT, 0, 0);
	finish_trace_as(w, status, 0);
	struct merging m;
	open_merge(&m);
	int r = merge_all(&m);
	struct norn_merge_losses losses;
	norn_merge_losses(m.merge, &losses);
	assert_int_equal(losses.cut_off, r == 0 ? missing : losses.cut_off);
	close_merge(&m);
	return r;
}

static void test_the_end_of_the_process_may_swallow_one_record_a_thread(void **state)
{
	assert_int_equal(killed(9, 0, false), 0);
	assert_int_equal(killed(9, 1, false), 0);
	assert_true(killed(9, 2, false) < 0);
	assert_true(killed(9, 1, true) < 0);
	assert_int_equal(killed(0, 1, false), 0); /* main called exit */
	assert_true(killed(0, 1, true) < 0);
}

static int make_path(void **state)
{
	snprintf(path, sizeof path, "%s/norn-merge-%d.trace", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	return 0;
}

static int remove_path(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_random_runs),
	        cmocka_unit_test(test_many_threads),
	        cmocka_unit_test(test_cursors_give_events_too),
	        cmocka_unit_test(test_read_comes_before_the_write_that_it_did_not_see),
	        cmocka_unit_test(test_time_decides_where_nothing_else_does),
	        cmocka_unit_test(test_a_hook_may_log_long_after_it_looked_for_a_tick),
	        cmocka_unit_test(test_a_range_is_broken_where_another_thread_came_in),
	        cmocka_unit_test(test_calls_have_their_arguments_and_results),
	        cmocka_unit_test(test_versions_wrap_around),
	        cmocka_unit_test(test_refuses_what_cannot_have_happened),
	        cmocka_unit_test(test_merges_a_lossy_trace_as_far_as_it_goes),
	        cmocka_unit_test(test_the_end_of_the_process_may_swallow_one_record_a_thread),
	};
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
