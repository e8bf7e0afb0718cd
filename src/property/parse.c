/* The parser's ground floor: tokens, diagnostics, recovery, files and what they include. */
#include "property/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/must.h"
#include "base/text/nearest_word.h"

#define INCLUDES_MAX 64u /* nested */

void norn_parser_next(struct norn_parser *p)
{
	p->last = p->now.span;
	p->last_kind = p->now.kind;
	p->now = norn_lexer_next(&p->lexer);
}

struct norn_token norn_parser_peek(const struct norn_parser *p, unsigned ahead)
{
	struct norn_lexer lexer = p->lexer;
	struct norn_token token = p->now;
	lexer.quiet = true;
	while (ahead--)
		token = norn_lexer_next(&lexer);
	return token;
}

static void panic(struct norn_parser *p)
{
	p->panic = p->lexer.quiet = true;
}

static void calm(struct norn_parser *p)
{
	p->panic = p->lexer.quiet = false;
	p->nesting = 0;
}

void *norn_parser_make(struct norn_parser *p, size_t bytes)
{
	return norn_must_arena_alloc(&p->tree->arena, bytes);
}

struct norn_span norn_parser_since(const struct norn_parser *p, struct norn_span first)
{
	uint32_t end = p->last.offset + p->last.length;
	first.length = end > first.offset ? end - first.offset : 0;
	return first;
}

/* ---- diagnostics ---- */

bool norn_parser_wrong(struct norn_parser *p, struct norn_span span, const char *help, const char *format, ...)
{
	if (!p->panic) {
		char message[512];
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(message, sizeof message, format, arguments);
		va_end(arguments);
		norn_diagnose(p->sources, NORN_SEVERITY_ERROR, span, help, "%s", message);
	}
	panic(p);
	return false;
}

/* The name of a token in messages. */
static void describe(const struct norn_parser *p, const struct norn_token *token, char *text, size_t bytes)
{
	const char *written = p->lexer.text + token->span.offset;
	int length = (int)token->span.length;
	const char *dots = "";
	if (length > 40) {
		length = 37;
		while (length > 0 && (written[length] & 0xc0) == 0x80)
			length--;
		dots = "...";
	}
	switch (token->kind) {
	case NORN_TOKEN_END:
		snprintf(text, bytes, "the end of the file");
		break;
	case NORN_TOKEN_STR:
		snprintf(text, bytes, "the string %.*s%s", length, written, dots);
		break;
	case NORN_TOKEN_INT:
	case NORN_TOKEN_REAL:
		snprintf(text, bytes, "the number %.*s%s", length, written, dots);
		break;
	default:
		if (norn_token_reserved(token->kind))
			snprintf(text, bytes, "the reserved word `%.*s`", length, written);
		else if (token->quoted)
			snprintf(text, bytes, "%.*s%s", length, written, dots);
		else
			snprintf(text, bytes, "`%.*s%s`", length, written, dots);
	}
}

/* Past the limit diagnostics are only counted: no need to word them. */
static bool mute(const struct norn_parser *p)
{
	return p->panic || norn_diagnostics_errors(p->sources) >= NORN_COMPLAINTS_MAX;
}

bool norn_parser_expected(struct norn_parser *p, const char *help, const char *what)
{
	char found[80] = "";
	if (p->now.kind == NORN_TOKEN_BAD)
		panic(p); /* the lexer has complained */
	if (!mute(p))
		describe(p, &p->now, found, sizeof found);
	struct norn_span span = p->now.span;
	if (p->now.kind == NORN_TOKEN_END && p->last.length) /* behind the last token, not after empty lines */
		span.offset = p->last.offset + p->last.length;
	return norn_parser_wrong(p, span, help, "expected %s, found %s", what, found);
}

static const char *word_at(const void *words, unsigned i)
{
	return ((const char *const *)words)[i];
}

