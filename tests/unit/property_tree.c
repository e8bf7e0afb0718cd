#include "property_tree.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_text(FILE *to, const char *text)
{
	if (text)
		fprintf(to, " \"%s\"", text);
	else
		fputs(" -", to);
}

static void put_name(FILE *to, const struct norn_name *name)
{
	put_text(to, name->text);
}

static void put_names(FILE *to, const struct norn_names *names)
{
	fputs(" <", to);
	for (; names; names = names->next)
		put_name(to, &names->name);
	fputs(">", to);
}

static void put_lvals(FILE *to, const struct norn_lval *lval)
{
	for (; lval; lval = lval->next) {
		fprintf(to, " (lval %d %d", lval->tagged, lval->is_union);
		put_text(to, lval->file);
		put_name(to, &lval->function);
		put_name(to, &lval->name);
		for (const struct norn_step *step = lval->steps; step; step = step->next) {
			fprintf(to, " %d %d %" PRIu64, step->index, step->every, step->number);
			put_name(to, &step->field);
		}
		fputc(')', to);
	}
}

/* With all that follow through next. */
static void put_forms(FILE *to, const struct norn_form *form)
{
	for (; form; form = form->next) {
		fprintf(to, " (form %d %d %d %" PRIu64, form->kind, form->word, form->called, form->number);
		put_name(to, &form->name);
		put_name(to, &form->other);
		put_name(to, &form->type);
		put_lvals(to, form->lval);
		fputs(" a", to);
		put_forms(to, form->arguments);
		fputs(" ;", to);
		put_forms(to, form->a);
		put_forms(to, form->b);
		fputc(')', to);
	}
}

static void put_rex(FILE *to, const struct norn_rex *rex)
{
	if (!rex)
		return;
	fprintf(to, " (rex %d %u %u", rex->kind, rex->least, rex->most);
	put_name(to, &rex->event);
	put_rex(to, rex->a);
	put_rex(to, rex->b);
	fputc(')', to);
}

static void put_selectors(FILE *to, const struct norn_selector *sel)
{
	for (; sel; sel = sel->next) {
		fprintf(to, " (sel %d", sel->kind);
		put_name(to, &sel->name);
		put_text(to, sel->note);
		put_lvals(to, sel->lval);
		put_names(to, sel->arguments);
		put_name(to, &sel->result);
		put_forms(to, sel->condition);
		put_name(to, &sel->by);
		fputc(')', to);
	}
}

static void put_states(FILE *to, const struct norn_state *state)
{
	for (; state; state = state->next) {
		fprintf(to, " (state %d %d %d", state->initial, state->accept, state->error);
		put_name(to, &state->name);
		for (const struct norn_transition *t = state->transitions; t; t = t->next) {
			put_names(to, t->events);
			put_name(to, &t->target);
		}
		fputc(')', to);
	}
}

static void put_logic(FILE *to, const struct norn_logic *logic)
{
	fprintf(to, " (logic %d", logic->kind);
	put_forms(to, logic->form);
	put_rex(to, logic->rex);
	put_states(to, logic->states);
	put_name(to, &logic->thread);
	put_name(to, &logic->type);
	fputs(" on", to);
	put_lvals(to, logic->on);
	fputs(" except", to);
	put_lvals(to, logic->except);
	for (const struct norn_ablk *block = logic->blocks; block; block = block->next) {
		fprintf(to, " %d", block->block);
		put_name(to, &block->name);
	}
	fputc(')', to);
}

static void put_handlers(FILE *to, const struct norn_handler *handler)
{
	for (; handler; handler = handler->next) {
		fprintf(to, " (on %d", handler->outcome);
		put_name(to, &handler->state);
		for (const struct norn_action *action = handler->actions; action; action = action->next) {
			fprintf(to, " (action %d", action->kind);
			put_text(to, action->format);
			put_name(to, &action->function);
			put_forms(to, action->arguments);
			fputc(')', to);
		}
		fputc(')', to);
	}
}

static void put_items(FILE *to, const struct norn_item *item)
{
	for (; item; item = item->next) {
		fprintf(to, " (item %d %d", item->kind, item->keep);
		put_name(to, &item->name);
		put_name(to, &item->thread);
		put_logic(to, &item->logic);
		put_forms(to, item->form);
		fputc(')', to);
	}
}

static void put_decl(FILE *to, const struct norn_decl *decl)
{
	fprintf(to, "(decl %d", decl->kind);
	put_name(to, &decl->name);
	put_text(to, decl->include);
	put_lvals(to, decl->lval);
	for (const struct norn_tsel *t = decl->threads; t; t = t->next) {
		fprintf(to, " %d", t->kind);
		put_name(to, &t->function);
		put_text(to, t->named);
	}
	put_names(to, decl->parameters);
	put_selectors(to, decl->selectors);
	put_forms(to, decl->form);
	for (const struct norn_update *u = decl->updates; u; u = u->next) {
		fprintf(to, " %d", u->fresh);
		put_name(to, &u->event);
		put_forms(to, u->form);
	}
	for (const struct norn_attribute *a = decl->attributes; a; a = a->next) {
		put_name(to, &a->key);
		put_name(to, &a->value);
	}
	put_names(to, decl->keys);
	put_logic(to, &decl->logic);
	put_handlers(to, decl->handlers);
	put_names(to, decl->sync);
	put_items(to, decl->items);
	fputs(")\n", to);
}

struct memory {
	FILE *to;
	char *text;
	size_t bytes;
};

static void begin(struct memory *m)
{
	m->to = open_memstream(&m->text, &m->bytes);
	if (!m->to)
		abort();
}

static char *finish(struct memory *m)
{
	if (fclose(m->to) != 0)
		abort();
	return m->text;
}

char *prop_tree_dump(const struct norn_tree *tree)
{
	struct memory m;
	begin(&m);
	for (const struct norn_decl *decl = norn_tree_decls(tree); decl; decl = decl->next)
		put_decl(m.to, decl);
	return finish(&m);
}

char *prop_tree_dump_form(const struct norn_form *form)
{
	struct memory m;
	begin(&m);
	put_forms(m.to, form);
	return finish(&m);
}

char *prop_tree_dump_rex(const struct norn_rex *rex)
{
	struct memory m;
	begin(&m);
	put_rex(m.to, rex);
	return finish(&m);
}
