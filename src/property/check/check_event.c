#include "property/check/check.h"

#include <string.h>

/* ---- threads ---- */

void norn_check_thread(struct norn_checker *c, const struct norn_decl *decl)
{
	for (const struct norn_tsel *at = decl->threads; at; at = at->next)
		if (at->kind == NORN_TSEL_SPAWN)
			norn_check_function(c, at->function);
}

/* ---- selectors ---- */

/* The names that a selector binds: the event's parameters, then its own. */
struct binding {
	const char *names[2 * NORN_PARAMETERS_MAX + 1];
	const struct norn_type *types[2 * NORN_PARAMETERS_MAX + 1];
	bool bound[2 * NORN_PARAMETERS_MAX + 1];
	uint32_t count;
};

static uint32_t bind(struct norn_checker *c, struct binding *binding, struct norn_name name, const struct norn_type *type)
{
	uint32_t slot = 0;
	while (slot < binding->count && strcmp(binding->names[slot], name.text) != 0)
		slot++;
	if (slot == binding->count)
		binding->names[binding->count++] = name.text;
	if (norn_check_is_builtin(name.text))
		norn_check_error(c, name.span, "choose another name", "`%s` already stands for a fact about the event", name.text);
	else if (binding->bound[slot])
		norn_check_error(c, name.span, "write `_` for an argument that does not matter", "`%s` is bound twice", name.text);
	binding->bound[slot] = true;
	binding->types[slot] = type;
	return slot;
}

static const struct norn_type *function_type(const struct norn_symbol *function)
{
	return function && function->type && function->type->kind == NORN_TYPE_FUNCTION ? function->type : NULL;
}

static void check_argument_count(
        struct norn_checker *c, const struct norn_selector *selector, uint32_t given, bool more, const struct norn_type *type)
{
	uint32_t wanted = type->member_count;
	struct norn_growing_text pattern = {0};
	if (more ? given <= wanted : given == wanted)
		return;
	for (uint32_t i = 0; i < wanted && i < 16; i++)
		norn_text_append(c, &pattern, "%s_", i ? ", " : "");
	norn_check_error(c, selector->span,
	        norn_check_advise(c, "write `%s(%s)`%s", selector->name.text, wanted <= 16 && pattern.chars ? pattern.chars : "",
	                wanted ? norn_check_advise(c, ", or `%s(...)`", selector->name.text) : ""),
	        "the function `%s` has %u parameter%s, not %u", selector->name.text, wanted, wanted == 1 ? "" : "s", given);
}

static void check_arguments(struct norn_checker *c, const struct norn_selector *selector, const struct norn_type *type,
        struct binding *binding, struct norn_checked_selector *checked)
{
	uint32_t slots[NORN_PARAMETERS_MAX], count = 0;
	for (const struct norn_names *at = selector->arguments; at; at = at->next) {
		if (!at->name.text) {
			c->bad = true;
			continue;
		}
		if (strcmp(at->name.text, "...") == 0) {
			if (at->next)
				norn_check_error(
				        c, at->name.span, NULL, "`...` stands for all further arguments, so it is the last");
			checked->more = true;
			break;
		}
		if (count == NORN_PARAMETERS_MAX) {
			norn_check_error(c, at->name.span, NULL, "there are more than %u arguments", NORN_PARAMETERS_MAX);
			break;
		}
		bool any = strcmp(at->name.text, "_") == 0;
		const struct norn_type *argument = type && count < type->member_count ? type->members[count].type : NULL;
		slots[count++] = any ? NORN_SLOT_NONE : bind(c, binding, at->name, argument);
	}
	checked->slots = norn_check_copy(c, slots, count, sizeof *slots);
	checked->slot_count = count;
	if (type)
		check_argument_count(c, selector, count, checked->more, type);
}

static void check_result(struct norn_checker *c, const struct norn_selector *selector, const struct norn_type *type,
        struct binding *binding, struct norn_checked_selector *checked)
{
	if (selector->kind == NORN_POINT_CALL)
		norn_check_error(c, selector->result.span,
		        norn_check_advise(c, "write `return %s(…) -> %s`", selector->name.text, selector->result.text),
		        "a call has no result yet");
	else if (type && !type->target)
		norn_check_error(c, selector->result.span, NULL, "the function `%s` has no result", selector->name.text);
	else if (strcmp(selector->result.text, "_") != 0)
		checked->result = bind(c, binding, selector->result, type ? type->target : NULL);
}

static bool same_parameters(const struct norn_type *a, const struct norn_type *b, bool bound)
{
	if (a->member_count != b->member_count)
		return false;
	for (uint32_t i = 0; bound && i < a->member_count; i++)
		if (a->members[i].type->kind != b->members[i].type->kind || a->members[i].type->size != b->members[i].type->size)
			return false;
	return true;
}

