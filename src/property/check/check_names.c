#include "property/check/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/nearest_word.h"

#define CANDIDATES_MAX 10000u /* names among which the nearest one is sought */

/* ---- memory and text ---- */

void *norn_check_alloc(struct norn_checker *c, size_t bytes)
{
	return norn_must_arena_alloc(&c->owned->arena, bytes);
}

void norn_check_grow(struct norn_checker *c, void *array, uint32_t *room, uint32_t count, size_t element)
{
	if (count < *room)
		return;
	if (count > UINT32_MAX / 4)
		norn_out_of_memory();
	void *old, *new;
	uint32_t more = count < 4 ? 4 : 2 * count;
	memcpy(&old, array, sizeof old);
	new = norn_check_alloc(c, more * element);
	if (count)
		memcpy(new, old, count * element);
	memcpy(array, &new, sizeof new);
	*room = more;
}

void *norn_check_copy(struct norn_checker *c, const void *elements, uint32_t count, size_t element)
{
	return count ? memcpy(norn_check_alloc(c, count * element), elements, count * element) : NULL;
}

static void append(struct norn_checker *c, struct norn_growing_text *text, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(text->chars ? text->chars + text->length : NULL, text->room - text->length, format, arguments);
	if (length < 0)
		norn_out_of_memory();
	if ((size_t)length >= text->room - text->length) {
		size_t room = 2 * text->room + length + 16;
		char *chars = norn_check_alloc(c, room);
		if (text->length)
			memcpy(chars, text->chars, text->length);
		text->chars = chars;
		text->room = room;
		vsnprintf(chars + text->length, room - text->length, format, again);
	}
	va_end(again);
	text->length += length;
}

void norn_text_append(struct norn_checker *c, struct norn_growing_text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	append(c, text, format, arguments);
	va_end(arguments);
}

const char *norn_check_print(struct norn_checker *c, const char *format, ...)
{
	struct norn_growing_text text = {0};
	va_list arguments;
	va_start(arguments, format);
	append(c, &text, format, arguments);
	va_end(arguments);
	return text.chars;
}

const char *norn_check_advise(struct norn_checker *c, const char *format, ...)
{
	struct norn_growing_text text = {0};
	if (norn_check_is_silent(c))
		return NULL;
	va_list arguments;
	va_start(arguments, format);
	append(c, &text, format, arguments);
	va_end(arguments);
	return text.chars;
}

/* ---- diagnostics ---- */

static void complain(struct norn_checker *c, enum norn_severity severity, struct norn_span span, const char *help,
        const char *format, va_list arguments)
{
	const struct norn_diagnostic *earlier;
	struct norn_growing_text message = {0};
	if (norn_check_is_silent(c)) {
		norn_diagnose(c->sources, severity, span, NULL, "%s", ""); /* is counted */
		return;
	}
	append(c, &message, format, arguments);
	for (uint32_t i = 0, n = norn_diagnostics(c->sources, &earlier); i < n; i++)
		if (earlier[i].severity == severity && earlier[i].span.file == span.file && earlier[i].span.offset == span.offset &&
		        strcmp(earlier[i].message, message.chars) == 0)
			return;
	norn_diagnose(c->sources, severity, span, help, "%s", message.chars);
}

void norn_check_error(struct norn_checker *c, struct norn_span span, const char *help, const char *format, ...)
{
	c->bad = true;
	va_list arguments;
	va_start(arguments, format);
	complain(c, NORN_SEVERITY_ERROR, span, help, format, arguments);
	va_end(arguments);
}

void norn_check_warn(struct norn_checker *c, struct norn_span span, const char *help, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	complain(c, NORN_SEVERITY_WARNING, span, help, format, arguments);
	va_end(arguments);
}

/* ---- tables of names ---- */

void norn_name_table_done(struct norn_name_table *table)
{
	norn_table_done(&table->names);
	norn_vector_done(&table->newest);
	norn_vector_done(&table->list);
}

struct norn_named *norn_name_table_find(const struct norn_name_table *table, const char *text)
{
	uint32_t number = norn_table_find(&table->names, text, strlen(text));
	return number == NORN_TABLE_NONE ? NULL : table->newest.items[number];
}

struct norn_named *norn_name_table_add(struct norn_checker *c, struct norn_name_table *table, const char *text)
{
	struct norn_named *named = norn_check_alloc(c, sizeof *named);
	bool is_new;
	uint32_t number = norn_must_table_put(&table->names, text, strlen(text), &is_new);
	if (is_new)
		norn_must_add(&table->newest);
	named->text = text;
	table->newest.items[number] = named;
	norn_must_push(&table->list, named);
	return named;
}

static const char *name_at(const void *list, unsigned i)
{
	return ((struct norn_named *const *)list)[i]->text;
}

