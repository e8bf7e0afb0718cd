#include "mttl/mttl_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/explain/phrase.h"
#include "property/operator.h"
#include "property/source_text.h"

#define UNARY 10u /* binds tighter than any operator of the table */

/* ---- lines ---- */

struct mttl_printer {
	const struct norn_mttl *p;
	const struct norn_spec *spec;
	uint32_t event; /* whose parameters an update sees; NORN_SLOT_NONE: none */
	FILE *to;
};

static const uint8_t forms[] = {[NORN_MTTL_AND] = NORN_FORM_AND,
        [NORN_MTTL_OR] = NORN_FORM_OR,
        [NORN_MTTL_PREV] = NORN_FORM_PREV,
        [NORN_MTTL_ONCE] = NORN_FORM_ONCE,
        [NORN_MTTL_HIST] = NORN_FORM_HIST,
        [NORN_MTTL_SINCE] = NORN_FORM_SINCE,
        [NORN_MTTL_WEAK_SINCE] = NORN_FORM_WEAK_SINCE,
        [NORN_MTTL_VALUE + NORN_EXPR_NOT] = NORN_FORM_NOT,
        [NORN_MTTL_VALUE + NORN_EXPR_NEGATE] = NORN_FORM_NEGATE,
        [NORN_MTTL_VALUE + NORN_EXPR_INVERT] = NORN_FORM_INVERT,
        [NORN_MTTL_VALUE + NORN_EXPR_EQ] = NORN_FORM_EQ,
        [NORN_MTTL_VALUE + NORN_EXPR_LT] = NORN_FORM_LT,
        [NORN_MTTL_VALUE + NORN_EXPR_LE] = NORN_FORM_LE,
        [NORN_MTTL_VALUE + NORN_EXPR_ADD] = NORN_FORM_ADD,
        [NORN_MTTL_VALUE + NORN_EXPR_SUB] = NORN_FORM_SUB,
        [NORN_MTTL_VALUE + NORN_EXPR_MUL] = NORN_FORM_MUL,
        [NORN_MTTL_VALUE + NORN_EXPR_DIV] = NORN_FORM_DIV,
        [NORN_MTTL_VALUE + NORN_EXPR_MOD] = NORN_FORM_MOD,
        [NORN_MTTL_VALUE + NORN_EXPR_BITAND] = NORN_FORM_BITAND};

static void put(const struct mttl_printer *o, uint32_t line, unsigned least);

static const struct norn_mttl_line *negated(const struct norn_mttl *p, const struct norn_mttl_line *l)
{
	return l->op == NORN_MTTL_VALUE + NORN_EXPR_NOT ? &p->lines[l->a] : NULL;
}

/* A binary operator and its operands as people write them: `!p || q` is `p -> q`, `0 < x` is `x > 0`. */
struct writing {
	enum norn_form_kind form;
	uint32_t a, b;
};

static struct writing implication(const struct norn_mttl *p, const struct norn_mttl_line *l)
{
	const struct norn_mttl_line *a = negated(p, &p->lines[l->a]), *b = negated(p, &p->lines[l->b]);
	/* The reason is this thread's own event, rather than its knowledge of another. */
	if (b && (!a || a->op == NORN_MTTL_AT))
		return (struct writing){NORN_FORM_IMPLIES, p->lines[l->b].a, l->a};
	return a ? (struct writing){NORN_FORM_IMPLIES, p->lines[l->a].a, l->b} : (struct writing){NORN_FORM_OR, l->a, l->b};
}

static struct writing writing_of(const struct norn_mttl *p, const struct norn_mttl_line *l)
{
	const struct norn_mttl_line *inside = negated(p, l);
	enum norn_form_kind form = (enum norn_form_kind)forms[l->op];
	if (form == NORN_FORM_OR)
		return implication(p, l);
	if (inside && forms[inside->op] == NORN_FORM_EQ)
		return (struct writing){NORN_FORM_NE, inside->a, inside->b};
	if ((form == NORN_FORM_LT || form == NORN_FORM_LE) && p->lines[l->a].op == NORN_MTTL_CONST)
		return (struct writing){form == NORN_FORM_LT ? NORN_FORM_GT : NORN_FORM_GE, l->b, l->a};
	return (struct writing){form, l->a, l->b};
}

