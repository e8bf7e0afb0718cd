#include "judge/instances.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static const struct norn_property *property_of(const struct norn_instances *n)
{
	return n->terms->property;
}

/* As if it had seen nothing. */
static void reset(const struct norn_instances *n, struct norn_instance *i)
{
	uint64_t start = norn_monitor_start(n->monitor);
	norn_states_set(&i->states, start);
	i->verdict = norn_monitor_verdict(n->monitor, start);
	i->fsm_state = property_of(n)->logic == NORN_LOGIC_FSM ? norn_monitor_fsm_state(n->monitor, start) : NORN_FSM_DEAD;
	i->violated = false;
}

static struct norn_instance *new_instance(struct norn_instances *n)
{
	/* Aligned for __int128, which calloc promises as well. */
	struct norn_instance *i = calloc(1, sizeof *i + property_of(n)->key_count * sizeof *i->keys);
	if (!i)
		return NULL;
	reset(n, i);
	i->id = ++n->next_id;
	return i;
}

static void free_instance(struct norn_instance *i)
{
	if (i)
		norn_states_done(&i->states);
	free(i);
}

int norn_instances_init(struct norn_instances *n, const struct norn_property_terms *terms, const struct norn_monitor *monitor)
{
	*n = (struct norn_instances){.terms = terms, .monitor = monitor};
	norn_map_init(&n->map, sizeof(struct norn_instance *));
	n->only = new_instance(n);
	return n->only ? 0 : -ENOMEM;
}

void norn_instances_done(struct norn_instances *n)
{
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot, *next; i; i = next) {
			next = i->next;
			free_instance(i);
		}
	norn_map_done(&n->map);
	free_instance(n->only);
	n->only = NULL;
}

struct norn_instance *norn_instance_of(struct norn_instances *n, const struct norn_value *keys)
{
	uint32_t count = property_of(n)->key_count;
	assert(count); /* a property without a key has one instance, `only` */
	void *slot;
	if (norn_map_put(&n->map, norn_keys_hash(keys, count), &slot) != 0)
		return NULL;
	struct norn_instance **first = slot;
	for (struct norn_instance *i = *first; i; i = i->next)
		if (norn_keys_same(i->keys, keys, count))
			return i;
	struct norn_instance *i = new_instance(n);
	if (!i || norn_states_copy(&i->states, &n->only->states) != 0) {
		free_instance(i);
		return NULL;
	}
	memcpy(i->keys, keys, count * sizeof *keys);
	i->verdict = n->only->verdict;
	i->fsm_state = n->only->fsm_state;
	i->given_up = n->only->given_up;
	i->next = *first;
	*first = i;
	n->count++;
	return i;
}

/* ---- outcomes ---- */

uint32_t norn_outcomes_also(const struct norn_property *p, uint32_t fsm_state)
{
	uint32_t also = 1u << (p->logic == NORN_LOGIC_FORBID ? NORN_OUTCOME_MATCH : NORN_OUTCOME_FAIL);
	return also | (p->logic == NORN_LOGIC_FSM && fsm_state != NORN_FSM_DEAD ? 1u << NORN_OUTCOME_STATE : 0);
}

/* Only formulas about the past are violated again and again. */
static void violate(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, enum norn_when when)
{
	if (i->violated && property_of(n)->logic != NORN_LOGIC_PTLTL)
		return;
	assert(i->states.count > 0 && !i->given_up);
	if (property_of(n)->logic == NORN_LOGIC_FSM)
		i->fsm_state = norn_monitor_fsm_state(n->monitor, norn_states_at(&i->states, 0));
	i->violated = true;
	if (j->outcomes->violation(j->context, i, when))
		reset(n, i);
}

static void doubt(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i)
{
	if (i->doubtful || i->violated)
		return;
	i->doubtful = true;
	if (n->doubts++ == 0)
		j->outcomes->doubt(j->context, i);
}

static void give_up(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, const char *why)
{
	i->given_up = true;
	if (n->gave_up)
		return;
	n->gave_up = true;
	j->outcomes->give_up(j->context, i, why);
}

