/* MTTL's vectors (docs/property-language.md), predicted states, and threads that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "instrument/access/inline_check_layout.h"
#include "local_monitors.h"
#include "mttl/cell_readers.h"

/* Code that the pass makes knows the same as the runtime. */
_Static_assert(offsetof(struct norn_knowledge_cache_words, mask) == NORN_INLINE_MASK &&
                       offsetof(struct norn_knowledge_cache_words, base) == NORN_INLINE_BASE &&
                       sizeof(struct norn_knowledge_cache_words) == NORN_INLINE_WORDS_BYTES,
        "the same words");
_Static_assert(offsetof(struct norn_knowledge_cache, seen) == 0 && offsetof(struct norn_seen, entries) == 0, "the same layout");

static const char *const names[] = {"x", "y", "chk", "sav", "m", "u", "v", NULL};

static uint32_t variable(char letter)
{
	const char *at = strchr("xycsmuv", letter);
	assert_non_null(at);
	return (uint32_t)(at - "xycsmuv");
}

static uint32_t event_number(const struct norn_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->event_count; i++)
		if (strcmp(spec->events[i].name, name) == 0)
			return i;
	return 0;
}

/* "1rx" thread 1 reads x, "2wc7" writes 7 to chk, "1(" enters, "1)" leaves, "1." does something. Threads are numbered from 1. */
static struct step step_of(const char *word, const struct norn_spec *spec)
{
	struct step s = {.thread = (uint32_t)(word[0] - '1')};
	switch (word[1]) {
	case 'r':
	case 'w':
		s.kind = word[1] == 'r' ? STEP_READ : STEP_WRITE;
		s.variable = variable(word[2]);
		s.value = atoi(word + 3);
		break;
	case '(':
	case ')':
		s.kind = STEP_NOTE;
		s.variable = event_number(spec, word[1] == '(' ? "enter" : "leave");
		break;
	case 'f':
	case 'j':
		s.kind = word[1] == 'f' ? STEP_FORK : STEP_JOIN;
		s.variable = (uint32_t)(word[2] - '1');
		break;
	case 'e':
		s.kind = STEP_END;
		break;
	default:
		break;
	}
	return s;
}

/* Verdicts of thread `of` (from 1; 0: of all) at its events, for the first property. */
static const char *verdicts_of(const char *properties, const char *run, unsigned of, unsigned begun)
{
	static char result[STEPS_MAX + 1];
	struct checked c = check_text(properties, NULL);
	struct play play;
	char words[512], *rest = words;
	size_t count = 0;
	assert_string_equal(c.diagnostics, "");
	play_open(&play, c.sources, c.spec, names, NULL, 4, begun);
	snprintf(words, sizeof words, "%s", run);
	for (char *word; (word = strtok_r(NULL, " ", &rest));) {
		struct step s = step_of(word, c.spec);
		uint64_t wrong, unknown;
		play_step(&play, &s, &wrong, &unknown);
		if (!of || s.thread + 1 == of)
			result[count++] = wrong & 1 ? 'F' : unknown & 1 ? '?' : 'T';
	}
	result[count] = 0;
	play_close(&play);
	check_done(&c);
	return result;
}

static const char *verdicts(const char *properties, const char *run, unsigned of)
{
	return verdicts_of(properties, run, of, 7);
}

#define BLOCKS(update)                                                                                                             \
	"event enter = note \"enter\"; event leave = note \"leave\"; ghost atomic = 0 { enter: " update "; leave: 0; } "
#define COUNTER "property bank { mttl for i: atomic > 0 -> !(exists j != i. (atomic == @j @i atomic)); }"
#define BOOLEAN "property bank { mttl for i: atomic == 1 -> !(exists j != i. (@j @i atomic == 1)); }"

static void test_bank(void **state)
{
	/* 1 violating, 2 fine */
	assert_string_equal(verdicts(BLOCKS("fresh") COUNTER, "2( 2rc 2wc 1( 1rc 1rs 1) 2rs 2ws 2)", 0), "TTTTTTTTFT");
	assert_string_equal(verdicts(BLOCKS("fresh") COUNTER, "1( 1rc 2( 2rc 2wc 1rs 1) 2rs 2ws 2)", 0), "TTTTTTTTTT");
	/* 3 two blocks: with a boolean a false alarm */
	assert_string_equal(verdicts(BLOCKS("fresh") COUNTER, "1( 1wc 1) 2rc 2ws 1( 1rs 1)", 1), "TTTTTT");
	assert_string_equal(verdicts(BLOCKS("1") BOOLEAN, "1( 1wc 1) 2rc 2ws 1( 1rs 1)", 1), "TTTTFT");
}