static void put_operation(const struct mttl_printer *o, const struct norn_mttl_line *l, unsigned least)
{
	const struct writing w = writing_of(o->p, l);
	const struct norn_operator *operator= norn_operator_of(w.form);
	if (!operator->level) {
		fprintf(o->to, "%s%s", operator->text, operator->text[1] ? " " : "");
		put(o, w.a, UNARY);
		return;
	}
	fputs(operator->level<least ? "(" : "", o->to);
	put(o, w.a, operator->level +(operator->chain != NORN_CHAIN_LEFT));
	fprintf(o->to, " %s ", operator->text);
	put(o, w.b, operator->level +(operator->chain != NORN_CHAIN_RIGHT));
	fputs(operator->level<least ? ")" : "", o->to);
}

static void put_quantifier(const struct mttl_printer *o, const struct norn_mttl_line *l)
{
	const struct norn_thread_name *v = &o->p->variables[l->b];
	fprintf(o->to, "%s %s", l->op == NORN_MTTL_FORALL ? "forall" : "exists", v->name);
	if (v->other != NORN_SLOT_NONE)
		fprintf(o->to, " != %s", o->p->variables[v->other].name);
	if (v->type != NORN_SLOT_NONE)
		fprintf(o->to, ": %s", o->spec->types[v->type].name);
	fputs(". ", o->to);
	put(o, l->a, UNARY);
}

static void put_event(const struct mttl_printer *o, const struct norn_mttl_line *l)
{
	fputs(o->spec->events[l->index].name, o->to);
	for (uint32_t i = 0; i < l->b; i++) {
		uint32_t argument = o->p->arguments[l->a + i];
		fputs(i ? ", " : "(", o->to);
		if (argument == NORN_SLOT_NONE)
			fputc('_', o->to);
		else
			put(o, argument, 0);
	}
	fputs(l->b ? ")" : "", o->to);
}

static const char *name_of_local(const struct mttl_printer *o, uint32_t local)
{
	const struct norn_mttl_local *l = &o->p->locals[local];
	return l->ghost ? o->spec->ghosts[l->index].name : o->spec->places[l->index].text;
}

static void put_real(FILE *to, double value)
{
	char text[NORN_DOUBLE_TEXT];
	norn_real_text(value, text);
	fputs(text, to);
}

static void put(const struct mttl_printer *o, uint32_t line, unsigned least)
{
	const struct norn_mttl_line *l = &o->p->lines[line];
	switch (l->op) {
	case NORN_MTTL_CONST:
		if (l->index == NORN_MTTL_REAL)
			put_real(o->to, norn_real_of(l->number));
		else
			fprintf(o->to, "%" PRId64, (int64_t)l->number);
		break;
	case NORN_MTTL_PLACE:
		fputs(o->spec->places[o->p->places[l->index].place].text, o->to);
		break;
	case NORN_MTTL_LOCAL:
		fputs(name_of_local(o, l->index), o->to);
		break;
	case NORN_MTTL_SLOT:
		fputs(o->event == NORN_SLOT_NONE ? "?" : o->spec->events[o->event].parameters[l->index], o->to);
		break;
	case NORN_MTTL_EVENT:
		put_event(o, l);
		break;
	case NORN_MTTL_ACCESS:
		fprintf(o->to, "%s(%s)", norn_word_text((enum norn_word)l->a), o->spec->places[o->p->places[l->index].place].text);
		break;
	case NORN_MTTL_AT:
		norn_mttl_put_remote(o->p, o->spec, l->b, l->a, o->to);
		break;
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		put_quantifier(o, l);
		break;
	case NORN_MTTL_START:
	case NORN_MTTL_END:
		fputs(l->op == NORN_MTTL_START ? "start(" : "end(", o->to);
		put(o, l->a, 0);
		fputc(')', o->to);
		break;
	case NORN_MTTL_INTERVAL:
	case NORN_MTTL_WEAK_INTERVAL:
		fputc('[', o->to);
		put(o, l->a, 0);
		fputs(", ", o->to);
		put(o, l->b, 0);
		fputs(l->op == NORN_MTTL_INTERVAL ? ")" : ") weak", o->to);
		break;
	default:
		put_operation(o, l, least);
	}
}

