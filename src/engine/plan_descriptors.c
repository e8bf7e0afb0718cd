#include "engine/plan_descriptors.h"

#include <errno.h>

#include "judge/property_terms.h"
#include "monitor/monitor_pack.h"

static const struct norn_spec *spec_of(const void *root)
{
	return ((const struct norn_plan_root *)root)->spec;
}

uint64_t norn_plan_events(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->event_count;
}

uint64_t norn_plan_types(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->type_count;
}

static uint64_t places(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->place_count;
}

static uint64_t modules(const void *root, const void *object)
{
	(void)object;
	return ((const struct norn_plan_root *)root)->modules;
}

static const struct norn_field text_fields[] = {{.kind = NORN_FIELD_TEXT}};
static const struct norn_descriptor text = NORN_DESCRIPTOR(const char *, text_fields);

/* ---- expressions ---- */

static uint64_t expr_indices(const void *root, const void *object)
{
	const struct norn_spec *spec = spec_of(root);
	switch (((const struct norn_expr *)object)->op) {
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

static bool expr_is_number(const void *object)
{
	enum norn_expr_op op = ((const struct norn_expr *)object)->op;
	return op == NORN_EXPR_INT || op == NORN_EXPR_REAL;
}

static int finish_expr(struct norn_decoding *d, void *object)
{
	const struct norn_expr *e = object;
	(void)d;
	bool needs_a = e->op >= NORN_EXPR_NOT, needs_b = e->op >= NORN_EXPR_AND && e->op <= NORN_EXPR_BITAND;
	return (needs_a && !e->a) || (needs_b && !e->b) ? -EINVAL : 0;
}

static const struct norn_field expr_fields[] = {
        NORN_NUMBER(struct norn_expr, op, .limit = NORN_EXPR_AT + 1),
        NORN_NUMBER(struct norn_expr, index, .below = expr_indices),
        NORN_WIDE(struct norn_expr, number, .when = expr_is_number),
        NORN_POINTER(struct norn_expr, a, norn_expr_descriptor),
        NORN_POINTER(struct norn_expr, b, norn_expr_descriptor),
};
const struct norn_descriptor norn_expr_descriptor = NORN_DESCRIPTOR(struct norn_expr, expr_fields, .finish = finish_expr);

static const struct norn_field expr_pointer_fields[] = {{.kind = NORN_FIELD_POINTER, .of = &norn_expr_descriptor}};
static const struct norn_descriptor expr_pointer = NORN_DESCRIPTOR(const struct norn_expr *, expr_pointer_fields);

/* ---- places ---- */

/* Its name is for messages of the command. */
static int finish_type(struct norn_decoding *d, void *object)
{
	(void)d;
	((struct norn_type *)object)->name = "";
	return 0;
}

static const struct norn_field type_fields[] = {
        NORN_NUMBER(struct norn_type, kind, .limit = NORN_TYPE_FUNCTION + 1),
        NORN_NUMBER(struct norn_type, size),
};
static const struct norn_descriptor type = NORN_DESCRIPTOR(struct norn_type, type_fields, .finish = finish_type);
static const struct norn_field type_pointer_fields[] = {{.kind = NORN_FIELD_POINTER, .of = &type}};
static const struct norn_descriptor type_pointer = NORN_DESCRIPTOR(const struct norn_type *, type_pointer_fields);

static const struct norn_field symbol_fields[] = {
        NORN_TEXT(struct norn_symbol, name),
        NORN_NUMBER(struct norn_symbol, module, .below = modules),
        NORN_NUMBER(struct norn_symbol, address),
        NORN_FLAG(struct norn_symbol, is_thread_local),
};
static const struct norn_descriptor symbol = NORN_DESCRIPTOR(struct norn_symbol, symbol_fields);

static int finish_place(struct norn_decoding *d, void *object)
{
	const struct norn_place *p = object;
	(void)d;
	return p->kind == NORN_PLACE_OBJECT && !p->hops ? -EINVAL : 0;
}

static const struct norn_field place_fields[] = {
        NORN_NUMBER(struct norn_place, kind, .limit = NORN_PLACE_FREE + 1),
        NORN_TEXT(struct norn_place, text),
        NORN_TEXT(struct norn_place, field),
        NORN_POINTER(struct norn_place, base, symbol),
        NORN_NUMBER(struct norn_place, hops),
        NORN_NUMBERS(struct norn_place, offsets, hops),
        NORN_NUMBER(struct norn_place, cell_step),
        NORN_NUMBER(struct norn_place, count),
        NORN_POINTER(struct norn_place, type, type),
        NORN_NUMBER(struct norn_place, size),
        NORN_NUMBER(struct norn_place, bit_offset, .limit = 4096),
        NORN_NUMBER(struct norn_place, bit_size, .limit = 65),
};
static const struct norn_descriptor place = NORN_DESCRIPTOR(struct norn_place, place_fields, .finish = finish_place);

/* ---- thread types: a list of selectors ---- */

static const struct norn_descriptor thread_selector;
static const struct norn_field thread_selector_fields[] = {
        NORN_NUMBER(struct norn_tsel, kind, .limit = NORN_TSEL_NAMED + 1),
        NORN_TEXT(struct norn_tsel, function.text),
        NORN_TEXT(struct norn_tsel, named),
        NORN_POINTER(struct norn_tsel, next, thread_selector),
};
static const struct norn_descriptor thread_selector = NORN_DESCRIPTOR(struct norn_tsel, thread_selector_fields);
static const struct norn_field thread_type_fields[] = {
        NORN_TEXT(struct norn_thread_type, name),
        NORN_POINTER(struct norn_thread_type, selectors, thread_selector),
};
static const struct norn_descriptor thread_type = NORN_DESCRIPTOR(struct norn_thread_type, thread_type_fields);

/* ---- events ---- */

static bool selects_place(const void *object)
{
	const struct norn_checked_selector *s = object;
	return s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_UNLOCK;
}

static bool selects_join(const void *object)
{
	return ((const struct norn_checked_selector *)object)->kind == NORN_POINT_JOIN;
}

static uint64_t slots_total(const void *root, const void *object)
{
	(void)root;
	return ((const struct norn_checked_selector *)object)->slots_total;
}

static int finish_selector(struct norn_decoding *d, void *object)
{
	struct norn_checked_selector *s = object;
	bool call = s->kind == NORN_POINT_CALL || s->kind == NORN_POINT_RETURN;
	if ((call && !s->function) || (selects_place(s) && s->place == NORN_SLOT_NONE) ||
	        (s->kind == NORN_POINT_NOTE && s->mark == NORN_NOTE_EVENT && !s->note))
		return -EINVAL;
	for (uint32_t i = 0; i < s->slot_count; i++)
		if (s->slots[i] >= s->slots_total && s->slots[i] != NORN_SLOT_NONE)
			return -EINVAL;
	if (!s->types) /* unknown, all */
		s->types = norn_arena_alloc(d->arena, (s->slots_total + 1ul) * sizeof *s->types);
	return s->types ? 0 : -ENOMEM;
}

static const struct norn_field selector_fields[] = {
        NORN_NUMBER(struct norn_checked_selector, kind, .limit = NORN_POINT_NOTE + 1),
        NORN_TEXT_OR_NULL(struct norn_checked_selector, function),
        NORN_TEXT_OR_NULL(struct norn_checked_selector, file),
        NORN_TEXT_OR_NULL(struct norn_checked_selector, note),
        NORN_NUMBER(struct norn_checked_selector, mark, .limit = NORN_NOTE_BLOCK_END + 1),
        NORN_INDEX(struct norn_checked_selector, place, .when = selects_place, .below = places),
        NORN_INDEX(struct norn_checked_selector, thread_type, .below = norn_plan_types),
        NORN_INDEX(struct norn_checked_selector, joined_type, .when = selects_join, .below = norn_plan_types),
        NORN_NUMBER(struct norn_checked_selector, slots_total, .limit = NORN_HIT_SLOTS + 1),
        NORN_NUMBER(struct norn_checked_selector, slot_count),
        NORN_NUMBERS(struct norn_checked_selector, slots, slot_count),
        NORN_INDEX(struct norn_checked_selector, result, .below = slots_total),
        NORN_FLAG(struct norn_checked_selector, anyhow),
        NORN_POINTER(struct norn_checked_selector, condition, norn_expr_descriptor),
        NORN_ARRAY_OR_NULL(struct norn_checked_selector, types, slots_total, .of = &type_pointer),
};
static const struct norn_descriptor selector =
        NORN_DESCRIPTOR(struct norn_checked_selector, selector_fields, .finish = finish_selector);

static int finish_event(struct norn_decoding *d, void *object)
{
	const struct norn_checked_event *e = object;
	(void)d;
	for (uint32_t i = 0; i < e->selector_count; i++)
		if (e->selectors[i].slots_total < e->parameter_count)
			return -EINVAL;
	return 0;
}

static const struct norn_field event_fields[] = {
        NORN_TEXT(struct norn_checked_event, name),
        NORN_NUMBER(struct norn_checked_event, parameter_count, .limit = NORN_HIT_SLOTS + 1),
        NORN_ARRAY(struct norn_checked_event, parameters, parameter_count, .of = &text),
        NORN_NUMBER(struct norn_checked_event, selector_count),
        NORN_ARRAY(struct norn_checked_event, selectors, selector_count, .of = &selector),
};
static const struct norn_descriptor event = NORN_DESCRIPTOR(struct norn_checked_event, event_fields, .finish = finish_event);

/* ---- ghosts ---- */

static int finish_update(struct norn_decoding *d, void *object)
{
	const struct norn_checked_update *u = object;
	(void)d;
	return u->fresh || u->value ? 0 : -EINVAL;
}

static const struct norn_field update_fields[] = {
        NORN_NUMBER(struct norn_checked_update, event, .below = norn_plan_events),
        NORN_FLAG(struct norn_checked_update, fresh),
        NORN_POINTER(struct norn_checked_update, value, norn_expr_descriptor),
};
static const struct norn_descriptor update = NORN_DESCRIPTOR(struct norn_checked_update, update_fields, .finish = finish_update);

static int finish_ghost(struct norn_decoding *d, void *object)
{
	(void)d;
	return ((const struct norn_ghost *)object)->initial ? 0 : -EINVAL;
}

static const struct norn_field ghost_fields[] = {
        NORN_TEXT(struct norn_ghost, name),
        NORN_POINTER(struct norn_ghost, initial, norn_expr_descriptor),
        NORN_NUMBER(struct norn_ghost, update_count),
        NORN_ARRAY(struct norn_ghost, updates, update_count, .of = &update),
};
static const struct norn_descriptor ghost = NORN_DESCRIPTOR(struct norn_ghost, ghost_fields, .finish = finish_ghost);

/* ---- properties ---- */

static int finish_action(struct norn_decoding *d, void *object)
{
	const struct norn_checked_action *a = object;
	(void)d;
	for (uint32_t i = 0; i < a->argument_count; i++)
		if (!a->arguments[i])
			return -EINVAL;
	return a->kind == NORN_ACTION_CALL && !a->function ? -EINVAL : 0;
}

static const struct norn_field action_fields[] = {
        NORN_NUMBER(struct norn_checked_action, kind, .limit = NORN_ACTION_CALL + 1),
        NORN_TEXT_OR_NULL(struct norn_checked_action, format),
        NORN_TEXT_OR_NULL(struct norn_checked_action, function),
        NORN_NUMBER(struct norn_checked_action, argument_count),
        NORN_ARRAY(struct norn_checked_action, arguments, argument_count, .of = &expr_pointer),
};
static const struct norn_descriptor action = NORN_DESCRIPTOR(struct norn_checked_action, action_fields, .finish = finish_action);

static const struct norn_field handler_fields[] = {
        NORN_NUMBER(struct norn_checked_handler, outcome, .limit = NORN_OUTCOME_STATE + 1),
        NORN_NUMBER(struct norn_checked_handler, state),
        NORN_NUMBER(struct norn_checked_handler, action_count),
        NORN_ARRAY(struct norn_checked_handler, actions, action_count, .of = &action),
};
static const struct norn_descriptor handler = NORN_DESCRIPTOR(struct norn_checked_handler, handler_fields);

static bool atom_is_predicate(const void *object)
{
	return ((const struct norn_atom *)object)->kind == NORN_ATOM_PREDICATE;
}

static bool atom_is_event(const void *object)
{
	return !atom_is_predicate(object);
}

static uint64_t parameters(const void *root, const void *object)
{
	return spec_of(root)->events[((const struct norn_atom *)object)->event].parameter_count;
}

static int finish_atom(struct norn_decoding *d, void *object)
{
	(void)d;
	return atom_is_predicate(object) && !((const struct norn_atom *)object)->predicate ? -EINVAL : 0;
}

static const struct norn_field atom_fields[] = {
        NORN_NUMBER(struct norn_atom, kind, .limit = NORN_ATOM_PREDICATE + 1),
        NORN_TEXT(struct norn_atom, text),
        NORN_POINTER(struct norn_atom, predicate, norn_expr_descriptor, .when = atom_is_predicate),
        NORN_NUMBER(struct norn_atom, event, .when = atom_is_event, .below = norn_plan_events),
        NORN_ARRAY_OR_NULL(struct norn_atom, arguments, parameters, .when = atom_is_event, .of = &expr_pointer),
};
static const struct norn_descriptor atom = NORN_DESCRIPTOR(struct norn_atom, atom_fields, .finish = finish_atom);

static const struct norn_field fsm_state_fields[] = {NORN_TEXT(struct norn_fsm_state, name)};
static const struct norn_descriptor fsm_state = NORN_DESCRIPTOR(struct norn_fsm_state, fsm_state_fields);

static const struct norn_field property_head_fields[] = {
        NORN_TEXT(struct norn_property, name),
        NORN_TEXT(struct norn_property, source),
        NORN_NUMBER(struct norn_property, logic, .limit = NORN_LOGIC_ATOMIC + 1),
        NORN_NUMBER(struct norn_property, end, .limit = NORN_END_STUTTER + 1),
        NORN_FLAG(struct norn_property, states),
        NORN_NUMBER(struct norn_property, key_count, .limit = NORN_KEYS_MAX + 1),
        NORN_ARRAY(struct norn_property, keys, key_count, .of = &text),
};
static const struct norn_descriptor property_head = NORN_DESCRIPTOR(struct norn_property, property_head_fields);
static const struct norn_field property_tail_fields[] = {
        NORN_NUMBER(struct norn_property, fsm_count),
        NORN_ARRAY(struct norn_property, fsm, fsm_count, .of = &fsm_state),
        NORN_NUMBER(struct norn_property, handler_count),
        NORN_ARRAY(struct norn_property, handlers, handler_count, .of = &handler),
};
static const struct norn_descriptor property_tail = NORN_DESCRIPTOR(struct norn_property, property_tail_fields);

/* Other logics have atoms of their own kind, which their engines pack. */
static bool is_of_machines(const void *object)
{
	return ((const struct norn_property *)object)->logic <= NORN_LOGIC_FSM;
}

static const struct norn_field property_fields[] = {
        NORN_PART(.of = &property_head),
        NORN_NUMBER(struct norn_property, atom_count, .when = is_of_machines, .limit = NORN_ATOMS_MAX + 1),
        NORN_ARRAY(struct norn_property, atoms, atom_count, .when = is_of_machines, .of = &atom),
        NORN_PART(.of = &property_tail),
};
const struct norn_descriptor norn_property_descriptor = NORN_DESCRIPTOR(struct norn_property, property_fields);
static const struct norn_field atomless_property_fields[] = {
        NORN_PART(.of = &property_head),
        NORN_NUMBER(struct norn_property, atom_count, .limit = NORN_ATOMS_MAX + 1),
        NORN_PART(.of = &property_tail),
};
const struct norn_descriptor norn_atomless_property_descriptor = NORN_DESCRIPTOR(struct norn_property, atomless_property_fields);

/* ---- the spec: counts first, since expressions of events name ghosts, which come later ---- */

static const struct norn_field spec_fields[] = {
        NORN_NUMBER(struct norn_spec, place_count),
        NORN_NUMBER(struct norn_spec, type_count, .limit = NORN_PLAN_TYPES_MAX + 1),
        NORN_NUMBER(struct norn_spec, event_count),
        NORN_NUMBER(struct norn_spec, ghost_count),
        NORN_NUMBER(struct norn_spec, property_count),
        NORN_ARRAY(struct norn_spec, places, place_count, .of = &place),
        NORN_ARRAY(struct norn_spec, types, type_count, .of = &thread_type),
        NORN_ARRAY(struct norn_spec, events, event_count, .of = &event),
        NORN_ARRAY(struct norn_spec, ghosts, ghost_count, .of = &ghost),
        NORN_ARRAY(struct norn_spec, properties, property_count, .of = &norn_property_descriptor),
};
static const struct norn_descriptor spec = NORN_DESCRIPTOR(struct norn_spec, spec_fields);

/* ---- the plan ---- */

static const struct norn_field monitor_pointer_fields[] = {{.kind = NORN_FIELD_POINTER, .of = &norn_monitor_descriptor}};
static const struct norn_descriptor monitor_pointer = NORN_DESCRIPTOR(struct norn_monitor *, monitor_pointer_fields);

static int finish_props(struct norn_decoding *d, void *object)
{
	const struct norn_plan_props *props = object;
	(void)d;
	for (uint32_t i = 0; i < props->spec.property_count; i++)
		if (props->monitors[i] && !is_of_machines(&props->spec.properties[i]))
			return -EINVAL;
	return 0;
}

static const struct norn_field props_fields[] = {
        NORN_STRUCT(struct norn_plan_props, spec, spec),
        NORN_ARRAY(struct norn_plan_props, monitors, spec.property_count, .of = &monitor_pointer),
        NORN_BYTES(struct norn_plan_props, parts[NORN_ENGINE_MTTL]),
        NORN_BYTES(struct norn_plan_props, parts[NORN_ENGINE_SCOPE]),
};
_Static_assert(NORN_ENGINES == 2, "an engine without a row in props_fields");
const struct norn_descriptor norn_plan_props_descriptor =
        NORN_DESCRIPTOR(struct norn_plan_props, props_fields, .finish = finish_props);

static const struct norn_field module_fields[] = {
        NORN_TEXT(struct norn_plan_module, path),
        NORN_NUMBER(struct norn_plan_module, base),
};
static const struct norn_descriptor module = NORN_DESCRIPTOR(struct norn_plan_module, module_fields);

static const struct norn_field function_fields[] = {
        NORN_TEXT(struct norn_plan_function, name),
        NORN_NUMBER(struct norn_plan_function, module),
        NORN_NUMBER(struct norn_plan_function, address),
        NORN_NUMBER(struct norn_plan_function, doubles),
        NORN_NUMBER(struct norn_plan_function, floats),
};
static const struct norn_descriptor function = NORN_DESCRIPTOR(struct norn_plan_function, function_fields);

/* Modules of functions are the plan's own. */
static int finish_head(struct norn_decoding *d, void *object)
{
	const struct norn_plan *plan = object;
	(void)d;
	for (uint32_t i = 0; i < plan->function_count; i++)
		if (plan->functions[i].module >= plan->module_count)
			return -EINVAL;
	return 0;
}

static const struct norn_field head_fields[] = {
        NORN_NUMBER(struct norn_plan, mode, .limit = NORN_WATCH_THREAD + 1),
        NORN_NUMBER(struct norn_plan, module_count),
        NORN_ARRAY(struct norn_plan, modules, module_count, .of = &module),
        NORN_NUMBER(struct norn_plan, function_count),
        NORN_ARRAY(struct norn_plan, functions, function_count, .of = &function),
        NORN_NUMBER(struct norn_plan, props_count),
};
const struct norn_descriptor norn_plan_head_descriptor = NORN_DESCRIPTOR(struct norn_plan, head_fields, .finish = finish_head);
