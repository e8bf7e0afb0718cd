#include "property/check/check.h"

#include <stdlib.h>
#include <string.h>

#define HOPS_MAX 32u

/* A place on the way along the steps of an lval. */
struct place_walk {
	struct norn_checker *c;
	const struct norn_lval *lval;
	struct norn_place place; /* its text, offsets and field are set at the end */
	uint64_t offsets[HOPS_MAX];
	struct norn_growing_text text, key, field;
	const struct norn_type *type; /* of what stands there; NULL: unknown, so anything goes */
};

static const char *described(struct norn_checker *c, const struct norn_type *type)
{
	switch (type->kind) {
	case NORN_TYPE_STRUCT:
	case NORN_TYPE_UNION: {
		const char *word = type->kind == NORN_TYPE_STRUCT ? "struct" : "union";
		return type->name && type->name[0] ? norn_check_print(c, "a %s %s", word, type->name)
		                                   : norn_check_print(c, "a %s", word);
	}
	case NORN_TYPE_ARRAY:
		return "an array";
	case NORN_TYPE_FUNCTION:
		return "a function";
	case NORN_TYPE_POINTER:
		return "a pointer";
	case NORN_TYPE_UNKNOWN:
		return "of a type that is not known";
	case NORN_TYPE_VOID:
		return "void";
	default:
		return type->name && type->name[0] ? norn_check_print(c, "`%s`", type->name) : "a number";
	}
}

/* ---- which variable ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The ways to name one of several symbols. */
static const char *spelled(struct norn_checker *c, const struct norn_symbol *symbol, bool whole_path, bool with_file)
{
	const char *file = whole_path ? symbol->file : last_part(symbol->file);
	bool inner = symbol->function && symbol->function[0];
	if (inner && !with_file)
		return norn_check_print(c, "%s::%s", symbol->function, symbol->name);
	return norn_check_print(c, "\"%s\"::%s%s%s", file, inner ? symbol->function : "", inner ? "::" : "", symbol->name);
}

static int by_place(const void *a, const void *b)
{
	const struct norn_symbol *x = *(const struct norn_symbol *const *)a, *y = *(const struct norn_symbol *const *)b;
	int file = strcmp(x->file, y->file);
	return file ? file : strcmp(x->function, y->function);
}

static void complain_ambiguous(
        struct norn_checker *c, const struct norn_lval *lval, const struct norn_symbol **found, uint32_t count)
{
	struct norn_growing_text list = {0};
	qsort(found, count, sizeof *found, by_place);
	for (uint32_t i = 0; i < count; i++) {
		bool same_function = false, same_both = false;
		for (uint32_t k = 0; k < count; k++) {
			bool same = k != i && strcmp(found[k]->function, found[i]->function) == 0;
			same_function |= same;
			same_both |= same && strcmp(last_part(found[k]->file), last_part(found[i]->file)) == 0;
		}
		norn_text_append(c, &list, "%s`%s`",
		        i == 0           ? ""
		        : i + 1 == count ? " or "
		                         : ", ",
		        spelled(c, found[i], same_both, same_function));
	}
	norn_check_error(c, lval->span, norn_check_advise(c, "write %s", list.chars), "the program has %s%u variables called `%s`",
	        count == 8 ? "at least " : "", count, lval->name.text);
}

/* The one symbol that is meant, NULL with *ret_count if there is none (0) or a choice (then after a diagnostic). */
static const struct norn_symbol *choose_symbol(struct norn_checker *c, const struct norn_lval *lval, uint32_t *ret_count)
{
	const struct norn_symbol *found[8], *symbol, *global = NULL, *outer = NULL;
	uint32_t count = 0, outers = 0;
	size_t cursor = 0;
	while ((symbol = norn_program_symbol(c->program, false, lval->name.text, lval->file, lval->function.text, &cursor))) {
		if (!symbol->is_static && (!global || symbol->module < global->module))
			global = symbol;
		if (!symbol->function[0]) { /* as in C, a name outside of functions means what is outside of them */
			outer = symbol;
			outers++;
		}
		if (count < 8)
			found[count++] = symbol;
	}
	*ret_count = count;
	if (global || outers == 1)
		return global ? global : outer;
	if (count == 1)
		return found[0];
	if (count > 1)
		complain_ambiguous(c, lval, found, count);
	return NULL;
}