static const char paper[] = "property race { mttl for i: forall j != i. ("
                            "(read(x) && once write(x) -> !@j(write(x))) && (write(x) -> !@j(read(x) && once write(x)))"
                            "&& (write(x) -> !@j(write(x)))); }";
static const char full[] =
        "property race { mttl for i: forall j != i. ((read(x) -> !@j(write(x))) && (write(x) -> !@j(access(x)))); }";

static void test_race(void **state)
{
	assert_string_equal(verdicts(paper, "1rx 1wx 2rx 2wx", 2), "TF");
	assert_string_equal(verdicts(full, "1rx 1wx 2rx 2wx", 2), "FF");
	assert_string_equal(verdicts(paper, "1wm 1rx 1wx 1wm 2wm 2rx 2wx 2wm", 0), "TTTTTTTT");
	assert_string_equal(verdicts(full, "1wm 1rx 1wx 1wm 2wm 2rx 2wx 2wm", 0), "TTTTTTTT");
	assert_string_equal(verdicts(paper, "1wx 2rx", 0), "TT");
	assert_string_equal(verdicts(full, "1wx 2rx", 0), "TF");
	assert_string_equal(verdicts(paper, "1rx 2wx", 0), "TT");
	assert_string_equal(verdicts(full, "1rx 2wx", 0), "TF");
}

static void test_remote_expression(void **state)
{
	/* 5: the second thread's y, as far as the first one knows it; named threads are those of a type. x is 1 at first. */
	const char *p = "property p { mttl for i: forall j != i. (x > @j y); }";
	assert_string_equal(verdicts(p, "1wx1 2wy5 1wx3 1ry 2wy9 1wx7 1ry", 1), "TTFTF");
	/* 6 */
	assert_string_equal(verdicts("property p { mttl for i: prev (x == 0); }", "1wx1 1rx", 1), "TF");
}

static void test_knowing_oneself(void **state)
{
	assert_string_equal(verdicts("property p { mttl for i: @i (x == 0) && @i x == x; }", "1wx1 1wx0 1.", 1), "FTT");
	assert_string_equal(verdicts("property p { mttl for i: @i x == 0; }", "1wx1 1wx0 1.", 1), "FTT");
	assert_string_equal(verdicts(BLOCKS("fresh") "property p { mttl for i: @i atomic == 0; }", "1( 1) 1( 1.", 1), "FTFF");
	/* Of itself a thread knows everything, whatever the name. */
	assert_string_equal(verdicts("property p { mttl for i: forall j. (@j x == x); }", "1wx1 1wx2", 1), "TT");
}

/* Three threads like those of the paper's Figure 2, which is lost. All 0 at first; the run is the order of the text.
 *   1: x = 1; 2: v = x + 3 (4); 2: y = 1; 3: u = y + 2 (3); 1: u = 9, which 2 never hears of; 2: v = v + 1 (5) */
static const char figure[] = "1wx1 2rx 2wv4 2wy1 3ry 3wu3 3wm 2rm 1wu9 2rv 2wv5";

static struct norn_value known(const struct play *play, uint32_t thread, char letter)
{
	return play->local_monitor[thread]->now->places[play->place[variable(letter)]].value;
}

static void expect_state(const struct play *play, uint32_t thread, const char *expected)
{
	for (; *expected; expected += 2)
		assert_int_equal((int)known(play, thread, expected[0]).integer, expected[1] - '0');
}

static void test_predicted_state(void **state)
{
	struct checked c = check_text("property p { mttl for i: x + y + u + v >= 0; }", NULL);
	struct play play;
	uint64_t wrong, unknown;
	char words[128], *rest = words;
	play_open(&play, c.sources, c.spec, names, NULL, 3, 7);
	snprintf(words, sizeof words, "%s", figure);
	for (char *word; (word = strtok_r(NULL, " ", &rest));) {
		struct step s = step_of(word, c.spec);
		play_step(&play, &s, &wrong, &unknown);
		if (strcmp(word, "3wu3") == 0)
			expect_state(&play, 2, "x1y1u3v4");
	}
	/* The actual state is x=1 y=1 u=9 v=5: the second thread knows of u = 3 only. */
	expect_state(&play, 1, "x1y1u3v5");
	expect_state(&play, 0, "x1u9");
	play_close(&play);
	/* Another consistent run gets there: all but 1wu9, which nothing depends on, first. */
	play_open(&play, c.sources, c.spec, names, NULL, 3, 7);
	snprintf(words, sizeof words, "1wx1 2rx 2wv4 2wy1 3ry 3wu3 3wm 2rm 2rv 2wv5");
	rest = words;
	for (char *word; (word = strtok_r(NULL, " ", &rest));) {
		struct step s = step_of(word, c.spec);
		play_step(&play, &s, &wrong, &unknown);
	}
	expect_state(&play, 1, "x1y1u3v5");
	play_close(&play);
	check_done(&c);
}

