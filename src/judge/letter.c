/* What an event is to a property: its letter. */
#include "judge/instances.h"

static enum norn_truth atom_event(const struct norn_property_machine *m, const struct norn_now *now, const struct norn_value *keys,
        const struct norn_atom *atom)
{
	enum norn_truth any = NORN_TRUTH_NO;
	if (now->bench->events[atom->event] == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	for (uint32_t i = 0; i < now->look->count && any != NORN_TRUTH_YES; i++) {
		const struct norn_online_hit *hit = &now->look->hits[i];
		if (hit->event != atom->event)
			continue;
		struct norn_instance_scene scene = {now, hit, keys};
		const struct norn_eval_env env = {norn_moment_leaf, &scene};
		enum norn_truth holds =
		        norn_property_terms_hit(&m->topic, atom, hit->slots, (enum norn_truth)hit->holds, keys, &env);
		any = holds == NORN_TRUTH_NO ? any : holds;
	}
	return any;
}

/* Whether a change, however it came about, is of a place that the property's predicates speak of. */
static bool writes_place(const struct norn_property_machine *m, const struct norn_now *now, const struct norn_change *c)
{
	const struct norn_place_index *z = &now->machines->event_match->zones;
	bool passed;
	if (c->write.silent)
		return false;
	if (!z->spots[c->write.spot].address) {
		for (uint32_t p = 0; p < z->spec->place_count; p++)
			if (m->topic.places[p] && z->last_written[p] == c->write.spot)
				return true;
		return false;
	}
	for (uint32_t i = z->spots[c->write.spot].zones; i; i = z->list[i - 1].of_spot) {
		uint32_t place = z->list[i - 1].place;
		const struct norn_place *p = &z->spec->places[place];
		if (!m->topic.places[place])
			continue;
		if (norn_event_value_neighbour(p, now->look->bitfield) && !(c->changed & norn_event_value_mask(p)))
			continue; /* only its neighbour was written */
		if (p->hops <= 1 || (norn_place_values_resolve(&now->machines->values, place, c->write.spot, &passed), passed))
			return true;
	}
	return false;
}

static bool touches(const struct norn_property_machine *m, const struct norn_now *now)
{
	for (uint32_t i = 0; i < now->change_count; i++)
		if (writes_place(m, now, &now->changes[i]))
			return true;
	for (uint32_t g = 0; g < now->machines->spec->ghost_count; g++)
		if (m->topic.ghosts[g] && now->bench->set[g])
			return true;
	for (uint32_t i = 0; i < now->look->count; i++) {
		const struct norn_online_hit *hit = &now->look->hits[i];
		if (hit->event != NORN_SLOT_NONE && m->topic.events[hit->event] && hit->holds != NORN_TRUTH_NO)
			return true;
	}
	return false;
}

bool norn_property_machine_letter(const struct norn_property_machine *m, const struct norn_now *now, const struct norn_value *keys,
        struct norn_letter *ret_letter)
{
	const struct norn_property *property = m->topic.property;
	struct norn_letter letter = {.sure = now->starts || touches(m, now)};
	for (uint32_t i = 0; i < property->atom_count; i++)
		if (property->atoms[i].kind == NORN_ATOM_EVENT)
			norn_property_terms_tell(&letter, i, atom_event(m, now, keys, &property->atoms[i]));
	if (!letter.sure && !letter.yes && !letter.unknown)
		return false;
	letter.sure |= letter.yes != 0;
	struct norn_instance_scene scene = {now, NULL, keys};
	norn_property_terms_predicates(&m->topic, &(const struct norn_eval_env){norn_moment_leaf, &scene}, &letter);
	*ret_letter = letter;
	return true;
}
