/* Scopes as a library: the paper's readers-writers, locals that are kept, threads that come and go, doubts,
 * and random runs against the definition. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "scope/scope_channel.h"

#define THREADS 8u

#define READERS_WRITERS                                                                                                            \
	"thread reader = spawn(r); thread writer = spawn(w); event acq = note \"L\"; event rd = note \"r\"; event wr = note "      \
	"\"w\";"                                                                                                                   \
	"scope res sync acq {"                                                                                                     \
	" local did_read for reader: ltl F rd; local did_write for writer: ltl F wr;"                                              \
	" atom activereader = some(did_read); atom activewriter = some(did_write);"                                                \
	" atom allreaders = count(did_read) == size(reader); atom onewriter = count(did_write) == 1;"                              \
	" check rw: ltl G (activewriter xor activereader); check ww: ltl G (activewriter -> onewriter);"                           \
	" check all: ltl G (activereader -> allreaders); }"

/* A scope that is played: threads are named R1 … R9 (type 0, numbers 0 …) and W1 … (type 1); L is an action; +T and -T come and go;
 * end. */
struct play {
	struct checked checked;
	struct norn_scope_machines *scoping;
	struct norn_scope_channel *channel;
	struct norn_seat *seats[2][10];
	uint64_t actions;
	char text[4096];
};

static void say(struct play *p, const char *format, ...)
{
	size_t length = strlen(p->text);
	va_list list;
	va_start(list, format);
	vsnprintf(p->text + length, sizeof p->text - length, format, list);
	va_end(list);
}

