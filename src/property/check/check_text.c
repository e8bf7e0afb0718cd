/* Comparisons with strings: `name == "bob"`, of an array of characters, or of what a pointer to characters points to.
 *
 * A string is its bytes: the comparison is a conjunction, name[0] == 'b' && name[1] == 'o' && name[2] == 'b' && name[3] == 0, and
 * each byte is a variable of its own, written when the program writes it. While a text is being written, byte by byte, it is what
 * its bytes are by then. A byte that differs decides, whether the others are known or not. A null pointer points to no text. A
 * std::string is what its pointer points to; that is null only as long as its making was not seen: then it is not known. */
#include "property/check/check.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 64u
#define CXX_POINTER "._M_dataplus._M_p" /* of a std::string, to its text */

static const struct norn_term bad_term = {.kind = NORN_TERM_BAD};

/* The lval with one more step. */
static struct norn_form part(struct norn_checker *c, const struct norn_form *whole, struct norn_step last)
{
	struct norn_form form = *whole;
	struct norn_lval *lval = norn_check_copy(c, whole->lval, 1, sizeof *lval);
	struct norn_step **end = &lval->steps;
	for (const struct norn_step *step = whole->lval->steps; step; step = step->next) {
		*end = norn_check_copy(c, step, 1, sizeof *step);
		end = &(*end)->next;
	}
	*end = norn_check_copy(c, &last, 1, sizeof last);
	form.lval = lval;
	return form;
}

static const struct norn_type *type_of(const struct norn_checker *c, const struct norn_expr *expr)
{
	return expr->op == NORN_EXPR_PLACE ? c->places[expr->index].type : NULL;
}

/* The number that a variable of this type has where this byte stands. */
static __int128 byte_value(const struct norn_type *type, char byte)
{
	bool is_signed = type && type->kind == NORN_TYPE_SIGNED;
	return is_signed ? (signed char)byte : (unsigned char)byte;
}

/* The variable's name, of its first character's. */
static const char *text_of(struct norn_checker *c, const struct norn_expr *first, const struct norn_form *text)
{
	const char *name = c->places[first->index].text;
	size_t length = strlen(name) - strlen("[0]"), pointer = strlen(CXX_POINTER);
	char *quoted = norn_form_text(text);
	if (length > pointer && memcmp(name + length - pointer, CXX_POINTER, pointer) == 0)
		length -= pointer;
	const char *whole = norn_check_print(c, "%.*s == %s", (int)length, name, quoted ? quoted : "");
	free(quoted);
	return whole;
}

/* The term of one character; kind BAD after a diagnostic. */
static struct norn_term character(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *variable, const char *text, uint64_t i)
{
	const struct norn_form form = part(c, variable, (struct norn_step){.index = true, .number = i});
	struct norn_term term = norn_check_name(c, env, &form);
	if (term.kind != NORN_TERM_NUMBER || term.expr->op != NORN_EXPR_PLACE) {
		c->bad = true;
		return bad_term;
	}
	const struct norn_type *type = type_of(c, term.expr);
	term.expr = norn_check_operation(
	        c, NORN_EXPR_EQ, term.expr, norn_check_int(c, byte_value(type, text[i]), form.span), false, form.span);
	return term;
}

static bool is_comparable(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form, const struct norn_form *variable)
{
	if (form->kind != NORN_FORM_EQ && form->kind != NORN_FORM_NE) {
		norn_check_error(c, form->span, "strings are compared by `==` and `!=`", "strings have no order here");
		return false;
	}
	if (!variable || variable->kind != NORN_FORM_NAME || variable->called || !variable->lval || !variable->lval->name.text) {
		norn_check_error(
		        c, form->span, "write it as in `name == \"bob\"`", "a string is compared with a variable that holds one");
		return false;
	}
	if (norn_check_form_memory(c, env, variable->lval))
		return true;
	norn_check_error(c, variable->span,
	        "name a variable that points to the text, or give the program's own answer by norn_event()",
	        "`%s` is a number here: events carry no strings", variable->lval->name.text);
	return false;
}

