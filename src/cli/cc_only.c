#include "cli/cc_only.h"

#include <stdlib.h>
#include <string.h>

#include "base/pack.h"
#include "cli/prop_load.h"
#include "cli/say.h"

/* Words, each once, separated by spaces. */
struct words {
	struct norn_pack text;
	bool *places; /* of the spec at hand, whose values matter */
	bool named, all; /* accesses that have hooks */
	bool values; /* handlers show values of events */
};

static void add(struct words *w, char kind, const char *name, size_t length)
{
	char word[256];
	int n = snprintf(word, sizeof word, " %c:%.*s ", kind, (int)length, name);
	if (n < 0 || n >= (int)sizeof word || (w->text.length && memmem(w->text.bytes, w->text.length, word, (size_t)n)))
		return;
	norn_pack_bytes(&w->text, word, (size_t)n);
}

static void gather(struct words *w, const struct norn_expr *e)
{
	if (!e)
		return;
	if (e->op == NORN_EXPR_PLACE)
		w->places[e->index] = true;
	gather(w, e->a);
	gather(w, e->b);
}

static void gather_handlers(struct words *w, const struct norn_checked_handler *handlers, uint32_t count)
{
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t i = 0; i < handlers[h].action_count; i++)
			for (uint32_t k = 0; k < handlers[h].actions[i].argument_count; k++)
				gather(w, handlers[h].actions[i].arguments[k]);
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

static void gather_events(struct words *w, const struct norn_spec *spec)
{
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &spec->events[e].selectors[i];
			if (s->function)
				add(w, 'f', s->function, strlen(s->function));
			if (s->function && (s->slots_total || s->condition || w->values))
				add(w, 'a', s->function, strlen(s->function));
			if (s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_ACCESS)
				w->places[s->place] = true;
			gather(w, s->condition);
		}
	for (uint32_t t = 0; t < spec->type_count; t++)
		for (const struct norn_tsel *s = spec->types[t].selectors; s; s = s->next)
			if (s->kind == NORN_TSEL_SPAWN)
				add(w, 'f', s->function.text, strlen(s->function.text));
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		gather(w, spec->ghosts[g].initial);
		for (uint32_t i = 0; i < spec->ghosts[g].update_count; i++)
			gather(w, spec->ghosts[g].updates[i].value);
	}
}

static void gather_properties(struct words *w, const struct norn_spec *spec)
{
	for (uint32_t i = 0; i < spec->property_count; i++) {
		const struct norn_property *p = &spec->properties[i];
		w->all |= p->logic > NORN_LOGIC_FSM; /* knowledge travels through every access */
		for (uint32_t a = 0; p->logic <= NORN_LOGIC_FSM && a < p->atom_count; a++)
			gather(w, p->atoms[a].predicate);
		gather_handlers(w, p->handlers, p->handler_count);
	}
	for (uint32_t s = 0; s < spec->scope_count; s++)
		for (uint32_t i = 0; i < spec->scopes[s].check_count; i++)
			gather_handlers(
			        w, spec->scopes[s].checks[i].property.handlers, spec->scopes[s].checks[i].property.handler_count);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "file.c"::name.field, fn::name, struct tag.field: the variable, and the fields on the way. */
static void add_place(struct words *w, const char *text)
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
			add(w, first ? 'v' : 'm', at, length);
		first = false;
	}
	w->named = true;
}

static int read_file(struct words *w, const char *path)
{
	struct norn_prop_file file;
	int status = norn_prop_load(&file, path, NULL);
	if (status != NORN_EXIT_OK)
		return status;
	w->places = calloc(file.spec->place_count + 1ul, sizeof *w->places);
	for (uint32_t i = 0; i < file.spec->property_count; i++)
		w->values |= show_values(file.spec->properties[i].handlers, file.spec->properties[i].handler_count);
	if (w->places) {
		gather_events(w, file.spec);
		gather_properties(w, file.spec);
	}
	for (uint32_t i = 0; w->places && i < file.spec->place_count; i++)
		if (w->places[i])
			add_place(w, file.spec->places[i].text);
	if (!w->places)
		status = norn_fail("there is not enough memory");
	free(w->places);
	norn_prop_unload(&file);
	return status;
}

int norn_cc_only(const char *const *props, unsigned count)
{
	struct words w = {0};
	int status = NORN_EXIT_OK;
	for (unsigned i = 0; status == NORN_EXIT_OK && i < count; i++)
		status = read_file(&w, props[i]);
	if (status == NORN_EXIT_OK) {
		const char *access = w.all ? "access=all" : w.named ? "access=named" : "access=none";
		norn_pack_bytes(&w.text, access, strlen(access) + 1);
		if (w.text.failed || setenv("NORN_ONLY", (const char *)w.text.bytes, 1) != 0)
			status = norn_fail("there is not enough memory");
	}
	norn_pack_done(&w.text);
	return status;
}
