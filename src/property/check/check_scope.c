#include "property/check/check.h"

#include <string.h>

/* ---- names ---- */

/* A local must not hide what forms can name, or a reader would not know which is meant. */
static void declare_item(struct norn_checker *c, const struct norn_item *item)
{
	if (item->kind == NORN_ITEM_CHECK)
		return;
	const struct norn_named *outer = item->name.text ? norn_check_value_name(c, item->name.text) : NULL;
	if (outer)
		norn_check_error(c, item->name.span,
		        norn_check_advise(c, "the first stands in %s", norn_check_where(c, outer->span, item->name.span)),
		        "`%s` is declared twice", item->name.text);
	struct norn_named *named = norn_check_declare(c, &c->scope_names, item->name);
	if (!named)
		return;
	named->index = item->kind;
	named->place = (item->kind == NORN_ITEM_LOCAL ? c->local_count : c->atom_count) - 1;
}

/* Checks have names of their own, as properties have. */
static void declare_checks(struct norn_checker *c, const struct norn_decl *decl)
{
	norn_name_table_done(&c->states);
	for (const struct norn_item *at = decl->items; at; at = at->next)
		if (at->kind == NORN_ITEM_CHECK)
			norn_check_declare(c, &c->states, at->name);
}

/* The event that only a scope's own actions can be: it has no selectors. Of one name for all scopes, but each local hears
 * only of the actions of its own. */
static void declare_sync(struct norn_checker *c, struct norn_span span)
{
	if (c->sync || norn_name_table_find(&c->values, "sync"))
		return; /* an event that was declared with this name stays what it is */
	struct norn_decl *decl = norn_check_alloc(c, sizeof *decl);
	*decl = (struct norn_decl){.kind = NORN_DECL_EVENT, .span = span, .name = {"sync", span}};
	c->sync = norn_name_table_add(c, &c->values, "sync");
	c->sync->decl = decl;
	c->sync->span = span;
	c->sync->index = c->event_count;
	norn_check_grow(c, &c->events, &c->event_room, c->event_count, sizeof *c->events);
	c->events[c->event_count++] = (struct norn_checked_event){.name = "sync"};
}

/* ---- parts ---- */

uint32_t norn_check_tally(struct norn_checker *c, struct norn_tally tally)
{
	for (uint32_t i = 0; i < c->tally_count; i++)
		if (c->tallies[i].word == tally.word && c->tallies[i].local == tally.local && c->tallies[i].type == tally.type &&
		        c->tallies[i].falsified == tally.falsified)
			return i;
	norn_check_grow(c, &c->tallies, &c->tally_room, c->tally_count, sizeof *c->tallies);
	c->tallies[c->tally_count] = tally;
	return c->tally_count++;
}

static bool has_place(const struct norn_expr *expr)
{
	return expr && (expr->op == NORN_EXPR_PLACE || has_place(expr->a) || has_place(expr->b));
}

/* A variable that other threads may write has no value in a thread's own trace. */
static void check_atoms(struct norn_checker *c, const struct norn_property *property)
{
	for (uint32_t i = 0; i < property->atom_count; i++) {
		const struct norn_atom *atom = &property->atoms[i];
		bool places = has_place(atom->predicate);
		for (uint32_t k = 0; atom->arguments && k < c->events[atom->event].parameter_count; k++)
			places |= has_place(atom->arguments[k]);
		if (places)
			norn_check_error(c, atom->span, "bind the value in an event, or keep it in a ghost",
			        "a local speaks of what its own thread does, and `%s` of variables", atom->text);
	}
}

static void check_formula(
        struct norn_checker *c, struct norn_form_env env, const struct norn_form *form, struct norn_property *property)
{
	uint32_t root;
	norn_check_begin(c, false);
	if (norn_check_formula(c, &env, form, &root) && !c->bad)
		norn_check_finish_nodes(c, root, property);
}

static void check_local(struct norn_checker *c, const struct norn_item *item)
{
	struct norn_scope_local local = {
	        .keep = item->keep, .sync = NORN_SLOT_NONE, .property = {.name = item->name.text, .logic = item->logic.kind}};
	if (item->thread.text)
		local.type = norn_check_thread_name(c, item->thread);
	c->bad |= !item->thread.text;
	if (item->keep)
		declare_sync(c, item->span);
	c->keeping = item->keep;
	if (item->logic.kind == NORN_LOGIC_ERE || item->logic.kind == NORN_LOGIC_FORBID)
		norn_check_rex(c, item->logic.rex, &local.property);
	else if (item->logic.kind == NORN_LOGIC_FSM)
		norn_check_fsm(c, &item->logic, false, &local.property);
	else
		check_formula(c, (struct norn_form_env){.where = item->logic.kind == NORN_LOGIC_LTL ? NORN_IN_LTL : NORN_IN_PTLTL},
		        item->logic.form, &local.property);
	c->keeping = false;
	check_atoms(c, &local.property);
	for (uint32_t i = 0; c->sync && i < local.property.atom_count; i++)
		if (local.property.atoms[i].kind == NORN_ATOM_EVENT && local.property.atoms[i].event == c->sync->index)
			local.sync = i;
	norn_check_grow(c, &c->locals, &c->local_room, c->local_count, sizeof *c->locals);
	c->locals[c->local_count++] = local;
}

