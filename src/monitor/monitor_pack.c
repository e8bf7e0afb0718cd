#include "monitor/monitor_pack.h"

#include <errno.h>
#include <stdlib.h>

#include "monitor/machine.h"

static bool is_dfa(const void *object)
{
	return ((const struct norn_monitor *)object)->machine == NORN_MACHINE_DFA;
}

static bool is_ptltl(const void *object)
{
	return !is_dfa(object);
}

static uint64_t states(const void *root, const void *object)
{
	(void)root;
	return is_dfa(object) ? ((const struct norn_monitor *)object)->dfa.states : 1;
}

/* ---- ptLTL ---- */

static uint64_t lines(const void *root, const void *object)
{
	(void)root;
	return ((const struct norn_monitor *)object)->ptltl.count;
}

static const struct norn_field line_fields[] = {
        NORN_NUMBER(struct norn_ptltl_line, op, .limit = NORN_OP_WEAK_INTERVAL + 1),
        NORN_NUMBER(struct norn_ptltl_line, bit),
        NORN_NUMBER(struct norn_ptltl_line, a),
        NORN_NUMBER(struct norn_ptltl_line, b),
};
static const struct norn_descriptor line = NORN_DESCRIPTOR(struct norn_ptltl_line, line_fields);
static const struct norn_field ptltl_fields[] = {
        NORN_NUMBER(struct norn_monitor, ptltl.count, .limit = NORN_PTLTL_CODE_MAX + 1),
        NORN_NUMBER(struct norn_monitor, ptltl.bits, .limit = NORN_PTLTL_BITS_MAX + 1),
        NORN_ARRAY(struct norn_monitor, ptltl.lines, ptltl.count, .of = &line),
        NORN_INLINE(struct norn_monitor, ptltl.kept, ptltl.bits, .below = lines),
};
static const struct norn_descriptor ptltl = NORN_DESCRIPTOR(struct norn_monitor, ptltl_fields);

/* Operands are lines before it, an atom is one of the alphabet's, bits are the state's. */
static bool line_fits(const struct norn_monitor *m, uint32_t i)
{
	const struct norn_ptltl_line *l = &m->ptltl.lines[i];
	bool leaf = l->op == NORN_OP_TRUE || l->op == NORN_OP_FALSE, atom = l->op == NORN_OP_ATOM;
	bool kept = l->op == NORN_OP_PREV || l->op == NORN_OP_START || l->op == NORN_OP_END;
	bool two = l->op == NORN_OP_AND || l->op == NORN_OP_OR || l->op > NORN_OP_HIST;
	bool own = l->op == NORN_OP_ONCE || l->op == NORN_OP_HIST || l->op >= NORN_OP_SINCE;
	return l->a < (leaf          ? 1
	                      : atom ? m->alphabet.atoms
	                             : i) &&
	       l->b < (kept         ? m->ptltl.bits
	                      : two ? i
	                            : 1) &&
	       (l->bit != NORN_PTLTL_NONE ? l->bit < m->ptltl.bits : !own);
}

static int finish_ptltl(struct norn_monitor *m)
{
	bool good = m->logic == NORN_LOGIC_PTLTL && m->ptltl.count;
	for (uint32_t i = 0; good && i < m->ptltl.count; i++)
		good = line_fits(m, i);
	if (!good)
		return -EINVAL;
	m->machine = NORN_MACHINE_BITS;
	if (norn_ptltl_table(&m->ptltl, m->alphabet.atoms, &m->table) == 0 && m->table)
		m->machine = NORN_MACHINE_TABLE;
	return 0;
}

/* ---- automata ---- */

static uint64_t classes(const void *root, const void *object)
{
	(void)root;
	return ((const struct norn_monitor *)object)->dfa.letters;
}

static uint64_t last_values(const void *root, const void *object)
{
	return states(root, object) * classes(root, object);
}

static const struct norn_field dfa_fields[] = {
        NORN_NUMBER(struct norn_monitor, letters.count, .limit = NORN_LETTERS_MAX + 1),
        NORN_NUMBER(struct norn_monitor, dfa.letters, .limit = NORN_LETTERS_MAX + 1),
        NORN_NUMBERS(struct norn_monitor, letters.words, letters.count),
        NORN_NUMBERS(struct norn_monitor, letters.classes, letters.count, .below = classes),
        NORN_NUMBER(struct norn_monitor, dfa.states),
        NORN_NUMBERS(struct norn_monitor, dfa.verdict, dfa.states, .limit = NORN_VERDICT_MATCH + 1),
        NORN_NUMBERS(struct norn_monitor, dfa.final, dfa.states, .limit = NORN_VERDICT_MATCH + 1),
        NORN_NUMBERS(struct norn_monitor, dfa.settled, dfa.states, .limit = 2),
        NORN_NUMBERS_BY(struct norn_monitor, dfa.next, last_values, .below = states),
        NORN_NUMBERS_OR_NULL(struct norn_monitor, dfa.stutter, last_values, .limit = NORN_VERDICT_MATCH + 1),
};
static const struct norn_descriptor dfa = NORN_DESCRIPTOR(struct norn_monitor, dfa_fields);

static int finish_dfa(struct norn_decoding *d, struct norn_monitor *m)
{
	struct norn_letters *l = &m->letters;
	if (m->logic == NORN_LOGIC_PTLTL || !m->dfa.states)
		return -EINVAL;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->words[i] & ~m->alphabet.all)
			return -EINVAL;
	l->atoms = m->alphabet.atoms;
	m->dfa.room = m->dfa.states;
	norn_map_init(&l->map, sizeof(uint16_t));
	if (l->atoms <= NORN_LETTERS_DIRECT && !(l->direct = norn_arena_alloc(d->arena, sizeof *l->direct << l->atoms)))
		return -ENOMEM;
	return norn_letters_classify(l, l->classes, m->dfa.letters);
}

/* ---- any ---- */

static int finish(struct norn_decoding *d, void *object)
{
	struct norn_monitor *m = object;
	m->alphabet.all = m->alphabet.atoms >= 64 ? UINT64_MAX : (UINT64_C(1) << m->alphabet.atoms) - 1;
	return is_dfa(m) ? finish_dfa(d, m) : finish_ptltl(m);
}

static const struct norn_field fields[] = {
        NORN_NUMBER(struct norn_monitor, machine, .limit = NORN_MACHINE_DFA + 1),
        NORN_NUMBER(struct norn_monitor, logic, .limit = NORN_LOGIC_FSM + 1),
        NORN_NUMBER(struct norn_monitor, end, .limit = NORN_END_STUTTER + 1),
        NORN_NUMBER(struct norn_monitor, fsm_states),
        NORN_NUMBER(struct norn_monitor, alphabet.atoms, .limit = NORN_ATOMS_MAX + 1),
        NORN_FLAG(struct norn_monitor, alphabet.empty),
        NORN_INLINE(struct norn_monitor, alphabet.together, alphabet.atoms),
        NORN_PART(.when = is_dfa, .of = &dfa),
        NORN_PART(.when = is_ptltl, .of = &ptltl),
        NORN_NUMBER(struct norn_monitor, initial, .below = states),
};
const struct norn_descriptor norn_monitor_descriptor = NORN_DESCRIPTOR(struct norn_monitor, fields, .finish = finish);

void norn_monitor_drop(struct norn_monitor *m)
{
	if (!m)
		return;
	free(m->table);
	norn_map_done(&m->letters.map);
}