/* True if its symbols were stripped: of main only its name is known, from the table of sites, if anything. */
static bool is_stripped(const struct norn_program *program)
{
	size_t cursor = 0;
	const struct norn_symbol *start = norn_program_symbol(program, true, "main", NULL, NULL, &cursor);
	return norn_program_modules(program) && !norn_program_has_types(program, 0) && (!start || !start->address);
}

static void complain_unknown(struct norn_checker *c, const struct norn_lval *lval)
{
	size_t cursor = 0, other = 0;
	const char *name = lval->name.text, *help = NULL;
	if (lval->function.text && !norn_program_symbol(c->program, true, lval->function.text, lval->file, NULL, &cursor)) {
		norn_check_error(c, lval->function.span,
		        norn_check_meant(c, norn_program_nearest(c->program, true, lval->function.text), NULL),
		        "the program has no function `%s`", lval->function.text);
		return;
	}
	cursor = 0;
	if (!norn_check_is_silent(c)) {
		const char *near = norn_lval_is_plain(lval) ? norn_check_nearest(c, &c->values, name) : NULL;
		help = norn_check_meant(c, near ? near : norn_program_nearest(c->program, false, name), NULL);
		if (norn_program_symbol(c->program, true, name, NULL, NULL, &cursor))
			help = norn_check_advise(c, "it is a function: declare an event, as in `event e = call %s(...);`", name);
		else if (norn_program_symbol(c->program, false, name, NULL, NULL, &other))
			help = norn_check_advise(c, "there is a `%s` elsewhere in the program", name);
		else if (!help && is_stripped(c->program))
			help = norn_check_advise(c, "%s has no symbols: keep them (no `strip`, no `-s`), and build with -g",
			        norn_program_path(c->program, 0));
	}
	if (lval->function.text)
		norn_check_error(
		        c, lval->name.span, help, "the function `%s` has no static variable `%s`", lval->function.text, name);
	else if (lval->file)
		norn_check_error(c, lval->name.span, help, "the file \"%s\" has no variable `%s`", lval->file, name);
	else
		norn_check_error(
		        c, lval->name.span, help, "`%s` is not declared, and the program has no variable of that name", name);
}

static bool begin_symbol(struct place_walk *w)
{
	struct norn_checker *c = w->c;
	const struct norn_lval *lval = w->lval;
	uint32_t count;
	const struct norn_symbol *symbol = choose_symbol(c, lval, &count);
	if (!symbol && count == 0 && norn_lval_is_plain(lval) && norn_program_has_set(c->program, lval->name.text)) {
		w->place.kind = NORN_PLACE_SET;
		w->place.size = 8;
		if (lval->steps)
			norn_check_error(
			        c, lval->span, NULL, "`%s` is a value that norn_set gives, and has no parts", lval->name.text);
		return !lval->steps;
	}
	if (!symbol) {
		if (count == 0)
			complain_unknown(c, lval);
		return false;
	}
	if (symbol->is_thread_local) {
		norn_check_error(c, lval->span, "use a ghost, which is a variable of each thread, too",
		        "`%s` is thread-local: it has a value for each thread, and its accesses are not recorded", lval->name.text);
		return false;
	}
	w->place.kind = NORN_PLACE_OBJECT;
	w->place.base = symbol;
	w->place.hops = 1;
	w->place.size = symbol->size;
	w->type = symbol->type;
	return true;
}

