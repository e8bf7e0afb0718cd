/* What both sides of a plan agree on; for engines: expressions' and handlers' way through it. */
#ifndef NORN_ENGINE_PLAN_FORMAT_H
#define NORN_ENGINE_PLAN_FORMAT_H

#include "engine/plan.h"

#define NORN_PLAN_MAGIC "norn plan" /* with its NUL */
#define NORN_PLAN_VERSION 1u
#define NORN_PLAN_DEPTH_MAX 2100u /* of expressions: a little more than the language allows */

void norn_plan_put_expr(struct norn_pack *pack, const struct norn_expr *expr); /* NULL is fine */
/* Name, file, logic, end, keys, atoms (of machines), names of states, handlers. Its monitor is packed apart (monitor/monitor_pack.h). */
void norn_plan_put_property(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_property *property);
const struct norn_expr *norn_plan_get_expr(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec);
void norn_plan_get_property(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_property *ret_property);
void norn_plan_put_handlers(struct norn_pack *pack, const struct norn_checked_handler *handlers, uint32_t count);
/* Into the arena. What an index may be is told by spec's counts. NULL and in->failed: they are wrong. */
const struct norn_checked_handler *norn_plan_get_handlers(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, uint32_t *ret_count);

/* Against accidents, not against malice. */
static inline uint64_t norn_plan_sum(const uint8_t *bytes, size_t length)
{
	uint64_t sum = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3u;
	return sum;
}

#endif
