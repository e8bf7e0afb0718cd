/* Properties and scopes. */
#include <string.h>

#include "property/parse.h"

/* Is there more of a body? Not at its `}`, nor where a new declaration shows that the `}` was forgotten. */
static bool more(const struct norn_parser *p)
{
	return p->now.kind != NORN_TOKEN_RBRACE && p->now.kind != NORN_TOKEN_END && !norn_parser_at_declaration(p);
}

/* ---- handlers ---- */

static bool call_action(struct norn_parser *p, struct norn_action *action)
{
	return norn_parser_name(p, "a function", &action->function) &&
	       norn_parse_forms(p, "`(` after the function", &action->arguments);
}

/* report ["(" STR {"," form} ")"] */
static bool report_action(struct norn_parser *p, struct norn_action *action)
{
	struct norn_form **end = &action->arguments;
	if (!norn_parser_take(p, NORN_TOKEN_LPAREN))
		return true;
	if (!norn_parser_string(p, "what to report, as a string", &action->format))
		return false;
	while (norn_parser_take(p, NORN_TOKEN_COMMA)) {
		*end = norn_parse_form(p);
		if (!*end)
			return false;
		end = &(*end)->next;
	}
	return norn_parser_expect(p, NORN_TOKEN_RPAREN, "`)` after the report");
}

static struct norn_action *action(struct norn_parser *p)
{
	static const char *const words[] = {"report", "abort", "reset", "call", NULL};
	struct norn_action *a = norn_parser_make(p, sizeof *a);
	struct norn_span first = p->now.span;
	while (words[a->kind] && !norn_parser_at_word(p, words[a->kind]))
		a->kind++;
	if (!words[a->kind]) {
		norn_parser_unknown(p, "an action", words);
		return NULL;
	}
	norn_parser_next(p);
	if ((a->kind == NORN_ACTION_CALL && !call_action(p, a)) || (a->kind == NORN_ACTION_REPORT && !report_action(p, a)))
		return NULL;
	a->span = norn_parser_since(p, first);
	return a;
}

