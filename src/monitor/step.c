/* Stepping a monitor: apart from making one, so that a watched program carries no synthesis. */
#include "monitor/machine.h"

uint64_t norn_monitor_start(const struct norn_monitor *monitor)
{
	return monitor->initial;
}

/* Apart, so that the way of a table needs no stack. */
__attribute__((noinline)) static uint64_t step_dfa(const struct norn_monitor *monitor, uint64_t state, uint64_t letter)
{
	uint16_t class = norn_letters_class(&monitor->letters, letter);
	return class == NORN_LETTER_NONE ? state : monitor->dfa.next[state * monitor->dfa.letters + class];
}

uint64_t norn_monitor_step(const struct norn_monitor *monitor, uint64_t state, uint64_t letter)
{
	if (monitor->machine == NORN_MACHINE_TABLE)
		return monitor->table[state >> 1 << monitor->alphabet.atoms | letter];
	return monitor->machine == NORN_MACHINE_DFA ? step_dfa(monitor, state, letter)
	                                            : norn_ptltl_step(&monitor->ptltl, state, letter);
}

enum norn_verdict norn_monitor_verdict(const struct norn_monitor *monitor, uint64_t state)
{
	if (monitor->machine == NORN_MACHINE_DFA)
		return monitor->dfa.verdict[state];
	if (!(state & NORN_PTLTL_STARTED))
		return NORN_VERDICT_OPEN;
	return state & NORN_PTLTL_VERDICT ? NORN_VERDICT_TRUE : NORN_VERDICT_FALSE;
}

static enum norn_verdict bad(const struct norn_monitor *monitor)
{
	return monitor->logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
}

bool norn_monitor_violated(const struct norn_monitor *monitor, uint64_t state)
{
	return norn_monitor_verdict(monitor, state) == bad(monitor);
}

enum norn_verdict norn_monitor_final(const struct norn_monitor *monitor, uint64_t state, uint64_t last_letter)
{
	enum norn_verdict verdict = norn_monitor_verdict(monitor, state);
	if (monitor->machine != NORN_MACHINE_DFA || verdict != NORN_VERDICT_OPEN || monitor->end == NORN_END_OPEN)
		return verdict;
	if (monitor->end == NORN_END_FINITE)
		return monitor->logic == NORN_LOGIC_LTL ? monitor->dfa.final[state] : NORN_VERDICT_FALSE;
	uint16_t class = norn_letters_class(&monitor->letters, last_letter);
	if (!monitor->dfa.stutter || class == NORN_LETTER_NONE)
		return verdict;
	return monitor->dfa.stutter[state * monitor->dfa.letters + class];
}

bool norn_monitor_ends_badly(const struct norn_monitor *monitor, uint64_t state, uint64_t last_letter)
{
	return norn_monitor_final(monitor, state, last_letter) == bad(monitor);
}

bool norn_monitor_settled(const struct norn_monitor *monitor, uint64_t state)
{
	if (monitor->machine == NORN_MACHINE_DFA)
		return monitor->dfa.settled[state];
	enum norn_op root = monitor->ptltl.lines[monitor->ptltl.count - 1].op;
	return (state & NORN_PTLTL_STARTED) && (root == NORN_OP_TRUE || root == NORN_OP_FALSE);
}

uint32_t norn_monitor_fsm_state(const struct norn_monitor *monitor, uint64_t state)
{
	return state < monitor->fsm_states ? (uint32_t)state : NORN_FSM_DEAD;
}

uint32_t norn_monitor_size(const struct norn_monitor *monitor)
{
	if (monitor->machine != NORN_MACHINE_DFA)
		return monitor->ptltl.bits;
	return monitor->logic == NORN_LOGIC_FSM ? monitor->fsm_states : monitor->dfa.states;
}

bool norn_monitor_possible(const struct norn_monitor *monitor, uint64_t letter)
{
	return norn_alphabet_has(&monitor->alphabet, letter);
}
