/* Making scopes' machines: the part of scope_machines.h that is in the command only, since it makes monitors of formulas. */
#include "scope/scope_machines.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"

static int make_locals(struct norn_scope_machines *s, const struct norn_spec *spec, struct norn_error *err)
{
	for (uint32_t i = 0; i < s->scope->local_count; i++) {
		const struct norn_scope_local *from = &s->scope->locals[i];
		struct norn_scope_machines_local *local = &s->locals[i];
		struct norn_error why = {0};
		int r = norn_monitor_new(spec, &from->property, NULL, &local->monitor, &why);
		if (r != 0)
			return norn_error_set(
			        err, r, "the local %s of scope %s: %s", from->property.name, s->scope->name, why.message);
		norn_scope_machines_local(s, i);
	}
	return 0;
}

static int make_checks(struct norn_scope_machines *s, const struct norn_spec *spec, struct norn_error *err)
{
	for (uint32_t i = 0; i < s->scope->check_count; i++) {
		struct norn_error why = {0};
		int r = norn_monitor_new(spec, &s->scope->checks[i].property, NULL, &s->checks[i], &why);
		if (r != 0)
			return norn_error_set(err, r, "%s: %s", s->scope->checks[i].property.name, why.message);
	}
	return 0;
}

/* True if all actions are acquisitions of the same variable. */
static bool is_one_lock(const struct norn_spec *spec, const struct norn_scope *scope)
{
	uint32_t place = NORN_SLOT_NONE;
	for (uint32_t i = 0; i < scope->sync_count; i++) {
		const struct norn_checked_event *event = &spec->events[scope->sync[i]];
		for (uint32_t k = 0; k < event->selector_count; k++) {
			const struct norn_checked_selector *s = &event->selectors[k];
			if (s->kind != NORN_POINT_LOCK || (place != NORN_SLOT_NONE && s->place != place))
				return false;
			place = s->place;
		}
	}
	return place != NORN_SLOT_NONE;
}

int norn_scope_machines_new(const struct norn_spec *spec, const struct norn_scope *scope, struct norn_scope_machines **ret_offline,
        struct norn_error *err)
{
	if (scope->local_count > NORN_SCOPE_LOCALS_MAX || scope->atom_count > NORN_SCOPE_ATOMS_MAX ||
	        scope->tally_count > NORN_SCOPE_TALLIES_MAX || spec->type_count > 64)
		return norn_error_set(err, -E2BIG,
		        "scope %s has more than %u locals or %u atoms, its atoms count more than %u things, or there are more than "
		        "64 thread types",
		        scope->name, NORN_SCOPE_LOCALS_MAX, NORN_SCOPE_ATOMS_MAX, NORN_SCOPE_TALLIES_MAX);
	struct norn_scope_machines *s = norn_must_calloc(1, sizeof *s);
	s->scope = scope;
	s->locals = norn_must_calloc(scope->local_count, sizeof *s->locals);
	s->checks = norn_must_calloc(scope->check_count, sizeof(struct norn_monitor *));
	int r = make_locals(s, spec, err);
	if (r == 0)
		r = make_checks(s, spec, err);
	if (r != 0) {
		norn_scope_machines_free(s);
		return r;
	}
	norn_scope_machines_finish(s);
	s->one_lock = is_one_lock(spec, scope);
	*ret_offline = s;
	return 0;
}

void norn_scope_machines_free(struct norn_scope_machines *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->locals && i < s->scope->local_count; i++)
		norn_monitor_free(s->locals[i].monitor);
	for (uint32_t i = 0; s->checks && i < s->scope->check_count; i++)
		norn_monitor_free(s->checks[i]);
	free(s->locals);
	free(s->checks);
	free(s);
}