bool norn_parser_unknown(struct norn_parser *p, const char *what, const char *const *words)
{
	char help[200] = "", *word = NULL;
	unsigned count = 0, used = 0;
	if (mute(p))
		return norn_parser_expected(p, NULL, what);
	while (words[count])
		count++;
	if (p->now.kind == NORN_TOKEN_ID && p->now.span.length < 64)
		word = norn_token_text(&p->lexer, &p->now, &p->tree->arena);
	const char *nearest = word ? norn_nearest(word, count, word_at, words) : NULL;
	if (nearest)
		snprintf(help, sizeof help, "did you mean `%s`?", nearest);
	else
		for (unsigned i = 0; i < count && used < sizeof help; i++)
			used += (unsigned)snprintf(help + used, sizeof help - used, "%s`%s`",
			        i == 0           ? "write one of "
			        : i + 1 == count ? " and "
			                         : ", ",
			        words[i]);
	return norn_parser_expected(p, help, what);
}

/* ---- tokens ---- */

bool norn_parser_at_word(const struct norn_parser *p, const char *word)
{
	return norn_token_is(&p->lexer, &p->now, word);
}

bool norn_parser_take_word(struct norn_parser *p, const char *word)
{
	if (!norn_parser_at_word(p, word))
		return false;
	norn_parser_next(p);
	return true;
}

bool norn_parser_take(struct norn_parser *p, enum norn_token_kind kind)
{
	if (p->now.kind != kind)
		return false;
	norn_parser_next(p);
	return true;
}

bool norn_parser_expect(struct norn_parser *p, enum norn_token_kind kind, const char *what)
{
	return norn_parser_take(p, kind) || norn_parser_expected(p, NULL, what);
}

/* Words with which a statement of a body begins: what comes before them lacks its `;`. */
static bool begins_statement(const struct norn_parser *p)
{
	static const char *const words[] = {"on", "local", "atom", "check"};
	if (p->now.kind == NORN_TOKEN_RBRACE || p->now.kind == NORN_TOKEN_END || norn_parser_at_declaration(p))
		return true;
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (norn_parser_at_word(p, words[i]))
			return true;
	return false;
}

bool norn_parser_end(struct norn_parser *p, const char *what)
{
	if (norn_parser_take(p, NORN_TOKEN_SEMICOLON))
		return true;
	char expected[120];
	if (!begins_statement(p)) {
		snprintf(expected, sizeof expected, "`;` after %s", what);
		return norn_parser_expected(p, NULL, expected);
	}
	if (!p->panic) {
		struct norn_span behind = {p->last.file, p->last.offset + p->last.length, 0};
		snprintf(expected, sizeof expected, "end %s with `;`", what);
		norn_diagnose(p->sources, NORN_SEVERITY_ERROR, behind, expected, "`;` is missing after %s", what);
	}
	return true;
}

bool norn_parser_name(struct norn_parser *p, const char *what, struct norn_name *ret_name)
{
	if (p->now.kind != NORN_TOKEN_ID) {
		char help[80];
		const char *text = p->lexer.text + p->now.span.offset;
		bool word = p->now.kind != NORN_TOKEN_END && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
		snprintf(help, sizeof help, "a name that is a reserved word is written in backquotes: `%.*s`",
		        (int)p->now.span.length, text);
		return norn_parser_expected(p, word ? help : NULL, what);
	}
	ret_name->span = p->now.span;
	ret_name->text = norn_token_text(&p->lexer, &p->now, &p->tree->arena);
	norn_parser_next(p);
	return true;
}

bool norn_parser_function(struct norn_parser *p, const char *what, struct norn_name *ret_name)
{
	if (!norn_lexer_function(&p->lexer, &p->now))
		return norn_parser_name(p, what, ret_name);
	char *name = norn_must_arena_text(&p->tree->arena, p->lexer.text + p->now.span.offset, p->now.span.length), *to = name;
	for (const char *c = name; *c; c++)
		if (*c != ' ' && *c != '\t')
			*to++ = *c;
	*to = 0;
	*ret_name = (struct norn_name){name, p->now.span};
	norn_parser_next(p);
	return true;
}

bool norn_parser_field(struct norn_parser *p, struct norn_name *ret_name)
{
	char c = p->now.span.length ? p->lexer.text[p->now.span.offset] | 0x20 : 0;
	if (c >= 'a' && c <= 'z') /* and, or, not are operators' tokens */
		p->now.kind = NORN_TOKEN_ID;
	return norn_parser_name(p, "a field after `.`", ret_name);
}

