#include "monitor/monitor.h"

#include <errno.h>
#include <stdlib.h>

#include "monitor/ere.h"
#include "monitor/fsm.h"
#include "monitor/ltl.h"
#include "monitor/machine.h"

#define STATES_MAX 100000u

static int make_ptltl(struct norn_monitor *m, const struct norn_property *property, struct norn_error *err)
{
	int r = norn_ptltl_init(&m->ptltl, property, err);
	if (r != 0)
		return r;
	m->machine = NORN_MACHINE_BITS;
	if (norn_ptltl_table(&m->ptltl, property->atom_count, &m->table) == 0 && m->table)
		m->machine = NORN_MACHINE_TABLE;
	return 0;
}

static int make_dfa(struct norn_monitor *m, const struct norn_spec *spec, const struct norn_property *property,
        struct norn_limits *limits, struct norn_error *err)
{
	m->machine = NORN_MACHINE_DFA;
	int r = norn_letters_init(&m->letters, &m->alphabet, err);
	if (r != 0)
		return r == -ENOMEM ? norn_error_set(err, r, "there is not enough memory for the property's letters") : r;
	if (property->logic == NORN_LOGIC_LTL)
		r = norn_ltl_make(property, &m->letters, limits, &m->dfa, err);
	else if (property->logic == NORN_LOGIC_FSM)
		r = norn_fsm_make(spec, property, &m->letters, limits, &m->dfa, err);
	else
		r = norn_ere_make(property, &m->letters, limits, &m->dfa, err);
	if (r != 0)
		return r;
	m->fsm_states = property->fsm_count;
	r = property->logic == NORN_LOGIC_FSM ? norn_dfa_merge_letters(&m->dfa, &m->letters)
	                                      : norn_dfa_minimise(&m->dfa, &m->letters);
	if (r == 0)
		r = norn_dfa_settle(&m->dfa);
	return r != 0 ? norn_error_set(err, r, "there is not enough memory for %u states", m->dfa.states) : 0;
}

int norn_monitor_new(const struct norn_spec *spec, const struct norn_property *property, const struct norn_monitor_options *options,
        struct norn_monitor **ret_monitor, struct norn_error *err)
{
	static const struct norn_monitor_options none = {0};
	if (!options)
		options = &none;
	if (property->logic > NORN_LOGIC_FSM)
		return norn_error_set(err, -ENOTSUP, "%s is of a kind that has no monitor of this sort", property->name);
	struct norn_monitor *m = calloc(1, sizeof *m);
	if (!m)
		return norn_error_set(err, -ENOMEM, "there is not enough memory for a monitor");
	struct norn_limits limits = {.states = options->max_states ? options->max_states : STATES_MAX, .work = NORN_WORK_MAX};
	m->logic = property->logic;
	m->end = property->end;
	m->initial = property->logic == NORN_LOGIC_FSM ? property->fsm_initial : 0;
	norn_alphabet_init(&m->alphabet, spec, property, options);
	int r = property->logic == NORN_LOGIC_PTLTL ? make_ptltl(m, property, err) : make_dfa(m, spec, property, &limits, err);
	if (r != 0) {
		norn_monitor_free(m);
		return r;
	}
	*ret_monitor = m;
	return 0;
}

void norn_monitor_free(struct norn_monitor *monitor)
{
	if (!monitor)
		return;
	free(monitor->table);
	norn_ptltl_done(&monitor->ptltl);
	norn_dfa_done(&monitor->dfa);
	norn_letters_done(&monitor->letters);
	free(monitor);
}

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

bool norn_monitor_violated(const struct norn_monitor *monitor, uint64_t state)
{
	enum norn_verdict bad = monitor->logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
	return norn_monitor_verdict(monitor, state) == bad;
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
