/* The meaning of names in forms. */
#include "property/check/check.h"

#include <errno.h>
#include <string.h>

/* A predicate whose text is being checked. Its arguments mean what they mean where they stand: outside. */
struct norn_expansion {
	const struct norn_decl *predicate;
	const struct norn_form *arguments;
	const struct norn_expansion *outer;
};

static const struct norn_term bad_term = {.kind = NORN_TERM_BAD};

static struct norn_term number(const struct norn_expr *expr, bool real)
{
	return (struct norn_term){.kind = NORN_TERM_NUMBER, .expr = expr, .real = real};
}

static uint32_t find(const char *const *names, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return NORN_SLOT_NONE;
}

static uint32_t length(const struct norn_form *forms)
{
	uint32_t count = 0;
	for (; forms; forms = forms->next)
		count++;
	return count;
}

static const char *counted(struct norn_checker *c, uint32_t count, const char *what)
{
	return count == 0 ? norn_check_print(c, "no %s", what) : norn_check_print(c, "%u %s%s", count, what, count == 1 ? "" : "s");
}

/* ---- predicates ---- */

/* The argument that a name stands for in the predicate that is being expanded; NULL if it is no parameter. */
static const struct norn_form *argument_of(const struct norn_expansion *expansion, const struct norn_lval *lval)
{
	if (!expansion || !norn_lval_is_plain(lval))
		return NULL;
	const struct norn_form *argument = expansion->arguments;
	for (const struct norn_names *at = expansion->predicate->parameters; at && argument;
	        at = at->next, argument = argument->next)
		if (at->name.text && strcmp(at->name.text, lval->name.text) == 0)
			return argument;
	return NULL;
}

/* argument.steps: the argument must be an lval itself. */
static const struct norn_lval *continued(struct norn_checker *c, const struct norn_form *argument, const struct norn_lval *lval)
{
	if (argument->kind != NORN_FORM_NAME || argument->called || !argument->lval) {
		norn_check_error(c, argument->span, NULL, "`%s` needs a variable here", lval->name.text);
		return NULL;
	}
	struct norn_lval *whole = norn_check_copy(c, argument->lval, 1, sizeof *whole);
	struct norn_step **end = &whole->steps;
	for (const struct norn_step *step = argument->lval->steps; step; step = step->next) {
		*end = norn_check_copy(c, step, 1, sizeof *step);
		end = &(*end)->next;
	}
	*end = lval->steps;
	whole->span = lval->span;
	whole->next = NULL;
	return whole;
}

/* An lval with parameters of predicates replaced by what they stand for; NULL after a diagnostic. */
static const struct norn_lval *substituted(struct norn_checker *c, const struct norn_form_env *env, const struct norn_lval *lval)
{
	const struct norn_expansion *expansion = env->expansion;
	for (const struct norn_form *argument; lval && (argument = argument_of(expansion, lval)); expansion = expansion->outer)
		lval = continued(c, argument, lval);
	return lval;
}

static struct norn_term parameter(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, const struct norn_form *argument)
{
	const struct norn_expansion *inner = env->expansion;
	struct norn_form part = {.kind = NORN_FORM_NAME, .span = form->span};
	if (form->called) {
		norn_check_error(c, form->span, NULL, "`%s` is a parameter, and takes no arguments", form->lval->name.text);
		return bad_term;
	}
	if (form->lval->steps) {
		part.lval = (struct norn_lval *)continued(c, argument, form->lval);
		if (!part.lval)
			return bad_term;
		argument = &part;
	}
	env->expansion = inner->outer;
	struct norn_term term = norn_check_form(c, env, argument);
	env->expansion = inner;
	return term;
}

static struct norn_term expand(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, const struct norn_named *named)
{
	uint32_t wanted = 0, given = length(form->arguments);
	for (const struct norn_names *at = named->decl->parameters; at; at = at->next)
		wanted++;
	c->bad |= named->bad;
	if (named->bad)
		return bad_term;
	if (wanted != given) {
		norn_check_error(c, form->span, NULL, "the predicate `%s` has %s, not %u", named->text,
		        counted(c, wanted, "parameter"), given);
		return bad_term;
	}
	struct norn_expansion expansion = {.predicate = named->decl, .arguments = form->arguments, .outer = env->expansion};
	env->expansion = &expansion;
	struct norn_term term = norn_check_form(c, env, named->decl->form);
	env->expansion = expansion.outer;
	return term;
}

/* Predicates that a form names, as a list of steps still to go: a depth-first search without recursion. */
struct lookup_visit {
	struct norn_named *predicate;
	struct norn_named **uses;
	uint32_t count, next;
};

