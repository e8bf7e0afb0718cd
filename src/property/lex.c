#include "property/lex.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void norn_lexer_init(struct norn_lexer *lexer, struct norn_sources *sources, uint32_t file)
{
	size_t bytes;
	const char *text = norn_sources_text(sources, file, &bytes);
	*lexer = (struct norn_lexer){.sources = sources, .text = text, .file = file, .bytes = (uint32_t)bytes};
	if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		lexer->at = 3; /* a byte order mark says nothing */
}

/* ---- characters ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool in_name(char c)
{
	return begins_name(c) || is_digit(c);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Length of the UTF-8 character at text, 0 if it is none (too long forms, surrogates and what is past U+10FFFF are none). */
static unsigned character(const char *text, size_t bytes)
{
	const unsigned char *u = (const unsigned char *)text;
	if (u[0] < 0x80)
		return 1;
	unsigned length = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || length > bytes)
		return 0;
	for (unsigned i = 1; i < length; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f))
		return 0;
	if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return length;
}

size_t norn_text_valid(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes;) {
		unsigned length = text[i] ? character(text + i, bytes - i) : 0;
		if (!length)
			return i;
		i += length;
	}
	return bytes;
}

/* ---- tokens ---- */

static struct norn_token make(const struct norn_lexer *lexer, enum norn_token_kind kind, uint32_t length)
{
	return (struct norn_token){.kind = kind, .span = {lexer->file, lexer->at, length}};
}

static struct norn_token bad(struct norn_lexer *lexer, uint32_t length, const char *help, const char *message)
{
	struct norn_token token = make(lexer, NORN_TOKEN_BAD, length);
	if (!lexer->quiet)
		norn_diagnose(lexer->sources, NORN_SEVERITY_ERROR, token.span, help, "%s", message);
	return token;
}

static const struct reserved {
	const char *word;
	enum norn_token_kind kind;
} reserved[] = {
        {"and", NORN_TOKEN_AND},
        {"or", NORN_TOKEN_OR},
        {"not", NORN_TOKEN_NOT},
        {"xor", NORN_TOKEN_XOR},
        {"U", NORN_TOKEN_UNTIL},
        {"until", NORN_TOKEN_UNTIL},
        {"W", NORN_TOKEN_UNLESS},
        {"unless", NORN_TOKEN_UNLESS},
        {"R", NORN_TOKEN_RELEASE},
        {"release", NORN_TOKEN_RELEASE},
        {"S", NORN_TOKEN_SINCE},
        {"since", NORN_TOKEN_SINCE},
        {"SW", NORN_TOKEN_WEAK_SINCE},
        {"wsince", NORN_TOKEN_WEAK_SINCE},
        {"G", NORN_TOKEN_ALWAYS},
        {"always", NORN_TOKEN_ALWAYS},
        {"F", NORN_TOKEN_EVENTUALLY},
        {"eventually", NORN_TOKEN_EVENTUALLY},
        {"X", NORN_TOKEN_NEXT},
        {"next", NORN_TOKEN_NEXT},
        {"WX", NORN_TOKEN_WEAK_NEXT},
        {"prev", NORN_TOKEN_PREV},
        {"once", NORN_TOKEN_ONCE},
        {"hist", NORN_TOKEN_HIST},
        {"historically", NORN_TOKEN_HIST},
        {"forall", NORN_TOKEN_FORALL},
        {"exists", NORN_TOKEN_EXISTS},
        {"true", NORN_TOKEN_TRUE},
        {"false", NORN_TOKEN_FALSE},
        {"struct", NORN_TOKEN_STRUCT},
        {"union", NORN_TOKEN_UNION},
        {"if", NORN_TOKEN_IF},
        {"else", NORN_TOKEN_ELSE},
};

static enum norn_token_kind word_kind(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (reserved[i].word[0] == word[0] && strncmp(reserved[i].word, word, length) == 0 && !reserved[i].word[length])
			return reserved[i].kind;
	return NORN_TOKEN_ID;
}

bool norn_token_reserved(enum norn_token_kind kind)
{
	return kind >= NORN_TOKEN_XOR;
}

bool norn_name_plain(const char *name)
{
	if (!begins_name(name[0]))
		return false;
	while (in_name(*name))
		name++;
	return !*name;
}