static void start(struct play *p, const char *text)
{
	struct norn_error err = {0};
	memset(p, 0, sizeof *p);
	p->checked = check_text(text, NULL);
	assert_string_equal(p->checked.diagnostics, "");
	assert_int_equal(p->checked.spec->scope_count, 1);
	if (norn_scope_machines_new(p->checked.spec, &p->checked.spec->scopes[0], &p->scoping, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(norn_scope_channel_new(p->scoping, &p->channel), 0);
}

static void stop(struct play *p)
{
	norn_scope_channel_free(p->channel);
	norn_scope_machines_free(p->scoping);
	check_done(&p->checked);
}

static void show(struct play *p, const struct norn_region *region)
{
	const struct norn_scope *scope = p->scoping->scope;
	if (region->doubt != NORN_DOUBT_NONE)
		say(p, "!%d", region->doubt);
	if (region->empty) {
		say(p, "-");
		return;
	}
	say(p, "(");
	for (uint32_t i = 0; i < scope->atom_count; i++)
		say(p, "%s%c", i ? "," : "", region->state.atoms >> i & 1 ? 'T' : 'F');
	say(p, ")");
	for (uint32_t i = 0; i < scope->check_count; i++) {
		const char *name = strrchr(scope->checks[i].property.name, '.');
		if (region->violated >> i & 1)
			say(p, "%s@%u", name ? name + 1 : "check", (unsigned)p->actions);
		if (region->satisfied >> i & 1)
			say(p, "%s=T", name ? name + 1 : "check");
	}
}

static void act(struct play *p)
{
	struct norn_region region;
	struct norn_scope_action action = {.thread = 99, .lock = 1};
	p->actions++;
	norn_scope_channel_sync(p->channel, &action, &region);
	show(p, &region);
}

/* The letter of an event, by its name, for one of the locals; 0: none of its own. */
static uint64_t letter_of(const struct play *p, uint32_t local, char name)
{
	const struct norn_property *property = &p->scoping->scope->locals[local].property;
	uint64_t letter = 0;
	for (uint32_t i = 0; i < property->atom_count; i++) {
		const struct norn_checked_event *event = &p->checked.spec->events[property->atoms[i].event];
		if (event->selector_count && event->selectors[0].note[0] == name)
			letter |= UINT64_C(1) << i;
	}
	return letter;
}

static void happen(struct play *p, unsigned type, unsigned number, char name)
{
	for (uint32_t i = 0; i < p->scoping->scope->local_count; i++) {
		uint64_t letter = letter_of(p, i, name);
		if (letter && p->scoping->scope->locals[i].type == type)
			norn_seat_event(p->channel, p->seats[type][number], i, letter);
	}
}

/* "L W1w L R1r R2r L end" */
static const char *play(struct play *p, const char *steps)
{
	p->text[0] = 0;
	for (const char *at = steps; *at; at += strcspn(at, " "), at += *at == ' ') {
		bool comes = *at == '+', goes = *at == '-';
		const char *name = at + (comes || goes);
		unsigned type = *name == 'W', number = (unsigned)(name[1] - '0');
		if (*at == 'L') {
			act(p);
		} else if (*at == 'e') {
			struct norn_region region;
			norn_scope_channel_end(p->channel, 99, &region);
			show(p, &region);
		} else if (comes) {
			p->seats[type][number] = norn_scope_channel_join(p->channel, type * 10 + number, UINT64_C(1) << type);
			assert_non_null(p->seats[type][number]);
		} else if (goes) {
			norn_scope_channel_leave(p->channel, p->seats[type][number]);
		} else {
			happen(p, type, number, name[2]);
		}
	}
	return p->text;
}

static void expect(const char *text, const char *steps, const char *result)
{
	struct play p;
	start(&p, text);
	assert_string_equal(play(&p, steps), result);
	stop(&p);
}

#define FOUR "+R1 +R2 +W1 +W2 "
#define GO " -R1 -R2 -W1 -W2 end"

/* State: activereader, activewriter, allreaders, onewriter. Region 0 is empty. */
static void test_vectors(void **state)
{
	expect(READERS_WRITERS, FOUR "L W1w L R1r R2r L W1w" GO, "-(F,T,F,T)(T,F,T,F)(F,T,F,T)");
	expect(READERS_WRITERS, FOUR "L W1w L R1r L", "-(F,T,F,T)(T,F,F,F)all@3");
	expect(READERS_WRITERS, FOUR "L W1w W2w L", "-(F,T,F,F)ww@2");
	expect(READERS_WRITERS, FOUR "L W1w R1r R2r L", "-(T,T,T,T)rw@2");
	expect(READERS_WRITERS, FOUR "L L", "--");
	/* Example 6 of the paper: one writer, two readers. */
	expect(READERS_WRITERS, "+R1 +R2 +W1 L W1w L R1r R2r R1r L W1w L", "-(F,T,F,T)(T,F,T,F)(F,T,F,T)");
	/* LTL3 says it once. */
	expect(READERS_WRITERS, FOUR "L W1w W2w L W1w W2w L", "-(F,T,F,F)ww@2(F,T,F,F)");
}

/* Who belongs to a region: those with events, and those who were there when it began. */
static void test_come_and_go(void **state)
{
	expect(READERS_WRITERS, "+R1 L R1r +R2 L R1r L", "-(T,F,T,F)(T,F,F,F)all@3");
	expect(READERS_WRITERS, "+R1 +R2 L R1r -R2 L R1r L", "-(T,F,F,F)all@2(T,F,T,F)");
	expect(READERS_WRITERS, "+R1 +R2 L R2r R1r -R2 L R1r L", "-(T,F,T,F)(T,F,T,F)");
	expect(READERS_WRITERS, "+R1 +R2 L R2r -R2 L", "-(T,F,F,F)all@2");
	/* A seat is used again, also in the same region, but not what was said in it. */
	expect(READERS_WRITERS, "+R1 L R1r -R1 +R2 L R2r L", "-(T,F,T,F)(T,F,T,F)");
	expect(READERS_WRITERS, "+R1 +R3 L R1r R3r -R1 L +R2 R3r L R3r R2r L", "-(T,F,T,F)(T,F,T,F)(T,F,T,F)");
	/* At the end, a region in which others are alive is not over. */
	expect(READERS_WRITERS, "+R1 +R2 L R1r end", "--");
}

#define COUNTS                                                                                                                     \
	"thread reader = spawn(r); thread writer = spawn(w); event acq = note \"L\"; event a = note \"a\"; event b = note \"b\";"  \
	"scope s sync acq {"

static void test_atoms(void **state)
{
	expect(COUNTS "local l for reader: ere a b; atom x = all(l); atom y = some(l); atom z = none(l); atom q = count(l) + 1 == "
	              "size(reader); check : ptltl !q; }",
	        "+R1 +R2 L R1a R1b L R2a R2b R1a R1b L R1a R2a L", "-(F,T,F,T)check@2(T,T,F,F)(F,F,T,F)");
	/* An expression that the empty trace matches: idle threads count. */
	expect(COUNTS "local l for reader: ere a* ; atom x = all(l); atom y = count(l) == 2; check : ltl G x; }", "+R1 +R2 L R1a L",
	        "-(T,T)");
	/* ptLTL: the verdict of the last event. */
	expect(COUNTS "local l for reader: ptltl (a || b) && prev a; atom x = some(l); check : ltl F x; }",
	        "+R1 L R1a L R1b L R1a R1b L R1b R1a L", "-(T)check=T---");
	/* Atoms of atoms, and a division that makes no sense in some regions: there the check waits. */
	expect(COUNTS "local l for reader: ltl F a; local m for reader: ltl F b; atom x = count(l) / count(m) == 2; atom y = "
	              "some(l) && !x; "
	              "check : ptltl x; }",
	        "+R1 +R2 L R1a L R1a R2a R2b L R1a R1b L", "-(F,F)(T,F)(F,T)check@4");
}

/* Kept: an action is an event, one for each; evaluated only if the region had an event. */
static void test_kept(void **state)
{
	static const char most[] =
	        COUNTS "local l for reader keep: ere (a{0,2} sync)* a{0,2}; atom bad = count(l) < 1; check : ptltl !bad; }";
	expect(most, "+R1 L R1a R1a L R1a L R1a R1a R1a L", "-(F)(F)(T)check@4");
	/* Regions in which it slept count as well: an a at most in every second one. */
	static const char rest[] =
	        COUNTS "local l for reader keep: ere sync* a (sync sync sync* a)*; atom ok = all(l); check : ptltl ok; }";
	expect(rest, "+R1 L R1a L L R1a L R1a L", "-(T)-(T)(F)check@5");
	/* Who slept has no verdict, and spoils nothing. */
	static const char grow[] =
	        COUNTS "local l for reader keep: ltl G (a -> X (sync || b)); atom ok = all(l); atom n = count(l) == 0; check "
	               ": ltl G ok; }";
	expect(grow, "+R1 +R2 L R1a L R2a R2b L R2a R2a L", "-(F,T)check@2--");
}

/* Overlapping types: a thread that is both counts for both. */
static void test_types(void **state)
{
	struct play p;
	start(&p, READERS_WRITERS);
	struct norn_seat *both = norn_scope_channel_join(p.channel, 1, 3);
	act(&p);
	norn_seat_event(p.channel, both, 0, 1);
	act(&p);
	norn_seat_event(p.channel, both, 0, 1);
	norn_seat_event(p.channel, both, 1, 1);
	act(&p);
	norn_seat_retype(p.channel, both, 2);
	norn_seat_event(p.channel, both, 1, 1);
	act(&p);
	assert_string_equal(p.text, "-(T,F,T,F)(T,T,T,T)rw@3(F,T,T,T)");
	stop(&p);
}

/* ---- doubts ---- */

static enum norn_doubt sync_by(struct play *p, struct norn_scope_action action, struct norn_region *region)
{
	norn_scope_channel_sync(p->channel, &action, region);
	return region->doubt;
}

static void test_order(void **state)
{
	struct play p;
	struct norn_region region;
	start(&p, READERS_WRITERS);
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 1, .site = 7}, &region), NORN_DOUBT_NONE);
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 1, .site = 7}, &region), NORN_DOUBT_NONE); /* itself */
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 2, .lock = 5, .known = 2}, &region), NORN_DOUBT_NONE);
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 3, .lock = 5}, &region), NORN_DOUBT_NONE);
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 4, .lock = 6, .known = 3}, &region), NORN_DOUBT_UNPROVEN);
	assert_int_equal(region.other.thread, 3);
	assert_true(norn_scope_channel_is_withdrawn(p.channel));
	/* Nothing more is said. */
	p.seats[0][1] = norn_scope_channel_join(p.channel, 1, 2);
	norn_seat_event(p.channel, p.seats[0][1], 1, 1);
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 4}, &region), NORN_DOUBT_NONE);
	assert_true(region.empty);
	stop(&p);
}