/* Overloads and templates have one name: the arguments that are named must mean the same in all of them. */
static void check_overloads(struct norn_checker *c, const struct norn_selector *selector, const struct norn_type *type,
        const struct norn_checked_selector *checked)
{
	size_t cursor = 0;
	const struct norn_symbol *other;
	bool bound = checked->result != NORN_SLOT_NONE;
	for (uint32_t i = 0; i < checked->slot_count; i++)
		bound |= checked->slots[i] != NORN_SLOT_NONE;
	while (type && (bound || !checked->more) && (other = norn_program_function(c->program, selector->name.text, &cursor))) {
		bool overload =
		        other->instrumented && !other->is_static; /* statics of C in several files are told apart by these */
		const struct norn_type *own = overload ? function_type(other) : NULL;
		if (!own || same_parameters(type, own, bound))
			continue;
		norn_check_error(c, selector->name.span,
		        norn_check_advise(c, "write more of its name, as `ns::Class::%s<int>`, or `%s(...)` for all of them",
		                selector->name.text, selector->name.text),
		        "there are functions `%s` whose parameters differ", selector->name.text);
		return;
	}
}

static void check_call(struct norn_checker *c, const struct norn_selector *selector, struct binding *binding,
        struct norn_checked_selector *checked)
{
	if (!selector->name.text) {
		c->bad = true;
		return;
	}
	const struct norn_symbol *function = norn_check_function(c, selector->name);
	const struct norn_type *type = function_type(function);
	norn_check_recorded(c, function, selector->name.span);
	checked->function = selector->name.text;
	check_arguments(c, selector, type, binding, checked);
	if (selector->result.text)
		check_result(c, selector, type, binding, checked);
	check_overloads(c, selector, type, checked);
}

/* start, exit and join name a thread type or a start routine. */
static void check_life(struct norn_checker *c, const struct norn_selector *selector, struct norn_checked_selector *checked)
{
	if (!selector->name.text) {
		c->bad = true;
		return;
	}
	const struct norn_named *type = norn_name_table_find(&c->threads, selector->name.text);
	if (type) {
		*(selector->kind == NORN_POINT_JOIN ? &checked->joined_type : &checked->thread_type) = type->index;
		return;
	}
	checked->function = selector->name.text;
	norn_check_function(c, selector->name);
}

static void check_by(struct norn_checker *c, const struct norn_selector *selector, struct norn_checked_selector *checked)
{
	if (checked->thread_type != NORN_SLOT_NONE)
		norn_check_error(c, selector->by.span, "leave `by` away", "the thread type is given already");
	else
		checked->thread_type = norn_check_thread_name(c, selector->by);
}

static void check_bound(
        struct norn_checker *c, const struct norn_decl *decl, const struct norn_selector *selector, const struct binding *binding)
{
	bool call = selector->kind == NORN_POINT_CALL || selector->kind == NORN_POINT_RETURN;
	uint32_t slot = 0;
	for (const struct norn_names *at = decl->parameters; at && slot < binding->count; at = at->next) {
		if (!at->name.text)
			continue;
		if (!binding->bound[slot])
			norn_check_error(c, selector->span,
			        call && selector->name.text ? norn_check_advise(c, "name it among the arguments, as in `%s(%s)`",
			                                              selector->name.text, at->name.text)
			                                    : "only arguments and results of functions can be bound",
			        "this selector does not bind the parameter `%s` of `%s`", at->name.text, decl->name.text);
		slot++;
	}
}

static void check_selector(struct norn_checker *c, const struct norn_decl *decl, const struct norn_selector *selector,
        const struct norn_checked_event *event, struct norn_checked_selector *checked)
{
	struct binding binding = {.count = event->parameter_count};
	for (uint32_t i = 0; i < event->parameter_count; i++)
		binding.names[i] = event->parameters[i];
	*checked = (struct norn_checked_selector){.kind = selector->kind,
	        .note = selector->note,
	        .place = NORN_SLOT_NONE,
	        .thread_type = NORN_SLOT_NONE,
	        .joined_type = NORN_SLOT_NONE,
	        .result = NORN_SLOT_NONE};
	switch (selector->kind) {
	case NORN_POINT_CALL:
	case NORN_POINT_RETURN:
		check_call(c, selector, &binding, checked);
		break;
	case NORN_POINT_READ:
	case NORN_POINT_WRITE:
	case NORN_POINT_ACCESS:
	case NORN_POINT_LOCK:
	case NORN_POINT_UNLOCK: {
		struct norn_form_env env = {.where = NORN_IN_CONDITION};
		norn_check_form_place(c, &env, selector->lval, selector->kind >= NORN_POINT_LOCK, &checked->place);
		break;
	}
	case NORN_POINT_START:
	case NORN_POINT_EXIT:
	case NORN_POINT_JOIN:
		check_life(c, selector, checked);
		break;
	case NORN_POINT_NOTE:
		c->bad |= !selector->note;
		break;
	}
	if (selector->by.text)
		check_by(c, selector, checked);
	check_bound(c, decl, selector, &binding);
	checked->slots_total = binding.count;
	checked->types = norn_check_copy(c, binding.types, binding.count, sizeof *binding.types);
	if (!selector->condition)
		return;
	struct norn_form_env env = {.where = NORN_IN_CONDITION,
	        .point = selector->kind,
	        .slots = binding.names,
	        .slot_types = checked->types,
	        .slot_count = binding.count};
	checked->condition = norn_check_expression(c, &env, selector->condition, NULL);
}

