/* Happens-before, and the accesses that it leaves open. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "errors/mvc/hb_races.h"
#include "records.h"
#include "trace/record.h"
#include "trace/site.h"

enum { ATOMIC_SITE = 77, SWAP_SITE = 78 };

struct pairs {
	struct norn_hb_races_pair list[64];
	unsigned count;
};

static struct norn_hb_races *detector;
static struct pairs pairs;
static uint64_t number;

static void look_up(void *context, uint32_t site, struct norn_graph_site *ret_site)
{
	*ret_site =
	        (struct norn_graph_site){.order = site == ATOMIC_SITE || site == SWAP_SITE ? NORN_ORDER_SEQ_CST : NORN_ORDER_NONE,
	                .kind = site == SWAP_SITE ? NORN_SITE_CMPXCHG : NORN_SITE_READ};
}

static int take(void *context, const struct norn_hb_races_pair *pair)
{
	if (pairs.count < 64)
		pairs.list[pairs.count++] = *pair;
	return 0;
}

static int begin(void **state)
{
	pairs.count = 0;
	number = 0;
	detector = norn_hb_races_new(look_up, NULL, take, NULL);
	return 0;
}

static int end(void **state)
{
	norn_hb_races_free(detector);
	return 0;
}

static uint64_t happen(struct norn_event e)
{
	const void *expected = norn_hb_races_expect(detector, &e);
	norn_hb_races_expect_more(detector, expected, e.thread, false);
	norn_hb_races_expect_more(detector, expected, e.thread, true);
	assert_int_equal(norn_hb_races_event(detector, &e, ++number), 0);
	return number;
}

static uint64_t access_at(unsigned kind, uint32_t thread, uint64_t addr, unsigned size, uint32_t site)
{
	return happen((struct norn_event){.kind = (uint8_t)kind, .thread = thread, .addr = addr, .size = size, .site = site});
}

static uint64_t put(uint32_t thread, uint64_t addr, unsigned size)
{
	return access_at(NORN_EVENT_WRITE, thread, addr, size, 5);
}

static uint64_t get(uint32_t thread, uint64_t addr, unsigned size)
{
	return access_at(NORN_EVENT_READ, thread, addr, size, 6);
}

static void sync(uint32_t thread, enum norn_sync_op op, uint64_t addr)
{
	happen((struct norn_event){.kind = NORN_EVENT_SYNC, .op = (uint8_t)op, .thread = thread, .addr = addr});
}

static void thread(uint32_t own, enum norn_thread_op op, uint32_t other)
{
	happen((struct norn_event){.kind = NORN_EVENT_THREAD, .op = (uint8_t)op, .thread = own, .value = other});
}

static void fork_all(unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		thread(0, NORN_THREAD_FORK, i);
		thread(i, NORN_THREAD_BEGIN, i);
	}
}

/* The last pair told, of all so far. */
static void told(unsigned count, uint64_t first, uint64_t second)
{
	assert_int_equal(pairs.count, count);
	assert_int_equal(pairs.list[count - 1].first, first);
	assert_int_equal(pairs.list[count - 1].second, second);
}

static void handed(uint32_t own, enum norn_thread_op op, uint64_t argument)
{
	happen((struct norn_event){.kind = NORN_EVENT_THREAD, .op = (uint8_t)op, .thread = own, .argument = argument});
}

/* X10, X11. */
static void unseen_code_orders(void **state)
{
	fork_all(2);
	put(1, 0x1000, 4);
	handed(2, NORN_THREAD_BACK, NORN_BACK_ENTERED);
	put(2, 0x1000, 4);
	handed(1, NORN_THREAD_BACK, NORN_BACK_ENTERED);
	uint64_t first = put(1, 0x1000, 4);
	put(0, 0x2000, 4);
	handed(0, NORN_THREAD_CALL, NORN_CALL_SUBMITS);
	handed(2, NORN_THREAD_BACK, NORN_BACK_JOB);
	get(2, 0x2000, 4);
	assert_int_equal(pairs.count, 0);
	uint64_t second = put(2, 0x1000, 4);
	told(1, first, second);
}

static void bytes_are_told_apart(void **state)
{
	fork_all(2);
	uint64_t first = put(1, 0x1000, 4);
	put(2, 0x1004, 4);
	get(1, 0x1003, 1);
	assert_int_equal(pairs.count, 0);
	uint64_t wide = get(2, 0x1002, 4);
	told(1, first, wide); /* its third byte; the reader's own are in order */
	uint64_t byte = put(1, 0x1004, 1);
	assert_int_equal(pairs.list[pairs.count - 1].second, byte);
	assert_int_equal(pairs.count, 3); /* with the write of four, and with the read of it */
}

