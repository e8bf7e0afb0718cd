/* Making a plan: in the command. */
#include <errno.h>

#include "monitor/monitor_pack.h"
#include "engine/plan_format.h"
#include "judge/property_terms.h"

static void put_optional(struct norn_pack *pack, uint32_t number)
{
	norn_pack_number(pack, number == NORN_SLOT_NONE ? 0 : number + 1ull);
}

void norn_plan_put_expr(struct norn_pack *pack, const struct norn_expr *e)
{
	norn_pack_number(pack, e ? e->op + 1u : 0);
	if (!e)
		return;
	norn_pack_number(pack, e->index);
	if (e->op == NORN_EXPR_INT) {
		norn_pack_number(pack, (uint64_t)e->number);
		norn_pack_signed(pack, (int64_t)(e->number >> 64));
	}
	norn_plan_put_expr(pack, e->a);
	norn_plan_put_expr(pack, e->b);
}

static void put_type(struct norn_pack *pack, const struct norn_type *type)
{
	norn_pack_number(pack, type ? type->kind + 1u : 0);
	if (type)
		norn_pack_number(pack, type->size);
}

static void put_place(struct norn_pack *pack, const struct norn_place *p)
{
	norn_pack_number(pack, p->kind);
	norn_pack_text(pack, p->text);
	norn_pack_text(pack, p->field);
	norn_pack_number(pack, p->base != NULL);
	if (p->base) {
		norn_pack_text(pack, p->base->name);
		norn_pack_number(pack, p->base->module);
		norn_pack_number(pack, p->base->address);
		norn_pack_number(pack, p->base->is_thread_local);
	}
	norn_pack_number(pack, p->hops);
	for (uint32_t i = 0; i < p->hops; i++)
		norn_pack_number(pack, p->offsets[i]);
	norn_pack_number(pack, p->cell_step);
	norn_pack_number(pack, p->count);
	put_type(pack, p->type);
	norn_pack_number(pack, p->size);
	norn_pack_number(pack, p->bit_offset);
	norn_pack_number(pack, p->bit_size);
}

static void put_selector(struct norn_pack *pack, const struct norn_checked_selector *s)
{
	norn_pack_number(pack, s->kind);
	norn_pack_text(pack, s->function);
	norn_pack_text(pack, s->file);
	norn_pack_text(pack, s->note);
	norn_pack_number(pack, s->mark);
	bool placed = s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_UNLOCK;
	put_optional(pack, placed ? s->place : NORN_SLOT_NONE);
	put_optional(pack, s->thread_type);
	put_optional(pack, s->kind == NORN_POINT_JOIN ? s->joined_type : NORN_SLOT_NONE);
	norn_pack_number(pack, s->slots_total);
	norn_pack_number(pack, s->slot_count);
	for (uint32_t i = 0; i < s->slot_count; i++)
		put_optional(pack, s->slots[i]);
	put_optional(pack, s->result);
	norn_pack_number(pack, s->anyhow);
	norn_plan_put_expr(pack, s->condition);
	for (uint32_t i = 0; i < s->slots_total; i++)
		put_type(pack, s->types ? s->types[i] : NULL);
}

static void put_event(struct norn_pack *pack, const struct norn_checked_event *e)
{
	norn_pack_text(pack, e->name);
	norn_pack_number(pack, e->parameter_count);
	for (uint32_t i = 0; i < e->parameter_count; i++)
		norn_pack_text(pack, e->parameters[i]);
	norn_pack_number(pack, e->selector_count);
	for (uint32_t i = 0; i < e->selector_count; i++)
		put_selector(pack, &e->selectors[i]);
}

static void put_thread_type(struct norn_pack *pack, const struct norn_thread_type *t)
{
	uint32_t count = 0;
	for (const struct norn_tsel *s = t->selectors; s; s = s->next)
		count++;
	norn_pack_text(pack, t->name);
	norn_pack_number(pack, count);
	for (const struct norn_tsel *s = t->selectors; s; s = s->next) {
		norn_pack_number(pack, s->kind);
		norn_pack_text(pack, s->function.text);
		norn_pack_text(pack, s->named);
	}
}