static void test_threads_come_and_go(void **state)
{
	const char *p = "property p { mttl for i: forall j != i. (@j x == 0); }";
	/* Thread 2 begins when 1 forks it, and ends; once its end is known no thread asks for it any more. */
	assert_string_equal(verdicts_of(p, "1f2 2wx1 2e 1. 1j2 1wy1", 1, 1), "TTTT");
	assert_string_equal(verdicts_of(p, "1f2 2wx1 1rx 2e 1. 1j2 1.", 1, 1), "TFFTT");
	/* Its seat is given to another one, of which only what it does is known. */
	assert_string_equal(verdicts_of(p, "1f2 2wx1 1rx 2e 1j2 1f3 3wx0 1rx 1.", 1, 1), "TFTTTT");
	/* A child knows what its parent knew. */
	assert_string_equal(verdicts_of("property p { mttl for i: exists j != i. @j (x == 5); }", "1wx5 1f2 2. 1.", 2, 1), "T");
}

static void test_history_with_new_threads(void **state)
{
	/* That everyone known was always quiet: also for a thread that was unknown for a while. */
	const char *p = "property p { mttl for i: forall j != i. hist (@j x == 0); }";
	assert_string_equal(verdicts_of(p, "1. 1f2 2wy1 1ry 2wx1 1rx 2wx0 1rx", 1, 1), "TTTFF");
	assert_string_equal(
	        verdicts_of("property p { mttl for i: forall j != i. prev prev (@j x == 0); }", "1f2 2wx1 1rx 1. 1. 1.", 1, 1),
	        "TTTFF");
}

static bool are_same(const struct norn_mttl *p, struct norn_knowledge *a, struct norn_knowledge *b)
{
	return norn_knowledge_covers(p, a, b) && norn_knowledge_covers(p, b, a);
}

static void put(struct norn_knowledge **at, struct norn_knowledge *by)
{
	norn_knowledge_drop(*at);
	*at = by;
}

/* The monitor looks whether it knows the word's vectors, so that cell steps may be taken. */
static void recognize(struct norn_local_monitor *m, uint64_t bits)
{
	if (bits & NORN_WORD_SPLIT && !norn_word_is_halves(bits))
		return;
	if (norn_cell_step_write_id(bits))
		norn_word_knows(m, norn_cell_step_write_id(bits));
	if (norn_cell_step_access_id(bits))
		norn_word_knows(m, norn_cell_step_access_id(bits));
}

/* As code in the program does. */
static bool is_seen(const struct norn_local_monitor *m, uint64_t word, unsigned first, unsigned size, bool writes, uint32_t site)
{
	uint32_t entry = writes ? NORN_INLINE_SEEN_WRITE(size) : NORN_INLINE_SEEN_READ(size, site);
	return first % size == 0 && m->knowledge_cache->seen->entries[entry + first / size] == word;
}

