/* The terms of a property: the events, places and ghosts that it names, and so the effect of an event on it. The same inside the
 * program as on a recorded run, which bring along their own values (env) and hits. */
#ifndef NORN_JUDGE_PROPERTY_TERMS_H
#define NORN_JUDGE_PROPERTY_TERMS_H

#include "monitor/eval.h"
#include "monitor/states.h"

#define NORN_KEYS_MAX 8u

struct norn_property_terms {
	const struct norn_spec *spec;
	const struct norn_property *property;
	bool *places, *ghosts; /* that its predicates speak of */
	bool *events; /* that its predicates speak of */
	bool *atoms; /* per event: an atom is it */
	uint32_t *place_list, place_count; /* the places */
	bool has_ghosts;
	uint32_t *key_slots; /* per event and key: parameter, or NORN_SLOT_NONE */
	uint64_t event_atoms; /* a bit per atom that is an event */
};

/* norn_property_terms_done is called in any case. */
int norn_property_terms_init(struct norn_property_terms *terms, const struct norn_spec *spec, const struct norn_property *property);
void norn_property_terms_done(struct norn_property_terms *terms);

/* True if an atom of the property is this event. */
static inline bool norn_property_terms_is_atom(const struct norn_property_terms *terms, uint32_t event)
{
	return terms->atoms[event];
}
/* True if the event binds the property's keys, and to what. slots: its parameters. */
bool norn_property_terms_keys(
        const struct norn_property_terms *terms, uint32_t event, const struct norn_value *slots, struct norn_value *ret_keys);
/* True if a hit of the atom's event makes the atom true for the instance that has these keys (NULL: one that no event has named
 * yet). holds: the hit's condition. */
enum norn_truth norn_property_terms_hit(const struct norn_property_terms *terms, const struct norn_atom *atom,
        const struct norn_value *slots, enum norn_truth holds, const struct norn_value *keys, const struct norn_eval_env *env);
void norn_property_terms_tell(struct norn_letter *letter, uint32_t atom, enum norn_truth truth);
/* The atoms of the letter that are predicates. */
void norn_property_terms_predicates(
        const struct norn_property_terms *terms, const struct norn_eval_env *env, struct norn_letter *letter);

uint64_t norn_keys_hash(const struct norn_value *keys, uint32_t count);
bool norn_keys_same(const struct norn_value *a, const struct norn_value *b, uint32_t count);
/* "0x5581" of what may be a pointer, or the value's text. */
void norn_key_text(struct norn_value key, char *to, size_t room);
/* True if one of them points into a block of memory. */
bool norn_keys_in(const struct norn_value *keys, uint32_t count, uint64_t address, uint64_t size);

#endif
