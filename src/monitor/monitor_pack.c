#include "monitor/monitor_pack.h"

#include <errno.h>
#include <stdlib.h>

#include "monitor/machine.h"

/* ---- packing ---- */

static void pack_ptltl(const struct norn_ptltl *p, struct norn_pack *pack)
{
	norn_pack_number(pack, p->count);
	norn_pack_number(pack, p->bits);
	for (uint32_t i = 0; i < p->count; i++) {
		norn_pack_number(pack, p->lines[i].op);
		norn_pack_number(pack, p->lines[i].bit);
		norn_pack_number(pack, p->lines[i].a);
		norn_pack_number(pack, p->lines[i].b);
	}
	for (uint32_t i = 0; i < p->bits; i++)
		norn_pack_number(pack, p->kept[i]);
}

static void pack_dfa(const struct norn_dfa *d, const struct norn_letters *letters, struct norn_pack *pack)
{
	norn_pack_number(pack, letters->count);
	norn_pack_number(pack, d->letters);
	for (uint32_t i = 0; i < letters->count; i++) {
		norn_pack_number(pack, letters->words[i]);
		norn_pack_number(pack, letters->classes[i]);
	}
	norn_pack_number(pack, d->states);
	norn_pack_number(pack, d->stutter != NULL);
	for (uint32_t s = 0; s < d->states; s++) {
		norn_pack_number(pack, d->verdict[s]);
		norn_pack_number(pack, d->final[s]);
		norn_pack_number(pack, d->settled[s]);
		for (uint32_t c = 0; c < d->letters; c++) {
			norn_pack_number(pack, d->next[(size_t)s * d->letters + c]);
			if (d->stutter)
				norn_pack_number(pack, d->stutter[(size_t)s * d->letters + c]);
		}
	}
}

void norn_monitor_pack(const struct norn_monitor *m, struct norn_pack *pack)
{
	bool dfa = m->machine == NORN_MACHINE_DFA;
	norn_pack_number(pack, dfa);
	norn_pack_number(pack, m->logic);
	norn_pack_number(pack, m->end);
	norn_pack_number(pack, m->fsm_states);
	norn_pack_number(pack, m->alphabet.atoms);
	norn_pack_number(pack, m->alphabet.empty);
	for (uint32_t i = 0; i < m->alphabet.atoms; i++)
		norn_pack_number(pack, m->alphabet.together[i]);
	if (dfa)
		pack_dfa(&m->dfa, &m->letters, pack);
	else
		pack_ptltl(&m->ptltl, pack);
	norn_pack_number(pack, m->initial);
}

/* ---- unpacking ---- */

static int unpack_line(struct norn_unpack *in, const struct norn_monitor *m, uint32_t i, struct norn_ptltl_line *line)
{
	line->op = (uint8_t)norn_unpack_below(in, NORN_OP_WEAK_INTERVAL + 1);
	line->bit = (uint8_t)norn_unpack_below(in, NORN_PTLTL_NONE + 1u);
	bool leaf = line->op == NORN_OP_TRUE || line->op == NORN_OP_FALSE, atom = line->op == NORN_OP_ATOM;
	bool kept = line->op == NORN_OP_PREV || line->op == NORN_OP_START || line->op == NORN_OP_END;
	bool two = line->op == NORN_OP_AND || line->op == NORN_OP_OR || line->op > NORN_OP_HIST;
	line->a = (uint16_t)norn_unpack_below(in, leaf ? 1 : atom ? m->alphabet.atoms : i);
	line->b = (uint16_t)norn_unpack_below(in, kept ? m->ptltl.bits : two ? i : 1);
	bool own = line->op == NORN_OP_ONCE || line->op == NORN_OP_HIST || line->op >= NORN_OP_SINCE;
	if (line->bit != NORN_PTLTL_NONE ? line->bit >= m->ptltl.bits : own)
		in->failed = true;
	return in->failed ? -EINVAL : 0;
}

static int unpack_ptltl(struct norn_unpack *in, struct norn_monitor *m)
{
	struct norn_ptltl *p = &m->ptltl;
	p->count = norn_unpack_below(in, NORN_PTLTL_CODE_MAX + 1);
	p->bits = norn_unpack_below(in, NORN_PTLTL_BITS_MAX + 1);
	if (in->failed || !p->count)
		return -EINVAL;
	p->lines = calloc(p->count, sizeof *p->lines);
	if (!p->lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->count; i++)
		if (unpack_line(in, m, i, &p->lines[i]) != 0)
			return -EINVAL;
	for (uint32_t i = 0; i < p->bits; i++)
		p->kept[i] = (uint16_t)norn_unpack_below(in, p->count);
	m->machine = NORN_MACHINE_BITS;
	if (in->failed)
		return -EINVAL;
	if (norn_ptltl_table(p, m->alphabet.atoms, &m->table) == 0 && m->table)
		m->machine = NORN_MACHINE_TABLE;
	return 0;
}

