#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/advice.h"
#include "report/source_lines.h"
#include "report/witness_columns.h"

#define LINES_AROUND 3u /* of the source, before and after the line that matters */

static const char style[] =
        ":root{color-scheme:light dark;--line:#8884;--soft:#8882;--bad:#c62828;--good:#2e7d32}"
        "@media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--good:#a5d6a7}}"
        "body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}"
        "code,pre,td,th{font-family:ui-monospace,monospace;font-size:13px}"
        "section{border:1px solid var(--line);border-radius:8px;padding:0 1rem 1rem;margin:1.5rem 0}"
        "h2{font-size:1.1rem}h3{font-size:.95rem;margin:1rem 0 .3rem}.id{float:right;opacity:.6;font-weight:normal}"
        ".status{border:1px solid;border-radius:4px;padding:0 .4em;font-size:.8em;margin-right:.5em}"
        ".sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:1rem}"
        "pre{background:var(--soft);padding:.5rem;border-radius:4px;overflow-x:auto;margin:.3rem 0}"
        "pre b,mark,tr.stop td{color:var(--bad);background:none;font-weight:600}"
        "table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.15rem .5rem;text-align:left;"
        "vertical-align:top}td.n{opacity:.6;text-align:right}td.at{opacity:.75}ul{margin:.3rem 0}.confirmed{color:var(--good)}";

struct page {
	FILE *to;
	struct norn_source_cache *cache;
};

static void put_bytes(const struct page *p, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		switch (text[i]) {
		case '&':
			fputs("&amp;", p->to);
			break;
		case '<':
			fputs("&lt;", p->to);
			break;
		case '>':
			fputs("&gt;", p->to);
			break;
		case '"':
			fputs("&quot;", p->to);
			break;
		default:
			fputc(text[i], p->to);
		}
}

static void put(const struct page *p, const char *text)
{
	put_bytes(p, text, strlen(text));
}

/* Takes the text, which may be NULL or "". */
static void put_item(const struct page *p, const char *before, char *text)
{
	if (*text) {
		fputs("<li>", p->to);
		put(p, before);
		put(p, text);
		fputs("</li>\n", p->to);
	}
	free(text);
}

static void put_place(const struct page *p, const struct norn_step_text *s)
{
	if (!*s->file)
		return;
	put(p, basename(s->file));
	if (s->line)
		fprintf(p->to, ":%u", s->line);
	fputc(' ', p->to);
	put(p, s->function);
}

/* ---- where it is ---- */

static void put_source(const struct page *p, const struct norn_step_text *s)
{
	unsigned first = s->line > LINES_AROUND ? s->line - LINES_AROUND : 1;
	if (!s->line || !norn_source_line(p->cache, s->file, s->line))
		return;
	fputs("<pre>", p->to);
	for (unsigned line = first; line <= s->line + LINES_AROUND; line++) {
		const char *text = norn_source_line(p->cache, s->file, line);
		if (!text && line > s->line)
			break;
		fprintf(p->to, line == s->line ? "<b>%5u | " : "%5u | ", line);
		put(p, text ? text : "");
		fputs(line == s->line ? "</b>\n" : "\n", p->to);
	}
	fputs("</pre>\n", p->to);
}

static void put_side(const struct page *p, const struct norn_finding *f, uint32_t i)
{
	const struct norn_step_text *s = &f->where[i];
	const struct norn_side *side = f->sides ? &f->sides[i] : NULL;
	fputs("<div><h3>", p->to);
	put(p, s->thread);
	if (*s->thread_name) {
		fputs(" “", p->to);
		put(p, s->thread_name);
		fputs("”", p->to);
	}
	fputs(": ", p->to);
	put(p, s->event);
	fputc(' ', p->to);
	put(p, s->what);
	fputs("</h3>\n<code title=\"", p->to);
	put(p, s->file);
	fputs("\">", p->to);
	put_place(p, s);
	fputs("</code>\n", p->to);
	if (!f->sourceless)
		put_source(p, s);
	for (uint32_t k = 0; side && k < side->frame_count; k++) {
		fprintf(p->to, "<div>%s <code>", strcmp(side->frames[k].event, "created") == 0 ? "thread created at" : "called at");
		put_place(p, &side->frames[k]);
		fputs("</code></div>\n", p->to);
	}
	if (side)
		fputs(side->lock_count ? "<div>holding" : "<div>holding no lock", p->to);
	for (uint32_t k = 0; side && k < side->lock_count; k++) {
		fputs(k ? ", <code>" : " <code>", p->to);
		put(p, side->locks[k].what);
		fputs("</code> (", p->to);
		put_place(p, &side->locks[k]);
		fputs(strcmp(side->locks[k].event, "acquire-shared") == 0 ? ", shared)" : ")", p->to);
	}
	fputs(side ? "</div></div>\n" : "</div>\n", p->to);
}

