/* The operators of formulas: one table for the parser and the printer. */
#ifndef NORN_PROPERTY_OPERATOR_H
#define NORN_PROPERTY_OPERATOR_H

#include "property/ast.h"
#include "property/lex.h"

enum norn_chain {
	NORN_CHAIN_LEFT, /* a - b - c is (a - b) - c */
	NORN_CHAIN_RIGHT, /* a -> b -> c is a -> (b -> c) */
	NORN_CHAIN_NONE /* a < b < c is a mistake */
};

struct norn_operator {
	enum norn_form_kind kind;
	enum norn_token_kind token;
	const char *text; /* as it is printed */
	uint8_t level; /* of a binary operator: the higher, the tighter it binds, from 1; 0: a prefix */
	enum norn_chain chain;
};

/* NULL if there is none. NORN_TOKEN_ASSIGN is ==. */
const struct norn_operator *norn_operator_binary(enum norn_token_kind token);
const struct norn_operator *norn_operator_prefix(enum norn_token_kind token);
/* Of a form; NULL for leaves, brackets and what binds names. */
const struct norn_operator *norn_operator_of(enum norn_form_kind kind);

/* read, write, …, count, as written. */
const char *norn_word_text(enum norn_word word);
/* Words that are operators of formulas if `(` follows: those, and start and end. */
bool norn_word_calls(const char *word);

#endif
