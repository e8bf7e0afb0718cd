/* The checker of witnesses: it accepts what the definition allows and refuses all else, and agrees with the lattice, which it does
 * not know. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "causality/mvc_events.h"
#include "lattice/lattice.h"
#include "witness/mvc_witness.h"
#include "records.h"
#include "mvc_message.h"

enum { EVENTS = 40, THREADS = 5, BASE = 0x10000, LOCKS = 0x8000, PAGE = 4096 };

/* A run with all its events, in the order observed, and its causal order by the definition. */
struct run {
	struct norn_event events[EVENTS];
	bool relevant[EVENTS];
	bool before[EVENTS][EVENTS];
	uint32_t count;
};

/* Bytes that an event accesses as far as order goes; 0 for none. */
struct bytes {
	uint64_t from, size;
	bool write;
};

static struct bytes bytes_of(const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
		return (struct bytes){e->addr, e->size, false};
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_ALLOC:
		return (struct bytes){e->addr, e->size, true};
	case NORN_EVENT_EXTERNAL:
		return (struct bytes){e->addr & ~UINT64_C(7), 8, true};
	case NORN_EVENT_SYNC:
		return (struct bytes){e->addr, 4, e->op != NORN_SYNC_ACQUIRE_SHARED && e->op != NORN_SYNC_RELEASE_SHARED};
	default:
		return (struct bytes){0, 0, false};
	}
}

static bool directly_before(const struct norn_event *a, const struct norn_event *b)
{
	struct bytes x = bytes_of(a), y = bytes_of(b);
	if (a->thread == b->thread)
		return true;
	if (x.size && y.size && (x.write || y.write) && x.from < y.from + y.size && y.from < x.from + x.size)
		return true;
	if (a->kind == NORN_EVENT_THREAD && a->op == NORN_THREAD_FORK && a->value == b->thread)
		return true;
	if (b->kind == NORN_EVENT_THREAD && b->op == NORN_THREAD_JOIN && b->value == a->thread)
		return true;
	return (b->kind == NORN_EVENT_THREAD && b->op == NORN_THREAD_SIGNAL) || a->kind == NORN_EVENT_LOST ||
	       b->kind == NORN_EVENT_LOST;
}

static void close_order(struct run *run)
{
	for (uint32_t j = 0; j < run->count; j++)
		for (uint32_t i = 0; i < j; i++)
			run->before[i][j] = directly_before(&run->events[i], &run->events[j]);
	for (uint32_t k = 0; k < run->count; k++)
		for (uint32_t i = 0; i < k; i++)
			for (uint32_t j = k + 1; run->before[i][k] && j < run->count; j++)
				run->before[i][j] |= run->before[k][j];
}

static struct norn_event random_event(uint64_t *random, uint32_t thread)
{
	struct norn_event e = {.thread = thread, .kind = NORN_EVENT_READ, .size = 1u << random_below(random, 4)};
	e.addr = BASE + random_below(random, 64);
	switch (random_below(random, 16)) {
	case 0 ... 4:
		break;
	case 5 ... 8:
		e.kind = random_below(random, 5) ? NORN_EVENT_WRITE : NORN_EVENT_RMW;
		break;
	case 9 ... 11: {
		static const uint8_t ops[] = {NORN_SYNC_ACQUIRE, NORN_SYNC_RELEASE, NORN_SYNC_ACQUIRE_SHARED,
		        NORN_SYNC_RELEASE_SHARED, NORN_SYNC_SEM_POST, NORN_SYNC_SIGNAL, NORN_SYNC_SEND, NORN_SYNC_RECEIVE};
		e.kind = NORN_EVENT_SYNC;
		e.op = ops[random_below(random, sizeof ops)];
		e.addr = LOCKS + 8 * random_below(random, 3);
		break;
	}
	case 12: /* ranges: parts of pages, and whole ones */
		e.kind = random_below(random, 2) ? NORN_EVENT_WRITE : NORN_EVENT_READ;
		e.addr = BASE - random_below(random, 3) * 20 - random_below(random, 2) * PAGE;
		e.size = 1 + random_below(random, 3 * PAGE);
		break;
	case 13:
		e.kind = random_below(random, 2) ? NORN_EVENT_ALLOC : NORN_EVENT_EXTERNAL;
		break;
	case 14:
		if (random_below(random, 4) == 0)
			e = (struct norn_event){.thread = thread, .kind = NORN_EVENT_THREAD, .op = NORN_THREAD_SIGNAL};
		else
			e.kind = NORN_EVENT_MARK;
		break;
	default:
		e.kind = random_below(random, 12) ? NORN_EVENT_ENTER : NORN_EVENT_LOST;
	}
	return e;
}

