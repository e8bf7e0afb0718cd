#include "property/check/check.h"

#include <string.h>

/* The atom of an event that is named alone; NORN_SLOT_NONE after a diagnostic. */
static uint32_t atom_of(struct norn_checker *c, struct norn_name name)
{
	const struct norn_named *event = norn_check_event_name(c, name);
	if (!event)
		return NORN_SLOT_NONE;
	return norn_check_atom(
	        c, (struct norn_atom){.kind = NORN_ATOM_EVENT, .event = event->index, .text = event->text, .span = name.span});
}

/* ---- expressions ---- */

struct rnodes {
	struct norn_rnode *list;
	uint32_t count, room;
};

static uint32_t add_rex(struct norn_checker *c, struct rnodes *rnodes, const struct norn_rex *rex)
{
	struct norn_rnode node = {0};
	if (!rex) {
		c->bad = true;
		return 0;
	}
	node.kind = rex->kind;
	node.least = rex->least;
	node.most = rex->most;
	switch (rex->kind) {
	case NORN_REX_EVENT:
		node.a = atom_of(c, rex->event);
		break;
	case NORN_REX_ANY:
		break;
	case NORN_REX_REPEAT:
		c->bad |= rex->least > rex->most; /* the parser has complained */
		node.a = add_rex(c, rnodes, rex->a);
		break;
	case NORN_REX_NOT:
		node.a = add_rex(c, rnodes, rex->a);
		break;
	default:
		node.a = add_rex(c, rnodes, rex->a);
		node.b = add_rex(c, rnodes, rex->b);
		break;
	}
	norn_check_grow(c, &rnodes->list, &rnodes->room, rnodes->count, sizeof *rnodes->list);
	rnodes->list[rnodes->count] = node;
	return rnodes->count++;
}

void norn_check_rex(struct norn_checker *c, const struct norn_rex *rex, struct norn_property *property)
{
	struct rnodes rnodes = {0};
	norn_check_begin(c, false);
	add_rex(c, &rnodes, rex);
	property->rnodes = rnodes.list;
	property->rnode_count = rnodes.count;
	norn_check_finish_atoms(c, property);
}

/* ---- automata ---- */

static uint32_t declare_states(struct norn_checker *c, const struct norn_logic *logic, struct norn_property *property)
{
	const struct norn_state *initial = NULL;
	uint32_t count = 0;
	norn_name_table_done(&c->states);
	for (const struct norn_state *at = logic->states; at; at = at->next) {
		if (count == NORN_STATES_MAX) {
			norn_check_error(c, at->name.span, NULL, "an fsm has at most %u states", NORN_STATES_MAX);
			break;
		}
		struct norn_named *named = norn_check_declare(c, &c->states, at->name);
		if (named)
			named->index = count;
		if (at->accept && at->error)
			norn_check_error(
			        c, at->name.span, NULL, "the state `%s` cannot both accept and be an error", at->name.text);
		if (at->initial && initial)
			norn_check_error(c, at->name.span,
			        norn_check_advise(c, "the other is `%s`, %s", initial->name.text,
			                norn_check_where(c, initial->name.span, at->name.span)),
			        "an fsm has one initial state, and `%s` is another", at->name.text);
		if (at->initial && !initial) {
			initial = at;
			property->fsm_initial = count;
		}
		count++;
	}
	if (!logic->states)
		norn_check_error(c, logic->span, NULL, "the fsm has no states");
	else if (!initial)
		norn_check_error(c, logic->states->name.span,
		        norn_check_advise(c, "write `initial %s { … }`", logic->states->name.text),
		        "no state of the fsm is initial");
	return count;
}

/* The atom of a scope's atom. */
static void atom_of_scope(struct norn_checker *c, struct norn_name name)
{
	struct norn_form_env env = {.where = NORN_IN_CHECK};
	struct norn_lval lval = {.span = name.span, .name = name};
	if (!name.text ||
	        norn_check_name(c, &env, &(struct norn_form){.kind = NORN_FORM_NAME, .span = name.span, .lval = &lval}).kind ==
	                NORN_TERM_BAD)
		c->bad = true;
	else if (!norn_name_table_find(&c->builder.atom_names, name.text))
		norn_check_error(c, name.span, "make an atom of it", "`%s` is no atom of the scope", name.text);
}