static bool begin_tag(struct place_walk *w)
{
	struct norn_checker *c = w->c;
	const struct norn_lval *lval = w->lval;
	w->place.kind = NORN_PLACE_FIELD;
	norn_text_append(c, &w->field, "%s", lval->name.text);
	if (!lval->steps || lval->steps->index) {
		norn_check_error(c, lval->span,
		        norn_check_advise(
		                c, "name a field, as in `%s %s.field`", lval->is_union ? "union" : "struct", lval->name.text),
		        "`%s %s` is a type, not a variable", lval->is_union ? "union" : "struct", lval->name.text);
		return false;
	}
	if (!c->program)
		return true;
	w->type = norn_program_tag(c->program, lval->is_union, lval->name.text);
	if (!w->type)
		norn_check_error(c, lval->name.span,
		        norn_check_meant(
		                c, norn_check_is_silent(c) ? NULL : norn_program_nearest_tag(c->program, lval->name.text), NULL),
		        "the program has no %s `%s`", lval->is_union ? "union" : "struct", lval->name.text);
	return w->type;
}

/* Starts where an alias points to, under the alias's name. False if the alias has a mistake. */
static bool begin_alias(struct place_walk *w, const struct norn_named *alias)
{
	struct norn_checker *c = w->c;
	if (alias->bad) {
		c->bad = true;
		return false;
	}
	w->place = c->places[alias->index];
	if (w->place.hops)
		memcpy(w->offsets, w->place.offsets, w->place.hops * sizeof *w->offsets);
	w->type = w->place.type;
	norn_text_append(c, &w->text, "%s", alias->text);
	norn_text_append(c, &w->key, "%s", c->place_keys.list.items[alias->index]->text);
	if (w->place.field)
		norn_text_append(c, &w->field, "%s", w->place.field);
	return true;
}

static bool begin(struct place_walk *w)
{
	struct norn_checker *c = w->c;
	const struct norn_lval *lval = w->lval;
	const struct norn_named *named = norn_lval_is_plain(lval) ? norn_name_table_find(&c->values, lval->name.text) : NULL;
	if (named && named->known && (named->decl->kind == NORN_DECL_VAR || named->decl->kind == NORN_DECL_LOCK))
		return begin_alias(w, named);
	if (lval->file)
		norn_text_append(c, &w->text, "\"%s\"::", lval->file);
	if (lval->tagged)
		norn_text_append(c, &w->text, "%s ", lval->is_union ? "union" : "struct");
	if (lval->function.text)
		norn_text_append(c, &w->text, "%s::", lval->function.text);
	norn_text_append(c, &w->text, "%s", lval->name.text);
	norn_text_append(c, &w->key, "%s", w->text.chars);
	w->place.count = 1;
	if (lval->tagged)
		return begin_tag(w);
	w->place.kind = NORN_PLACE_FREE;
	w->place.size = 8;
	return !c->program || begin_symbol(w);
}

/* ---- along the steps ---- */

static struct norn_span step_span(const struct place_walk *w, const struct norn_step *step)
{
	return step->index ? w->lval->span : step->field.span;
}

/* From a pointer to what it points to. */
static bool follow(struct place_walk *w, const struct norn_step *step)
{
	struct norn_checker *c = w->c;
	if (w->place.kind == NORN_PLACE_FIELD || w->place.cell_step) {
		norn_check_error(c, step_span(w, step),
		        w->type->target && w->type->target->kind == NORN_TYPE_STRUCT && !step->index
		                ? norn_check_advise(c, "write `struct %s.%s`", w->type->target->name, step->field.text)
		                : NULL,
		        "the pointers of all objects cannot be followed at once");
		return false;
	}
	if (w->place.hops == HOPS_MAX) {
		norn_check_error(c, w->lval->span, NULL, "`%s` follows more than %u pointers", w->lval->name.text, HOPS_MAX - 1);
		return false;
	}
	w->offsets[w->place.hops++] = 0;
	w->type = w->type->target;
	return true;
}

