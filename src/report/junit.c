#include "report/junit.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/finding_text.h"
#include "report/html/markup.h"

/* The reason why it does not count as a failure; NULL: it does. */
static const char *why_skipped(const struct norn_finding *f)
{
	if (f->baseline == NORN_BASELINE_KNOWN)
		return "known: the baseline has it";
	return strcmp(f->status, "suspected") == 0 ? "only suspected: it rests on assumptions" : NULL;
}

static char *title_of(const struct norn_finding *f)
{
	return f->sides ? norn_must_format("%s [%s]", f->outcome, f->id)
	                : norn_must_format("property %s is %s [%s]", f->property, f->outcome, f->id);
}

/* The report that people read, for this finding. */
static void put_text(const struct norn_findings *findings, const struct norn_finding *f, FILE *to)
{
	char *text = NULL;
	size_t bytes;
	FILE *into = norn_must(open_memstream(&text, &bytes));
	norn_report_finding_of(findings, f, into);
	norn_must_close(into);
	norn_html_put(to, text);
	free(text);
}

static void put_finding(const struct norn_findings *findings, const struct norn_finding *f, FILE *to)
{
	const char *skipped = why_skipped(f);
	char *title = title_of(f), *class = norn_must_format("norn.%s", norn_finding_kind_name(f->kind));
	fputs("  <testcase", to);
	norn_html_attribute(to, "classname", class);
	norn_html_attribute(to, "name", title);
	if (f->where_count && *f->where[0].file) {
		const struct norn_step_text at = norn_finding_own_where(f, 0);
		norn_html_attribute(to, "file", norn_findings_path(findings, at.file));
		fprintf(to, " line=\"%u\"", at.line);
	}
	fputs(skipped ? ">\n    <skipped" : ">\n    <failure", to);
	if (!skipped)
		norn_html_attribute(to, "type", f->status);
	norn_html_attribute(to, "message", skipped ? skipped : f->message);
	fputs(">", to);
	put_text(findings, f, to);
	fputs(skipped ? "</skipped>\n  </testcase>\n" : "</failure>\n  </testcase>\n", to);
	free(title);
	free(class);
}

/* A partial verdict is no failure, but it is not to be passed over either. */
static void put_verdict(const struct norn_findings *findings, FILE *to)
{
	fputs("  <testcase classname=\"norn\" name=\"all could be judged\">", to);
	if (findings->reason_count) {
		fputs("\n    <skipped message=\"partial: not all could be judged\">", to);
		for (uint32_t i = 0; i < findings->reason_count; i++) {
			char *sentence = norn_reason_sentence(&findings->reasons[i]);
			norn_html_put(to, sentence);
			fputc('\n', to);
			free(sentence);
		}
		fputs("</skipped>\n  ", to);
	}
	fputs("</testcase>\n", to);
}

void norn_report_junit(const struct norn_findings *findings, FILE *to)
{
	uint32_t skipped = findings->reason_count > 0, failed = 0;
	for (uint32_t i = 0; i < findings->count; i++) {
		skipped += why_skipped(&findings->list[i]) != NULL;
		failed += why_skipped(&findings->list[i]) == NULL;
	}
	char *name = norn_must_format("norn%s%s", findings->command ? " " : "", findings->command ? findings->command : "");
	fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite");
	norn_html_attribute(to, "name", name);
	fprintf(to, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%.6f\">\n", findings->count + 1, failed,
	        skipped, findings->stats.seconds);
	for (uint32_t i = 0; i < findings->count; i++)
		put_finding(findings, &findings->list[i], to);
	put_verdict(findings, to);
	fputs(" </testsuite>\n</testsuites>\n", to);
	free(name);
}
