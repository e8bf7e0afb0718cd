/* Reading a plan: inside the program, which may have been handed anything. */
#include <errno.h>
#include <string.h>

#include "monitor/monitor_pack.h"
#include "engine/plan_format.h"
#include "judge/property_terms.h"

/* in: where from; all memory is the arena's. After a failure nothing that was read is used. */
struct reader {
	struct norn_unpack *in;
	struct norn_arena *arena;
	const struct norn_spec *spec; /* counts, at least */
	unsigned depth;
};

static void *room(struct reader *r, size_t count, size_t each)
{
	void *memory = norn_arena_alloc(r->arena, (count + 1) * each);
	if (!memory)
		r->in->failed = true;
	return memory;
}

/* Never NULL, so that nobody needs to ask. */
static const char *get_text(struct reader *r)
{
	const char *text = norn_unpack_text(r->in);
	return text ? text : "";
}

static uint32_t get_optional(struct reader *r, uint32_t limit)
{
	uint32_t number = norn_unpack_below(r->in, limit + 1ull);
	return number ? number - 1 : NORN_SLOT_NONE;
}

static uint32_t index_limit(const struct norn_spec *spec, enum norn_expr_op op)
{
	switch (op) {
	case NORN_EXPR_PLACE:
		return spec->place_count;
	case NORN_EXPR_GHOST:
		return spec->ghost_count;
	case NORN_EXPR_EVENT:
		return spec->event_count;
	case NORN_EXPR_SLOT:
		return NORN_HIT_SLOTS;
	case NORN_EXPR_KEY:
		return NORN_KEYS_MAX;
	default:
		return UINT32_MAX;
	}
}

static const struct norn_expr *get_expr(struct reader *r)
{
	uint32_t op = norn_unpack_below(r->in, NORN_EXPR_AT + 2u);
	if (!op || r->depth > NORN_PLAN_DEPTH_MAX) {
		r->in->failed |= op != 0;
		return NULL;
	}
	struct norn_expr *e = room(r, 0, sizeof *e);
	if (r->in->failed)
		return NULL;
	e->op = op - 1;
	e->index = norn_unpack_below(r->in, index_limit(r->spec, e->op));
	if (e->op == NORN_EXPR_INT) {
		uint64_t low = norn_unpack_number(r->in);
		e->number = (__int128)((unsigned __int128)(uint64_t)norn_unpack_signed(r->in) << 64 | low);
	}
	r->depth++;
	e->a = get_expr(r);
	e->b = get_expr(r);
	r->depth--;
	if ((e->op >= NORN_EXPR_NOT && !e->a) || (e->op >= NORN_EXPR_AND && e->op <= NORN_EXPR_BITAND && !e->b))
		r->in->failed = true;
	return r->in->failed ? NULL : e;
}

/* One that must be there. */
static const struct norn_expr *need_expr(struct reader *r)
{
	const struct norn_expr *e = get_expr(r);
	r->in->failed |= !e;
	return e;
}

static const struct norn_type *get_type(struct reader *r)
{
	uint32_t kind = norn_unpack_below(r->in, NORN_TYPE_FUNCTION + 2u);
	struct norn_type *type = kind ? room(r, 0, sizeof *type) : NULL;
	if (!type)
		return NULL;
	type->kind = kind - 1;
	type->name = "";
	type->size = norn_unpack_number(r->in);
	return type;
}

static void get_place(struct reader *r, struct norn_place *p, uint32_t modules)
{
	p->kind = norn_unpack_below(r->in, NORN_PLACE_FREE + 1u);
	p->text = get_text(r);
	p->field = get_text(r);
	if (norn_unpack_below(r->in, 2)) {
		struct norn_symbol *symbol = room(r, 0, sizeof *symbol);
		if (r->in->failed)
			return;
		symbol->name = get_text(r);
		symbol->module = norn_unpack_below(r->in, modules);
		symbol->address = norn_unpack_number(r->in);
		symbol->is_thread_local = norn_unpack_below(r->in, 2);
		p->base = symbol;
	}
	p->hops = norn_unpack_count(r->in);
	uint64_t *offsets = room(r, p->hops, sizeof *offsets);
	for (uint32_t i = 0; !r->in->failed && i < p->hops; i++)
		offsets[i] = norn_unpack_number(r->in);
	p->offsets = offsets;
	p->cell_step = norn_unpack_number(r->in);
	p->count = norn_unpack_number(r->in);
	p->type = get_type(r);
	p->size = norn_unpack_number(r->in);
	p->bit_offset = (uint16_t)norn_unpack_below(r->in, 4096);
	p->bit_size = (uint16_t)norn_unpack_below(r->in, 65);
	if (p->kind == NORN_PLACE_OBJECT && !p->hops)
		r->in->failed = true;
}

