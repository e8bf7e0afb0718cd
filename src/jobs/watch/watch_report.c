#include "jobs/watch/watch_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "finding/printable_findings.h"
#include "base/must.h"
#include "jobs/outputs.h"
#include "jobs/say.h"
#include "scope/scope_offline.h"
#include "report/finding_text.h"
#include "trace/event.h"

#define STEPS_MAX 64u

void norn_watch_report_init(struct norn_watch_report *r, const struct norn_watch_plan *plan)
{
	*r = (struct norn_watch_report){.plan = plan};
	norn_findings_init(&r->findings);
}

void norn_watch_report_done(struct norn_watch_report *r)
{
	norn_findings_done(&r->findings);
}

/* ---- which property ---- */

struct message_origin {
	const struct norn_watch_props_file *props;
	const struct norn_decl *decl;
	const struct norn_property *check; /* of a scope; NULL: it is a property */
};

/* The check of that name, "scope.check"; a scope's only one may have none. */
static struct message_origin find_check(const struct norn_watch_props_file *props, const char *name)
{
	for (uint32_t s = 0; s < props->file.spec->scope_count; s++)
		for (uint32_t i = 0; i < props->file.spec->scopes[s].check_count; i++)
			if (strcmp(props->file.spec->scopes[s].checks[i].property.name, name) == 0)
				return (struct message_origin){
				        props, props->file.spec->scopes[s].decl, &props->file.spec->scopes[s].checks[i].property};
	return (struct message_origin){0};
}

/* The property of that name, or the check of a scope. */
static struct message_origin find_origin(const struct norn_watch_plan *plan, const char *name)
{
	for (uint32_t l = 0; l < plan->props_count; l++) {
		const struct norn_spec *spec = plan->props[l].file.spec;
		const struct norn_property *property = norn_spec_property(spec, name);
		if (property)
			return (struct message_origin){&plan->props[l], property->decl, NULL};
		struct message_origin check = find_check(&plan->props[l], name);
		if (check.props)
			return check;
	}
	return (struct message_origin){0};
}

/* ---- findings ---- */

/* The thread's knowledge, of properties that are judged by that; of others details are notes. */
static bool is_knowing(const struct message_origin *from)
{
	return from->decl && from->decl->kind == NORN_DECL_PROPERTY &&
	       (from->decl->logic.kind == NORN_LOGIC_MTTL || from->decl->logic.kind >= NORN_LOGIC_RACE);
}

static const struct norn_named_value *values_of(const char *lines, struct norn_findings *f, uint32_t *ret_count)
{
	uint32_t room = 1;
	for (const char *at = lines; *at; at++)
		room += *at == '\n';
	struct norn_named_value *list = norn_must_arena_alloc(&f->arena, room * sizeof *list);
	*ret_count = 0;
	for (const char *at = lines; *at;) {
		size_t n = strcspn(at, "\n");
		const char *equals = strstr(at, " = ");
		if (equals && equals < at + n)
			list[(*ret_count)++] = (struct norn_named_value){norn_findings_text(f, "%.*s", (int)(equals - at), at),
			        norn_findings_text(f, "%.*s", (int)(at + n - equals - 3), equals + 3)};
		at += n + (at[n] == '\n');
	}
	return list;
}

static const struct norn_step_text *step_of(const struct norn_watch_message *m, struct norn_findings *f, uint64_t number)
{
	struct norn_step_text *step = norn_must_arena_alloc(&f->arena, sizeof *step);
	*step = (struct norn_step_text){.thread = norn_findings_text(f, "%s", m->path),
	        .thread_name = norn_findings_text(f, "%s", m->name),
	        .event = norn_event_word(m->event_kind, m->event_op),
	        .what = norn_findings_text(f, "%s", *m->variable ? m->variable : m->function),
	        .before = "",
	        .after = "",
	        .file = norn_findings_text(f, "%s", m->file),
	        .function = norn_findings_text(f, "%s", m->function),
	        .called = norn_findings_text(f, "%s", m->called),
	        .line = m->line,
	        .number = number};
	return step;
}

