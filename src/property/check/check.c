#include "property/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static bool has_name(const struct norn_decl *decl)
{
	return decl->kind != NORN_DECL_INCLUDE && decl->name.text;
}

/* ---- names of all declarations ---- */

static struct norn_name_table *table_of(struct norn_checker *c, const struct norn_decl *decl)
{
	if (decl->kind == NORN_DECL_PROPERTY || decl->kind == NORN_DECL_SCOPE)
		return &c->items;
	return decl->kind == NORN_DECL_THREAD ? &c->threads : &c->values;
}

static void declare(struct norn_checker *c, const struct norn_decl *decl)
{
	if (table_of(c, decl) == &c->values && norn_check_is_builtin(decl->name.text)) {
		norn_check_error(c, decl->name.span, "choose another name", "`%s` already stands for a fact about the event",
		        decl->name.text);
		return;
	}
	struct norn_named *named = norn_check_declare(c, table_of(c, decl), decl->name);
	if (!named)
		return;
	named->decl = decl;
	if (decl->kind == NORN_DECL_EVENT) {
		norn_check_grow(c, &c->events, &c->event_room, c->event_count, sizeof *c->events);
		struct norn_checked_event *event = &c->events[c->event_count];
		*event = (struct norn_checked_event){.name = named->text};
		event->parameter_count = norn_check_parameters(c, decl->parameters, "parameter", &event->parameters);
		named->index = c->event_count++;
		named->bad = c->bad;
	} else if (decl->kind == NORN_DECL_GHOST) {
		norn_check_grow(c, &c->ghosts, &c->ghost_room, c->ghost_count, sizeof *c->ghosts);
		c->ghosts[c->ghost_count] = (struct norn_ghost){.name = named->text};
		named->index = c->ghost_count++;
	} else if (decl->kind == NORN_DECL_THREAD) {
		norn_check_grow(c, &c->types, &c->type_room, c->type_count, sizeof *c->types);
		c->types[c->type_count] = (struct norn_thread_type){.name = named->text, .selectors = decl->threads};
		named->index = c->type_count++;
	} else if (decl->kind == NORN_DECL_PRED) {
		const char *const *parameters;
		norn_check_parameters(c, decl->parameters, "parameter", &parameters);
		named->bad = c->bad;
	}
}

/* ---- one after the other ---- */

/* Aliases see those before them; their names mean the program's variables until then. */
static void check_alias(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_named *named = norn_name_table_find(&c->values, decl->name.text);
	uint32_t places = c->place_count;
	bool fine = norn_check_place(c, decl->lval, decl->kind == NORN_DECL_LOCK, &named->index);
	if (fine && c->place_count > places)
		c->places[named->index].text = named->text; /* as the property names it */
	named->known = true;
	named->bad = !fine;
}

/* Of declarations with the same name only the first counts; the others have had their diagnostic. */
static bool is_first(struct norn_checker *c, const struct norn_decl *decl)
{
	const struct norn_named *named = norn_name_table_find(table_of(c, decl), decl->name.text);
	return named && named->decl == decl;
}

static void check_all(struct norn_checker *c, unsigned kinds, void (*check)(struct norn_checker *, const struct norn_decl *))
{
	for (const struct norn_decl *decl = norn_tree_decls(c->tree); decl; decl = decl->next) {
		if (!has_name(decl) || !(kinds >> decl->kind & 1) || !is_first(c, decl))
			continue;
		c->bad = false;
		check(c, decl);
	}
}

static void check_declarations(struct norn_checker *c)
{
	for (const struct norn_decl *decl = norn_tree_decls(c->tree); decl; decl = decl->next)
		if (has_name(decl)) {
			c->bad = false;
			declare(c, decl);
		}
	check_all(c, 1u << NORN_DECL_VAR | 1u << NORN_DECL_LOCK, check_alias);
	norn_check_predicates(c);
	check_all(c, 1u << NORN_DECL_THREAD, norn_check_thread);
	check_all(c, 1u << NORN_DECL_EVENT, norn_check_event);
	check_all(c, 1u << NORN_DECL_GHOST, norn_check_ghost);
	check_all(c, 1u << NORN_DECL_PROPERTY, norn_check_property);
	check_all(c, 1u << NORN_DECL_SCOPE, norn_check_scope);
}

static void fill_spec(const struct norn_checker *c, struct norn_spec *spec)
{
	*spec = (struct norn_spec){.places = c->places,
	        .place_count = c->place_count,
	        .events = c->events,
	        .event_count = c->event_count,
	        .types = c->types,
	        .type_count = c->type_count,
	        .ghosts = c->ghosts,
	        .ghost_count = c->ghost_count,
	        .properties = c->properties,
	        .property_count = c->property_count,
	        .scopes = c->scopes,
	        .scope_count = c->scope_count};
}

static void free_checker(struct norn_checker *c)
{
	norn_name_table_done(&c->values);
	norn_name_table_done(&c->threads);
	norn_name_table_done(&c->items);
	norn_name_table_done(&c->place_keys);
	norn_name_table_done(&c->scope_names);
	norn_name_table_done(&c->states);
	norn_builder_done(&c->builder);
	free(c->form_text);
	free(c);
}

struct norn_spec *norn_spec_check(struct norn_sources *sources, const struct norn_tree *tree, const struct norn_program *program)
{
	struct norn_checker *c = norn_must_calloc(1, sizeof *c);
	struct norn_owned_spec *owned = norn_must_calloc(1, sizeof *owned);
	c->owned = owned;
	c->sources = sources;
	c->tree = tree;
	c->program = program;
	check_declarations(c);
	norn_diagnostics_sort(sources);
	fill_spec(c, &owned->spec);
	free_checker(c);
	return &owned->spec;
}

void norn_spec_free(struct norn_spec *spec)
{
	if (!spec)
		return;
	struct norn_owned_spec *owned = (struct norn_owned_spec *)((char *)spec - offsetof(struct norn_owned_spec, spec));
	norn_arena_done(&owned->arena);
	free(owned);
}

const struct norn_property *norn_spec_property(const struct norn_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->property_count; i++)
		if (strcmp(spec->properties[i].name, name) == 0)
			return &spec->properties[i];
	return NULL;
}
