#include "property/hook_needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"
#include "base/must.h"

#define NAMED 4u /* words that are shown */

struct collector {
	struct norn_needs *needs;
	bool *places; /* of the spec at hand, whose values matter */
	bool values; /* handlers show values of events */
};

void norn_needs_done(struct norn_needs *needs)
{
	norn_vector_done(&needs->words);
	*needs = (struct norn_needs){0};
}

static void add(struct collector *g, char kind, const char *name, size_t length)
{
	char word[256];
	int n = snprintf(word, sizeof word, " %c:%.*s ", kind, (int)length, name);
	if (n < 0 || n >= (int)sizeof word ||
	        (g->needs->words.count && memmem(g->needs->words.items, g->needs->words.count, word, (size_t)n)))
		return;
	for (int i = 0; i < n; i++)
		norn_must_push(&g->needs->words, word[i]);
}

static void gather(struct collector *g, const struct norn_expr *e)
{
	if (!e)
		return;
	if (e->op == NORN_EXPR_PLACE)
		g->places[e->index] = true;
	gather(g, e->a);
	gather(g, e->b);
}

static void gather_handlers(struct collector *g, const struct norn_checked_handler *handlers, uint32_t count)
{
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t i = 0; i < handlers[h].action_count; i++)
			for (uint32_t k = 0; k < handlers[h].actions[i].argument_count; k++)
				gather(g, handlers[h].actions[i].arguments[k]);
}

/* Handlers may show the value of whatever event it is. */
static bool has_value(const struct norn_expr *e)
{
	return e && (e->op == NORN_EXPR_VALUE || e->op == NORN_EXPR_SLOT || has_value(e->a) || has_value(e->b));
}

static bool show_values(const struct norn_checked_handler *handlers, uint32_t count)
{
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t i = 0; i < handlers[h].action_count; i++)
			for (uint32_t k = 0; k < handlers[h].actions[i].argument_count; k++)
				if (has_value(handlers[h].actions[i].arguments[k]))
					return true;
	return false;
}

static void gather_events(struct collector *g, const struct norn_spec *spec)
{
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &spec->events[e].selectors[i];
			if (s->function)
				add(g, 'f', s->function, strlen(s->function));
			if (s->function && (s->slots_total || s->condition || g->values))
				add(g, 'a', s->function, strlen(s->function));
			if (s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_ACCESS)
				g->places[s->place] = true;
			gather(g, s->condition);
		}
	for (uint32_t t = 0; t < spec->type_count; t++)
		for (const struct norn_tsel *s = spec->types[t].selectors; s; s = s->next)
			if (s->kind == NORN_TSEL_SPAWN)
				add(g, 'f', s->function.text, strlen(s->function.text));
	for (uint32_t k = 0; k < spec->ghost_count; k++) {
		gather(g, spec->ghosts[k].initial);
		for (uint32_t i = 0; i < spec->ghosts[k].update_count; i++)
			gather(g, spec->ghosts[k].updates[i].value);
	}
}

