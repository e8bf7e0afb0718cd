/* Scopes as they arrive inside the program. */
#include <string.h>

#include "base/arena.h"
#include "monitor/monitor_pack.h"
#include "engine/plan_format.h"
#include "scope/scope_engine.h"

static void *room(struct norn_unpack *in, struct norn_arena *arena, uint32_t count, size_t each)
{
	void *memory = norn_arena_alloc(arena, (count + 1ul) * each);
	if (memory)
		memset(memory, 0, (count + 1ul) * each);
	in->failed |= !memory;
	return memory;
}

static struct norn_monitor *get_monitor(struct norn_unpack *in)
{
	struct norn_monitor *monitor = NULL;
	if (in->failed || norn_monitor_unpack(in, &monitor) != 0)
		in->failed = true;
	return monitor;
}

static void get_locals(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_scope *scope,
        struct norn_scope_machines *s)
{
	scope->local_count = norn_unpack_below(in, NORN_SCOPE_LOCALS_MAX + 1);
	struct norn_scope_local *locals = room(in, arena, scope->local_count, sizeof *locals);
	s->locals = room(in, arena, scope->local_count, sizeof *s->locals);
	scope->locals = locals;
	for (uint32_t i = 0; !in->failed && i < scope->local_count; i++) {
		locals[i].type = norn_unpack_below(in, spec->type_count);
		locals[i].keep = norn_unpack_below(in, 2);
		uint32_t sync = norn_unpack_below(in, NORN_ATOMS_MAX + 1);
		locals[i].sync = sync ? sync - 1 : NORN_SLOT_NONE;
		norn_plan_get_property(in, arena, spec, &locals[i].property);
		s->locals[i].monitor = get_monitor(in);
		if (!in->failed)
			norn_scope_machines_local(s, i);
	}
}

static void get_tallies(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_scope *scope)
{
	scope->tally_count = norn_unpack_below(in, NORN_SCOPE_TALLIES_MAX + 1);
	struct norn_tally *tallies = room(in, arena, scope->tally_count, sizeof *tallies);
	scope->tallies = tallies;
	for (uint32_t i = 0; !in->failed && i < scope->tally_count; i++) {
		tallies[i].word = norn_unpack_below(in, NORN_WORD_COUNT + 1u);
		tallies[i].local = norn_unpack_below(in, scope->local_count + 1ull);
		uint32_t type = norn_unpack_below(in, spec->type_count + 1ull);
		tallies[i].type = type ? type - 1 : NORN_SLOT_NONE;
		if (tallies[i].word != NORN_WORD_SIZE && tallies[i].local >= scope->local_count)
			in->failed = true;
	}
}

/* Expressions of atoms name nothing but tallies. */
static bool is_tallied(const struct norn_expr *e, uint32_t tallies)
{
	if (!e)
		return true;
	bool leaf = e->op >= NORN_EXPR_PLACE && e->op < NORN_EXPR_NOT;
	if (leaf)
		return e->op == NORN_EXPR_TALLY && e->index < tallies;
	return is_tallied(e->a, tallies) && is_tallied(e->b, tallies);
}

static void get_atoms(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_scope *scope)
{
	scope->atom_count = norn_unpack_below(in, NORN_SCOPE_ATOMS_MAX + 1);
	struct norn_scope_atom *atoms = room(in, arena, scope->atom_count, sizeof *atoms);
	scope->atoms = atoms;
	for (uint32_t i = 0; !in->failed && i < scope->atom_count; i++) {
		const char *name = norn_unpack_text(in);
		atoms[i].name = name ? name : "";
		atoms[i].expr = norn_plan_get_expr(in, arena, spec);
		if (!atoms[i].expr || !is_tallied(atoms[i].expr, scope->tally_count))
			in->failed = true;
	}
}

static void get_checks(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_scope *scope,
        struct norn_scope_machines *s)
{
	scope->check_count = norn_unpack_count(in);
	struct norn_scope_check *checks = room(in, arena, scope->check_count, sizeof *checks);
	s->checks = room(in, arena, scope->check_count, sizeof(struct norn_monitor *));
	scope->checks = checks;
	for (uint32_t i = 0; !in->failed && i < scope->check_count; i++) {
		norn_plan_get_property(in, arena, spec, &checks[i].property);
		uint32_t count = norn_unpack_below(in, NORN_ATOMS_MAX + 1);
		uint32_t *atoms = room(in, arena, count, sizeof *atoms);
		for (uint32_t k = 0; !in->failed && k < count; k++)
			atoms[k] = norn_unpack_below(in, scope->atom_count);
		checks[i].property.atom_count = count;
		checks[i].atoms = atoms;
		s->checks[i] = get_monitor(in);
	}
}

void norn_scope_machines_drop(struct norn_scope_machines *s)
{
	for (uint32_t i = 0; s && s->locals && i < s->scope->local_count; i++)
		norn_monitor_drop(s->locals[i].monitor);
	for (uint32_t i = 0; s && s->checks && i < s->scope->check_count; i++)
		norn_monitor_drop(s->checks[i]);
}

struct norn_scope_machines *norn_scope_machines_unpack(
        struct norn_unpack *in, const struct norn_spec *spec, struct norn_arena *arena)
{
	struct norn_scope *scope = room(in, arena, 0, sizeof *scope);
	struct norn_scope_machines *s = room(in, arena, 0, sizeof *s);
	if (in->failed)
		return NULL;
	s->scope = scope;
	scope->name = norn_unpack_text(in);
	scope->nested = norn_unpack_below(in, 2);
	scope->trusted = norn_unpack_below(in, 2);
	s->one_lock = norn_unpack_below(in, 2);
	scope->sync_count = norn_unpack_count(in);
	uint32_t *sync = room(in, arena, scope->sync_count, sizeof *sync);
	for (uint32_t i = 0; !in->failed && i < scope->sync_count; i++)
		sync[i] = norn_unpack_below(in, spec->event_count);
	scope->sync = sync;
	get_locals(in, arena, spec, scope, s);
	get_tallies(in, arena, spec, scope);
	get_atoms(in, arena, spec, scope);
	get_checks(in, arena, spec, scope, s);
	if (in->failed || !scope->name) {
		norn_scope_machines_drop(s);
		return NULL;
	}
	norn_scope_machines_finish(s);
	return s;
}
