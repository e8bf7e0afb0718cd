#include "monitor/automata/ltl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/sort.h"
#include "monitor/automata/obligations.h"

/* A deterministic state has up to three parts: smallest live masks of the formula, of its negation, and (end=finite) all smallest
 * masks of the formula. As a list: the length of each part, then their masks, ascending. */
enum part { FORMULA, NEGATION, FINITE, PARTS };

struct subset {
	uint32_t at; /* in the pool */
	uint32_t length;
	uint32_t same_hash; /* 1 + the next state with the same hash, 0: none */
};

struct ltl {
	struct norn_obligations automata[2]; /* of the formula and its negation */
	uint32_t parts;
	struct norn_dfa *dfa;
	struct norn_limits *limits;
	struct norn_error *err;
	struct subset *subsets; /* per state */
	uint32_t subset_room;
	struct norn_numbers pool;
	struct norn_map by_hash; /* to 1 + the first state */
	uint32_t *list, list_count, list_room; /* the state under construction */
	bool finite_at_start;
	enum norn_end end;
};

static const struct norn_obligations *automaton(const struct ltl *l, enum part part)
{
	return &l->automata[part == NEGATION];
}

static int spend(struct ltl *l, uint64_t work)
{
	if (norn_limits_spend(l->limits, work))
		return 0;
	return norn_error_set(l->err, -E2BIG,
	        "its automaton is too much work: %u states so far, which are sets of %u and %u sets of obligations", l->dfa->states,
	        l->automata[0].count, l->automata[1].count);
}

static void reserve_list(struct ltl *l, uint32_t need)
{
	norn_must_grow(&l->list, need, &l->list_room, sizeof *l->list);
}

/* Adds a mask to the part of the list that begins at `begin`, unless a smaller one is there; drops greater ones. */
static int add_mask(struct ltl *l, enum part part, uint32_t begin, uint32_t mask)
{
	const struct norn_obligations *o = automaton(l, part);
	if (part != FINITE && !o->live[mask])
		return 0;
	int r = spend(l, l->list_count - begin + 1);
	if (r != 0)
		return r;
	reserve_list(l, l->list_count + 1);
	uint32_t kept = begin;
	for (uint32_t i = begin; i < l->list_count; i++) {
		uint64_t have = o->masks[l->list[i]];
		if ((have & ~o->masks[mask]) == 0)
			return 0; /* nothing was dropped so far: what the new mask is smaller than, have is smaller than, too */
		if (o->masks[mask] & ~have)
			l->list[kept++] = l->list[i];
	}
	l->list[kept++] = mask;
	l->list_count = kept;
	return 0;
}

static void close_part(struct ltl *l, enum part part, uint32_t begin)
{
	l->list[part] = l->list_count - begin;
	norn_sort_numbers(l->list + begin, l->list[part]);
}

/* ---- states ---- */

static bool ends_well(const struct ltl *l)
{
	const uint32_t *part = l->list + l->parts + l->list[FORMULA] + l->list[NEGATION];
	for (uint32_t i = 0; i < l->list[FINITE]; i++)
		if (!(l->automata[0].masks[part[i]] & NORN_OBLIGATION_MORE))
			return true;
	return false;
}

/* The verdict of the list; a list that settles it is replaced by one that stands for all such. */
static enum norn_verdict judge(struct ltl *l)
{
	bool refuted = l->list[FORMULA] == 0, proved = l->list[NEGATION] == 0;
	if (!refuted && !proved)
		return NORN_VERDICT_OPEN;
	memset(l->list, 0, l->parts * sizeof *l->list);
	l->list[refuted ? NEGATION : FORMULA] = UINT32_MAX; /* as long as no other part */
	l->list_count = l->parts;
	return refuted ? NORN_VERDICT_FALSE : NORN_VERDICT_TRUE;
}

static int add_state(struct ltl *l, enum norn_verdict verdict, uint32_t *ret_state)
{
	bool good = l->end == NORN_END_FINITE && verdict == NORN_VERDICT_OPEN &&
	            (l->dfa->states == 0 ? l->finite_at_start : ends_well(l));
	int r = norn_dfa_add(l->dfa, verdict, l->limits, ret_state, l->err);
	if (r != 0)
		return r;
	if (l->end == NORN_END_FINITE && verdict == NORN_VERDICT_OPEN)
		l->dfa->final[*ret_state] = good ? NORN_VERDICT_TRUE : NORN_VERDICT_FALSE;
	norn_must_grow(&l->subsets, l->dfa->states, &l->subset_room, sizeof *l->subsets);
	if (l->pool.count > UINT32_MAX - l->list_count)
		return norn_error_set(l->err, -E2BIG, "its automaton is too big: %u states so far", l->dfa->states);
	norn_must_reserve(&l->pool, (uint64_t)l->pool.count + l->list_count);
	memcpy(l->pool.items + l->pool.count, l->list, l->list_count * sizeof *l->list);
	l->subsets[*ret_state] = (struct subset){.at = l->pool.count, .length = l->list_count};
	l->pool.count += l->list_count;
	return 0;
}

