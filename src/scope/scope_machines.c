#include "scope/scope_machines.h"

#include "monitor/eval.h"

void norn_scope_machines_local(struct norn_scope_machines *s, uint32_t i)
{
	const struct norn_scope_local *from = &s->scope->locals[i];
	struct norn_scope_machines_local *local = &s->locals[i];
	local->type = UINT64_C(1) << (from->type & 63);
	local->start = norn_monitor_start(local->monitor);
	local->sync = from->sync == NORN_SLOT_NONE ? 0 : UINT64_C(1) << from->sync;
	local->keep = from->keep;
	for (uint64_t letter = 0; letter < NORN_SCOPE_FIRSTS && letter >> from->property.atom_count == 0; letter++) {
		local->first[letter].state = norn_monitor_step(local->monitor, local->start, letter);
		local->first[letter].verdict = norn_monitor_verdict(local->monitor, local->first[letter].state);
	}
	local->idle_false = !from->keep && norn_monitor_verdict(local->monitor, local->start) == NORN_VERDICT_FALSE;
	local->idle = !from->keep && norn_verdict_counts(norn_monitor_verdict(local->monitor, local->start));
}

void norn_scope_machines_finish(struct norn_scope_machines *s)
{
	s->types = 0;
	for (uint32_t i = 0; i < s->scope->local_count; i++)
		s->types |= s->locals[i].type;
	for (uint32_t i = 0; i < s->scope->tally_count; i++)
		if (s->scope->tallies[i].type != NORN_SLOT_NONE)
			s->types |= UINT64_C(1) << (s->scope->tallies[i].type & 63);
}

static struct norn_value tally(void *context, const struct norn_expr *leaf)
{
	const uint64_t *counts = context;
	return leaf->op == NORN_EXPR_TALLY ? norn_value_integer(counts[leaf->index]) : norn_value_unknown();
}

struct norn_scope_state norn_scope_machines_state(const struct norn_scope_machines *scoping, const uint64_t *counts)
{
	struct norn_scope_state state = {0};
	struct norn_eval_env env = {tally, (void *)(uintptr_t)counts};
	for (uint32_t i = 0; i < scoping->scope->atom_count; i++) {
		enum norn_truth truth = norn_expr_holds(scoping->scope->atoms[i].expr, &env);
		state.atoms |= (uint64_t)(truth == NORN_TRUTH_YES) << i;
		state.unknown |= (uint64_t)(truth == NORN_TRUTH_UNKNOWN) << i;
	}
	return state;
}

uint64_t norn_scope_machines_letter(const struct norn_scope_machines *scoping, uint32_t check, uint64_t atoms)
{
	const struct norn_scope_check *c = &scoping->scope->checks[check];
	uint64_t letter = 0;
	for (uint32_t i = 0; i < c->property.atom_count; i++)
		letter |= (atoms >> c->atoms[i] & 1) << i;
	return letter;
}