static void collect_uses(struct norn_checker *c, const struct norn_form *form, struct lookup_visit *visit, uint32_t *room)
{
	if (!form)
		return;
	if (form->kind == NORN_FORM_NAME && form->lval && form->lval->name.text && norn_lval_is_plain(form->lval)) {
		struct norn_named *named = norn_name_table_find(&c->values, form->lval->name.text);
		bool hidden = false;
		for (const struct norn_names *at = visit->predicate->decl->parameters; at && named; at = at->next)
			hidden |= at->name.text && strcmp(at->name.text, named->text) == 0;
		if (named && named->decl->kind == NORN_DECL_PRED && !hidden) {
			norn_check_grow(c, &visit->uses, room, visit->count, sizeof *visit->uses);
			visit->uses[visit->count++] = named;
		}
	}
	collect_uses(c, form->a, visit, room);
	collect_uses(c, form->b, visit, room);
	for (const struct norn_form *argument = form->arguments; argument; argument = argument->next)
		collect_uses(c, argument, visit, room);
}

static void push(struct norn_checker *c, struct norn_named *predicate, struct lookup_visit **stack, uint32_t *count, uint32_t *room)
{
	uint32_t uses_room = 0;
	norn_check_grow(c, stack, room, *count, sizeof **stack);
	(*stack)[*count] = (struct lookup_visit){.predicate = predicate};
	predicate->known = true;
	collect_uses(c, predicate->decl->form, &(*stack)[(*count)++], &uses_room);
}

static void complain_circle(struct norn_checker *c, const struct lookup_visit *stack, uint32_t from, uint32_t to)
{
	struct norn_growing_text circle = {0};
	for (uint32_t i = from; i <= to; i++) {
		stack[i].predicate->bad = true;
		if (i - from < 8)
			norn_text_append(c, &circle, "`%s` → ", stack[i].predicate->text);
	}
	const struct norn_named *first = stack[from].predicate;
	norn_check_error(c, first->span, norn_check_advise(c, "%s%s`%s`", circle.chars, to - from < 8 ? "" : "… → ", first->text),
	        "the predicate `%s` is defined through itself", first->text);
}

void norn_check_predicates(struct norn_checker *c)
{
	struct lookup_visit *stack = NULL;
	uint32_t count = 0, room = 0;
	for (uint32_t i = 0; i < c->values.list.count; i++) {
		if (c->values.list.items[i]->decl->kind != NORN_DECL_PRED || c->values.list.items[i]->known)
			continue;
		push(c, c->values.list.items[i], &stack, &count, &room);
		while (count > 0) {
			struct lookup_visit *top = &stack[count - 1];
			if (top->next == top->count) {
				top->predicate->index = 0; /* left for good */
				count--;
				continue;
			}
			struct norn_named *use = top->uses[top->next++];
			if (!use->known) {
				use->index = count + 1; /* its place on the stack, from 1 */
				push(c, use, &stack, &count, &room);
			} else if (use->index || use == stack[0].predicate) {
				complain_circle(c, stack, use->index ? use->index - 1 : 0, count - 1);
			}
		}
	}
}

/* ---- events, ghosts, places ---- */

static bool is_wildcard(const struct norn_form *form)
{
	return form->kind == NORN_FORM_NAME && !form->called && form->lval && norn_lval_is_plain(form->lval) &&
	       !form->lval->steps && form->lval->name.text && strcmp(form->lval->name.text, "_") == 0;
}

/* The arguments that an occurrence of an event is compared with; false after a diagnostic. */
static bool event_arguments(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form,
        const struct norn_decl *decl, struct norn_atom *atom)
{
	uint32_t wanted = 0, given = length(form->arguments), i = 0;
	for (const struct norn_names *at = decl->parameters; at; at = at->next)
		wanted++;
	if (given == 0 && (!form->called || wanted == 0))
		return true;
	if (wanted != given) {
		norn_check_error(c, form->span,
		        wanted ? norn_check_print(
		                         c, "write `%s` for any arguments, or `_` for one that does not matter", decl->name.text)
		               : NULL,
		        "the event `%s` has %s, not %u", decl->name.text, counted(c, wanted, "parameter"), given);
		return false;
	}
	const struct norn_expr **arguments = norn_check_alloc(c, wanted * sizeof *arguments);
	struct norn_growing_text text = {0};
	bool fine = true, some = false;
	for (const struct norn_form *argument = form->arguments; argument; argument = argument->next, i++) {
		if (!is_wildcard(argument)) {
			env->argument = true;
			struct norn_term term = norn_check_form(c, env, argument);
			env->argument = false;
			if (term.kind == NORN_TERM_TRUTH)
				norn_check_error(c, argument->span, NULL, "an argument is a number, not a truth");
			fine &= term.kind == NORN_TERM_NUMBER;
			arguments[i] = term.expr;
			some = true;
		}
		if (fine)
			norn_text_append(c, &text, "%s%s", i ? ", " : "",
			        arguments[i] ? norn_check_expr_text(c, arguments[i], env->keys) : "_");
	}
	if (fine && some) {
		atom->arguments = arguments;
		atom->text = norn_check_print(c, "%s(%s)", decl->name.text, text.chars);
	}
	return fine;
}

