#include "property/check/check.h"

#include <string.h>

#include "property/parse.h"

static const char *const outcome_words[] = {[NORN_OUTCOME_VIOLATION] = "violation",
        [NORN_OUTCOME_SATISFACTION] = "satisfaction",
        [NORN_OUTCOME_MATCH] = "match",
        [NORN_OUTCOME_FAIL] = "fail",
        [NORN_OUTCOME_INCONCLUSIVE] = "inconclusive",
        [NORN_OUTCOME_STATE] = "state"};

#define OUTCOME(word) (1u << NORN_OUTCOME_##word)

/* A violation is what makes a property fail, in every logic: F, or M of forbid. */
static unsigned outcomes_of(enum norn_logic_kind logic)
{
	switch (logic) {
	case NORN_LOGIC_PTLTL:
	case NORN_LOGIC_LTL:
	case NORN_LOGIC_MTTL:
		return OUTCOME(VIOLATION) | OUTCOME(SATISFACTION) | OUTCOME(INCONCLUSIVE);
	case NORN_LOGIC_ERE:
	case NORN_LOGIC_FORBID:
		return OUTCOME(VIOLATION) | OUTCOME(MATCH) | OUTCOME(FAIL) | OUTCOME(INCONCLUSIVE);
	case NORN_LOGIC_FSM:
		return OUTCOME(VIOLATION) | OUTCOME(MATCH) | OUTCOME(FAIL) | OUTCOME(INCONCLUSIVE) | OUTCOME(STATE);
	default:
		return OUTCOME(VIOLATION);
	}
}

static void complain_outcome(struct norn_checker *c, const struct norn_handler *handler, const char *logic, unsigned possible)
{
	struct norn_growing_text list = {0};
	for (unsigned i = 0; i <= NORN_OUTCOME_STATE; i++)
		if (possible >> i & 1)
			norn_text_append(c, &list, "%s%s", list.length ? ", " : "", outcome_words[i]);
	norn_check_error(c, handler->span, norn_check_advise(c, "it can have: %s", list.chars), "%s has no outcome `%s`", logic,
	        outcome_words[handler->outcome]);
}

/* ---- report ---- */

/* One conversion of a format: its end, and its letter; NULL if it is none that report knows. */
static const char *conversion(const char *at, char *ret_letter)
{
	at += strspn(at, "-+ #0");
	at += strspn(at, "0123456789");
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	at += strspn(at, "hljztL");
	*ret_letter = *at;
	return *at && strchr("diuxXocpfFeEgG%", *at) ? at + 1 : NULL;
}

static void check_format(struct norn_checker *c, const struct norn_action *action, const bool *real, uint32_t count)
{
	uint32_t wanted = 0;
	char letter;
	for (const char *at = action->format; (at = strchr(at, '%'));) {
		const char *end = conversion(at + 1, &letter);
		if (!end && !letter) {
			norn_check_error(
			        c, action->span, "write %% for a percent sign", "the format ends in the middle of a conversion");
			return;
		}
		if (!end) {
			norn_check_error(c, action->span,
			        "write %d, %u, %x, %c, %p or, for floating point, %g; %% is a percent sign",
			        letter == 's' ? "`%%%c` cannot be shown: events carry numbers, not strings"
			                      : "`%%%c` is no conversion that report knows",
			        letter);
			return;
		}
		at = end;
		if (letter == '%')
			continue;
		bool for_real = strchr("fFeEgG", letter);
		if (c->program && wanted < count && for_real != real[wanted])
			norn_check_error(c, action->span, real[wanted] ? "write %g" : "write %d",
			        real[wanted] ? "`%%%c` shows an integer, but argument %u is a floating-point number"
			                     : "`%%%c` shows a floating-point number, but argument %u is an integer",
			        letter, wanted + 1);
		wanted++;
	}
	if (wanted != count)
		norn_check_error(c, action->span, NULL, "the format has %u conversion%s, but report has %u argument%s for it",
		        wanted, wanted == 1 ? "" : "s", count, count == 1 ? "" : "s");
}

/* ---- actions ---- */

