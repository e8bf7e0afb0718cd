/* The verifier: it agrees to every random run, and to none of its mutants that anything could notice. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/codec/block.h"
#include "trace/verify.h"
#include "trace_builder.h"

static char path[64];
static char said[1024]; /* the first sentence of the last verification */

static void note(void *arg, const char *sentence)
{
	if (!said[0])
		snprintf(said, sizeof said, "%s", sentence);
}

/* Problems of the trace at path; that it cannot be opened is one. Whatever is wrong, there is a sentence. */
static uint64_t problems(void)
{
	struct norn_trace *trace;
	struct norn_error err = {0};
	struct norn_verify_result verdict = {0};
	said[0] = 0;
	int r = norn_trace_open(path, false, &trace, &err);
	if (r == 0) {
		r = norn_verify(trace, 10, note, NULL, &verdict, &err);
		norn_trace_close(trace);
	}
	if (r != 0) {
		assert_true(err.message[0]);
		snprintf(said, sizeof said, "%s", err.message);
		return 1;
	}
	assert_int_equal(verdict.problems != 0, said[0] != 0);
	return verdict.problems;
}

static void agrees(void)
{
	if (problems())
		fail_msg("%s", said);
}

static void objects_to(const char *part)
{
	assert_true(problems() > 0);
	if (!strstr(said, part))
		fail_msg("\"%s\" does not say \"%s\"", said, part);
}

static struct norn_writer *begin(void)
{
	struct norn_writer *w;
	struct norn_error err = {0};
	assert_int_equal(norn_writer_new(path, &w, &err), 0);
	put_sites(w, 8, "f", NORN_SITE_ENTER);
	put_thread(w, 0, NORN_THREAD_BEGIN, 0, NORN_NO_THREAD);
	return w;
}

static void end(struct norn_writer *w)
{
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	assert_int_equal(finish_trace(w), 0);
}

static void test_agrees_to_random_runs(void **state)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct run run;
		run_simulate(
		        &(struct run_options){.seed = seed, .threads = seed % 5, .steps = 1500, .words = 3, .stamps = seed % 2},
		        &run);
		assert_int_equal(run_write(&run, path, 300), 0);
		run_done(&run);
		agrees();
	}
}

/* ---- objects ---- */

enum { L = 0x5000, C = 0x6000, S = 0x7000, B = 0x8000, O = 0x9000 };

static void test_locks_exclude(void **state)
{
	struct norn_writer *w = begin();
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 2, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_ACQUIRE_SHARED, L + 64, 1, NORN_LOCK_RWLOCK);
	put_sync(w, 0, NORN_SYNC_RELEASE_SHARED, L + 64, 2, NORN_LOCK_RWLOCK);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L + 64, 3, NORN_LOCK_RWLOCK);
	put_sync(w, 0, NORN_SYNC_RELEASE, L + 64, 4, NORN_LOCK_RWLOCK);
	end(w);
	agrees();

	w = begin();
	put_child(w, 0, 1, 1);
	put_sync(w, 1, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 2, NORN_LOCK_MUTEX);
	end(w);
	objects_to("acquires lock 0x5000, which thread main/1 holds");

	w = begin();
	put_child(w, 0, 1, 1);
	put_sync(w, 1, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_thread(w, 1, NORN_THREAD_END, 1, 0);
	put_thread(w, 0, NORN_THREAD_JOIN, 1, 0);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 2, NORN_LOCK_MUTEX); /* a robust mutex whose owner died */
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 3, NORN_LOCK_MUTEX);
	end(w);
	agrees();

	w = begin();
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 1, NORN_LOCK_MUTEX); /* held since before the fork */
	end(w);
	agrees();

	w = begin();
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 1, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 2, NORN_LOCK_MUTEX);
	end(w);
	objects_to("releases lock 0x5000, which is free");

	w = begin();
	put_child(w, 0, 1, 1);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_sync(w, 1, NORN_SYNC_RELEASE, L, 2, NORN_LOCK_MUTEX);
	end(w);
	objects_to("releases lock 0x5000, which thread main holds");

	w = begin();
	put_child(w, 0, 1, 1);
	put_sync(w, 0, NORN_SYNC_ACQUIRE_SHARED, L, 1, NORN_LOCK_RWLOCK);
	put_sync(w, 1, NORN_SYNC_ACQUIRE_SHARED, L, 2, NORN_LOCK_RWLOCK);
	put_sync(w, 1, NORN_SYNC_RELEASE_SHARED, L, 3, NORN_LOCK_RWLOCK);
	put_sync(w, 1, NORN_SYNC_ACQUIRE, L, 4, NORN_LOCK_RWLOCK);
	end(w);
	objects_to("which is held in shared mode");

	w = begin();
	put_child(w, 0, 1, 1);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_RWLOCK);
	put_sync(w, 1, NORN_SYNC_ACQUIRE_SHARED, L, 2, NORN_LOCK_RWLOCK);
	end(w);
	objects_to("in shared mode, but thread main holds it");

	w = begin();
	put_sync(w, 0, NORN_SYNC_CREATE, L, 1, NORN_LOCK_RWLOCK);
	put_sync(w, 0, NORN_SYNC_RELEASE_SHARED, L, 2, NORN_LOCK_RWLOCK);
	end(w);
	objects_to("does not hold in shared mode");
}