void norn_mttl_put_remote(const struct norn_mttl *program, const struct norn_spec *spec, uint32_t variable, uint32_t line, FILE *to)
{
	fprintf(to, "@%s ", program->variables[variable].name);
	put(&(struct mttl_printer){program, spec, NORN_SLOT_NONE, to}, line, UNARY);
}

/* ---- a property ---- */

static void write_title(const struct norn_sources *sources, const struct norn_property *property, FILE *to)
{
	const struct norn_logic *logic = &property->decl->logic;
	fprintf(to, "%s: a formula about what threads know of each other, judged at each event of each thread\n", property->name);
	char *text = logic->form ? norn_form_text(logic->form) : NULL;
	size_t bytes = 0;
	const char *source = norn_sources_text(sources, logic->span.file, &bytes);
	if (text)
		fprintf(to, "  %s\n", text);
	else if (source && logic->span.offset < bytes)
		fprintf(to, "  %.*s\n", (int)strcspn(source + logic->span.offset, ";\n"), source + logic->span.offset);
	free(text);
}

static void write_formula(const struct mttl_printer *o, const struct norn_mttl_property *property)
{
	const struct norn_thread_name *v = &o->p->variables[property->variable];
	bool typed = v->type != NORN_SLOT_NONE;
	fprintf(o->to, "\nMonitored by each thread %s%s%s\n  ", v->name, typed ? " of type " : "",
	        typed ? o->spec->types[v->type].name : "");
	put(o, property->root, 0);
	fputc('\n', o->to);
}

static void write_locals(struct mttl_printer *o)
{
	fputs(o->p->local_count ? "\nVariables of each thread's own\n" : "", o->to);
	for (uint32_t i = 0; i < o->p->local_count; i++) {
		fprintf(o->to, "  %s, at first %" PRId64 "%s\n", name_of_local(o, i), (int64_t)o->p->locals[i].initial,
		        o->p->locals[i].ghost ? "" : ", set by norn_set");
		for (uint32_t u = 0; u < o->p->update_count; u++) {
			const struct norn_mttl_update *update = &o->p->updates[u];
			if (update->local != i)
				continue;
			fprintf(o->to, "    at %s: ", o->spec->events[update->event].name);
			o->event = update->event;
			if (update->fresh)
				fputs("fresh (1 + the greatest so far)", o->to);
			else
				put(o, update->line, 0);
			o->event = NORN_SLOT_NONE;
			fputc('\n', o->to);
		}
	}
}

static bool speaks_of(const struct norn_mttl *p, uint32_t event)
{
	for (uint32_t i = 0; i < p->line_count; i++)
		if (p->lines[i].op == NORN_MTTL_EVENT && p->lines[i].index == event)
			return true;
	return p->event_properties[event] != 0;
}

static void write_events(const struct mttl_printer *o)
{
	fputs("\nRelevant events\n", o->to);
	for (uint32_t i = 0; i < o->p->place_count; i++)
		fprintf(o->to, "  %s %s\n", o->p->places[i].valued ? "writes to" : "accesses to",
		        o->spec->places[o->p->places[i].place].text);
	for (uint32_t e = 0; e < o->p->event_count; e++) {
		if (!speaks_of(o->p, e))
			continue;
		fprintf(o->to, "  %s: ", o->spec->events[e].name);
		norn_phrase_event(o->spec, e, o->to);
		fputc('\n', o->to);
	}
	fputs("  All other accesses, and all synchronization, carry knowledge from thread to thread.\n", o->to);
}

