#include "judge/recorded/recorded_property.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/recorded/recorded_property_state.h"
#include "trace/record.h"

/* ---- instances ---- */

static struct norn_instance *new_instance(const struct norn_recorded_property *c)
{
	struct norn_instance *i = calloc(1, sizeof *i);
	size_t bytes = (c->property->key_count + 1ul) * sizeof *i->keys;
	if (!i || !(i->keys = aligned_alloc(_Alignof(struct norn_value), bytes))) {
		free(i);
		return NULL;
	}
	memset(i->keys, 0, bytes);
	norn_instance_reset(c, i);
	return i;
}

static void free_instance(struct norn_instance *i)
{
	if (!i)
		return;
	norn_states_done(&i->states);
	free(i->keys);
	free(i);
}

void norn_instance_reset(const struct norn_recorded_property *c, struct norn_instance *i)
{
	uint64_t start = norn_monitor_start(c->monitor);
	norn_states_set(&i->states, start);
	i->verdict = norn_monitor_verdict(c->monitor, start);
	i->fsm_state = c->property->logic == NORN_LOGIC_FSM ? norn_monitor_fsm_state(c->monitor, start) : NORN_FSM_DEAD;
	i->charged = false;
}

/* The instance of these keys, made from what broadcast events have led to if there is none. */
static struct norn_instance *instance_of(struct norn_recorded_property *c, const struct norn_value *keys)
{
	uint32_t count = c->property->key_count;
	void *slot;
	if (norn_map_put(&c->instances, norn_keys_hash(keys, count), &slot) != 0)
		return NULL;
	struct norn_instance **first = slot;
	for (struct norn_instance *i = *first; i; i = i->next)
		if (norn_keys_same(i->keys, keys, count))
			return i;
	struct norn_instance *i = new_instance(c);
	if (!i || norn_states_copy(&i->states, &c->only->states) != 0) {
		free_instance(i);
		return NULL;
	}
	memcpy(i->keys, keys, count * sizeof *keys);
	i->verdict = c->only->verdict;
	i->fsm_state = c->only->fsm_state;
	i->given_up = c->only->given_up;
	i->id = ++c->next_id;
	i->next = *first;
	*first = i;
	c->instance_count++;
	return i;
}

/* ---- life ---- */

int norn_recorded_property_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_property *property, struct norn_recorded_property **ret_court, struct norn_error *err)
{
	struct norn_recorded_property *c = calloc(1, sizeof *c);
	if (!c)
		return norn_error_no_memory(err);
	c->sources = sources;
	c->property = property;
	norn_map_init(&c->instances, sizeof(struct norn_instance *));
	int r = norn_monitor_new(binding->spec, property, NULL, &c->monitor, err);
	if (r != 0) {
		norn_recorded_property_free(c);
		return r;
	}
	if (norn_view_new(binding, property, &c->view) != 0 || !(c->only = new_instance(c))) {
		norn_recorded_property_free(c);
		return norn_error_no_memory(err);
	}
	c->only->id = ++c->next_id;
	*ret_court = c;
	return 0;
}

void norn_recorded_property_free(struct norn_recorded_property *c)
{
	if (!c)
		return;
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&c->instances, &cursor, &key));)
		for (struct norn_instance *i = *slot, *next; i; i = next) {
			next = i->next;
			free_instance(i);
		}
	norn_map_done(&c->instances);
	free_instance(c->only);
	norn_view_free(c->view);
	norn_monitor_free(c->monitor);
	norn_recent_positions_done(&c->history);
	free(c);
}

/* ---- verdicts ---- */

static int doubt(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_past *past, struct norn_findings *f)
{
	if (i->doubtful || i->charged)
		return 0;
	i->doubtful = true;
	f->stats.complete = false;
	if (c->doubts++)
		return 0; /* one is shown, the others are counted */
	struct norn_step_text at;
	norn_past_text(c->view->binding, past, f, &at);
	const char *key = norn_instance_text(c, i, f);
	if (past->number == 0)
		return norn_findings_note(f,
		        "property %s%s%s may be violated at the start of the run: values are not known there, as a pointer leads "
		        "nowhere yet, or code that is not instrumented may have written them",
		        c->property->name, *key ? " of " : "", key);
	return norn_findings_note(f,
	        "property %s%s%s may be violated at %s:%u (event %llu): values are not known there, as code that "
	        "is not instrumented may have written them, or they were not recorded",
	        c->property->name, *key ? " of " : "", key, *at.file ? at.file : "?", at.line, (unsigned long long)past->number);
}

static int give_up(struct norn_recorded_property *c, struct norn_instance *i, struct norn_findings *f, const char *why)
{
	i->given_up = true;
	f->stats.complete = false;
	if (c->given_up)
		return 0;
	c->given_up = true;
	const char *key = norn_instance_text(c, i, f);
	return norn_findings_note(
	        f, "property %s%s%s is not judged to the end: %s", c->property->name, *key ? " of " : "", key, why);
}

