#include "judge/instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- seats ---- */

static void reset_seat(const struct norn_property_machine *m, struct norn_instances_seat *s)
{
	uint64_t start = norn_monitor_start(m->monitor);
	norn_states_set(&s->states, start);
	s->verdict = norn_monitor_verdict(m->monitor, start);
	s->fsm_state = m->topic.property->logic == NORN_LOGIC_FSM ? norn_monitor_fsm_state(m->monitor, start) : NORN_FSM_DEAD;
	s->charged = false;
}

static struct norn_instances_seat *new_seat(const struct norn_property_machine *m)
{
	/* Aligned for __int128, which calloc promises as well. */
	struct norn_instances_seat *s = calloc(1, sizeof *s);
	if (s)
		reset_seat(m, s);
	return s;
}

static void free_seat(struct norn_instances_seat *s)
{
	if (s)
		norn_states_done(&s->states);
	free(s);
}

int norn_dockets_new(const struct norn_live_monitors *machines, struct norn_instances **ret_dockets)
{
	struct norn_instances *list = calloc(machines->count + 1ul, sizeof *list);
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < machines->count; i++) {
		norn_map_init(&list[i].seats, sizeof(struct norn_instances_seat *));
		if (!(list[i].only = new_seat(&machines->list[i]))) {
			norn_dockets_free(machines, list);
			return -ENOMEM;
		}
	}
	*ret_dockets = list;
	return 0;
}

void norn_dockets_free(const struct norn_live_monitors *machines, struct norn_instances *list)
{
	for (uint32_t i = 0; list && i < machines->count; i++) {
		size_t cursor = 0;
		uint64_t key;
		for (struct norn_instances_seat **slot; (slot = norn_map_next(&list[i].seats, &cursor, &key));)
			for (struct norn_instances_seat *s = *slot, *next; s; s = next) {
				next = s->next;
				free_seat(s);
			}
		norn_map_done(&list[i].seats);
		free_seat(list[i].only);
	}
	free(list);
}

/* The seat of these keys, made from what broadcast events have led to if there is none. */
static struct norn_instances_seat *seat_of(
        const struct norn_property_machine *m, struct norn_instances *d, const struct norn_value *keys)
{
	uint32_t count = m->topic.property->key_count;
	void *slot;
	if (norn_map_put(&d->seats, norn_keys_hash(keys, count), &slot) != 0)
		return NULL;
	struct norn_instances_seat **first = slot;
	for (struct norn_instances_seat *s = *first; s; s = s->next)
		if (norn_keys_same(s->keys, keys, count))
			return s;
	struct norn_instances_seat *s = new_seat(m);
	if (!s || norn_states_copy(&s->states, &d->only->states) != 0) {
		free_seat(s);
		return NULL;
	}
	memcpy(s->keys, keys, count * sizeof *keys);
	s->verdict = d->only->verdict;
	s->fsm_state = d->only->fsm_state;
	s->given_up = d->only->given_up;
	s->next = *first;
	*first = s;
	d->count++;
	return s;
}

/* ---- what is said ---- */

static void append(char *to, size_t room, const char *name, const char *value, const char *between)
{
	size_t used = strlen(to);
	snprintf(to + used, room - used, "%s%s = %s", used ? between : "", name, value);
}

static void key_text(const struct norn_property_machine *m, const struct norn_value *keys, char *to, size_t room)
{
	to[0] = 0;
	for (uint32_t k = 0; keys && k < m->topic.property->key_count; k++) {
		char value[48];
		if (keys[k].known && !keys[k].is_float && keys[k].integer > 0xffffff)
			snprintf(value, sizeof value, "0x%llx", (unsigned long long)keys[k].integer);
		else
			norn_value_text(keys[k], value, sizeof value);
		append(to, room, m->topic.property->keys[k], value, ", ");
	}
}

static void values_text(const struct norn_property_machine *m, const struct norn_now *now, char *to, size_t room)
{
	const struct norn_spec *spec = now->machines->spec;
	char value[48];
	to[0] = 0;
	for (uint32_t p = 0; p < spec->place_count; p++)
		if (m->topic.places[p]) {
			norn_value_text(norn_place_values_place(&now->machines->values, p), value, sizeof value);
			append(to, room, spec->places[p].text, value, "\n");
		}
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		if (m->topic.ghosts[g]) {
			norn_value_text(now->bench->ghosts[2 * g], value, sizeof value);
			append(to, room, spec->ghosts[g].name, value, "\n");
		}
}

