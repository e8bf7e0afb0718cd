#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "finding/harm.h"
#include "finding/judged_pairs.h"
#include "report/advice.h"
#include "report/json_string.h"

/* A value: a number as one, an unknown one as null, an address as text. */
static void put_value(FILE *to, const char *text)
{
	char *end;
	if (strcmp(text, "?") == 0 || !*text) {
		fputs("null", to);
		return;
	}
	size_t digits = strspn(text, "-0123456789");
	strtod(text, &end);
	if (text[digits] == 0 || (!*end && strspn(text, "-+.0123456789eE") == strlen(text)))
		fputs(text, to);
	else
		norn_put_quoted(to, text);
}

static void put_places(FILE *to, const char *name, const struct norn_step_text *list, uint32_t count, bool locks)
{
	fprintf(to, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ",{" : "{", to);
		if (locks) {
			norn_put_field(to, "lock", list[i].what);
			fprintf(to, ",\"shared\":%s,", strcmp(list[i].event, "acquire-shared") == 0 ? "true" : "false");
		}
		norn_put_field(to, "function", list[i].function);
		fputc(',', to);
		norn_put_field(to, "file", list[i].file);
		fprintf(to, ",\"line\":%u}", list[i].line);
	}
	fputc(']', to);
}

static void put_called(FILE *to, const struct norn_step_text *s)
{
	if (!s->called || !*s->called)
		return;
	fputc(',', to);
	norn_put_field(to, "called", s->called);
}

static void put_where(FILE *to, const struct norn_step_text *s, const struct norn_side *side)
{
	fputc('{', to);
	norn_put_field(to, "thread", s->thread);
	fputc(',', to);
	norn_put_field(to, "file", s->file);
	fprintf(to, ",\"line\":%u,", s->line);
	norn_put_field(to, "function", s->function);
	fputc(',', to);
	norn_put_field(to, "access", s->event);
	put_called(to, s);
	if (side) {
		fputc(',', to);
		norn_put_field(to, "variable", s->what);
		put_places(to, "stack", side->frames, side->frame_count, false);
		put_places(to, "locks", side->locks, side->lock_count, true);
	}
	fputc('}', to);
}

static void put_step(FILE *to, const struct norn_step_text *s)
{
	fputc('{', to);
	norn_put_field(to, "thread", s->thread);
	fputc(',', to);
	norn_put_field(to, "event", s->event);
	fputc(',', to);
	norn_put_field(to, "variable", s->what);
	fputs(",\"value\":", to);
	put_value(to, s->after);
	if (s->recorded && *s->recorded && !*s->after) {
		fputs(",\"recorded\":", to);
		put_value(to, s->recorded);
	}
	fputc(',', to);
	norn_put_field(to, "file", s->file);
	put_called(to, s);
	fprintf(to, ",\"line\":%u,\"number\":%" PRIu64 "}", s->line, s->number);
}

/* Other places of the same cause. */
static void put_also(FILE *to, const struct norn_finding *f)
{
	fputs(",\"also\":[", to);
	for (uint32_t i = 0; i < f->also_count; i++) {
		const struct norn_step_text *s = &f->also[i];
		fputs(i ? ",{" : "{", to);
		norn_put_field(to, "variable", s->what);
		fputc(',', to);
		norn_put_field(to, "access", s->event);
		fputc(',', to);
		norn_put_field(to, "function", s->function);
		fputc(',', to);
		norn_put_field(to, "file", s->file);
		fprintf(to, ",\"line\":%u}", s->line);
	}
	fputc(']', to);
}

static void put_named(FILE *to, const char *name, const struct norn_named_value *list, uint32_t count)
{
	fprintf(to, ",\"%s\":{", name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "", to);
		norn_put_quoted(to, list[i].name);
		fputc(':', to);
		put_value(to, list[i].value);
	}
	fputc('}', to);
}

static void put_list(FILE *to, const char *name, const char *const *list, uint32_t count)
{
	fprintf(to, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "", to);
		norn_put_quoted(to, list[i]);
	}
	fputc(']', to);
}

/* A fix that was checked on the recorded run. */
static void put_fix(FILE *to, const struct norn_finding *f)
{
	fputs(",\"fix\":{", to);
	norn_put_field(to, "text", f->fix);
	fputs(",\"lines\":[", to);
	for (uint32_t i = 0; i < f->fix_place_count; i++) {
		const struct norn_fix_place *p = &f->fix_places[i];
		fputs(i ? ",{" : "{", to);
		norn_put_field(to, "file", p->file);
		fputc(',', to);
		norn_put_field(to, "function", p->function);
		fprintf(to, ",\"first\":%u,\"last\":%u}", p->first, p->last);
	}
	fputs("]}", to);
}

