#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	fputc(',', to);
	norn_put_field(to, "file", s->file);
	put_called(to, s);
	fprintf(to, ",\"line\":%u,\"number\":%" PRIu64 "}", s->line, s->number);
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

static void put_error(FILE *to, const struct norn_finding *f)
{
	fputc(',', to);
	norn_put_field(to, "block", f->block);
	fputc(',', to);
	norn_put_field(to, "suppression", f->suppression);
	put_list(to, "swaps", f->swaps, f->swap_count);
	for (uint32_t i = 0; i < f->assumption_count; i++) {
		fputs(i ? ",{" : ",\"assumptions\":[{", to);
		norn_put_field(to, "function", f->assumptions[i].function);
		fputc(',', to);
		norn_put_field(to, "file", f->assumptions[i].file);
		fprintf(to, ",\"line\":%u,", f->assumptions[i].line);
		norn_put_field(to, "model", f->assumptions[i].model);
		fputc('}', to);
	}
	fputs(f->assumption_count ? "]" : "", to);
}

static void put_enacted(FILE *to, const struct norn_finding *f)
{
	fprintf(to, ",\"tries\":%u,\"own_error\":%s,", f->enacted_tries, f->own_error ? "true" : "false");
	norn_put_field(to, "replay", f->replay);
	fputs(",\"enacted\":[", to);
	for (uint32_t i = 0; i < f->enacted_count; i++) {
		fputs(i ? "," : "", to);
		norn_put_quoted(to, f->enacted[i]);
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
	norn_put_field(to, "property", f->property);
	fputc(',', to);
	norn_put_field(to, "variable", f->variable);
	fputc(',', to);
	norn_put_field(to, "status", f->status);
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
	if (f->kind == NORN_FINDING_LIVENESS) {
		/* The start of the run is no event: without it. */
		uint32_t start = f->witness_count && f->witness[0].number == 0;
		fprintf(to, ",\"loop\":%u", f->loop - (f->loop ? start : 0));
	}
	put_named(to, "values", f->values, f->value_count);
	put_named(to, "atoms", f->atoms, f->atom_count);
	if (f->knowledge_count)
		put_list(to, "knowledge", f->knowledge, f->knowledge_count);
	if (f->sides)
		put_error(to, f);
	if (f->enacted)
		put_enacted(to, f);
	fputs(",\"where\":[", to);
	for (uint32_t i = 0; i < f->where_count; i++) {
		fputs(i ? "," : "", to);
		put_where(to, &f->where[i], f->sides ? &f->sides[i] : NULL);
	}
	fputs("],\"witness\":[", to);
	bool first = true;
	for (uint32_t i = 0; i < f->witness_count; i++) {
		if (f->witness[i].number == 0)
			continue; /* the start of the run is no event */
		fputs(first ? "\n  " : ",\n  ", to);
		put_step(to, &f->witness[i]);
		first = false;
	}
	fprintf(to, "],\"witness_cut\":%" PRIu64 "}", f->witness_cut);
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
	if (s->processes)
		fprintf(to, ",\"processes\":%u", s->processes);
	put_reasons(to, findings);
	fputs("}}\n", to);
}
