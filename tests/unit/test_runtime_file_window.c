/* The windows of a trace, with a file in memory. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/self.h"
#include "runtime/sys.h"
#include "trace/format.h"
#include "records.h"

enum { THREADS = 4, LAPS = 3, SLOTS = 1, UNITS = 512 };
#define FILE_BYTES ((uint64_t)LAPS * NORN_WINDOWS * NORN_WINDOW_BYTES)

struct norn_session *norn_session;
static uint8_t *file;
static int write_error, reserve_error;
static _Atomic unsigned writes, small_writes;

int norn_session_write(const void *from, size_t bytes, uint64_t offset)
{
	writes++;
	small_writes += offset % NORN_WINDOW_BYTES && offset != NORN_HEADER_BYTES;
	if (write_error)
		return write_error;
	memcpy(file + offset, from, bytes);
	return 0;
}

int norn_session_reserve_window(uint32_t place)
{
	return place % 2 ? reserve_error : 0;
}

void norn_sys_yield(unsigned waits)
{
	(void)waits;
	sched_yield();
}

static int setup(void **state)
{
	(void)state;
	norn_session = aligned_alloc(4096, (norn_session_file_bytes(SLOTS, UNITS) + 4095) & ~UINT64_C(4095));
	memset(norn_session, 0, norn_session_file_bytes(SLOTS, UNITS));
	norn_session->slots = SLOTS;
	norn_session->slot_units = UNITS;
	norn_session->file_end = NORN_HEADER_BYTES;
	file = calloc(1, FILE_BYTES + NORN_WINDOW_BYTES);
	write_error = reserve_error = 0;
	writes = small_writes = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(norn_session);
	free(file);
	return 0;
}

static uint8_t expected_at(uint64_t offset)
{
	return (uint8_t)(offset * 31 + offset / 251 + 1);
}

/* Puts blocks of all sizes up to several windows, until so much of the file is reserved; returns how many failed. */
static void *put_blocks(void *argument)
{
	uint64_t seed = *(const uint64_t *)argument, failures = 0;
	uint8_t *block = malloc(3 * NORN_WINDOW_BYTES);
	for (;;) {
		uint64_t bytes = 8 + (random_below(&seed, random_below(&seed, 20) ? 40000 : 3 * NORN_WINDOW_BYTES - 8) & ~7ul);
		uint64_t offset = atomic_fetch_add(&norn_session->file_end, bytes);
		if (offset + bytes > FILE_BYTES)
			break;
		for (uint64_t i = 0; i < bytes; i++)
			block[i] = expected_at(offset + i);
		int error = norn_window_put(block, bytes, offset, 1);
		assert_true(error == 0 || error == -EIO || error == write_error);
		if (error) {
			int32_t none = 0;
			atomic_compare_exchange_strong(&norn_session->failed, &none, -error); /* as the callers do */
			failures++;
		}
	}
	free(block);
	return (void *)(uintptr_t)failures;
}

static uint64_t put_by_threads(void)
{
	pthread_t threads[THREADS];
	uint64_t seeds[THREADS], failures = 0;
	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = 7 + i;
		assert_int_equal(pthread_create(&threads[i], NULL, put_blocks, &seeds[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		failures += (uintptr_t)failed;
	}
	return failures;
}

/* What the recorder would write. */
static void write_rest(void)
{
	for (uint32_t i = 0; i < NORN_WINDOWS; i++) {
		uint64_t w = norn_session->window[i].turn - 1, first = w ? 0 : NORN_HEADER_BYTES;
		if (norn_session->window[i].turn && norn_session->window[i].filled)
			memcpy(file + w * NORN_WINDOW_BYTES + first, norn_session_window(norn_session, i) + first,
			        NORN_WINDOW_BYTES - first);
	}
}

/* Up to the first block that was not put. */
static void expect_file(void)
{
	uint64_t i = NORN_HEADER_BYTES;
	while (i < FILE_BYTES && file[i] == expected_at(i))
		i++;
	assert_true(i > FILE_BYTES - 4 * NORN_WINDOW_BYTES);
	for (; i < FILE_BYTES; i++)
		assert_int_equal(file[i], 0);
}

static void what_is_put_comes_into_the_file(void **state)
{
	(void)state;
	assert_int_equal(put_by_threads(), 0);
	assert_true(writes <= LAPS * NORN_WINDOWS);
	assert_int_equal(small_writes, 0);
	write_rest();
	expect_file();
}

static void without_memory_it_is_written_at_once(void **state)
{
	(void)state;
	reserve_error = -ENOSPC;
	assert_int_equal(put_by_threads(), 0);
	assert_true(small_writes > LAPS * NORN_WINDOWS / 2);
	write_rest();
	expect_file();
}

/* No thread waits for a window that none will open. */
static void a_failed_write_stops_all(void **state)
{
	(void)state;
	write_error = -ENOSPC;
	assert_true(put_by_threads() > 0);
	assert_int_equal(norn_session->failed, ENOSPC);
	assert_true(norn_session->window[0].filled > 0);
	assert_true(norn_session->window[0].records > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(what_is_put_comes_into_the_file, setup, teardown),
	        cmocka_unit_test_setup_teardown(without_memory_it_is_written_at_once, setup, teardown),
	        cmocka_unit_test_setup_teardown(a_failed_write_stops_all, setup, teardown),
	};
	return cmocka_run_group_tests_name("runtime window", tests, NULL, NULL);
}
