#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "trace/reader.h"
#include "records.h"
#include "sample.h"

/* A write of value by the thread in slot i: what the tests look for afterwards. */
static void add_write(struct sample *s, uint32_t i, uint64_t value)
{
	const uint64_t r[] = {UINT64_C(0x1000) << 16 | 3 << 4 | NORN_TAG_WRITE, (value + 1) << 32 | 1, value};
	sample_add(s, i, r, 3);
}

static void add_writes(struct sample *s, uint32_t i, uint64_t *next, unsigned n)
{
	while (n--)
		add_write(s, i, (*next)++);
}

/* Thread's records are writes of 0 … count - 1, in that order. */
static void expect_writes(struct norn_trace *trace, uint32_t thread, uint64_t count)
{
	struct norn_cursor *cursor;
	struct norn_error err;
	const uint64_t *record;
	unsigned units;
	assert_int_equal(norn_cursor_new(trace, thread, &cursor), 0);
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(norn_cursor_next(cursor, &record, &units, &err), 1);
		assert_int_equal(units, 3);
		assert_int_equal(record[2], i);
	}
	assert_int_equal(norn_cursor_next(cursor, &record, &units, &err), 0);
	norn_cursor_free(cursor);
}

/* Completes the sample and expects so many writes of threads 0, 1 and 2. */
static void expect_complete(struct sample *s, const uint64_t counts[3])
{
	struct norn_completion completion;
	struct norn_error err = {.message = ""};
	struct norn_trace *trace;
	int r = sample_complete(s, &completion, &err);
	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
	assert_int_equal(completion.state, NORN_STATE_COMPLETE);
	assert_int_equal(completion.events, counts[0] + counts[1] + counts[2]);
	assert_int_equal(completion.lost_events, 0);
	r = norn_trace_open(s->path, false, &trace, &err);
	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
	for (uint32_t i = 0; i < 3; i++)
		expect_writes(trace, i, counts[i]);
	norn_trace_close(trace);
	assert_int_not_equal(access(s->session->trace, F_OK), 0);
}

/* Three threads; the second dies at stop, in its n-th flush, while the third goes on; then all are killed. */
static void die_at(enum stop stop, size_t written, unsigned flushes, bool windows)
{
	struct sample s;
	uint64_t next[3] = {0};
	sample_begin(&s);
	s.written = written;
	s.windows = windows;
	sample_thread(&s, 0, 0, 0, 0);
	sample_thread(&s, 1, 1, 0, 1);
	sample_thread(&s, 2, 2, 0, 2);
	for (unsigned k = 0; k < flushes; k++) {
		for (uint32_t i = 0; i < 3; i++) {
			add_writes(&s, i, &next[i], 50 + 20 * i);
			sample_flush(&s, i, i == 1 && k + 1 == flushes ? stop : STOP_NEVER);
		}
	}
	add_writes(&s, 0, &next[0], 7);
	add_writes(&s, 2, &next[2], 3);
	expect_complete(&s, next);
	sample_end(&s);
}

static void nothing_is_lost_wherever_a_thread_dies(void **state)
{
	(void)state;
	for (enum stop stop = STOP_MARKED; stop <= STOP_NEVER; stop++) {
		if (stop == STOP_HALF_WRITTEN)
			continue;
		for (int windows = 0; windows < 2; windows++) {
			die_at(stop, 0, 1, windows);
			die_at(stop, 0, 3, windows);
		}
		die_at(stop, 0, 1500, true); /* more than two windows */
	}
}

static void nothing_is_lost_whatever_part_of_a_block_was_written(void **state)
{
	(void)state;
	for (size_t written = 0; written < 130; written++) {
		die_at(STOP_HALF_WRITTEN, written, 2, false);
		die_at(STOP_HALF_WRITTEN, written, 2, true);
	}
}