static void test_conditions_semaphores_barriers_once(void **state)
{
	struct norn_writer *w = begin();
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_WAIT_BEGIN, C, 1, L);
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 2, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 3, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_WAIT_END, C, 2, L);
	put_sync(w, 0, NORN_SYNC_RELEASE, L, 4, NORN_LOCK_MUTEX);
	put_sync(w, 0, NORN_SYNC_SEM_INIT, S, 1, 1);
	put_sync(w, 0, NORN_SYNC_SEM_WAIT, S, 2, 0);
	put_sync(w, 0, NORN_SYNC_SEM_POST, S, 3, 0);
	put_sync(w, 0, NORN_SYNC_SEM_WAIT, S, 4, 0);
	put_sync(w, 0, NORN_SYNC_ONCE_BEGIN, O, 1, 0);
	put_sync(w, 0, NORN_SYNC_ONCE_END, O, 2, 0);
	put_sync(w, 0, NORN_SYNC_ONCE_PASS, O, 3, 0);
	put_child(w, 0, 1, 1);
	put_sync(w, 0, NORN_SYNC_BARRIER_INIT, B, 1, 2);
	for (unsigned round = 0; round < 2; round++) {
		put_sync(w, 0, NORN_SYNC_BARRIER_ARRIVE, B, 2 + 4 * round, 0);
		put_sync(w, 1, NORN_SYNC_BARRIER_ARRIVE, B, 3 + 4 * round, 0);
		put_sync(w, 1, NORN_SYNC_BARRIER_LEAVE, B, 4 + 4 * round, 0);
		put_sync(w, 0, NORN_SYNC_BARRIER_LEAVE, B, 5 + 4 * round, 0);
	}
	end(w);
	agrees();

	w = begin();
	put_sync(w, 0, NORN_SYNC_WAIT_BEGIN, C, 1, L);
	end(w);
	objects_to("without holding mutex 0x5000");

	w = begin();
	put_sync(w, 0, NORN_SYNC_SEM_INIT, S, 1, 1);
	put_sync(w, 0, NORN_SYNC_SEM_WAIT, S, 2, 0);
	put_sync(w, 0, NORN_SYNC_SEM_WAIT, S, 3, 0);
	end(w);
	objects_to("passes semaphore 0x7000, which is at zero");

	w = begin();
	put_sync(w, 0, NORN_SYNC_BARRIER_INIT, B, 1, 2);
	put_sync(w, 0, NORN_SYNC_BARRIER_ARRIVE, B, 2, 0);
	put_sync(w, 0, NORN_SYNC_BARRIER_LEAVE, B, 3, 0);
	end(w);
	objects_to("leaves barrier 0x8000 before 2 threads have arrived");

	w = begin();
	put_sync(w, 0, NORN_SYNC_ONCE_BEGIN, O, 1, 0);
	put_sync(w, 0, NORN_SYNC_ONCE_PASS, O, 2, 0);
	end(w);
	objects_to("passes once 0x9000, whose routine is still running");
}

