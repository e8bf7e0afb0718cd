/* Declarations: what each consists of up to its `;`. Properties and scopes are in parse_property.c. */
#include "property/parse.h"

static bool parse_include(struct norn_parser *p, struct norn_decl *decl)
{
	decl->name.span = p->now.span;
	return norn_parser_string(p, "the file's name as a string", &decl->include) && norn_parser_end(p, "the include");
}

static bool equals(struct norn_parser *p)
{
	return norn_parser_take(p, NORN_TOKEN_ASSIGN) ||
	       norn_parser_expected(
	               p, p->now.kind == NORN_TOKEN_EQ ? "declarations have a single `=`" : NULL, "`=` after the name");
}

static bool parse_variable(struct norn_parser *p, struct norn_decl *decl)
{
	bool lock = decl->kind == NORN_DECL_LOCK;
	return norn_parser_name(p, lock ? "a name for the lock" : "a name for the variable", &decl->name) && equals(p) &&
	       (decl->lval = norn_parse_lval(p)) && norn_parser_end(p, lock ? "the lock" : "the variable");
}

static struct norn_tsel *thread_selector(struct norn_parser *p)
{
	static const char *const words[] = {"main", "spawn", "named", NULL};
	struct norn_tsel *sel = norn_parser_make(p, sizeof *sel);
	struct norn_span first = p->now.span;
	if (norn_parser_take_word(p, "main")) {
		sel->kind = NORN_TSEL_MAIN;
	} else if (norn_parser_take_word(p, "spawn")) {
		sel->kind = NORN_TSEL_SPAWN;
		if (!norn_parser_expect(p, NORN_TOKEN_LPAREN, "`(` after `spawn`") ||
		        !norn_parser_function(p, "a start routine", &sel->function) ||
		        !norn_parser_expect(p, NORN_TOKEN_RPAREN, "`)` after the start routine"))
			return NULL;
	} else if (norn_parser_take_word(p, "named")) {
		sel->kind = NORN_TSEL_NAMED;
		if (!norn_parser_string(p, "the threads' name as a string", &sel->named))
			return NULL;
	} else {
		norn_parser_unknown(p, "a kind of threads", words);
		return NULL;
	}
	sel->span = norn_parser_since(p, first);
	return sel;
}

static bool parse_thread(struct norn_parser *p, struct norn_decl *decl)
{
	struct norn_tsel **end = &decl->threads;
	if (!norn_parser_name(p, "a name for the type of threads", &decl->name) || !equals(p))
		return false;
	do {
		*end = thread_selector(p);
		if (!*end)
			return false;
		end = &(*end)->next;
	} while (norn_parser_take(p, NORN_TOKEN_BAR));
	return norn_parser_end(p, "the thread type");
}

/* ---- events ---- */

static const char *const point_words[] = {
        [NORN_POINT_CALL] = "call",
        [NORN_POINT_RETURN] = "return",
        [NORN_POINT_READ] = "read",
        [NORN_POINT_WRITE] = "write",
        [NORN_POINT_ACCESS] = "access",
        [NORN_POINT_LOCK] = "lock",
        [NORN_POINT_UNLOCK] = "unlock",
        [NORN_POINT_START] = "start",
        [NORN_POINT_EXIT] = "exit",
        [NORN_POINT_JOIN] = "join",
        [NORN_POINT_NOTE] = "note",
        NULL,
};

/* ID, "_" or "..." */
static bool argument(struct norn_parser *p, struct norn_name *ret_name)
{
	if (p->now.kind != NORN_TOKEN_DOTS)
		return norn_parser_name(p, "a name for the argument, `_` or `...`", ret_name);
	*ret_name = (struct norn_name){"...", p->now.span};
	norn_parser_next(p);
	return true;
}

static bool arguments(struct norn_parser *p, struct norn_names **end)
{
	if (!norn_parser_expect(p, NORN_TOKEN_LPAREN, "`(` after the function"))
		return false;
	if (norn_parser_take(p, NORN_TOKEN_RPAREN))
		return true;
	do {
		struct norn_names *one = norn_parser_make(p, sizeof *one);
		if (!argument(p, &one->name))
			return false;
		*end = one;
		end = &one->next;
	} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	return norn_parser_expect(p, NORN_TOKEN_RPAREN, "`)` after the arguments");
}

static bool point(struct norn_parser *p, struct norn_selector *sel)
{
	unsigned kind = 0;
	while (point_words[kind] && !norn_parser_at_word(p, point_words[kind]))
		kind++;
	if (!point_words[kind])
		return norn_parser_unknown(p, "a kind of event", point_words);
	sel->kind = kind;
	norn_parser_next(p);
	switch (sel->kind) {
	case NORN_POINT_CALL:
	case NORN_POINT_RETURN:
		if (!norn_parser_function(p, "a function", &sel->name) || !arguments(p, &sel->arguments))
			return false;
		return !norn_parser_take(p, NORN_TOKEN_ARROW) || norn_parser_name(p, "a name for the result", &sel->result);
	case NORN_POINT_START:
	case NORN_POINT_EXIT:
	case NORN_POINT_JOIN:
		return norn_parser_name(p, "a type of threads or a start routine", &sel->name);
	case NORN_POINT_NOTE:
		return norn_parser_string(p, "what norn_event says, as a string", &sel->note);
	default:
		return (sel->lval = norn_parse_lval(p));
	}
}

