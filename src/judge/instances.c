#include "judge/instances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static const struct norn_property *property_of(const struct norn_instances *n)
{
	return n->topic->property;
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

int norn_instances_init(struct norn_instances *n, const struct norn_property_terms *topic, const struct norn_monitor *monitor)
{
	*n = (struct norn_instances){.topic = topic, .monitor = monitor};
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
static int violate(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, enum norn_when when)
{
	bool resets = false;
	if (i->violated && property_of(n)->logic != NORN_LOGIC_PTLTL)
		return 0;
	if (property_of(n)->logic == NORN_LOGIC_FSM)
		i->fsm_state = norn_monitor_fsm_state(n->monitor, norn_states_at(&i->states, 0));
	i->violated = true;
	int r = j->outcomes->violation(j->context, i, when, &resets);
	if (resets)
		reset(n, i);
	return r;
}

static int doubt(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i)
{
	if (i->doubtful || i->violated)
		return 0;
	i->doubtful = true;
	return n->doubts++ ? 0 : j->outcomes->doubt(j->context, i);
}

static int give_up(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, const char *why)
{
	i->given_up = true;
	if (n->gave_up)
		return 0;
	n->gave_up = true;
	return j->outcomes->give_up(j->context, i, why);
}

static bool is_handled(const struct norn_instances *n, enum norn_outcome outcome)
{
	for (uint32_t h = 0; h < property_of(n)->handler_count; h++)
		if (property_of(n)->handlers[h].outcome == outcome)
			return true;
	return false;
}

static int remark(const struct norn_instances *n, const struct norn_judging *j, const struct norn_instance *i,
        enum norn_outcome outcome, bool *resets)
{
	bool one = false;
	int r = is_handled(n, outcome) ? j->outcomes->outcome(j->context, i, outcome, &one) : 0;
	*resets |= one;
	return r;
}

/* What is no violation, but an outcome that handlers may ask for. */
static int conclude(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i)
{
	enum norn_verdict verdict = NORN_VERDICT_OPEN, before = i->verdict;
	uint32_t state = NORN_FSM_DEAD, state_before = i->fsm_state;
	bool fsm = property_of(n)->logic == NORN_LOGIC_FSM, resets = false;
	int r = 0;
	if (!norn_states_agreed(&i->states, n->monitor, fsm, &verdict, &state)) {
		i->verdict = NORN_VERDICT_OPEN;
		return 0;
	}
	i->verdict = verdict;
	i->fsm_state = state;
	if (!property_of(n)->handler_count)
		return 0;
	if (verdict == NORN_VERDICT_MATCH)
		r = remark(n, j, i, NORN_OUTCOME_MATCH, &resets);
	if (r == 0 && verdict == NORN_VERDICT_TRUE && before != NORN_VERDICT_TRUE)
		r = remark(n, j, i, NORN_OUTCOME_SATISFACTION, &resets);
	if (r == 0 && verdict == NORN_VERDICT_FALSE && before != NORN_VERDICT_FALSE)
		r = remark(n, j, i, NORN_OUTCOME_FAIL, &resets); /* of forbid: it cannot come any more */
	if (r == 0 && fsm && state != state_before)
		r = remark(n, j, i, NORN_OUTCOME_STATE, &resets);
	if (resets)
		reset(n, i);
	return r;
}

/* ---- positions ---- */

static int step(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, const struct norn_letter *letter)
{
	i->stepped = j->serial;
	if (i->given_up)
		return 0;
	int r = norn_states_step(&i->states, n->monitor, letter, n->topic->event_atoms);
	if (r == -E2BIG)
		return give_up(n, j, i, "too much is unknown, there are too many possibilities");
	if (r != 0)
		return r;
	i->last_yes = letter->yes;
	i->last_unknown = letter->unknown != 0;
	/* What has no keys yet speaks for nobody. */
	if (i == n->only && property_of(n)->key_count)
		return 0;
	uint32_t wrong = norn_states_violated(&i->states, n->monitor);
	if (wrong && wrong == i->states.count)
		return violate(n, j, i, j->moment->starts ? NORN_WHEN_START : NORN_WHEN_EVENT);
	return wrong ? doubt(n, j, i) : conclude(n, j, i);
}

static int tell_position(const struct norn_judging *j, const struct norn_instance *i, const struct norn_letter *letter)
{
	return j->outcomes->position ? j->outcomes->position(j->context, i, letter) : 0;
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
		if (hit->event == NORN_SLOT_NONE || hit->holds == NORN_TRUTH_NO ||
		        !norn_property_terms_is_atom(n->topic, hit->event) ||
		        !norn_property_terms_keys(n->topic, hit->event, hit->slots, keys))
			continue;
		if (!are_known(keys, property_of(n)->key_count)) {
			n->keys_unknown = true;
			return give_up(n, j, n->only,
			        "an event's key is not known (only the first six arguments of a function are seen, and no "
			        "structs)");
		}
		struct norn_instance *i = norn_instance_of(n, keys);
		if (!i)
			return -ENOMEM;
		if (i->stepped == j->serial || !norn_moment_letter(j->moment, n->topic, i->keys, &letter))
			continue;
		*ret_position = true;
		r = tell_position(j, i, &letter);
		if (r == 0)
			r = step(n, j, i, &letter);
	}
	return r;
}

/* Events that concern all instances: also those that are still to come. */
static int step_all(struct norn_instances *n, const struct norn_judging *j, bool *ret_position)
{
	struct norn_letter letter;
	if (!norn_moment_letter(j->moment, n->topic, NULL, &letter))
		return 0;
	*ret_position = true;
	int r = tell_position(j, NULL, &letter);
	if (r == 0)
		r = step(n, j, n->only, &letter);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; r == 0 && n->count && (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; r == 0 && i; i = i->next)
			if (i->stepped != j->serial && norn_moment_letter(j->moment, n->topic, i->keys, &letter))
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

int norn_instances_lost(struct norn_instances *n, const struct norn_judging *j, const char *why)
{
	if (!n->topic->event_atoms)
		return 0; /* values are unknown now, that is all */
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; i; i = i->next)
			i->given_up = true;
	return give_up(n, j, n->only, why);
}

/* ---- ends ---- */

/* The end of the run, or of what the key points to. */
static int end_instance(struct norn_instances *n, const struct norn_judging *j, struct norn_instance *i, enum norn_when when)
{
	enum norn_logic_kind logic = property_of(n)->logic;
	if (i->given_up || i->violated || logic == NORN_LOGIC_PTLTL) /* which was judged at each position */
		return 0;
	uint32_t wrong = 0, open = 0;
	enum norn_verdict bad = logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
	for (uint32_t k = 0; k < i->states.count; k++) {
		enum norn_verdict verdict = norn_monitor_final(n->monitor, norn_states_at(&i->states, k), i->last_yes);
		wrong += verdict == bad;
		open += verdict == NORN_VERDICT_OPEN;
	}
	bool resets = false;
	if (wrong && wrong == i->states.count && !i->last_unknown)
		return violate(n, j, i, when);
	return open == i->states.count ? remark(n, j, i, NORN_OUTCOME_INCONCLUSIVE, &resets) : 0;
}

static int end_freed(
        struct norn_instances *n, const struct norn_judging *j, struct norn_instance **link, uint64_t address, uint64_t size)
{
	int r = 0;
	while (r == 0 && *link) {
		struct norn_instance *i = *link;
		if (!norn_keys_in(i->keys, property_of(n)->key_count, address, size)) {
			link = &i->next;
			continue;
		}
		r = end_instance(n, j, i, NORN_WHEN_FREED);
		*link = i->next;
		free_instance(i);
		n->count--;
	}
	return r;
}

/* By address, or one by one, whichever is less work. */
int norn_instances_freed(struct norn_instances *n, const struct norn_judging *j, uint64_t address, uint64_t size)
{
	uint64_t key;
	size_t cursor = 0;
	int r = 0;
	if (!property_of(n)->key_count || !n->count)
		return 0;
	if (property_of(n)->key_count == 1 && size < n->count) {
		for (uint64_t at = 0; r == 0 && at < size; at++) {
			struct norn_value value = norn_value_integer(address + at);
			uint64_t hash = norn_keys_hash(&value, 1);
			struct norn_instance **slot = norn_map_get(&n->map, hash);
			if (slot && *slot)
				r = end_freed(n, j, slot, address, size);
			if (slot && !*slot)
				norn_map_remove(&n->map, hash);
		}
		return r;
	}
	for (struct norn_instance **slot; r == 0 && (slot = norn_map_next(&n->map, &cursor, &key));)
		r = end_freed(n, j, slot, address, size);
	return r;
}

int norn_instances_end(struct norn_instances *n, const struct norn_judging *j)
{
	int r = property_of(n)->key_count ? 0 : end_instance(n, j, n->only, NORN_WHEN_END);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; r == 0 && (slot = norn_map_next(&n->map, &cursor, &key));)
		for (struct norn_instance *i = *slot; r == 0 && i; i = i->next)
			r = end_instance(n, j, i, NORN_WHEN_END);
	return r;
}