static void test_threads_calls_and_memory(void **state)
{
	uint32_t f = NORN_SITE_FIRST;
	struct norn_writer *w = begin();
	put_enter(w, 0, f);
	put_enter(w, 0, f + 1);
	put_leave(w, 0, f);
	put_leave(w, 0, f + 1);
	end(w);
	objects_to("leaves function f0, which is not the one that it entered last");

	w = begin();
	put_enter(w, 0, f);
	end(w);
	objects_to("thread main ended within 1 function that it never left");

	w = begin();
	put_leave(w, 0, f);
	end(w);
	objects_to("leaves function f0");

	w = begin();
	put_enter(w, 0, f + 100);
	put_leave(w, 0, f + 100);
	end(w);
	objects_to("belongs to no module");

	w = begin();
	put_alloc(w, 0, 0x1000, 1, 16);
	put_alloc(w, 0, 0x1000, 2, 16);
	end(w);
	agrees(); /* resized in place, or freed by code that is not recorded */

	w = begin();
	put_alloc(w, 0, 0x1000, 1, 16);
	put_range(w, 0, NORN_RANGE_FREE, 0x1000, 16, (uint32_t[]){2, 1}, &(uint64_t){16}, 1);
	put_range(w, 0, NORN_RANGE_FREE, 0x1000, 16, (uint32_t[]){3, 2}, &(uint64_t){16}, 1);
	end(w);
	objects_to("frees the block at 0x1000, which was freed before");

	w = begin();
	put_range(w, 0, NORN_RANGE_COPY_TO, 0x1000, 16, (uint32_t[]){1, 1}, NULL, 0);
	end(w);
	objects_to("writes a copy of what it did not read");

	w = begin();
	put_child(w, 0, 1, 1);
	put_thread(w, 0, NORN_THREAD_JOIN, 1, 0);
	end(w);
	objects_to("joins thread main/1, which has not ended");

	w = begin();
	put_child(w, 0, 1, 1);
	put_thread(w, 1, NORN_THREAD_END, 1, 0);
	put_read(w, 1, 0x1000, 8, 0);
	put_thread(w, 0, NORN_THREAD_JOIN, 1, 0);
	end(w);
	objects_to("acts after its end");

	w = begin();
	norn_writer_thread(w, 1, 0, 1);
	put_thread(w, 0, NORN_THREAD_FORK, 1, 0);
	put_thread(w, 1, NORN_THREAD_BEGIN, 0, 0);
	end(w);
	objects_to("begins as thread main");

	w = begin();
	norn_writer_thread(w, 1, 0, 1);
	put_thread(w, 0, NORN_THREAD_FORK, 1, 0);
	put_read(w, 1, 0x1000, 8, 0);
	end(w);
	objects_to("acts before it begins");
}

/* ---- mutants ---- */

static const struct run_options small = {.seed = 3, .threads = 3, .steps = 400, .words = 3, .simple = true};

static unsigned record_units(const struct run *run, uint32_t t, unsigned i)
{
	return (i + 1 < run->records[t] ? run->starts[t][i + 1] : run->used[t]) - run->starts[t][i];
}

static void drop(struct run *run, uint32_t t, unsigned i)
{
	unsigned at = run->starts[t][i], units = record_units(run, t, i);
	memmove(&run->units[t][at], &run->units[t][at + units], (run->used[t] - at - units) * 8);
	run->used[t] -= units;
	for (unsigned k = i + 1; k < run->records[t]; k++)
		run->starts[t][k - 1] = run->starts[t][k] - units;
	run->records[t]--;
}

static bool makes_version(const uint64_t *r)
{
	unsigned tag = norn_record_tag(r[0]);
	return tag == NORN_TAG_WRITE || tag == NORN_TAG_SYNC;
}

/* Whether anybody touches this version of the word, or a later one, after record i of thread t: else it is the last of its word,
 * and nothing tells that it ever was. */
static bool missed(const struct run *run, uint32_t t, unsigned i)
{
	const uint64_t *r = &run->units[t][run->starts[t][i]];
	for (uint32_t u = 0; u < run->threads; u++)
		for (unsigned k = 0; k < run->records[u]; k++) {
			const uint64_t *s = &run->units[u][run->starts[u][k]];
			unsigned tag = norn_record_tag(s[0]);
			bool access = tag == NORN_TAG_READ || makes_version(s);
			if (s != r && access && norn_record_addr(s[0]) / 8 == norn_record_addr(r[0]) / 8 &&
			        s[1] >> 32 >= r[1] >> 32)
				return true;
		}
	return false;
}

