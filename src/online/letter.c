/* What an event is to a property: its letter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "online/docket.h"

static void gather(struct norn_machine *m, const struct norn_expr *e)
{
	if (!e)
		return;
	if (e->op == NORN_EXPR_PLACE)
		m->places[e->index] = true;
	else if (e->op == NORN_EXPR_GHOST)
		m->ghosts[e->index] = true;
	else if (e->op == NORN_EXPR_EVENT)
		m->events[e->index] = true;
	gather(m, e->a);
	gather(m, e->b);
}

static uint32_t parameter_named(const struct norn_checked_event *event, const char *name)
{
	for (uint32_t i = 0; i < event->parameter_count; i++)
		if (strcmp(event->parameters[i], name) == 0)
			return i;
	return NORN_SLOT_NONE;
}

int norn_machine_init(struct norn_machine *m, const struct norn_spec *spec, uint32_t index, const struct norn_monitor *monitor)
{
	const struct norn_property *p = &spec->properties[index];
	*m = (struct norn_machine){.property = p, .monitor = monitor, .index = index};
	m->places = calloc(spec->place_count + 1ul, sizeof *m->places);
	m->ghosts = calloc(spec->ghost_count + 1ul, sizeof *m->ghosts);
	m->events = calloc(spec->event_count + 1ul, sizeof *m->events);
	m->key_slots = calloc((size_t)spec->event_count * p->key_count + 1, sizeof *m->key_slots);
	if (!m->places || !m->ghosts || !m->events || !m->key_slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->atom_count; i++) {
		if (p->atoms[i].kind == NORN_ATOM_EVENT)
			m->event_atoms |= UINT64_C(1) << i;
		else
			gather(m, p->atoms[i].predicate);
	}
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t k = 0; k < p->key_count; k++)
			m->key_slots[e * p->key_count + k] = parameter_named(&spec->events[e], p->keys[k]);
	return 0;
}

void norn_machine_done(struct norn_machine *m)
{
	free(m->places);
	free(m->ghosts);
	free(m->events);
	free(m->key_slots);
}

bool norn_machine_keys(const struct norn_machine *m, const struct norn_online_hit *hit, struct norn_value *ret_keys)
{
	uint32_t count = m->property->key_count;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t slot = m->key_slots[hit->event * count + k];
		if (slot == NORN_SLOT_NONE)
			return false;
		ret_keys[k] = hit->slots[slot];
	}
	return count > 0;
}

/* Whether the hit concerns the seat that has these keys. */
static enum norn_truth is_about(const struct norn_machine *m, const struct norn_online_hit *hit, const struct norn_value *keys)
{
	struct norn_value own[NORN_PLAN_KEYS_MAX];
	enum norn_truth all = NORN_TRUTH_YES;
	if (!norn_machine_keys(m, hit, own))
		return NORN_TRUTH_YES;
	if (!keys)
		return NORN_TRUTH_NO;
	for (uint32_t k = 0; k < m->property->key_count; k++) {
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

static enum norn_truth atom_event(
        const struct norn_machine *m, const struct norn_now *now, const struct norn_value *keys, const struct norn_atom *atom)
{
	const struct norn_checked_event *event = &now->machines->spec->events[atom->event];
	enum norn_truth any = NORN_TRUTH_NO;
	if (now->bench->events[atom->event] == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	for (uint32_t i = 0; i < now->look->count && any != NORN_TRUTH_YES; i++) {
		const struct norn_online_hit *hit = &now->look->hits[i];
		if (hit->event != atom->event)
			continue;
		enum norn_truth holds = both((enum norn_truth)hit->holds, is_about(m, hit, keys));
		struct norn_scene scene = {now, hit, keys};
		const struct norn_eval_env env = {norn_moment_leaf, &scene};
		for (uint32_t k = 0; atom->arguments && k < event->parameter_count && holds != NORN_TRUTH_NO; k++)
			if (atom->arguments[k])
				holds = both(holds, norn_value_equal(hit->slots[k], norn_expr_eval(atom->arguments[k], &env)));
		any = holds == NORN_TRUTH_NO ? any : holds;
	}
	return any;
}

/* Whether a change, however it came about, is of a place that the property's predicates speak of. */
static bool writes_place(const struct norn_machine *m, const struct norn_now *now, const struct norn_change *c)
{
	const struct norn_zones *z = &now->machines->lens->zones;
	bool passed;
	if (c->write.silent)
		return false;
	if (!z->spots[c->write.spot].address) {
		for (uint32_t p = 0; p < z->spec->place_count; p++)
			if (m->places[p] && z->last_written[p] == c->write.spot)
				return true;
		return false;
	}
	for (uint32_t i = z->spots[c->write.spot].zones; i; i = z->list[i - 1].of_spot) {
		uint32_t place = z->list[i - 1].place;
		const struct norn_place *p = &z->spec->places[place];
		if (!m->places[place])
			continue;
		if (norn_raw_neighbour(p, now->look->bitfield) && !(c->changed & norn_raw_mask(p)))
			continue; /* only its neighbour was written */
		if (p->hops <= 1 || (norn_values_resolve(&now->machines->values, place, c->write.spot, &passed), passed))
			return true;
	}
	return false;
}

static bool touches(const struct norn_machine *m, const struct norn_now *now)
{
	for (uint32_t i = 0; i < now->change_count; i++)
		if (writes_place(m, now, &now->changes[i]))
			return true;
	for (uint32_t g = 0; g < now->machines->spec->ghost_count; g++)
		if (m->ghosts[g] && now->bench->set[g])
			return true;
	for (uint32_t i = 0; i < now->look->count; i++) {
		const struct norn_online_hit *hit = &now->look->hits[i];
		if (hit->event != NORN_SLOT_NONE && m->events[hit->event] && hit->holds != NORN_TRUTH_NO)
			return true;
	}
	return false;
}

bool norn_machine_letter(
        const struct norn_machine *m, const struct norn_now *now, const struct norn_value *keys, struct norn_letter *ret_letter)
{
	const struct norn_property *property = m->property;
	struct norn_letter letter = {.sure = now->starts || touches(m, now)};
	for (uint32_t i = 0; i < property->atom_count; i++) {
		const struct norn_atom *atom = &property->atoms[i];
		enum norn_truth truth = atom->kind == NORN_ATOM_EVENT ? atom_event(m, now, keys, atom) : NORN_TRUTH_NO;
		letter.yes |= truth == NORN_TRUTH_YES ? UINT64_C(1) << i : 0;
		letter.unknown |= truth == NORN_TRUTH_UNKNOWN ? UINT64_C(1) << i : 0;
	}
	if (!letter.sure && !letter.yes && !letter.unknown)
		return false;
	letter.sure |= letter.yes != 0;
	struct norn_scene scene = {now, NULL, keys};
	const struct norn_eval_env env = {norn_moment_leaf, &scene};
	for (uint32_t i = 0; i < property->atom_count; i++) {
		const struct norn_atom *atom = &property->atoms[i];
		if (atom->kind == NORN_ATOM_EVENT)
			continue;
		enum norn_truth truth = norn_expr_holds(atom->predicate, &env);
		letter.yes |= truth == NORN_TRUTH_YES ? UINT64_C(1) << i : 0;
		letter.unknown |= truth == NORN_TRUTH_UNKNOWN ? UINT64_C(1) << i : 0;
	}
	*ret_letter = letter;
	return true;
}
