/* Findings and notes: what is said when a property's outcome is reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "monitor/failed_part.h"
#include "judge/finding_id.h"
#include "judge/recorded/recorded_property_state.h"
#include "judge/recorded/report_message.h"
#include "trace/event.h"

#define NOTES_MAX 20u /* of one property's handlers */

static const char *text_of(struct norn_findings *f, struct norn_value value, const struct norn_type *type)
{
	char text[48];
	norn_value_text(value, text, sizeof text);
	if (type && type->kind == NORN_TYPE_POINTER && value.known && value.integer > 0 && value.integer <= UINT64_MAX)
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)value.integer);
	return norn_findings_text(f, "%s", text);
}

const char *norn_keys_text(const struct norn_property *property, const struct norn_value *keys, struct norn_findings *f)
{
	const char *text = "";
	for (uint32_t k = 0; keys && k < property->key_count; k++) {
		char value[48];
		norn_key_text(keys[k], value, sizeof value);
		text = norn_findings_text(f, "%s%s%s = %s", text, k ? ", " : "", property->keys[k], value);
	}
	return text;
}

/* "c = 0x5581", "" without keys. */
static const char *instance_text(const struct norn_recorded_property *c, const struct norn_instance *i, struct norn_findings *f)
{
	return norn_keys_text(c->property, norn_instance_keys(&c->instances, i), f);
}

/* ---- handlers ---- */

/* The actions of these outcomes' handlers. */
static void act(const struct norn_recorded_property *c, const struct norn_instance *i, const struct norn_moment *m,
        uint32_t outcomes, struct norn_queued_action *ret_actions, uint32_t *ret_count)
{
	struct norn_leaf_context leaf_context = {m, norn_moment_hit(m), norn_instance_keys(&c->instances, i)};
	norn_handlers_actions(c->property, outcomes, i->fsm_state, &(const struct norn_eval_env){norn_moment_leaf, &leaf_context},
	        ret_actions, ret_count);
}

static uint32_t outcomes_of(const struct norn_recorded_property *c, const struct norn_instance *i)
{
	return 1u << NORN_OUTCOME_VIOLATION | norn_outcomes_also(c->property, i->fsm_state);
}

static const char *outcome_word(enum norn_outcome outcome)
{
	static const char *const words[] = {"violation", "satisfaction", "match", "fail", "inconclusive", "state"};
	return words[outcome];
}

/* `report` actions of its handlers become notes. */
static bool remark(void *context, const struct norn_instance *i, enum norn_outcome outcome)
{
	const struct norn_recorded_step *h = context;
	struct norn_recorded_property *c = h->recorded_property;
	struct norn_findings *f = h->findings;
	struct norn_queued_action actions[NORN_VERDICT_ACTIONS];
	uint32_t count;
	act(c, i, h->moment, 1u << outcome, actions, &count);
	for (uint32_t a = 0; a < count; a++) {
		if (actions[a].kind != NORN_ACTION_REPORT)
			continue;
		if (c->note_count >= NOTES_MAX) {
			c->notes_left_out++;
			continue;
		}
		c->note_count++;
		const char *message = norn_report_message(&actions[a], f), *key = instance_text(c, i, f);
		const char *state = outcome == NORN_OUTCOME_STATE ? c->property->fsm[i->fsm_state].name : "";
		norn_findings_note(f, "property %s%s%s: %s%s%s%s%s", c->property->name, *key ? " of " : "", key,
		        outcome_word(outcome), *state ? " " : "", state, *message ? ": " : "", message);
	}
	return norn_handlers_reset(c->property, 1u << outcome, i->fsm_state);
}

#define REMEDY_UNKNOWN "build all units that write them by norn cc"

static void doubt(void *context, const struct norn_instance *i)
{
	const struct norn_recorded_step *h = context;
	const struct norn_recorded_property *c = h->recorded_property;
	struct norn_findings *f = h->findings;
	struct norn_step_text at;
	norn_past_text(c->view->binding, &h->past, f, &at);
	const char *key = instance_text(c, i, f);
	if (h->moment->starts)
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, REMEDY_UNKNOWN,
		        "property %s%s%s may be violated at the start of the run: values are not known there, as a pointer leads "
		        "nowhere yet, or code that is not instrumented may have written them",
		        c->property->name, *key ? " of " : "", key);
	else
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, REMEDY_UNKNOWN,
		        "property %s%s%s may be violated at %s:%u (event %llu): values are not known there, as code that "
		        "is not instrumented may have written them, or they were not recorded",
		        c->property->name, *key ? " of " : "", key, *at.file ? at.file : "?", at.line,
		        (unsigned long long)h->past.number);
}

static void give_up(void *context, const struct norn_instance *i, const char *why)
{
	const struct norn_recorded_step *h = context;
	const char *key = instance_text(h->recorded_property, i, h->findings);
	norn_findings_partial(h->findings, NORN_REASON_PROPERTY, 1, "", "property %s%s%s is not judged to the end: %s",
	        h->recorded_property->property->name, *key ? " of " : "", key, why);
}

