/* Declarations in texts of effects: the name of a function, its type, and its arguments. */
#include "effects/effects_parse_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "effects/c_types.h"

static bool is_qualifier(const char *word)
{
	static const char *const qualifiers[] = {"const", "volatile", "restrict", "register", "extern", "static", "signed"};
	for (unsigned i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
		if (strcmp(word, qualifiers[i]) == 0)
			return true;
	return false;
}

/* The letters of the type that the text from begin to end says, without the name of what has it. */
static bool add_type(struct entry_parser *p, const char *begin, const char *end, bool result)
{
	char name[WORD] = "", word[WORD];
	for (const char *t = begin; t < end;) {
		unsigned n = 0;
		if (*t == '*') {
			const struct norn_c_type *type = norn_c_type_find(name);
			if (!result && p->argument_count < ARGUMENTS)
				p->arguments[p->argument_count].behind = type && type->bytes == 4 ? 4 : 8;
			strcat(p->type, "p");
			return true;
		}
		while (t + n < end && is_name(t[n]) && n < WORD - 1)
			n++;
		if (n == 0) {
			t++;
			continue;
		}
		memcpy(word, t, n);
		word[n] = 0;
		t += n;
		if (!is_qualifier(word) && strlen(name) + n + 2 < sizeof name) {
			strcat(name, *name ? " " : "");
			strcat(name, word);
		}
	}
	const struct norn_c_type *type = norn_c_type_find(name);
	const char *letters = !type ? NULL : result && type->result ? type->result : type->argument;
	if (!letters)
		return norn_effects_complain(
		        p, "%s: the type \"%s\" is not known; write a type of the same size, such as int or size_t", p->name, name);
	if (*letters == '*')
		p->any_type = true;
	else
		strcat(p->type, letters);
	return true;
}

/* The last name before end, where begin is the limit. */
static const char *last_name(const char *begin, const char *end, unsigned *ret_length)
{
	while (end > begin && !is_name(end[-1]))
		end--;
	const char *name = end;
	while (name > begin && is_name(name[-1]))
		name--;
	*ret_length = (unsigned)(end - name);
	return name;
}

static bool add_argument(struct entry_parser *p, const char *name, unsigned length)
{
	if (p->argument_count == ARGUMENTS || length >= WORD)
		return norn_effects_complain(p, "%s has more than %d arguments", p->name, ARGUMENTS);
	snprintf(p->arguments[p->argument_count].text, WORD, "%.*s", (int)length, name);
	const char *word = p->arguments[p->argument_count].text;
	if (norn_effects_find_resource(word) >= 0 || strcmp(word, "result") == 0 || strcmp(word, "global") == 0)
		return norn_effects_complain(
		        p, "%s: an argument cannot be called %s, which means something else here", p->name, word);
	p->argument_count++;
	return true;
}

/* "const char *name", "int (*compare)(const void *, const void *)", "int ends[2]", "... mode" */
static bool parse_parameter(struct entry_parser *p, const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	unsigned length;
	if (strncmp(begin, "...", 3) == 0) {
		p->more = true;
		for (begin += 3; begin < end;) {
			for (length = 0; begin + length < end && is_name(begin[length]);)
				length++;
			if (length && !add_argument(p, begin, length))
				return false;
			begin += length + !length;
		}
		return true;
	}
	if (end - begin == 4 && strncmp(begin, "void", 4) == 0)
		return true;
	const char *function = NULL, *bracket = NULL;
	for (const char *t = begin; t < end; t++) {
		if (!function && strncmp(t, "(*", 2) == 0)
			function = t + 2;
		if (!bracket && *t == '[')
			bracket = t;
	}
	const char *name;
	if (function) {
		for (length = 0; is_name(function[length]);)
			length++;
		name = function;
		strcat(p->type, "p");
	} else {
		name = last_name(begin, bracket ? bracket : end, &length);
		if (length == 0 || name == begin || end[-1] == '*')
			return norn_effects_complain(
			        p, "%s: an argument has no name: \"%.*s\"", p->name, (int)(end - begin), begin);
		if (bracket)
			strcat(p->type, "p");
		else if (!add_type(p, begin, name, false))
			return false;
	}
	p->fixed++;
	return add_argument(p, name, length);
}

static bool parse_parameters(struct entry_parser *p, const char *begin, const char *end)
{
	unsigned depth = 0;
	const char *from = begin;
	for (const char *t = begin; t <= end; t++) {
		if (t < end && *t == '(')
			depth++;
		else if (t < end && *t == ')')
			depth--;
		else if (depth == 0 && (t == end || *t == ',')) {
			if (strlen(p->type) + 4 >= sizeof p->type)
				return norn_effects_complain(p, "%s has too many arguments", p->name);
			if ((from < t || t < end) && !parse_parameter(p, from, t))
				return false;
			from = t + 1;
		}
	}
	if (p->more)
		strcat(p->type, "...");
	return true;
}

/* The last word, which names a class. */
static size_t before_last_word(const char *text)
{
	const char *blank = text + strlen(text);
	while (blank > text && !isspace((unsigned char)*blank))
		blank--;
	return (size_t)(blank - text);
}

bool norn_effects_begins_cxx(const char *text, size_t *ret_length)
{
	const char *word = strstr(text, "operator");
	if (!strstr(text, "::") && !strchr(text, '<') && !(word && (word == text || !is_name(word[-1]))))
		return false;
	const char *colon = text;
	while (*colon && !(*colon == ':' && (colon[1] == 0 || isspace((unsigned char)colon[1]))))
		colon += strncmp(colon, "::", 2) == 0 ? 2 : 1;
	*ret_length = *colon ? (size_t)(colon - text) : before_last_word(text);
	while (*ret_length && isspace((unsigned char)text[*ret_length - 1]))
		--*ret_length;
	return *ret_length > 0;
}

/* A name of C++; or the beginning of one, before a *. */
static bool parse_cxx_name(struct entry_parser *p, const char *text, size_t length)
{
	static const char product[] = "operator*";
	bool whole =
	        length >= sizeof product - 1 && strncmp(text + length - (sizeof product - 1), product, sizeof product - 1) == 0;
	p->any_type = true;
	if (text[length - 1] == '*' && !whole) {
		p->made.flags |= NORN_EFFECTS_PREFIX;
		length--;
	}
	if (length >= NAME)
		return norn_effects_complain(p, "the name of a function is too long: \"%.60s…\"", text);
	snprintf(p->name, sizeof p->name, "%.*s", (int)length, text);
	return true;
}

bool norn_effects_parse_declaration(struct entry_parser *p, const char *text, size_t length)
{
	size_t cxx;
	const char *end = text + length, *open = memchr(text, '(', length);
	unsigned name_length;
	p->made.declaration = norn_must_arena_text(&p->list->arena, text, length);
	if (norn_effects_begins_cxx(text, &cxx) && cxx >= length)
		return parse_cxx_name(p, text, length);
	if (!length)
		return norn_effects_complain(p, "an entry begins with a name or a declaration");
	if (!open) { /* a name, or the beginning of one */
		p->any_type = true;
		if (text[length - 1] == '*') {
			p->made.flags |= NORN_EFFECTS_PREFIX;
			length--;
		}
		for (size_t i = 0; i < length; i++)
			if (!is_name(text[i]) && text[i] != '.' && text[i] != '$')
				return norn_effects_complain(p, "\"%.*s\" is neither a name nor a declaration", (int)length, text);
		snprintf(p->name, sizeof p->name, "%.*s", (int)length, text);
		return true;
	}
	while (end > open && *end != ')')
		end--;
	const char *name = last_name(text, open, &name_length);
	snprintf(p->name, sizeof p->name, "%.*s", (int)name_length, name);
	if (name_length == 0 || name_length >= WORD || end == open)
		return norn_effects_complain(p, "\"%.*s\" is no declaration of a function", (int)length, text);
	return add_type(p, text, name, true) && parse_parameters(p, open + 1, end);
}
