#include "monitor/monitor.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "monitor/automata/ere.h"
#include "monitor/automata/fsm.h"
#include "monitor/automata/ltl.h"
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
		return r;
	if (property->logic == NORN_LOGIC_LTL)
		r = norn_ltl_make(property, &m->letters, limits, &m->dfa, err);
	else if (property->logic == NORN_LOGIC_FSM)
		r = norn_fsm_make(property, &m->letters, limits, &m->dfa, err);
	else
		r = norn_ere_make(property, &m->letters, limits, &m->dfa, err);
	if (r != 0)
		return r;
	m->fsm_states = property->fsm_count;
	if (property->logic == NORN_LOGIC_FSM)
		norn_dfa_merge_letters(&m->dfa, &m->letters);
	else
		norn_dfa_minimise(&m->dfa, &m->letters);
	norn_dfa_settle(&m->dfa);
	return 0;
}

int norn_monitor_new(const struct norn_spec *spec, const struct norn_property *property, const struct norn_monitor_options *options,
        struct norn_monitor **ret_monitor, struct norn_error *err)
{
	static const struct norn_monitor_options none = {0};
	if (!options)
		options = &none;
	if (property->logic > NORN_LOGIC_FSM)
		return norn_error_set(err, -ENOTSUP, "%s is of a kind that has no monitor of this sort", property->name);
	struct norn_monitor *m = norn_must_calloc(1, sizeof *m);
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

void norn_monitor_free(struct norn_monitor *m)
{
	if (!m)
		return;
	free(m->table);
	norn_ptltl_done(&m->ptltl);
	norn_dfa_done(&m->dfa);
	norn_letters_done(&m->letters);
	free(m);
}
