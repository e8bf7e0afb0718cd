#include "property/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/nearest_word.h"

/* ---- attributes ---- */

static const char *const predict_words[] = {"none", "mvc", "sliced"};
static const char *const end_words[] = {"open", "finite", "stutter"};
static const char *const liveness_words[] = {"none", "potential"};
static const char *const mttl_words[] = {"paper", "full", "counter"};
static const char *const attribute_words[] = {"predict", "end", "liveness", "mttl"};
#define ATTRIBUTES 4u

static const char *word_at(const void *words, unsigned i)
{
	return ((const char *const *)words)[i];
}

static uint32_t word_index(const char *const *words, uint32_t count, const char *word)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return count;
}

static uint32_t attribute_value(
        struct norn_checker *c, const struct norn_attribute *attribute, const char *const *words, uint32_t count)
{
	uint32_t index = word_index(words, count, attribute->value.text);
	if (index == count)
		norn_check_error(c, attribute->value.span,
		        norn_check_meant(c, norn_nearest(attribute->value.text, count, word_at, words),
		                norn_check_advise(c, "it is one of %s, %s%s%s", words[0], words[1], count > 2 ? ", " : "",
		                        count > 2 ? words[2] : "")),
		        "`%s` is no value of `%s`", attribute->value.text, attribute->key.text);
	return index % count;
}

static void check_attributes(
        struct norn_checker *c, const struct norn_decl *decl, struct norn_property *property, enum norn_by_knowledge *ret_by)
{
	bool seen[ATTRIBUTES] = {false};
	property->liveness = property->logic == NORN_LOGIC_LTL;
	for (const struct norn_attribute *at = decl->attributes; at; at = at->next) {
		if (!at->key.text || !at->value.text) {
			c->bad = true;
			continue;
		}
		uint32_t which = word_index(attribute_words, ATTRIBUTES, at->key.text);
		if (which == ATTRIBUTES) {
			norn_check_error(c, at->key.span,
			        norn_check_meant(c, norn_nearest(at->key.text, ATTRIBUTES, word_at, attribute_words),
			                "there are `predict`, `end`, `liveness` and `mttl`"),
			        "no attribute is called `%s`", at->key.text);
			continue;
		}
		if (seen[which])
			norn_check_error(c, at->key.span, NULL, "`%s` is given twice", at->key.text);
		seen[which] = true;
		if (which == 0)
			property->predict = NORN_PREDICT_NONE + attribute_value(c, at, predict_words, 3);
		else if (which == 1)
			property->end = NORN_END_OPEN + attribute_value(c, at, end_words, 3);
		else if (which == 3)
			*ret_by = NORN_BY_PAPER + attribute_value(c, at, mttl_words, 3);
		else
			property->liveness = attribute_value(c, at, liveness_words, 2) == 1;
		if (which == 2 && property->liveness && property->logic != NORN_LOGIC_LTL)
			norn_check_error(c, at->key.span, "only a formula of `ltl` speaks of what must happen at some time",
			        "`liveness` is for `ltl` properties");
	}
}

/* ---- keys ---- */

static uint32_t keys_bound(
        const struct norn_checker *c, const struct norn_property *property, uint32_t event, const char **ret_missing)
{
	const struct norn_checked_event *e = &c->events[event];
	uint32_t bound = 0;
	for (uint32_t k = 0; k < property->key_count; k++)
		if (word_index(e->parameters, e->parameter_count, property->keys[k]) < e->parameter_count)
			bound++;
		else
			*ret_missing = property->keys[k];
	return bound;
}

static bool any_binds(const struct norn_checker *c, const struct norn_property *property, const char *key)
{
	for (uint32_t i = 0; i < property->atom_count; i++) {
		const struct norn_atom *atom = &property->atoms[i];
		if (atom->kind != NORN_ATOM_EVENT)
			continue;
		const struct norn_checked_event *event = &c->events[atom->event];
		if (word_index(event->parameters, event->parameter_count, key) < event->parameter_count)
			return true;
	}
	return false;
}

/* Every event binds all keys, or none and is meant for all instances. */
static void check_keys(struct norn_checker *c, const struct norn_decl *decl, const struct norn_property *property)
{
	for (uint32_t i = 0; i < property->atom_count && property->key_count; i++) {
		const struct norn_atom *atom = &property->atoms[i];
		const char *missing = NULL;
		uint32_t bound = atom->kind == NORN_ATOM_EVENT ? keys_bound(c, property, atom->event, &missing) : 0;
		if (bound && missing)
			norn_check_error(c, atom->span,
			        norn_check_advise(c, "give `%s` the parameter `%s`", c->events[atom->event].name, missing),
			        "`%s` binds %u of the keys of `%s`, but not `%s`: an event binds all keys or none",
			        c->events[atom->event].name, bound, property->name, missing);
	}
	for (const struct norn_names *at = decl->keys; at; at = at->next)
		if (at->name.text && !any_binds(c, property, at->name.text))
			norn_check_error(c, at->name.span,
			        norn_check_advise(c, "give its events that parameter, as in `event e(%s) = call f(%s);`",
			                at->name.text, at->name.text),
			        "no event of `%s` has a parameter `%s`", property->name, at->name.text);
}

/* ---- logics ---- */

static void warn_constant(struct norn_checker *c, const struct norn_logic *logic, const struct norn_property *property)
{
	enum norn_op op = property->nodes[property->node_count - 1].op;
	if (op == NORN_OP_TRUE || op == NORN_OP_FALSE)
		norn_check_warn(c, logic->form->span, NULL, "this formula is always %s, whatever happens",
		        op == NORN_OP_TRUE ? "true" : "false");
}

