/* Resources as events: which records of resources a call of a function makes (docs/prediction.md, X7). The pass asks for it when it
 * compiles a call, and the image of entries for the runtime (effects_image.h) has the answers. */
#ifndef NORN_EFFECTS_RESOURCE_EVENTS_H
#define NORN_EFFECTS_RESOURCE_EVENTS_H

#include "effects/effects.h"

#define NORN_RESOURCE_OBJECTS 4

/* An object that a library keeps behind a pointer is a resource of its own: by the value of this argument. */
struct norn_resource_object {
	uint8_t argument;
	bool looks, changes;
};

struct norn_resource_events {
	uint32_t looks, changes; /* a bit for each, of those that other threads can tell */
	struct norn_resource_object objects[NORN_RESOURCE_OBJECTS];
	unsigned object_count;
	bool reads; /* it looks at something: a change is recorded after the call, too */
	bool sizes; /* it looks at how large files are (runtime/hooks.h: NORN_LOOKED_SIZES) */
};

struct norn_resource_events norn_resource_events_of(const struct norn_effects *e);
bool norn_resource_events_change(const struct norn_resource_events *r); /* anything, an object too */
/* Those that an opaque call is said to change: a look at open files, or at limits, comes after it. */
uint32_t norn_resource_events_of_opaque(const struct norn_effects *e);
/* No prediction contains such a call, whatever else its entry says: it uses objects that the entry does not tell apart; any process
 * may set the clock; and the locale changes so seldom, and is looked at so often, that nothing is lost (X7). */
bool norn_resource_events_blind(const struct norn_effects *e);

#endif