/* The hit that `value`, `old` and `self` speak of: the first that took place. */
static const struct norn_online_hit *current_hit(const struct norn_now *now)
{
	for (uint32_t i = 0; i < now->look->count; i++)
		if (now->look->hits[i].holds == NORN_TRUTH_YES && now->look->hits[i].event != NORN_SLOT_NONE)
			return &now->look->hits[i];
	return NULL;
}

/* Whether a handler asks for a reset. */
static bool raise(struct norn_now *now, const struct norn_property_machine *m, const struct norn_instances_seat *s,
        const struct norn_value *keys, enum norn_outcome outcome, uint32_t also, const char *what)
{
	char key[120], values[512];
	struct norn_instance_scene scene = {now, current_hit(now), keys};
	const struct norn_eval_env env = {norn_moment_leaf, &scene};
	key_text(m, keys, key, sizeof key);
	values_text(m, now, values, sizeof values);
	const struct norn_raise r = {.property = m->topic.property,
	        .index = m->index,
	        .outcome = outcome,
	        .also = also,
	        .state = s->fsm_state,
	        .what = what,
	        .env = &env,
	        .key = key,
	        .values = values,
	        .site = now->event->site,
	        .call_site = now->event->call_site,
	        .event_kind = now->event->kind,
	        .event_op = now->event->op};
	return norn_online_raise(now->self, &r);
}

static bool is_handled(const struct norn_property_machine *m, enum norn_outcome outcome)
{
	for (uint32_t h = 0; h < m->topic.property->handler_count; h++)
		if (m->topic.property->handlers[h].outcome == outcome)
			return true;
	return false;
}

/* Only formulas about the past are violated again and again. */
static void charge(struct norn_now *now, const struct norn_property_machine *m, struct norn_instances_seat *s,
        const struct norn_value *keys, const char *what)
{
	bool fsm = m->topic.property->logic == NORN_LOGIC_FSM;
	if (s->charged && m->topic.property->logic != NORN_LOGIC_PTLTL)
		return;
	if (fsm)
		s->fsm_state = norn_monitor_fsm_state(m->monitor, norn_states_at(&s->states, 0));
	s->charged = true;
	uint32_t also = 1u << (m->topic.property->logic == NORN_LOGIC_FORBID ? NORN_OUTCOME_MATCH : NORN_OUTCOME_FAIL);
	also |= fsm && s->fsm_state != NORN_FSM_DEAD ? 1u << NORN_OUTCOME_STATE : 0;
	if (raise(now, m, s, keys, NORN_OUTCOME_VIOLATION, also, what))
		reset_seat(m, s);
}

static void doubt(
        struct norn_now *now, const struct norn_property_machine *m, struct norn_instances *d, struct norn_instances_seat *s)
{
	if (s->doubtful || s->charged)
		return;
	s->doubtful = true;
	atomic_store(&now->machines->incomplete, true);
	if (d->doubted)
		return; /* one is said */
	d->doubted = true;
	norn_online_say(now->self, NORN_QUEUED_DOUBT, m->topic.property->name, now->event->site,
	        now->starts ? "values are not known there, as a pointer leads nowhere yet, or code that is not instrumented may "
	                      "have written them"
	                    : "values are not known there, as code that is not instrumented may have written them");
}

static void give_up(struct norn_now *now, const struct norn_property_machine *m, struct norn_instances *d,
        struct norn_instances_seat *s, const char *why)
{
	s->given_up = true;
	atomic_store(&now->machines->incomplete, true);
	if (d->gave_up)
		return;
	d->gave_up = true;
	char sentence[256];
	snprintf(sentence, sizeof sentence, "property %s is not judged to the end: %s", m->topic.property->name, why);
	norn_online_say(now->self, NORN_QUEUED_NOTE, m->topic.property->name, now->event->site, sentence);
}

/* ---- steps ---- */