static void put_ghost(struct norn_pack *pack, const struct norn_ghost *g)
{
	norn_pack_text(pack, g->name);
	norn_plan_put_expr(pack, g->initial);
	norn_pack_number(pack, g->update_count);
	for (uint32_t i = 0; i < g->update_count; i++) {
		norn_pack_number(pack, g->updates[i].event);
		norn_pack_number(pack, g->updates[i].fresh);
		norn_plan_put_expr(pack, g->updates[i].value);
	}
}

void norn_plan_put_handlers(struct norn_pack *pack, const struct norn_checked_handler *handlers, uint32_t count)
{
	norn_pack_number(pack, count);
	for (uint32_t h = 0; h < count; h++) {
		norn_pack_number(pack, handlers[h].outcome);
		norn_pack_number(pack, handlers[h].state);
		norn_pack_number(pack, handlers[h].action_count);
		for (uint32_t i = 0; i < handlers[h].action_count; i++) {
			const struct norn_checked_action *a = &handlers[h].actions[i];
			norn_pack_number(pack, a->kind);
			norn_pack_text(pack, a->format);
			norn_pack_text(pack, a->function);
			norn_pack_number(pack, a->argument_count);
			for (uint32_t k = 0; k < a->argument_count; k++)
				norn_plan_put_expr(pack, a->arguments[k]);
		}
	}
}

static void put_atom(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_atom *a)
{
	norn_pack_number(pack, a->kind);
	norn_pack_text(pack, a->text);
	if (a->kind == NORN_ATOM_PREDICATE) {
		norn_plan_put_expr(pack, a->predicate);
		return;
	}
	norn_pack_number(pack, a->event);
	uint32_t count = a->arguments ? spec->events[a->event].parameter_count : 0;
	norn_pack_number(pack, count);
	for (uint32_t i = 0; i < count; i++)
		norn_plan_put_expr(pack, a->arguments[i]);
}

void norn_plan_put_property(struct norn_pack *pack, const struct norn_spec *spec, const struct norn_property *p)
{
	norn_pack_text(pack, p->name);
	norn_pack_text(pack, p->source ? p->source : "");
	norn_pack_number(pack, p->logic);
	norn_pack_number(pack, p->end);
	norn_pack_number(pack, p->states);
	norn_pack_number(pack, p->key_count);
	for (uint32_t i = 0; i < p->key_count; i++)
		norn_pack_text(pack, p->keys[i]);
	uint32_t atoms = p->logic <= NORN_LOGIC_FSM ? p->atom_count : 0; /* others have atoms of their own kind */
	norn_pack_number(pack, atoms);
	for (uint32_t i = 0; i < atoms; i++)
		put_atom(pack, spec, &p->atoms[i]);
	norn_pack_number(pack, p->fsm_count);
	for (uint32_t i = 0; i < p->fsm_count; i++)
		norn_pack_text(pack, p->fsm[i].name);
	norn_plan_put_handlers(pack, p->handlers, p->handler_count);
}

static void put_spec(struct norn_pack *pack, const struct norn_spec *spec)
{
	norn_pack_number(pack, spec->place_count);
	norn_pack_number(pack, spec->type_count);
	norn_pack_number(pack, spec->event_count);
	norn_pack_number(pack, spec->ghost_count);
	norn_pack_number(pack, spec->property_count);
	for (uint32_t i = 0; i < spec->place_count; i++)
		put_place(pack, &spec->places[i]);
	for (uint32_t i = 0; i < spec->type_count; i++)
		put_thread_type(pack, &spec->types[i]);
	for (uint32_t i = 0; i < spec->event_count; i++)
		put_event(pack, &spec->events[i]);
	for (uint32_t i = 0; i < spec->ghost_count; i++)
		put_ghost(pack, &spec->ghosts[i]);
	for (uint32_t i = 0; i < spec->property_count; i++)
		norn_plan_put_property(pack, spec, &spec->properties[i]);
}