static struct norn_term event(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, const struct norn_named *named)
{
	struct norn_atom atom = {.kind = NORN_ATOM_EVENT, .event = named->index, .text = named->text, .span = form->span};
	if (env->where > NORN_IN_MTTL || env->argument) {
		norn_check_error(c, form->span, NULL, "`%s` is an event, which only formulas, expressions and automata can name",
		        named->text);
		return bad_term;
	}
	c->bad |= named->bad;
	if (named->bad || !event_arguments(c, env, form, named->decl, &atom))
		return bad_term;
	return (struct norn_term){.kind = NORN_TERM_EVENT, .node = norn_check_atom_node(c, atom)};
}

static struct norn_term ghost(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form, const struct norn_named *named)
{
	if (env->where == NORN_IN_CONDITION || env->where == NORN_IN_INITIAL) {
		norn_check_error(c, form->span, NULL, "a ghost cannot be named in %s",
		        env->where == NORN_IN_CONDITION ? "a selector: ghosts change when events happen, not the other way round"
		                                        : "the first value of a ghost, which is a constant");
		return bad_term;
	}
	c->bad |= named->bad;
	return number(norn_check_leaf(c, NORN_EXPR_GHOST, named->index, form->span), false);
}

bool norn_check_single_place(struct norn_checker *c, uint32_t place, struct norn_span span)
{
	const struct norn_place *p = &c->places[place];
	if (p->kind == NORN_PLACE_FIELD || p->cell_step) {
		norn_check_error(c, span, NULL, "`%s` stands for many variables, and mttl must know which", p->text);
		return false;
	}
	if (p->kind != NORN_PLACE_OBJECT || p->hops <= 1)
		return true;
	norn_check_error(c, span, "name the variable that it points to", "`%s` leads through a pointer, which mttl does not follow",
	        p->text);
	return false;
}

static struct norn_term place(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	uint32_t index;
	bool real;
	if (env->where == NORN_IN_INITIAL) {
		norn_check_error(c, form->span, NULL, "the first value of a ghost is a constant");
		return bad_term;
	}
	if (!norn_check_place(c, form->lval, false, &index) || !norn_check_place_value(c, form->span, index, &real))
		return bad_term;
	if (env->where == NORN_IN_MTTL && !norn_check_single_place(c, index, form->span))
		return bad_term;
	return number(norn_check_leaf(c, NORN_EXPR_PLACE, index, form->span), real);
}

/* ---- names ---- */

/* True if events of this kind have a value, an old one, or an object that they are about. */
static bool point_has(enum norn_point_kind point, enum norn_expr_op op)
{
	bool access = point == NORN_POINT_READ || point == NORN_POINT_WRITE || point == NORN_POINT_ACCESS;
	if (op == NORN_EXPR_VALUE)
		return access || point == NORN_POINT_NOTE || point == NORN_POINT_RETURN;
	if (op == NORN_EXPR_OLD)
		return access && point != NORN_POINT_READ;
	if (op == NORN_EXPR_SELF)
		return access || point == NORN_POINT_LOCK || point == NORN_POINT_UNLOCK;
	return true;
}

static struct norn_term builtin(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form, const char *name)
{
	static const char *const points[] = {
	        "call", "return", "read", "write", "access", "lock", "unlock", "start", "exit", "join", "note"};
	enum norn_expr_op op = *name == 'v'   ? NORN_EXPR_VALUE
	                       : *name == 'o' ? NORN_EXPR_OLD
	                       : *name == 's' ? NORN_EXPR_SELF
	                                      : NORN_EXPR_TID;
	if (env->where != NORN_IN_CONDITION && env->where != NORN_IN_ACTION) {
		norn_check_error(c, form->span,
		        norn_check_advise(
		                c, "for a variable of the program write `var my_%s = %s;`, and use `my_%s`", name, name, name),
		        "`%s` is a fact about an event, known in selectors and handlers only", name);
		return bad_term;
	}
	if (env->where == NORN_IN_CONDITION && !point_has(env->point, op)) {
		norn_check_error(c, form->span, NULL, "`%s` has no `%s`", points[env->point], name);
		return bad_term;
	}
	return number(norn_check_leaf(c, op, 0, form->span), false);
}