/* ---- the run ---- */

/* A column for each thread, in the order of their paths: for each of them its first step. */
static uint32_t columns_of(const struct norn_finding *f, uint32_t *firsts)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->witness_count; i++) {
		uint32_t c = 0;
		int order = 1;
		while (c < count && (order = strcmp(f->witness[firsts[c]].thread, f->witness[i].thread)) < 0)
			c++;
		if (!f->witness[i].number || (c < count && order == 0))
			continue;
		memmove(firsts + c + 1, firsts + c, (count++ - c) * sizeof *firsts);
		firsts[c] = i;
	}
	return count;
}

static void put_step(const struct page *p, const struct norn_finding *f, const uint32_t *firsts, uint32_t columns, uint32_t i)
{
	const struct norn_step_text *s = &f->witness[i];
	uint32_t stops = f->stop_count ? f->stop_count : 1;
	char text[300];
	bool stop = i + stops >= f->witness_count && f->kind != NORN_FINDING_LIVENESS;
	norn_step_describe(s, text, sizeof text);
	fprintf(p->to, "<tr%s><td class=n>%u</td>", stop ? " class=stop" : "", norn_step_number(f, i));
	for (uint32_t c = 0; c < columns; c++) {
		fputs("<td>", p->to);
		if (strcmp(f->witness[firsts[c]].thread, s->thread) == 0)
			put(p, text);
		fputs("</td>", p->to);
	}
	fputs("<td class=at>", p->to);
	put_place(p, s);
	fputs("</td></tr>\n", p->to);
}

static void put_run(const struct page *p, const struct norn_finding *f)
{
	uint32_t *firsts = norn_must_calloc(f->witness_count, sizeof *firsts);
	uint32_t columns = columns_of(f, firsts);
	bool happened = strcmp(f->status, "observed") == 0 || strcmp(f->status, "confirmed") == 0;
	if (columns) {
		fprintf(p->to, "<h3>%s</h3>\n<table><tr><th></th>", happened ? "It came to this" : "It can come to this");
		for (uint32_t c = 0; c < columns; c++) {
			fputs("<th>", p->to);
			put(p, f->witness[firsts[c]].thread);
			fputs("</th>", p->to);
		}
		fputs("<th></th></tr>\n", p->to);
		if (f->witness_cut)
			fprintf(p->to, "<tr><td></td><td colspan=%u>%" PRIu64 " other events are not shown</td></tr>\n",
			        columns + 1, f->witness_cut);
		for (uint32_t i = 0; i < f->witness_count; i++) {
			if (f->kind == NORN_FINDING_LIVENESS && i == f->loop)
				fprintf(p->to, "<tr class=stop><td></td><td colspan=%u>from here on, again and again</td></tr>\n",
				        columns + 1);
			if (f->witness[i].number)
				put_step(p, f, firsts, columns, i);
		}
		fputs("</table>\n", p->to);
	}
	free(firsts);
}

/* ---- the rest ---- */

static void put_definition(const struct page *p, const struct norn_finding *f)
{
	size_t length = strlen(f->definition), from = f->part < length ? f->part : length;
	size_t marked = f->part_length < length - from ? f->part_length : length - from;
	if (!length)
		return;
	fputs("<h3><code>", p->to);
	put(p, f->definition_file);
	fprintf(p->to, ":%u</code></h3>\n<pre>", f->definition_line);
	put_bytes(p, f->definition, from);
	fputs("<mark>", p->to);
	put_bytes(p, f->definition + from, marked);
	fputs("</mark>", p->to);
	put(p, f->definition + from + marked);
	fputs("</pre>\n", p->to);
}

