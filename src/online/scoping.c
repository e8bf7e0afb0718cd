#include "online/scoping.h"

#include <stdlib.h>

#include "monitor/eval.h"

void norn_scoping_free(struct norn_scoping *s)
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

static struct norn_value tally(void *context, const struct norn_expr *leaf)
{
	const uint64_t *counts = context;
	return leaf->op == NORN_EXPR_TALLY ? norn_value_integer(counts[leaf->index]) : norn_value_unknown();
}

struct norn_scope_state norn_scoping_state(const struct norn_scoping *scoping, const uint64_t *counts)
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

uint64_t norn_scoping_letter(const struct norn_scoping *scoping, uint32_t check, uint64_t atoms)
{
	const struct norn_scope_check *c = &scoping->scope->checks[check];
	uint64_t letter = 0;
	for (uint32_t i = 0; i < c->property.atom_count; i++)
		letter |= (atoms >> c->atoms[i] & 1) << i;
	return letter;
}
