#include "property/operator.h"

#include <string.h>

static const struct norn_operator operators[] = {
        {NORN_FORM_IFF, NORN_TOKEN_IFF, "<->", 1, NORN_CHAIN_LEFT},
        {NORN_FORM_IMPLIES, NORN_TOKEN_ARROW, "->", 2, NORN_CHAIN_RIGHT},
        {NORN_FORM_XOR, NORN_TOKEN_XOR, "xor", 3, NORN_CHAIN_LEFT},
        {NORN_FORM_OR, NORN_TOKEN_OR, "||", 4, NORN_CHAIN_LEFT},
        {NORN_FORM_AND, NORN_TOKEN_AND, "&&", 5, NORN_CHAIN_LEFT},
        {NORN_FORM_UNTIL, NORN_TOKEN_UNTIL, "U", 6, NORN_CHAIN_RIGHT},
        {NORN_FORM_UNLESS, NORN_TOKEN_UNLESS, "W", 6, NORN_CHAIN_RIGHT},
        {NORN_FORM_RELEASE, NORN_TOKEN_RELEASE, "R", 6, NORN_CHAIN_RIGHT},
        {NORN_FORM_SINCE, NORN_TOKEN_SINCE, "S", 6, NORN_CHAIN_RIGHT},
        {NORN_FORM_WEAK_SINCE, NORN_TOKEN_WEAK_SINCE, "SW", 6, NORN_CHAIN_RIGHT},
        {NORN_FORM_EQ, NORN_TOKEN_EQ, "==", 7, NORN_CHAIN_NONE},
        {NORN_FORM_EQ, NORN_TOKEN_ASSIGN, "==", 7, NORN_CHAIN_NONE},
        {NORN_FORM_NE, NORN_TOKEN_NE, "!=", 7, NORN_CHAIN_NONE},
        {NORN_FORM_LT, NORN_TOKEN_LT, "<", 7, NORN_CHAIN_NONE},
        {NORN_FORM_LE, NORN_TOKEN_LE, "<=", 7, NORN_CHAIN_NONE},
        {NORN_FORM_GT, NORN_TOKEN_GT, ">", 7, NORN_CHAIN_NONE},
        {NORN_FORM_GE, NORN_TOKEN_GE, ">=", 7, NORN_CHAIN_NONE},
        {NORN_FORM_ADD, NORN_TOKEN_PLUS, "+", 8, NORN_CHAIN_LEFT},
        {NORN_FORM_SUB, NORN_TOKEN_MINUS, "-", 8, NORN_CHAIN_LEFT},
        {NORN_FORM_MUL, NORN_TOKEN_STAR, "*", 9, NORN_CHAIN_LEFT},
        {NORN_FORM_DIV, NORN_TOKEN_SLASH, "/", 9, NORN_CHAIN_LEFT},
        {NORN_FORM_MOD, NORN_TOKEN_PERCENT, "%", 9, NORN_CHAIN_LEFT},
        {NORN_FORM_BITAND, NORN_TOKEN_AMPERSAND, "&", 9, NORN_CHAIN_LEFT},
        {NORN_FORM_NOT, NORN_TOKEN_NOT, "!", 0, NORN_CHAIN_NONE},
        {NORN_FORM_NEGATE, NORN_TOKEN_MINUS, "-", 0, NORN_CHAIN_NONE},
        {NORN_FORM_INVERT, NORN_TOKEN_TILDE, "~", 0, NORN_CHAIN_NONE},
        {NORN_FORM_ALWAYS, NORN_TOKEN_ALWAYS, "G", 0, NORN_CHAIN_NONE},
        {NORN_FORM_EVENTUALLY, NORN_TOKEN_EVENTUALLY, "F", 0, NORN_CHAIN_NONE},
        {NORN_FORM_NEXT, NORN_TOKEN_NEXT, "X", 0, NORN_CHAIN_NONE},
        {NORN_FORM_WEAK_NEXT, NORN_TOKEN_WEAK_NEXT, "WX", 0, NORN_CHAIN_NONE},
        {NORN_FORM_PREV, NORN_TOKEN_PREV, "prev", 0, NORN_CHAIN_NONE},
        {NORN_FORM_ONCE, NORN_TOKEN_ONCE, "once", 0, NORN_CHAIN_NONE},
        {NORN_FORM_HIST, NORN_TOKEN_HIST, "hist", 0, NORN_CHAIN_NONE},
};
#define COUNT (sizeof operators / sizeof *operators)

const struct norn_operator *norn_operator_binary(enum norn_token_kind token)
{
	for (const struct norn_operator *o = operators; o < operators + COUNT && o->level; o++)
		if (o->token == token)
			return o;
	return NULL;
}

const struct norn_operator *norn_operator_prefix(enum norn_token_kind token)
{
	for (const struct norn_operator *o = operators; o < operators + COUNT; o++)
		if (!o->level && o->token == token)
			return o;
	return NULL;
}

const struct norn_operator *norn_operator_of(enum norn_form_kind kind)
{
	for (const struct norn_operator *o = operators; o < operators + COUNT; o++)
		if (o->kind == kind)
			return o;
	return NULL;
}

static const char *const words[] = {
        [NORN_WORD_READ] = "read",
        [NORN_WORD_WRITE] = "write",
        [NORN_WORD_ACCESS] = "access",
        [NORN_WORD_ALL] = "all",
        [NORN_WORD_SOME] = "some",
        [NORN_WORD_NONE] = "none",
        [NORN_WORD_SIZE] = "size",
        [NORN_WORD_COUNT] = "count",
};

const char *norn_word_text(enum norn_word word)
{
	return words[word];
}

bool norn_word_calls(const char *word)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return strcmp(word, "start") == 0 || strcmp(word, "end") == 0;
}
