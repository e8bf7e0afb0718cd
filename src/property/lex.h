/* The words of property files.
 *
 * A token is a kind and a span; nothing is copied until its text is asked for. Operators have one kind for all their spellings
 * (`&&` and `and`, `U` and `until`). Words that mean something only in one place (property, call, report, …) are plain names here,
 * and the parser knows them where they can stand; reserved words never are names, unless written in backquotes.
 * A lexer is a small value: copying one and going on with the copy looks ahead. */
#ifndef NORN_PROPERTY_LEX_H
#define NORN_PROPERTY_LEX_H

#include "base/arena.h"
#include "property/source_text.h"

enum norn_token_kind {
	NORN_TOKEN_END, /* of the file */
	NORN_TOKEN_BAD, /* a diagnostic about it has been made */
	NORN_TOKEN_ID,
	NORN_TOKEN_INT,
	NORN_TOKEN_REAL,
	NORN_TOKEN_STR,
	NORN_TOKEN_SEMICOLON,
	NORN_TOKEN_COMMA,
	NORN_TOKEN_COLON,
	NORN_TOKEN_COLONS, /* :: */
	NORN_TOKEN_DOT,
	NORN_TOKEN_DOTS, /* ... */
	NORN_TOKEN_LPAREN,
	NORN_TOKEN_RPAREN,
	NORN_TOKEN_LBRACKET,
	NORN_TOKEN_RBRACKET,
	NORN_TOKEN_LBRACE,
	NORN_TOKEN_RBRACE,
	NORN_TOKEN_AT,
	NORN_TOKEN_ASSIGN, /* =, which is == in a formula */
	NORN_TOKEN_EQ,
	NORN_TOKEN_NE,
	NORN_TOKEN_LT,
	NORN_TOKEN_LE,
	NORN_TOKEN_GT,
	NORN_TOKEN_GE,
	NORN_TOKEN_PLUS,
	NORN_TOKEN_MINUS,
	NORN_TOKEN_STAR,
	NORN_TOKEN_SLASH,
	NORN_TOKEN_PERCENT,
	NORN_TOKEN_AMPERSAND,
	NORN_TOKEN_BAR,
	NORN_TOKEN_QUESTION,
	NORN_TOKEN_TILDE,
	NORN_TOKEN_NOT,
	NORN_TOKEN_AND,
	NORN_TOKEN_OR,
	NORN_TOKEN_ARROW, /* -> */
	NORN_TOKEN_IFF,
	/* reserved words from here on */
	NORN_TOKEN_XOR,
	NORN_TOKEN_UNTIL,
	NORN_TOKEN_UNLESS,
	NORN_TOKEN_RELEASE,
	NORN_TOKEN_SINCE,
	NORN_TOKEN_WEAK_SINCE,
	NORN_TOKEN_ALWAYS,
	NORN_TOKEN_EVENTUALLY,
	NORN_TOKEN_NEXT,
	NORN_TOKEN_WEAK_NEXT,
	NORN_TOKEN_PREV,
	NORN_TOKEN_ONCE,
	NORN_TOKEN_HIST,
	NORN_TOKEN_FORALL,
	NORN_TOKEN_EXISTS,
	NORN_TOKEN_TRUE,
	NORN_TOKEN_FALSE,
	NORN_TOKEN_STRUCT,
	NORN_TOKEN_UNION,
	NORN_TOKEN_IF,
	NORN_TOKEN_ELSE,
	NORN_TOKEN_KINDS
};

struct norn_token {
	enum norn_token_kind kind;
	struct norn_span span;
	uint64_t number; /* INT; REAL: the bits of the double */
	bool quoted; /* ID: in backquotes */
};

struct norn_lexer {
	struct norn_sources *sources;
	const char *text;
	uint32_t file, at, bytes;
	bool quiet; /* make no diagnostics: this is looking ahead, or skipping what is broken already */
};

void norn_lexer_init(struct norn_lexer *lexer, struct norn_sources *sources, uint32_t file);
/* The next token; past the end always END. Complains about what is no token. */
struct norn_token norn_lexer_next(struct norn_lexer *lexer);
/* True if the token, behind which the lexer stands, begins a name of C++ that is more than a word: ns::Class<int>::~Class,
 * Class::operator<<. It is made the token then, of kind ID. */
bool norn_lexer_function(struct norn_lexer *lexer, struct norn_token *token);
/* Passes white space. If a comment comes next, *ret_comment is it and the lexer stands behind it: true. For the formatter. */
bool norn_lexer_comment(struct norn_lexer *lexer, struct norn_span *ret_comment);

/* The name of an ID, without backquotes; the text of a STR, escapes replaced. NULL: out of memory. */
char *norn_token_text(const struct norn_lexer *lexer, const struct norn_token *token, struct norn_arena *arena);
bool norn_token_is(const struct norn_lexer *lexer, const struct norn_token *token, const char *word); /* a plain ID so spelled */
bool norn_token_reserved(enum norn_token_kind kind); /* a word that is never a name */
/* True if a name has to be written in backquotes wherever it stands. */
bool norn_name_reserved(const char *name);
bool norn_name_plain(const char *name); /* of ASCII letters: needs no backquotes behind a `.`, at least */

/* The place of the first byte that no property file may hold (NUL, or not UTF-8); bytes if there is none. */
size_t norn_text_valid(const char *text, size_t bytes);

#endif