/* The steps that the program told; NULL: none. */
static const struct norn_step_text *steps_of(const struct norn_watch_message *m, struct norn_findings *f, uint32_t *ret_count)
{
	static const char between[] = {NORN_WATCH_BETWEEN, '\n', 0};
	struct norn_step_text *list = norn_must_arena_alloc(&f->arena, (STEPS_MAX + 1) * sizeof *list);
	*ret_count = 0;
	for (const char *at = m->witness; *at && *ret_count < STEPS_MAX;) {
		const char *fields[8];
		for (unsigned i = 0; i < 8; i++) {
			size_t n = strcspn(at, between);
			fields[i] = norn_findings_text(f, "%.*s", (int)n, at);
			at += n + (at[n] != 0);
		}
		list[*ret_count] = (struct norn_step_text){.thread = fields[3],
		        .thread_name = "",
		        .event = norn_event_word((unsigned)atoi(fields[0]), (unsigned)atoi(fields[1])),
		        .what = fields[4],
		        .before = "",
		        .after = "",
		        .file = fields[6],
		        .function = fields[5],
		        .called = fields[7],
		        .line = (unsigned)atoi(fields[2]),
		        .number = *ret_count + 1ull};
		++*ret_count;
	}
	return *ret_count ? list : NULL;
}

/* A scope's region: how it came about, the state that it had, and where in the scope the check is. */
static void add_region(struct norn_finding *finding, const struct message_origin *from, const struct norn_watch_message *m,
        struct norn_findings *f)
{
	finding->atoms = values_of(m->values, f, &finding->atom_count);
	finding->witness = steps_of(m, f, &finding->witness_count);
	finding->witness_cut = m->witness_cut;
	finding->where = finding->witness_count ? &finding->witness[finding->witness_count - 1] : NULL;
	finding->where_count = finding->witness_count > 0;
	norn_scope_offline_mark(from->check, finding);
}

static void add_knowledge(struct norn_finding *finding, const char *lines, struct norn_findings *f)
{
	uint32_t count = 1;
	for (const char *at = lines; *at; at++)
		count += *at == '\n';
	const char **list = norn_must_arena_alloc(&f->arena, count * sizeof(*list));
	for (const char *at = lines; *at;) {
		size_t n = strcspn(at, "\n");
		list[finding->knowledge_count++] = norn_findings_text(f, "%.*s", (int)n, at);
		at += n + (at[n] == '\n');
	}
	finding->knowledge = list;
}

static void add_details(struct norn_findings *f, const char *property, const char *lines)
{
	for (const char *at = lines; *at;) {
		size_t n = strcspn(at, "\n");
		if (n) {
			norn_findings_note(f, "property %s: %.*s", property, (int)n, at);
			norn_note("%.*s", (int)n, at);
		}
		at += n + (at[n] == '\n');
	}
}

static void add_finding(struct norn_watch_report *r, const struct norn_watch_message *m)
{
	struct norn_findings *f = &r->findings;
	struct message_origin from = find_origin(r->plan, m->property);
	r->heard++;
	struct norn_finding *known = norn_findings_get(f, m->id);
	if (known) {
		known->count++;
		return;
	}
	struct norn_finding finding = norn_finding_of_property(f, m->id, m->property);
	finding.variable = norn_findings_text(f, "%s", m->variable);
	finding.message = norn_findings_text(f, "%s", m->message);
	finding.key = norn_findings_text(f, "%s", m->key);
	finding.outcome = *m->what ? norn_findings_text(f, "%s", m->what) : "violated";
	finding.actions = norn_findings_text(f, "%s", m->actions);
	finding.acted = true;
	norn_finding_define(&finding, from.props ? from.props->file.sources : NULL, from.decl, f);
	if (from.check) {
		add_region(&finding, &from, m, f);
	} else {
		finding.where = finding.witness = m->event_kind ? step_of(m, f, r->heard) : NULL;
		finding.where_count = finding.witness_count = finding.where != NULL;
		finding.values = values_of(m->values, f, &finding.value_count);
	}
	if (is_knowing(&from))
		add_knowledge(&finding, m->details, f);
	struct norn_finding *added = norn_findings_add(f, &finding);
	norn_finding_printable(f, added);
	norn_report_finding(added, norn_colour(stderr), norn_width(stderr), stderr);
	if (!is_knowing(&from))
		add_details(f, m->property, m->details);
	fflush(stderr);
}