/* ", for each i" */
static void write_dimensions(const struct mttl_printer *o, const uint32_t *dimension, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fprintf(o->to, "%s%s", i ? " and " : ", for each ", o->p->variables[dimension[i]].name);
	fputc('\n', o->to);
}

static void write_published(const struct mttl_printer *o)
{
	fputs("\nPublished by each thread, for others who ask by @\n", o->to);
	for (uint32_t i = 0; i < o->p->remote_count; i++) {
		const struct norn_mttl_remote *r = &o->p->remotes[i];
		fprintf(o->to, "  @%s: ", o->p->variables[r->variable].name);
		put(o, r->line, 0);
		write_dimensions(o, r->dimension, r->dimensions);
	}
	if (!o->p->remote_count)
		fputs("  nothing: it asks about no other thread\n", o->to);
	fputs(o->p->table_count ? "\nKept by each thread of its event before\n" : "", o->to);
	for (uint32_t i = 0; i < o->p->table_count; i++) {
		fputs("  ", o->to);
		put(o, o->p->tables[i].line, 0);
		write_dimensions(o, o->p->tables[i].dimension, o->p->tables[i].dimensions);
	}
}

/* The threads that have entries: those that an @ or a quantifier can mean. */
static void write_types(const struct mttl_printer *o)
{
	const char *between = "";
	uint64_t named = 0;
	for (uint32_t i = 0; i < o->p->line_count; i++) {
		const struct norn_mttl_line *l = &o->p->lines[i];
		if (l->op != NORN_MTTL_AT && l->op != NORN_MTTL_FORALL && l->op != NORN_MTTL_EXISTS)
			continue;
		uint32_t type = o->p->variables[l->b].type;
		if (type >= 64) {
			fputs("each thread", o->to);
			return;
		}
		named |= UINT64_C(1) << type;
	}
	fputs(named ? "each thread of type " : "no thread", o->to);
	for (; named; named &= named - 1, between = " or ")
		fprintf(o->to, "%s%s", between, o->spec->types[__builtin_ctzll(named)].name);
}

static void write_vector(const struct mttl_printer *o, bool alone)
{
	const uint32_t *of = o->p->remotes_of;
	fputs("\nA knowledge vector\n  has an entry for ", o->to);
	write_types(o);
	if (o->p->remote_count)
		fprintf(o->to, " that was heard of: how new it is, and %u value%s", of[0], of[0] == 1 ? "" : "s");
	if (of[1])
		fprintf(o->to, ", and %u for each thread that has an entry", of[1]);
	if (of[2])
		fprintf(o->to, ", and %u for each two threads that have", of[2]);
	fputs(o->p->valued ? "\n  has the value of " : "\n  has no values of variables\n", o->to);
	for (uint32_t i = 0; i < o->p->valued; i++)
		fprintf(o->to, "%s%s", i ? ", " : "", o->spec->places[o->p->places[i].place].text);
	fputs(o->p->valued ? ", and how new each is\n" : "", o->to);
	if (!alone)
		fputs("  A run has one kind of vector for all mttl properties of the file together.\n", o->to);
}

int norn_mttl_explain(const struct norn_sources *sources, const struct norn_spec *spec, const struct norn_property *property,
        FILE *to, struct norn_error *err)
{
	struct norn_spec one = *spec;
	struct norn_mttl program;
	uint32_t count = 0;
	for (uint32_t i = 0; i < spec->property_count; i++)
		count += spec->properties[i].logic == NORN_LOGIC_MTTL;
	one.properties = property;
	one.property_count = 1;
	int r = norn_mttl_compile(sources, &one, &program, err);
	if (r != 0)
		return r;
	struct mttl_printer o = {&program, spec, NORN_SLOT_NONE, to};
	write_title(sources, property, to);
	write_formula(&o, &program.properties[0]);
	write_locals(&o);
	write_events(&o);
	write_published(&o);
	write_vector(&o, count == 1);
	norn_mttl_done(&program);
	return 0;
}
