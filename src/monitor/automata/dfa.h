/* Deterministic machines with a verdict per state: what LTL, expressions and automata become.
 *
 * State 0 is the initial one. A machine is built by adding states and filling their rows, then minimised: no two of its states give
 * the same verdicts on all words, and none is unreachable. The dfa owns its arrays; an all-zero dfa with `letters` set is an empty
 * one. */
#ifndef NORN_MONITOR_DFA_H
#define NORN_MONITOR_DFA_H

#include "monitor/automata/letters.h"

struct norn_dfa {
	uint32_t states, letters, room;
	uint32_t *next; /* state × letter */
	uint8_t *verdict; /* per state: enum norn_verdict */
	uint8_t *final; /* per state: the verdict if the run ends here; what the verdict is unless end=finite changes it */
	uint8_t *settled; /* per state: no word changes the verdict; made by norn_dfa_settle */
	uint8_t *stutter; /* state × letter: the verdict if the letter is repeated for ever; NULL unless end=stutter */
};

/* Limits of synthesis. Work is counted in steps of the innermost loops, so that refusals do not depend on the machine. */
struct norn_limits {
	uint32_t states;
	uint64_t work; /* work left */
};
#define NORN_WORK_MAX UINT64_C(60000000)
#define NORN_DFA_ENTRIES_MAX UINT64_C(10000000) /* of a table: states × letters */

static inline bool norn_limits_spend(struct norn_limits *limits, uint64_t work)
{
	if (limits->work < work)
		return false;
	limits->work -= work;
	return true;
}

void norn_dfa_done(struct norn_dfa *dfa);
/* Its row is not yet filled. -E2BIG: over the limits, with the sentence that says so. */
int norn_dfa_add(
        struct norn_dfa *dfa, enum norn_verdict verdict, struct norn_limits *limits, uint32_t *ret_state, struct norn_error *err);
/* Adds the predecessors of set's members to it, and theirs, and so on. */
void norn_dfa_close_backward(const struct norn_dfa *dfa, uint8_t *set);
void norn_dfa_settle(struct norn_dfa *dfa);
/* Merges equivalent states, numbers them breadth-first, and merges letters that all states treat alike. */
void norn_dfa_minimise(struct norn_dfa *dfa, struct norn_letters *letters);
/* The last part of it alone: for machines whose states stay as written. */
void norn_dfa_merge_letters(struct norn_dfa *dfa, struct norn_letters *letters);

#endif