static void check_atom(struct norn_checker *c, const struct norn_item *item)
{
	struct norn_form_env env = {.where = NORN_IN_ATOM};
	const struct norn_expr *expr = norn_check_expression(c, &env, item->form, NULL);
	norn_check_grow(c, &c->atoms, &c->atom_room, c->atom_count, sizeof *c->atoms);
	c->atoms[c->atom_count++] = (struct norn_scope_atom){.name = item->name.text, .expr = expr};
}

static uint32_t atom_named(const struct norn_checker *c, const char *name)
{
	uint32_t i = 0;
	while (i + 1 < c->atom_count && (!c->atoms[i].name || strcmp(c->atoms[i].name, name) != 0))
		i++;
	return i;
}

static void check_check(struct norn_checker *c, const struct norn_decl *decl, const struct norn_item *item)
{
	const char *name = item->name.text ? norn_check_print(c, "%s.%s", decl->name.text, item->name.text) : decl->name.text;
	struct norn_scope_check check = {.property = {.name = name,
	                                         .decl = decl,
	                                         .source = norn_sources_name(c->sources, decl->span.file),
	                                         .logic = item->logic.kind}};
	if (item->logic.kind == NORN_LOGIC_FSM)
		norn_check_fsm(c, &item->logic, true, &check.property);
	else
		check_formula(c, (struct norn_form_env){.where = NORN_IN_CHECK, .future = item->logic.kind == NORN_LOGIC_LTL},
		        item->logic.form, &check.property);
	uint32_t *atoms = norn_check_alloc(c, (check.property.atom_count + 1) * sizeof *atoms);
	for (uint32_t i = 0; i < check.property.atom_count && c->atom_count; i++)
		atoms[i] = atom_named(c, check.property.atoms[i].text);
	check.atoms = atoms;
	norn_check_grow(c, &c->checks, &c->check_room, c->check_count, sizeof *c->checks);
	c->checks[c->check_count++] = check;
}

/* In order, so that an atom can only be made of those before it. */
static void check_items(struct norn_checker *c, const struct norn_decl *decl)
{
	for (const struct norn_item *at = decl->items; at; at = at->next) {
		if (at->kind == NORN_ITEM_LOCAL)
			check_local(c, at);
		else if (at->kind == NORN_ITEM_ATOM)
			check_atom(c, at);
		else
			check_check(c, decl, at);
		declare_item(c, at);
	}
}

/* ---- the scope ---- */

static void begin_scope(struct norn_checker *c)
{
	norn_name_table_done(&c->scope_names);
	c->locals = NULL;
	c->atoms = NULL;
	c->tallies = NULL;
	c->checks = NULL;
	c->local_count = c->local_room = c->atom_count = c->atom_room = 0;
	c->tally_count = c->tally_room = c->check_count = c->check_room = 0;
}

void norn_check_scope(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_property handled = {.decl = decl, .name = decl->name.text, .logic = NORN_LOGIC_LTL};
	uint32_t *sync = NULL, sync_count = 0, sync_room = 0;
	begin_scope(c);
	for (const struct norn_names *at = decl->sync; at; at = at->next) {
		const struct norn_named *event = norn_check_event_name(c, at->name);
		norn_check_grow(c, &sync, &sync_room, sync_count, sizeof *sync);
		sync[sync_count++] = event ? event->index : 0;
	}
	c->bad |= !decl->sync;
	declare_checks(c, decl);
	check_items(c, decl);
	if (c->check_count == 0)
		norn_check_warn(c, decl->name.span, NULL, "the scope `%s` checks nothing", decl->name.text);
	norn_check_handlers(c, decl, &handled);
	if (c->bad)
		return;
	for (uint32_t i = 0; i < c->check_count; i++) {
		c->checks[i].property.handlers = handled.handlers;
		c->checks[i].property.handler_count = handled.handler_count;
	}
	norn_check_grow(c, &c->scopes, &c->scope_room, c->scope_count, sizeof *c->scopes);
	c->scopes[c->scope_count++] = (struct norn_scope){.name = decl->name.text,
	        .decl = decl,
	        .nested = decl->nested,
	        .trusted = decl->trusted,
	        .sync = sync,
	        .sync_count = sync_count,
	        .locals = c->locals,
	        .local_count = c->local_count,
	        .tallies = c->tallies,
	        .tally_count = c->tally_count,
	        .atoms = c->atoms,
	        .atom_count = c->atom_count,
	        .checks = c->checks,
	        .check_count = c->check_count};
}
