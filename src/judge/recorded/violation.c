/* Findings and notes: what is said when a property's outcome is reached. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/failed_part.h"
#include "judge/finding_id.h"
#include "judge/recorded/recorded_property_state.h"
#include "judge/recorded/report_message.h"
#include "trace/event.h"

#define NOTES_MAX 20u /* of one property's handlers */
#define ARGUMENTS_MAX 16u
#define DEFINITION_BYTES 4000u

static bool is_pointer_like(struct norn_value v)
{
	return v.known && !v.is_float && v.integer > 0xffffff;
}

static const char *text_of(struct norn_findings *f, struct norn_value value)
{
	char text[48];
	norn_value_text(value, text, sizeof text);
	return norn_findings_text(f, "%s", text);
}

const char *norn_keys_text(const struct norn_property *property, const struct norn_value *keys, struct norn_findings *f)
{
	const char *text = "";
	for (uint32_t k = 0; keys && k < property->key_count; k++) {
		const char *value = is_pointer_like(keys[k]) ? norn_findings_text(f, "0x%llx", (unsigned long long)keys[k].integer)
		                                             : text_of(f, keys[k]);
		text = norn_findings_text(f, "%s%s%s = %s", text, k ? ", " : "", property->keys[k], value);
	}
	return text;
}

const char *norn_instance_text(const struct norn_recorded_property *c, const struct norn_instance *i, struct norn_findings *f)
{
	return norn_keys_text(c->property, i == c->only ? NULL : i->keys, f);
}

/* ---- handlers ---- */

/* The hit that `value`, `old` and `self` speak of: the first that took place. */
static const struct norn_hit *current_hit(const struct norn_moment *m)
{
	for (uint32_t i = 0; i < m->position->hit_count; i++)
		if (m->holds[i] == NORN_TRUTH_YES)
			return &m->position->hits[i];
	return NULL;
}

static const char *message_of(const struct norn_recorded_property *c, const struct norn_instance *i, const struct norn_moment *m,
        const struct norn_checked_action *action, struct norn_findings *f)
{
	_Alignas(16) struct norn_value values[ARGUMENTS_MAX];
	uint32_t count = action->argument_count < ARGUMENTS_MAX ? action->argument_count : ARGUMENTS_MAX;
	if (!action->format)
		return "";
	const struct norn_value *keys = i == c->only ? NULL : i->keys;
	for (uint32_t k = 0; k < count; k++)
		values[k] = norn_view_value(c->view, m, keys, current_hit(m), action->arguments[k]);
	char *message = norn_message(action->format, values, count);
	const char *text = message ? norn_findings_text(f, "%s", message) : "";
	free(message);
	return text;
}

static bool is_for_violation(const struct norn_recorded_property *c, enum norn_outcome outcome)
{
	if (outcome == NORN_OUTCOME_VIOLATION)
		return true;
	return c->property->logic == NORN_LOGIC_FORBID ? outcome == NORN_OUTCOME_MATCH : outcome == NORN_OUTCOME_FAIL;
}

struct response {
	const char *message, *actions;
};

static bool is_handled(
        const struct norn_recorded_property *c, const struct norn_instance *i, const struct norn_checked_handler *handler)
{
	bool entered = handler->outcome == NORN_OUTCOME_STATE && handler->state == i->fsm_state &&
	               c->property->logic == NORN_LOGIC_FSM && i->fsm_state != NORN_FSM_DEAD;
	return entered || is_for_violation(c, handler->outcome);
}

static bool resets(const struct norn_recorded_property *c, const struct norn_instance *i)
{
	for (uint32_t h = 0; h < c->property->handler_count; h++)
		for (uint32_t a = 0; a < c->property->handlers[h].action_count; a++)
			if (c->property->handlers[h].actions[a].kind == NORN_ACTION_RESET &&
			        is_handled(c, i, &c->property->handlers[h]))
				return true;
	return false;
}