static void put_error(FILE *to, const struct norn_finding *f)
{
	fputc(',', to);
	norn_put_field(to, "block", f->block);
	fputc(',', to);
	norn_put_field(to, "suppression", f->suppression);
	put_list(to, "swaps", f->swaps, f->swap_count);
	if (f->order) {
		fputc(',', to);
		norn_put_field(to, "order", f->order);
	}
	if (f->consequence) {
		fputs(",\"consequence\":{", to);
		norn_put_field(to, "kind", norn_consequence_name(f->consequence_kind));
		fputc(',', to);
		norn_put_field(to, "text", f->consequence);
		fputc('}', to);
	}
	if (f->before_set) {
		fputc(',', to);
		norn_put_field(to, "before_set", f->before_set);
	}
	if (f->fix)
		put_fix(to, f);
	if (f->also_count)
		put_also(to, f);
	for (uint32_t i = 0; i < f->operand_count; i++) {
		fputs(i ? ",{" : ",\"operands\":[{", to);
		norn_put_field(to, "name", f->operands[i].name);
		fputc(',', to);
		norn_put_field(to, "recorded", f->operands[i].recorded);
		fputc(',', to);
		norn_put_field(to, "predicted", f->operands[i].predicted);
		fputc(',', to);
		norn_put_field(to, "writer", f->operands[i].writer);
		fputc('}', to);
	}
	fputs(f->operand_count ? "]" : "", to);
	for (uint32_t i = 0; i < f->assumption_count; i++) {
		fputs(i ? ",{" : ",\"assumptions\":[{", to);
		norn_put_field(to, "function", f->assumptions[i].function);
		fputc(',', to);
		norn_put_field(to, "file", f->assumptions[i].file);
		fprintf(to, ",\"line\":%u,", f->assumptions[i].line);
		norn_put_field(to, "model", f->assumptions[i].model);
		if (f->assumptions[i].job) {
			fputc(',', to);
			norn_put_field(to, "job_of", f->assumptions[i].job);
		}
		fputc('}', to);
	}
	fputs(f->assumption_count ? "]" : "", to);
}

static void put_replayed(FILE *to, const struct norn_finding *f)
{
	fprintf(to, ",\"tries\":%u,\"own_error\":%s,", f->replay_tries, f->own_error ? "true" : "false");
	norn_put_field(to, "replay", f->replay);
	if (f->aftermath) {
		fputs(",\"aftermath\":{", to);
		norn_put_field(to, "kind", f->aftermath_kind);
		fputc(',', to);
		norn_put_field(to, "text", f->aftermath);
		fputc('}', to);
	}
	fputs(",\"enacted\":[", to);
	for (uint32_t i = 0; i < f->replayed_count; i++) {
		fputs(i ? "," : "", to);
		norn_put_quoted(to, f->replayed[i]);
	}
	fputc(']', to);
}

/* The order that steps had to come in, as pairs of their places in the witness. */
static void put_must(FILE *to, const struct norn_finding *f)
{
	fputs(",\"must_precede\":[", to);
	for (uint32_t i = 0; i < f->must_count; i++)
		fprintf(to, "%s[%u,%u]", i ? "," : "", f->must[i].first, f->must[i].second);
	fputc(']', to);
}

/* The processes that it is of. */
static void put_processes(FILE *to, const struct norn_finding *f)
{
	fputs(",\"in\":[", to);
	for (uint32_t i = 0; i < f->in_count; i++) {
		fprintf(to, "%s\"pid\":%u,", i ? ",{" : "{", f->in[i].pid);
		norn_put_field(to, "trace", f->in[i].trace);
		fputc(',', to);
		norn_put_field(to, "command", f->in[i].command);
		fputc(',', to);
		norn_put_field(to, "directory", f->in[i].directory);
		fputc('}', to);
	}
	fputc(']', to);
}

static void put_steps(FILE *to, const struct norn_step_text *steps, uint32_t count)
{
	bool first = true;
	fputc('[', to);
	for (uint32_t i = 0; i < count; i++) {
		if (steps[i].number == 0)
			continue; /* the start of the run is no event */
		fputs(first ? "\n  " : ",\n  ", to);
		put_step(to, &steps[i]);
		first = false;
	}
	fputc(']', to);
}

static void put_others(FILE *to, const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->other_count; i++) {
		fputs(i ? "," : ",\"other_runs\":[", to);
		put_steps(to, f->others[i].witness, f->others[i].witness_count);
	}
	fputc(']', to);
}