/* The recent positions have it before it is judged: a violation shows it. */
static void position(void *context, const struct norn_instance *i, const struct norn_letter *letter)
{
	struct norn_recorded_step *h = context;
	norn_past_of(h->recorded_property->view, h->moment, i ? i->id : NORN_INSTANCE_ALL, &h->past);
	h->past.letter = *letter;
	norn_recent_positions_add(&h->recorded_property->recent, &h->past);
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

/* ---- values ---- */

#define TEXT_SHOWN 80u

/* The place that is called as the text says, among those that the property speaks of. */
static uint32_t place_called(const struct norn_recorded_property *c, const char *text, size_t length, uint32_t number)
{
	char name[256];
	const struct norn_spec *spec = c->view->binding->spec;
	snprintf(name, sizeof name, "%.*s[%u]", (int)length, text, number);
	for (uint32_t p = 0; p < spec->place_count; p++)
		if (c->view->terms.places[p] && strcmp(spec->places[p].text, name) == 0)
			return p;
	return NORN_SLOT_NONE;
}

static bool is_character(const struct norn_place *place)
{
	const struct norn_type *type = place->type;
	return type && type->size == 1 && type->name && strcmp(type->name, "char") == 0;
}

/* The length of the name of which the place is character 0 and of which character 1 is spoken of, too; else 0. */
static size_t is_text(const struct norn_recorded_property *c, uint32_t place)
{
	const struct norn_place *first = &c->view->binding->spec->places[place];
	size_t length = strlen(first->text);
	if (!is_character(first) || length < 4 || strcmp(first->text + length - 3, "[0]") != 0)
		return 0;
	return place_called(c, first->text, length - 3, 1) == NORN_SLOT_NONE ? 0 : length - 3;
}

/* The characters from place on, up to a zero, or to the last one that is spoken of (then with an ellipsis). Marks them. */
static struct norn_named_value text_value(const struct norn_recorded_property *c, const struct norn_moment *m, uint32_t place,
        size_t length, bool *shown, struct norn_findings *f)
{
	const char *name = c->view->binding->spec->places[place].text;
	char text[TEXT_SHOWN + 1] = "";
	size_t count = 0;
	bool ended = false;
	for (uint32_t k = 0; place != NORN_SLOT_NONE; place = place_called(c, name, length, ++k)) {
		struct norn_value value = norn_moment_variable(m, place);
		shown[place] = true;
		ended |= value.known && value.integer == 0;
		if (ended || count == TEXT_SHOWN)
			continue;
		bool readable = value.known && value.integer >= ' ' && value.integer < 0x7f;
		text[count++] = readable ? (char)value.integer : '?';
	}
	text[count] = 0;
	return (struct norn_named_value){norn_place_shown(f, norn_findings_text(f, "%.*s", (int)length, name)),
	        norn_findings_text(f, "\"%s\"%s", text, ended ? "" : "...")};
}

static const struct norn_named_value *values_of(
        const struct norn_recorded_property *c, const struct norn_moment *m, struct norn_findings *f, uint32_t *ret_count)
{
	const struct norn_spec *spec = c->view->binding->spec;
	struct norn_named_value *list =
	        norn_must_arena_alloc(&f->arena, (spec->place_count + spec->ghost_count + 1ul) * sizeof *list);
	bool *shown = norn_must_calloc(spec->place_count + 1ul, sizeof *shown);
	*ret_count = 0;
	for (uint32_t p = 0; p < spec->place_count; p++) {
		size_t length = c->view->terms.places[p] ? is_text(c, p) : 0;
		if (length)
			list[(*ret_count)++] = text_value(c, m, p, length, shown, f);
		else if (c->view->terms.places[p] && !shown[p])
			list[(*ret_count)++] = (struct norn_named_value){norn_place_shown(f, spec->places[p].text),
			        text_of(f, norn_moment_variable(m, p), spec->places[p].type)};
	}
	free(shown);
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		if (!c->view->terms.ghosts[g])
			continue;
		list[(*ret_count)++] = (struct norn_named_value){
		        norn_findings_text(f, "%s", spec->ghosts[g].name), text_of(f, m->ghosts[(size_t)2 * g], NULL)};
	}
	return list;
}

static const struct norn_named_value *atoms_of(const struct norn_recorded_property *c, const struct norn_instance *i,
        const struct norn_moment *m, struct norn_findings *f, uint32_t *ret_count)
{
	struct norn_letter letter;
	struct norn_named_value *list = norn_must_arena_alloc(&f->arena, (c->property->atom_count + 1ul) * sizeof *list);
	*ret_count = 0;
	if (!norn_view_letter(c->view, m, norn_instance_keys(&c->instances, i), &letter))
		return list;
	for (uint32_t a = 0; a < c->property->atom_count; a++)
		list[(*ret_count)++] = (struct norn_named_value){
		        norn_findings_text(f, "%s", c->property->atoms[a].text), letter.yes >> a & 1       ? "yes"
		                                                                 : letter.unknown >> a & 1 ? "unknown"
		                                                                                           : "no"};
	return list;
}

