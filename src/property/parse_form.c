/* Formulas and lvalues. Nesting of brackets is recursion; chains of operators are not, however long. */
#include <string.h>

#include "base/text/nearest_word.h"
#include "property/operator.h"
#include "property/parse.h"

bool norn_parser_deep(struct norn_parser *p, unsigned depth, struct norn_span span)
{
	if (depth > NORN_DEPTH_MAX)
		return !norn_parser_wrong(
		        p, span, "give names to parts of it", "this is nested more than %u operators deep", NORN_DEPTH_MAX);
	return false;
}

static struct norn_form *make(struct norn_parser *p, enum norn_form_kind kind)
{
	struct norn_form *form = norn_parser_make(p, sizeof *form);
	*form = (struct norn_form){.kind = kind, .depth = 1, .span = p->now.span};
	return form;
}

/* Completes a node whose operands are there: depth, and the span up to the last token. */
static struct norn_form *done(struct norn_parser *p, struct norn_form *form)
{
	unsigned depth = form->a ? form->a->depth : 0;
	if (form->b && form->b->depth > depth)
		depth = form->b->depth;
	for (const struct norn_form *f = form->arguments; f; f = f->next)
		if (f->depth > depth)
			depth = f->depth;
	form->span = norn_parser_since(p, form->span);
	if (norn_parser_deep(p, depth + 1, p->last))
		return NULL;
	form->depth = (uint16_t)(depth + 1);
	return form;
}

/* ---- lvalues ---- */

static bool index_step(struct norn_parser *p, struct norn_step *step)
{
	step->index = true;
	if (p->now.kind == NORN_TOKEN_INT)
		step->number = p->now.number;
	else if (p->now.kind == NORN_TOKEN_STAR)
		step->every = true;
	else
		return norn_parser_expected(p, "an index is a number, or `*` for every element", "a number or `*` as the index");
	norn_parser_next(p);
	return norn_parser_expect(p, NORN_TOKEN_RBRACKET, "`]` after the index");
}

static struct norn_name joined(struct norn_parser *p, struct norn_name outer, struct norn_name inner)
{
	size_t bytes = strlen(outer.text) + strlen(inner.text) + 3;
	char *text = norn_parser_make(p, bytes);
	snprintf(text, bytes, "%s::%s", outer.text, inner.text);
	outer.text = text;
	outer.span.length = inner.span.offset + inner.span.length - outer.span.offset;
	return outer;
}

/* A tag may have template arguments. */
static bool lval_name(struct norn_parser *p, struct norn_lval *l, const char *what)
{
	bool template = l->tagged && p->now.kind == NORN_TOKEN_ID && p->lexer.text[p->lexer.at] == '<';
	return template ? norn_parser_function(p, what, &l->name) : norn_parser_name(p, what, &l->name);
}

static struct norn_lval *lval(struct norn_parser *p, bool in_form)
{
	struct norn_lval *l = norn_parser_make(p, sizeof *l);
	struct norn_span first = p->now.span;
	if (p->now.kind == NORN_TOKEN_STR && (!norn_parser_string(p, "a file", &l->file) ||
	                                             !norn_parser_expect(p, NORN_TOKEN_COLONS, "`::` after the file's name")))
		return NULL;
	l->is_union = p->now.kind == NORN_TOKEN_UNION;
	l->tagged = norn_parser_take(p, NORN_TOKEN_STRUCT) || norn_parser_take(p, NORN_TOKEN_UNION);
	if (!lval_name(p, l, l->tagged ? "a tag" : "a variable"))
		return NULL;
	while (norn_parser_take(p, NORN_TOKEN_COLONS)) { /* of C++ there may be several: ns::Class::variable */
		l->function = l->function.text ? joined(p, l->function, l->name) : l->name;
		if (!lval_name(p, l, "a variable of the function"))
			return NULL;
	}
	struct norn_step **end = &l->steps;
	for (;;) {
		bool index = p->now.kind == NORN_TOKEN_LBRACKET;
		if (!in_form && p->now.kind == NORN_TOKEN_ARROW) {
			if (!p->panic)
				norn_diagnose(p->sources, NORN_SEVERITY_ERROR, p->now.span, "write `.`, through pointers, too",
				        "member access is always `.`");
		} else if (!index && p->now.kind != NORN_TOKEN_DOT) {
			break;
		}
		norn_parser_next(p);
		struct norn_step *step = norn_parser_make(p, sizeof *step);
		if (!(index ? index_step(p, step) : norn_parser_field(p, &step->field)))
			return NULL;
		*end = step;
		end = &step->next;
	}
	l->span = norn_parser_since(p, first);
	return l;
}