/* What is no violation, but an outcome that handlers may ask for. */
static void remark(
        struct norn_now *now, const struct norn_property_machine *m, struct norn_instances_seat *s, const struct norn_value *keys)
{
	enum norn_verdict verdict = NORN_VERDICT_OPEN, before = s->verdict;
	uint32_t state = NORN_FSM_DEAD, state_before = s->fsm_state;
	bool reset = false;
	if (!norn_states_agreed(&s->states, m->monitor, m->topic.property->logic == NORN_LOGIC_FSM, &verdict, &state)) {
		s->verdict = NORN_VERDICT_OPEN;
		return;
	}
	s->verdict = verdict;
	s->fsm_state = state;
	if (!m->topic.property->handler_count)
		return;
	if (verdict == NORN_VERDICT_MATCH && is_handled(m, NORN_OUTCOME_MATCH))
		reset |= raise(now, m, s, keys, NORN_OUTCOME_MATCH, 0, NULL);
	if (verdict == NORN_VERDICT_TRUE && before != NORN_VERDICT_TRUE && is_handled(m, NORN_OUTCOME_SATISFACTION))
		reset |= raise(now, m, s, keys, NORN_OUTCOME_SATISFACTION, 0, NULL);
	if (verdict == NORN_VERDICT_FALSE && before != NORN_VERDICT_FALSE && is_handled(m, NORN_OUTCOME_FAIL))
		reset |= raise(now, m, s, keys, NORN_OUTCOME_FAIL, 0, NULL); /* of forbid: it cannot come any more */
	if (m->topic.property->logic == NORN_LOGIC_FSM && state != state_before && is_handled(m, NORN_OUTCOME_STATE))
		reset |= raise(now, m, s, keys, NORN_OUTCOME_STATE, 0, NULL);
	if (reset)
		reset_seat(m, s);
}

static void step(struct norn_now *now, uint32_t i, struct norn_instances_seat *s, const struct norn_value *keys,
        const struct norn_letter *letter)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	struct norn_instances *d = &now->dockets[i];
	s->stepped = now->serial;
	if (s->given_up)
		return;
	if (norn_states_step(&s->states, m->monitor, letter, m->topic.event_atoms) != 0) {
		give_up(now, m, d, s, "too much is unknown, there are too many possibilities");
		return;
	}
	s->last_yes = letter->yes;
	s->last_unknown = letter->unknown != 0;
	/* What has no keys yet speaks for nobody. */
	if (s == d->only && m->topic.property->key_count)
		return;
	uint32_t wrong = norn_states_violated(&s->states, m->monitor);
	if (wrong && wrong == s->states.count)
		charge(now, m, s, keys, now->starts ? "violated at the start of the run" : NULL);
	else if (wrong)
		doubt(now, m, d, s);
	else
		remark(now, m, s, keys);
}

/* Memory that someone without hooks has written is not known: asked before a letter is read, so that no verdict stands on it. */
static void check_values(struct norn_now *now, const struct norn_property_machine *m)
{
	for (uint32_t p = 0; now->machines->values_needed && p < now->machines->spec->place_count; p++)
		if (m->topic.places[p])
			norn_place_values_check(&now->machines->values, p, true);
}

/* Events that name the keys: each goes to its seat. */
static bool step_named(struct norn_now *now, uint32_t i)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	struct norn_instances *d = &now->dockets[i];
	struct norn_value keys[NORN_KEYS_MAX];
	bool relevant = false;
	for (uint32_t h = 0; h < now->look->count; h++) {
		const struct norn_online_hit *hit = &now->look->hits[h];
		if (hit->event == NORN_SLOT_NONE || hit->holds == NORN_TRUTH_NO ||
		        !norn_property_terms_is_atom(&m->topic, hit->event) ||
		        !norn_property_terms_keys(&m->topic, hit->event, hit->slots, keys))
			continue;
		bool known = true;
		for (uint32_t k = 0; k < m->topic.property->key_count; k++)
			known &= keys[k].known;
		struct norn_instances_seat *s = known ? seat_of(m, d, keys) : NULL;
		if (!s) {
			d->keys_unknown = true;
			give_up(now, m, d, d->only,
			        known ? "there is not enough memory for its instances"
			              : "an event's key is not known (only the first six arguments of a function are seen, and no "
			                "structs)");
			return relevant;
		}
		struct norn_letter letter;
		if (s->stepped == now->serial || !norn_property_machine_letter(m, now, s->keys, &letter))
			continue;
		relevant = true;
		step(now, i, s, s->keys, &letter);
	}
	return relevant;
}

/* Events that concern all seats: also those that are still to come. */
static bool step_all(struct norn_now *now, uint32_t i)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	struct norn_instances *d = &now->dockets[i];
	struct norn_letter letter;
	if (!norn_property_machine_letter(m, now, NULL, &letter))
		return false;
	step(now, i, d->only, NULL, &letter);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instances_seat **slot; d->count && (slot = norn_map_next(&d->seats, &cursor, &key));)
		for (struct norn_instances_seat *s = *slot; s; s = s->next)
			if (s->stepped != now->serial && norn_property_machine_letter(m, now, s->keys, &letter))
				step(now, i, s, s->keys, &letter);
	return true;
}

