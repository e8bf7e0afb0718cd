/* Facts about formulas before the first event: lines as they are evaluated, dependencies of each value, the updates of each
 * event. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/local_monitor_state.h"

#define WORTH_KEEPING 24u /* lines that a value is made of */

static bool has_lines(uint32_t op)
{
	return op >= NORN_MTTL_AND;
}

/* op has two lines; else b is a thread variable. */
static bool has_two(uint32_t op)
{
	return op != NORN_MTTL_AT && op != NORN_MTTL_FORALL && op != NORN_MTTL_EXISTS;
}

static void prepare_lines(struct norn_local_monitors *local_monitors, uint32_t *weights)
{
	const struct norn_mttl *p = &local_monitors->program;
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		struct norn_local_monitor_line *line = &local_monitors->lines[i];
		struct norn_value number = norn_mttl_constant(l);
		if (l->op == NORN_MTTL_CONST)
			line->number = norn_brief(&number);
		else if (l->op == NORN_MTTL_AT)
			line->remote = &local_monitors->remotes[l->index];
		else if (l->op == NORN_MTTL_FORALL || l->op == NORN_MTTL_EXISTS)
			line->name = &p->variables[l->b];
		else if (l->op < NORN_MTTL_VALUE)
			line->index = l->index;
		weights[i] = 1;
		if (has_lines(l->op)) {
			assert(l->a < i); /* lines speak of those before them */
			line->a = &local_monitors->lines[l->a];
			weights[i] += weights[l->a];
		}
		if (has_lines(l->op) && has_two(l->op)) {
			assert(l->b < i);
			line->b = &local_monitors->lines[l->b];
			weights[i] += l->b != l->a ? weights[l->b] : 0;
		} else {
			line->variable = l->b;
		}
		/* However large formulas become by using each other. */
		weights[i] = weights[i] > WORTH_KEEPING ? WORTH_KEEPING + 1 : weights[i];
		line->eval = norn_local_monitor_evaluator(p, l, !l->free && weights[i] > WORTH_KEEPING);
	}
}

static struct norn_local_monitor_need need_of_arguments(
        const struct norn_mttl *p, const struct norn_mttl_line *l, const struct norn_local_monitor_need *needs)
{
	struct norn_local_monitor_need need = {.own = NORN_NEED_POSITION};
	for (uint32_t i = 0; i < l->b; i++) {
		uint32_t argument = p->arguments[l->a + i];
		if (argument == NORN_SLOT_NONE)
			continue;
		need.own |= needs[argument].own;
		need.if_subject |= needs[argument].if_subject;
	}
	return need;
}

static struct norn_local_monitor_need need_of_line(
        const struct norn_mttl *p, const struct norn_mttl_line *l, const struct norn_local_monitor_need *needs)
{
	struct norn_local_monitor_need need = {0};
	if (l->op == NORN_MTTL_EVENT)
		return need_of_arguments(p, l, needs);
	if (has_lines(l->op)) {
		need = needs[l->a];
		need.own |= has_two(l->op) ? needs[l->b].own : 0;
		need.if_subject |= has_two(l->op) ? needs[l->b].if_subject : 0;
	}
	switch (l->op) {
	case NORN_MTTL_PLACE:
		return (struct norn_local_monitor_need){.own = NORN_NEED_PLACES};
	case NORN_MTTL_LOCAL:
		return (struct norn_local_monitor_need){.own = norn_local_monitor_need_of_local(l->index)};
	case NORN_MTTL_ACCESS:
		return (struct norn_local_monitor_need){.own = NORN_NEED_POSITION};
	case NORN_MTTL_AT: /* of another thread: the checker has dropped an @ of the thread that the formula is about */
		return (struct norn_local_monitor_need){.if_subject = need.own | need.if_subject};
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return (struct norn_local_monitor_need){.own = need.own | need.if_subject | NORN_NEED_SEATS};
	default:
		need.own |= l->op >= NORN_MTTL_PREV && l->op < NORN_MTTL_VALUE ? NORN_NEED_POSITION : 0;
		return need;
	}
}

/* The local that the remote is to its own thread; NORN_SLOT_NONE: none. */
static uint32_t local_of(const struct norn_mttl *p, const struct norn_mttl_remote *r)
{
	const struct norn_mttl_line *l = &p->lines[r->line];
	if (r->dimensions == 1 && l->op == NORN_MTTL_AT && l->b == r->dimension[0])
		l = &p->lines[l->a];
	else if (r->dimensions)
		return NORN_SLOT_NONE;
	return l->op == NORN_MTTL_LOCAL ? l->index : NORN_SLOT_NONE;
}