static void a_gap_at_the_end_is_closed(void **state)
{
	(void)state;
	struct sample s;
	uint64_t next[3] = {0};
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	sample_thread(&s, 1, 1, 0, 1);
	sample_thread(&s, 2, 2, 0, 2);
	add_writes(&s, 0, &next[0], 100);
	sample_flush(&s, 0, STOP_RESERVED);
	add_writes(&s, 1, &next[1], 100);
	sample_flush(&s, 1, STOP_RESERVED);
	expect_complete(&s, next);
	sample_end(&s);
}

/* A module that was not written to its end leaves a gap, and its sites unknown. */
static void a_torn_module_is_a_gap(void **state)
{
	(void)state;
	for (size_t torn = 0; torn < 300; torn += 7) {
		struct sample s;
		uint64_t next[3] = {0};
		char zeros[400] = {0};
		sample_begin(&s);
		sample_thread(&s, 0, 0, 0, 0);
		sample_thread(&s, 1, 1, 0, 1);
		sample_thread(&s, 2, 2, 0, 2);
		sample_module(&s, NORN_SITE_FIRST, &sample_sites, sizeof sample_sites);
		assert_int_equal(
		        pwrite(s.fd, zeros, s.session->file_end - NORN_HEADER_BYTES - torn % 100, NORN_HEADER_BYTES + torn % 100),
		        s.session->file_end - NORN_HEADER_BYTES - torn % 100);
		add_writes(&s, 0, &next[0], 10);
		sample_flush(&s, 0, STOP_NEVER);
		expect_complete(&s, next);
		sample_end(&s);
	}
}

static void completing_twice_is_completing_once(void **state)
{
	(void)state;
	struct sample s;
	uint64_t next[3] = {0};
	struct norn_completion completion;
	struct norn_error err;
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	sample_thread(&s, 1, 1, 0, 1);
	sample_thread(&s, 2, 2, 0, 2);
	add_writes(&s, 0, &next[0], 100);
	sample_flush(&s, 0, STOP_NEVER);
	add_writes(&s, 0, &next[0], 5);
	add_writes(&s, 1, &next[1], 5);
	sample_flush(&s, 1, STOP_RESERVED);
	assert_int_equal(sample_complete(&s, &completion, &err), 0);
	assert_int_equal(rename(s.path, s.session->trace), 0);
	expect_complete(&s, next);
	sample_end(&s);
}

static void lost_events_are_told(void **state)
{
	(void)state;
	struct sample s;
	uint64_t next = 0;
	struct norn_completion completion;
	struct norn_error err;
	struct norn_trace *trace;
	struct norn_cursor *cursor;
	const uint64_t *record;
	unsigned units;
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	add_writes(&s, 0, &next, 1);
	s.session->slot[0].lost = 9;
	s.session->lost_events = 3;
	s.session->lost_threads = 2;
	assert_int_equal(sample_complete(&s, &completion, &err), 0);
	assert_int_equal(completion.lost_events, 12);
	assert_int_equal(completion.lost_threads, 2);
	assert_int_equal(norn_trace_open(s.path, false, &trace, &err), 0);
	assert_int_equal(norn_cursor_new(trace, 0, &cursor), 0);
	assert_int_equal(norn_cursor_next(cursor, &record, &units, &err), 1);
	assert_int_equal(norn_cursor_next(cursor, &record, &units, &err), 1);
	assert_int_equal(record[0], 9 << 8 | NORN_TAG_LOST);
	norn_cursor_free(cursor);
	norn_trace_close(trace);
	sample_end(&s);
}

/* A write of the program failed: the trace is not passed off as whole, but what is there can be read. */
static void a_failed_write_makes_a_cut_trace(void **state)
{
	(void)state;
	struct sample s;
	uint64_t next[2] = {0};
	struct norn_completion completion;
	struct norn_error err;
	struct norn_trace *trace;
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	sample_thread(&s, 1, 1, 0, 1);
	add_writes(&s, 0, &next[0], 100);
	sample_flush(&s, 0, STOP_NEVER);
	s.session->failed = ENOSPC;
	s.session->lost_events = 77;
	add_writes(&s, 1, &next[1], 10);
	assert_int_equal(sample_complete(&s, &completion, &err), -ENOSPC);
	assert_non_null(strstr(err.message, "No space left"));
	assert_int_equal(completion.state, NORN_STATE_CUT);
	assert_int_equal(completion.lost_events, 77);
	assert_int_not_equal(access(s.path, F_OK), 0);
	assert_int_equal(norn_trace_open(s.session->trace, false, &trace, &err), -EBADMSG);
	assert_non_null(strstr(err.message, "77 events are lost"));
	assert_int_equal(norn_trace_open(s.session->trace, true, &trace, &err), 0);
	assert_int_equal(norn_trace_header(trace)->state, NORN_STATE_CUT);
	expect_writes(trace, 0, 100);
	expect_writes(trace, 1, 10);
	norn_trace_close(trace);
	sample_end(&s);
}