static void test_overlap(void **state)
{
	struct play p;
	struct norn_region region;
	start(&p, READERS_WRITERS);
	atomic_store(&p.channel->busy, UINT64_C(5) << 32 | 77); /* thread 4 is in the midst of it */
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 1, .site = 7}, &region), NORN_DOUBT_OVERLAP);
	assert_int_equal(region.other.thread, 4);
	assert_int_equal(region.other.site, 77);
	assert_true(norn_scope_channel_is_withdrawn(p.channel));
	assert_int_equal(atomic_load(&p.channel->busy), UINT64_C(5) << 32 | 77);
	stop(&p);
}

static void test_late(void **state)
{
	struct play p;
	start(&p, READERS_WRITERS);
	play(&p, "+R1 +R2 L R2r L");
	/* R1's event found region 1, and is noted only now. */
	atomic_store(&p.channel->region, 1);
	play(&p, "R1r");
	atomic_store(&p.channel->region, 2);
	struct norn_region region;
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 99, .lock = 1}, &region), NORN_DOUBT_LATE);
	assert_int_equal(region.other.thread, 1);
	assert_int_equal(region.late, 1);
	assert_false(norn_scope_channel_is_withdrawn(p.channel));
	assert_int_equal(sync_by(&p, (struct norn_scope_action){.thread = 99, .lock = 1}, &region), NORN_DOUBT_NONE);
	stop(&p);
}