/* Whether the event has anything to do with the property: most have not, and that is soon told. */
static bool concerns(const struct norn_property_machine *m, const struct norn_now *now)
{
	if (now->starts || now->change_count)
		return true;
	for (uint32_t i = 0; i < now->look->count; i++) {
		uint32_t event = now->look->hits[i].event;
		if (event != NORN_SLOT_NONE && (m->topic.events[event] || norn_property_terms_is_atom(&m->topic, event)))
			return true;
	}
	for (uint32_t g = 0; g < now->machines->spec->ghost_count; g++)
		if (m->topic.ghosts[g] && now->bench->set[g])
			return true;
	return false;
}

bool norn_instances_position(struct norn_now *now, uint32_t i)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	if (now->dockets[i].keys_unknown || !concerns(m, now))
		return false;
	check_values(now, m);
	bool relevant = m->topic.property->key_count && now->look->count ? step_named(now, i) : false;
	return step_all(now, i) || relevant;
}

/* ---- ends ---- */

/* The end of the run, or of what the key points to. */
static void end_seat(
        struct norn_now *now, const struct norn_property_machine *m, struct norn_instances_seat *s, const struct norn_value *keys)
{
	if (s->given_up || s->charged || m->topic.property->logic == NORN_LOGIC_PTLTL)
		return;
	uint32_t wrong = 0, open = 0;
	enum norn_verdict bad = m->topic.property->logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
	for (uint32_t k = 0; k < s->states.count; k++) {
		enum norn_verdict verdict = norn_monitor_final(m->monitor, norn_states_at(&s->states, k), s->last_yes);
		wrong += verdict == bad;
		open += verdict == NORN_VERDICT_OPEN;
	}
	bool freed = now->event->kind == NORN_EVENT_FREE;
	if (wrong && wrong == s->states.count && !s->last_unknown)
		charge(now, m, s, keys, freed ? "violated when the object was freed" : "violated at the end of the run");
	else if (open == s->states.count && is_handled(m, NORN_OUTCOME_INCONCLUSIVE))
		raise(now, m, s, keys, NORN_OUTCOME_INCONCLUSIVE, 0, NULL);
}

static void end_freed(
        struct norn_now *now, const struct norn_property_machine *m, struct norn_instances *d, struct norn_instances_seat **link)
{
	while (*link) {
		struct norn_instances_seat *s = *link;
		if (!norn_keys_in(s->keys, m->topic.property->key_count, now->event->addr, now->event->size)) {
			link = &s->next;
			continue;
		}
		end_seat(now, m, s, s->keys);
		*link = s->next;
		free_seat(s);
		d->count--;
	}
}

/* By address, or one by one, whichever is less work. */
void norn_instances_freed(struct norn_now *now, uint32_t i)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	struct norn_instances *d = &now->dockets[i];
	uint64_t key;
	size_t cursor = 0;
	if (!m->topic.property->key_count || !d->count)
		return;
	if (m->topic.property->key_count == 1 && now->event->size < d->count) {
		for (uint64_t at = 0; at < now->event->size; at++) {
			struct norn_value value = norn_value_integer(now->event->addr + at);
			uint64_t hash = norn_keys_hash(&value, 1);
			struct norn_instances_seat **slot = norn_map_get(&d->seats, hash);
			if (slot && *slot)
				end_freed(now, m, d, slot);
			if (slot && !*slot)
				norn_map_remove(&d->seats, hash);
		}
		return;
	}
	for (struct norn_instances_seat **slot; (slot = norn_map_next(&d->seats, &cursor, &key));)
		end_freed(now, m, d, slot);
}

void norn_instances_end(struct norn_now *now, uint32_t i)
{
	const struct norn_property_machine *m = &now->machines->list[i];
	struct norn_instances *d = &now->dockets[i];
	size_t cursor = 0;
	uint64_t key;
	if (!m->topic.property->key_count)
		end_seat(now, m, d->only, NULL);
	for (struct norn_instances_seat **slot; (slot = norn_map_next(&d->seats, &cursor, &key));)
		for (struct norn_instances_seat *s = *slot; s; s = s->next)
			end_seat(now, m, s, s->keys);
}