void norn_check_event(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_named *named = norn_name_table_find(&c->values, decl->name.text);
	struct norn_checked_event *event = &c->events[named->index];
	struct norn_checked_selector *selectors = NULL;
	uint32_t count = 0, room = 0;
	for (const struct norn_selector *at = decl->selectors; at; at = at->next) {
		if (count == NORN_SELECTORS_MAX) {
			norn_check_error(c, at->span, NULL, "`%s` has more than %u selectors", decl->name.text, NORN_SELECTORS_MAX);
			break;
		}
		norn_check_grow(c, &selectors, &room, count, sizeof *selectors);
		check_selector(c, decl, at, event, &selectors[count++]);
	}
	event->selectors = selectors;
	event->selector_count = count;
	named->bad |= c->bad;
}

/* ---- ghosts ---- */

static void check_update(struct norn_checker *c, const struct norn_update *update, struct norn_checked_update *checked)
{
	const struct norn_named *named = norn_check_event_name(c, update->event);
	*checked = (struct norn_checked_update){.fresh = update->fresh};
	if (!named)
		return;
	const struct norn_checked_event *event = &c->events[named->index];
	struct norn_form_env env = {.where = NORN_IN_UPDATE, .slots = event->parameters, .slot_count = event->parameter_count};
	checked->event = named->index;
	if (!update->fresh)
		checked->value = norn_check_expression(c, &env, update->form, NULL);
}

void norn_check_ghost(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_named *named = norn_name_table_find(&c->values, decl->name.text);
	struct norn_ghost *ghost = &c->ghosts[named->index];
	struct norn_form_env env = {.where = NORN_IN_INITIAL};
	struct norn_checked_update *updates = NULL;
	uint32_t count = 0, room = 0;
	bool real = false;
	ghost->initial = norn_check_expression(c, &env, decl->form, &real);
	if (ghost->initial && real)
		norn_check_error(c, decl->form->span, "begin with an integer; an event may make it a floating-point number",
		        "a ghost begins with an integer");
	for (const struct norn_update *at = decl->updates; at; at = at->next) {
		norn_check_grow(c, &updates, &room, count, sizeof *updates);
		check_update(c, at, &updates[count++]);
		for (uint32_t i = 0; i + 1 < count && i < NORN_SELECTORS_MAX; i++)
			if (!c->bad && updates[i].event == updates[count - 1].event)
				norn_check_error(
				        c, at->event.span, NULL, "`%s` updates `%s` twice", at->event.text, decl->name.text);
	}
	ghost->updates = updates;
	ghost->update_count = count;
	named->bad = c->bad;
}

/* ---- which events can be one ---- */

static bool is_access(enum norn_point_kind kind)
{
	return kind == NORN_POINT_READ || kind == NORN_POINT_WRITE || kind == NORN_POINT_ACCESS;
}

static bool same(const char *a, const char *b)
{
	return !a || !b || strcmp(a, b) == 0;
}

static bool selectors_may_coincide(const struct norn_checked_selector *a, const struct norn_checked_selector *b)
{
	if (is_access(a->kind) || is_access(b->kind))
		return is_access(a->kind) && is_access(b->kind); /* an access may be a read and a write, and cover many places */
	return a->kind == b->kind && same(a->function, b->function) && same(a->note, b->note);
}

bool norn_events_may_coincide(const struct norn_spec *spec, uint32_t a, uint32_t b)
{
	const struct norn_checked_event *x = &spec->events[a], *y = &spec->events[b];
	for (uint32_t i = 0; i < x->selector_count; i++)
		for (uint32_t k = 0; k < y->selector_count; k++)
			if (selectors_may_coincide(&x->selectors[i], &y->selectors[k]))
				return true;
	return false;
}