static struct norn_handler *handler(struct norn_parser *p)
{
	static const char *const words[] = {"violation", "satisfaction", "match", "fail", "inconclusive", "state", NULL};
	struct norn_handler *h = norn_parser_make(p, sizeof *h);
	struct norn_span first = p->now.span;
	norn_parser_next(p);
	while (words[h->outcome] && !norn_parser_at_word(p, words[h->outcome]))
		h->outcome++;
	if (!words[h->outcome]) {
		norn_parser_unknown(p, "an outcome after `on`", words);
		return NULL;
	}
	norn_parser_next(p);
	if (h->outcome == NORN_OUTCOME_STATE && !norn_parser_name(p, "a state", &h->state))
		return NULL;
	if (!norn_parser_expect(p, NORN_TOKEN_COLON, "`:` after the outcome"))
		return NULL;
	struct norn_action **end = &h->actions;
	do {
		*end = action(p);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	h->span = norn_parser_since(p, first);
	return norn_parser_end(p, "the handler") ? h : NULL;
}

/* ---- automata ---- */

static struct norn_transition *transition(struct norn_parser *p)
{
	struct norn_transition *t = norn_parser_make(p, sizeof *t);
	if (!norn_parser_take(p, NORN_TOKEN_ELSE) && !norn_parser_names(p, "an event or `else`", NORN_TOKEN_COMMA, &t->events))
		return NULL;
	return norn_parser_expect(p, NORN_TOKEN_ARROW, "`->` after the events") && norn_parser_name(p, "a state", &t->target) &&
	                       norn_parser_end(p, "the transition")
	               ? t
	               : NULL;
}

static bool state_word(struct norn_parser *p, const char *word)
{
	return norn_parser_at_word(p, word) && norn_parser_peek(p, 1).kind == NORN_TOKEN_ID && norn_parser_take_word(p, word);
}

/* Goes on after mistakes; *whole becomes false then. */
static struct norn_state *state(struct norn_parser *p, bool *whole)
{
	struct norn_state *s = norn_parser_make(p, sizeof *s);
	for (bool word = true; word;) {
		bool initial = state_word(p, "initial"), accept = state_word(p, "accept"), error = state_word(p, "error");
		s->initial |= initial;
		s->accept |= accept;
		s->error |= error;
		word = initial || accept || error;
	}
	if (!norn_parser_name(p, "a state", &s->name) || !norn_parser_expect(p, NORN_TOKEN_LBRACE, "`{` after the state's name"))
		return NULL;
	struct norn_transition **end = &s->transitions;
	while (more(p)) {
		*end = transition(p);
		if (*end) {
			end = &(*end)->next;
		} else {
			*whole = false;
			norn_parser_skip(p);
		}
	}
	if (norn_parser_take(p, NORN_TOKEN_RBRACE))
		return s;
	norn_parser_body_end(p, "`}` at the end of the state", *whole);
	return NULL;
}

static bool fsm(struct norn_parser *p, struct norn_logic *logic)
{
	struct norn_state **end = &logic->states;
	bool whole = true;
	if (!norn_parser_expect(p, NORN_TOKEN_LBRACE, "`{` after `fsm`"))
		return false;
	while (more(p)) {
		*end = state(p, &whole);
		if (*end) {
			end = &(*end)->next;
		} else {
			whole = false;
			norn_parser_skip(p);
		}
	}
	/* A mistake within has been told and passed; the property is lost, but nothing more needs to be skipped. */
	return norn_parser_body_end(p, "`}` at the end of the automaton", whole);
}

/* ---- logics ---- */

const char *const norn_logic_words[] = {
        [NORN_LOGIC_PTLTL] = "ptltl",
        [NORN_LOGIC_LTL] = "ltl",
        [NORN_LOGIC_ERE] = "ere",
        [NORN_LOGIC_FORBID] = "forbid",
        [NORN_LOGIC_FSM] = "fsm",
        [NORN_LOGIC_MTTL] = "mttl",
        [NORN_LOGIC_RACE] = "race",
        [NORN_LOGIC_DEADLOCK] = "deadlock",
        [NORN_LOGIC_ATOMIC] = "atomic",
        NULL,
};

static bool formula(struct norn_parser *p, struct norn_logic *logic)
{
	return (logic->form = norn_parse_form(p)) && norn_parse_form_end(p, "the formula");
}

static bool expression(struct norn_parser *p, struct norn_logic *logic)
{
	return (logic->rex = norn_parse_rex(p)) && norn_parser_end(p, "the expression");
}

/* "for" ID ":" [ID ":"] form ";" */
static bool mttl(struct norn_parser *p, struct norn_logic *logic)
{
	if (!norn_parser_take_word(p, "for"))
		return norn_parser_expected(p, "write `mttl for i: …`: i is the thread that is looked at", "`for` after `mttl`");
	if (!norn_parser_name(p, "a name for the thread", &logic->thread) ||
	        !norn_parser_expect(p, NORN_TOKEN_COLON, "`:` after the thread"))
		return false;
	if (p->now.kind == NORN_TOKEN_ID && norn_parser_peek(p, 1).kind == NORN_TOKEN_COLON) {
		norn_parser_name(p, "a type of threads", &logic->type);
		norn_parser_next(p);
	}
	return !p->panic && formula(p, logic);
}

/* ["on" lvals] ["except" lvals] ";" */
static bool places(struct norn_parser *p, struct norn_logic *logic)
{
	if (norn_parser_take_word(p, "on") && !(logic->on = norn_parse_lvals(p)))
		return false;
	if (logic->kind == NORN_LOGIC_RACE && norn_parser_take_word(p, "except") && !(logic->except = norn_parse_lvals(p)))
		return false;
	return norn_parser_end(p, norn_logic_words[logic->kind]);
}

static bool atomic(struct norn_parser *p, struct norn_logic *logic)
{
	static const char *const words[] = {"call", "block", NULL};
	struct norn_ablk **end = &logic->blocks;
	do {
		struct norn_ablk *one = norn_parser_make(p, sizeof *one);
		if (norn_parser_take_word(p, "block")) {
			one->block = true;
			one->name.span = p->now.span;
			if (!norn_parser_string(p, "the block's name as a string", &one->name.text))
				return false;
		} else if (!norn_parser_take_word(p, "call")) {
			return norn_parser_unknown(p, "what is atomic", words);
		} else if (!norn_parser_function(p, "a function", &one->name)) {
			return false;
		}
		*end = one;
		end = &one->next;
	} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	return norn_parser_end(p, "the atomic blocks");
}

static bool colon(struct norn_parser *p, const struct norn_logic *logic)
{
	char what[32];
	snprintf(what, sizeof what, "`:` after `%s`", norn_logic_words[logic->kind]);
	return norn_parser_expect(p, NORN_TOKEN_COLON, what);
}

static bool logic_body(struct norn_parser *p, struct norn_logic *logic)
{
	switch (logic->kind) {
	case NORN_LOGIC_PTLTL:
	case NORN_LOGIC_LTL:
		return colon(p, logic) && formula(p, logic);
	case NORN_LOGIC_ERE:
	case NORN_LOGIC_FORBID:
		return colon(p, logic) && expression(p, logic);
	case NORN_LOGIC_FSM:
		return fsm(p, logic);
	case NORN_LOGIC_MTTL:
		return mttl(p, logic);
	case NORN_LOGIC_ATOMIC:
		return atomic(p, logic);
	default:
		return places(p, logic);
	}
}

static bool parse_logic(struct norn_parser *p, struct norn_logic *logic)
{
	struct norn_span first = p->now.span;
	while (norn_logic_words[logic->kind] && !norn_parser_at_word(p, norn_logic_words[logic->kind]))
		logic->kind++;
	if (!norn_logic_words[logic->kind])
		return norn_parser_unknown(p, "a logic", norn_logic_words);
	norn_parser_next(p);
	if (!logic_body(p, logic))
		return false;
	logic->span = norn_parser_since(p, first);
	return true;
}

/* ---- properties ---- */

static struct norn_attribute *attribute(struct norn_parser *p)
{
	struct norn_attribute *a = norn_parser_make(p, sizeof *a);
	if (!norn_parser_name(p, "an attribute", &a->key))
		return NULL;
	if (!norn_parser_take(p, NORN_TOKEN_ASSIGN)) {
		norn_parser_expected(p, "an attribute has a value, as in `predict=mvc`", "`=` after the attribute");
		return NULL;
	}
	if (p->now.kind != NORN_TOKEN_INT)
		return norn_parser_name(p, "a word or a number as the attribute's value", &a->value) ? a : NULL;
	a->value.span = p->now.span;
	a->value.text = norn_token_text(&p->lexer, &p->now, &p->tree->arena);
	norn_parser_next(p);
	return a;
}

/* After a mistake among the attributes: to the `{`, if it comes before anything else that matters. */
static bool recover_attributes(struct norn_parser *p)
{
	while (p->now.kind != NORN_TOKEN_LBRACE && p->now.kind != NORN_TOKEN_SEMICOLON && p->now.kind != NORN_TOKEN_RBRACE &&
	        p->now.kind != NORN_TOKEN_END)
		norn_parser_next(p);
	if (p->now.kind != NORN_TOKEN_LBRACE)
		return false;
	p->panic = p->lexer.quiet = false;
	return true;
}

/* *whole becomes false after a mistake; false: there is no going on. */
static bool attributes(struct norn_parser *p, struct norn_decl *decl, bool *whole)
{
	struct norn_attribute **end = &decl->attributes;
	if (!norn_parser_take(p, NORN_TOKEN_LBRACKET))
		return true;
	do {
		*end = attribute(p);
		if (!*end)
			break;
		end = &(*end)->next;
	} while (norn_parser_take(p, NORN_TOKEN_COMMA));
	if (!p->panic && norn_parser_expect(p, NORN_TOKEN_RBRACKET, "`]` after the attributes"))
		return true;
	*whole = false;
	return recover_attributes(p);
}

static bool begins_logic(const struct norn_parser *p)
{
	for (unsigned i = 0; norn_logic_words[i]; i++)
		if (norn_parser_at_word(p, norn_logic_words[i]))
			return true;
	return false;
}

static bool no_handler(struct norn_parser *p)
{
	if (norn_parser_at_word(p, "per"))
		return norn_parser_expected(p, "`per` stands before the logic", "a handler or `}`");
	if (begins_logic(p))
		return norn_parser_expected(p, "a property has one logic: make another property of this", "a handler or `}`");
	return norn_parser_expected(p, "a handler is `on violation: report;`", "a handler or `}`");
}

static bool body(struct norn_parser *p, struct norn_decl *decl)
{
	bool whole = true;
	struct norn_handler **end = &decl->handlers;
	if (norn_parser_take_word(p, "per") &&
	        (!norn_parser_names(p, "a key", NORN_TOKEN_COMMA, &decl->keys) || !norn_parser_end(p, "the keys"))) {
		whole = false;
		norn_parser_skip(p);
	}
	if (!parse_logic(p, &decl->logic)) {
		whole = false;
		if (p->panic)
			norn_parser_skip(p);
	}
	while (more(p)) {
		*end = norn_parser_at_word(p, "on") ? handler(p) : NULL;
		if (*end) {
			end = &(*end)->next;
			continue;
		}
		if (!p->panic)
			no_handler(p);
		whole = false;
		norn_parser_skip(p);
	}
	return whole;
}

bool norn_parse_property(struct norn_parser *p, struct norn_decl *decl)
{
	bool whole = true;
	if (!norn_parser_name(p, "a name for the property", &decl->name) || !attributes(p, decl, &whole) ||
	        !norn_parser_expect(p, NORN_TOKEN_LBRACE, "`{` after the property's name"))
		return false;
	whole &= body(p, decl);
	return norn_parser_body_end(p, "`}` at the end of the property", whole);
}

/* ---- scopes ---- */

/* ("ltl"|"ptltl") form | "ere" rex | "fsm" { … }, without the colon that properties have. Expressions are of events, and so of locals:
 * of the atoms that a check speaks of several may hold at once. */
static bool item_logic(struct norn_parser *p, struct norn_item *item)
{
	static const char *const words[] = {"ltl", "ptltl", "ere", "fsm", NULL}, *const of_regions[] = {
	                                                                                 "ltl", "ptltl", "fsm", NULL};
	struct norn_logic *logic = &item->logic;
	logic->span = p->now.span;
	bool ere = item->kind == NORN_ITEM_LOCAL && norn_parser_at_word(p, "ere"), ptltl = norn_parser_at_word(p, "ptltl");
	if (norn_parser_at_word(p, "fsm")) {
		logic->kind = NORN_LOGIC_FSM;
		norn_parser_next(p);
		return fsm(p, logic);
	}
	if (!ere && !ptltl && !norn_parser_at_word(p, "ltl"))
		return norn_parser_unknown(p, "a logic", item->kind == NORN_ITEM_LOCAL ? words : of_regions);
	logic->kind = ere ? NORN_LOGIC_ERE : ptltl ? NORN_LOGIC_PTLTL : NORN_LOGIC_LTL;
	norn_parser_next(p);
	if (p->now.kind == NORN_TOKEN_COLON)
		return norn_parser_expected(p, "in a scope the formula follows without a `:`", ere ? "an expression" : "a formula");
	if (!(ere ? expression(p, logic) : formula(p, logic)))
		return false;
	logic->span = norn_parser_since(p, logic->span);
	return true;
}

static bool local(struct norn_parser *p, struct norn_item *item)
{
	if (!norn_parser_name(p, "a name for the local monitor", &item->name))
		return false;
	if (!norn_parser_take_word(p, "for"))
		return norn_parser_expected(p, "write `local name for type: …`", "`for` after the name");
	if (!norn_parser_name(p, "a type of threads", &item->thread))
		return false;
	item->keep = norn_parser_take_word(p, "keep");
	return norn_parser_expect(p, NORN_TOKEN_COLON, "`:` before the logic") && item_logic(p, item);
}

static bool atom(struct norn_parser *p, struct norn_item *item)
{
	return norn_parser_name(p, "a name for the atom", &item->name) &&
	       norn_parser_expect(p, NORN_TOKEN_ASSIGN, "`=` after the name") && (item->form = norn_parse_form(p)) &&
	       norn_parse_form_end(p, "the atom");
}

static bool check(struct norn_parser *p, struct norn_item *item)
{
	if (p->now.kind != NORN_TOKEN_COLON && !norn_parser_name(p, "a name for the check, or `:`", &item->name))
		return false;
	return norn_parser_expect(p, NORN_TOKEN_COLON, "`:` after `check`") && item_logic(p, item);
}

static struct norn_item *scope_item(struct norn_parser *p)
{
	static const struct {
		const char *word;
		bool (*parse)(struct norn_parser *, struct norn_item *);
	} items[] = {
	        [NORN_ITEM_LOCAL] = {"local", local},
	        [NORN_ITEM_ATOM] = {"atom", atom},
	        [NORN_ITEM_CHECK] = {"check", check},
	};
	static const char *const words[] = {"local", "atom", "check", "on", NULL};
	struct norn_item *item = norn_parser_make(p, sizeof *item);
	struct norn_span first = p->now.span;
	while (item->kind <= NORN_ITEM_CHECK && !norn_parser_at_word(p, items[item->kind].word))
		item->kind++;
	if (item->kind > NORN_ITEM_CHECK) {
		norn_parser_unknown(p, "a part of the scope", words);
		return NULL;
	}
	norn_parser_next(p);
	if (!items[item->kind].parse(p, item))
		return NULL;
	item->span = norn_parser_since(p, first);
	return item;
}

bool norn_parse_scope(struct norn_parser *p, struct norn_decl *decl)
{
	bool whole = true;
	if (!norn_parser_name(p, "a name for the scope", &decl->name))
		return false;
	if (!norn_parser_take_word(p, "sync"))
		return norn_parser_expected(p, "write `scope name sync event { … }`", "`sync` after the scope's name");
	if (!norn_parser_names(p, "an event", NORN_TOKEN_BAR, &decl->sync))
		return false;
	for (bool again = true; again;) {
		bool nested = norn_parser_take_word(p, "nested"), trusted = !nested && norn_parser_take_word(p, "trusted");
		decl->nested |= nested;
		decl->trusted |= trusted;
		again = nested || trusted;
	}
	if (!norn_parser_expect(p, NORN_TOKEN_LBRACE, "`{` after the events"))
		return false;
	struct norn_item **items = &decl->items;
	struct norn_handler **handlers = &decl->handlers;
	while (more(p)) {
		if (norn_parser_at_word(p, "on")) {
			*handlers = handler(p);
			if (*handlers)
				handlers = &(*handlers)->next;
		} else {
			*items = scope_item(p);
			if (*items)
				items = &(*items)->next;
		}
		if (p->panic) {
			whole = false;
			norn_parser_skip(p);
		}
	}
	return norn_parser_body_end(p, "`}` at the end of the scope", whole);
}
