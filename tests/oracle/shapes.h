/* Known shapes: what broke simpler rules, and what must be found. */
#ifndef NORN_ORACLE_SHAPES_H
#define NORN_ORACLE_SHAPES_H

#include <stdbool.h>

struct shape {
	const char *name;
	const char *text; /* finding_text.h */
	/* The race that must not be claimed, or must be: between the writes of this variable (0: of array element a[0]), or as it
	 * says. */
	char variable;
	unsigned without_flow,
	        without_closure; /* leaving these rules out, the false race is claimed; both 0: the race is real, to be found */
};

/* The same for the property "forbid .* A B C": a violation must be found, or must not; without: leaving these rules of facts out,
 * it is. */
struct property_shape {
	const char *name, *text;
	bool violated;
	unsigned without;
};

extern const struct property_shape property_shapes[];
extern const unsigned property_shape_count;

/* Memory orders: a race on x that must be found, or must not. They are not changed at random: what orders.h knows is little. */
struct order_shape {
	const char *name, *text;
	bool race;
};
extern const struct order_shape order_shapes[];
extern const unsigned order_shape_count;

extern const struct shape shapes[];
extern const unsigned shape_count;

/* The other counterexamples of docs/prediction.md, by their numbers: an error of this kind must be found, or must not. A claim that
 * is none of the program's errors fails in any case. Programs are not made of these: what a seed makes must stay. */
struct counterexample {
	const char *name, *text;
	enum counterexample_kind { RACE, STUCK, CIRCLE, DOUBLE_FREE, ASSERTION } kind;
	char variable; /* of a race, as above; *: of a block */
	bool found;
	unsigned without; /* leaving these rules of the closure out, there is a false claim; 0: not tried */
};
extern const struct counterexample counterexamples[];
extern const unsigned counterexample_count;

#endif