/* Names that only this form knows; false if this is none. */
static bool find_local(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, struct norn_term *ret_term)
{
	const char *name = form->lval->name.text;
	uint32_t slot = find(env->slots, env->slot_count, name), key = find(env->keys, env->key_count, name);
	const struct norn_thread_variable *thread = env->threads;
	while (thread && strcmp(thread->name, name) != 0)
		thread = thread->outer;
	*ret_term = bad_term;
	if (slot == NORN_SLOT_NONE && key == NORN_SLOT_NONE && !thread && !norn_check_is_builtin(name))
		return false;
	if (thread) {
		norn_check_error(c, form->span, norn_check_advise(c, "`@%s x` is what is known of `x` in that thread", name),
		        "`%s` is a thread, not a value", name);
	} else if (form->lval->steps || form->called) {
		norn_check_error(c, form->span, NULL,
		        form->called ? "`%s` is a value, and takes no arguments" : "`%s` is a value, and has no parts", name);
	} else if (slot != NORN_SLOT_NONE) {
		const struct norn_type *type = env->slot_types ? env->slot_types[slot] : NULL;
		*ret_term = number(norn_check_leaf(c, NORN_EXPR_SLOT, slot, form->span), type && type->kind == NORN_TYPE_FLOAT);
	} else if (key != NORN_SLOT_NONE) {
		*ret_term = number(norn_check_leaf(c, NORN_EXPR_KEY, key, form->span), false);
	} else {
		*ret_term = builtin(c, env, form, name);
	}
	return true;
}

/* In a scope only its own names have a meaning: regions have no valuation. */
static struct norn_term scope_name(struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form)
{
	const char *name = form->lval->name.text;
	const struct norn_named *named = norn_lval_is_plain(form->lval) ? norn_name_table_find(&c->scope_names, name) : NULL;
	if (named && named->index == NORN_ITEM_ATOM && !form->lval->steps && !form->called) {
		struct norn_term term = {.kind = NORN_TERM_TRUTH, .expr = c->atoms[named->place].expr};
		c->bad |= named->bad;
		if (!term.expr)
			return bad_term;
		if (env->where == NORN_IN_CHECK)
			term.node = norn_check_atom_node(c, (struct norn_atom){.kind = NORN_ATOM_PREDICATE,
			                                            .predicate = term.expr,
			                                            .text = named->text,
			                                            .span = form->span});
		return term;
	}
	if (named && named->index == NORN_ITEM_LOCAL)
		norn_check_error(c, form->span, norn_check_advise(c, "count its threads, as in `some(%s)`", name),
		        "`%s` is a local, with a verdict for each thread", name);
	else
		norn_check_error(c, form->span, norn_check_meant(c, norn_check_nearest(c, &c->scope_names, name), NULL),
		        env->where == NORN_IN_CHECK
		                ? "a check is made of the atoms of its scope, and `%s` is none"
		                : "an atom is made of all, some, none, count and size of locals, and `%s` is no other atom",
		        name);
	return bad_term;
}

static struct norn_term undeclared(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	const char *name = form->lval->name.text;
	size_t cursor = 0;
	int64_t value;
	if (!form->called && c->program && norn_lval_is_plain(form->lval) && !form->lval->steps &&
	        !norn_program_symbol(c->program, false, name, NULL, NULL, &cursor)) {
		int r = norn_program_enumerator(c->program, name, &value);
		if (r == 0)
			return number(norn_check_int(c, value, form->span), false);
		if (r == -EEXIST) {
			norn_check_error(
			        c, form->span, "write the number", "`%s` has different values in the program's enumerations", name);
			return bad_term;
		}
	}
	if (!form->called)
		return place(c, env, form);
	cursor = 0;
	const char *help = norn_check_meant(c, norn_check_nearest(c, &c->values, name), NULL);
	if (!help || (c->program && norn_program_symbol(c->program, true, name, NULL, NULL, &cursor)))
		help = norn_check_advise(c, "declare an event, as in `event %s_called = call %s(...);`", name, name);
	norn_check_error(c, form->span, help, "no event or predicate is called `%s`", name);
	return bad_term;
}

