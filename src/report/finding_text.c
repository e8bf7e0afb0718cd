#include "report/finding_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/advice.h"
#include "report/builtin_error_text.h"
#include "report/source_lines.h"
#include "report/witness_columns.h"

#define LINES_SHOWN 12u /* of a property */

struct text_page {
	struct norn_text_printer printer;
	struct norn_source_cache *cache;
};

/* Takes the text, which may be "". */
static void put_sentence(const struct text_page *p, const char *title, char *text)
{
	if (*text) {
		char *line = norn_must_format("%s%s", title, text);
		norn_put_wrapped(&p->printer, 2, line);
		free(line);
	}
	free(text);
}

/* ---- the property ---- */

/* A line of marks under the part that failed, as far as it lies in this line. */
static void mark_part(const struct text_page *p, const struct norn_finding *f, const char *line, size_t length)
{
	size_t begin = (size_t)(line - f->definition), from = f->part;
	if (!f->part_length || from < begin || from >= begin + length)
		return;
	FILE *to = p->printer.to;
	unsigned columns = 10;
	fputs("        | ", to);
	for (size_t i = begin; i < from; i++)
		if (((unsigned char)f->definition[i] & 0xc0) != 0x80) {
			fputc(f->definition[i] == '\t' ? '\t' : ' ', to);
			columns = f->definition[i] == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
		}
	fputs(norn_red(&p->printer), to);
	for (size_t i = from; i < from + f->part_length && i < begin + length; i++)
		if (((unsigned char)f->definition[i] & 0xc0) != 0x80) {
			fputc(i == from ? '^' : '~', to);
			columns++;
		}
	fputs(norn_plain(&p->printer), to);
	bool below = p->printer.width && columns + 24 > p->printer.width;
	for (uint32_t i = 0; i < f->witness_count; i++)
		if (f->witness[i].number == f->part_number)
			fprintf(to, "%s false %s step %u", below ? "\n        |" : "",
			        f->kind == NORN_FINDING_LIVENESS ? "from" : "at", norn_step_number(f, i));
	fputs(f->kind == NORN_FINDING_LIVENESS ? " on\n" : "\n", to);
}

static void show_definition(const struct text_page *p, const struct norn_finding *f)
{
	unsigned line = f->definition_line;
	const char *at = f->definition;
	FILE *to = p->printer.to;
	for (unsigned shown = 0; *at && shown < LINES_SHOWN; shown++, line++) {
		size_t length = strcspn(at, "\n");
		if (shown == 0)
			fprintf(to, "  %s:%u\n", f->definition_file, line);
		fprintf(to, "  %5u | %.*s\n", line, (int)length, at);
		mark_part(p, f, at, length);
		at += length + (at[length] == '\n');
	}
	if (*at)
		fprintf(to, "        | ...\n");
}

/* ---- the rest ---- */

static void show_source(const struct text_page *p, const struct norn_finding *f)
{
	FILE *to = p->printer.to;
	for (uint32_t i = 0; i < f->where_count; i++) {
		const struct norn_step_text *s = &f->where[i];
		const char *text = norn_source_line(p->cache, s->file, s->line);
		if (!text)
			continue;
		fputc('\n', to);
		put_sentence(p, "",
		        norn_must_format("at %s:%u, %s, in thread %s%s%s%s", s->file, s->line, *s->function ? s->function : "?",
		                s->thread, *s->thread_name ? " (" : "", s->thread_name, *s->thread_name ? ")" : ""));
		fprintf(to, "  %5u | %s\n", s->line, text);
	}
}

static void show_named(
        const struct text_page *p, const char *title, const char *between, const struct norn_named_value *list, uint32_t count)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = count ? open_memstream(&text, &bytes) : NULL;
	if (!to)
		return;
	for (uint32_t i = 0; i < count; i++)
		fprintf(to, "%s%s%s%s", i ? ", " : " ", list[i].name, between, list[i].value);
	if (fclose(to) == 0)
		put_sentence(p, title, text);
}