static void test_reset(void **state)
{
	struct play p;
	start(&p, READERS_WRITERS);
	play(&p, FOUR "L W1w W2w L");
	norn_scope_channel_reset(p.channel, 1);
	assert_string_equal(play(&p, "W1w L W1w W2w L"), "(F,T,F,T)(F,T,F,F)ww@4");
	stop(&p);
}

/* More threads than a chunk has seats, and lines of their own. */
static void test_many(void **state)
{
	struct play p;
	struct norn_seat *seats[200];
	struct norn_region region;
	start(&p, READERS_WRITERS);
	for (unsigned i = 0; i < 200; i++) {
		seats[i] = norn_scope_channel_join(p.channel, i, 1);
		assert_int_equal((uintptr_t)seats[i] % 64, 0);
		for (unsigned k = 0; k < i; k++)
			assert_true((uintptr_t)seats[i] / 64 != (uintptr_t)seats[k] / 64);
	}
	struct norn_scope_action action = {.thread = 1, .lock = 1};
	norn_scope_channel_sync(p.channel, &action, &region);
	for (unsigned i = 0; i < 199; i++)
		norn_seat_event(p.channel, seats[i], 0, 1);
	norn_scope_channel_sync(p.channel, &action, &region);
	assert_int_equal(region.violated, 4);
	for (unsigned i = 0; i < 200; i++)
		norn_scope_channel_leave(p.channel, seats[i]);
	norn_scope_channel_sync(p.channel, &action, &region);
	for (unsigned round = 0; round < 5; round++) { /* no new chunks */
		struct norn_seat *seat = norn_scope_channel_join(p.channel, 1000 + round, 1);
		assert_ptr_equal(seat, seats[0]);
		norn_scope_channel_leave(p.channel, seat);
	}
	stop(&p);
}