/* What the step means for the handlers. */
static int conclude(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m,
        const struct norn_past *past, struct norn_findings *f)
{
	uint32_t wrong = norn_states_violated(&i->states, c->monitor);
	if (wrong && wrong == i->states.count)
		return norn_charge(c, i, m, past, f);
	if (wrong)
		return doubt(c, i, past, f);
	enum norn_verdict verdict = NORN_VERDICT_OPEN;
	uint32_t state = NORN_FSM_DEAD;
	bool reset = false;
	if (!norn_states_agreed(&i->states, c->monitor, c->property->logic == NORN_LOGIC_FSM, &verdict, &state)) {
		i->verdict = NORN_VERDICT_OPEN;
		return 0;
	}
	enum norn_verdict before = i->verdict;
	uint32_t state_before = i->fsm_state;
	i->verdict = verdict;
	i->fsm_state = state;
	if (verdict == NORN_VERDICT_MATCH)
		reset |= norn_remark(c, i, m, NORN_OUTCOME_MATCH, f);
	if (verdict == NORN_VERDICT_TRUE && before != NORN_VERDICT_TRUE)
		reset |= norn_remark(c, i, m, NORN_OUTCOME_SATISFACTION, f);
	if (verdict == NORN_VERDICT_FALSE && before != NORN_VERDICT_FALSE)
		reset |= norn_remark(c, i, m, NORN_OUTCOME_FAIL, f); /* of forbid: it cannot come any more */
	if (c->property->logic == NORN_LOGIC_FSM && state != state_before)
		reset |= norn_remark(c, i, m, NORN_OUTCOME_STATE, f);
	if (reset)
		norn_instance_reset(c, i);
	return 0;
}

static int step(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m,
        const struct norn_letter *letter, const struct norn_past *past, struct norn_findings *f)
{
	i->stepped = m->position->number;
	if (i->given_up)
		return 0;
	int r = norn_states_step(&i->states, c->monitor, letter, c->view->topic.event_atoms);
	if (r == -E2BIG)
		return give_up(c, i, f, "too much is unknown, there are too many possibilities");
	i->last_yes = letter->yes;
	i->last_unknown = letter->unknown != 0;
	/* What has no keys yet speaks for nobody. */
	if (r != 0 || (i == c->only && c->property->key_count))
		return r;
	return conclude(c, i, m, past, f);
}

/* ---- positions ---- */

/* Events that name the keys: each goes to its instance. */
static int step_named(struct norn_recorded_property *c, const struct norn_moment *m, struct norn_findings *f, bool *ret_relevant)
{
	const struct norn_position *p = m->position;
	struct norn_value keys[NORN_KEYS_MAX];
	for (uint32_t h = 0; h < p->hit_count; h++) {
		if (m->holds[h] == NORN_TRUTH_NO || !norn_property_terms_is_atom(&c->view->topic, p->hits[h].event) ||
		        !norn_view_keys(c->view, &p->hits[h], keys))
			continue;
		bool known = true;
		for (uint32_t k = 0; k < c->property->key_count; k++)
			known &= keys[k].known;
		if (!known) {
			c->keys_unknown = true;
			return give_up(c, c->only, f,
			        "an event's key is not known (only the first six arguments of a function are recorded, and no "
			        "structs)");
		}
		struct norn_instance *i = instance_of(c, keys);
		if (!i)
			return -ENOMEM;
		struct norn_letter letter;
		if ((i->stepped == p->number) || !norn_view_letter(c->view, m, i->keys, &letter))
			continue;
		struct norn_past past;
		norn_past_of(c->view, m, i->id, &past);
		past.letter = letter;
		*ret_relevant = true;
		if (norn_recent_positions_add(&c->history, &past) != 0)
			return -ENOMEM;
		int r = step(c, i, m, &letter, &past, f);
		if (r != 0)
			return r;
	}
	return 0;
}

/* Events that concern all instances: also those that are still to come. */
static int step_all(struct norn_recorded_property *c, const struct norn_moment *m, struct norn_findings *f, bool *ret_relevant)
{
	struct norn_letter letter;
	if (!norn_view_letter(c->view, m, NULL, &letter))
		return 0;
	struct norn_past past;
	norn_past_of(c->view, m, NORN_INSTANCE_ALL, &past);
	past.letter = letter;
	*ret_relevant = true;
	int r = norn_recent_positions_add(&c->history, &past);
	if (r == 0)
		r = step(c, c->only, m, &letter, &past, f);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; r == 0 && (slot = norn_map_next(&c->instances, &cursor, &key));)
		for (struct norn_instance *i = *slot; r == 0 && i; i = i->next)
			if (i->stepped != m->position->number && norn_view_letter(c->view, m, i->keys, &letter))
				r = step(c, i, m, &letter, &past, f);
	return r;
}

/* ---- ends ---- */