static void check_formula(struct norn_checker *c, const struct norn_logic *logic, struct norn_property *property)
{
	uint32_t root;
	struct norn_form_env env = {.where = logic->kind == NORN_LOGIC_LTL ? NORN_IN_LTL : NORN_IN_PTLTL,
	        .keys = property->keys,
	        .key_count = property->key_count};
	norn_check_begin(c, false);
	if (!norn_check_formula(c, &env, logic->form, &root) || c->bad)
		return;
	norn_check_finish_nodes(c, root, property);
	warn_constant(c, logic, property);
}

static void check_mttl(struct norn_checker *c, const struct norn_logic *logic, struct norn_property *property)
{
	uint32_t root, type = NORN_SLOT_NONE;
	struct norn_thread_variable self = {.name = logic->thread.text};
	struct norn_form_env env = {.where = NORN_IN_MTTL, .threads = logic->thread.text ? &self : NULL};
	c->bad |= !logic->thread.text;
	if (logic->type.text)
		type = norn_check_thread_name(c, logic->type);
	norn_check_begin(c, false);
	if (logic->thread.text)
		norn_check_thread_number(c, logic->thread, type, NORN_SLOT_NONE);
	if (!norn_check_formula(c, &env, logic->form, &root) || c->bad)
		return;
	norn_check_finish_nodes(c, root, property);
	property->threads = norn_check_copy(c, c->builder.threads, c->builder.thread_count, sizeof *c->builder.threads);
	property->thread_count = c->builder.thread_count;
	warn_constant(c, logic, property);
}

static void check_atomic(struct norn_checker *c, const struct norn_logic *logic)
{
	for (const struct norn_ablk *at = logic->blocks; at; at = at->next) {
		const struct norn_symbol *function = at->block ? NULL : norn_check_function(c, at->name);
		norn_check_recorded(c, function, at->name.span);
	}
}

/* Does the formula promise that something happens at some time? Only then do infinite runs violate it that no beginning of theirs
 * does. */
static bool promises(const struct norn_property *p)
{
	bool found = false;
	if (!p->node_count)
		return false;
	uint8_t *signs = norn_must_calloc(p->node_count, 1); /* bit 0: it occurs as it is, bit 1: negated */
	signs[p->node_count - 1] = 1;
	for (uint32_t i = p->node_count; i-- > 0;) {
		const struct norn_node *n = &p->nodes[i];
		found |= (n->op == NORN_OP_UNTIL && signs[i] & 1) || (n->op == NORN_OP_RELEASE && signs[i] & 2);
		if (n->op <= NORN_OP_ATOM)
			continue;
		signs[n->a] |= n->op == NORN_OP_NOT ? (uint8_t)((signs[i] & 1) << 1 | signs[i] >> 1) : signs[i];
		if (n->op == NORN_OP_AND || n->op == NORN_OP_OR || n->op == NORN_OP_UNTIL || n->op == NORN_OP_RELEASE)
			signs[n->b] |= signs[i];
	}
	free(signs);
	return found;
}

static void check_logic(struct norn_checker *c, const struct norn_logic *logic, struct norn_property *property)
{
	switch (logic->kind) {
	case NORN_LOGIC_PTLTL:
	case NORN_LOGIC_LTL:
		check_formula(c, logic, property);
		property->liveness &= c->bad || promises(property);
		break;
	case NORN_LOGIC_ERE:
	case NORN_LOGIC_FORBID:
		norn_check_rex(c, logic->rex, property);
		break;
	case NORN_LOGIC_FSM:
		norn_check_fsm(c, logic, false, property);
		break;
	case NORN_LOGIC_MTTL:
		check_mttl(c, logic, property);
		break;
	case NORN_LOGIC_RACE:
	case NORN_LOGIC_DEADLOCK:
		property->on_count = norn_check_place_list(c, logic->on, logic->kind == NORN_LOGIC_DEADLOCK, &property->on);
		property->except_count = norn_check_place_list(c, logic->except, false, &property->except);
		break;
	case NORN_LOGIC_ATOMIC:
		check_atomic(c, logic);
		break;
	}
	if ((logic->kind == NORN_LOGIC_ERE || logic->kind == NORN_LOGIC_FORBID || logic->kind == NORN_LOGIC_FSM) && !c->bad &&
	        property->atom_count == 0)
		norn_check_warn(
		        c, property->decl->name.span, NULL, "`%s` names no event, so nothing ever happens to it", property->name);
}

void norn_check_property(struct norn_checker *c, const struct norn_decl *decl)
{
	struct norn_property property = {.name = decl->name.text,
	        .decl = decl,
	        .source = norn_sources_name(c->sources, decl->span.file),
	        .logic = decl->logic.kind};
	enum norn_by_knowledge by = NORN_BY_NONE;
	check_attributes(c, decl, &property, &by);
	property.key_count = norn_check_parameters(c, decl->keys, "key", &property.keys);
	if (property.key_count && decl->logic.kind >= NORN_LOGIC_MTTL)
		norn_check_error(c, decl->keys->name.span, NULL, "`per` is for ptltl, ltl, ere, forbid and fsm");
	check_logic(c, &decl->logic, &property);
	if (!c->bad && by)
		norn_check_builtin(c, &decl->logic, by, &property);
	if (!c->bad)
		check_keys(c, decl, &property);
	norn_check_handlers(c, decl, &property);
	if (c->bad)
		return;
	norn_check_grow(c, &c->properties, &c->property_room, c->property_count, sizeof *c->properties);
	c->properties[c->property_count++] = property;
}