static void prepare_published_locals(struct norn_local_monitors *local_monitors)
{
	const struct norn_mttl *p = &local_monitors->program;
	uint32_t count = 0;
	for (uint32_t local = 0; local < p->local_count; local++) {
		local_monitors->first_published_local[local] = count;
		for (uint32_t i = 0; i < p->remote_count; i++) {
			struct norn_published_local *published = &local_monitors->published_locals[count];
			if (local_of(p, &p->remotes[i]) != local)
				continue;
			published->dimensions = p->remotes[i].dimensions;
			memcpy(published->before, p->remotes[i].before, sizeof published->before);
			count++;
		}
	}
	local_monitors->first_published_local[p->local_count] = count;
}

/* The needs of the remote, but for those that a published local covers. */
static uint64_t other_needs(const struct norn_mttl *p, const struct norn_mttl_remote *r, const struct norn_local_monitor_need *need)
{
	uint64_t all = need->own | need->if_subject | (r->dimensions ? NORN_NEED_SEATS : 0);
	uint32_t local = local_of(p, r);
	return local == NORN_SLOT_NONE ? all : all & ~norn_local_monitor_need_of_local(local);
}

static bool is_guard(const struct norn_mttl *p, uint32_t line, uint32_t variable, const struct norn_local_monitor_need *needs)
{
	uint64_t others = p->lines[line].free & ~(UINT64_C(1) << variable);
	return p->lines[line].free != others && !needs[line].own && !(others & (others - 1));
}

static void prepare_guards(struct norn_local_monitors *local_monitors, const struct norn_local_monitor_need *needs)
{
	const struct norn_mttl *p = &local_monitors->program;
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		if (l->op != NORN_MTTL_EXISTS && l->op != NORN_MTTL_FORALL)
			continue;
		const struct norn_mttl_line *body = &p->lines[l->a];
		if (body->op != (l->op == NORN_MTTL_EXISTS ? NORN_MTTL_AND : NORN_MTTL_OR))
			continue;
		uint32_t line = is_guard(p, body->a, l->b, needs) ? body->a : body->b;
		if (!is_guard(p, line, l->b, needs))
			continue;
		uint64_t others = p->lines[line].free & ~(UINT64_C(1) << l->b);
		local_monitors->guards[local_monitors->guard_count++] =
		        (struct norn_local_monitor_guard){.line = &local_monitors->lines[line],
		                .rest = &local_monitors->lines[line == body->a ? body->b : body->a],
		                .self = others ? (uint32_t)__builtin_ctzll(others) : NORN_SLOT_NONE};
		local_monitors->lines[i].guard = local_monitors->guard_count;
	}
}

static void prepare_needs(struct norn_local_monitors *local_monitors, struct norn_local_monitor_need *needs)
{
	const struct norn_mttl *p = &local_monitors->program;
	for (uint32_t i = 0; i < p->line_count; i++)
		needs[i] = need_of_line(p, &p->lines[i], needs);
	for (uint32_t i = 0; i < p->remote_count; i++) {
		const struct norn_mttl_remote *r = &p->remotes[i];
		struct norn_local_monitor_remote *remote = &local_monitors->remotes[i];
		*remote =
		        (struct norn_local_monitor_remote){.need = {needs[r->line].own | NORN_NEED_ANEW, needs[r->line].if_subject},
		                .property = UINT64_C(1) << p->lines[r->line].property % 64,
		                .line = &local_monitors->lines[r->line],
		                .variable = r->variable,
		                .dimensions = r->dimensions,
		                .stranger = NORN_BRIEF_UNKNOWN};
		memcpy(remote->dimension, r->dimension, sizeof remote->dimension);
		memcpy(remote->before, r->before, sizeof remote->before);
		remote->any = other_needs(p, r, &remote->need);
		local_monitors->told |= remote->any;
	}
	for (uint32_t i = 0; i < p->property_count; i++) {
		const struct norn_mttl_property *property = &p->properties[i];
		local_monitors->judges[i] = (struct norn_local_monitor_judge){.need = needs[property->root].own | NORN_NEED_ANEW,
		        .line = &local_monitors->lines[property->root],
		        .variable = property->variable,
		        .type = p->variables[property->variable].type};
	}
}

static bool climbs(const struct norn_mttl *p, uint32_t local)
{
	for (uint32_t i = 0; i < p->update_count; i++)
		if (p->updates[i].fresh && p->updates[i].local == local)
			return true;
	return false;
}