/* The state of the list, a new one if need be. The initial one may differ from its like in what an empty run is worth. */
static int find_state(struct ltl *l, uint32_t *ret_state)
{
	enum norn_verdict verdict = judge(l);
	uint64_t hash = 0;
	for (uint32_t i = 0; i < l->list_count; i++)
		hash = norn_monitor_hash(hash + l->list[i] + 1);
	uint32_t *head = norn_must_map_put(&l->by_hash, hash);
	for (uint32_t i = *head; i != 0; i = l->subsets[i - 1].same_hash) {
		const struct subset *s = &l->subsets[i - 1];
		if (s->length == l->list_count && memcmp(l->pool.items + s->at, l->list, s->length * sizeof *l->list) == 0) {
			*ret_state = i - 1;
			return 0;
		}
	}
	int r = add_state(l, verdict, ret_state);
	if (r == 0 && (*ret_state > 0 || l->end != NORN_END_FINITE)) {
		l->subsets[*ret_state].same_hash = *head;
		*head = *ret_state + 1;
	}
	return r;
}

static int start(struct ltl *l)
{
	int r = 0;
	reserve_list(l, l->parts);
	l->list_count = l->parts;
	for (enum part part = FORMULA; r == 0 && part < l->parts; part++) {
		const struct norn_obligations *o = automaton(l, part);
		uint32_t begin = l->list_count;
		for (uint32_t i = 0; r == 0 && i < o->initial_count; i++)
			r = add_mask(l, part, begin, o->initial[i]);
		if (r == 0)
			close_part(l, part, begin);
	}
	uint32_t state;
	return r != 0 ? r : find_state(l, &state);
}

/* Makes the list of where a letter leads from a state. */
static int follow(struct ltl *l, uint32_t state, uint32_t letter)
{
	uint32_t from = l->subsets[state].at + l->parts;
	int r = 0;
	l->list_count = l->parts;
	for (enum part part = FORMULA; r == 0 && part < l->parts; part++) {
		const struct norn_obligations *o = automaton(l, part);
		uint32_t begin = l->list_count, members = l->pool.items[l->subsets[state].at + part];
		for (uint32_t i = 0; r == 0 && i < members; i++) {
			const uint32_t *first = o->first + (size_t)l->pool.items[from + i] * o->letters + letter;
			for (uint32_t e = first[0]; r == 0 && e < first[1]; e++)
				r = add_mask(l, part, begin, o->edges[e].to);
		}
		from += members;
		if (r == 0)
			close_part(l, part, begin);
	}
	return r;
}

static int determinise(struct ltl *l)
{
	int r = start(l);
	for (uint32_t s = 0; r == 0 && s < l->dfa->states; s++)
		for (uint32_t c = 0; r == 0 && c < l->dfa->letters; c++) {
			uint32_t to = s;
			if (l->dfa->verdict[s] == NORN_VERDICT_OPEN) {
				r = follow(l, s, c);
				if (r == 0)
					r = find_state(l, &to);
			}
			if (r == 0)
				l->dfa->next[(size_t)s * l->dfa->letters + c] = to;
		}
	return r;
}

/* end=stutter: per state and letter, whether the formula accepts the letter for ever. */
static int find_stutter(struct ltl *l)
{
	struct norn_dfa *dfa = l->dfa;
	const struct norn_obligations *o = &l->automata[0];
	uint8_t *accepts = norn_must_alloc(o->count, 1);
	dfa->stutter = norn_must_alloc((size_t)dfa->states * dfa->letters, 1);
	int r = 0;
	for (uint32_t c = 0; r == 0 && c < dfa->letters; c++) {
		r = spend(l, o->count + dfa->states);
		if (r == 0)
			norn_obligations_stutter(o, c, accepts);
		for (uint32_t s = 0; r == 0 && s < dfa->states; s++) {
			bool good = false;
			const uint32_t *list = l->pool.items + l->subsets[s].at;
			for (uint32_t i = 0; dfa->verdict[s] == NORN_VERDICT_OPEN && i < list[FORMULA]; i++)
				good |= accepts[list[l->parts + i]];
			dfa->stutter[(size_t)s * dfa->letters + c] = dfa->verdict[s] != NORN_VERDICT_OPEN ? dfa->verdict[s]
			                                             : good                               ? NORN_VERDICT_TRUE
			                                                                                  : NORN_VERDICT_FALSE;
		}
	}
	free(accepts);
	return r;
}

static int build(struct ltl *l, const struct norn_property *property, const struct norn_letters *letters)
{
	struct norn_nnf nnf;
	int r = norn_nnf_init(&nnf, property, l->err);
	if (r != 0)
		return r;
	l->finite_at_start = nnf.nodes[nnf.formula].at_end;
	r = norn_obligations_init(&l->automata[0], &nnf, nnf.formula, letters, l->limits, l->err);
	if (r == 0)
		r = norn_obligations_init(&l->automata[1], &nnf, nnf.negation, letters, l->limits, l->err);
	norn_nnf_done(&nnf);
	if (r == 0)
		r = determinise(l);
	return r == 0 && l->end == NORN_END_STUTTER ? find_stutter(l) : r;
}

int norn_ltl_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err)
{
	*ret_dfa = (struct norn_dfa){.letters = letters->count};
	struct ltl l = {.dfa = ret_dfa,
	        .limits = limits,
	        .err = err,
	        .end = property->end,
	        .parts = property->end == NORN_END_FINITE ? PARTS : FINITE};
	norn_map_init(&l.by_hash, sizeof(uint32_t));
	int r = build(&l, property, letters);
	norn_obligations_done(&l.automata[0]);
	norn_obligations_done(&l.automata[1]);
	free(l.subsets);
	norn_vector_done(&l.pool);
	free(l.list);
	norn_map_done(&l.by_hash);
	if (r != 0)
		norn_dfa_done(ret_dfa);
	return r;
}