static void an_access_of_two_words(void **state)
{
	fork_all(2);
	uint64_t first = put(1, 0x1008, 8), both = get(2, 0x1004, 8);
	told(1, first, both);
}

static void locks_order(void **state)
{
	fork_all(2);
	sync(1, NORN_SYNC_ACQUIRE, 0x5000);
	put(1, 0x1000, 8);
	sync(1, NORN_SYNC_RELEASE, 0x5000);
	sync(2, NORN_SYNC_ACQUIRE, 0x5000);
	put(2, 0x1000, 8);
	sync(2, NORN_SYNC_RELEASE, 0x5000);
	sync(1, NORN_SYNC_ACQUIRE, 0x6000);
	uint64_t last = number - 1;
	uint64_t other = put(1, 0x1000, 8);
	told(1, last - 1, other);
}

static void readers_do_not_order_readers(void **state)
{
	fork_all(3);
	sync(1, NORN_SYNC_ACQUIRE_SHARED, 0x5000);
	uint64_t first = put(1, 0x1000, 8);
	sync(1, NORN_SYNC_RELEASE_SHARED, 0x5000);
	sync(2, NORN_SYNC_ACQUIRE_SHARED, 0x5000);
	told(1, first, put(2, 0x1000, 8));
	sync(2, NORN_SYNC_RELEASE_SHARED, 0x5000);
	sync(3, NORN_SYNC_ACQUIRE, 0x5000);
	put(3, 0x1000, 8);
	assert_int_equal(pairs.count, 1);
}

static void all_readers_are_known(void **state)
{
	uint64_t reads[9];
	fork_all(9);
	for (unsigned i = 1; i <= 8; i++)
		reads[i] = get(i, 0x1000, 8);
	uint64_t write = put(9, 0x1000, 8);
	bool seen[9] = {false};
	assert_int_equal(pairs.count, 8);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 1; k <= 8; k++)
			seen[k] |= pairs.list[i].first == reads[k] && pairs.list[i].second == write;
	for (unsigned k = 1; k <= 8; k++)
		assert_true(seen[k]);
}

static void atomics(void **state)
{
	fork_all(3);
	put(1, 0x1000, 8);
	access_at(NORN_EVENT_WRITE, 1, 0x2000, 8, ATOMIC_SITE);
	access_at(NORN_EVENT_WRITE, 2, 0x2000, 8, ATOMIC_SITE); /* both atomic: none */
	assert_int_equal(pairs.count, 0);
	access_at(NORN_EVENT_RMW, 1, 0x2000, 8, ATOMIC_SITE);
	access_at(NORN_EVENT_READ, 3, 0x2000, 8, ATOMIC_SITE); /* it knows what both knew */
	get(3, 0x1000, 8);
	assert_int_equal(pairs.count, 0);
	uint64_t last = number - 2;
	uint64_t other = put(2, 0x2000, 8); /* not atomic: the others are no excuse */
	assert_true(pairs.count >= 1);
	assert_int_equal(pairs.list[0].second, other);
	assert_int_equal(pairs.list[0].first, last);
}

/* A compare-and-swap may not write: with a plain read it is no pair. */
static void a_swap_may_not_write(void **state)
{
	fork_all(2);
	get(1, 0x1000, 8);
	access_at(NORN_EVENT_RMW, 2, 0x1000, 8, SWAP_SITE);
	assert_int_equal(pairs.count, 0);
	access_at(NORN_EVENT_RMW, 2, 0x1008, 8, ATOMIC_SITE);
	get(1, 0x1008, 8);
	assert_int_equal(pairs.count, 1);
}

static void memory_has_lives(void **state)
{
	fork_all(2);
	put(1, 0x1000, 8);
	happen((struct norn_event){.kind = NORN_EVENT_ALLOC, .thread = 2, .addr = 0xff0, .size = 0x100});
	put(2, 0x1000, 8);
	assert_int_equal(pairs.count, 0);
	uint64_t freed = happen((struct norn_event){.kind = NORN_EVENT_FREE, .thread = 1, .addr = 0xff0, .size = 0x100});
	told(1, number - 1, freed);
	assert_true(pairs.list[0].frees);
}

static void objects_are_no_memory(void **state)
{
	fork_all(2);
	put(1, 0x5000, 8);
	sync(1, NORN_SYNC_CREATE, 0x5000);
	put(2, 0x5000, 8);
	assert_int_equal(pairs.count, 0);
}

