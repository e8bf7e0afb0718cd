/* The structures of a plan as tables (descriptor.h): for the writer, the reader, and engines whose parts hold properties or
 * expressions. */
#ifndef NORN_ENGINE_PLAN_DESCRIPTORS_H
#define NORN_ENGINE_PLAN_DESCRIPTORS_H

#include "base/hash.h"
#include "base/wire/descriptor.h"
#include "engine/plan.h"

#define NORN_PLAN_MAGIC "norn plan" /* with its NUL */
#define NORN_PLAN_VERSION 2u

/* The root of all these tables: what indices are below. */
struct norn_plan_root {
	const struct norn_spec *spec; /* its counts, at least; for atoms its events, too */
	uint32_t modules;
	const struct norn_scope *scope; /* inside a scope */
};

extern const struct norn_descriptor norn_plan_head_descriptor; /* struct norn_plan without its props, but their count */
extern const struct norn_descriptor norn_plan_props_descriptor;
extern const struct norn_descriptor norn_expr_descriptor;
/* Name, file, logic, end, keys, atoms (of machines), names of states, handlers. Its monitor is another structure
 * (monitor/monitor_pack.h). */
extern const struct norn_descriptor norn_property_descriptor;
/* The same, of its atoms the count alone. */
extern const struct norn_descriptor norn_atomless_property_descriptor;

/* Bounds, for tables of engines. */
uint64_t norn_plan_events(const void *root, const void *object);
uint64_t norn_plan_types(const void *root, const void *object);

/* Against accidents, not against malice. */
static inline uint64_t norn_plan_sum(const uint8_t *bytes, size_t length)
{
	return norn_fnv(NORN_FNV_BEGIN, bytes, length);
}

#endif