static bool step_field(struct place_walk *w, const struct norn_step *step)
{
	struct norn_checker *c = w->c;
	uint64_t offset;
	if (!w->type && w->place.kind != NORN_PLACE_FREE && c->program) {
		norn_check_error(
		        c, step->field.span, "compile the program with -g", "what `%s` consists of is not known", w->text.chars);
		return false;
	}
	if (!w->type) {
		norn_text_append(c, &w->field, ".%s", step->field.text);
		return true;
	}
	bool pointed = w->type->kind == NORN_TYPE_POINTER && w->type->target;
	if (pointed && !follow(w, step))
		return false;
	if (w->type->kind != NORN_TYPE_STRUCT && w->type->kind != NORN_TYPE_UNION) {
		const char *help = w->type->kind == NORN_TYPE_ARRAY
		                           ? norn_check_advise(c, "name an element, as in `%s[0]`", w->text.chars)
		                   : w->type->kind == NORN_TYPE_UNKNOWN ? "compile the program with -g"
		                                                        : NULL;
		norn_check_error(c, step->field.span, help, "%s`%s`%s is %s, and has no fields", pointed ? "what " : "",
		        w->text.chars, pointed ? " points to" : "", described(c, w->type));
		return false;
	}
	const struct norn_member *member = norn_type_member(w->type, step->field.text, &offset);
	bool named = w->type->name && w->type->name[0];
	if (!member) {
		norn_check_error(c, step->field.span,
		        norn_check_meant(
		                c, norn_check_is_silent(c) ? NULL : norn_type_nearest_member(w->type, step->field.text), NULL),
		        "%s has no field `%s`", named ? described(c, w->type) + 2 : norn_check_print(c, "`%s`", w->text.chars),
		        step->field.text);
		return false;
	}
	const struct norn_type *owner =
	        w->place.kind == NORN_PLACE_FIELD ? norn_type_member_owner(w->type, step->field.text) : NULL;
	if (owner && owner != w->type) {
		norn_check_error(c, step->field.span, norn_check_advise(c, "write `struct %s.%s`", owner->name, step->field.text),
		        "the field `%s` is one of the base class `%s`, and accesses are recorded as such", step->field.text,
		        owner->name);
		return false;
	}
	if (w->place.kind == NORN_PLACE_FIELD && w->type->name &&
	        w->type->name[0]) { /* as sites name fields: from the innermost tag */
		w->field.length = 0;
		norn_text_append(c, &w->field, "%s", w->type->name);
	}
	if (w->place.kind == NORN_PLACE_FIELD)
		norn_text_append(c, &w->field, ".%s", step->field.text);
	else
		w->offsets[w->place.hops - 1] += offset;
	w->type = member->type;
	w->place.size = member->type ? member->type->size : 0;
	w->place.bit_offset = member->bit_offset;
	w->place.bit_size = member->bit_size;
	return true;
}

static bool step_index(struct place_walk *w, const struct norn_step *step)
{
	struct norn_checker *c = w->c;
	struct norn_span span = w->lval->span;
	uint64_t count = 0;
	if (step->every && w->place.cell_step) {
		norn_check_error(c, span, norn_check_advise(c, "`%s` stands for all of it", w->text.chars),
		        "only one `[*]` can be followed at a time");
		return false;
	}
	if (!w->type) {
		w->place.cell_step = step->every ? 1 : w->place.cell_step;
		return true;
	}
	const struct norn_type *element = w->type->target;
	if (w->type->kind == NORN_TYPE_ARRAY) {
		count = w->type->count;
		w->type = element;
	} else if (w->type->kind != NORN_TYPE_POINTER) {
		norn_check_error(c, span, NULL, "`%s` is %s, and has no elements", w->text.chars, described(c, w->type));
		return false;
	} else if (!follow(w, step)) {
		return false;
	}
	if (!element || element->size == 0) {
		norn_check_error(
		        c, span, "compile the program with -g", "how large the elements of `%s` are is not known", w->text.chars);
		return false;
	}
	if (!step->every && count && step->number >= count) {
		norn_check_error(c, span,
		        norn_check_advise(c, "the last one is `%s[%llu]`", w->text.chars, (unsigned long long)count - 1),
		        "`%s` has no element %llu", w->text.chars, (unsigned long long)step->number);
		return false;
	}
	if (!step->every && w->place.kind == NORN_PLACE_FIELD) {
		norn_check_error(c, span, norn_check_advise(c, "write `%s[*]`", w->text.chars),
		        "elements of a field of every object cannot be told apart");
		return false;
	}
	if (step->every) {
		w->place.cell_step = element->size;
		w->place.count = count;
	} else {
		w->offsets[w->place.hops - 1] += step->number * element->size;
	}
	w->place.size = element->size;
	return true;
}