bool norn_name_reserved(const char *name)
{
	return !norn_name_plain(name) || word_kind(name, strlen(name)) != NORN_TOKEN_ID;
}

static struct norn_token word(struct norn_lexer *lexer)
{
	uint32_t length = 1;
	while (in_name(lexer->text[lexer->at + length]))
		length++;
	return make(lexer, word_kind(lexer->text + lexer->at, length), length);
}

/* `name`: C names that are reserved words here, or have letters beyond ASCII. */
static struct norn_token backquoted(struct norn_lexer *lexer)
{
	const char *text = lexer->text + lexer->at;
	uint32_t length = 1;
	while (in_name(text[length]) || (text[length] & 0x80))
		length++;
	if (text[length] != '`')
		return bad(
		        lexer, length, "a name in backquotes is one C name, as in `X`", "this backquote does not enclose a name");
	if (length == 1 || is_digit(text[1]))
		return bad(
		        lexer, length + 1, "a name in backquotes is one C name, as in `X`", "there is no name in these backquotes");
	struct norn_token token = make(lexer, NORN_TOKEN_ID, length + 1);
	token.quoted = true;
	return token;
}

/* The length of 3.4, 3.4f, 1e-6: digits on both sides of the point, or an exponent. 0: it is none. */
static uint32_t real_length(const char *text)
{
	uint32_t length = (uint32_t)strspn(text, "0123456789"), whole = length;
	if (text[length] == '.' && is_digit(text[length + 1]))
		length += 1 + (uint32_t)strspn(text + length + 1, "0123456789");
	uint32_t sign = length + 1 + (text[length] && strchr("+-", text[length + 1]) && text[length + 1]);
	if ((text[length] | 0x20) == 'e' && is_digit(text[sign]))
		length = sign + (uint32_t)strspn(text + sign, "0123456789");
	if (length == whole)
		return 0;
	return length + ((text[length] | 0x20) == 'f');
}

static struct norn_token real_number(struct norn_lexer *lexer, uint32_t length)
{
	const char *text = lexer->text + lexer->at;
	char *end;
	if (in_name(text[length]) || (text[length] == '.' && is_digit(text[length + 1]))) {
		while (in_name(text[length]) || text[length] == '.')
			length++;
		return bad(lexer, length, "floating-point numbers are written as in C: 3.4, 3.4f, 1e-6", "this is no number");
	}
	bool single = (text[length - 1] | 0x20) == 'f';
	double value = strtod(text, &end);
	value = single ? (double)(float)value : value;
	if (value > DBL_MAX)
		return bad(lexer, length, NULL,
		        single ? "this number does not fit in a float" : "this number does not fit in a double");
	struct norn_token token = make(lexer, NORN_TOKEN_REAL, length);
	memcpy(&token.number, &value, sizeof value);
	return token;
}

static struct norn_token number(struct norn_lexer *lexer)
{
	const char *text = lexer->text + lexer->at;
	uint32_t real = real_length(text);
	if (real)
		return real_number(lexer, real);
	unsigned base = 10;
	uint32_t length = 0;
	if (text[0] == '0' && (text[1] | 0x20) == 'x' && digit_value(text[2]) >= 0) {
		base = 16;
		length = 2;
	} else if (text[0] == '0' && is_digit(text[1])) {
		base = 8;
	}
	uint64_t value = 0;
	bool large = false;
	for (int digit; (digit = digit_value(text[length])) >= 0 && digit < (int)base; length++)
		large |= __builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, (uint64_t)digit, &value);
	while (strchr("uUlL", text[length]) && text[length])
		length++;
	if (in_name(text[length])) {
		while (in_name(text[length]))
			length++;
		return bad(lexer, length, "numbers are written as in C: 42, 0x2a, 052, 3.4, 'a'", "this is no number");
	}
	if (large)
		return bad(lexer, length, NULL, "this number does not fit in 64 bits");
	struct norn_token token = make(lexer, NORN_TOKEN_INT, length);
	token.number = value;
	return token;
}