static void add_remark(struct norn_watch_report *r, const struct norn_watch_message *m)
{
	static const char *const words[] = {"violation", "satisfaction", "match", "fail", "inconclusive", "state"};
	const char *state = "";
	for (uint32_t l = 0; l < r->plan->props_count && m->outcome == NORN_OUTCOME_STATE; l++) {
		const struct norn_property *p = norn_spec_property(r->plan->props[l].file.spec, m->property);
		if (p && m->state < p->fsm_count)
			state = p->fsm[m->state].name;
	}
	bool reports = *m->message || *m->actions;
	const char *word = m->outcome <= NORN_OUTCOME_STATE ? words[m->outcome] : "";
	if (!reports && m->outcome != NORN_OUTCOME_STATE)
		reports = true;
	norn_findings_note(&r->findings, "property %s%s%s: %s%s%s%s%s", m->property, *m->key ? " of " : "", m->key, word,
	        *state ? " " : "", state, *m->message ? ": " : "", m->message);
	norn_note("%s", r->findings.notes[r->findings.note_count - 1]);
}

/* ---- what is not, or no longer, sure ---- */

static void add_doubt(struct norn_watch_report *r, const struct norn_watch_message *m)
{
	const char *text = *m->file ? norn_findings_text(&r->findings, "property %s may be violated at %s:%u: %s", m->property,
	                                      m->file, m->line, m->details)
	                            : norn_findings_text(&r->findings, "property %s may be violated at the start of the run: %s",
	                                      m->property, m->details);
	norn_findings_partial(&r->findings, NORN_REASON_PROPERTY, 1, "", "%s", text);
	norn_note("%s", text);
}

static void withdraw(struct norn_watch_report *r, const struct norn_watch_message *m)
{
	struct norn_findings *f = &r->findings;
	size_t length = strlen(m->property);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		const char *name = f->list[i].property;
		if (strncmp(name, m->property, length) == 0 && (name[length] == 0 || name[length] == '.'))
			continue;
		f->list[kept++] = f->list[i];
	}
	f->count = kept;
	norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "", "what was said of %s is withdrawn: %s", m->property, m->details);
	norn_note("what was said of %s is withdrawn: %s", m->property, m->details);
}

void norn_watch_report_message(struct norn_watch_report *r, const struct norn_watch_message *m)
{
	struct norn_finding_stats *stats = &r->findings.stats;
	switch (m->kind) {
	case NORN_WATCH_HELLO:
		r->greeted = true;
		break;
	case NORN_WATCH_VERDICT:
		if (m->outcome == NORN_OUTCOME_VIOLATION)
			add_finding(r, m);
		else
			add_remark(r, m);
		break;
	case NORN_WATCH_NOTE:
		norn_findings_note(&r->findings, "%s", m->details);
		norn_note("%s", m->details);
		break;
	case NORN_WATCH_DOUBT:
		add_doubt(r, m);
		break;
	case NORN_WATCH_WITHDRAW:
		withdraw(r, m);
		break;
	case NORN_WATCH_BYE:
		r->over = true;
		r->incomplete |= m->complete == 0;
		stats->relevant += m->relevant;
		stats->events += m->events;
		stats->threads += (uint32_t)m->threads;
		stats->lost += m->lost;
		break;
	}
}

int norn_watch_report_end(struct norn_watch_report *r, const char *json)
{
	struct norn_findings *f = &r->findings;
	if (f->stats.lost)
		norn_findings_partial(f, NORN_REASON_LOST, f->stats.lost, "judge it by norn record and norn check",
		        "%" PRIu64 " verdicts were lost: there were too many at once, or a thread entered a sandbox (seccomp)",
		        f->stats.lost);
	if (r->incomplete && f->stats.complete)
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "judge it by norn record and norn check", "%s",
		        f->note_count ? f->notes[f->note_count - 1] : "the program could not judge all that it was to judge");
	norn_findings_printable(f);
	norn_report_summary(f, norn_colour(stderr), norn_width(stderr), stderr);
	const struct norn_outputs outputs = {{[NORN_OUTPUT_JSON] = json}};
	if (norn_outputs_write(&outputs, f, "") != NORN_EXIT_OK)
		return NORN_EXIT_USAGE;
	return norn_exit_of(f);
}