bool norn_parser_string(struct norn_parser *p, const char *what, const char **ret_text)
{
	if (p->now.kind != NORN_TOKEN_STR)
		return norn_parser_expected(p, p->now.kind == NORN_TOKEN_ID ? "write it in quotation marks" : NULL, what);
	*ret_text = norn_token_text(&p->lexer, &p->now, &p->tree->arena);
	norn_parser_next(p);
	return true;
}

bool norn_parser_names(struct norn_parser *p, const char *what, enum norn_token_kind separator, struct norn_names **ret_names)
{
	struct norn_names **end = ret_names;
	do {
		struct norn_names *one = norn_parser_make(p, sizeof *one);
		if (!norn_parser_name(p, what, &one->name))
			return false;
		*end = one;
		end = &one->next;
	} while (norn_parser_take(p, separator));
	return true;
}

/* ---- recovery ---- */

/* A word that begins a declaration, and behind it what follows there: `lock` alone may be an event's, too. */
bool norn_parser_at_declaration(const struct norn_parser *p)
{
	static const struct {
		const char *word;
		enum norn_token_kind second, third, other; /* third or other */
	} starts[] = {
	        {"include", NORN_TOKEN_STR, NORN_TOKEN_SEMICOLON, NORN_TOKEN_SEMICOLON},
	        {"var", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_ASSIGN},
	        {"lock", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_ASSIGN},
	        {"thread", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_ASSIGN},
	        {"event", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_LPAREN},
	        {"ghost", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_ASSIGN},
	        {"pred", NORN_TOKEN_ID, NORN_TOKEN_ASSIGN, NORN_TOKEN_LPAREN},
	        {"property", NORN_TOKEN_ID, NORN_TOKEN_LBRACE, NORN_TOKEN_LBRACKET},
	        {"scope", NORN_TOKEN_ID, NORN_TOKEN_ID, NORN_TOKEN_ID},
	};
	if (p->now.kind != NORN_TOKEN_ID)
		return false;
	for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
		if (norn_parser_at_word(p, starts[i].word) && norn_parser_peek(p, 1).kind == starts[i].second) {
			enum norn_token_kind third = norn_parser_peek(p, 2).kind;
			return third == starts[i].third || third == starts[i].other;
		}
	return false;
}

/* Skips to a `;`, the `}` that ends the body, the `}` of a block within it (true), or a declaration. */
static bool skip(struct norn_parser *p)
{
	unsigned braces = 0;
	enum norn_token_kind before = NORN_TOKEN_END;
	p->lexer.quiet = true;
	for (; p->now.kind != NORN_TOKEN_END; norn_parser_next(p)) {
		if (norn_parser_at_declaration(p))
			return false;
		if (p->now.kind == NORN_TOKEN_LBRACE)
			braces++;
		if (braces == 0 && (p->now.kind == NORN_TOKEN_SEMICOLON || p->now.kind == NORN_TOKEN_RBRACE))
			return false;
		bool repetition = before == NORN_TOKEN_INT || before == NORN_TOKEN_COMMA; /* a{2} or a{2,} is no block */
		if (p->now.kind == NORN_TOKEN_RBRACE && --braces == 0 && !repetition)
			return true;
		before = p->now.kind;
	}
	return false;
}

void norn_parser_skip(struct norn_parser *p)
{
	bool block = skip(p);
	calm(p);
	if (block || p->now.kind == NORN_TOKEN_SEMICOLON)
		norn_parser_next(p);
}

static void skip_declaration(struct norn_parser *p)
{
	skip(p);
	calm(p);
	if (p->now.kind == NORN_TOKEN_SEMICOLON || p->now.kind == NORN_TOKEN_RBRACE)
		norn_parser_next(p);
}

bool norn_parser_body_end(struct norn_parser *p, const char *what, bool whole)
{
	if (whole || p->now.kind == NORN_TOKEN_RBRACE)
		return norn_parser_expect(p, NORN_TOKEN_RBRACE, what) && whole;
	return false;
}

/* ---- files ---- */

struct seen {
	dev_t device;
	ino_t inode;
};

