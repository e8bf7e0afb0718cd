/* Scopes of a plan, and which ones cannot be watched inside the program. In the command only. */
#include <errno.h>

#include "engine/plan_descriptors.h"
#include "scope/scope_descriptors.h"
#include "scope/scope_engine.h"

bool norn_scope_plan_global;

static bool mentions_place(const struct norn_expr *e)
{
	return e && (e->op == NORN_EXPR_PLACE || e->op == NORN_EXPR_OLD || mentions_place(e->a) || mentions_place(e->b));
}

/* A thread knows its ghosts as long as they depend on its own events only. */
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

static void put_scope(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_scope_machines *scoping)
{
	const struct norn_plan_root root = {.spec = spec, .modules = UINT32_MAX, .scope = scoping->scope};
	norn_encode(pack, &norn_scope_descriptor, &root, scoping->scope);
	norn_encode(pack, &norn_scope_machines_descriptor, &root, scoping);
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
