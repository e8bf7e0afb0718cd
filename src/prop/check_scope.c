#include "prop/check.h"

/* A local must not hide what forms can name, or a reader would not know which is meant. */
static void declare_item(struct norn_checker *c, const struct norn_item *item)
{
	if (item->kind == NORN_ITEM_CHECK)
		return;
	const struct norn_named *outer = item->name.text ? norn_table_find(&c->values, item->name.text) : NULL;
	if (outer)
		norn_check_error(c, item->name.span,
		        norn_check_advise(c, "the first stands in %s", norn_check_where(c, outer->span, item->name.span)),
		        "`%s` is declared twice", item->name.text);
	struct norn_named *named = norn_check_declare(c, &c->scope_names, item->name);
	if (named)
		named->index = item->kind;
}

static void check_formula(struct norn_checker *c, const struct norn_logic *logic, struct norn_form_env env)
{
	uint32_t root;
	norn_check_begin(c, true);
	norn_check_formula(c, &env, logic->form, &root);
}

static void check_local(struct norn_checker *c, const struct norn_item *item)
{
	struct norn_property scratch = {0};
	if (item->thread.text)
		norn_check_thread_name(c, item->thread);
	c->bad |= !item->thread.text;
	if (item->logic.kind == NORN_LOGIC_ERE || item->logic.kind == NORN_LOGIC_FORBID)
		norn_check_rex(c, item->logic.rex, &scratch);
	else
		check_formula(c, &item->logic,
		        (struct norn_form_env){.where = item->logic.kind == NORN_LOGIC_LTL ? NORN_IN_LTL : NORN_IN_PTLTL});
}

static void check_item(struct norn_checker *c, const struct norn_item *item)
{
	struct norn_form_env env = {.where = NORN_IN_ATOM};
	switch (item->kind) {
	case NORN_ITEM_LOCAL:
		check_local(c, item);
		break;
	case NORN_ITEM_ATOM:
		norn_check_expression(c, &env, item->form, NULL);
		break;
	case NORN_ITEM_CHECK:
		check_formula(c, &item->logic,
		        (struct norn_form_env){.where = NORN_IN_CHECK, .future = item->logic.kind == NORN_LOGIC_LTL});
		break;
	}
}

/* Checks have names of their own, as properties have. */
static void declare_checks(struct norn_checker *c, const struct norn_decl *decl)
{
	norn_table_done(&c->states);
	for (const struct norn_item *at = decl->items; at; at = at->next)
		if (at->kind == NORN_ITEM_CHECK)
			norn_check_declare(c, &c->states, at->name);
}

void norn_check_scope(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_property scratch = {.decl = decl, .name = decl->name.text, .logic = NORN_LOGIC_LTL};
	bool checks = false;
	norn_table_done(&c->scope_names);
	for (const struct norn_names *at = decl->sync; at; at = at->next)
		norn_check_event_name(c, at->name);
	c->bad |= !decl->sync;
	declare_checks(c, decl);
	/* In order, so that an atom can only be made of those before it. */
	for (const struct norn_item *at = decl->items; at; at = at->next) {
		check_item(c, at);
		declare_item(c, at);
		checks |= at->kind == NORN_ITEM_CHECK;
	}
	if (!checks)
		norn_check_warn(c, decl->name.span, NULL, "the scope `%s` checks nothing", decl->name.text);
	norn_check_handlers(c, decl, &scratch);
	if (c->bad)
		return;
	norn_check_grow(c, &c->scopes, &c->scope_room, c->scope_count, sizeof *c->scopes);
	c->scopes[c->scope_count++] = decl;
}