static void test_notices_every_dropped_record(void **state)
{
	unsigned noticed = 0, unnoticeable = 0;
	struct run run;
	run_simulate(&small, &run);
	unsigned records[4];
	memcpy(records, run.records, sizeof records);
	run_done(&run);
	for (uint32_t t = 0; t < 4; t++)
		for (unsigned i = 0; i < records[t]; i++) {
			run_simulate(&small, &run);
			const uint64_t *r = &run.units[t][run.starts[t][i]];
			unsigned tag = norn_record_tag(r[0]), op = norn_record_sub(r[0]);
			/* A read leaves no trace elsewhere; nor does a JOIN or EXIT. */
			bool thread = tag == NORN_TAG_THREAD &&
			              (op == NORN_THREAD_FORK || op == NORN_THREAD_BEGIN || op == NORN_THREAD_END);
			bool matters = (makes_version(r) && missed(&run, t, i)) || thread;
			drop(&run, t, i);
			assert_int_equal(run_write(&run, path, 0), 0);
			bool found = problems() > 0;
			if (matters && !found)
				fail_msg("record %u of thread %u was dropped and that was not noticed", i, t);
			noticed += found;
			unnoticeable += !matters;
			run_done(&run);
		}
	assert_true(noticed > 150);
	assert_true(unnoticeable > 50);
}

static void test_notices_every_duplicate(void **state)
{
	struct run run;
	run_simulate(&small, &run);
	for (uint32_t t = 0; t < 4; t++)
		for (unsigned i = 0; i < run.records[t]; i++) {
			const uint64_t *r = &run.units[t][run.starts[t][i]];
			if (!makes_version(r))
				continue;
			struct norn_writer *w;
			struct norn_error err = {0};
			assert_int_equal(norn_writer_new(path, &w, &err), 0);
			put_sites(w, 16, "site", NORN_SITE_CALL);
			for (uint32_t u = 0; u < 4; u++) {
				norn_writer_thread(w, u, 0, u);
				for (unsigned k = 0; k < run.records[u]; k++)
					for (unsigned n = 0; n < (u == t && k == i ? 2u : 1u); n++)
						norn_writer_record(w, u, &run.units[u][run.starts[u][k]], record_units(&run, u, k));
			}
			assert_int_equal(finish_trace(w), 0);
			assert_true(problems() > 0);
		}
	run_done(&run);
}

static void test_notices_swapped_versions(void **state)
{
	struct run run;
	run_simulate(&small, &run);
	unsigned swaps = 0;
	/* Two records of one thread that make versions of the same word: in the other order they cannot be. */
	for (uint32_t t = 0; t < 4; t++)
		for (unsigned i = 0; i < run.records[t]; i++)
			for (unsigned k = i + 1; k < run.records[t] && k < i + 8; k++) {
				uint64_t *a = &run.units[t][run.starts[t][i]], *b = &run.units[t][run.starts[t][k]];
				if (!makes_version(a) || !makes_version(b) ||
				        norn_record_addr(a[0]) / 8 != norn_record_addr(b[0]) / 8)
					continue;
				uint64_t first = a[1], second = b[1];
				a[1] = second;
				b[1] = first;
				assert_int_equal(run_write(&run, path, 0), 0);
				assert_true(problems() > 0);
				a[1] = first;
				b[1] = second;
				swaps++;
			}
	assert_true(swaps > 20);
	assert_int_equal(run_write(&run, path, 0), 0);
	agrees();
	run_done(&run);
}

static void test_notices_swapped_threads(void **state)
{
	struct run run;
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t b = a + 1; b < 4; b++) {
			run_simulate(&small, &run);
#define SWAP(field)                                                                                                                \
	do {                                                                                                                       \
		typeof(*run.field) kept = run.field[a];                                                                            \
		run.field[a] = run.field[b];                                                                                       \
		run.field[b] = kept;                                                                                               \
	} while (0)
			SWAP(units);
			SWAP(used);
			SWAP(starts);
			SWAP(records);
			assert_int_equal(run_write(&run, path, 0), 0);
			assert_true(problems() > 0);
			run_done(&run);
		}
}