static bool is_handled(const struct norn_instances *n, enum norn_outcome outcome)
{
	for (uint32_t h = 0; h < property_of(n)->handler_count; h++)
		if (property_of(n)->handlers[h].outcome == outcome)
			return true;
	return false;
}

/* True if a handler asks for a reset. */
static bool remark(
        const struct norn_instances *n, const struct norn_judging *j, const struct norn_instance *i, enum norn_outcome outcome)
{
	return is_handled(n, outcome) && j->outcomes->outcome(j->context, i, outcome);
}

/* Outcomes that are no violation, but that handlers may ask for. */
static void conclude(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i)
{
	enum norn_verdict verdict = NORN_VERDICT_OPEN, before = i->verdict;
	uint32_t state = NORN_FSM_DEAD, state_before = i->fsm_state;
	bool fsm = property_of(n)->logic == NORN_LOGIC_FSM, resets = false;
	if (!norn_states_common(&i->states, n->monitor, fsm, &verdict, &state)) {
		i->verdict = NORN_VERDICT_OPEN;
		return;
	}
	i->verdict = verdict;
	i->fsm_state = state;
	if (!property_of(n)->handler_count)
		return;
	if (verdict == NORN_VERDICT_MATCH)
		resets |= remark(n, j, i, NORN_OUTCOME_MATCH);
	if (verdict == NORN_VERDICT_TRUE && before != NORN_VERDICT_TRUE)
		resets |= remark(n, j, i, NORN_OUTCOME_SATISFACTION);
	if (verdict == NORN_VERDICT_FALSE && before != NORN_VERDICT_FALSE)
		resets |= remark(n, j, i, NORN_OUTCOME_FAIL); /* of forbid: it cannot come any more */
	if (fsm && state != state_before)
		resets |= remark(n, j, i, NORN_OUTCOME_STATE);
	if (resets)
		reset(n, i);
}

/* ---- positions ---- */

static int step(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, const struct norn_letter *letter)
{
	i->stepped = j->serial;
	if (i->given_up)
		return 0;
	int r = norn_states_step(&i->states, n->monitor, letter, n->terms->event_atoms);
	if (r == -E2BIG) {
		give_up(n, j, i, "too much is unknown, there are too many possibilities");
		return 0;
	}
	if (r != 0)
		return r;
	i->last_yes = letter->yes;
	i->last_unknown = letter->unknown != 0;
	/* An instance without keys yet reports nothing. */
	if (i == n->only && property_of(n)->key_count)
		return 0;
	uint32_t wrong = norn_states_violated(&i->states, n->monitor);
	/* If the event may be no position, a state that was there before says nothing of it. */
	if (wrong && wrong == i->states.count && letter->sure)
		violate(n, j, i, j->moment->starts ? NORN_WHEN_START : NORN_WHEN_EVENT);
	else if (wrong)
		doubt(n, j, i);
	else
		conclude(n, j, i);
	return 0;
}

static void tell_position(const struct norn_judging *j, const struct norn_instance *i, const struct norn_letter *letter)
{
	if (j->outcomes->position)
		j->outcomes->position(j->context, i, letter);
}

static bool are_known(const struct norn_value *keys, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (!keys[k].known)
			return false;
	return true;
}

/* Events that name the keys: each goes to its instance. */
static int step_named(struct norn_instances *n, const struct norn_judging *j, bool *ret_position)
{
	struct norn_value keys[NORN_KEYS_MAX];
	int r = 0;
	for (uint32_t h = 0; r == 0 && h < j->moment->hit_count; h++) {
		const struct norn_online_hit *hit = &j->moment->hits[h];
		struct norn_letter letter;
		if (!norn_moment_hit_keys(n->terms, hit, keys))
			continue;
		if (!are_known(keys, property_of(n)->key_count)) {
			n->keys_unknown = true;
			give_up(n, j, n->only,
			        "an event's key is not known (only the first six arguments of a function are seen, and no "
			        "structs)");
			return 0;
		}
		struct norn_instance *i = norn_instance_of(n, keys);
		if (!i)
			return -ENOMEM;
		if (i->stepped == j->serial || !norn_moment_letter(j->moment, n->terms, i->keys, &letter))
			continue;
		*ret_position = true;
		tell_position(j, i, &letter);
		r = step(n, j, i, &letter);
	}
	return r;
}

