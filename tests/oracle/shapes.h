/* Known shapes: what broke simpler rules, and what must be found. */
#ifndef NORN_ORACLE_SHAPES_H
#define NORN_ORACLE_SHAPES_H

struct shape {
	const char *name;
	const char *text; /* text.h */
	/* The race that must not be claimed, or must be: between the writes of this variable (0: of array element a[0]), or as it says. */
	char variable;
	unsigned without_flow,
	        without_closure; /* leaving these rules out, the false race is claimed; both 0: the race is real, to be found */
};

extern const struct shape shapes[];
extern const unsigned shape_count;

#endif
