/* Scopes inside the program: the engine (engine.h), and what only it and its plan share.
 *
 * An event of a local is stepped in its thread's own slot, a synchronizing action ends a region (scope_channel.h). The total order
 * of actions is watched by one number per thread and scope: how many actions are known to have happened before. It travels with
 * whatever orders threads, as clocks do, through a table of such numbers by object. As actions are in a row, knowing the last one
 * is knowing all; so this is exact but for two things. Objects whose places in the table are one are taken for one, which may hide
 * that two actions are not ordered; and what orders threads unseen (atomics, without locks) is not known: of such scopes users say
 * `trusted`. Besides, two actions that are under way at once show themselves.
 *
 * nested: a thread that forks has a channel of its own, with the threads that it forks. They keep it until the last of them has
 * gone. */
#ifndef NORN_SCOPE_SCOPE_ENGINE_H
#define NORN_SCOPE_SCOPE_ENGINE_H

#include "engine/engine.h"
#include "scope/scope_machines.h"

/* opportunistic; or, to compare with: every event and action under one lock. */
#define NORN_SCOPES_GLOBAL 1u

extern const struct norn_online_engine norn_scope_engine;

/* In the command only. */
int norn_scope_plan(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_pack *pack, struct norn_error *err);
extern bool norn_scope_plan_global; /* whether plans that are made from now on ask for one lock */

/* Inside the program. The scope, with its monitors; all memory is the arena's, and the monitors'. -EINVAL: it is damaged. */
struct norn_arena;
int norn_scope_machines_unpack(
        struct norn_unpack *in, const struct norn_spec *spec, struct norn_arena *arena, struct norn_scope_machines **ret_offline);
void norn_scope_machines_drop(struct norn_scope_machines *scoping); /* its monitors; NULL is fine */

#endif