/* What the handlers of a violation do: their message, and what they would do inside the program. */
static struct response respond(
        const struct norn_recorded_property *c, const struct norn_instance *i, const struct norn_moment *m, struct norn_findings *f)
{
	struct response r = {"", ""};
	for (uint32_t h = 0; h < c->property->handler_count; h++) {
		const struct norn_checked_handler *handler = &c->property->handlers[h];
		if (!is_handled(c, i, handler))
			continue;
		for (uint32_t a = 0; a < handler->action_count; a++) {
			const struct norn_checked_action *action = &handler->actions[a];
			const char *between = *r.actions ? ", " : "";
			if (action->kind == NORN_ACTION_REPORT && !*r.message)
				r.message = message_of(c, i, m, action, f);
			else if (action->kind == NORN_ACTION_ABORT)
				r.actions = norn_findings_text(f, "%s%sabort", r.actions, between);
			else if (action->kind == NORN_ACTION_CALL)
				r.actions = norn_findings_text(f, "%s%scall %s()", r.actions, between, action->function);
		}
	}
	return r;
}

static const char *outcome_word(enum norn_outcome outcome)
{
	static const char *const words[] = {"violation", "satisfaction", "match", "fail", "inconclusive", "state"};
	return words[outcome];
}

bool norn_remark(struct norn_recorded_property *c, const struct norn_instance *i, const struct norn_moment *m,
        enum norn_outcome outcome, struct norn_findings *f)
{
	bool reset = false;
	for (uint32_t h = 0; h < c->property->handler_count; h++) {
		const struct norn_checked_handler *handler = &c->property->handlers[h];
		if (handler->outcome != outcome || (outcome == NORN_OUTCOME_STATE && handler->state != i->fsm_state))
			continue;
		for (uint32_t a = 0; a < handler->action_count; a++) {
			reset |= handler->actions[a].kind == NORN_ACTION_RESET;
			if (handler->actions[a].kind != NORN_ACTION_REPORT)
				continue;
			if (c->note_count >= NOTES_MAX) {
				c->notes_left_out++;
				continue;
			}
			c->note_count++;
			const char *message = message_of(c, i, m, &handler->actions[a], f), *key = norn_instance_text(c, i, f);
			const char *state = outcome == NORN_OUTCOME_STATE ? c->property->fsm[i->fsm_state].name : "";
			norn_findings_note(f, "property %s%s%s: %s%s%s%s%s", c->property->name, *key ? " of " : "", key,
			        outcome_word(outcome), *state ? " " : "", state, *message ? ": " : "", message);
		}
	}
	return reset;
}

/* ---- findings ---- */

/* at: NULL: at the end of the run. */
static void make_id(
        const struct norn_recorded_property *c, enum norn_judged_by by, const struct norn_past *at, char id[NORN_FINDING_ID_BYTES])
{
	struct norn_site_info site = {0};
	if (at)
		norn_trace_site(c->view->binding->trace, at->site, &site);
	norn_finding_id_text(&(struct norn_finding_id){.by = by,
	                             .property = c->property->name,
	                             .source = c->property->source,
	                             .file = site.file,
	                             .function = site.function,
	                             .line = site.line,
	                             .event_kind = at ? at->kind : 0,
	                             .event_op = at ? at->op : 0,
	                             .at_end = !at},
	        id);
}

static const struct norn_named_value *values_of(
        const struct norn_recorded_property *c, const struct norn_moment *m, struct norn_findings *f, uint32_t *ret_count)
{
	const struct norn_spec *spec = c->view->binding->spec;
	struct norn_named_value *list = norn_arena_alloc(&f->arena, (spec->place_count + spec->ghost_count + 1ul) * sizeof *list);
	*ret_count = 0;
	for (uint32_t p = 0; list && p < spec->place_count; p++)
		if (c->view->topic.places[p])
			list[(*ret_count)++] = (struct norn_named_value){norn_findings_text(f, "%s", spec->places[p].text),
			        text_of(f, norn_valuation_place(c->view->binding, m->valuation, p))};
	for (uint32_t g = 0; list && g < spec->ghost_count; g++) {
		if (!c->view->topic.ghosts[g])
			continue;
		struct norn_expr expr = {.op = NORN_EXPR_GHOST, .index = g};
		list[(*ret_count)++] = (struct norn_named_value){norn_findings_text(f, "%s", spec->ghosts[g].name),
		        text_of(f, norn_view_value(c->view, m, NULL, NULL, &expr))};
	}
	return list;
}