/* True if one of the updates but `but` needs what it makes dirty, or is of the same local. */
static bool is_needed(const struct norn_local_monitor_update *updates, uint32_t count, uint32_t but,
        const struct norn_local_monitors *local_monitors, const struct norn_local_monitor_need *needs)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_local_monitor_line *line = updates[i].line;
		if (i == but)
			continue;
		if (updates[i].local == updates[but].local || (line && needs[line - local_monitors->lines].own & updates[but].need))
			return true;
	}
	return false;
}

/* Orders updates of an event so that none sees what one before it has changed. False: there is no such order. */
static bool order_updates(struct norn_local_monitor_update *updates, uint32_t count,
        const struct norn_local_monitors *local_monitors, const struct norn_local_monitor_need *needs)
{
	for (; count > 1; updates++, count--) {
		uint32_t i = 0;
		while (i < count && is_needed(updates, count, i, local_monitors, needs))
			i++;
		if (i == count)
			return false;
		struct norn_local_monitor_update first = updates[i];
		updates[i] = updates[0];
		updates[0] = first;
	}
	return true;
}

/* By event. */
static void prepare_updates(struct norn_local_monitors *local_monitors, const struct norn_local_monitor_need *needs)
{
	const struct norn_mttl *p = &local_monitors->program;
	uint32_t count = 0;
	for (uint32_t event = 0; event < p->event_count; event++) {
		uint32_t first = local_monitors->first_update[event] = count;
		for (uint32_t i = 0; i < p->update_count; i++) {
			const struct norn_mttl_update *u = &p->updates[i];
			if (u->event == event)
				local_monitors->updates[count++] = (struct norn_local_monitor_update){
				        .line = u->fresh ? NULL : &local_monitors->lines[u->line],
				        .need = norn_local_monitor_need_of_local(u->local),
				        .local = u->local,
				        .climbs = climbs(p, u->local)};
		}
		local_monitors->in_turn[event] =
		        order_updates(local_monitors->updates + first, count - first, local_monitors, needs);
	}
	local_monitors->first_update[p->event_count] = count;
}

int norn_local_monitors_prepare(struct norn_local_monitors *local_monitors)
{
	const struct norn_mttl *p = &local_monitors->program;
	local_monitors->all = p->property_count == 64 ? UINT64_MAX : (UINT64_C(1) << p->property_count) - 1;
	struct norn_local_monitor_need *needs = calloc(p->line_count + 1ul, sizeof *needs);
	uint32_t *weights = calloc(p->line_count + 1ul, sizeof *weights);
	local_monitors->lines = calloc(p->line_count + 1ul, sizeof *local_monitors->lines);
	local_monitors->guards = calloc(p->line_count + 1ul, sizeof *local_monitors->guards);
	local_monitors->remotes = calloc(p->remote_count + 1ul, sizeof *local_monitors->remotes);
	local_monitors->published_locals = calloc(p->remote_count + 1ul, sizeof *local_monitors->published_locals);
	local_monitors->first_published_local = calloc(p->local_count + 1ul, sizeof *local_monitors->first_published_local);
	local_monitors->judges = calloc(p->property_count + 1ul, sizeof *local_monitors->judges);
	local_monitors->updates = calloc(p->update_count + 1ul, sizeof *local_monitors->updates);
	local_monitors->in_turn = calloc(p->event_count + 1ul, sizeof *local_monitors->in_turn);
	local_monitors->first_update = calloc(p->event_count + 1ul, sizeof *local_monitors->first_update);
	bool ok = needs && weights && local_monitors->lines && local_monitors->guards && local_monitors->remotes &&
	          local_monitors->published_locals && local_monitors->first_published_local && local_monitors->judges &&
	          local_monitors->updates && local_monitors->first_update && local_monitors->in_turn;
	if (ok) {
		prepare_lines(local_monitors, weights);
		prepare_needs(local_monitors, needs);
		prepare_updates(local_monitors, needs);
		prepare_published_locals(local_monitors);
		prepare_guards(local_monitors, needs);
	}
	free(needs);
	free(weights);
	return ok ? 0 : -ENOMEM;
}

void norn_local_monitors_forget(struct norn_local_monitors *local_monitors)
{
	free(local_monitors->lines);
	free(local_monitors->guards);
	free(local_monitors->remotes);
	free(local_monitors->published_locals);
	free(local_monitors->first_published_local);
	free(local_monitors->judges);
	free(local_monitors->updates);
	free(local_monitors->first_update);
	free(local_monitors->in_turn);
}
