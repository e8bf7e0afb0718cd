#include "monitor/automata/fsm.h"

#include <string.h>

/* The state's syntax, NULL if the property was not made of any. */
static const struct norn_state *written(const struct norn_property *property, uint32_t state)
{
	for (const struct norn_state *s = property->fsm_source; s; s = s->next)
		if (strcmp(s->name.text, property->fsm[state].name) == 0)
			return s;
	return NULL;
}

static bool names_atom(const struct norn_property *property, const struct norn_names *names, uint32_t atom)
{
	while (names && strcmp(names->name.text, property->atoms[atom].text) != 0)
		names = names->next;
	return names;
}

static uint32_t find_state(const struct norn_property *property, const char *name)
{
	uint32_t i = 0;
	while (i < property->fsm_count && strcmp(property->fsm[i].name, name) != 0)
		i++;
	return i < property->fsm_count ? i : NORN_FSM_DEAD;
}

/* The successor for an event that the property does not name. */
static uint32_t other_target(const struct norn_property *property, uint32_t state)
{
	const struct norn_state *s = written(property, state);
	for (const struct norn_transition *t = s ? s->transitions : NULL; t; t = t->next)
		if (!t->events)
			return find_state(property, t->target.text);
	return NORN_FSM_DEAD;
}

/* The atom of the letter that decides. */
static uint32_t first_listed(const struct norn_property *property, uint32_t state, uint64_t letter)
{
	const struct norn_state *s = letter & (letter - 1) ? written(property, state) : NULL;
	for (const struct norn_transition *t = s ? s->transitions : NULL; t; t = t->next)
		for (uint64_t rest = letter; rest != 0; rest &= rest - 1) {
			uint32_t atom = (uint32_t)__builtin_ctzll(rest);
			if (names_atom(property, t->events, atom))
				return atom;
		}
	return (uint32_t)__builtin_ctzll(letter);
}

static uint32_t target(const struct norn_property *property, uint32_t state, uint64_t letter)
{
	if (letter == 0)
		return other_target(property, state);
	return property->fsm[state].targets[first_listed(property, state, letter)];
}

int norn_fsm_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err)
{
	*ret_dfa = (struct norn_dfa){.letters = letters->count};
	uint32_t dead = property->fsm_count, state;
	bool dies = false;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < property->fsm_count; i++) {
		const struct norn_fsm_state *s = &property->fsm[i];
		r = norn_dfa_add(ret_dfa,
		        s->error    ? NORN_VERDICT_FALSE
		        : s->accept ? NORN_VERDICT_MATCH
		                    : NORN_VERDICT_OPEN,
		        limits, &state, err);
		for (uint32_t c = 0; r == 0 && c < letters->count; c++) {
			uint32_t to = target(property, i, letters->words[c]);
			dies |= to == NORN_FSM_DEAD;
			ret_dfa->next[(size_t)i * letters->count + c] = to == NORN_FSM_DEAD ? dead : to;
		}
	}
	if (r == 0 && dies) {
		r = norn_dfa_add(ret_dfa, NORN_VERDICT_FALSE, limits, &state, err);
		for (uint32_t c = 0; r == 0 && c < letters->count; c++)
			ret_dfa->next[(size_t)dead * letters->count + c] = dead;
	}
	if (r != 0)
		norn_dfa_done(ret_dfa);
	return r;
}
