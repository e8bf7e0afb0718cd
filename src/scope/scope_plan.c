/* Packing scopes for the way into the program. In the command only. */
#include <errno.h>

#include "monitor/monitor_pack.h"
#include "engine/plan_format.h"
#include "scope/scope_engine.h"

bool norn_scope_plan_global;

static bool mentions_place(const struct norn_expr *e)
{
	return e && (e->op == NORN_EXPR_PLACE || e->op == NORN_EXPR_OLD || mentions_place(e->a) || mentions_place(e->b));
}

/* A thread knows its ghosts as long as they depend on nothing but its own events. */
static int check_ghost(const struct norn_spec *spec, const struct norn_scope *scope, uint32_t ghost, struct norn_error *err)
{
	const struct norn_ghost *g = &spec->ghosts[ghost];
	bool places = mentions_place(g->initial);
	for (uint32_t i = 0; i < g->update_count; i++)
		places |= mentions_place(g->updates[i].value);
	return places ? norn_error_set(err, -ENOTSUP,
	                        "scope %s depends on the ghost %s, which is made of variables of the program: name them as "
	                        "parameters or "
	                        "results of its events, or judge a recorded run (norn check)",
	                        scope->name, g->name)
	              : 0;
}

static int check_predicate(
        const struct norn_spec *spec, const struct norn_scope *scope, const struct norn_expr *e, struct norn_error *err)
{
	if (!e)
		return 0;
	int r = e->op == NORN_EXPR_GHOST ? check_ghost(spec, scope, e->index, err) : 0;
	r = r == 0 ? check_predicate(spec, scope, e->a, err) : r;
	return r == 0 ? check_predicate(spec, scope, e->b, err) : r;
}

static int check_ghosts(const struct norn_spec *spec, const struct norn_scope *scope, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; i < scope->local_count; i++)
		for (uint32_t k = 0; r == 0 && k < scope->locals[i].property.atom_count; k++)
			if (scope->locals[i].property.atoms[k].kind != NORN_ATOM_EVENT)
				r = check_predicate(spec, scope, scope->locals[i].property.atoms[k].predicate, err);
	return r;
}

static void put_local(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_scope_local *local,
        const struct norn_monitor *monitor)
{
	norn_pack_number(pack, local->type);
	norn_pack_number(pack, local->keep);
	norn_pack_number(pack, local->sync == NORN_SLOT_NONE ? 0 : local->sync + 1);
	norn_plan_put_property(pack, spec, &local->property);
	norn_monitor_pack(monitor, pack);
}

static void put_check(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_scope_check *check,
        const struct norn_monitor *monitor)
{
	struct norn_property property = check->property;
	property.atom_count = 0; /* they are atoms of the scope, and told by their numbers */
	norn_plan_put_property(pack, spec, &property);
	norn_pack_number(pack, check->property.atom_count);
	for (uint32_t i = 0; i < check->property.atom_count; i++)
		norn_pack_number(pack, check->atoms[i]);
	norn_monitor_pack(monitor, pack);
}

static void put_scope(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_scope_machines *scoping)
{
	const struct norn_scope *scope = scoping->scope;
	norn_pack_text(pack, scope->name);
	norn_pack_number(pack, scope->nested);
	norn_pack_number(pack, scope->trusted);
	norn_pack_number(pack, scoping->one_lock);
	norn_pack_number(pack, scope->sync_count);
	for (uint32_t i = 0; i < scope->sync_count; i++)
		norn_pack_number(pack, scope->sync[i]);
	norn_pack_number(pack, scope->local_count);
	for (uint32_t i = 0; i < scope->local_count; i++)
		put_local(pack, spec, &scope->locals[i], scoping->locals[i].monitor);
	norn_pack_number(pack, scope->tally_count);
	for (uint32_t i = 0; i < scope->tally_count; i++) {
		norn_pack_number(pack, scope->tallies[i].word);
		norn_pack_number(pack, scope->tallies[i].local);
		norn_pack_number(pack, scope->tallies[i].type == NORN_SLOT_NONE ? 0 : scope->tallies[i].type + 1);
	}
	norn_pack_number(pack, scope->atom_count);
	for (uint32_t i = 0; i < scope->atom_count; i++) {
		norn_pack_text(pack, scope->atoms[i].name);
		norn_plan_put_expr(pack, scope->atoms[i].expr);
	}
	norn_pack_number(pack, scope->check_count);
	for (uint32_t i = 0; i < scope->check_count; i++)
		put_check(pack, spec, &scope->checks[i], scoping->checks[i]);
}

int norn_scope_plan(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_pack *pack, struct norn_error *err)
{
	(void)sources;
	if (spec->scope_count == 0)
		return 0;
	norn_pack_number(pack, norn_scope_plan_global ? NORN_SCOPES_GLOBAL : 0);
	norn_pack_number(pack, spec->scope_count);
	for (uint32_t i = 0; i < spec->scope_count; i++) {
		struct norn_scope_machines *scoping;
		int r = check_ghosts(spec, &spec->scopes[i], err);
		if (r == 0)
			r = norn_scope_machines_new(spec, &spec->scopes[i], &scoping, err);
		if (r != 0)
			return r;
		put_scope(pack, spec, scoping);
		norn_scope_machines_free(scoping);
	}
	return 0;
}