/* The escape behind a backslash: its length (without the backslash) and value, 0 if there is none such. */
static unsigned escape(const char *text, unsigned *ret_value)
{
	static const char letters[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
	unsigned length = 0;
	*ret_value = 0;
	if (text[0] == 'x') {
		for (length = 1; length < 3 && digit_value(text[length]) >= 0; length++)
			*ret_value = *ret_value * 16 + (unsigned)digit_value(text[length]);
		return length > 1 ? length : 0;
	}
	for (; length < 3 && text[length] >= '0' && text[length] <= '7'; length++)
		*ret_value = *ret_value * 8 + (unsigned)(text[length] - '0');
	if (length)
		return *ret_value < 256 ? length : 0;
	const char *found = text[0] ? strchr(letters, text[0]) : NULL;
	if (!found)
		return 0;
	*ret_value = (unsigned char)values[found - letters];
	return 1;
}

static struct norn_token string(struct norn_lexer *lexer)
{
	const char *text = lexer->text + lexer->at;
	uint32_t length = 1, wrong = 0;
	for (; text[length] && text[length] != '"' && text[length] != '\n'; length++)
		if (text[length] == '\\' && text[length + 1] && text[length + 1] != '\n') {
			unsigned value, part = escape(text + length + 1, &value);
			if (!wrong && (!part || !value))
				wrong = length;
			length += part ? part : 1;
		}
	if (text[length] != '"')
		return bad(lexer, length, "a string ends with `\"` on the line where it begins", "this string does not end");
	struct norn_token token = make(lexer, NORN_TOKEN_STR, length + 1);
	if (wrong && !lexer->quiet)
		norn_diagnose(lexer->sources, NORN_SEVERITY_ERROR, (struct norn_span){lexer->file, lexer->at + wrong, 2},
		        "write \\n, \\t, \\\", \\\\, \\x41 or \\101; a backslash itself is \\\\, and there is no \\0",
		        "there is no such escape in a string");
	return token;
}

/* 'a': a number. Only ASCII: what C makes of others depends on the compiler. */
static struct norn_token character_constant(struct norn_lexer *lexer)
{
	static const char help[] = "a character constant is one ASCII character, as in 'a' or '\\n'; for others write the number";
	const char *text = lexer->text + lexer->at;
	unsigned value = (unsigned char)text[1], length = 1;
	if (text[1] == '\\')
		length += escape(text + 2, &value);
	if (text[1] && text[1] != '\n' && text[1] != '\'' && text[length + 1] == '\'' && value < 0x80) {
		struct norn_token token = make(lexer, NORN_TOKEN_INT, length + 2);
		token.number = value;
		return token;
	}
	length = 1;
	while (text[length] && text[length] != '\n' && text[length] != '\'' && text[length] != ';')
		length++;
	return bad(lexer, length + (text[length] == '\''), help, "this is no character constant");
}

static const struct symbol {
	const char *text;
	enum norn_token_kind kind;
	const char *instead; /* not NULL: understood, but wrong; this is right */
} symbols[] = {
        /* those that begin alike: longest first */
        {"<==>", NORN_TOKEN_IFF, "<->"},
        {"...", NORN_TOKEN_DOTS, NULL},
        {"<->", NORN_TOKEN_IFF, NULL},
        {"<=>", NORN_TOKEN_IFF, "<->"},
        {"==>", NORN_TOKEN_ARROW, "->"},
        {"===", NORN_TOKEN_EQ, "=="},
        {"!==", NORN_TOKEN_NE, "!="},
        {"&&&", NORN_TOKEN_AND, "&&"},
        {"|||", NORN_TOKEN_OR, "||"},
        {"->", NORN_TOKEN_ARROW, NULL},
        {"=>", NORN_TOKEN_ARROW, "->"},
        {"==", NORN_TOKEN_EQ, NULL},
        {"!=", NORN_TOKEN_NE, NULL},
        {"<>", NORN_TOKEN_EVENTUALLY, "F"},
        {"<=", NORN_TOKEN_LE, NULL},
        {">=", NORN_TOKEN_GE, NULL},
        {"&&", NORN_TOKEN_AND, NULL},
        {"||", NORN_TOKEN_OR, NULL},
        {"::", NORN_TOKEN_COLONS, NULL},
        {"/\\", NORN_TOKEN_AND, "&&"},
        {"\\/", NORN_TOKEN_OR, "||"},
        {";", NORN_TOKEN_SEMICOLON, NULL},
        {",", NORN_TOKEN_COMMA, NULL},
        {":", NORN_TOKEN_COLON, NULL},
        {".", NORN_TOKEN_DOT, NULL},
        {"(", NORN_TOKEN_LPAREN, NULL},
        {")", NORN_TOKEN_RPAREN, NULL},
        {"[", NORN_TOKEN_LBRACKET, NULL},
        {"]", NORN_TOKEN_RBRACKET, NULL},
        {"{", NORN_TOKEN_LBRACE, NULL},
        {"}", NORN_TOKEN_RBRACE, NULL},
        {"@", NORN_TOKEN_AT, NULL},
        {"=", NORN_TOKEN_ASSIGN, NULL},
        {"<", NORN_TOKEN_LT, NULL},
        {">", NORN_TOKEN_GT, NULL},
        {"+", NORN_TOKEN_PLUS, NULL},
        {"-", NORN_TOKEN_MINUS, NULL},
        {"*", NORN_TOKEN_STAR, NULL},
        {"/", NORN_TOKEN_SLASH, NULL},
        {"%", NORN_TOKEN_PERCENT, NULL},
        {"&", NORN_TOKEN_AMPERSAND, NULL},
        {"|", NORN_TOKEN_BAR, NULL},
        {"?", NORN_TOKEN_QUESTION, NULL},
        {"~", NORN_TOKEN_TILDE, NULL},
        {"!", NORN_TOKEN_NOT, NULL},
        {"^", NORN_TOKEN_XOR, "xor"},
        {"¬", NORN_TOKEN_NOT, "!"},
        {"∧", NORN_TOKEN_AND, "&&"},
        {"∨", NORN_TOKEN_OR, "||"},
        {"⊕", NORN_TOKEN_XOR, "xor"},
        {"→", NORN_TOKEN_ARROW, "->"},
        {"⇒", NORN_TOKEN_ARROW, "->"},
        {"↔", NORN_TOKEN_IFF, "<->"},
        {"⇔", NORN_TOKEN_IFF, "<->"},
        {"≠", NORN_TOKEN_NE, "!="},
        {"≤", NORN_TOKEN_LE, "<="},
        {"≥", NORN_TOKEN_GE, ">="},
        {"□", NORN_TOKEN_ALWAYS, "G"},
        {"◇", NORN_TOKEN_EVENTUALLY, "F"},
        {"○", NORN_TOKEN_NEXT, "X"},
        {"∀", NORN_TOKEN_FORALL, "forall"},
        {"∃", NORN_TOKEN_EXISTS, "exists"},
        {"⊤", NORN_TOKEN_TRUE, "true"},
        {"⊥", NORN_TOKEN_FALSE, "false"},
};

static struct norn_token symbol(struct norn_lexer *lexer)
{
	const char *text = lexer->text + lexer->at;
	for (const struct symbol *s = symbols; s < symbols + sizeof symbols / sizeof *symbols; s++) {
		size_t length = s->text[0] == text[0] ? strlen(s->text) : 0;
		if (!length || strncmp(text, s->text, length) != 0)
			continue;
		struct norn_token token = make(lexer, s->kind, (uint32_t)length);
		if (s->instead && !lexer->quiet) {
			char help[32];
			snprintf(help, sizeof help, "write `%s`", s->instead);
			norn_diagnose(lexer->sources, NORN_SEVERITY_ERROR, token.span, help, "`%s` is no operator here", s->text);
		}
		return token;
	}
	unsigned length = character(text, lexer->bytes - lexer->at);
	if (length > 1)
		return bad(lexer, length, "a C name with letters beyond ASCII is written in backquotes",
		        "there is no such character in the language");
	return bad(lexer, 1, NULL, "there is no such character in the language");
}

/* Behind the comment at lexer->at, 0 if there is none or it does not end. */
static uint32_t comment_end(const struct norn_lexer *lexer)
{
	const char *start = lexer->text + lexer->at, *end;
	if (start[0] != '/')
		return 0;
	if (start[1] == '/') {
		end = memchr(start, '\n', lexer->bytes - lexer->at);
		return end ? (uint32_t)(end - lexer->text) : lexer->bytes;
	}
	if (start[1] != '*')
		return 0;
	const char *stop = lexer->text + lexer->bytes;
	for (end = start + 2; (end = memchr(end, '*', (size_t)(stop - end))); end++)
		if (end[1] == '/')
			return (uint32_t)(end + 2 - lexer->text);
	return 0;
}

/* The end of a name of C++ that has begun: ::parts, ~, template arguments, the symbol of an operator. */
static const char *function_name_end(const char *at)
{
	static const char word[] = "operator";
	for (int depth = 0; *at && *at != ';' && *at != '\n'; at++) {
		if (depth == 0 && at[-1] == ':' && strncmp(at, word, sizeof word - 1) == 0 && !in_name(at[sizeof word - 1])) {
			at += sizeof word - 1;
			return at + (strncmp(at, "()", 2) == 0 ? 2 : strspn(at, "<>=!+-*/%&|^~[],"));
		}
		bool colons = at[0] == ':' && (at[1] == ':' || at[-1] == ':');
		if (depth == 0 && !in_name(*at) && !(*at & 0x80) && !colons && *at != '~' && *at != '<')
			return at;
		depth += (*at == '<') - (*at == '>');
	}
	return at;
}

bool norn_lexer_function(struct norn_lexer *lexer, struct norn_token *token)
{
	const char *behind = lexer->text + lexer->at;
	bool word = token->kind == NORN_TOKEN_ID && !token->quoted && (*behind == '<' || strncmp(behind, "::", 2) == 0);
	if (!word && token->kind != NORN_TOKEN_COLONS)
		return false;
	lexer->at = (uint32_t)(function_name_end(behind) - lexer->text);
	token->kind = NORN_TOKEN_ID;
	token->span.length = lexer->at - token->span.offset;
	return true;
}

bool norn_lexer_comment(struct norn_lexer *lexer, struct norn_span *ret_comment)
{
	while (lexer->at < lexer->bytes && is_space(lexer->text[lexer->at]))
		lexer->at++;
	uint32_t end = comment_end(lexer);
	if (!end)
		return false;
	*ret_comment = (struct norn_span){lexer->file, lexer->at, end - lexer->at};
	lexer->at = end;
	return true;
}

static struct norn_token token_at(struct norn_lexer *lexer)
{
	const char *text = lexer->text + lexer->at;
	if (begins_name(*text))
		return word(lexer);
	if (is_digit(*text))
		return number(lexer);
	if (*text == '"')
		return string(lexer);
	if (*text == '\'')
		return character_constant(lexer);
	if (*text == '`')
		return backquoted(lexer);
	if (text[0] == '/' && text[1] == '*') {
		struct norn_token token = bad(lexer, 2, "end it with `*/`", "this comment does not end");
		lexer->at = lexer->bytes - 2;
		return token;
	}
	return symbol(lexer);
}

struct norn_token norn_lexer_next(struct norn_lexer *lexer)
{
	struct norn_span comment;
	while (norn_lexer_comment(lexer, &comment))
		;
	if (lexer->at == lexer->bytes)
		return make(lexer, NORN_TOKEN_END, 0);
	struct norn_token token = token_at(lexer);
	lexer->at += token.span.length;
	return token;
}

/* ---- what a token says ---- */

static char *string_text(const char *from, const char *end, struct norn_arena *arena)
{
	char *text = norn_must_arena_text(arena, from, (size_t)(end - from)), *to = text;
	while (from < end) {
		unsigned value;
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		unsigned length = escape(from + 1, &value);
		if (length && value)
			*to++ = (char)value;
		from += 1 + (length ? length : 1);
	}
	*to = 0;
	return text;
}

char *norn_token_text(const struct norn_lexer *lexer, const struct norn_token *token, struct norn_arena *arena)
{
	const char *text = lexer->text + token->span.offset;
	if (token->kind == NORN_TOKEN_STR)
		return string_text(text + 1, text + token->span.length - 1, arena);
	return norn_must_arena_text(arena, text + token->quoted, token->span.length - 2 * token->quoted);
}

bool norn_token_is(const struct norn_lexer *lexer, const struct norn_token *token, const char *expected)
{
	const char *text = lexer->text + token->span.offset;
	return token->kind == NORN_TOKEN_ID && text[0] == expected[0] && strlen(expected) == token->span.length &&
	       memcmp(text, expected, token->span.length) == 0;
}