/* The end of the run, or of what the key points to. */
static int end_instance(
        struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m, struct norn_findings *f)
{
	if (i->given_up || i->charged)
		return 0;
	uint32_t wrong = 0, open = 0;
	enum norn_verdict bad = c->property->logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
	for (uint32_t k = 0; k < i->states.count; k++) {
		enum norn_verdict verdict = norn_monitor_final(c->monitor, norn_states_at(&i->states, k), i->last_yes);
		wrong += verdict == bad;
		open += verdict == NORN_VERDICT_OPEN;
	}
	bool past_only = c->property->logic == NORN_LOGIC_PTLTL; /* was said at each position */
	if (wrong && wrong == i->states.count && !past_only && !i->last_unknown)
		return norn_charge(c, i, m, NULL, f);
	if (open == i->states.count && !past_only)
		norn_remark(c, i, m, NORN_OUTCOME_INCONCLUSIVE, f);
	return 0;
}

static int end_freed(
        struct norn_recorded_property *c, struct norn_instance **link, const struct norn_moment *m, struct norn_findings *f)
{
	while (*link) {
		struct norn_instance *i = *link;
		if (!norn_keys_in(i->keys, c->property->key_count, m->position->address, m->position->size)) {
			link = &i->next;
			continue;
		}
		int r = end_instance(c, i, m, f);
		*link = i->next;
		free_instance(i);
		c->instance_count--;
		if (r != 0)
			return r;
	}
	return 0;
}

/* Ends the instances whose keys point into the block that is freed: by address, or one by one, whichever is less work. */
static int end_in_block(struct norn_recorded_property *c, const struct norn_moment *m, struct norn_findings *f)
{
	if (!c->instance_count)
		return 0;
	int r = 0;
	uint64_t key;
	size_t cursor = 0;
	if (c->property->key_count == 1 && m->position->size < c->instance_count) {
		for (uint64_t at = 0; r == 0 && at < m->position->size; at++) {
			struct norn_value value = norn_value_integer(m->position->address + at);
			struct norn_instance **slot = norn_map_get(&c->instances, norn_keys_hash(&value, 1));
			if (slot && *slot)
				r = end_freed(c, slot, m, f);
		}
		return r;
	}
	for (struct norn_instance **slot; r == 0 && (slot = norn_map_next(&c->instances, &cursor, &key));)
		r = end_freed(c, slot, m, f);
	return r;
}

static int lose(struct norn_recorded_property *c, struct norn_findings *f)
{
	if (!c->view->topic.event_atoms)
		return 0; /* values are unknown now, that is all */
	int r = give_up(c, c->only, f, "events were lost while recording, perhaps some of its own");
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; (slot = norn_map_next(&c->instances, &cursor, &key));)
		for (struct norn_instance *i = *slot; i; i = i->next)
			i->given_up = true;
	return r;
}

void norn_recorded_property_predicts(struct norn_recorded_property *recorded_property, const char *causality, const char *extent)
{
	recorded_property->causality = causality;
	recorded_property->extent = extent;
}

const struct norn_property *norn_recorded_property_property(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->property;
}

bool norn_recorded_property_charged(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->charged;
}

int norn_recorded_property_position(struct norn_recorded_property *recorded_property, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant)
{
	const struct norn_position *p = moment->position;
	bool keyed = recorded_property->property->key_count > 0, is_one = false;
	if (p->number == 0 && !recorded_property->property->states)
		return 0;
	if (p->lost)
		return lose(recorded_property, findings);
	int r = 0;
	if (recorded_property->keys_unknown)
		return 0;
	if (keyed && p->kind == NORN_EVENT_FREE)
		return end_in_block(recorded_property, moment, findings);
	if (keyed && p->hit_count)
		r = step_named(recorded_property, moment, findings, &is_one);
	if (r == 0)
		r = step_all(recorded_property, moment, findings, &is_one);
	*relevant += is_one && p->number;
	return r;
}

int norn_recorded_property_repeats(struct norn_recorded_property *recorded_property, const struct norn_value *keys,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings)
{
	struct norn_instance *i =
	        keys && recorded_property->property->key_count ? instance_of(recorded_property, keys) : recorded_property->only;
	return i ? norn_charge_loop(recorded_property, i, moment, first, findings) : -ENOMEM;
}

int norn_recorded_property_end(struct norn_recorded_property *c, const struct norn_moment *moment, struct norn_findings *f)
{
	int r = c->property->key_count ? 0 : end_instance(c, c->only, moment, f);
	size_t cursor = 0;
	uint64_t key;
	for (struct norn_instance **slot; r == 0 && (slot = norn_map_next(&c->instances, &cursor, &key));)
		for (struct norn_instance *i = *slot; r == 0 && i; i = i->next)
			r = end_instance(c, i, moment, f);
	if (r == 0 && c->doubts > 1)
		r = norn_findings_note(
		        f, "property %s may be violated for %u instances more, in the same way", c->property->name, c->doubts - 1);
	if (r == 0 && c->notes_left_out)
		r = norn_findings_note(
		        f, "property %s reported %llu times more", c->property->name, (unsigned long long)c->notes_left_out);
	return r;
}