static const struct norn_named_value *atoms_of(const struct norn_recorded_property *c, const struct norn_instance *i,
        const struct norn_moment *m, struct norn_findings *f, uint32_t *ret_count)
{
	struct norn_letter letter;
	struct norn_named_value *list = norn_arena_alloc(&f->arena, (c->property->atom_count + 1ul) * sizeof *list);
	*ret_count = 0;
	if (!list || !norn_view_letter(c->view, m, i == c->only ? NULL : i->keys, &letter))
		return list;
	for (uint32_t a = 0; a < c->property->atom_count; a++)
		list[(*ret_count)++] = (struct norn_named_value){
		        norn_findings_text(f, "%s", c->property->atoms[a].text), letter.yes >> a & 1       ? "yes"
		                                                                 : letter.unknown >> a & 1 ? "unknown"
		                                                                                           : "no"};
	return list;
}

static void define(const struct norn_recorded_property *c, struct norn_finding *finding, struct norn_findings *f)
{
	unsigned column;
	size_t bytes;
	const struct norn_decl *decl = c->property->decl;
	if (!decl || !c->sources)
		return;
	const char *text = norn_sources_text(c->sources, decl->span.file, &bytes);
	size_t length = decl->span.length < DEFINITION_BYTES ? decl->span.length : DEFINITION_BYTES;
	if (text && decl->span.offset + length <= bytes)
		finding->definition = norn_findings_text(f, "%.*s", (int)length, text + decl->span.offset);
	finding->definition_file = norn_findings_text(f, "%s", norn_sources_name(c->sources, decl->span.file));
	norn_sources_position(c->sources, decl->span, &finding->definition_line, &column);
}

/* Marks the part of the formula that failed. Not where macros took it from elsewhere. */
static void mark_part(const struct norn_recorded_property *c, const struct norn_instance *i, struct norn_finding *finding)
{
	const struct norn_decl *decl = c->property->decl;
	uint64_t *letters, *unknown;
	uint32_t count, node, position;
	if (!decl || !*finding->definition || !norn_recent_positions_letters(&c->history, i->id, &letters, &unknown, &count))
		return;
	bool repeats = finding->kind == NORN_FINDING_LIVENESS;
	if (count == finding->witness_count &&
	        norn_failed_part(c->property, letters, unknown, count, repeats ? finding->loop : count, &node, &position) == 0) {
		struct norn_span span = c->property->nodes[node].span;
		if (span.file == decl->span.file && span.offset >= decl->span.offset &&
		        span.offset + span.length <= decl->span.offset + decl->span.length) {
			finding->part = span.offset - decl->span.offset;
			finding->part_length = span.length;
			finding->part_number = finding->witness[position].number;
		}
	}
	free(letters);
	free(unknown);
}

static struct norn_finding *add_finding(struct norn_recorded_property *c, const struct norn_instance *i,
        const struct norn_moment *m, const struct norn_past *past, const struct response *response, const char *id,
        struct norn_findings *f)
{
	const struct norn_binding *b = c->view->binding;
	struct norn_finding finding = {.kind = NORN_FINDING_PROPERTY,
	        .id = norn_findings_text(f, "%s", id),
	        .property = norn_findings_text(f, "%s", c->property->name),
	        .variable = "",
	        .status = c->causality ? "predicted" : "observed",
	        .causality = c->causality ? c->causality : "observed",
	        .extent = c->causality ? c->extent : "",
	        .message = response->message,
	        .key = norn_instance_text(c, i, f),
	        .definition_file = "",
	        .definition = "",
	        .outcome = past                                   ? "violated"
	                   : m->position->kind == NORN_EVENT_FREE ? "violated when the object was freed"
	                                                          : "violated at the end of the run",
	        .actions = response->actions,
	        .count = 1};
	define(c, &finding, f);
	finding.witness = norn_recent_positions_texts(&c->history, b, i->id, f, &finding.witness_count, &finding.witness_cut);
	struct norn_step_text *where = norn_arena_alloc(&f->arena, sizeof *where);
	if (!finding.witness || !where)
		return NULL;
	if (past) {
		norn_past_text(b, past, f, where);
		finding.where = where;
		finding.where_count = past->number > 0;
		finding.variable = past->place == NORN_SLOT_NONE ? "" : where->what;
	} else if (finding.witness_count) {
		*where = finding.witness[finding.witness_count - 1];
		finding.where = where;
		finding.where_count = where->number > 0;
	}
	finding.values = values_of(c, m, f, &finding.value_count);
	if (past)
		finding.atoms = atoms_of(c, i, m, f, &finding.atom_count);
	return norn_findings_add(f, &finding);
}