bool norn_check_is_silent(const struct norn_checker *c)
{
	const struct norn_diagnostic *diagnostics;
	return norn_diagnostics(c->sources, &diagnostics) == NORN_COMPLAINTS_MAX;
}

const char *norn_check_nearest(struct norn_checker *c, const struct norn_name_table *table, const char *text)
{
	if (norn_check_is_silent(c) || !text[0] || !text[1]) /* any letter would be near to one letter */
		return NULL;
	return norn_nearest(
	        text, table->list.count < CANDIDATES_MAX ? table->list.count : CANDIDATES_MAX, name_at, table->list.items);
}

const char *norn_check_meant(struct norn_checker *c, const char *nearest, const char *instead)
{
	return nearest ? norn_check_advise(c, "did you mean `%s`?", nearest) : instead;
}

const char *norn_check_where(struct norn_checker *c, struct norn_span span, struct norn_span from)
{
	unsigned line, column;
	if (norn_check_is_silent(c))
		return "";
	norn_sources_position(c->sources, span, &line, &column);
	if (span.file == from.file)
		return norn_check_print(c, "line %u", line);
	return norn_check_print(c, "line %u of %s", line, norn_sources_name(c->sources, span.file));
}

struct norn_named *norn_check_declare(struct norn_checker *c, struct norn_name_table *table, struct norn_name name)
{
	if (!name.text)
		return NULL;
	struct norn_named *named = norn_name_table_find(table, name.text);
	if (named) {
		norn_check_error(c, name.span,
		        norn_check_advise(c, "the first stands in %s", norn_check_where(c, named->span, name.span)),
		        "`%s` is declared twice", name.text);
		return NULL;
	}
	named = norn_name_table_add(c, table, name.text);
	named->span = name.span;
	return named;
}

bool norn_check_is_builtin(const char *name)
{
	return strcmp(name, "value") == 0 || strcmp(name, "old") == 0 || strcmp(name, "self") == 0 || strcmp(name, "tid") == 0;
}

static bool stands_before(const struct norn_names *names, const struct norn_names *end)
{
	for (; names != end; names = names->next)
		if (names->name.text && strcmp(names->name.text, end->name.text) == 0)
			return true;
	return false;
}

uint32_t norn_check_parameters(
        struct norn_checker *c, const struct norn_names *names, const char *what, const char *const **ret_parameters)
{
	const char *list[NORN_PARAMETERS_MAX];
	uint32_t count = 0;
	for (const struct norn_names *at = names; at; at = at->next) {
		if (!at->name.text)
			continue;
		if (count == NORN_PARAMETERS_MAX) {
			norn_check_error(c, at->name.span, NULL, "there are more than %u %ss", NORN_PARAMETERS_MAX, what);
			break;
		}
		if (norn_check_is_builtin(at->name.text))
			norn_check_error(c, at->name.span, norn_check_advise(c, "choose another name for the %s", what),
			        "`%s` already stands for a fact about the event", at->name.text);
		else if (stands_before(names, at))
			norn_check_error(c, at->name.span, NULL, "the %s `%s` stands here twice", what, at->name.text);
		list[count++] = at->name.text;
	}
	*ret_parameters = norn_check_copy(c, list, count, sizeof *list);
	return count;
}

struct norn_named *norn_check_value_name(const struct norn_checker *c, const char *name)
{
	struct norn_named *named = norn_name_table_find(&c->values, name);
	return named && named == c->sync && !c->keeping ? NULL : named;
}

struct norn_named *norn_check_event_name(struct norn_checker *c, struct norn_name name)
{
	if (!name.text) {
		c->bad = true;
		return NULL;
	}
	struct norn_named *named = norn_check_value_name(c, name.text);
	if (named && named->decl->kind == NORN_DECL_EVENT) {
		c->bad |= named->bad;
		return named;
	}
	if (named)
		norn_check_error(c, name.span,
		        norn_check_advise(c, "it is declared in %s", norn_check_where(c, named->span, name.span)),
		        "`%s` is not an event", name.text);
	else
		norn_check_error(c, name.span,
		        norn_check_meant(c, norn_check_nearest(c, &c->values, name.text),
		                norn_check_print(c, "declare it, as in `event %s = call f(...);`", name.text)),
		        "no event is called `%s`", name.text);
	return NULL;
}

uint32_t norn_check_thread_name(struct norn_checker *c, struct norn_name name)
{
	struct norn_named *named = norn_name_table_find(&c->threads, name.text);
	if (named)
		return named->index;
	norn_check_error(c, name.span,
	        norn_check_meant(c, norn_check_nearest(c, &c->threads, name.text),
	                norn_check_print(c, "declare it, as in `thread %s = spawn(start_routine);`", name.text)),
	        "no thread type is called `%s`", name.text);
	return NORN_SLOT_NONE;
}