/* Thread 0 forks the others, and joins them or not. */
static void random_run(struct run *run, uint64_t *random)
{
	bool running[THREADS] = {true}, over[THREADS] = {false}, joined[THREADS] = {false};
	uint32_t threads = 2 + random_below(random, THREADS - 1), relevant = 1 + random_below(random, 5);
	*run = (struct run){.count = 8 + random_below(random, EVENTS - 8)};
	for (uint32_t i = 0; i < run->count; i++) {
		uint32_t t = random_below(random, threads);
		struct norn_event *e = &run->events[i];
		*e = random_event(random, 0);
		if (running[t] && !over[t]) {
			*e = random_event(random, t);
			over[t] = t > 0 && random_below(random, 6) == 0;
		} else if (!running[t]) {
			*e = (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_FORK, .value = t};
			running[t] = true;
		} else if (!joined[t]) {
			*e = (struct norn_event){.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_JOIN, .value = t};
			joined[t] = true;
		}
		run->relevant[i] = random_below(random, 6) < relevant;
	}
	close_order(run);
}

static int check(const struct run *run, const uint64_t *numbers, uint32_t count, bool ended)
{
	struct norn_error err;
	struct norn_witness *witness = norn_witness_new(numbers, count);
	for (uint32_t i = 0; i < run->count; i++)
		norn_witness_event(witness, &run->events[i], run->relevant[i]);
	int r = norn_witness_check_order(witness, ended, &err);
	norn_witness_free(witness);
	if (r < 0)
		assert_true(err.message[0]);
	return r;
}

/* The definition: each event is a relevant one, there once, and after all relevant ones that precede it. */
static bool is_right(const struct run *run, const uint64_t *numbers, uint32_t count)
{
	bool done[EVENTS] = {false};
	for (uint32_t i = 0; i < count; i++) {
		uint64_t e = numbers[i] - 1;
		if (e >= run->count || !run->relevant[e] || done[e])
			return false;
		for (uint32_t j = 0; j < e; j++)
			if (run->relevant[j] && run->before[j][e] && !done[j])
				return false;
		done[e] = true;
	}
	return true;
}

/* Some of the relevant events in an order that the definition allows. */
static uint32_t random_sequence(const struct run *run, uint64_t *random, uint64_t *numbers)
{
	uint32_t count = 0, tries = random_below(random, 200);
	while (tries-- > 0) {
		numbers[count] = 1 + random_below(random, run->count);
		if (is_right(run, numbers, count + 1))
			count++;
	}
	return count;
}

static void mutate(uint64_t *random, uint64_t *numbers, uint32_t *count, uint32_t last)
{
	uint32_t i = random_below(random, *count), j = random_below(random, *count);
	uint64_t number = numbers[i];
	switch (random_below(random, 5)) {
	case 0: /* two change places */
		numbers[i] = numbers[j];
		numbers[j] = number;
		break;
	case 1: /* one is dropped */
		memmove(numbers + i, numbers + i + 1, (--*count - i) * sizeof *numbers);
		break;
	case 2: /* one is another */
		numbers[i] = 1 + random_below(random, last);
		break;
	case 3: /* one more at the end, which may be there already */
		numbers[(*count)++] = 1 + random_below(random, last);
		break;
	default: /* the end comes first */
		number = numbers[*count - 1];
		memmove(numbers + 1, numbers, (*count - 1) * sizeof *numbers);
		numbers[0] = number;
	}
}

static void agrees_with_the_definition(void **state)
{
	(void)state;
	uint64_t random = 2004, accepted = 0, refused = 0;
	for (unsigned i = 0; i < 4000; i++) {
		struct run run;
		uint64_t numbers[EVENTS + 8];
		random_run(&run, &random);
		uint32_t count = random_sequence(&run, &random, numbers);
		assert_int_equal(check(&run, numbers, count, false), 0);
		for (unsigned change = 0; change < 4 && count; change++) {
			mutate(&random, numbers, &count, run.count);
			bool right = is_right(&run, numbers, count);
			assert_int_equal(check(&run, numbers, count, false), right ? 0 : -EINVAL);
			accepted += right;
			refused += !right;
		}
	}
	assert_true(accepted > 500 && refused > 5000);
}