int norn_charge(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m,
        const struct norn_past *past, struct norn_findings *f)
{
	if (i->charged) {
		/* Only formulas about the past are violated again and again. */
		struct norn_finding *known = norn_findings_get(f, i->finding);
		if (known && c->property->logic == NORN_LOGIC_PTLTL)
			known->count++;
		return 0;
	}
	uint32_t state = NORN_FSM_DEAD;
	if (c->property->logic == NORN_LOGIC_FSM)
		state = norn_monitor_fsm_state(c->monitor, norn_states_at(&i->states, 0));
	i->fsm_state = state;
	make_id(c, NORN_BY_MACHINE, past, i->finding);
	i->charged = c->charged = true;
	struct norn_finding *known = norn_findings_get(f, i->finding);
	int r = 0;
	if (known) {
		known->count += !c->causality; /* a prediction is one, however many runs lead there */
		if (c->causality && strcmp(known->status, "predicted") == 0)
			known->extent = c->extent;
	} else {
		struct response response = respond(c, i, m, f);
		struct norn_finding *finding = add_finding(c, i, m, past, &response, i->finding, f);
		if (finding)
			mark_part(c, i, finding);
		r = finding ? 0 : -ENOMEM;
	}
	if (resets(c, i))
		norn_instance_reset(c, i);
	return r;
}

/* A loop has no first step: the same loop may be found from any of its steps on. The step with the least site stands for it. */
static struct norn_past least_of_loop(const struct norn_recorded_property *c, const struct norn_instance *i,
        const struct norn_past *last, const struct norn_position *first)
{
	const struct norn_recent_positions *h = &c->history;
	struct norn_past least = *last;
	bool inside = false;
	for (uint32_t k = 0; first && k < h->count; k++) {
		const struct norn_past *at = &h->ring[(h->first + k) % h->count];
		inside |= at->number == first->number;
		if (inside && (at->instance == i->id || at->instance == NORN_INSTANCE_ALL) && at->site < least.site)
			least = *at;
	}
	return least;
}

int norn_charge_loop(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m,
        const struct norn_position *first, struct norn_findings *f)
{
	struct norn_past past, least;
	norn_past_of(c->view, m, i->id, &past);
	least = least_of_loop(c, i, &past, first);
	make_id(c, NORN_BY_LOOP, &least, i->finding);
	i->charged = c->charged = true;
	if (norn_findings_get(f, i->finding))
		return 0;
	struct response response = respond(c, i, m, f);
	struct norn_finding *finding = add_finding(c, i, m, &past, &response, i->finding, f);
	if (!finding)
		return -ENOMEM;
	finding->kind = NORN_FINDING_LIVENESS;
	finding->status = "potential";
	finding->outcome = "violated if a loop goes on for ever";
	/* In the run that is shown, positions of the loop come last; what comes before its first one is u. */
	finding->loop = finding->witness_count;
	for (uint32_t k = 0; k < finding->witness_count && finding->loop == finding->witness_count; k++)
		if (first && finding->witness[k].number == first->number)
			finding->loop = k;
	mark_part(c, i, finding);
	return 0;
}