static void check_called(struct norn_checker *c, const struct norn_action *action, uint32_t count)
{
	const struct norn_symbol *function = norn_check_find_function(c, action->function);
	if (!function && c->program && action->function.text) { /* only monitors inside the program need it */
		const char *near = norn_check_is_silent(c) ? NULL : norn_program_nearest(c->program, true, action->function.text);
		norn_check_warn(c, action->function.span, norn_check_meant(c, near, NULL),
		        "the program has no function `%s`, so this action cannot be run", action->function.text);
	}
	if (!function || function->type->kind != NORN_TYPE_FUNCTION || function->type->member_count == count)
		return;
	norn_check_error(c, action->span, NULL, "the function `%s` has %u parameter%s, not %u", action->function.text,
	        function->type->member_count, function->type->member_count == 1 ? "" : "s", count);
}

static void check_action(struct norn_checker *c, const struct norn_action *action, const struct norn_property *property,
        struct norn_checked_action *checked)
{
	const struct norn_expr *arguments[NORN_PARAMETERS_MAX];
	bool real[NORN_PARAMETERS_MAX];
	uint32_t count = 0;
	for (const struct norn_form *at = action->arguments; at; at = at->next) {
		if (count == NORN_PARAMETERS_MAX) {
			norn_check_error(c, at->span, NULL, "there are more than %u arguments", NORN_PARAMETERS_MAX);
			break;
		}
		struct norn_form_env env = {.where = NORN_IN_ACTION, .keys = property->keys, .key_count = property->key_count};
		arguments[count] = norn_check_expression(c, &env, at, &real[count]);
		count++;
	}
	*checked = (struct norn_checked_action){.kind = action->kind,
	        .format = action->format,
	        .function = action->function.text,
	        .arguments = norn_check_copy(c, arguments, count, sizeof *arguments),
	        .argument_count = count};
	if (action->kind == NORN_ACTION_REPORT && action->format)
		check_format(c, action, real, count);
	else if (action->kind == NORN_ACTION_CALL)
		check_called(c, action, count);
	else if (action->kind == NORN_ACTION_RESET && property->logic >= NORN_LOGIC_RACE)
		norn_check_error(c, action->span, NULL, "%s has nothing to reset", norn_logic_words[property->logic]);
}

static void check_actions(struct norn_checker *c, const struct norn_handler *handler, const struct norn_property *property,
        struct norn_checked_handler *checked)
{
	struct norn_checked_action *actions = NULL;
	uint32_t count = 0, room = 0;
	for (const struct norn_action *at = handler->actions; at; at = at->next) {
		norn_check_grow(c, &actions, &room, count, sizeof *actions);
		check_action(c, at, property, &actions[count++]);
	}
	checked->actions = actions;
	checked->action_count = count;
}

void norn_check_handlers(struct norn_checker *c, const struct norn_decl *decl, struct norn_property *property)
{
	bool scope = decl->kind == NORN_DECL_SCOPE;
	unsigned possible = outcomes_of(scope ? NORN_LOGIC_LTL : property->logic);
	struct norn_checked_handler *handlers = NULL;
	uint32_t count = 0, room = 0;
	for (const struct norn_handler *at = decl->handlers; at; at = at->next) {
		norn_check_grow(c, &handlers, &room, count, sizeof *handlers);
		struct norn_checked_handler *handler = &handlers[count++];
		*handler = (struct norn_checked_handler){.outcome = at->outcome};
		if (!(possible >> at->outcome & 1)) {
			complain_outcome(c, at, scope ? "a scope" : norn_logic_words[property->logic], possible);
		} else if (at->outcome == NORN_OUTCOME_STATE) {
			const struct norn_named *state = at->state.text ? norn_name_table_find(&c->states, at->state.text) : NULL;
			c->bad |= !state;
			handler->state = state ? state->index : 0;
			if (!state && at->state.text)
				norn_check_error(c, at->state.span,
				        norn_check_meant(c, norn_check_nearest(c, &c->states, at->state.text), NULL),
				        "the fsm has no state `%s`", at->state.text);
		}
		check_actions(c, at, property, handler);
	}
	property->handlers = handlers;
	property->handler_count = count;
}
