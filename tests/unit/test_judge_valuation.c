/* Valuations on random runs of a simulated machine, against the definition: a value is what the memory holds, and unknown from the
 * last access that found the old value up to the external write that is noticed later. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/recorded/recorded_match.h"
#include "judge/recorded/valuation.h"
#include "trace/merge.h"
#include "trace_builder.h"

enum { BASE = 0x1000, WORDS = 4, BYTES = WORDS * 8 };

/* The machine's memory starts as zeros. This takes the place of program/program.c. */
struct norn_program {
	int unused;
};
static const struct norn_program program;

uint64_t norn_program_bias(const struct norn_program *p, uint32_t module)
{
	return 0;
}

int norn_program_enumerator(const struct norn_program *p, const char *name, int64_t *ret_value)
{
	(void)p, (void)name, (void)ret_value;
	return -ENOENT;
}

uint32_t norn_program_modules(const struct norn_program *p)
{
	return 1;
}

int norn_program_initial(const struct norn_program *p, uint32_t module, uint64_t address, void *ret_bytes, size_t size)
{
	memset(ret_bytes, 0, size);
	return address >= BASE && address + size <= BASE + BYTES ? 0 : -ENOENT;
}

/* Pieces of words, none of which lies in two. */
static const struct norn_symbol symbol = {.name = "memory", .file = "", .function = "", .address = BASE, .size = BYTES};
static const struct {
	uint64_t offset;
	unsigned size;
} parts[] = {{0, 4}, {4, 4}, {0, 8}, {10, 2}, {16, 8}, {31, 1}, {25, 1}};
enum { PLACES = sizeof parts / sizeof *parts };

/* One event of the merged run. */
struct happening {
	uint8_t kind;
	uint64_t addr, size;
	uint8_t before[BYTES], after[BYTES];
	struct norn_value values[PLACES]; /* what the valuation says after it */
};

static bool covers(const struct happening *h, uint64_t byte)
{
	return h->kind <= NORN_EVENT_EXTERNAL && h->addr <= BASE + byte && BASE + byte < h->addr + h->size;
}

static bool changes_unseen(const struct happening *h, uint64_t byte)
{
	return h->kind == NORN_EVENT_EXTERNAL && h->before[byte] != h->after[byte];
}

/* Whether this byte can be known after event k. */
static bool knowable(const struct happening *all, unsigned count, unsigned k, uint64_t byte)
{
	for (unsigned n = k + 1; n < count; n++) {
		if (changes_unseen(&all[n], byte))
			return false;
		if (covers(&all[n], byte))
			return true;
	}
	return true;
}

static void replay(uint8_t *memory, const struct norn_event *e, struct happening *h)
{
	*h = (struct happening){.kind = e->kind, .addr = e->addr, .size = e->size};
	memcpy(h->before, memory, BYTES);
	if (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL)
		memcpy(memory + (e->addr - BASE), e->data ? e->data : (const uint8_t *)&e->value, e->size);
	memcpy(h->after, memory, BYTES);
}

static unsigned run_all(const struct norn_binding *binding, struct norn_trace *trace,
        const struct norn_hidden_writes *hidden_writes, struct happening *all, unsigned room)
{
	struct norn_error err = {0};
	struct norn_recorded_match *relevant;
	struct norn_valuation valuation;
	struct norn_moment moment;
	struct norn_merge *merge;
	const struct norn_position *p;
	uint8_t memory[BYTES] = {0};
	unsigned count = 0;
	relevant = norn_recorded_match_new(binding, hidden_writes);
	norn_valuation_init(&valuation, binding);
	norn_moment_init(&moment, binding);
	merge = norn_merge_new(trace, NORN_MERGE_PATIENCE);
	norn_valuation_fade(&valuation, binding, norn_recorded_match_start(relevant));
	int r;
	for (struct norn_event e; (r = norn_merge_next(merge, &e, &err)) == 1 && count < room;) {
		if ((p = norn_recorded_match_event(relevant, &e))) {
			norn_valuation_apply(&valuation, p, &moment);
			norn_valuation_fade(&valuation, binding, p);
		}
		replay(memory, &e, &all[count]);
		for (unsigned i = 0; i < PLACES; i++)
			all[count].values[i] = norn_valuation_place(binding, &valuation, i);
		count++;
	}
	if (r < 0)
		fail_msg("%s", err.message);
	norn_merge_free(merge);
	norn_moment_done(&moment);
	norn_valuation_done(&valuation);
	norn_recorded_match_free(relevant);
	return count;
}

static uint64_t check_run(const struct happening *all, unsigned count)
{
	uint64_t unknown = 0;
	for (unsigned k = 0; k < count; k++)
		for (unsigned i = 0; i < PLACES; i++) {
			uint64_t raw = 0;
			struct norn_value value = all[k].values[i];
			bool known = true;
			for (unsigned b = 0; b < parts[i].size; b++)
				known &= knowable(all, count, k, parts[i].offset + b);
			assert_int_equal(value.known, known);
			unknown += !value.known;
			if (!value.known)
				continue;
			memcpy(&raw, all[k].after + parts[i].offset, parts[i].size);
			struct norn_value real = norn_value_of_bits(NULL, parts[i].size, raw);
			assert_true(value.integer == real.integer);
		}
	return unknown;
}

static void values_are_those_of_the_memory(void **state)
{
	static uint64_t offsets[PLACES];
	struct norn_place places[PLACES];
	for (unsigned i = 0; i < PLACES; i++) {
		offsets[i] = parts[i].offset;
		places[i] = (struct norn_place){.kind = NORN_PLACE_OBJECT,
		        .text = "part",
		        .base = &symbol,
		        .offsets = &offsets[i],
		        .hops = 1,
		        .count = 1,
		        .size = parts[i].size};
	}
	const struct norn_spec spec = {.places = places, .place_count = PLACES};
	enum { ROOM = 20000 };
	struct happening *all = calloc(ROOM, sizeof *all);
	uint64_t events = 0, unknown = 0;
	char path[64];
	snprintf(path, sizeof path, "/tmp/norn-valuation-%d", (int)getpid());
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct run_options options = {.seed = seed, .threads = 3, .steps = 400, .words = WORDS, .stamps = seed % 2};
		struct run run;
		struct norn_error err = {0};
		struct norn_trace *trace;
		struct norn_binding *binding;
		struct norn_hidden_writes hidden_writes;
		run_simulate(&options, &run);
		assert_int_equal(run_write(&run, path, 0), 0);
		assert_int_equal(norn_trace_open(path, false, &trace, &err), 0);
		assert_int_equal(norn_binding_new(&spec, &program, trace, &binding, &err), 0);
		assert_int_equal(norn_hidden_writes_find(binding, trace, NORN_MERGE_PATIENCE, &hidden_writes, &err), 0);
		unsigned count = run_all(binding, trace, &hidden_writes, all, ROOM);
		assert_true(count < ROOM);
		unknown += check_run(all, count);
		events += count;
		norn_hidden_writes_done(&hidden_writes);
		norn_binding_free(binding);
		norn_trace_close(trace);
		run_done(&run);
	}
	unlink(path);
	free(all);
	/* Both cases were there, many times. */
	assert_true(events > 10000);
	assert_true(unknown > 1000 && unknown < events * PLACES / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(values_are_those_of_the_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