struct norn_term norn_check_name(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	const struct norn_lval *lval = form->lval;
	const struct norn_named *named = NULL;
	struct norn_term term;
	if (!lval || !lval->name.text) {
		c->bad = true;
		return bad_term;
	}
	const struct norn_form *argument = argument_of(env->expansion, lval);
	if (argument)
		return parameter(c, env, form, argument);
	if (norn_lval_is_plain(lval)) {
		named = norn_check_value_name(c, lval->name.text);
		if (find_local(c, env, form, &term))
			return term;
	}
	if ((env->where == NORN_IN_CHECK || env->where == NORN_IN_ATOM) && !(named && named->decl->kind == NORN_DECL_PRED))
		return scope_name(c, env, form);
	if (!named)
		return undeclared(c, env, form);
	bool variable = named->decl->kind == NORN_DECL_VAR || named->decl->kind == NORN_DECL_LOCK;
	if ((lval->steps && !variable) || (form->called && (variable || named->decl->kind == NORN_DECL_GHOST))) {
		norn_check_error(c, form->span, NULL,
		        lval->steps && !variable ? "`%s` has no parts" : "`%s` is a variable, and takes no arguments", named->text);
		return bad_term;
	}
	switch (named->decl->kind) {
	case NORN_DECL_EVENT:
		return event(c, env, form, named);
	case NORN_DECL_GHOST:
		return ghost(c, env, form, named);
	case NORN_DECL_PRED:
		return expand(c, env, form, named);
	case NORN_DECL_LOCK:
		norn_check_error(c, form->span, norn_check_advise(c, "name an event, as in `event e = lock %s;`", named->text),
		        "`%s` is a lock, not a value", named->text);
		return bad_term;
	default:
		return place(c, env, form);
	}
}

bool norn_check_form_place(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_lval *lval, bool lock, uint32_t *ret_place)
{
	if (!lval || !lval->name.text) {
		c->bad = true;
		return false;
	}
	lval = substituted(c, env, lval);
	if (!lval)
		return false;
	const struct norn_named *named = norn_lval_is_plain(lval) ? norn_name_table_find(&c->values, lval->name.text) : NULL;
	if (named && named->decl->kind != NORN_DECL_VAR && named->decl->kind != NORN_DECL_LOCK) {
		norn_check_error(c, lval->span, NULL, "`%s` is not a variable of the program", named->text);
		return false;
	}
	return norn_check_place(c, lval, lock, ret_place);
}

const struct norn_lval *norn_check_form_memory(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_lval *lval)
{
	bool parameter = argument_of(env->expansion, lval);
	lval = substituted(c, env, lval);
	if (!lval || !norn_lval_is_plain(lval))
		return lval;
	const char *name = lval->name.text;
	const struct norn_named *named = norn_check_value_name(c, name);
	bool local = !parameter && (find(env->slots, env->slot_count, name) != NORN_SLOT_NONE || norn_check_is_builtin(name));
	local |= find(env->keys, env->key_count, name) != NORN_SLOT_NONE;
	for (const struct norn_thread_variable *at = env->threads; at && !local; at = at->outer)
		local = strcmp(at->name, name) == 0;
	return local || (named && named->decl->kind != NORN_DECL_VAR) ? NULL : lval;
}

uint32_t norn_check_thread_variable(struct norn_checker *c, const struct norn_form_env *env, struct norn_name name)
{
	if (!name.text) {
		c->bad = true;
		return NORN_SLOT_NONE;
	}
	for (const struct norn_thread_variable *at = env->threads; at; at = at->outer)
		if (strcmp(at->name, name.text) == 0)
			return at->index;
	norn_check_error(c, name.span, norn_check_advise(c, "quantify it, as in `exists %s != i. …`", name.text),
	        "no thread is called `%s` here", name.text);
	return NORN_SLOT_NONE;
}

uint32_t norn_check_thread_number(struct norn_checker *c, struct norn_name name, uint32_t type, uint32_t other)
{
	struct norn_builder *b = &c->builder;
	const char *shown = name.text;
	for (uint32_t i = 0; i < b->thread_count; i++) {
		const struct norn_thread_name *t = &b->threads[i];
		if (i && t->type == type && t->other == other && strncmp(t->name, name.text, strlen(name.text)) == 0 &&
		        (!t->name[strlen(name.text)] || t->name[strlen(name.text)] == '\''))
			return i;
		if (strcmp(t->name, shown) == 0) /* another one of that name: atoms are told apart by their text */
			shown = norn_check_print(c, "%s'", shown);
	}
	if (b->thread_count == NORN_THREAD_VARIABLES_MAX) {
		norn_check_error(c, name.span, "split the formula", "a formula names at most %u different threads",
		        NORN_THREAD_VARIABLES_MAX);
		return NORN_SLOT_NONE;
	}
	b->threads[b->thread_count] = (struct norn_thread_name){.name = shown, .type = type, .other = other};
	return b->thread_count++;
}