/* Makes an atom of everything that some state names. */
static void collect_names(struct norn_checker *c, const struct norn_state *states, bool regions)
{
	for (; states; states = states->next)
		for (const struct norn_transition *at = states->transitions; at; at = at->next)
			for (const struct norn_names *name = at->events; name; name = name->next)
				if (regions)
					atom_of_scope(c, name->name);
				else
					atom_of(c, name->name);
}

static uint32_t target_of(struct norn_checker *c, struct norn_name name)
{
	const struct norn_named *state = name.text ? norn_name_table_find(&c->states, name.text) : NULL;
	if (state)
		return state->index;
	c->bad = true;
	if (name.text)
		norn_check_error(c, name.span, norn_check_meant(c, norn_check_nearest(c, &c->states, name.text), NULL),
		        "the fsm has no state `%s`", name.text);
	return NORN_FSM_DEAD;
}

static void check_state(struct norn_checker *c, const struct norn_state *state, uint32_t *targets, uint32_t atoms)
{
	uint64_t seen = 0;
	uint32_t otherwise = NORN_FSM_DEAD;
	bool has_else = false;
	for (const struct norn_transition *at = state->transitions; at; at = at->next) {
		uint32_t target = target_of(c, at->target);
		if (!at->events && has_else)
			norn_check_error(c, at->target.span, NULL, "the state `%s` has two `else`", state->name.text);
		if (!at->events) {
			has_else = true;
			otherwise = target;
		}
		for (const struct norn_names *event = at->events; event; event = event->next) {
			const struct norn_named *atom =
			        event->name.text ? norn_name_table_find(&c->builder.atom_names, event->name.text) : NULL;
			if (!atom)
				continue;
			if (seen >> atom->index & 1)
				norn_check_error(c, event->name.span, NULL, "the state `%s` has two transitions for `%s`",
				        state->name.text, event->name.text);
			seen |= 1ull << atom->index;
			targets[atom->index] = target;
		}
	}
	for (uint32_t i = 0; i < atoms; i++)
		if (!(seen >> i & 1))
			targets[i] = otherwise;
}

static void warn_unreachable(struct norn_checker *c, const struct norn_logic *logic, const struct norn_property *property)
{
	bool *reached = norn_check_alloc(c, property->fsm_count);
	uint32_t *queue = norn_check_alloc(c, property->fsm_count * sizeof *queue), tail = 1;
	queue[0] = property->fsm_initial;
	reached[property->fsm_initial] = true;
	for (uint32_t head = 0; head < tail; head++)
		for (uint32_t i = 0; i < property->atom_count; i++) {
			uint32_t target = property->fsm[queue[head]].targets[i];
			if (target != NORN_FSM_DEAD && !reached[target]) {
				reached[target] = true;
				queue[tail++] = target;
			}
		}
	const struct norn_state *state = logic->states;
	for (uint32_t i = 0; i < property->fsm_count; i++, state = state->next)
		if (!reached[i])
			norn_check_warn(c, state->name.span, NULL, "the state `%s` cannot be reached", state->name.text);
}

void norn_check_fsm(struct norn_checker *c, const struct norn_logic *logic, bool regions, struct norn_property *property)
{
	norn_check_begin(c, false);
	uint32_t count = declare_states(c, logic, property), i = 0;
	collect_names(c, logic->states, regions);
	uint32_t atoms = c->builder.atom_count;
	struct norn_fsm_state *states = norn_check_alloc(c, count * sizeof *states);
	for (const struct norn_state *at = logic->states; at && i < count; at = at->next, i++) {
		uint32_t *targets = norn_check_alloc(c, atoms * sizeof *targets);
		check_state(c, at, targets, atoms);
		states[i] = (struct norn_fsm_state){
		        .name = at->name.text, .accept = at->accept, .error = at->error, .targets = targets};
	}
	property->fsm = states;
	property->fsm_source = logic->states;
	property->fsm_count = count;
	norn_check_finish_atoms(c, property);
	if (!c->bad)
		warn_unreachable(c, logic, property);
}