static void put_remarks(const struct page *p, const struct norn_finding *f)
{
	fputs("<ul>\n", p->to);
	for (uint32_t i = 0; i < f->assumption_count; i++)
		put_item(p, "only suspected: it holds if ",
		        norn_must_format(
		                "%s() (no hooks, called at %s:%u) does not synchronise, nor touch this memory; --model: %s",
		                f->assumptions[i].function, basename(f->assumptions[i].file), f->assumptions[i].line,
		                f->assumptions[i].model));
	for (uint32_t i = 0; i < f->swap_count; i++)
		put_item(p, "", norn_must_text(f->swaps[i]));
	if (!f->sides) {
		put_item(p, "", norn_advice_orders(f));
		put_item(p, "", norn_advice_change(f));
		put_item(p, "", norn_must_text(f->extent));
	}
	for (uint32_t i = 0; i < f->knowledge_count; i++)
		put_item(p, "the thread knew: ", norn_must_text(f->knowledge[i]));
	for (uint32_t i = 0; i < f->value_count; i++)
		put_item(p, "value then: ", norn_must_format("%s = %s", f->values[i].name, f->values[i].value));
	if (f->sides && *f->block)
		put_item(p, "the memory is part of ", norn_must_text(f->block));
	for (uint32_t i = 0; f->enacted && i < f->enacted_count; i++)
		put_item(p, "re-enacted: ", norn_must_text(f->enacted[i]));
	if (f->enacted && *f->replay)
		put_item(p, "to bring it about again: ", norn_must_text(f->replay));
	put_item(p, "what might help: ", f->sides ? norn_must_text(f->advice) : norn_advice_help(f));
	if (f->sides)
		put_item(p, "to suppress it, in norn.supp: ", norn_must_text(f->suppression));
	fputs("</ul>\n", p->to);
}

static void put_finding(const struct page *p, const struct norn_finding *f)
{
	fprintf(p->to, "<section id=\"%s\">\n<h2><span class=id>%s</span><span class=\"status %s\">%s</span>", f->id, f->id,
	        f->status, f->status);
	if (f->sides)
		put(p, f->outcome);
	else {
		fputs("property ", p->to);
		put(p, f->property);
		fputs(" is ", p->to);
		put(p, f->outcome);
	}
	fputs("</h2>\n<p>", p->to);
	put(p, f->message);
	fputs("</p>\n", p->to);
	put_definition(p, f);
	fputs("<div class=sides>\n", p->to);
	for (uint32_t i = 0; i < f->where_count; i++)
		put_side(p, f, i);
	fputs("</div>\n", p->to);
	put_run(p, f);
	put_remarks(p, f);
	fputs("</section>\n", p->to);
}

void norn_report_html(const struct norn_findings *findings, const char *title, FILE *to)
{
	const struct norn_finding_stats *s = &findings->stats;
	struct page p = {to, norn_source_cache_new()};
	fputs("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
	      "content=\"width=device-width\">\n<title>Norn: ",
	        to);
	put(&p, title);
	fprintf(to, "</title>\n<style>%s</style>\n<h1>Norn: ", style);
	put(&p, title);
	fprintf(to, "</h1>\n<p>%u finding%s; %" PRIu64 " events of %u threads, %" PRIu64 " lost; %s.</p>\n", findings->count,
	        findings->count == 1 ? "" : "s", s->events, s->threads, s->lost,
	        s->complete ? "complete: everything could be judged" : "<b>partial: not all could be judged</b>, because");
	if (findings->note_count)
		fputs("<ul>\n", to);
	for (uint32_t i = 0; i < findings->note_count; i++)
		put_item(&p, "", norn_must_text(findings->notes[i]));
	if (findings->note_count)
		fputs("</ul>\n", to);
	if (findings->reason_count)
		fputs("<ol>\n", to);
	for (uint32_t i = 0; i < findings->reason_count; i++)
		put_item(&p, "", norn_reason_sentence(&findings->reasons[i]));
	if (findings->reason_count)
		fputs("</ol>\n", to);
	for (uint32_t i = 0; i < findings->count; i++)
		put_finding(&p, &findings->list[i]);
	fputs("</html>\n", to);
	norn_source_cache_free(p.cache);
}
