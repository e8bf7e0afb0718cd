/* Minimal machines against a naive construction: pairs of states that some word tells apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machines.h"
#include "monitor/automata/dfa.h"

#define STATES 24u

/* Fills different[a][b], and counts the classes of the states that can be reached. */
static uint32_t classes(const struct norn_dfa *dfa)
{
	bool different[STATES][STATES] = {{false}}, reached[STATES] = {true}, changed = true;
	for (uint32_t a = 0; a < dfa->states; a++)
		for (uint32_t b = 0; b < dfa->states; b++)
			different[a][b] = dfa->verdict[a] != dfa->verdict[b] || dfa->final[a] != dfa->final[b];
	while (changed) {
		changed = false;
		for (uint32_t a = 0; a < dfa->states; a++)
			for (uint32_t c = 0; c < dfa->letters; c++) {
				uint32_t to = dfa->next[a * dfa->letters + c];
				changed |= reached[a] && !reached[to];
				reached[to] |= reached[a];
				for (uint32_t b = 0; b < dfa->states; b++)
					if (!different[a][b] && different[to][dfa->next[b * dfa->letters + c]])
						different[a][b] = changed = true;
			}
	}
	uint32_t count = 0;
	for (uint32_t a = 0; a < dfa->states; a++) {
		bool first = reached[a];
		for (uint32_t b = 0; b < a; b++)
			first &= !reached[b] || different[a][b];
		count += first;
	}
	return count;
}

static void test_random(void **state)
{
	uint32_t seed = 123456789u, smaller = 0;
	struct norn_alphabet alphabet = {.atoms = 2, .all = 3, .together = {3, 3}, .empty = true};
	for (unsigned round = 0; round < 3000; round++) {
		struct norn_limits limits = {.states = STATES, .work = NORN_WORK_MAX};
		struct norn_letters letters;
		uint32_t number, before[STATES * 4];
		uint8_t verdicts[STATES], words[STATES] = {0};
		assert_int_equal(norn_letters_init(&letters, &alphabet, NULL), 0);
		assert_int_equal(letters.count, 4);
		struct norn_dfa dfa = {.letters = 4};
		uint32_t n = 1 + machine_random(&seed, STATES), spread = 1 + machine_random(&seed, n);
		for (uint32_t s = 0; s < n; s++) {
			assert_int_equal(norn_dfa_add(&dfa, machine_random(&seed, 8) ? NORN_VERDICT_OPEN : NORN_VERDICT_FALSE,
			                         &limits, &number, NULL),
			        0);
			dfa.final[s] = machine_random(&seed, 6) ? NORN_VERDICT_OPEN : NORN_VERDICT_TRUE;
			for (uint32_t c = 0; c < 4; c++) /* near targets make long chains */
				dfa.next[s * 4 + c] = (s + machine_random(&seed, spread)) % n;
			words[s] = (uint8_t)machine_random(&seed, 4);
		}
		memcpy(before, dfa.next, n * 4 * sizeof *before);
		memcpy(verdicts, dfa.verdict, n);
		uint32_t expected = classes(&dfa);
		norn_dfa_minimise(&dfa, &letters);
		assert_int_equal(dfa.states, expected);
		assert_int_equal(classes(&dfa), expected);
		smaller += expected < n;
		for (uint32_t i = 0, mine = 0, old = 0; i < n; i++) { /* the same verdicts on a word */
			assert_int_equal(dfa.verdict[mine], verdicts[old]);
			mine = dfa.next[mine * dfa.letters + norn_letters_class(&letters, words[i])];
			old = before[old * 4 + words[i]];
		}
		norn_letters_done(&letters);
		norn_dfa_done(&dfa);
	}
	assert_in_range(smaller, 300, 2900);
}

/* A chain: partition refinement that goes over all states in every round would take its length squared. */
static void test_chain(void **state)
{
	struct norn_alphabet alphabet = {.atoms = 1, .all = 1, .together = {1}, .empty = false};
	struct norn_limits limits = {.states = 100000, .work = NORN_WORK_MAX};
	struct norn_letters letters;
	struct norn_dfa dfa = {.letters = 1};
	uint32_t number;
	assert_int_equal(norn_letters_init(&letters, &alphabet, NULL), 0);
	for (uint32_t s = 0; s < 100000; s++) {
		assert_int_equal(
		        norn_dfa_add(&dfa, s == 99999 ? NORN_VERDICT_FALSE : NORN_VERDICT_OPEN, &limits, &number, NULL), 0);
		dfa.next[s] = s == 99999 ? s : s + 1;
	}
	norn_dfa_minimise(&dfa, &letters);
	assert_int_equal(dfa.states, 100000);
	norn_dfa_settle(&dfa);
	assert_false(dfa.settled[99998]);
	assert_true(dfa.settled[99999]);
	norn_letters_done(&letters);
	norn_dfa_done(&dfa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_chain)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
