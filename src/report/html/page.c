#include "report/html/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/html/finding_section.h"
#include "report/html/judged_section.h"
#include "report/html/markup.h"
#include "report/html/source_store.h"

#define OPEN_MAX 5u /* findings: more than these are closed at first */

extern const char norn_page_css[], norn_page_js[]; /* page.css and page.js, by embed */

/* ---- the head ---- */

static void put_entry(FILE *to, const char *term, const char *text)
{
	if (!*text)
		return;
	fprintf(to, "<dt>%s</dt><dd>", term);
	norn_html_put(to, text);
	fputs("</dd>\n", to);
}

static void put_about(const struct norn_findings *findings, const struct norn_report_about *about, FILE *to)
{
	const struct norn_finding_stats *s = &findings->stats;
	char *processes = s->processes > 1 ? norn_must_format(" in %u processes", s->processes) : norn_must_text("");
	char lost[NORN_LOST_TEXT];
	norn_findings_lost_text(findings, lost);
	char *run = norn_must_format(
	        "%" PRIu64 " events of %u thread%s%s, %s lost", s->events, s->threads, s->threads == 1 ? "" : "s", processes, lost);
	fputs("<dl class=about>\n", to);
	put_entry(to, "command", about->command);
	put_entry(to, "recorded", about->recorded);
	put_entry(to, "trace", about->trace);
	put_entry(to, "run", run);
	put_entry(to, "judged by", about->version);
	fputs("</dl>\n", to);
	free(processes);
	free(run);
}

/* Complete, or partial and why. */
static void put_verdict(const struct norn_findings *findings, FILE *to)
{
	bool complete = findings->stats.complete;
	fprintf(to, "<p class=\"verdict %s%s\"><b>%u finding%s.</b> %s</p>\n", complete ? "complete" : "partial",
	        findings->count ? " found" : "", findings->count, findings->count == 1 ? "" : "s",
	        complete ? "The verdict is complete: everything in this run could be judged."
	                 : "The verdict is partial: not all could be judged, because");
	fputs(findings->reason_count ? "<ol class=reasons>\n" : "", to);
	for (uint32_t i = 0; i < findings->reason_count; i++) {
		char *sentence = norn_reason_sentence(&findings->reasons[i]);
		fputs("<li>", to);
		norn_html_put(to, sentence);
		fputs("</li>\n", to);
		free(sentence);
	}
	fputs(findings->reason_count ? "</ol>\n" : "", to);
	for (uint32_t i = 0; i < findings->note_count; i++) {
		fputs("<p class=soft>", to);
		norn_html_put(to, findings->notes[i]);
		fputs("</p>\n", to);
	}
}

static void put_head(const struct norn_report_about *about, FILE *to)
{
	const char *title = *about->command ? about->command : about->trace;
	fputs("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
	      "content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=color-scheme content=\"light dark\"><meta http-equiv=Content-Security-Policy content=\"default-src "
	      "'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<link rel=icon "
	      "href=\"data:,\">\n<title>Norn: ",
	        to);
	norn_html_put(to, title);
	fprintf(to, "</title>\n<style>%s</style>\n<header><h1>Norn: ", norn_page_css);
	norn_html_put(to, title);
	fputs("</h1>\n", to);
}

/* ---- the page ---- */

static void put_index(const struct norn_findings *findings, FILE *to)
{
	fputs("<nav aria-label=\"Index of findings\"><form id=filter hidden role=search></form>\n<ol id=index>\n", to);
	for (uint32_t i = 0; i < findings->count; i++)
		norn_html_index_entry(&findings->list[i], to);
	fputs("</ol></nav>\n", to);
}

static void put_foot(FILE *to)
{
	fputs("<footer><p>What predictions rest on: the program gets the same input as when it was recorded; calls of code without "
	      "hooks do "
	      "no more than Norn's table of effects says of them, or what a finding says is assumed; memory orders are those of "
	      "C11. "
	      "Each predicted schedule was replayed by a checker that shares no code with the search that found it.</p></footer>\n",
	        to);
}

void norn_report_html(const struct norn_findings *findings, const struct norn_report_about *about, FILE *to)
{
	struct norn_source_store *store = norn_source_store_new();
	put_head(about, to);
	put_verdict(findings, to);
	put_about(findings, about, to);
	fputs("</header>\n", to);
	if (findings->count)
		put_index(findings, to);
	fputs("<main>\n", to);
	for (uint32_t i = 0; i < findings->count; i++)
		norn_html_finding(&findings->list[i], findings->count <= OPEN_MAX, store, to);
	fputs("</main>\n", to);
	norn_html_judged(findings, to);
	norn_source_store_put(store, findings, to);
	put_foot(to);
	fprintf(to, "<script id=page>%s</script>\n</html>\n", norn_page_js);
	norn_source_store_free(store);
}