static bool walk_steps(struct place_walk *w)
{
	for (const struct norn_step *step = w->lval->steps; step; step = step->next) {
		if (!step->index && !step->field.text) {
			w->c->bad = true;
			return false;
		}
		if (!(step->index ? step_index(w, step) : step_field(w, step)))
			return false;
		struct norn_growing_text *texts[] = {&w->text, &w->key};
		for (int i = 0; i < 2; i++)
			if (!step->index)
				norn_text_append(w->c, texts[i], ".%s", step->field.text);
			else if (step->every)
				norn_text_append(w->c, texts[i], "[*]");
			else
				norn_text_append(w->c, texts[i], "[%llu]", (unsigned long long)step->number);
	}
	return true;
}

/* ---- the result ---- */

/* The place itself, whatever it was called. */
static const char *key_of(struct place_walk *w)
{
	struct norn_checker *c = w->c;
	if (w->place.kind == NORN_PLACE_FIELD)
		return norn_check_print(c, "field %s %s", w->field.chars, w->place.cell_step ? "[*]" : "");
	if (w->place.kind != NORN_PLACE_OBJECT)
		return w->key.chars;
	w->key.length = 0;
	norn_text_append(c, &w->key, "%p", (const void *)w->place.base);
	for (uint32_t i = 0; i < w->place.hops; i++)
		norn_text_append(c, &w->key, "+%llu", (unsigned long long)w->offsets[i]);
	norn_text_append(c, &w->key, " %llux%llu %llu:%u:%u %p", (unsigned long long)w->place.cell_step,
	        (unsigned long long)w->place.count, (unsigned long long)w->place.size, w->place.bit_offset, w->place.bit_size,
	        (const void *)w->type);
	return w->key.chars;
}

static bool walk(struct place_walk *w)
{
	if (w->lval && w->lval->name.text)
		return begin(w) && walk_steps(w);
	w->c->bad = true;
	return false;
}

bool norn_check_place_type(struct norn_checker *c, const struct norn_lval *lval, const struct norn_type **ret_type)
{
	struct place_walk w = {.c = c, .lval = lval};
	if (!walk(&w))
		return false;
	*ret_type = w.type;
	return true;
}

bool norn_check_place(struct norn_checker *c, const struct norn_lval *lval, bool lock, uint32_t *ret_place)
{
	struct place_walk w = {.c = c, .lval = lval};
	if (!walk(&w))
		return false;
	if (lock && w.place.kind == NORN_PLACE_OBJECT && w.type && w.type->kind == NORN_TYPE_POINTER && w.type->target) {
		if (!follow(&w, &(struct norn_step){.index = true}))
			return false;
		w.place.size = w.type->size;
	}
	const char *key = key_of(&w);
	const struct norn_named *known = norn_name_table_find(&c->place_keys, key);
	if (known) {
		*ret_place = known->index;
		return true;
	}
	norn_name_table_add(c, &c->place_keys, key)->index = c->place_count;
	norn_check_grow(c, &c->places, &c->place_room, c->place_count, sizeof *c->places);
	w.place.text = w.text.chars;
	w.place.type = w.type;
	w.place.field = w.place.kind == NORN_PLACE_FIELD ? w.field.chars : NULL;
	w.place.offsets = norn_check_copy(c, w.offsets, w.place.hops, sizeof *w.offsets);
	c->places[c->place_count] = w.place;
	*ret_place = c->place_count++;
	return true;
}

uint32_t norn_check_place_list(struct norn_checker *c, const struct norn_lval *lvals, bool lock, const uint32_t **ret_places)
{
	uint32_t *places = NULL, count = 0, room = 0, place;
	for (; lvals; lvals = lvals->next)
		if (norn_check_place(c, lvals, lock, &place)) {
			norn_check_grow(c, &places, &room, count, sizeof *places);
			places[count++] = place;
		}
	*ret_places = places;
	return count;
}