static int unpack_letters(struct norn_unpack *in, struct norn_monitor *m)
{
	struct norn_letters *l = &m->letters;
	l->atoms = m->alphabet.atoms;
	norn_map_init(&l->map, sizeof(uint16_t));
	l->count = norn_unpack_below(in, NORN_LETTERS_MAX + 1);
	m->dfa.letters = norn_unpack_below(in, NORN_LETTERS_MAX + 1);
	l->words = calloc(l->count + 1ul, sizeof *l->words);
	l->classes = calloc(l->count + 1ul, sizeof *l->classes);
	uint16_t *classes = calloc(l->count + 1ul, sizeof *classes);
	if (l->atoms <= NORN_LETTERS_DIRECT)
		l->direct = malloc((sizeof *l->direct) << l->atoms);
	int r = l->words && l->classes && classes && (l->direct || l->atoms > NORN_LETTERS_DIRECT) ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < l->count; i++) {
		l->words[i] = norn_unpack_number(in);
		classes[i] = (uint16_t)norn_unpack_below(in, m->dfa.letters);
		if (l->words[i] & ~m->alphabet.all)
			in->failed = true;
	}
	if (r == 0)
		r = in->failed ? -EINVAL : norn_letters_classify(l, classes, m->dfa.letters);
	free(classes);
	return r;
}

static int unpack_states(struct norn_unpack *in, struct norn_dfa *d)
{
	d->states = d->room = norn_unpack_count(in);
	bool stutters = norn_unpack_below(in, 2);
	size_t cells = (size_t)d->states * d->letters;
	if (in->failed || !d->states || cells > (size_t)(in->end - in->at))
		return -EINVAL;
	d->next = calloc(cells + 1, sizeof *d->next);
	d->verdict = calloc(d->states, 1);
	d->final = calloc(d->states, 1);
	d->settled = calloc(d->states, 1);
	d->stutter = stutters ? calloc(cells + 1, 1) : NULL;
	if (!d->next || !d->verdict || !d->final || !d->settled || (stutters && !d->stutter))
		return -ENOMEM;
	for (uint32_t s = 0; s < d->states; s++) {
		d->verdict[s] = (uint8_t)norn_unpack_below(in, NORN_VERDICT_MATCH + 1);
		d->final[s] = (uint8_t)norn_unpack_below(in, NORN_VERDICT_MATCH + 1);
		d->settled[s] = (uint8_t)norn_unpack_below(in, 2);
		for (size_t c = (size_t)s * d->letters; c < ((size_t)s + 1) * d->letters; c++) {
			d->next[c] = norn_unpack_below(in, d->states);
			if (stutters)
				d->stutter[c] = (uint8_t)norn_unpack_below(in, NORN_VERDICT_MATCH + 1);
		}
	}
	return in->failed ? -EINVAL : 0;
}

static int unpack_into(struct norn_unpack *in, struct norn_monitor *m)
{
	bool dfa = norn_unpack_below(in, 2);
	m->logic = norn_unpack_below(in, NORN_LOGIC_FSM + 1);
	m->end = norn_unpack_below(in, NORN_END_STUTTER + 1);
	m->fsm_states = norn_unpack_below(in, UINT32_MAX);
	m->alphabet.atoms = norn_unpack_below(in, NORN_ATOMS_MAX + 1);
	m->alphabet.all = m->alphabet.atoms >= 64 ? UINT64_MAX : (UINT64_C(1) << m->alphabet.atoms) - 1;
	m->alphabet.empty = norn_unpack_below(in, 2);
	for (uint32_t i = 0; i < m->alphabet.atoms; i++)
		m->alphabet.together[i] = norn_unpack_number(in);
	if (in->failed || dfa == (m->logic == NORN_LOGIC_PTLTL))
		return -EINVAL;
	if (dfa)
		m->machine = NORN_MACHINE_DFA;
	int r = dfa ? unpack_letters(in, m) : unpack_ptltl(in, m);
	if (r == 0 && dfa)
		r = unpack_states(in, &m->dfa);
	m->initial = norn_unpack_below(in, dfa && r == 0 ? m->dfa.states : 1);
	return r != 0 ? r : in->failed ? -EINVAL : 0;
}

int norn_monitor_unpack(struct norn_unpack *in, struct norn_monitor **ret_monitor)
{
	struct norn_monitor *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	int r = unpack_into(in, m);
	if (r != 0)
		norn_monitor_drop(m);
	else
		*ret_monitor = m;
	return r;
}

void norn_monitor_drop(struct norn_monitor *m)
{
	if (!m)
		return;
	free(m->table);
	norn_ptltl_done(&m->ptltl);
	norn_dfa_done(&m->dfa);
	norn_letters_done(&m->letters);
	free(m);
}