static void get_thread_type(struct reader *r, struct norn_thread_type *t)
{
	t->name = get_text(r);
	uint32_t count = norn_unpack_count(r->in);
	struct norn_tsel *list = room(r, count, sizeof *list);
	for (uint32_t i = 0; !r->in->failed && i < count; i++) {
		list[i].kind = norn_unpack_below(r->in, NORN_TSEL_NAMED + 1u);
		list[i].function.text = get_text(r);
		list[i].named = get_text(r);
		list[i].next = i + 1 < count ? &list[i + 1] : NULL;
	}
	t->selectors = count ? list : NULL;
}

static void get_selector(struct reader *r, struct norn_checked_selector *s)
{
	s->kind = norn_unpack_below(r->in, NORN_POINT_NOTE + 1u);
	s->function = norn_unpack_text(r->in);
	s->file = norn_unpack_text(r->in);
	s->note = norn_unpack_text(r->in);
	s->mark = norn_unpack_below(r->in, NORN_NOTE_BLOCK_END + 1u);
	s->place = get_optional(r, r->spec->place_count);
	s->thread_type = get_optional(r, r->spec->type_count);
	s->joined_type = get_optional(r, r->spec->type_count);
	s->slots_total = norn_unpack_below(r->in, NORN_HIT_SLOTS + 1);
	s->slot_count = norn_unpack_count(r->in);
	uint32_t *slots = room(r, s->slot_count, sizeof *slots);
	for (uint32_t i = 0; !r->in->failed && i < s->slot_count; i++)
		slots[i] = get_optional(r, s->slots_total);
	s->slots = slots;
	s->result = get_optional(r, s->slots_total);
	s->anyhow = norn_unpack_below(r->in, 2);
	s->condition = get_expr(r);
	const struct norn_type **types = room(r, s->slots_total, sizeof *types);
	for (uint32_t i = 0; !r->in->failed && i < s->slots_total; i++)
		types[i] = get_type(r);
	s->types = types;
	bool call = s->kind == NORN_POINT_CALL || s->kind == NORN_POINT_RETURN;
	bool placed = s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_UNLOCK;
	if ((call && !s->function) || (placed && s->place == NORN_SLOT_NONE) ||
	        (s->kind == NORN_POINT_NOTE && s->mark == NORN_NOTE_EVENT && !s->note))
		r->in->failed = true;
}

static void get_event(struct reader *r, struct norn_checked_event *e)
{
	e->name = get_text(r);
	e->parameter_count = norn_unpack_below(r->in, NORN_HIT_SLOTS + 1);
	const char **parameters = room(r, e->parameter_count, sizeof *parameters);
	for (uint32_t i = 0; !r->in->failed && i < e->parameter_count; i++)
		parameters[i] = get_text(r);
	e->parameters = parameters;
	e->selector_count = norn_unpack_count(r->in);
	struct norn_checked_selector *selectors = room(r, e->selector_count, sizeof *selectors);
	for (uint32_t i = 0; !r->in->failed && i < e->selector_count; i++) {
		get_selector(r, &selectors[i]);
		if (selectors[i].slots_total < e->parameter_count)
			r->in->failed = true;
	}
	e->selectors = selectors;
}

static void get_ghost(struct reader *r, struct norn_ghost *g)
{
	g->name = get_text(r);
	g->initial = need_expr(r);
	g->update_count = norn_unpack_count(r->in);
	struct norn_checked_update *updates = room(r, g->update_count, sizeof *updates);
	for (uint32_t i = 0; !r->in->failed && i < g->update_count; i++) {
		updates[i].event = norn_unpack_below(r->in, r->spec->event_count);
		updates[i].fresh = norn_unpack_below(r->in, 2);
		updates[i].value = updates[i].fresh ? get_expr(r) : need_expr(r);
	}
	g->updates = updates;
}

static void get_action(struct reader *r, struct norn_checked_action *a)
{
	a->kind = norn_unpack_below(r->in, NORN_ACTION_CALL + 1u);
	a->format = norn_unpack_text(r->in);
	a->function = norn_unpack_text(r->in);
	a->argument_count = norn_unpack_count(r->in);
	const struct norn_expr **arguments = room(r, a->argument_count, sizeof *arguments);
	for (uint32_t i = 0; !r->in->failed && i < a->argument_count; i++)
		arguments[i] = need_expr(r);
	a->arguments = arguments;
	if (a->kind == NORN_ACTION_CALL && !a->function)
		r->in->failed = true;
}