/* ---- limits: what monitors inside a program have room for ---- */

static int check_limits(const struct norn_spec *spec, struct norn_error *err)
{
	if (spec->type_count > NORN_PLAN_TYPES_MAX)
		return norn_error_set(err, -E2BIG, "there are %u thread types; a watched program has room for %u", spec->type_count,
		        NORN_PLAN_TYPES_MAX);
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++)
			if (spec->events[e].selectors[i].slots_total > NORN_HIT_SLOTS)
				return norn_error_set(err, -E2BIG, "event %s names %u values; a watched program has room for %u",
				        spec->events[e].name, spec->events[e].selectors[i].slots_total, NORN_HIT_SLOTS);
	for (uint32_t p = 0; p < spec->property_count; p++)
		if (spec->properties[p].key_count > NORN_KEYS_MAX)
			return norn_error_set(err, -E2BIG, "property %s has %u keys; a watched program has room for %u",
			        spec->properties[p].name, spec->properties[p].key_count, NORN_KEYS_MAX);
	return 0;
}

/* ---- the whole ---- */

void norn_plan_begin(struct norn_pack *pack, const struct norn_plan *plan)
{
	norn_pack_bytes(pack, NORN_PLAN_MAGIC, sizeof NORN_PLAN_MAGIC);
	norn_pack_number(pack, NORN_PLAN_VERSION);
	norn_pack_number(pack, plan->mode);
	norn_pack_number(pack, plan->module_count);
	for (uint32_t i = 0; i < plan->module_count; i++) {
		norn_pack_text(pack, plan->modules[i].path);
		norn_pack_number(pack, plan->modules[i].base);
	}
	norn_pack_number(pack, plan->function_count);
	for (uint32_t i = 0; i < plan->function_count; i++) {
		norn_pack_text(pack, plan->functions[i].name);
		norn_pack_number(pack, plan->functions[i].module);
		norn_pack_number(pack, plan->functions[i].address);
		norn_pack_number(pack, plan->functions[i].doubles);
		norn_pack_number(pack, plan->functions[i].floats);
	}
	norn_pack_number(pack, plan->law_count);
}

int norn_plan_law(struct norn_pack *pack, const struct norn_sources *sources, const struct norn_spec *spec,
        struct norn_monitor *const *monitors, struct norn_error *err)
{
	int r = check_limits(spec, err);
	if (r != 0)
		return r;
	put_spec(pack, spec);
	for (uint32_t i = 0; i < spec->property_count; i++) {
		norn_pack_number(pack, monitors[i] != NULL);
		if (monitors[i])
			norn_monitor_pack(monitors[i], pack);
	}
	for (unsigned i = 0; i < NORN_ENGINES && r == 0; i++) {
		struct norn_pack part = {0};
		if (norn_online_planners[i])
			r = norn_online_planners[i](sources, spec, &part, err);
		norn_pack_number(pack, part.length);
		norn_pack_bytes(pack, part.bytes, part.length);
		pack->failed |= part.failed;
		norn_pack_done(&part);
	}
	return r;
}

int norn_plan_end(struct norn_pack *pack, struct norn_error *err)
{
	uint64_t sum = norn_plan_sum(pack->bytes, pack->failed ? 0 : pack->length);
	norn_pack_bytes(pack, &sum, sizeof sum);
	if (pack->failed)
		return norn_error_no_memory(err);
	if (pack->length > NORN_PLAN_BYTES_MAX)
		return norn_error_set(err, -E2BIG, "the monitors take %zu MiB; a watched program has room for %u",
		        pack->length >> 20, NORN_PLAN_BYTES_MAX >> 20);
	return 0;
}