/* Marks the part of the formula that failed. Not where macros took it from elsewhere. */
static void mark_part(const struct norn_recorded_property *c, const struct norn_instance *i, struct norn_finding *finding)
{
	const struct norn_decl *decl = c->property->decl;
	uint64_t *letters, *unknown;
	uint32_t count, node, position;
	if (!decl || !*finding->definition || !norn_recent_positions_letters(&c->recent, i->id, &letters, &unknown, &count))
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
        const struct norn_moment *m, const struct norn_past *past, const char *id, struct norn_findings *f)
{
	const struct norn_binding *b = c->view->binding;
	struct norn_finding finding = norn_finding_of_property(f, id, c->property->name);
	if (c->causality) {
		finding.status = "predicted";
		finding.causality = c->causality;
		finding.extent = c->extent;
	}
	finding.key = instance_text(c, i, f);
	finding.outcome = past                                   ? "violated"
	                  : m->position->kind == NORN_EVENT_FREE ? "violated when the object was freed"
	                                                         : "violated at the end of the run";
	struct norn_queued_action actions[NORN_VERDICT_ACTIONS];
	uint32_t count;
	act(c, i, m, outcomes_of(c, i), actions, &count);
	norn_finding_respond(&finding, actions, count, f);
	norn_finding_define(&finding, c->sources, c->property->decl, f);
	finding.witness = norn_recent_positions_texts(&c->recent, b, i->id, f, &finding.witness_count, &finding.witness_cut);
	struct norn_step_text *where = norn_must_arena_alloc(&f->arena, sizeof *where);
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

/* This run, as another one of the finding. */
static void add_run(const struct norn_recorded_property *c, const struct norn_instance *i, struct norn_findings *f,
        struct norn_finding *finding)
{
	struct norn_other_run *runs = norn_must_arena_alloc(&f->arena, (finding->other_count + 1ul) * sizeof *runs);
	struct norn_other_run *run = &runs[finding->other_count];
	uint64_t cut;
	for (uint32_t k = 0; k < finding->other_count; k++)
		runs[k] = finding->others[k];
	run->witness = norn_recent_positions_texts(&c->recent, c->view->binding, i->id, f, &run->witness_count, &cut);
	finding->others = runs;
	finding->other_count++;
}

static bool violation(void *context, struct norn_instance *i, enum norn_when when)
{
	const struct norn_recorded_step *h = context;
	struct norn_recorded_property *c = h->recorded_property;
	struct norn_findings *f = h->findings;
	const struct norn_past *past = when == NORN_WHEN_EVENT || when == NORN_WHEN_START ? &h->past : NULL;
	char id[NORN_FINDING_ID_BYTES];
	make_id(c, NORN_BY_MACHINE, past, id);
	c->violated = true;
	struct norn_finding *known = norn_findings_get(f, id);
	bool resets = norn_handlers_reset(c->property, outcomes_of(c, i), i->fsm_state);
	if (known) {
		known->count += !c->causality; /* a prediction is one, however many runs lead there */
		if (c->causality && strcmp(known->status, "predicted") == 0)
			known->extent = c->extent;
		if (c->more)
			add_run(c, i, f, known);
		return resets;
	}
	mark_part(c, i, add_finding(c, i, h->moment, past, id, f));
	return resets;
}

const struct norn_outcomes norn_recorded_outcomes = {
        .position = position, .violation = violation, .outcome = remark, .doubt = doubt, .give_up = give_up};

/* A loop has no first step: the same loop may be found from any of its steps on. The step with the least site stands for it. */
static struct norn_past least_of_loop(const struct norn_recorded_property *c, const struct norn_instance *i,
        const struct norn_past *last, const struct norn_position *first)
{
	const struct norn_recent_positions *h = &c->recent;
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

void norn_violated_by_loop(struct norn_recorded_property *c, struct norn_instance *i, const struct norn_moment *m,
        const struct norn_position *first, struct norn_findings *f)
{
	struct norn_past past, least;
	norn_past_of(c->view, m, i->id, &past);
	least = least_of_loop(c, i, &past, first);
	char id[NORN_FINDING_ID_BYTES];
	make_id(c, NORN_BY_LOOP, &least, id);
	i->violated = c->violated = true;
	if (norn_findings_get(f, id))
		return;
	struct norn_finding *finding = add_finding(c, i, m, &past, id, f);
	finding->kind = NORN_FINDING_LIVENESS;
	finding->status = "potential";
	finding->outcome = "violated if a loop goes on for ever";
	/* In the run that is shown, positions of the loop come last; what comes before its first one is u. */
	finding->loop = finding->witness_count;
	for (uint32_t k = 0; k < finding->witness_count && finding->loop == finding->witness_count; k++)
		if (first && finding->witness[k].number == first->number)
			finding->loop = k;
	mark_part(c, i, finding);
}