static void put_finding(FILE *to, const struct norn_finding *f)
{
	fputc('{', to);
	norn_put_field(to, "kind", norn_finding_kind_name(f->kind));
	fputc(',', to);
	norn_put_field(to, "id", f->id);
	fputc(',', to);
	if (f->fingerprint) {
		norn_put_field(to, "fingerprint", f->fingerprint);
		fputc(',', to);
	}
	norn_put_field(to, "property", f->property);
	fputc(',', to);
	norn_put_field(to, "variable", f->variable);
	fputc(',', to);
	norn_put_field(to, "status", f->status);
	fputc(',', to);
	norn_put_field(to, "severity", norn_harm_name(norn_finding_harm(f)));
	fputc(',', to);
	norn_put_field(to, "causality", f->causality);
	fputc(',', to);
	norn_put_field(to, "message", f->message);
	fputc(',', to);
	norn_put_field(to, "outcome", f->outcome);
	fputc(',', to);
	norn_put_field(to, "extent", f->extent);
	fputc(',', to);
	norn_put_field(to, "instance", f->key);
	fputc(',', to);
	char *part = strndup(f->definition + f->part, f->part_length), *help = f->sides ? NULL : norn_advice_help(f);
	norn_put_field(to, "failed", part ? part : "");
	fputc(',', to);
	norn_put_field(to, "advice", f->sides ? f->advice : help ? help : "");
	free(part);
	free(help);
	fprintf(to, ",\"count\":%" PRIu64, f->count);
	if (f->processes)
		fprintf(to, ",\"processes\":%u", f->processes);
	if (f->in_count)
		put_processes(to, f);
	if (f->kind == NORN_FINDING_LIVENESS) {
		/* The start of the run is no event: without it. */
		uint32_t start = f->witness_count && f->witness[0].number == 0;
		fprintf(to, ",\"loop\":%u", f->loop - (f->loop ? start : 0));
	}
	if (f->baseline)
		fprintf(to, ",\"baseline\":\"%s\"", f->baseline == NORN_BASELINE_KNOWN ? "known" : "new");
	put_named(to, "values", f->values, f->value_count);
	put_named(to, "atoms", f->atoms, f->atom_count);
	if (f->knowledge_count)
		put_list(to, "knowledge", f->knowledge, f->knowledge_count);
	if (f->sides)
		put_error(to, f);
	if (f->replayed)
		put_replayed(to, f);
	fputs(",\"where\":[", to);
	for (uint32_t i = 0; i < f->where_count; i++) {
		fputs(i ? "," : "", to);
		put_where(to, &f->where[i], f->sides ? &f->sides[i] : NULL);
	}
	fputs("]", to);
	if (f->must_count)
		put_must(to, f);
	fputs(",\"witness\":", to);
	put_steps(to, f->witness, f->witness_count);
	fprintf(to, ",\"witness_cut\":%" PRIu64, f->witness_cut);
	if (f->other_count)
		put_others(to, f);
	fputc('}', to);
}

static void put_reasons(FILE *to, const struct norn_findings *findings)
{
	fputs(",\"partial\":[", to);
	for (uint32_t i = 0; i < findings->reason_count; i++) {
		const struct norn_reason *reason = &findings->reasons[i];
		fputs(i ? ",\n {" : "\n {", to);
		norn_put_field(to, "reason", norn_reason_name(reason->kind));
		fprintf(to, ",\"count\":%" PRIu64 ",", reason->count);
		norn_put_field(to, "what", reason->what);
		fputc(',', to);
		norn_put_field(to, "remedy", reason->remedy);
		fputc('}', to);
	}
	fputc(']', to);
}

static void put_judged_place(FILE *to, const struct norn_judged_place *place)
{
	fputc('{', to);
	norn_put_field(to, "file", place->file);
	fprintf(to, ",\"line\":%u,", place->line);
	norn_put_field(to, "function", place->function);
	fputc('}', to);
}

static void put_totals(FILE *to, const char *name, const uint32_t totals[NORN_PAIR_VERDICTS])
{
	uint32_t all = 0;
	for (unsigned i = 0; i < NORN_PAIR_VERDICTS; i++)
		all += totals[i];
	fprintf(to, "\"%s\":{\"total\":%u", name, all);
	for (unsigned i = 0; i < NORN_PAIR_VERDICTS; i++)
		fprintf(to, ",\"%s\":%u", norn_pair_verdict_name(i), totals[i]);
	fputc('}', to);
}