/* A word against eight bytes that each have their own two vectors. */
static void test_words_are_bytes(void **state)
{
	struct checked c = check_text(
	        "event e = note \"e\"; ghost g = 0 { e: fresh; } property p { mttl for i: forall j. (@j g >= 0); }", NULL);
	struct play play;
	struct norn_knowledge *write[8] = {0}, *access[8] = {0}, *w, *a;
	uint64_t wrong, unknown, familiar_steps = 0, sights = 0, quick = 0, quick_steps = 0, passes = 0, readers = 0;
	assert_string_equal(c.diagnostics, "");
	play_open(&play, c.sources, c.spec, names, NULL, THREADS_MAX, (1u << THREADS_MAX) - 1);
	const struct norn_mttl *p = &play.local_monitors.program;
	struct norn_knowledge_cell *word = &play.words[0];
	srand(7);
	for (unsigned n = 0; n < 200000; n++) {
		bool crowded = n % 2000 >= 1500; /* many threads, which mostly read */
		struct norn_local_monitor *m = play.local_monitor[(unsigned)rand() % (crowded ? THREADS_MAX : 3)];
		unsigned size = rand() % (crowded ? 64 : 4) ? 8 : 1u << rand() % 4, first = (unsigned)rand() % (9 - size);
		if (n % 2000 < 1000) { /* halves */
			size = 4;
			first = rand() % 2 * 4;
		}
		unsigned mask = ((1u << size) - 1) << first;
		bool writes = rand() % (crowded ? 64 : 4) == 0;
		if (rand() % 8 == 0) {
			struct step s = {.kind = STEP_NOTE, .thread = m->number};
			play_step(&play, &s, &wrong, &unknown);
		}
		norn_local_monitor_think(m, &(struct norn_monitor_input){0});
		bool familiar = norn_word_is_familiar(m, word, mask, writes), seen = is_seen(m, word->bits, first, size, writes, n);
		if (familiar && first % size == 0)
			norn_knowledge_cache_remember(m->knowledge_cache, word->bits, first, size, writes, n);
		struct norn_knowledge *before = m->now;
		uint64_t bits;
		recognize(m, word->bits);
		if (rand() % 2 && norn_cell_step_quickly(m->knowledge_cache, word->bits, mask, writes, &bits)) {
			norn_cell_step_count(m, word->bits, bits, writes);
			word->bits = bits;
			quick++;
		} else if (rand() % 2 && norn_cell_step(m->knowledge_cache, word->bits, mask, writes, &bits)) {
			norn_cell_step_count(m, word->bits, bits, writes);
			word->bits = bits;
			quick_steps++;
		} else if (rand() % 2 && norn_word_pass(m, word, mask, writes)) {
			passes++;
		} else {
			norn_word_learn(m, word, mask, writes, (struct norn_knowledge_origin){0});
			norn_local_monitor_think(m, &(struct norn_monitor_input){0});
			norn_word_teach(m, word, mask, writes);
		}
		familiar_steps += familiar;
		readers += !(word->bits & NORN_WORD_SPLIT) &&
		           norn_cell_readers_are(norn_id_objects[word->bits >> NORN_WORD_ACCESS_SHIFT]);
		sights += seen;
		for (unsigned i = first; i < first + size; i++) {
			bool known =
			        writes ? are_same(p, write[i], m->now) && are_same(p, access[i], m->now)
			               : norn_knowledge_covers(p, m->now, write[i]) && norn_knowledge_covers(p, access[i], m->now);
			assert_true((!familiar && !seen) || (known && before == m->now));
			assert_true(norn_knowledge_covers(p, m->now, writes ? access[i] : write[i]));
			put(&access[i], access[i] ? norn_knowledge_join(p, m->now, access[i]) : norn_knowledge_keep(m->now));
			if (writes)
				put(&write[i], norn_knowledge_keep(m->now));
		}
		for (unsigned i = 0; i < 8; i++) {
			norn_word_peek(&play.local_monitors, word, i, &w, &a);
			assert_true(are_same(p, w, write[i]));
			assert_true(are_same(p, a, access[i]));
			put(&w, NULL);
			put(&a, NULL);
		}
	}
	assert_true(familiar_steps > 1000);
	assert_true(sights > 1000);
	assert_true(quick > 1000);
	assert_true(quick_steps > 1000);
	assert_true(passes > 10);
	assert_true(readers > 1000);
	for (unsigned i = 0; i < 8; i++) {
		put(&write[i], NULL);
		put(&access[i], NULL);
	}
	play_close(&play);
	check_done(&c);
}

/* However many ghosts an event updates: all of them, and at once. */
static void test_many_ghosts(void **state)
{
	char text[2048] = "event enter = note \"enter\"; event leave = note \"leave\"; ";
	size_t length = strlen(text);
	for (char g = 'a'; g <= 'l'; g++)
		length += (size_t)snprintf(
		        text + length, sizeof text - length, "ghost g%c = %d { enter: g%c; } ", g, g - 'a', g == 'l' ? 'a' : g + 1);
	snprintf(text + length, sizeof text - length,
	        "property p { mttl for i: ga != 11 && (gl == ga - 1 || ga == 0 && gl == 11); }");
	assert_string_equal(verdicts(text, "1( 1( 1( 1( 1( 1( 1( 1( 1( 1( 1( 1( 1(", 1), "TTTTTTTTTTFTT");
}

static void test_too_much(void **state)
{
	struct checked c =
	        check_text("property p { mttl for i: forall j. forall k. forall l. @j once (@k x == @l x + @i x); }", NULL);
	struct norn_mttl program;
	struct norn_error err = {0};
	assert_int_equal(norn_mttl_compile(c.sources, c.spec, &program, &err), -E2BIG);
	assert_string_equal(err.message, "property p: a part of the formula speaks of more than two threads besides its own");
	check_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_bank),
	        cmocka_unit_test(test_race),
	        cmocka_unit_test(test_remote_expression),
	        cmocka_unit_test(test_knowing_oneself),
	        cmocka_unit_test(test_predicted_state),
	        cmocka_unit_test(test_threads_come_and_go),
	        cmocka_unit_test(test_history_with_new_threads),
	        cmocka_unit_test(test_words_are_bytes),
	        cmocka_unit_test(test_many_ghosts),
	        cmocka_unit_test(test_too_much),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