/* ---- damaged files ---- */

static uint8_t *read_file(size_t *ret_bytes)
{
	FILE *file = fopen(path, "rb");
	fseek(file, 0, SEEK_END);
	*ret_bytes = (size_t)ftell(file);
	rewind(file);
	uint8_t *bytes = malloc(*ret_bytes);
	assert_int_equal(fread(bytes, 1, *ret_bytes, file), *ret_bytes);
	fclose(file);
	return bytes;
}

static void write_file(const uint8_t *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	fclose(file);
}

static uint8_t *small_file(size_t *ret_bytes)
{
	struct run run;
	run_simulate(&(struct run_options){.seed = 9, .threads = 2, .steps = 60, .words = 3}, &run);
	assert_int_equal(run_write(&run, path, 100), 0);
	run_done(&run);
	agrees();
	return read_file(ret_bytes);
}

static void test_refuses_a_file_cut_at_any_byte(void **state)
{
	size_t bytes;
	uint8_t *whole = small_file(&bytes);
	for (size_t n = 0; n < bytes; n++) {
		write_file(whole, n);
		assert_true(problems() > 0);
	}
	free(whole);
}

/* Bytes that mean nothing: the rest of the header page, and what pads blocks to 8 bytes. */
static bool idle(const uint8_t *whole, size_t bytes, size_t at)
{
	if (at < NORN_HEADER_BYTES)
		return at >= sizeof(struct norn_file_header);
	for (size_t block = NORN_HEADER_BYTES; block < bytes;) {
		struct norn_block_header header;
		memcpy(&header, whole + block, sizeof header);
		size_t span = norn_block_span(&header);
		if (at < block + span)
			return at >= block + sizeof header + header.stored;
		block += span;
	}
	return false;
}

static void test_refuses_a_flipped_bit(void **state)
{
	size_t bytes;
	uint8_t *whole = small_file(&bytes);
	for (size_t at = 0; at < bytes; at++) {
		if (idle(whole, bytes, at))
			continue;
		whole[at] ^= (uint8_t)(1u << at % 8);
		write_file(whole, bytes);
		if (problems() == 0)
			fail_msg("bit %zu of byte %zu was flipped and that was not noticed", at % 8, at);
		whole[at] ^= (uint8_t)(1u << at % 8);
	}
	free(whole);
}

static void test_tells_of_losses_and_goes_on(void **state)
{
	struct norn_writer *w = begin();
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 1, NORN_LOCK_MUTEX);
	put_lost(w, 0, 7);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, L, 3, NORN_LOCK_MUTEX);
	put_thread(w, 0, NORN_THREAD_END, 0, 0);
	assert_int_equal(finish_trace_as(w, 0, 7), 0);
	struct norn_trace *trace;
	struct norn_error err = {0};
	struct norn_verify_result verdict;
	assert_int_equal(norn_trace_open(path, false, &trace, &err), 0);
	assert_int_equal(norn_verify(trace, 10, note, NULL, &verdict, &err), 0);
	assert_int_equal(verdict.problems, 0);
	assert_int_equal(verdict.losses.lost, 7);
	assert_int_equal(verdict.losses.skipped, 1);
	norn_trace_close(trace);
}

static int make_path(void **state)
{
	snprintf(path, sizeof path, "%s/norn-verify-%d.trace", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
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
	        cmocka_unit_test(test_agrees_to_random_runs),
	        cmocka_unit_test(test_locks_exclude),
	        cmocka_unit_test(test_conditions_semaphores_barriers_once),
	        cmocka_unit_test(test_threads_calls_and_memory),
	        cmocka_unit_test(test_notices_every_dropped_record),
	        cmocka_unit_test(test_notices_every_duplicate),
	        cmocka_unit_test(test_notices_swapped_versions),
	        cmocka_unit_test(test_notices_swapped_threads),
	        cmocka_unit_test(test_refuses_a_file_cut_at_any_byte),
	        cmocka_unit_test(test_refuses_a_flipped_bit),
	        cmocka_unit_test(test_tells_of_losses_and_goes_on),
	};
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