static void a_whole_run_has_all_events(void **state)
{
	(void)state;
	struct run run = {.count = 3};
	for (uint32_t i = 0; i < 3; i++) {
		run.events[i] = (struct norn_event){.kind = NORN_EVENT_WRITE, .thread = i, .addr = BASE + 8 * i, .size = 8};
		run.relevant[i] = true;
	}
	assert_int_equal(check(&run, (const uint64_t[]){3, 1, 2}, 3, true), 0);
	assert_int_equal(check(&run, (const uint64_t[]){3, 1}, 2, false), 0);
	assert_int_equal(check(&run, (const uint64_t[]){3, 1}, 2, true), -EINVAL);
	assert_int_equal(check(&run, (const uint64_t[]){3, 4}, 2, false), -EINVAL);
}

/* Threads 0 and 1 meet at a barrier of two; thread 0 arrives early for the next round before 1 has left. */
static void barriers_order_their_rounds(void **state)
{
	(void)state;
	static const struct {
		uint8_t thread, op;
	} steps[] = {{0, NORN_SYNC_BARRIER_INIT}, {0, 0}, {0, NORN_SYNC_BARRIER_ARRIVE}, {1, 0}, {1, NORN_SYNC_BARRIER_ARRIVE},
	        {0, NORN_SYNC_BARRIER_LEAVE}, {0, 0}, {0, NORN_SYNC_BARRIER_ARRIVE}, {1, NORN_SYNC_BARRIER_LEAVE}, {1, 0}};
	struct run run = {.count = sizeof steps / sizeof *steps};
	for (uint32_t i = 0; i < run.count; i++) {
		run.events[i] =
		        (struct norn_event){.kind = NORN_EVENT_SYNC, .op = steps[i].op, .thread = steps[i].thread, .addr = LOCKS};
		run.events[i].argument = 2;
		if (steps[i].op == 0) {
			run.events[i].kind = NORN_EVENT_MARK;
			run.relevant[i] = true;
		}
	}
	assert_int_equal(check(&run, (const uint64_t[]){2, 4, 7, 10}, 4, true), 0);
	assert_int_equal(check(&run, (const uint64_t[]){4, 2, 10, 7}, 4, true), 0); /* 7 and 10 are in one round */
	assert_int_equal(check(&run, (const uint64_t[]){2, 7, 4, 10}, 4, true), -EINVAL);
	assert_int_equal(check(&run, (const uint64_t[]){2, 10, 4, 7}, 4, true), -EINVAL);
}

/* ---- Together with the lattice ---- */

/* A monitor that counts letters modulo 4 and violates at 3: events add their number's lowest bits. */
static uint64_t count_start(const void *context)
{
	(void)context;
	return 0;
}

static uint64_t count_step(const void *context, uint64_t s, uint64_t letter)
{
	(void)context;
	return (s * 5 + letter * 3 + 1) % 8;
}

static bool count_violated(const void *context, uint64_t s)
{
	return s == *(const uint64_t *)context;
}

static bool count_final(const void *context, uint64_t s, uint64_t last)
{
	return (s + last) % 8 == *(const uint64_t *)context;
}

struct sequence {
	const uint64_t *numbers;
};

static enum norn_witness_position sequence_letter(void *context, uint32_t i, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct sequence *sequence = context;
	if (i == 0)
		return NORN_WITNESS_NO_POSITION;
	uint64_t number = sequence->numbers[i - 1];
	*ret_letter = number & 3;
	*ret_unknown = number % 7 == 0;
	return number % 5 == 0 ? NORN_WITNESS_NO_POSITION : number % 11 == 0 ? NORN_WITNESS_MAYBE : NORN_WITNESS_POSITION;
}

static int keep(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	(void)context;
	(void)event;
	*ret_valuation = valuation;
	return 0;
}

