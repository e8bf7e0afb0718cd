#include "base/text/function_name.h"

#include <string.h>

#define PARTS_MAX 16u /* frames stay small: this runs inside programs, too */

struct name_part {
	const char *text;
	uint32_t bytes, plain; /* plain: without template arguments */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* The bytes of the symbol of an operator, which may be made of brackets; 0: this is no such name. */
static uint32_t operator_symbol(const char *text)
{
	static const char word[] = "operator";
	static const char symbols[][4] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "==", "!=", "&&",
	        "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}; /* of more than one character */
	uint32_t length = sizeof word - 1;
	if (strncmp(text, word, length) != 0 || is_word(text[length]) || !text[length])
		return 0;
	if (text[length] == ' ') /* of a conversion: a type follows */
		return length;
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (strncmp(text + length, symbols[i], strlen(symbols[i])) == 0)
			return length + (uint32_t)strlen(symbols[i]);
	return length + 1;
}

static struct name_part take_part(const char *text)
{
	struct name_part part = {.text = text};
	uint32_t at = operator_symbol(text);
	for (int depth = 0; text[at] && (depth > 0 || strncmp(text + at, "::", 2) != 0); at++) {
		if (text[at] == '<' && depth == 0 && !part.plain)
			part.plain = at;
		depth += text[at] == '<' || text[at] == '(' || text[at] == '[' || text[at] == '{';
		depth -= (text[at] == '>' || text[at] == ')' || text[at] == ']' || text[at] == '}') && depth > 0;
	}
	part.bytes = at;
	if (!part.plain)
		part.plain = at;
	return part;
}

/* The last PARTS_MAX parts of a name; how many there are. */
static size_t divide(const char *name, struct name_part *parts)
{
	size_t count = 0;
	for (;;) {
		struct name_part part = take_part(name);
		if (count == PARTS_MAX)
			memmove(parts, parts + 1, --count * sizeof *parts);
		parts[count++] = part;
		name += part.bytes;
		if (!*name)
			return count;
		name += 2;
	}
}

static const char *past_spaces(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

static bool same_part(const struct name_part *of, const struct name_part *wanted)
{
	const char *a = of->text, *a_end = a + (wanted->plain < wanted->bytes ? of->bytes : of->plain);
	const char *b = wanted->text, *b_end = b + wanted->bytes;
	for (;; a++, b++) {
		a = past_spaces(a, a_end);
		b = past_spaces(b, b_end);
		if (a == a_end || b == b_end || *a != *b)
			return a == a_end && b == b_end;
	}
}

bool norn_function_is_named(const char *function, const char *name)
{
	struct name_part parts[PARTS_MAX], wanted[PARTS_MAX];
	if (strcmp(function, name) == 0)
		return true;
	bool whole = strncmp(name, "::", 2) == 0;
	if (!whole && !strpbrk(function, ":<"))
		return false; /* of C: the usual case */
	size_t count = divide(function, parts), wanted_count = divide(name + (whole ? 2 : 0), wanted);
	if (wanted_count > count || (whole && wanted_count != count))
		return false;
	for (size_t i = 0; i < wanted_count; i++)
		if (!same_part(&parts[count - 1 - i], &wanted[wanted_count - 1 - i]))
			return false;
	return true;
}

const char *norn_function_last_part(const char *name, size_t *ret_bytes)
{
	struct name_part parts[PARTS_MAX];
	const struct name_part *last = &parts[divide(name, parts) - 1];
	*ret_bytes = last->plain;
	return last->text;
}