struct files {
	struct norn_sources *sources;
	struct norn_tree *tree;
	NORN_VECTOR(struct seen) seen;
	bool follow; /* includes */
};

/* Notes that a file takes part; false: it did already, perhaps by another name. */
static bool enter(struct files *files, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return true; /* text that was never a file */
	for (uint32_t i = 0; i < files->seen.count; i++)
		if (files->seen.items[i].device == st.st_dev && files->seen.items[i].inode == st.st_ino)
			return false;
	norn_must_push(&files->seen, (struct seen){st.st_dev, st.st_ino});
	return true;
}

static void parse_file(struct files *files, uint32_t file, unsigned depth);

/* The path of an include, seen from where norn runs. malloc'ed. */
static char *include_path(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');
	if (path[0] == '/' || !slash)
		return norn_must_text(path);
	return norn_must_format("%.*s/%s", (int)(slash - from), from, path);
}

static void include(struct files *files, const struct norn_decl *decl, unsigned depth)
{
	struct norn_error err = {0};
	struct stat st;
	uint32_t file;
	char *path = include_path(norn_sources_name(files->sources, decl->span.file), decl->include);
	if (depth == INCLUDES_MAX) {
		norn_diagnose(files->sources, NORN_SEVERITY_ERROR, decl->name.span, NULL, "includes are nested more than %u deep",
		        INCLUDES_MAX);
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		norn_diagnose(files->sources, NORN_SEVERITY_ERROR, decl->name.span, NULL, "%s is no regular file", path);
	} else if (norn_sources_read(files->sources, path, &file, &err) < 0) {
		norn_diagnose(files->sources, NORN_SEVERITY_ERROR, decl->name.span,
		        "the path of an include is relative to the file that includes it", "%s", err.message);
	} else if (enter(files, path)) {
		parse_file(files, file, depth + 1);
	}
	free(path);
}

/* True if the file is text at all; otherwise it is not looked at further. */
static bool is_text(struct norn_sources *sources, uint32_t file)
{
	size_t bytes;
	const char *text = norn_sources_text(sources, file, &bytes);
	size_t at = norn_text_valid(text, bytes);
	if (at == bytes)
		return true;
	struct norn_span span = {file, (uint32_t)at, 1};
	if (text[at])
		norn_diagnose(sources, NORN_SEVERITY_ERROR, span, "property files are UTF-8 text",
		        "this byte (0x%02x) is not UTF-8", (unsigned char)text[at]);
	else
		norn_diagnose(
		        sources, NORN_SEVERITY_ERROR, span, "property files are UTF-8 text", "there is a NUL byte in the file");
	return false;
}

static void parse_file(struct files *files, uint32_t file, unsigned depth)
{
	struct norn_parser p = {.sources = files->sources, .tree = files->tree};
	if (!is_text(files->sources, file))
		return;
	norn_lexer_init(&p.lexer, files->sources, file);
	norn_parser_next(&p);
	while (p.now.kind != NORN_TOKEN_END) {
		const struct norn_decl *decl = norn_parse_decl(&p);
		if (!decl && p.panic)
			skip_declaration(&p);
		else if (decl && decl->kind == NORN_DECL_INCLUDE && files->follow)
			include(files, decl, depth);
	}
}

static struct norn_tree *parse(struct norn_sources *sources, uint32_t file, bool follow)
{
	struct norn_tree *tree = norn_must_calloc(1, sizeof *tree);
	tree->end = &tree->decls;
	struct files files = {.sources = sources, .tree = tree, .follow = follow};
	if (follow)
		enter(&files, norn_sources_name(sources, file));
	parse_file(&files, file, 0);
	norn_vector_done(&files.seen);
	return tree;
}

struct norn_tree *norn_tree_parse(struct norn_sources *sources, uint32_t file)
{
	return parse(sources, file, true);
}

struct norn_tree *norn_tree_parse_alone(struct norn_sources *sources, uint32_t file)
{
	return parse(sources, file, false);
}

void norn_tree_free(struct norn_tree *tree)
{
	if (!tree)
		return;
	norn_arena_done(&tree->arena);
	free(tree);
}

const struct norn_decl *norn_tree_decls(const struct norn_tree *tree)
{
	return tree->decls;
}
