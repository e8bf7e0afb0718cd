/* Expressions over events. */
#include "property/parse.h"

static struct norn_rex *make(struct norn_parser *p, enum norn_rex_kind kind, struct norn_rex *a, struct norn_rex *b)
{
	struct norn_rex *rex = norn_parser_make(p, sizeof *rex);
	unsigned depth = a ? a->depth : 0;
	if (b && b->depth > depth)
		depth = b->depth;
	*rex = (struct norn_rex){.kind = kind, .a = a, .b = b, .depth = (uint16_t)(depth + 1), .span = a ? a->span : p->now.span};
	if (a)
		rex->span = norn_parser_since(p, a->span);
	return norn_parser_deep(p, depth + 1, p->last) ? NULL : rex;
}

static struct norn_rex *parenthesis(struct norn_parser *p)
{
	struct norn_span first = p->now.span;
	if (norn_parser_deep(p, ++p->nesting, p->now.span))
		return NULL;
	norn_parser_next(p);
	struct norn_rex *rex = norn_parse_rex(p);
	if (!rex || !norn_parser_expect(p, NORN_TOKEN_RPAREN, "`)` or an event"))
		return NULL;
	p->nesting--;
	rex->span = norn_parser_since(p, first);
	return rex;
}

static struct norn_rex *leaf(struct norn_parser *p)
{
	struct norn_rex *rex;
	switch (p->now.kind) {
	case NORN_TOKEN_LPAREN:
		return parenthesis(p);
	case NORN_TOKEN_DOT:
		rex = make(p, NORN_REX_ANY, NULL, NULL);
		norn_parser_next(p);
		return rex;
	case NORN_TOKEN_ID:
		rex = make(p, NORN_REX_EVENT, NULL, NULL);
		return rex && norn_parser_name(p, "an event", &rex->event) ? rex : NULL;
	case NORN_TOKEN_OR:
	case NORN_TOKEN_AND:
		norn_parser_expected(p, "in expressions over events it is a single `|` or `&`", "an event");
		return NULL;
	default:
		norn_parser_expected(p, NULL, "an event, `.`, `!` or `(`");
		return NULL;
	}
}

/* Complements are counted first: !!!a needs no recursion. */
static struct norn_rex *atom(struct norn_parser *p)
{
	struct norn_span first = p->now.span;
	unsigned complements = 0;
	while (p->now.kind == NORN_TOKEN_NOT || p->now.kind == NORN_TOKEN_TILDE) {
		norn_parser_next(p);
		if (norn_parser_deep(p, ++complements, p->last))
			return NULL;
	}
	struct norn_rex *rex = leaf(p);
	for (unsigned i = complements; rex && i; i--) {
		rex = make(p, NORN_REX_NOT, rex, NULL);
		if (rex)
			rex->span = norn_parser_since(p, first);
	}
	return rex;
}

static bool bound(struct norn_parser *p, uint32_t *ret_bound)
{
	if (p->now.kind != NORN_TOKEN_INT)
		return norn_parser_expected(p, "a repetition is `{2}`, `{2,}` or `{2,5}`", "a number of repetitions");
	if (p->now.number >= NORN_REX_UNBOUNDED)
		return norn_parser_wrong(p, p->now.span, "write `{n,}` if there is no limit", "that is too many repetitions");
	*ret_bound = (uint32_t)p->now.number;
	norn_parser_next(p);
	return true;
}

/* The text between the braces, and the closing one. */
static bool bounds(struct norn_parser *p, struct norn_rex *rex)
{
	struct norn_span first = p->now.span;
	if (!bound(p, &rex->least))
		return false;
	rex->most = rex->least;
	if (norn_parser_take(p, NORN_TOKEN_COMMA)) {
		rex->most = NORN_REX_UNBOUNDED;
		if (p->now.kind != NORN_TOKEN_RBRACE && !bound(p, &rex->most))
			return false;
	}
	if (rex->most < rex->least && !p->panic)
		norn_diagnose(p->sources, NORN_SEVERITY_ERROR, norn_parser_since(p, first), "the smaller number comes first",
		        "this repetition is at least %u and at most %u", rex->least, rex->most);
	return norn_parser_expect(p, NORN_TOKEN_RBRACE, "`}` after the repetition");
}

/* After a mistake: code that skips on must not take this brace for the end of a body. */
static void leave_braces(struct norn_parser *p)
{
	while (p->now.kind != NORN_TOKEN_RBRACE && p->now.kind != NORN_TOKEN_SEMICOLON && p->now.kind != NORN_TOKEN_END)
		norn_parser_next(p);
	norn_parser_take(p, NORN_TOKEN_RBRACE);
}

static struct norn_rex *repeated(struct norn_parser *p)
{
	struct norn_rex *rex = atom(p);
	while (rex) {
		enum norn_token_kind kind = p->now.kind;
		struct norn_span first = rex->span;
		if (kind != NORN_TOKEN_STAR && kind != NORN_TOKEN_PLUS && kind != NORN_TOKEN_QUESTION && kind != NORN_TOKEN_LBRACE)
			break;
		norn_parser_next(p);
		rex = make(p, NORN_REX_REPEAT, rex, NULL);
		if (!rex)
			return NULL;
		rex->least = kind == NORN_TOKEN_PLUS;
		rex->most = kind == NORN_TOKEN_QUESTION ? 1 : NORN_REX_UNBOUNDED;
		if (kind == NORN_TOKEN_LBRACE && !bounds(p, rex)) {
			leave_braces(p);
			return NULL;
		}
		rex->span = norn_parser_since(p, first);
	}
	return rex;
}

static bool begins(const struct norn_parser *p)
{
	return p->now.kind == NORN_TOKEN_ID || p->now.kind == NORN_TOKEN_DOT || p->now.kind == NORN_TOKEN_LPAREN ||
	       p->now.kind == NORN_TOKEN_NOT || p->now.kind == NORN_TOKEN_TILDE;
}

static struct norn_rex *sequence(struct norn_parser *p)
{
	struct norn_rex *rex = repeated(p);
	while (rex && begins(p)) {
		struct norn_rex *next = repeated(p);
		rex = next ? make(p, NORN_REX_CAT, rex, next) : NULL;
	}
	return rex;
}

static struct norn_rex *both(struct norn_parser *p)
{
	struct norn_rex *rex = sequence(p);
	while (rex && norn_parser_take(p, NORN_TOKEN_AMPERSAND)) {
		struct norn_rex *next = sequence(p);
		rex = next ? make(p, NORN_REX_AND, rex, next) : NULL;
	}
	return rex;
}

struct norn_rex *norn_parse_rex(struct norn_parser *p)
{
	struct norn_rex *rex = both(p);
	while (rex && norn_parser_take(p, NORN_TOKEN_BAR)) {
		struct norn_rex *next = both(p);
		rex = next ? make(p, NORN_REX_OR, rex, next) : NULL;
	}
	if (rex && (p->now.kind == NORN_TOKEN_OR || p->now.kind == NORN_TOKEN_AND)) {
		norn_parser_expected(p, "in expressions over events it is a single `|` or `&`", "an event");
		return NULL;
	}
	return rex;
}