static const struct norn_checked_handler *get_handlers(struct reader *r, uint32_t *ret_count)
{
	uint32_t count = norn_unpack_count(r->in);
	struct norn_checked_handler *handlers = room(r, count, sizeof *handlers);
	for (uint32_t h = 0; !r->in->failed && h < count; h++) {
		handlers[h].outcome = norn_unpack_below(r->in, NORN_OUTCOME_STATE + 1u);
		handlers[h].state = (uint32_t)norn_unpack_number(r->in);
		handlers[h].action_count = norn_unpack_count(r->in);
		struct norn_checked_action *actions = room(r, handlers[h].action_count, sizeof *actions);
		for (uint32_t i = 0; !r->in->failed && i < handlers[h].action_count; i++)
			get_action(r, &actions[i]);
		handlers[h].actions = actions;
	}
	*ret_count = r->in->failed ? 0 : count;
	return r->in->failed ? NULL : handlers;
}

const struct norn_checked_handler *norn_plan_get_handlers(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, uint32_t *ret_count)
{
	struct reader r = {in, arena, spec, 0};
	return get_handlers(&r, ret_count);
}

static void get_atom(struct reader *r, struct norn_atom *a)
{
	a->kind = norn_unpack_below(r->in, NORN_ATOM_PREDICATE + 1u);
	a->text = get_text(r);
	if (a->kind == NORN_ATOM_PREDICATE) {
		a->predicate = need_expr(r);
		return;
	}
	a->event = norn_unpack_below(r->in, r->spec->event_count);
	uint32_t count = norn_unpack_below(r->in, NORN_HIT_SLOTS + 1);
	if (r->in->failed || (count && count != r->spec->events[a->event].parameter_count)) {
		r->in->failed = true;
		return;
	}
	const struct norn_expr **arguments = count ? room(r, count, sizeof *arguments) : NULL;
	for (uint32_t i = 0; !r->in->failed && i < count; i++)
		arguments[i] = get_expr(r);
	a->arguments = arguments;
}

const struct norn_expr *norn_plan_get_expr(struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec)
{
	struct reader r = {in, arena, spec, 0};
	return get_expr(&r);
}

static void get_property(struct reader *r, struct norn_property *p)
{
	p->name = get_text(r);
	p->source = get_text(r);
	p->logic = norn_unpack_below(r->in, NORN_LOGIC_ATOMIC + 1u);
	p->end = norn_unpack_below(r->in, NORN_END_STUTTER + 1u);
	p->states = norn_unpack_below(r->in, 2);
	p->key_count = norn_unpack_below(r->in, NORN_KEYS_MAX + 1);
	const char **keys = room(r, p->key_count, sizeof *keys);
	for (uint32_t i = 0; !r->in->failed && i < p->key_count; i++)
		keys[i] = get_text(r);
	p->keys = keys;
	p->atom_count = norn_unpack_below(r->in, NORN_ATOMS_MAX + 1);
	struct norn_atom *atoms = room(r, p->atom_count, sizeof *atoms);
	for (uint32_t i = 0; !r->in->failed && i < p->atom_count; i++)
		get_atom(r, &atoms[i]);
	p->atoms = atoms;
	p->fsm_count = norn_unpack_count(r->in);
	struct norn_fsm_state *fsm = room(r, p->fsm_count, sizeof *fsm);
	for (uint32_t i = 0; !r->in->failed && i < p->fsm_count; i++)
		fsm[i].name = get_text(r);
	p->fsm = fsm;
	p->handlers = get_handlers(r, &p->handler_count);
}

void norn_plan_get_property(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_spec *spec, struct norn_property *ret_property)
{
	struct reader r = {in, arena, spec, 0};
	get_property(&r, ret_property);
}

static void get_spec(struct reader *r, struct norn_spec *spec, uint32_t modules)
{
	spec->place_count = norn_unpack_count(r->in);
	spec->type_count = norn_unpack_below(r->in, NORN_PLAN_TYPES_MAX + 1);
	spec->event_count = norn_unpack_count(r->in);
	spec->ghost_count = norn_unpack_count(r->in);
	spec->property_count = norn_unpack_count(r->in);
	struct norn_place *places = room(r, spec->place_count, sizeof *places);
	struct norn_thread_type *types = room(r, spec->type_count, sizeof *types);
	struct norn_checked_event *events = room(r, spec->event_count, sizeof *events);
	struct norn_ghost *ghosts = room(r, spec->ghost_count, sizeof *ghosts);
	struct norn_property *properties = room(r, spec->property_count, sizeof *properties);
	spec->places = places;
	spec->types = types;
	spec->events = events;
	spec->ghosts = ghosts;
	spec->properties = properties;
	for (uint32_t i = 0; !r->in->failed && i < spec->place_count; i++)
		get_place(r, &places[i], modules);
	for (uint32_t i = 0; !r->in->failed && i < spec->type_count; i++)
		get_thread_type(r, &types[i]);
	for (uint32_t i = 0; !r->in->failed && i < spec->event_count; i++)
		get_event(r, &events[i]);
	for (uint32_t i = 0; !r->in->failed && i < spec->ghost_count; i++)
		get_ghost(r, &ghosts[i]);
	for (uint32_t i = 0; !r->in->failed && i < spec->property_count; i++)
		get_property(r, &properties[i]);
}