static void show_title(const struct text_page *p, const struct norn_finding *f)
{
	FILE *to = p->printer.to;
	fprintf(to, "%sproperty %s is %s%s (%s)", norn_red(&p->printer), f->property, f->outcome, norn_plain(&p->printer),
	        f->status);
	if (*f->key)
		fprintf(to, " for %s", f->key);
	if (*f->message)
		fprintf(to, ": %s", f->message);
	fprintf(to, "  [%s]\n", f->id);
}

/* Runs that violate it at the same place, where all were asked for. */
static void show_others(const struct text_page *p, const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->other_count; i++) {
		struct norn_finding other = *f;
		other.witness = f->others[i].witness;
		other.witness_count = f->others[i].witness_count;
		other.witness_cut = 0;
		other.missed = NULL;
		fputs("\n  another run that violates it there:\n", p->printer.to);
		norn_show_witness(&p->printer, &other);
		put_sentence(p, "", norn_advice_orders(&other));
	}
}

static void show_finding(const struct text_page *p, const struct norn_finding *f)
{
	FILE *to = p->printer.to;
	if (f->sides) {
		norn_show_error(&p->printer, p->cache, f);
		return;
	}
	show_title(p, f);
	show_definition(p, f);
	if (f->witness_count)
		fputc('\n', to);
	norn_show_witness(&p->printer, f);
	put_sentence(p, "", norn_advice_orders(f));
	put_sentence(p, "", norn_advice_change(f));
	put_sentence(p, "", norn_must_text(f->extent));
	show_source(p, f);
	show_named(p, "values then:", " = ", f->values, f->value_count);
	show_named(p, "atoms there:", ": ", f->atoms, f->atom_count);
	for (uint32_t i = 0; i < f->knowledge_count; i++)
		put_sentence(p, i ? "and " : "what the thread knew: ", norn_must_text(f->knowledge[i]));
	if (f->count > 1)
		fprintf(to, "  seen %" PRIu64 " times; this is the first\n", f->count);
	put_sentence(p, "", norn_advice_processes(f));
	if (*f->actions)
		fprintf(to, "  inside the program the property %s: %s\n", f->acted ? "did" : "would", f->actions);
	norn_show_replayed(&p->printer, f);
	put_sentence(p, "what might help: ", norn_advice_help(f));
	show_others(p, f);
	fputc('\n', to);
}

void norn_report_finding_of(const struct norn_findings *findings, const struct norn_finding *finding, FILE *to)
{
	struct text_page p = {{to, false, 0}, norn_source_cache_new(findings)};
	show_finding(&p, finding);
	norn_source_cache_free(p.cache);
}

void norn_report_finding(const struct norn_finding *finding, bool colour, unsigned width, FILE *to)
{
	struct text_page p = {{to, colour, width}, norn_source_cache_new(NULL)};
	show_finding(&p, finding);
	norn_source_cache_free(p.cache);
}

/* Why not all could be judged, the gravest reason first, and what can be done. */
static void show_reasons(const struct norn_text_printer *p, const struct norn_findings *findings)
{
	for (uint32_t i = 0; i < findings->reason_count; i++) {
		const struct norn_reason *reason = &findings->reasons[i];
		char *what = norn_must_format("  %u. %s", i + 1, reason->what),
		     *remedy = norn_must_format("     to do: %s", reason->remedy);
		norn_put_wrapped(p, 5, what);
		if (*reason->remedy)
			norn_put_wrapped(p, 5, remedy);
		free(what);
		free(remedy);
	}
}