static struct norn_selector *selector(struct norn_parser *p)
{
	struct norn_selector *sel = norn_parser_make(p, sizeof *sel);
	struct norn_span first = p->now.span;
	if (!point(p, sel))
		return NULL;
	if (norn_parser_take(p, NORN_TOKEN_IF) && !(sel->condition = norn_parse_form(p)))
		return NULL;
	if (norn_parser_take_word(p, "by") && !norn_parser_name(p, "a type of threads", &sel->by))
		return NULL;
	sel->span = norn_parser_since(p, first);
	return sel;
}

/* ["(" ID {"," ID} ")"] */
static bool parameters(struct norn_parser *p, struct norn_decl *decl)
{
	return !norn_parser_take(p, NORN_TOKEN_LPAREN) ||
	       (norn_parser_names(p, "a parameter", NORN_TOKEN_COMMA, &decl->parameters) &&
	               norn_parser_expect(p, NORN_TOKEN_RPAREN, "`)` after the parameters"));
}

static bool parse_event(struct norn_parser *p, struct norn_decl *decl)
{
	struct norn_selector **end = &decl->selectors;
	if (!norn_parser_name(p, "a name for the event", &decl->name) || !parameters(p, decl) || !equals(p))
		return false;
	do {
		*end = selector(p);
		if (!*end)
			return false;
		end = &(*end)->next;
	} while (norn_parser_take(p, NORN_TOKEN_BAR));
	if (p->now.kind == NORN_TOKEN_OR)
		return norn_parser_expected(p, "between events it is a single `|`", "`;` after the event");
	return norn_parser_end(p, "the event");
}

/* ---- ghosts and predicates ---- */

static struct norn_update *update(struct norn_parser *p)
{
	struct norn_update *u = norn_parser_make(p, sizeof *u);
	if (!norn_parser_name(p, "an event", &u->event) || !norn_parser_expect(p, NORN_TOKEN_COLON, "`:` after the event"))
		return NULL;
	enum norn_token_kind next = norn_parser_peek(p, 1).kind;
	if (norn_parser_at_word(p, "fresh") && (next == NORN_TOKEN_SEMICOLON || next == NORN_TOKEN_RBRACE)) {
		u->fresh = true;
		norn_parser_next(p);
		return norn_parser_end(p, "the update") ? u : NULL;
	}
	u->form = norn_parse_form(p);
	return u->form && norn_parse_form_end(p, "the update") ? u : NULL;
}

static bool parse_ghost(struct norn_parser *p, struct norn_decl *decl)
{
	struct norn_update **end = &decl->updates;
	bool whole = true;
	if (!norn_parser_name(p, "a name for the ghost", &decl->name) || !equals(p) || !(decl->form = norn_parse_form(p)) ||
	        !norn_parser_expect(p, NORN_TOKEN_LBRACE, "`{` after the initial value"))
		return false;
	while (p->now.kind != NORN_TOKEN_RBRACE && p->now.kind != NORN_TOKEN_END && !norn_parser_at_declaration(p)) {
		*end = update(p);
		if (*end) {
			end = &(*end)->next;
		} else {
			whole = false;
			norn_parser_skip(p);
		}
	}
	return norn_parser_body_end(p, "`}` at the end of the ghost", whole);
}

static bool parse_pred(struct norn_parser *p, struct norn_decl *decl)
{
	return norn_parser_name(p, "a name for the predicate", &decl->name) && parameters(p, decl) && equals(p) &&
	       (decl->form = norn_parse_form(p)) && norn_parse_form_end(p, "the predicate");
}

static const struct {
	const char *word;
	bool (*parse)(struct norn_parser *, struct norn_decl *);
} kinds[] = {
        [NORN_DECL_INCLUDE] = {"include", parse_include},
        [NORN_DECL_VAR] = {"var", parse_variable},
        [NORN_DECL_LOCK] = {"lock", parse_variable},
        [NORN_DECL_THREAD] = {"thread", parse_thread},
        [NORN_DECL_EVENT] = {"event", parse_event},
        [NORN_DECL_GHOST] = {"ghost", parse_ghost},
        [NORN_DECL_PRED] = {"pred", parse_pred},
        [NORN_DECL_PROPERTY] = {"property", norn_parse_property},
        [NORN_DECL_SCOPE] = {"scope", norn_parse_scope},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void no_declaration(struct norn_parser *p)
{
	const char *words[KINDS + 1] = {NULL};
	for (unsigned i = 0; i < KINDS; i++)
		words[i] = kinds[i].word;
	if (p->now.kind == NORN_TOKEN_SEMICOLON)
		norn_parser_expected(p, "there is no `;` after a `}`", "a declaration");
	else if (p->now.kind == NORN_TOKEN_RBRACE)
		norn_parser_expected(p, "no block is open here", "a declaration");
	else
		norn_parser_unknown(p, "a declaration", words);
}

struct norn_decl *norn_parse_decl(struct norn_parser *p)
{
	unsigned kind = 0;
	while (kind < KINDS && !norn_parser_at_word(p, kinds[kind].word))
		kind++;
	if (kind == KINDS) {
		no_declaration(p);
		return NULL;
	}
	struct norn_decl *decl = norn_parser_make(p, sizeof *decl);
	struct norn_span first = p->now.span;
	decl->kind = kind;
	norn_parser_next(p);
	if (!kinds[kind].parse(p, decl))
		return NULL;
	decl->span = norn_parser_since(p, first);
	*p->tree->end = decl;
	p->tree->end = &decl->next;
	return decl;
}