/* ---- random runs against the definition (paper, definition 10) ---- */

#define STEPS 60u

struct step {
	unsigned type, number;
	char event; /* 'a', 'b', or 'L' */
};

/* The verdict of a local on a trace of letters, from the start. */
static bool counts(const struct play *p, uint32_t local, const char *trace)
{
	const struct norn_monitor *m = p->scoping->locals[local].monitor;
	uint64_t s = norn_monitor_start(m);
	for (; *trace; trace++)
		s = norn_monitor_step(m, s, letter_of(p, local, *trace));
	return norn_verdict_counts(norn_monitor_verdict(m, s));
}

/* Of one region: per local how many threads count, all of them having been there all the time. */
static void define(const struct play *p, const struct step *steps, unsigned count, unsigned *ret_counts, bool *ret_empty)
{
	*ret_empty = true;
	for (uint32_t local = 0; local < p->scoping->scope->local_count; local++) {
		unsigned type = p->scoping->scope->locals[local].type;
		ret_counts[local] = 0;
		for (unsigned number = 0; number < 3; number++) {
			char trace[STEPS + 1];
			unsigned length = 0;
			for (unsigned i = 0; i < count; i++)
				if (steps[i].type == type && steps[i].number == number && letter_of(p, local, steps[i].event))
					trace[length++] = steps[i].event;
			trace[length] = 0;
			*ret_empty &= length == 0;
			ret_counts[local] += counts(p, local, trace);
		}
	}
}

static void test_random(void **state)
{
	static const char text[] =
	        COUNTS "local l for reader: ltl a U b; local m for reader: ptltl b S a; local n for writer: ere (a b)* a;"
	               "atom l0 = count(l) == 0; atom l1 = count(l) == 1; atom l2 = count(l) == 2; atom m1 = count(m) > 1;"
	               "atom n0 = none(n); atom n3 = all(n); check : ptltl l0 -> !m1; }";
	uint32_t seed = 1;
	for (unsigned round = 0; round < 300; round++) {
		struct play p;
		struct step steps[STEPS];
		unsigned first = 0;
		start(&p, text);
		play(&p, "+R0 +R1 +R2 +W0 +W1 +W2 L");
		for (unsigned i = 0; i < STEPS; i++) {
			seed = seed * 1103515245 + 12345;
			uint32_t r = seed >> 8;
			steps[i] = (struct step){r % 2, r / 2 % 3, r / 6 % 7 == 0 ? 'L' : r / 42 % 2 ? 'a' : 'b'};
			if (steps[i].event != 'L') {
				happen(&p, steps[i].type, steps[i].number, steps[i].event);
				continue;
			}
			unsigned c[3];
			bool empty;
			struct norn_region region;
			struct norn_scope_action action = {.thread = 9, .lock = 1};
			define(&p, steps + first, i - first, c, &empty);
			norn_scope_channel_sync(p.channel, &action, &region);
			assert_int_equal(region.empty, empty);
			uint64_t atoms = (c[0] == 0) | (c[0] == 1) << 1 | (c[0] == 2) << 2 | (c[1] > 1) << 3 | (c[2] == 0) << 4 |
			                 (c[2] == 3) << 5;
			if (!empty)
				assert_int_equal(region.state.atoms, atoms);
			first = i + 1;
		}
		stop(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_vectors),
	        cmocka_unit_test(test_come_and_go),
	        cmocka_unit_test(test_atoms),
	        cmocka_unit_test(test_kept),
	        cmocka_unit_test(test_types),
	        cmocka_unit_test(test_order),
	        cmocka_unit_test(test_overlap),
	        cmocka_unit_test(test_late),
	        cmocka_unit_test(test_reset),
	        cmocka_unit_test(test_many),
	        cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