/* Events that concern all instances: also those that are still to come. */
static int step_all(struct norn_instances *n, const struct norn_judging *j, bool *ret_position)
{
	struct norn_letter letter;
	if (!norn_moment_letter(j->moment, n->terms, NULL, &letter))
		return 0;
	*ret_position = true;
	tell_position(j, NULL, &letter);
	int r = step(n, j, n->only, &letter);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; r == 0 && n->count && (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; r == 0 && i; i = i->next)
			if (i->stepped != j->serial && norn_moment_letter(j->moment, n->terms, i->keys, &letter))
				r = step(n, j, i, &letter);
	return r;
}

int norn_instances_position(struct norn_instances *n, const struct norn_judging *j)
{
	bool position = false;
	int r = 0;
	if (n->keys_unknown)
		return 0;
	if (property_of(n)->key_count && j->moment->hit_count)
		r = step_named(n, j, &position);
	if (r == 0)
		r = step_all(n, j, &position);
	return r < 0 ? r : position;
}

void norn_instances_lost(struct norn_instances *n, const struct norn_judging *j, const char *why)
{
	if (!n->terms->event_atoms)
		return; /* values are unknown now, that is all */
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; i; i = i->next)
			i->given_up = true;
	give_up(n, j, n->only, why);
}

/* ---- ends ---- */

/* The end of the run, or of what the key points to. */
static void end_instance(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, enum norn_when when)
{
	if (i->given_up || i->violated || property_of(n)->logic == NORN_LOGIC_PTLTL) /* which was judged at each position */
		return;
	uint32_t wrong = 0, open = 0;
	for (uint32_t k = 0; k < i->states.count; k++) {
		uint64_t state = norn_states_at(&i->states, k);
		wrong += norn_monitor_ends_badly(n->monitor, state, i->last_yes);
		open += norn_monitor_final(n->monitor, state, i->last_yes) == NORN_VERDICT_OPEN;
	}
	if (wrong && wrong == i->states.count && !i->last_unknown)
		violate(n, j, i, when);
	else if (open == i->states.count)
		remark(n, j, i, NORN_OUTCOME_INCONCLUSIVE);
}

static void end_freed(
        struct norn_instances *n, const struct norn_judging *j, struct norn_instance **link, uint64_t address, uint64_t size)
{
	while (*link) {
		struct norn_instance *i = *link;
		if (!norn_keys_in(i->keys, property_of(n)->key_count, address, size)) {
			link = &i->next;
			continue;
		}
		end_instance(n, j, i, NORN_WHEN_FREED);
		*link = i->next;
		free_instance(i);
		n->count--;
	}
}

/* By address, or one by one, whichever is less work. */
void norn_instances_freed(struct norn_instances *n, const struct norn_judging *j, uint64_t address, uint64_t size)
{
	uint64_t key;
	size_t cursor = 0;
	if (!property_of(n)->key_count || !n->count)
		return;
	if (property_of(n)->key_count == 1 && size < n->count) {
		for (uint64_t at = 0; at < size; at++) {
			struct norn_value value = norn_value_integer(address + at);
			uint64_t hash = norn_keys_hash(&value, 1);
			struct norn_instance **slot = norn_map_get(&n->map, hash);
			if (slot && *slot)
				end_freed(n, j, slot, address, size);
			if (slot && !*slot)
				norn_map_remove(&n->map, hash);
		}
		return;
	}
	for (struct norn_instance **slot; (slot = norn_map_next(&n->map, &cursor, &key));)
		end_freed(n, j, slot, address, size);
}

void norn_instances_end(struct norn_instances *n, const struct norn_judging *j)
{
	if (!property_of(n)->key_count)
		end_instance(n, j, n->only, NORN_WHEN_END);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; i; i = i->next)
			end_instance(n, j, i, NORN_WHEN_END);
}
