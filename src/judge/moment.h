/* A moment: the meaning of an event where these values hold: which declared events it is, what it did to ghosts, and so the letter
 * of each property. The same for a run inside the program, a recorded run in its observed order, and every other order that is
 * searched.
 *
 * Within one event: writes come first, then selectors' conditions are evaluated, then the ghosts of the event's thread get their
 * new values, all at once; predicates see the result. */
#ifndef NORN_JUDGE_MOMENT_H
#define NORN_JUDGE_MOMENT_H

#include "engine/engine.h"
#include "judge/property_terms.h"
#include "judge/place_values.h"

struct norn_position;
struct norn_valuation;
struct norn_binding;

struct norn_moment {
	const struct norn_spec *spec;
	/* Values after the event's writes. place_index NULL: those of variables are not known. */
	const struct norn_place_index *place_index;
	const struct norn_spot_bytes *spots;
	uint32_t spot_count;
	uint32_t thread;
	struct norn_value *ghosts; /* of the thread: per ghost its value, and the greatest that it had */
	/* The event. */
	struct norn_online_hit *hits;
	const struct norn_change *changes;
	uint32_t hit_count, change_count;
	const char *bitfield; /* the access is of this bit-field, not its neighbours; or NULL */
	bool starts; /* none: the start of the run */
	/* Its meaning. */
	bool decided;
	int8_t *events; /* per declared event: enum norn_truth of this event's being one */
	bool *set; /* per ghost: it was set, or may have been */
	struct norn_value *news; /* per ghost: scratch */
	/* Of a recorded run only. */
	const struct norn_binding *binding;
	const struct norn_position *position;
	const struct norn_valuation *valuation;
	uint32_t room;
};

/* Bytes that norn_moment_place divides into events, set, news; aligned as struct norn_value is. */
size_t norn_moment_bytes(const struct norn_spec *spec);
void norn_moment_place(struct norn_moment *moment, const struct norn_spec *spec, void *memory);

/* The source of the values of an expression's leaves. */
struct norn_leaf_context {
	const struct norn_moment *moment;
	const struct norn_online_hit *hit; /* that value, old and self speak of; NULL: none */
	const struct norn_value *keys; /* NULL: unknown */
};
struct norn_value norn_moment_leaf(void *leaf_context, const struct norn_expr *leaf);
static inline struct norn_value norn_moment_variable(const struct norn_moment *m, uint32_t place)
{
	return m->place_index ? norn_place_value(m->place_index, m->spots, m->spot_count, place) : norn_value_unknown();
}

/* Decides which declared events take place: the conditions of hits that the event alone has not decided. */
void norn_moment_decide(struct norn_moment *moment);
/* Updates the ghosts. */
void norn_moment_update(struct norn_moment *moment);
/* The first hit that took place: what `value`, `old` and `self` of handlers speak of. NULL: none did. */
const struct norn_online_hit *norn_moment_hit(const struct norn_moment *moment);

/* The declared event that a position of the property is called by: an atom of the letter that holds; where there is none, the first
 * that took place. */
uint32_t norn_moment_named(const struct norn_moment *moment, const struct norn_property *property, uint64_t letter);

/* The values that ghosts start with in each thread, two for each ghost. */
void norn_ghosts_start(const struct norn_moment *moment, struct norn_value *ret_ghosts);

/* True if the event may concern the property: most do not, and that is decided early. */
bool norn_moment_concerns(const struct norn_moment *moment, const struct norn_property_terms *terms);
/* keys: the instance's, NULL: one that no event has named yet. Hits that bind keys count only for the instance that has them.
 * False if the event is no position of this property (instance). */
bool norn_moment_letter(const struct norn_moment *moment, const struct norn_property_terms *terms, const struct norn_value *keys,
        struct norn_letter *ret_letter);
/* The keys of the instance that the hit names, and makes. False: it names none, or did not take place. */
bool norn_moment_hit_keys(const struct norn_property_terms *terms, const struct norn_online_hit *hit, struct norn_value *ret_keys);
/* Is this one of the events that make the instance with these keys? NULL: the property has none, its instance is always there. */
bool norn_moment_makes(const struct norn_moment *moment, const struct norn_property_terms *terms, const struct norn_value *keys);

#endif