/* Neither the program nor the recorder could write it: there is room for a footer, but not for the block. */
static void what_is_in_a_window_that_cannot_be_written_is_lost(void **state)
{
	(void)state;
	struct sample s;
	uint64_t next = 0;
	struct norn_completion completion;
	struct norn_error err = {0};
	struct rlimit before, small = {NORN_HEADER_BYTES + 72, RLIM_INFINITY};
	const struct norn_completion_info info = {.exit_status = 0};
	sample_begin(&s);
	s.windows = true;
	sample_thread(&s, 0, 0, 0, 0);
	add_writes(&s, 0, &next, 100);
	sample_flush(&s, 0, STOP_NEVER);
	s.session->window[0].records = 100;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int r = norn_complete(s.session, s.bytes, &info, s.path, &completion, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(completion.lost_events, 100);
	assert_int_equal(completion.events, 0);
	assert_int_not_equal(access(s.path, F_OK), 0);
	sample_end(&s);
}

static void a_damaged_session_is_refused(void **state)
{
	(void)state;
	struct sample s;
	struct norn_completion completion;
	struct norn_error err;
	sample_begin(&s);
	s.session->magic++;
	assert_int_equal(sample_complete(&s, &completion, &err), -EBADMSG);
	s.session->magic--;
	s.session->slots = 1u << 19;
	assert_int_equal(sample_complete(&s, &completion, &err), -EBADMSG);
	sample_end(&s);
}

/* The program wrote over its slots: whatever they say, the completion ends and does not crash. */
static void any_slot_is_survived(void **state)
{
	(void)state;
	uint64_t seed = 11;
	for (unsigned k = 0; k < 300; k++) {
		struct sample s;
		struct norn_completion completion;
		struct norn_error err;
		uint64_t next[2] = {0};
		sample_begin(&s);
		sample_thread(&s, 0, 0, 0, 0);
		sample_thread(&s, 1, 1, 0, 1);
		for (uint32_t i = 0; i < 2; i++) {
			add_writes(&s, i, &next[i], 40);
			sample_flush(&s, i, random_below(&seed, STOP_NEVER + 1));
		}
		uint8_t *bytes = (uint8_t *)&s.session->slot[random_below(&seed, 2)];
		for (unsigned n = 1 + random_below(&seed, 20); n > 0; n--)
			bytes[random_below(&seed, sizeof(struct norn_slot))] = random_next(&seed);
		if (random_below(&seed, 4) == 0)
			s.session->file_end = random_value(&seed);
		sample_complete(&s, &completion, &err);
		sample_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nothing_is_lost_wherever_a_thread_dies),
	        cmocka_unit_test(nothing_is_lost_whatever_part_of_a_block_was_written),
	        cmocka_unit_test(a_gap_at_the_end_is_closed),
	        cmocka_unit_test(a_torn_module_is_a_gap),
	        cmocka_unit_test(completing_twice_is_completing_once),
	        cmocka_unit_test(lost_events_are_told),
	        cmocka_unit_test(a_failed_write_makes_a_cut_trace),
	        cmocka_unit_test(what_is_in_a_window_that_cannot_be_written_is_lost),
	        cmocka_unit_test(a_damaged_session_is_refused),
	        cmocka_unit_test(any_slot_is_survived),
	};
	return cmocka_run_group_tests_name("trace complete", tests, NULL, NULL);
}