/* ---- the whole ---- */

static void get_law(struct reader *r, struct norn_plan_law *law, uint32_t modules)
{
	struct norn_unpack *in = r->in;
	r->spec = &law->spec;
	get_spec(r, &law->spec, modules);
	law->monitors = room(r, law->spec.property_count, sizeof(struct norn_monitor *));
	for (uint32_t i = 0; !in->failed && i < law->spec.property_count; i++) {
		if (norn_unpack_below(in, 2) && norn_monitor_unpack(in, &law->monitors[i]) != 0)
			in->failed = true;
		if (!in->failed && law->monitors[i] && law->spec.properties[i].logic > NORN_LOGIC_FSM)
			in->failed = true;
	}
	for (unsigned i = 0; !in->failed && i < NORN_ENGINES; i++) {
		uint64_t length = norn_unpack_number(in);
		if (in->failed || length > (size_t)(in->end - in->at)) {
			in->failed = true;
			return;
		}
		law->parts[i] = (struct norn_unpack){in->at, in->at + length, false};
		in->at += length;
	}
}

static void get_plan(struct norn_unpack *in, struct norn_plan *plan)
{
	struct reader r = {.in = in, .arena = &plan->arena};
	plan->mode = norn_unpack_below(in, NORN_WATCH_THREAD + 1u);
	plan->module_count = norn_unpack_count(in);
	plan->modules = room(&r, plan->module_count, sizeof *plan->modules);
	for (uint32_t i = 0; !in->failed && i < plan->module_count; i++) {
		plan->modules[i].path = get_text(&r);
		plan->modules[i].base = norn_unpack_number(in);
	}
	plan->function_count = norn_unpack_count(in);
	plan->functions = room(&r, plan->function_count, sizeof *plan->functions);
	for (uint32_t i = 0; !in->failed && i < plan->function_count; i++) {
		plan->functions[i].name = get_text(&r);
		plan->functions[i].module = norn_unpack_below(in, plan->module_count);
		plan->functions[i].address = norn_unpack_number(in);
		plan->functions[i].doubles = (uint32_t)norn_unpack_number(in);
		plan->functions[i].floats = (uint32_t)norn_unpack_number(in);
	}
	uint32_t laws = norn_unpack_count(in);
	plan->laws = room(&r, laws, sizeof *plan->laws);
	for (uint32_t i = 0; !in->failed && i < laws; i++) {
		plan->law_count++;
		get_law(&r, &plan->laws[i], plan->module_count);
	}
	if (in->at != in->end)
		in->failed = true;
}

int norn_plan_read(const void *bytes, size_t length, struct norn_plan *ret_plan, struct norn_error *err)
{
	uint64_t sum;
	*ret_plan = (struct norn_plan){0};
	if (length < sizeof NORN_PLAN_MAGIC + sizeof sum || memcmp(bytes, NORN_PLAN_MAGIC, sizeof NORN_PLAN_MAGIC) != 0)
		return norn_error_set(err, -EINVAL, "that is no plan of norn watch");
	memcpy(&sum, (const uint8_t *)bytes + length - sizeof sum, sizeof sum);
	if (sum != norn_plan_sum(bytes, length - sizeof sum))
		return norn_error_set(err, -EINVAL, "the plan of norn watch is damaged");
	struct norn_unpack in = {
	        (const uint8_t *)bytes + sizeof NORN_PLAN_MAGIC, (const uint8_t *)bytes + length - sizeof sum, false};
	uint64_t version = norn_unpack_number(&in);
	if (!in.failed && version != NORN_PLAN_VERSION)
		return norn_error_set(err, -EINVAL,
		        "the plan of norn watch has version %llu, this program's runtime reads %u: build the program again",
		        (unsigned long long)version, NORN_PLAN_VERSION);
	get_plan(&in, ret_plan);
	if (!in.failed)
		return 0;
	norn_plan_done(ret_plan);
	return norn_error_set(err, -EINVAL, "the plan of norn watch is damaged");
}

void norn_plan_done(struct norn_plan *plan)
{
	for (uint32_t l = 0; l < plan->law_count; l++)
		for (uint32_t i = 0; plan->laws[l].monitors && i < plan->laws[l].spec.property_count; i++)
			norn_monitor_drop(plan->laws[l].monitors[i]);
	norn_arena_done(&plan->arena);
	*plan = (struct norn_plan){0};
}
