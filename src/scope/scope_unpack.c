/* Scopes as tables, and how they are read inside the program. */
#include <errno.h>

#include "engine/plan_descriptors.h"
#include "monitor/monitor_pack.h"
#include "scope/scope_descriptors.h"
#include "scope/scope_engine.h"

static const struct norn_scope *scope_of(const void *root)
{
	return ((const struct norn_plan_root *)root)->scope;
}

static uint64_t locals(const void *root, const void *object)
{
	(void)object;
	return scope_of(root)->local_count;
}

static uint64_t locals_or_none(const void *root, const void *object)
{
	return locals(root, object) + 1;
}

static uint64_t atoms(const void *root, const void *object)
{
	(void)object;
	return scope_of(root)->atom_count;
}

static uint64_t checks(const void *root, const void *object)
{
	(void)object;
	return scope_of(root)->check_count;
}

/* ---- the scope ---- */

static const struct norn_field local_fields[] = {
        NORN_NUMBER(struct norn_scope_local, type, .below = norn_plan_types),
        NORN_FLAG(struct norn_scope_local, keep),
        NORN_INDEX(struct norn_scope_local, sync, .limit = NORN_ATOMS_MAX),
        NORN_STRUCT(struct norn_scope_local, property, norn_property_descriptor),
};
static const struct norn_descriptor local = NORN_DESCRIPTOR(struct norn_scope_local, local_fields);

static int finish_tally(struct norn_decoding *d, void *object)
{
	const struct norn_tally *t = object;
	return t->word != NORN_WORD_SIZE && t->local >= locals(d->root, t) ? -EINVAL : 0;
}

static const struct norn_field tally_fields[] = {
        NORN_NUMBER(struct norn_tally, word, .limit = NORN_WORD_COUNT + 1),
        NORN_NUMBER(struct norn_tally, local, .below = locals_or_none),
        NORN_INDEX(struct norn_tally, type, .below = norn_plan_types),
        NORN_FLAG(struct norn_tally, falsified),
};
static const struct norn_descriptor tally = NORN_DESCRIPTOR(struct norn_tally, tally_fields, .finish = finish_tally);

/* Expressions of atoms name tallies only. */
static bool is_tallied(const struct norn_expr *e, uint32_t tallies)
{
	if (!e)
		return true;
	bool leaf = e->op >= NORN_EXPR_PLACE && e->op < NORN_EXPR_NOT;
	if (leaf)
		return e->op == NORN_EXPR_TALLY && e->index < tallies;
	return is_tallied(e->a, tallies) && is_tallied(e->b, tallies);
}

static int finish_atom(struct norn_decoding *d, void *object)
{
	const struct norn_scope_atom *a = object;
	return a->expr && is_tallied(a->expr, scope_of(d->root)->tally_count) ? 0 : -EINVAL;
}

static const struct norn_field atom_fields[] = {
        NORN_TEXT(struct norn_scope_atom, name),
        NORN_POINTER(struct norn_scope_atom, expr, norn_expr_descriptor),
};
static const struct norn_descriptor atom = NORN_DESCRIPTOR(struct norn_scope_atom, atom_fields, .finish = finish_atom);

/* Atoms of a check are those of the scope, by number. */
static const struct norn_field check_fields[] = {
        NORN_STRUCT(struct norn_scope_check, property, norn_atomless_property_descriptor),
        NORN_NUMBERS(struct norn_scope_check, atoms, property.atom_count, .below = atoms),
};
static const struct norn_descriptor check = NORN_DESCRIPTOR(struct norn_scope_check, check_fields);

static const struct norn_field scope_fields[] = {
        NORN_TEXT(struct norn_scope, name),
        NORN_FLAG(struct norn_scope, nested),
        NORN_FLAG(struct norn_scope, trusted),
        NORN_NUMBER(struct norn_scope, sync_count),
        NORN_NUMBERS(struct norn_scope, sync, sync_count, .below = norn_plan_events),
        NORN_NUMBER(struct norn_scope, local_count, .limit = NORN_SCOPE_LOCALS_MAX + 1),
        NORN_ARRAY(struct norn_scope, locals, local_count, .of = &local),
        NORN_NUMBER(struct norn_scope, tally_count, .limit = NORN_SCOPE_TALLIES_MAX + 1),
        NORN_ARRAY(struct norn_scope, tallies, tally_count, .of = &tally),
        NORN_NUMBER(struct norn_scope, atom_count, .limit = NORN_SCOPE_ATOMS_MAX + 1),
        NORN_ARRAY(struct norn_scope, atoms, atom_count, .of = &atom),
        NORN_NUMBER(struct norn_scope, check_count),
        NORN_ARRAY(struct norn_scope, checks, check_count, .of = &check),
};
const struct norn_descriptor norn_scope_descriptor = NORN_DESCRIPTOR(struct norn_scope, scope_fields);

/* ---- its machines ---- */

static const struct norn_field machine_fields[] = {
        NORN_POINTER(struct norn_scope_machines_local, monitor, norn_monitor_descriptor),
};
static const struct norn_descriptor machine = NORN_DESCRIPTOR(struct norn_scope_machines_local, machine_fields);
static const struct norn_field check_monitor_fields[] = {{.kind = NORN_FIELD_POINTER, .of = &norn_monitor_descriptor}};
static const struct norn_descriptor check_monitor = NORN_DESCRIPTOR(struct norn_monitor *, check_monitor_fields);

static int finish_machines(struct norn_decoding *d, void *object)
{
	struct norn_scope_machines *s = object;
	for (uint32_t i = 0; i < checks(d->root, s); i++)
		if (!s->checks[i])
			return -EINVAL;
	for (uint32_t i = 0; i < locals(d->root, s); i++)
		if (!s->locals[i].monitor)
			return -EINVAL;
	for (uint32_t i = 0; i < locals(d->root, s); i++)
		norn_scope_machines_local(s, i);
	norn_scope_machines_finish(s);
	return 0;
}

static const struct norn_field machines_fields[] = {
        NORN_FLAG(struct norn_scope_machines, one_lock),
        NORN_ARRAY_BY(struct norn_scope_machines, locals, locals, .of = &machine),
        NORN_ARRAY_BY(struct norn_scope_machines, checks, checks, .of = &check_monitor),
};
const struct norn_descriptor norn_scope_machines_descriptor =
        NORN_DESCRIPTOR(struct norn_scope_machines, machines_fields, .finish = finish_machines);

/* ---- inside the program ---- */

void norn_scope_machines_drop(struct norn_scope_machines *s)
{
	for (uint32_t i = 0; s && s->locals && i < s->scope->local_count; i++)
		norn_monitor_drop(s->locals[i].monitor);
	for (uint32_t i = 0; s && s->checks && i < s->scope->check_count; i++)
		norn_monitor_drop(s->checks[i]);
}

int norn_scope_machines_unpack(
        struct norn_unpack *in, const struct norn_spec *spec, struct norn_arena *arena, struct norn_scope_machines **ret_offline)
{
	struct norn_scope *scope = norn_arena_alloc(arena, sizeof *scope);
	struct norn_scope_machines *s = norn_arena_alloc(arena, sizeof *s);
	if (!scope || !s)
		return -ENOMEM;
	const struct norn_plan_root root = {.spec = spec, .scope = scope};
	s->scope = scope;
	int r = norn_decode(in, arena, &norn_scope_descriptor, &root, scope);
	if (r == 0)
		r = norn_decode(in, arena, &norn_scope_machines_descriptor, &root, s);
	if (r == 0)
		*ret_offline = s;
	else
		norn_scope_machines_drop(s);
	return r;
}