static enum norn_lattice_position lattice_letter(void *context, uint32_t monitor, uint32_t before, uint32_t valuation,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	(void)monitor;
	(void)before;
	(void)valuation;
	uint64_t number = 0;
	struct sequence one = {&number};
	if (event.thread == NORN_LATTICE_BEGIN)
		return NORN_LATTICE_NO_POSITION;
	number = norn_computation_payload(context, event.thread, event.k);
	return (enum norn_lattice_position)sequence_letter(&one, 1, ret_letter, ret_unknown);
}

static struct norn_computation *follow(const struct run *run)
{
	struct norn_computation_builder *builder;
	struct norn_computation *computation;
	struct norn_mvc *mvc;
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	builder = norn_computation_builder_new();
	for (uint32_t i = 0; i < run->count; i++) {
		assert_true(norn_mvc_follow(mvc, &run->events[i], run->relevant[i]) >= 0);
		if (run->relevant[i])
			assert_int_equal(mvc_message(mvc, run->events[i].thread, i + 1, builder), 0);
	}
	assert_int_equal(norn_computation_finish(builder, &computation, NULL), 0);
	norn_computation_builder_free(builder);
	norn_mvc_free(mvc);
	return computation;
}

/* Changes that leave no witness: for the verdict, what comes before its end must not violate, and its end must. */
static void assert_changes_refused(
        const struct norn_stepper *stepper, const struct run *run, const uint64_t *numbers, uint32_t count, bool ended)
{
	uint64_t changed[EVENTS + 1];
	struct sequence sequence = {changed};
	memcpy(changed, numbers, count * sizeof *numbers);
	assert_int_equal(norn_witness_check_verdict(stepper, count - 1, ended, sequence_letter, &sequence, NULL), -EINVAL);
	changed[count] = numbers[0];
	assert_int_equal(norn_witness_check_verdict(stepper, count + 1, ended, sequence_letter, &sequence, NULL), -EINVAL);
	for (uint32_t i = 0; i + 1 < count; i++) {
		memcpy(changed, numbers, count * sizeof *numbers);
		changed[i] = numbers[i + 1];
		changed[i + 1] = numbers[i];
		assert_int_equal(check(run, changed, count, ended), is_right(run, changed, count) ? 0 : -EINVAL);
	}
}

static void accepts_what_the_lattice_finds(void **state)
{
	(void)state;
	uint64_t random = 426, found = 0, at_end = 0;
	for (unsigned i = 0; i < 1500; i++) {
		struct run run;
		random_run(&run, &random);
		run.count = run.count < 24 ? run.count : 24;
		struct norn_computation *computation = follow(&run);
		uint64_t bad = 1 + random_below(&random, 7);
		struct norn_stepper stepper = {
		        .context = &bad, .start = count_start, .step = count_step, .violated = count_violated};
		if (random_below(&random, 2))
			stepper.final = count_final;
		struct norn_lattice_model model = {.context = computation, .apply = keep, .letter = lattice_letter};
		struct norn_lattice_options options = {.workers = 1, .violations = 50, .max_cuts = 20000};
		struct norn_lattice_result result;
		assert_int_equal(norn_lattice_search(computation, &model, &stepper, 1, &options, &result), 0);
		for (uint32_t v = 0; v < result.violation_count; v++) {
			const struct norn_lattice_violation *violation = &result.violations[v];
			uint64_t numbers[EVENTS];
			uint32_t count = (uint32_t)violation->length;
			struct sequence sequence = {numbers};
			for (uint32_t k = 0; k < count; k++)
				numbers[k] =
				        norn_computation_payload(computation, violation->events[k].thread, violation->events[k].k);
			assert_int_equal(check(&run, numbers, count, violation->at_end), 0);
			assert_int_equal(
			        norn_witness_check_verdict(&stepper, count, violation->at_end, sequence_letter, &sequence, NULL),
			        0);
			if (!violation->at_end && count)
				assert_changes_refused(&stepper, &run, numbers, count, false);
			found++;
			at_end += violation->at_end;
		}
		norn_lattice_result_done(&result);
		norn_computation_free(computation);
	}
	assert_true(found > 1000 && at_end > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(agrees_with_the_definition),
	        cmocka_unit_test(a_whole_run_has_all_events),
	        cmocka_unit_test(barriers_order_their_rounds),
	        cmocka_unit_test(accepts_what_the_lattice_finds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