static void slots_are_used_again(void **state)
{
	uint64_t bytes = 0;
	for (uint32_t i = 1; i < 20000; i++) {
		thread(0, NORN_THREAD_FORK, i);
		thread(i, NORN_THREAD_BEGIN, i);
		put(i, 0x1000, 8);
		thread(i, NORN_THREAD_END, i);
		thread(0, NORN_THREAD_JOIN, i);
		if (i == 10000)
			bytes = norn_hb_races_bytes(detector);
	}
	assert_int_equal(pairs.count, 0);
	assert_in_range(norn_hb_races_bytes(detector), bytes, bytes + 20000 * sizeof(void *) * 10);
	/* Two that live at once, after all of them. */
	thread(0, NORN_THREAD_FORK, 30000);
	thread(0, NORN_THREAD_FORK, 30001);
	put(30000, 0x1000, 8);
	put(30001, 0x1000, 8);
	assert_int_equal(pairs.count, 1);
}

/* C2, by a definition that takes no short cuts: every event has the set of events before it. */
static void as_by_definition(void **state)
{
	enum { EVENTS = 60, THREADS = 3 };
	for (uint64_t seed = 1; seed < 400; seed++) {
		static bool before[EVENTS + 1][EVENTS + 1];
		struct norn_event run[EVENTS + 1] = {0};
		uint64_t draw = seed;
		uint32_t holder[2] = {UINT32_MAX, UINT32_MAX}, last[THREADS] = {0}, released[2] = {0};
		end(NULL);
		begin(NULL);
		memset(before, 0, sizeof before);
		bool expected = false;
		for (unsigned n = 1; n <= EVENTS; n++) {
			uint32_t t = (uint32_t)random_below(&draw, THREADS), l = (uint32_t)random_below(&draw, 2);
			struct norn_event *e = &run[n];
			*e = (struct norn_event){
			        .thread = t, .kind = NORN_EVENT_SYNC, .op = NORN_SYNC_ACQUIRE, .addr = 0x9000 + l * 64};
			if (holder[l] == t)
				e->op = NORN_SYNC_RELEASE;
			if (random_below(&draw, 3) || (holder[l] != UINT32_MAX && holder[l] != t))
				*e = (struct norn_event){.thread = t,
				        .kind = random_below(&draw, 2) ? NORN_EVENT_WRITE : NORN_EVENT_READ,
				        .addr = 0x1000 + random_below(&draw, 6) * 2,
				        .size = 1u << random_below(&draw, 3)};
			for (unsigned k = 1; last[t] && k <= last[t]; k++)
				before[n][k] = before[last[t]][k] || k == last[t];
			if (e->kind == NORN_EVENT_SYNC) {
				for (unsigned k = 1; e->op == NORN_SYNC_ACQUIRE && released[l] && k <= released[l]; k++)
					before[n][k] |= before[released[l]][k] || k == released[l];
				holder[l] = e->op == NORN_SYNC_ACQUIRE ? t : UINT32_MAX;
				released[l] = e->op == NORN_SYNC_RELEASE ? n : released[l];
			}
			last[t] = n;
			bool races = false;
			for (unsigned k = 1; k < n && e->kind != NORN_EVENT_SYNC; k++)
				races |= run[k].kind != NORN_EVENT_SYNC && run[k].thread != t && !before[n][k] &&
				         (run[k].kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_WRITE) &&
				         run[k].addr < e->addr + e->size && e->addr < run[k].addr + run[k].size;
			unsigned count = pairs.count;
			happen(*e);
			/* Until the first race both agree on each event; whatever is told is one. */
			for (unsigned i = count; i < pairs.count; i++) {
				const struct norn_event *x = &run[pairs.list[i].first];
				assert_true(!before[n][pairs.list[i].first] && x->thread != t);
				assert_true(x->addr < e->addr + e->size && e->addr < x->addr + x->size);
			}
			if (!expected)
				assert_int_equal(pairs.count > count, races);
			expected |= races;
		}
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
	        TEST(unseen_code_orders),
	        TEST(bytes_are_told_apart),
	        TEST(an_access_of_two_words),
	        TEST(locks_order),
	        TEST(readers_do_not_order_readers),
	        TEST(all_readers_are_known),
	        TEST(atomics),
	        TEST(a_swap_may_not_write),
	        TEST(memory_has_lives),
	        TEST(objects_are_no_memory),
	        TEST(slots_are_used_again),
	        TEST(as_by_definition),
	};
	return cmocka_run_group_tests_name("predict/unordered", tests, NULL, NULL);
}
