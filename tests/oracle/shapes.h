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

#endif