static void gather_properties(struct collector *g, const struct norn_spec *spec)
{
	for (uint32_t i = 0; i < spec->property_count; i++) {
		const struct norn_property *p = &spec->properties[i];
		g->needs->all |= p->logic > NORN_LOGIC_FSM; /* knowledge travels through every access */
		for (uint32_t a = 0; p->logic <= NORN_LOGIC_FSM && a < p->atom_count; a++)
			gather(g, p->atoms[a].predicate);
		gather_handlers(g, p->handlers, p->handler_count);
	}
	for (uint32_t s = 0; s < spec->scope_count; s++)
		for (uint32_t i = 0; i < spec->scopes[s].check_count; i++)
			gather_handlers(
			        g, spec->scopes[s].checks[i].property.handlers, spec->scopes[s].checks[i].property.handler_count);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "file.c"::name.field, fn::name, struct tag.field: the variable, and the fields on the way. */
static void add_place(struct collector *g, const char *text)
{
	bool tagged = strncmp(text, "struct ", 7) == 0 || strncmp(text, "union ", 6) == 0, first = true;
	const char *at = *text == '"' ? strchr(text + 1, '"') : NULL;
	at = at ? at + 1 : text;
	if (tagged)
		at = strchr(text, ' ') + 1;
	for (size_t length; *at; at += length ? length : 1) {
		for (length = 0; is_word(at[length]); length++)
			;
		if (!length || (at > text && at[-1] == '['))
			continue;
		if (strncmp(at + length, "::", 2) == 0)
			continue; /* the function that it stands in */
		if (!(tagged && first))
			add(g, first ? 'v' : 'm', at, length);
		first = false;
	}
	g->needs->named = true;
}

void norn_needs_add(struct norn_needs *needs, const struct norn_spec *spec)
{
	struct collector g = {.needs = needs, .places = norn_must_calloc(spec->place_count, sizeof *g.places)};
	for (uint32_t i = 0; i < spec->property_count; i++)
		g.values |= show_values(spec->properties[i].handlers, spec->properties[i].handler_count);
	gather_events(&g, spec);
	gather_properties(&g, spec);
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (g.places[i])
			add_place(&g, spec->places[i].text);
	free(g.places);
}

char *norn_needs_text(const struct norn_needs *needs)
{
	const char *access = needs->all ? "all" : needs->named ? "named" : "none";
	const char *words = needs->words.count ? needs->words.items : "";
	return norn_must_format("%.*saccess=%s", (int)needs->words.count, words, access);
}

/* ---- what a unit has ---- */

static const char *string_of(const struct norn_site_table *table, uint32_t offset)
{
	const struct norn_site *sites = (const struct norn_site *)(table + 1);
	const struct norn_frame *frames = (const struct norn_frame *)(sites + table->sites);
	return offset < table->strings ? (const char *)(frames + table->frames) + table->facts + offset : "";
}

bool norn_unit_is_whole(const struct norn_site_table *table)
{
	return NORN_SITE_LEVEL(table) >= NORN_INSTRUMENT_LEVEL_SHARED && table->only == 0;
}

const char *norn_unit_source(const struct norn_site_table *table)
{
	return string_of(table, table->source);
}

static bool has_word(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
			return true;
	return false;
}

static bool defines(const struct norn_site_table *table, const char *name, size_t length)
{
	const struct norn_site *sites = (const struct norn_site *)(table + 1);
	char *wanted = norn_must_text_n(name, length);
	bool found = false;
	for (uint32_t i = 0; i < table->sites && !found; i++)
		found = sites[i].kind == NORN_SITE_ENTER && norn_function_is_named(string_of(table, sites[i].name), wanted);
	free(wanted);
	return found;
}

/* Has the unit no hooks for what this word names, which it may have some of? */
static bool misses(const struct norn_site_table *table, const char *only, const char *word, size_t length)
{
	bool access = *word == 'v' || *word == 'm';
	if (access)
		return NORN_SITE_LEVEL(table) < NORN_INSTRUMENT_LEVEL_SHARED ||
		       (*only && !has_word(only, "access=all", 10) && !has_word(only, word, length));
	return *only && !has_word(only, word, length) && defines(table, word + 2, length - 2);
}

bool norn_needs_missing(const struct norn_needs *needs, const struct norn_site_table *table, char *to, size_t room)
{
	const char *only = string_of(table, table->only);
	unsigned count = 0;
	*to = 0;
	if (norn_unit_is_whole(table))
		return false;
	if (needs->all && (NORN_SITE_LEVEL(table) < NORN_INSTRUMENT_LEVEL_SHARED || !has_word(only, "access=all", 10))) {
		snprintf(to, room, "accesses of memory");
		return true;
	}
	const char *end = needs->words.items + needs->words.count;
	for (const char *at = needs->words.items; at && at < end;) {
		size_t length = 0, used = strlen(to);
		while (at + length < end && at[length] != ' ')
			length++;
		if (length > 2 && misses(table, only, at, length)) {
			const char *kind = *at == 'v'   ? "variable "
			                   : *at == 'm' ? "field "
			                   : *at == 'a' ? "values of "
			                                : "function ";
			if (count++ < NAMED)
				snprintf(to + used, room - used, "%s%s%.*s", used ? ", " : "", kind, (int)length - 2, at + 2);
		}
		at += length + 1;
	}
	if (count > NAMED)
		snprintf(to + strlen(to), room - strlen(to), " and %u more", count - NAMED);
	return count > 0;
}
