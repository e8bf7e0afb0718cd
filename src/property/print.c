/* Formulas and expressions as text, with the fewest parentheses that parse back to the same tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "property/operator.h"
#include "property/property.h"

enum { LEVEL_UNARY = 10, LEVEL_OPERAND }; /* above those of binary operators */

static void put_name(FILE *to, const char *name, bool quoted)
{
	quoted |= norn_name_reserved(name);
	fprintf(to, quoted ? "`%s`" : "%s", name);
}

static void put_string(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fprintf(to, "\\%03o", (unsigned)*text);
		else
			fputc(*text, to);
	fputc('"', to);
}

static void put_lval(FILE *to, const struct norn_lval *lval, bool called)
{
	if (lval->file) {
		put_string(to, lval->file);
		fputs("::", to);
	}
	if (lval->tagged)
		fputs(lval->is_union ? "union " : "struct ", to);
	if (lval->function.text) {
		put_name(to, lval->function.text, false);
		fputs("::", to);
	}
	put_name(to, lval->name.text, called && norn_word_calls(lval->name.text));
	for (const struct norn_step *step = lval->steps; step; step = step->next)
		if (step->every) {
			fputs("[*]", to);
		} else if (step->index) {
			fprintf(to, "[%" PRIu64 "]", step->number);
		} else {
			fprintf(to, norn_name_plain(step->field.text) ? ".%s" : ".`%s`", step->field.text);
		}
}

static unsigned form_level(const struct norn_form *form)
{
	const struct norn_operator *o = norn_operator_of(form->kind);
	if (o)
		return o->level ? o->level : LEVEL_UNARY;
	return form->kind == NORN_FORM_AT || form->kind == NORN_FORM_FORALL || form->kind == NORN_FORM_EXISTS ? LEVEL_UNARY
	                                                                                                      : LEVEL_OPERAND;
}

static void put_form(FILE *to, const struct norn_form *form, unsigned least);

static void put_forms(FILE *to, const struct norn_form *first)
{
	for (const struct norn_form *form = first; form; form = form->next) {
		fputs(form == first ? "" : ", ", to);
		put_form(to, form, 0);
	}
}

static void put_binary(FILE *to, const struct norn_form *form, const struct norn_operator *o)
{
	put_form(to, form->a, o->level + (o->chain != NORN_CHAIN_LEFT));
	fprintf(to, " %s ", o->text);
	put_form(to, form->b, o->level + (o->chain != NORN_CHAIN_RIGHT));
}

static void put_quantifier(FILE *to, const struct norn_form *form)
{
	fputs(form->kind == NORN_FORM_FORALL ? "forall " : "exists ", to);
	put_name(to, form->name.text, false);
	if (form->other.text) {
		fputs(" != ", to);
		put_name(to, form->other.text, false);
	}
	if (form->type.text) {
		fputs(": ", to);
		put_name(to, form->type.text, false);
	}
	fputs(". ", to);
	put_form(to, form->a, LEVEL_UNARY);
}

static void put_count(FILE *to, const struct norn_form *form)
{
	fprintf(to, "%s(", norn_word_text(form->word));
	put_name(to, form->name.text, false);
	if (form->other.text) {
		fputs(", ", to);
		put_name(to, form->other.text, false);
	}
	fputc(')', to);
}

void norn_real_text(double value, char to[NORN_DOUBLE_TEXT])
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(to, NORN_DOUBLE_TEXT, "%.*g", digits, value);
		if (strtod(to, NULL) == value)
			break;
	}
	if (!strpbrk(to, ".e"))
		strcat(to, ".0");
}

static void put_real(FILE *to, uint64_t bits)
{
	char text[NORN_DOUBLE_TEXT];
	norn_real_text(norn_real_of(bits), text);
	fputs(text, to);
}