static void put_judged_pair(FILE *to, const struct norn_judged_pair *pair)
{
	fputc('{', to);
	norn_put_field(to, "variable", pair->variable);
	fprintf(to, ",\"verdict\":\"%s\",\"reason\":\"%s\",\"meetings\":%" PRIu64,
	        norn_pair_verdict_name(norn_pair_verdict_of(pair->reason)), norn_pair_reason_name(pair->reason), pair->meetings);
	if (*pair->finding) {
		fputc(',', to);
		norn_put_field(to, "finding", pair->finding);
	}
	fputs(",\"places\":[", to);
	put_judged_place(to, &pair->places[0]);
	if (!norn_judged_place_is_later(&pair->places[1])) {
		fputc(',', to);
		put_judged_place(to, &pair->places[1]);
	}
	fputs("]}", to);
}

static void put_judged(FILE *to, const struct norn_judged_pairs *judged)
{
	uint32_t variables[NORN_PAIR_VERDICTS] = {0};
	for (uint32_t i = 0; i < judged->variables.count; i++)
		variables[norn_judged_variable_verdict(&judged->variables.items[i])]++;
	fputs(",\n\"coverage\":{", to);
	put_totals(to, "variables", variables);
	fputc(',', to);
	put_totals(to, "pairs", judged->totals);
	fputs(",\n \"shared\":[", to);
	for (uint32_t i = 0; i < judged->variables.count; i++) {
		const struct norn_judged_variable *v = &judged->variables.items[i];
		fputs(i ? ",\n  {" : "\n  {", to);
		norn_put_field(to, "variable", v->name);
		fprintf(to, ",\"verdict\":\"%s\",", norn_pair_verdict_name(norn_judged_variable_verdict(v)));
		put_totals(to, "pairs", v->pairs);
		fputc('}', to);
	}
	fputs("],\n \"judged\":[", to);
	for (uint32_t i = 0; i < judged->list.count; i++) {
		fputs(i ? ",\n  " : "\n  ", to);
		put_judged_pair(to, &judged->list.items[i]);
	}
	fputs("],\n \"one_thread\":[", to);
	for (uint32_t i = 0; i < judged->alone; i++) {
		fputs(i ? ",{" : "{", to);
		norn_put_field(to, "function", judged->functions.items[i].name);
		fputc(',', to);
		norn_put_field(to, "file", judged->functions.items[i].file);
		fputc('}', to);
	}
	fputs("]}", to);
}

void norn_report_json(const struct norn_findings *findings, FILE *to)
{
	const struct norn_finding_stats *s = &findings->stats;
	fputs("{\"format\":\"norn-findings\",\"version\":1,\n\"findings\":[", to);
	for (uint32_t i = 0; i < findings->count; i++) {
		fputs(i ? ",\n " : "\n ", to);
		put_finding(to, &findings->list[i]);
	}
	fputs("],\n\"notes\":[", to);
	for (uint32_t i = 0; i < findings->note_count; i++) {
		fputs(i ? "," : "", to);
		norn_put_quoted(to, findings->notes[i]);
	}
	for (uint32_t i = 0; i < findings->reason_count; i++) {
		char *sentence = norn_reason_sentence(&findings->reasons[i]);
		fputs(i + findings->note_count ? "," : "", to);
		norn_put_quoted(to, sentence);
		free(sentence);
	}
	fprintf(to,
	        "],\n\"stats\":{\"events\":%" PRIu64 ",\"threads\":%u,\"relevant\":%" PRIu64 ",\"cuts\":%" PRIu64
	        ",\"complete\":%s,\"seconds\":%.6f,\"lost\":%" PRIu64 ",\"memory\":%" PRIu64
	        ",\"loops_complete\":%s,\"own_errors\":%u,\"verdict\":\"%s\"",
	        s->events, s->threads, s->relevant, s->cuts, s->complete ? "true" : "false", s->seconds, s->lost, s->memory,
	        s->loops_cut ? "false" : "true", s->own_errors, s->complete ? "complete" : "partial");
	if (s->lost_unknown)
		fputs(",\"lost_known\":false", to);
	if (s->processes)
		fprintf(to, ",\"processes\":%u", s->processes);
	if (s->slice_events)
		fprintf(to, ",\"slice\":{\"events\":%" PRIu64 ",\"steps\":%" PRIu64 "}", s->slice_events, s->slice_steps);
	if (s->left_out)
		fprintf(to, ",\"left_out\":%u", s->left_out);
	put_reasons(to, findings);
	fputc('}', to);
	if (findings->judged)
		put_judged(to, findings->judged);
	fputs("}\n", to);
}