struct norn_lval *norn_parse_lval(struct norn_parser *p)
{
	return lval(p, false);
}

struct norn_lval *norn_parse_lvals(struct norn_parser *p)
{
	struct norn_lval *first = NULL, **end = &first;
	do {
		*end = lval(p, false);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	return first;
}

/* ---- operands ---- */

static bool enter(struct norn_parser *p)
{
	return !norn_parser_deep(p, ++p->nesting, p->now.span);
}

static bool leave(struct norn_parser *p, enum norn_token_kind kind, const char *what)
{
	p->nesting--;
	return norn_parser_take(p, kind) || norn_parse_form_end(p, what);
}

static struct norn_form *parenthesis(struct norn_parser *p)
{
	struct norn_span first = p->now.span;
	if (!enter(p))
		return NULL;
	norn_parser_next(p);
	struct norn_form *form = norn_parse_form(p);
	if (!form || !leave(p, NORN_TOKEN_RPAREN, "`)`"))
		return NULL;
	form->span = norn_parser_since(p, first);
	return form;
}

/* [a, b) and [a, b) weak */
static struct norn_form *interval(struct norn_parser *p)
{
	struct norn_form *form = make(p, NORN_FORM_INTERVAL);
	if (!enter(p))
		return NULL;
	norn_parser_next(p);
	if (p->now.kind == NORN_TOKEN_RBRACKET) {
		norn_parser_wrong(p, norn_parser_since(p, form->span), "write `G` for always", "`[]` is no operator here");
		return NULL;
	}
	form->a = norn_parse_form(p);
	if (!form->a)
		return NULL;
	if (!norn_parser_take(p, NORN_TOKEN_COMMA)) {
		norn_parser_expected(p, "an interval is `[p, q)`: from p on, until q", "`,` after the first part of an interval");
		return NULL;
	}
	form->b = norn_parse_form(p);
	if (!form->b)
		return NULL;
	if (p->now.kind == NORN_TOKEN_RBRACKET) {
		norn_parser_expected(p, "an interval ends with `)`: it is `[p, q)`", "`)` at the end of the interval");
		return NULL;
	}
	if (!leave(p, NORN_TOKEN_RPAREN, "`)` at the end of the interval"))
		return NULL;
	if (norn_parser_take_word(p, "weak"))
		form->kind = NORN_FORM_WEAK_INTERVAL;
	return done(p, form);
}

bool norn_parse_forms(struct norn_parser *p, const char *what, struct norn_form **ret_forms)
{
	struct norn_form **end = ret_forms;
	if (!norn_parser_expect(p, NORN_TOKEN_LPAREN, what) || !enter(p))
		return false;
	if (p->now.kind != NORN_TOKEN_RPAREN)
		do {
			*end = norn_parse_form(p);
			if (!*end)
				return false;
			end = &(*end)->next;
		} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	return leave(p, NORN_TOKEN_RPAREN, "`)` after the arguments");
}

static struct norn_form *variable(struct norn_parser *p)
{
	struct norn_form *form = make(p, NORN_FORM_NAME);
	form->lval = lval(p, true);
	if (!form->lval)
		return NULL;
	form->called = p->now.kind == NORN_TOKEN_LPAREN;
	if (form->called && !norn_parse_forms(p, "`(`", &form->arguments))
		return NULL;
	return done(p, form);
}

static bool counted(struct norn_parser *p, struct norn_form *form)
{
	if (!norn_parser_name(p, "a name", &form->name))
		return false;
	if (form->word != NORN_WORD_COUNT || !norn_parser_take(p, NORN_TOKEN_COMMA))
		return true;
	if (p->now.kind != NORN_TOKEN_EVENTUALLY || p->lexer.text[p->now.span.offset] != 'F')
		return norn_parser_name(p, "a verdict, `T` or `F`, or a type of threads", &form->other);
	form->other = (struct norn_name){"F", p->now.span}; /* here a verdict, and no operator */
	norn_parser_next(p);
	return true;
}

/* start(form), read(lval), all(ID), …: words that are operators if `(` follows. */
static struct norn_form *word(struct norn_parser *p)
{
	struct norn_form *form = make(p, NORN_FORM_ACCESS);
	bool start = norn_parser_at_word(p, "start"), understood;
	if (start || norn_parser_at_word(p, "end")) {
		form->kind = start ? NORN_FORM_START : NORN_FORM_END;
	} else {
		while (!norn_parser_at_word(p, norn_word_text(form->word)))
			form->word++;
		if (form->word > NORN_WORD_ACCESS)
			form->kind = NORN_FORM_COUNT;
	}
	norn_parser_next(p);
	norn_parser_next(p);
	if (!enter(p))
		return NULL;
	if (form->kind == NORN_FORM_ACCESS)
		understood = (form->lval = lval(p, false));
	else if (form->kind == NORN_FORM_COUNT)
		understood = counted(p, form);
	else
		understood = (form->a = norn_parse_form(p));
	return understood && leave(p, NORN_TOKEN_RPAREN, "`)`") ? done(p, form) : NULL;
}

static struct norn_form *leaf(struct norn_parser *p, enum norn_form_kind kind)
{
	struct norn_form *form = make(p, kind);
	form->number = p->now.number;
	norn_parser_next(p);
	return form;
}

/* now cannot begin an operand. Often it is a C variable that has an operator's name. */
static struct norn_form *no_operand(struct norn_parser *p)
{
	char help[160];
	const char *text = p->lexer.text;
	struct norn_span name = p->now.span;
	bool taken = norn_token_reserved(p->now.kind);
	if (!taken) {
		name = p->last;
		taken = norn_token_reserved(p->last_kind);
	}
	if (taken)
		snprintf(help, sizeof help, "a C variable that is named like the operator %.*s is written in backquotes: `%.*s`",
		        (int)name.length, text + name.offset, (int)name.length, text + name.offset);
	norn_parser_expected(p, taken ? help : NULL, "a formula");
	return NULL;
}

static struct norn_form *text(struct norn_parser *p)
{
	struct norn_form *form = make(p, NORN_FORM_TEXT);
	return norn_parser_string(p, "a string", &form->text) ? form : NULL;
}

static bool calls(const struct norn_parser *p)
{
	char text[8] = "";
	if (p->now.quoted || p->now.span.length >= sizeof text)
		return false;
	memcpy(text, p->lexer.text + p->now.span.offset, p->now.span.length);
	return norn_word_calls(text) && norn_parser_peek(p, 1).kind == NORN_TOKEN_LPAREN;
}

static struct norn_form *operand(struct norn_parser *p)
{
	switch (p->now.kind) {
	case NORN_TOKEN_INT:
		return leaf(p, NORN_FORM_INT);
	case NORN_TOKEN_REAL:
		return leaf(p, NORN_FORM_REAL);
	case NORN_TOKEN_TRUE:
		return leaf(p, NORN_FORM_TRUE);
	case NORN_TOKEN_FALSE:
		return leaf(p, NORN_FORM_FALSE);
	case NORN_TOKEN_LPAREN:
		return parenthesis(p);
	case NORN_TOKEN_LBRACKET:
		return interval(p);
	case NORN_TOKEN_ID:
		return calls(p) ? word(p) : variable(p);
	case NORN_TOKEN_STR:
		return norn_parser_peek(p, 1).kind == NORN_TOKEN_COLONS ? variable(p) : text(p);
	case NORN_TOKEN_STRUCT:
	case NORN_TOKEN_UNION:
		return variable(p);
	default:
		return no_operand(p);
	}
}

/* ---- operators ---- */

/* forall ID ["!=" ID] [":" ID] "." */
static bool quantifier(struct norn_parser *p, struct norn_form *form)
{
	if (!norn_parser_name(p, "a name for a thread", &form->name))
		return false;
	if (norn_parser_take(p, NORN_TOKEN_NE) && !norn_parser_name(p, "the other thread's name", &form->other))
		return false;
	if (norn_parser_take(p, NORN_TOKEN_COLON) && !norn_parser_name(p, "a type of threads", &form->type))
		return false;
	return norn_parser_expect(p, NORN_TOKEN_DOT, "`.` after the quantifier");
}

/* A prefix operator, with all that it consists of but its operand; NULL and no diagnostic: there is none. */
static struct norn_form *prefix(struct norn_parser *p)
{
	const struct norn_operator *o = norn_operator_prefix(p->now.kind);
	enum norn_token_kind token = p->now.kind;
	bool binds = token == NORN_TOKEN_FORALL || token == NORN_TOKEN_EXISTS;
	if (!o && !binds && token != NORN_TOKEN_AT)
		return NULL;
	struct norn_form *form = make(p, o ? o->kind : NORN_FORM_AT);
	norn_parser_next(p);
	if (binds) {
		form->kind = token == NORN_TOKEN_FORALL ? NORN_FORM_FORALL : NORN_FORM_EXISTS;
		return quantifier(p, form) ? form : NULL;
	}
	return o || norn_parser_name(p, "a thread after `@`", &form->name) ? form : NULL;
}

/* Prefixes are collected first, the innermost on top, linked through next. */
static struct norn_form *unary(struct norn_parser *p)
{
	struct norn_form *outer = NULL, *form;
	for (unsigned count = 1; (form = prefix(p)); count++) {
		form->next = outer;
		outer = form;
		if (norn_parser_deep(p, count, p->last))
			return NULL;
	}
	if (p->panic)
		return NULL;
	form = operand(p);
	while (form && outer) {
		struct norn_form *inner = form;
		form = outer;
		outer = form->next;
		form->next = NULL;
		form->a = inner;
		form = done(p, form);
	}
	return form;
}

/* p->q without spaces, between two names: often meant as in C. p->X q hardly is; p->next is. */
static void warn_of_member_access(const struct norn_parser *p)
{
	struct norn_token next = norn_parser_peek(p, 1);
	uint32_t arrow = p->now.span.offset;
	bool name = next.kind == NORN_TOKEN_ID || (norn_token_reserved(next.kind) && next.span.length > 2);
	if (p->last_kind != NORN_TOKEN_ID || !name || p->last.offset + p->last.length != arrow || next.span.offset != arrow + 2)
		return;
	struct norn_span span = {p->last.file, p->last.offset, next.span.offset + next.span.length - p->last.offset};
	norn_diagnose(p->sources, NORN_SEVERITY_WARNING, span,
	        "member access is always `.`, through pointers, too; if an implication is meant, put spaces around `->`",
	        "`->` is implication here");
}

/* Puts form as the right operand into the innermost operator that waits for one. */
static struct norn_form *reduce(struct norn_parser *p, struct norn_form **waiting, struct norn_form *form)
{
	struct norn_form *node = *waiting;
	*waiting = node->next;
	node->next = NULL;
	node->b = form;
	return done(p, node);
}

static bool waits(
        struct norn_parser *p, const struct norn_operator *o, struct norn_form *a, struct norn_form **waiting, unsigned count)
{
	if (o->token == NORN_TOKEN_ARROW)
		warn_of_member_access(p);
	struct norn_form *node = make(p, o->kind);
	if (norn_parser_deep(p, count, p->now.span))
		return false;
	node->span = a->span;
	node->a = a;
	node->next = *waiting;
	*waiting = node;
	norn_parser_next(p);
	return true;
}

/* Operators wait for their right operands on a stack, linked through next, until one comes that binds less. */
struct norn_form *norn_parse_form(struct norn_parser *p)
{
	struct norn_form *waiting = NULL;
	for (unsigned count = 1;; count++) {
		struct norn_form *form = unary(p);
		const struct norn_operator *o = norn_operator_binary(p->now.kind), *top;
		while (form && waiting) {
			top = norn_operator_of(waiting->kind);
			if (o && (o->level > top->level || (o->level == top->level && o->chain == NORN_CHAIN_RIGHT)))
				break;
			if (o && o->level == top->level && o->chain == NORN_CHAIN_NONE) {
				norn_parser_wrong(p, p->now.span, "write `a < b && b < c`", "comparisons do not form chains");
				return NULL;
			}
			form = reduce(p, &waiting, form);
			count--;
		}
		if (!form || !o)
			return form;
		if (!waits(p, o, form, &waiting, count))
			return NULL;
	}
}

/* ---- behind a formula ---- */

static const char *const binary_words[] = {
        "and", "or", "xor", "until", "unless", "release", "since", "wsince", "implies", "iff", "equals"};
static const char *const binary_meanings[] = {
        "and", "or", "xor", "until", "unless", "release", "since", "wsince", "->", "<->", "=="};

static const char *binary_word(const void *words, unsigned i)
{
	return ((const char *const *)words)[i];
}

/* A suggestion for a token that cannot follow a formula. */
static const char *meant(struct norn_parser *p, bool closing, char *help, size_t bytes)
{
	enum { COUNT = sizeof binary_words / sizeof *binary_words };
	const char *text = p->lexer.text + p->last.offset;
	char *name = NULL;
	if (p->now.kind == NORN_TOKEN_SEMICOLON || p->now.kind == NORN_TOKEN_RBRACE)
		return closing ? "there are more `(` than `)`" : NULL;
	if (p->now.kind == NORN_TOKEN_BAR)
		return "between formulas write `||`; `|` is for alternative events";
	bool edge = (p->last.length == 5 && memcmp(text, "start", 5) == 0) || (p->last.length == 3 && memcmp(text, "end", 3) == 0);
	if (edge) {
		snprintf(help, bytes, "`%.*s` needs parentheses: %.*s(…)", (int)p->last.length, text, (int)p->last.length, text);
		return help;
	}
	if (p->now.kind == NORN_TOKEN_ID && p->now.span.length < 16)
		name = norn_token_text(&p->lexer, &p->now, &p->tree->arena);
	const char *nearest = name ? norn_nearest(name, COUNT, binary_word, binary_words) : NULL;
	for (unsigned i = 0; nearest && i < COUNT; i++)
		if (nearest == binary_words[i]) {
			snprintf(help, bytes, "did you mean `%s`?", binary_meanings[i]);
			return help;
		}
	return NULL;
}

bool norn_parse_form_end(struct norn_parser *p, const char *what)
{
	char help[100], expected[120];
	bool closing = what[0] == '`';
	const char *hint = meant(p, closing, help, sizeof help);
	if (!closing && (!hint || p->now.kind == NORN_TOKEN_SEMICOLON))
		return norn_parser_end(p, what);
	snprintf(expected, sizeof expected, closing ? "%s or an operator" : "`;` after %s, or an operator", what);
	return norn_parser_expected(p, hint, expected);
}