bool norn_check_place_value(struct norn_checker *c, struct norn_span span, uint32_t index, bool *ret_real)
{
	const struct norn_place *place = &c->places[index];
	const struct norn_type *type = place->type;
	*ret_real = type && type->kind == NORN_TYPE_FLOAT;
	if (place->kind == NORN_PLACE_FIELD) {
		norn_check_error(c, span, norn_check_advise(c, "name it in an event, as in `event e = write %s;`", place->text),
		        "`%s` stands for that field of every object, and has no one value", place->text);
		return false;
	}
	if (place->cell_step) {
		norn_check_error(c, span,
		        norn_check_advise(c, "name one element, or an event, as in `event e = write %s;`", place->text),
		        "`%s` stands for many elements, and has no one value", place->text);
		return false;
	}
	if (!type)
		return true;
	switch (type->kind) {
	case NORN_TYPE_STRUCT:
	case NORN_TYPE_UNION:
		norn_check_error(c, span,
		        norn_check_advise(c, "name a field, as in `%s.%s`", place->text,
		                type->member_count && type->members[0].name[0] ? type->members[0].name : "field"),
		        "`%s` is %s, not a value", place->text, described(c, type));
		return false;
	case NORN_TYPE_ARRAY:
		norn_check_error(c, span, norn_check_advise(c, "name an element, as in `%s[0]`", place->text),
		        "`%s` is an array, not a value", place->text);
		return false;
	case NORN_TYPE_FUNCTION:
		norn_check_error(c, span, NULL, "`%s` is a function, not a value", place->text);
		return false;
	default:
		break;
	}
	if (place->size == 0 || place->size > 8) {
		norn_check_error(c, span, place->size ? NULL : "compile the program with -g",
		        place->size ? "`%s` is %s: values have at most 64 bits" : "`%s` is %s", place->text, described(c, type));
		return false;
	}
	return true;
}

const struct norn_symbol *norn_check_find_function(struct norn_checker *c, struct norn_name name)
{
	size_t cursor = 0;
	const struct norn_symbol *symbol, *first = NULL;
	if (!c->program || !name.text)
		return NULL;
	while ((symbol = norn_program_function(c->program, name.text, &cursor)))
		if (!first || (symbol->instrumented && !first->instrumented))
			first = symbol;
	return first;
}

const struct norn_symbol *norn_check_function(struct norn_checker *c, struct norn_name name)
{
	const struct norn_symbol *first = norn_check_find_function(c, name);
	if (!first && c->program && name.text) {
		const char *near = norn_check_is_silent(c) ? NULL : norn_program_nearest(c->program, true, name.text);
		norn_check_error(c, name.span,
		        norn_check_meant(c, near,
		                "it must be compiled by norn cc; the optimiser removes functions that do nothing, and puts small "
		                "ones into their callers: see docs/property-language.md"),
		        "the program has no function `%s`", name.text);
	}
	return first;
}

void norn_check_recorded(struct norn_checker *c, const struct norn_symbol *function, struct norn_span span)
{
	if (function && !function->instrumented)
		norn_check_error(c, span,
		        "compile its file with `norn cc`; if the optimiser put it into its callers, give it "
		        "__attribute__((noinline)), or "
		        "compile with -O1",
		        "the calls of `%s` are not recorded, since it has no hooks of norn cc", function->name);
}

bool norn_check_type_range(const struct norn_type *type, uint16_t bit_size, __int128 *ret_min, __int128 *ret_max)
{
	unsigned bits = bit_size ? bit_size : type ? 8 * type->size : 64;
	enum norn_type_kind kind = type ? type->kind : NORN_TYPE_SIGNED;
	if (bits == 0 || bits > 64)
		return false;
	switch (kind) {
	case NORN_TYPE_BOOL:
		*ret_min = 0;
		*ret_max = 1;
		return true;
	case NORN_TYPE_SIGNED:
		*ret_min = -((__int128)1 << (bits - 1));
		*ret_max = -*ret_min - 1;
		return true;
	case NORN_TYPE_UNSIGNED:
	case NORN_TYPE_POINTER:
		*ret_min = 0;
		*ret_max = ((__int128)1 << bits) - 1;
		return true;
	default:
		return false;
	}
}