void norn_report_summary(const struct norn_findings *findings, bool colour, unsigned width, FILE *to)
{
	const struct norn_finding_stats *s = &findings->stats;
	const struct norn_text_printer p = {to, colour, width};
	char text[400], left_out[80] = "", cuts[40] = "", memory[40] = "", slice[80] = "", processes[40] = "", of_baseline[40] = "",
	                lost[NORN_LOST_TEXT];
	uint32_t known = 0;
	if (s->processes > 1)
		snprintf(processes, sizeof processes, " in %u processes", s->processes);
	if (s->cuts) /* else no search through other orders was made */
		snprintf(cuts, sizeof cuts, "%" PRIu64 " cut%s, ", s->cuts, s->cuts == 1 ? "" : "s");
	if (s->slice_events)
		snprintf(slice, sizeof slice, " (sliced: %" PRIu64 " step%s of %" PRIu64 " events)", s->slice_steps,
		        s->slice_steps == 1 ? "" : "s", s->slice_events);
	if (s->memory)
		snprintf(memory, sizeof memory, ", %" PRIu64 " MiB", (s->memory + (1u << 19)) >> 20);
	for (uint32_t i = 0; i < findings->count; i++)
		known += findings->list[i].baseline == NORN_BASELINE_KNOWN;
	if (known)
		snprintf(of_baseline, sizeof of_baseline, ", %u of them known", known);
	if (s->left_out)
		snprintf(left_out, sizeof left_out, ", and %u of which no harm is known left out", s->left_out);
	norn_findings_lost_text(findings, lost);
	snprintf(text, sizeof text,
	        "SUMMARY: %u finding%s%s%s; %" PRIu64 " events of %u thread%s%s, %" PRIu64 " relevant%s, %s lost; %s%s; %.3f s%s",
	        findings->count, findings->count == 1 ? "" : "s", of_baseline, left_out, s->events, s->threads,
	        s->threads == 1 ? "" : "s", processes, s->relevant, slice, lost, cuts,
	        s->complete ? "complete" : "partial: not all could be judged", s->seconds, memory);
	fputs(norn_bold(&p), to);
	norn_put_wrapped(&p, 0, text);
	fputs(norn_plain(&p), to);
	show_reasons(&p, findings);
}

#define LISTED_FROM 6u /* findings: so many are listed once more, a line each */

static void show_line(const struct norn_text_printer *p, const struct norn_finding *f)
{
	fprintf(p->to, "  [%s] ", f->id);
	if (f->outcome && f->sides)
		fputs(f->outcome, p->to);
	else
		fprintf(p->to, "%s %s", norn_finding_kind_name(f->kind), f->property);
	fprintf(p->to, " (%s)", f->status);
	for (uint32_t i = 0; i < f->where_count; i++)
		if (*f->where[i].file) {
			const struct norn_step_text own = norn_finding_own_where(f, i);
			fprintf(p->to, "%s %s:%u", i ? "," : ":", basename(own.file), own.line);
		}
	fputc('\n', p->to);
}

static bool is_known(const struct norn_finding *f)
{
	return f->baseline == NORN_BASELINE_KNOWN;
}

/* Many findings do not fit on a screen: all of them, a line each. Those that are known have no more than that. */
static void show_list(const struct norn_text_printer *p, const struct norn_findings *findings, uint32_t shown)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < findings->count; i++)
		known += is_known(&findings->list[i]);
	if (known < findings->count && (findings->count - known >= LISTED_FROM || shown < findings->count - known)) {
		fputs("All findings:\n", p->to);
		for (uint32_t i = 0; i < findings->count; i++)
			if (!is_known(&findings->list[i]))
				show_line(p, &findings->list[i]);
		fputc('\n', p->to);
	}
	uint32_t rest = findings->count - known - shown;
	if (rest)
		fprintf(p->to, "%u finding%s not shown but in this list (--max-findings)\n\n", rest, rest == 1 ? " is" : "s are");
	if (known)
		fputs("Known findings, which the baseline has:\n", p->to);
	for (uint32_t i = 0; i < findings->count; i++)
		if (is_known(&findings->list[i]))
			show_line(p, &findings->list[i]);
	fputs(known ? "\n" : "", p->to);
}

void norn_report_findings(const struct norn_findings *findings, uint32_t most, bool colour, unsigned width, FILE *to)
{
	struct text_page p = {{to, colour, width}, norn_source_cache_new(findings)};
	uint32_t shown = 0;
	for (uint32_t i = 0; i < findings->count && shown < most; i++)
		if (!is_known(&findings->list[i])) {
			show_finding(&p, &findings->list[i]);
			shown++;
		}
	norn_source_cache_free(p.cache);
	show_list(&p.printer, findings, shown);
}