/* The forms that are neither binary nor a prefix of the table. */
static void put_operand(FILE *to, const struct norn_form *form)
{
	switch (form->kind) {
	case NORN_FORM_INT:
		fprintf(to, "%" PRIu64, form->number);
		break;
	case NORN_FORM_REAL:
		put_real(to, form->number);
		break;
	case NORN_FORM_TEXT:
		put_string(to, form->text);
		break;
	case NORN_FORM_TRUE:
		fputs("true", to);
		break;
	case NORN_FORM_FALSE:
		fputs("false", to);
		break;
	case NORN_FORM_NAME:
		put_lval(to, form->lval, form->called);
		if (form->called) {
			fputc('(', to);
			put_forms(to, form->arguments);
			fputc(')', to);
		}
		break;
	case NORN_FORM_ACCESS:
		fprintf(to, "%s(", norn_word_text(form->word));
		put_lval(to, form->lval, false);
		fputc(')', to);
		break;
	case NORN_FORM_COUNT:
		put_count(to, form);
		break;
	case NORN_FORM_START:
	case NORN_FORM_END:
		fputs(form->kind == NORN_FORM_START ? "start(" : "end(", to);
		put_form(to, form->a, 0);
		fputc(')', to);
		break;
	case NORN_FORM_AT:
		fputc('@', to);
		put_name(to, form->name.text, false);
		fputc(' ', to);
		put_form(to, form->a, LEVEL_UNARY);
		break;
	case NORN_FORM_FORALL:
	case NORN_FORM_EXISTS:
		put_quantifier(to, form);
		break;
	default: /* the two intervals */
		fputc('[', to);
		put_form(to, form->a, 0);
		fputs(", ", to);
		put_form(to, form->b, 0);
		fputs(form->kind == NORN_FORM_WEAK_INTERVAL ? ") weak" : ")", to);
	}
}

/* In parentheses if it binds less than least. */
static void put_form(FILE *to, const struct norn_form *form, unsigned least)
{
	const struct norn_operator *o = norn_operator_of(form->kind);
	bool parentheses = form_level(form) < least;
	if (parentheses)
		fputc('(', to);
	if (!o) {
		put_operand(to, form);
	} else if (o->level) {
		put_binary(to, form, o);
	} else {
		bool word = o->text[0] >= 'A' && o->text[0] != '~';
		fprintf(to, "%s%s", o->text, word ? " " : "");
		put_form(to, form->a, LEVEL_UNARY);
	}
	if (parentheses)
		fputc(')', to);
}

/* ---- expressions ---- */

enum { REX_OR = 1, REX_AND, REX_CAT, REX_REPEAT, REX_NOT, REX_LEAF };

static unsigned rex_level(const struct norn_rex *rex)
{
	static const unsigned levels[] = {
	        [NORN_REX_EVENT] = REX_LEAF,
	        [NORN_REX_ANY] = REX_LEAF,
	        [NORN_REX_NOT] = REX_NOT,
	        [NORN_REX_REPEAT] = REX_REPEAT,
	        [NORN_REX_CAT] = REX_CAT,
	        [NORN_REX_AND] = REX_AND,
	        [NORN_REX_OR] = REX_OR,
	};
	return levels[rex->kind];
}

static void put_repetition(FILE *to, const struct norn_rex *rex)
{
	bool unbounded = rex->most == NORN_REX_UNBOUNDED;
	if (unbounded && rex->least <= 1)
		fputc(rex->least ? '+' : '*', to);
	else if (rex->least == 0 && rex->most == 1)
		fputc('?', to);
	else if (unbounded)
		fprintf(to, "{%u,}", rex->least);
	else if (rex->least == rex->most)
		fprintf(to, "{%u}", rex->least);
	else
		fprintf(to, "{%u,%u}", rex->least, rex->most);
}

static void put_rex(FILE *to, const struct norn_rex *rex, unsigned least)
{
	unsigned level = rex_level(rex);
	if (level < least)
		fputc('(', to);
	switch (rex->kind) {
	case NORN_REX_EVENT:
		put_name(to, rex->event.text, false);
		break;
	case NORN_REX_ANY:
		fputc('.', to);
		break;
	case NORN_REX_NOT:
		fputc('!', to);
		put_rex(to, rex->a, REX_NOT);
		break;
	case NORN_REX_REPEAT:
		put_rex(to, rex->a, REX_REPEAT);
		put_repetition(to, rex);
		break;
	default:
		put_rex(to, rex->a, level);
		fputs(rex->kind == NORN_REX_CAT ? " " : rex->kind == NORN_REX_AND ? " & " : " | ", to);
		put_rex(to, rex->b, level + 1);
	}
	if (level < least)
		fputc(')', to);
}

/* ---- into memory ---- */

char *norn_form_text(const struct norn_form *form)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = norn_must(open_memstream(&text, &bytes));
	put_form(to, form, 0);
	norn_must_close(to);
	return text;
}

char *norn_rex_text(const struct norn_rex *rex)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = norn_must(open_memstream(&text, &bytes));
	put_rex(to, rex, 0);
	norn_must_close(to);
	return text;
}
