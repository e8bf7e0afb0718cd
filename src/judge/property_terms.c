#include "judge/property_terms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void gather(struct norn_property_terms *t, const struct norn_expr *e)
{
	if (!e)
		return;
	if (e->op == NORN_EXPR_PLACE)
		t->places[e->index] = true;
	else if (e->op == NORN_EXPR_GHOST)
		t->ghosts[e->index] = true;
	else if (e->op == NORN_EXPR_EVENT)
		t->events[e->index] = true;
	gather(t, e->a);
	gather(t, e->b);
}

static uint32_t parameter_named(const struct norn_checked_event *event, const char *name)
{
	for (uint32_t i = 0; i < event->parameter_count; i++)
		if (strcmp(event->parameters[i], name) == 0)
			return i;
	return NORN_SLOT_NONE;
}

int norn_property_terms_init(struct norn_property_terms *t, const struct norn_spec *spec, const struct norn_property *p)
{
	*t = (struct norn_property_terms){.spec = spec, .property = p};
	t->places = calloc(spec->place_count + 1ul, sizeof *t->places);
	t->ghosts = calloc(spec->ghost_count + 1ul, sizeof *t->ghosts);
	t->events = calloc(spec->event_count + 1ul, sizeof *t->events);
	t->atoms = calloc(spec->event_count + 1ul, sizeof *t->atoms);
	t->place_list = calloc(spec->place_count + 1ul, sizeof *t->place_list);
	t->key_slots = calloc((size_t)spec->event_count * p->key_count + 1, sizeof *t->key_slots);
	if (!t->places || !t->ghosts || !t->events || !t->atoms || !t->place_list || !t->key_slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->atom_count; i++) {
		if (p->atoms[i].kind == NORN_ATOM_EVENT) {
			t->event_atoms |= UINT64_C(1) << i;
			t->atoms[p->atoms[i].event] = true;
		} else {
			gather(t, p->atoms[i].predicate);
		}
	}
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (t->places[i])
			t->place_list[t->place_count++] = i;
	for (uint32_t i = 0; i < spec->ghost_count; i++)
		t->has_ghosts |= t->ghosts[i];
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t k = 0; k < p->key_count; k++)
			t->key_slots[e * p->key_count + k] = parameter_named(&spec->events[e], p->keys[k]);
	return 0;
}

void norn_property_terms_done(struct norn_property_terms *t)
{
	free(t->places);
	free(t->ghosts);
	free(t->events);
	free(t->atoms);
	free(t->place_list);
	free(t->key_slots);
}

/* ---- atoms ---- */

bool norn_property_terms_keys(
        const struct norn_property_terms *t, uint32_t event, const struct norn_value *slots, struct norn_value *ret_keys)
{
	uint32_t count = t->property->key_count;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t slot = t->key_slots[event * count + k];
		if (slot == NORN_SLOT_NONE)
			return false;
		ret_keys[k] = slots[slot];
	}
	return count > 0;
}

/* True if the hit concerns the instance that has these keys. */
static enum norn_truth is_about(
        const struct norn_property_terms *t, uint32_t event, const struct norn_value *slots, const struct norn_value *keys)
{
	struct norn_value own[NORN_KEYS_MAX];
	enum norn_truth all = NORN_TRUTH_YES;
	if (!norn_property_terms_keys(t, event, slots, own))
		return NORN_TRUTH_YES;
	if (!keys)
		return NORN_TRUTH_NO;
	for (uint32_t k = 0; k < t->property->key_count; k++) {
		enum norn_truth same = norn_value_equal(own[k], keys[k]);
		if (same == NORN_TRUTH_NO)
			return NORN_TRUTH_NO;
		all = same == NORN_TRUTH_UNKNOWN ? same : all;
	}
	return all;
}

static enum norn_truth both(enum norn_truth a, enum norn_truth b)
{
	if (a == NORN_TRUTH_NO || b == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	return a == NORN_TRUTH_YES && b == NORN_TRUTH_YES ? NORN_TRUTH_YES : NORN_TRUTH_UNKNOWN;
}

enum norn_truth norn_property_terms_hit(const struct norn_property_terms *t, const struct norn_atom *atom,
        const struct norn_value *slots, enum norn_truth holds, const struct norn_value *keys, const struct norn_eval_env *env)
{
	uint32_t parameters = t->spec->events[atom->event].parameter_count;
	holds = both(holds, is_about(t, atom->event, slots, keys));
	for (uint32_t k = 0; atom->arguments && k < parameters && holds != NORN_TRUTH_NO; k++)
		if (atom->arguments[k])
			holds = both(holds, norn_value_equal(slots[k], norn_expr_eval(atom->arguments[k], env)));
	return holds;
}

void norn_property_terms_tell(struct norn_letter *letter, uint32_t atom, enum norn_truth truth)
{
	letter->yes |= truth == NORN_TRUTH_YES ? UINT64_C(1) << atom : 0;
	letter->unknown |= truth == NORN_TRUTH_UNKNOWN ? UINT64_C(1) << atom : 0;
}

void norn_property_terms_predicates(
        const struct norn_property_terms *t, const struct norn_eval_env *env, struct norn_letter *letter)
{
	for (uint32_t i = 0; i < t->property->atom_count; i++)
		if (t->property->atoms[i].kind != NORN_ATOM_EVENT)
			norn_property_terms_tell(letter, i, norn_expr_holds(t->property->atoms[i].predicate, env));
}

/* ---- keys ---- */

uint64_t norn_keys_hash(const struct norn_value *keys, uint32_t count)
{
	uint64_t h = 1;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bits = 0;
		if (keys[i].is_float)
			memcpy(&bits, &keys[i].real, sizeof bits);
		else
			bits = (uint64_t)keys[i].integer ^ (uint64_t)(keys[i].integer >> 64);
		h = norn_monitor_hash(h * 0x9e3779b97f4a7c15u + bits);
	}
	return h;
}

bool norn_keys_same(const struct norn_value *a, const struct norn_value *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (norn_value_equal(a[i], b[i]) != NORN_TRUTH_YES)
			return false;
	return true;
}

void norn_key_text(struct norn_value key, char *to, size_t room)
{
	if (key.known && !key.is_float && key.integer > 0xffffff)
		snprintf(to, room, "0x%llx", (unsigned long long)key.integer);
	else
		norn_value_text(key, to, room);
}

bool norn_keys_in(const struct norn_value *keys, uint32_t count, uint64_t address, uint64_t size)
{
	for (uint32_t k = 0; k < count; k++)
		if (keys[k].known && !keys[k].is_float && keys[k].integer >= address && keys[k].integer < (__int128)address + size)
			return true;
	return false;
}