static bool fits(struct norn_checker *c, const struct norn_form *form, const struct norn_form *variable,
        const struct norn_type *type, const char *text)
{
	size_t length = strlen(text);
	bool sequence = type && (type->kind == NORN_TYPE_ARRAY || type->kind == NORN_TYPE_POINTER);
	if (type && !(sequence && type->target && type->target->size == 1)) {
		norn_check_error(c, variable->span, NULL,
		        "`%s` is no array of characters, no pointer to characters and no std::string", variable->lval->name.text);
		return false;
	}
	if (length > LONGEST) {
		norn_check_error(c, form->span, NULL, "strings of more than %u characters are not compared", LONGEST);
		return false;
	}
	if (!type || type->kind == NORN_TYPE_POINTER || type->count > length)
		return true;
	norn_check_error(c, form->span, NULL,
	        "this can never be: the array has %llu bytes, and the string with the zero that ends it %zu",
	        (unsigned long long)type->count, length + 1);
	return false;
}

/* What is compared: the variable, or of a std::string its pointer; and its type. False after a diagnostic. */
static bool find_characters(
        struct norn_checker *c, const struct norn_form_env *env, struct norn_form *variable, const struct norn_type **ret_type)
{
	const struct norn_type *type;
	uint64_t offset;
	if (!norn_check_place_type(c, norn_check_form_memory(c, env, variable->lval), &type))
		return false;
	if (type && type->kind == NORN_TYPE_STRUCT && norn_type_member(type, "_M_dataplus", &offset)) {
		*variable = part(c, variable, (struct norn_step){.field = {"_M_dataplus", variable->span}});
		if (!norn_check_place_type(c, norn_check_form_memory(c, env, variable->lval), &type))
			return false;
		/* Without libstdc++'s debug information it is known only where its constructors are compiled, too. */
		if (!type || !norn_type_member(type, "_M_p", &offset)) {
			norn_check_error(c, variable->span, "compile with -fstandalone-debug",
			        "`%s` is a std::string, and debug information does not say what that consists of",
			        variable->lval->name.text);
			return false;
		}
		*variable = part(c, variable, (struct norn_step){.field = {"_M_p", variable->span}});
		if (!norn_check_place_type(c, norn_check_form_memory(c, env, variable->lval), &type))
			return false;
	}
	*ret_type = type;
	return true;
}

/* Is it the pointer of a std::string, which is never null once the string is made? */
static bool is_of_cxx(const struct norn_form *variable)
{
	const struct norn_step *step = variable->lval->steps;
	while (step && step->next)
		step = step->next;
	return step && step->field.text && strcmp(step->field.text, "_M_p") == 0;
}

struct norn_term norn_check_text_comparison(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	bool turned = form->a && form->a->kind == NORN_FORM_TEXT;
	const struct norn_form *text = turned ? form->a : form->b;
	const struct norn_expr *whole = NULL, *first = NULL;
	const struct norn_type *type;
	if (!is_comparable(c, env, form, turned ? form->b : form->a))
		return bad_term;
	struct norn_form variable = turned ? *form->b : *form->a;
	if (!find_characters(c, env, &variable, &type) || !fits(c, form, &variable, type, text->text))
		return bad_term;
	if (type && type->kind == NORN_TYPE_POINTER && !is_of_cxx(&variable)) {
		struct norn_term pointer = norn_check_name(c, env, &variable);
		if (pointer.kind != NORN_TERM_NUMBER)
			return bad_term;
		whole = norn_check_operation(c, NORN_EXPR_EQ, pointer.expr, norn_check_int(c, 0, form->span), false, form->span);
		whole = norn_check_operation(c, NORN_EXPR_NOT, whole, NULL, false, form->span);
	}
	for (size_t i = 0; i <= strlen(text->text); i++) {
		struct norn_term term = character(c, env, &variable, text->text, i);
		if (term.kind == NORN_TERM_BAD)
			return bad_term;
		first = first ? first : term.expr->a;
		whole = whole ? norn_check_operation(c, NORN_EXPR_AND, whole, term.expr, false, form->span) : term.expr;
	}
	struct norn_expr *named = norn_check_copy(c, whole, 1, sizeof *named);
	named->text = text_of(c, first, text);
	return (struct norn_term){.kind = NORN_TERM_NUMBER, .expr = named};
}
