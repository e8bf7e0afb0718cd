/* See resource_events.h. */
#include "effects/resource_events.h"

#include <string.h>

#define BIT(resource) (1u << NORN_EFFECTS_##resource)
/* A thread has its own of these. */
#define OWN (BIT(FENV) | BIT(SIGNAL_MASK))
/* All that is open, and what it is open on, is one: what reads and writes through the kernel looks at it, too
 * (runtime/interpose/kernel_channel.h). */
#define OPEN (BIT(DESCRIPTORS) | BIT(DIRECTORY) | BIT(FILES) | BIT(STREAMS) | BIT(TERMINAL))
/* The resources that interposed functions record. */
#define RECORDED (BIT(FILES) | BIT(STREAMS) | BIT(HEAP) | BIT(OBJECT) | BIT(MAPPINGS) | BIT(THREADS))

static uint32_t as_events(uint32_t resources)
{
	return (resources & ~(OWN | OPEN)) | (resources & OPEN ? BIT(FILES) : 0);
}

/* Does it give or take numbers of descriptors? A function that only uses one makes records enough. */
static bool changes_numbers(const struct norn_effects *e)
{
	for (unsigned i = 0; i < e->use_count; i++)
		if (e->uses[i].resource == NORN_EFFECTS_DESCRIPTORS && e->uses[i].key == NORN_EFFECTS_NONE &&
		        e->uses[i].how & NORN_EFFECTS_WRITES)
			return true;
	return false;
}

/* Is the object that this use is of behind a pointer, and reached by no other? Numbers of descriptors may be two for one object;
 * streams of C++ may share a buffer, and have two addresses. */
static bool has_pointer(const struct norn_effects *e, const struct norn_effects_use *u)
{
	return u->key < NORN_EFFECTS_GLOBAL && e->type && strlen(e->type) > 1u + u->key && e->type[1 + u->key] == 'p' &&
	       strncmp(e->name, "_Z", 2) != 0;
}

static struct norn_resource_object *find_object(struct norn_resource_events *r, uint8_t argument)
{
	for (unsigned i = 0; i < r->object_count; i++)
		if (r->objects[i].argument == argument)
			return r->objects + i;
	if (r->object_count == NORN_RESOURCE_OBJECTS)
		return NULL;
	r->objects[r->object_count].argument = argument;
	return r->objects + r->object_count++;
}

/* All that the entry says of objects is in r->objects. False: some have no key, or there are too many. */
static bool find_objects(const struct norn_effects *e, struct norn_resource_events *r, bool *ret_others)
{
	*ret_others = false;
	for (unsigned i = 0; i < e->use_count; i++) {
		const struct norn_effects_use *u = e->uses + i;
		if (u->resource != NORN_EFFECTS_OBJECT)
			continue;
		struct norn_resource_object *object = has_pointer(e, u) ? find_object(r, u->key) : NULL;
		if (u->key == NORN_EFFECTS_NONE || (!object && has_pointer(e, u)))
			return false;
		*ret_others |= !object;
		if (object) {
			object->looks |= u->how & NORN_EFFECTS_READS;
			object->changes |= u->how & (NORN_EFFECTS_WRITES | NORN_EFFECTS_ADDS);
		}
	}
	return true;
}

struct norn_resource_events norn_resource_events_of(const struct norn_effects *e)
{
	struct norn_resource_events r = {.sizes = strstr(e->name, "stat") || strstr(e->name, "seek") || strstr(e->name, "tell")};
	uint32_t reads = e->reads, changes = e->writes | e->adds;
	bool others;
	if (e->flags & NORN_EFFECTS_HOOKED) {
		uint32_t recorded = RECORDED;
		if (!changes_numbers(e))
			recorded |= OPEN;
		changes &= ~recorded | BIT(MAPPINGS); /* allocations are records, but msync looks at none */
		reads &= ~recorded;
	} else if (find_objects(e, &r, &others) && !others) {
		changes &= ~BIT(OBJECT);
		reads &= ~BIT(OBJECT);
	}
	/* The set of keys is as it was, or they could not be used. */
	if (strstr(e->name, "specific") || strcmp(e->name, "tss_get") == 0 || strcmp(e->name, "tss_set") == 0)
		reads &= ~BIT(THREADS);
	r.looks = as_events(reads);
	r.changes = as_events(changes);
	r.reads = r.looks != 0;
	for (unsigned i = 0; i < r.object_count; i++)
		r.reads |= r.objects[i].looks;
	return r;
}

uint32_t norn_resource_events_of_opaque(const struct norn_effects *e)
{
	return as_events(e->writes) & (BIT(FILES) | BIT(LIMITS));
}

bool norn_resource_events_blind(const struct norn_effects *e)
{
	struct norn_resource_events ignored = {0};
	bool others;
	return !find_objects(e, &ignored, &others) || e->writes & BIT(LOCALE) ||
	       (e->writes & BIT(CLOCK) && !(e->reads & BIT(CLOCK)));
}

bool norn_resource_events_change(const struct norn_resource_events *r)
{
	bool changes = r->changes;
	for (unsigned i = 0; i < r->object_count; i++)
		changes |= r->objects[i].changes;
	return changes;
}
