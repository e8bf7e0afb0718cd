#include "report/html/finding_section.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/harm.h"
#include "report/advice.h"
#include "report/builtin_error_text.h"
#include "report/html/lattice_figure.h"
#include "report/html/markup.h"
#include "report/layout.h"
#include "report/witness_columns.h"

struct finding_section {
	const struct norn_finding *f;
	struct norn_source_store *store;
	FILE *to;
};

static void put(const struct finding_section *s, const char *text)
{
	norn_html_put(s->to, text);
}

/* The title: what happened, to what. */
static char *title_of(const struct norn_finding *f)
{
	char folded[NORN_FOLDED];
	if (f->sides)
		return norn_must_text(norn_folded(f->outcome, folded));
	return norn_must_format("property %s is %s%s%s", f->property, f->outcome, *f->key ? " for " : "", f->key);
}

/* The file that a finding is filed under: that of its first place which has one. */
static const char *file_of(const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->where_count; i++)
		if (*f->where[i].file)
			return norn_finding_own_where(f, i).file;
	return f->definition_file ? f->definition_file : "";
}

/* Attributes that the index is filtered by: page.js makes a choice of each that has several values. */
static void put_filters(const struct norn_finding *f, FILE *to)
{
	norn_html_attribute(to, "data-kind", norn_finding_kind_name(f->kind));
	norn_html_attribute(to, "data-status", f->status);
	norn_html_attribute(to, "data-harm", norn_harm_name(norn_finding_harm(f)));
	if (f->baseline)
		norn_html_attribute(to, "data-baseline", f->baseline == NORN_BASELINE_KNOWN ? "known" : "new");
	norn_html_attribute(to, "data-file", file_of(f));
}

static void put_badge(const struct norn_finding *f, FILE *to)
{
	fprintf(to, "<span class=\"badge %s\">%s</span> ", f->status, f->status);
}

void norn_html_index_entry(const struct norn_finding *f, FILE *to)
{
	char *title = title_of(f);
	fputs("<li", to);
	put_filters(f, to);
	fprintf(to, "><a href=\"#%s\">", f->id);
	put_badge(f, to);
	fputs("<b>", to);
	norn_html_put(to, title);
	fputs("</b> <span class=at>", to);
	for (uint32_t i = 0; i < f->where_count && i < 2; i++) {
		fputs(i ? ", " : "", to);
		const struct norn_step_text own = norn_finding_own_where(f, i);
		norn_html_put(to, basename(own.file));
		if (own.line)
			fprintf(to, ":%u", own.line);
	}
	fputs("</span></a></li>\n", to);
	free(title);
}

/* ---- where it is ---- */

static void put_place(const struct finding_section *s, const struct norn_step_text *at)
{
	if (!*at->file)
		return;
	fputs("<a class=place", s->to);
	if (at->line && !s->f->sourceless) {
		unsigned file = norn_source_store_add(s->store, at->file, at->line);
		fprintf(s->to, " href=\"#s%u-%u\"", file, at->line);
	}
	fputs(">", s->to);
	put(s, basename(at->file));
	if (at->line)
		fprintf(s->to, ":%u", at->line);
	fputs("</a>", s->to);
	if (*at->function) {
		char folded[NORN_FOLDED];
		fputs(" <span class=fn>", s->to);
		put(s, norn_folded(at->function, folded));
		fputs("</span>", s->to);
	}
}

static void put_locks(const struct finding_section *s, const struct norn_side *side)
{
	fputs(side->lock_count ? "<div class=locks>holding " : "<div class=locks>holding no lock", s->to);
	for (uint32_t k = 0; k < side->lock_count; k++) {
		fputs(k ? ", <code>" : "<code>", s->to);
		put(s, side->locks[k].what);
		fputs("</code> (", s->to);
		put_place(s, &side->locks[k]);
		fputs(strcmp(side->locks[k].event, "acquire-shared") == 0 ? ", shared)" : ")", s->to);
	}
	fputs("</div>\n", s->to);
}

static void put_side(const struct finding_section *s, uint32_t i)
{
	const struct norn_step_text *at = &s->f->where[i];
	const struct norn_side *side = s->f->sides ? &s->f->sides[i] : NULL;
	fputs("<div class=side><h3>", s->to);
	put(s, at->thread);
	if (*at->thread_name) {
		fputs(" “", s->to);
		put(s, at->thread_name);
		fputs("”", s->to);
	}
	fputs(": ", s->to);
	put(s, at->event);
	fputc(' ', s->to);
	put(s, at->what);
	fputs("</h3>\n<div class=frame>", s->to);
	put_place(s, at);
	fputs(*at->file ? "</div>\n" : "where is not known</div>\n", s->to);
	for (uint32_t k = 0; side && k < side->frame_count; k++) {
		if (!norn_frame_is_shown(at, side, k))
			continue;
		fprintf(s->to, "<div class=frame>%s ", norn_frame_words(at, side, k));
		put_place(s, &side->frames[k]);
		fputs("</div>\n", s->to);
	}
	if (side)
		put_locks(s, side);
	fputs("</div>\n", s->to);
}

/* ---- the schedule ---- */

/* "name=1 2": the steps that had to come before step i, as their numbers. Under mvc: conflicting accesses keep their order. */
static void put_before(const struct finding_section *s, uint32_t i)
{
	const struct norn_finding *f = s->f;
	bool any = false;
	for (uint32_t k = 0; k < f->must_count; k++)
		if (f->must[k].second == i) {
			fprintf(s->to, "%s%u", any ? " " : " data-after=\"", norn_step_number(f, f->must[k].first));
			any = true;
		}
	fputs(any ? "\"" : "", s->to);
}

static void put_step(const struct finding_section *s, uint32_t i)
{
	const struct norn_finding *f = s->f;
	const struct norn_step_text *step = &f->witness[i];
	uint32_t stops = f->stop_count ? f->stop_count : 1;
	char text[300];
	bool stop = i + stops >= f->witness_count && f->kind != NORN_FINDING_LIVENESS;
	norn_step_describe(step, text, sizeof text);
	fprintf(s->to, "<tr%s data-seen=%" PRIu64, stop ? " class=stop" : "", step->number);
	if (f->kind == NORN_FINDING_LIVENESS && i >= f->loop)
		fputs(" data-loop", s->to);
	if (step->recorded && *step->recorded && !*step->after)
		norn_html_attribute(s->to, "data-recorded", step->recorded);
	put_before(s, i);
	fprintf(s->to, "><td>%u</td><td>", norn_step_number(f, i));
	put(s, step->thread);
	if (*step->thread_name) {
		fputs(" “", s->to);
		put(s, step->thread_name);
		fputs("”", s->to);
	}
	fputs("</td><td>", s->to);
	put(s, text);
	fputs("</td><td>", s->to);
	put_place(s, step);
	fputs("</td></tr>\n", s->to);
}

static void put_schedule(const struct finding_section *s)
{
	const struct norn_finding *f = s->f;
	uint32_t first = f->witness_count && f->witness[0].number == 0;
	if (f->witness_count <= first)
		return;
	fprintf(s->to,
	        "<h3>%c%s schedule</h3>\n<div class=picture></div>\n<table "
	        "class=steps><tr><th>step</th><th>thread</th><th>event</th><th>place</th></tr>\n",
	        toupper((unsigned char)*norn_schedule_word(f)), norn_schedule_word(f) + 1);
	for (uint32_t i = first; i < f->witness_count; i++)
		put_step(s, i);
	fputs("</table>\n", s->to);
	if (f->sides) {
		fputs("<p class=ending>", s->to);
		put(s, norn_error_ending(f));
		fputs(".</p>\n", s->to);
	}
	if (f->witness_cut)
		fprintf(s->to, "<p class=soft>%" PRIu64 " other events of this run, before or between these, are not shown.</p>\n",
		        f->witness_cut);
}

/* Runs that violate it at the same place, where all were asked for. */
static void put_others(const struct finding_section *s)
{
	char text[300];
	for (uint32_t k = 0; k < s->f->other_count; k++) {
		const struct norn_other_run *run = &s->f->others[k];
		fprintf(s->to, "<h3>Another run that violates it "
		               "there</h3>\n<table><tr><th>step</th><th>thread</th><th>event</th></tr>\n");
		for (uint32_t i = 0, number = 1; i < run->witness_count; i++) {
			if (run->witness[i].number == 0)
				continue;
			norn_step_describe(&run->witness[i], text, sizeof text);
			fprintf(s->to, "<tr><td>%u</td><td>", number++);
			put(s, run->witness[i].thread);
			fputs("</td><td>", s->to);
			put(s, text);
			fputs("</td></tr>\n", s->to);
		}
		fputs("</table>\n", s->to);
	}
}

/* ---- the rest ---- */

/* An entry of a list of terms; takes the text. Nothing for "". */
static void put_entry(const struct finding_section *s, const char *term, char *text, bool copied)
{
	if (*text) {
		fprintf(s->to, copied ? "<dt>%s</dt><dd><code class=copy>" : "<dt>%s</dt><dd>", term);
		put(s, text);
		fputs(copied ? "</code></dd>\n" : "</dd>\n", s->to);
	}
	free(text);
}

static void put_definition(const struct finding_section *s)
{
	const struct norn_finding *f = s->f;
	size_t length = f->definition ? strlen(f->definition) : 0, from = f->part < length ? f->part : length;
	size_t marked = f->part_length < length - from ? f->part_length : length - from;
	if (!length)
		return;
	fputs("<h3>", s->to);
	put(s, f->definition_file);
	fprintf(s->to, ":%u</h3>\n<pre>", f->definition_line);
	norn_html_put_bytes(s->to, f->definition, from);
	fputs("<mark>", s->to);
	norn_html_put_bytes(s->to, f->definition + from, marked);
	fputs("</mark>", s->to);
	put(s, f->definition + from + marked);
	fputs("</pre>\n", s->to);
}

static void put_assumptions(const struct finding_section *s)
{
	for (uint32_t i = 0; i < s->f->assumption_count; i++) {
		const struct norn_assumption *a = &s->f->assumptions[i];
		put_entry(s, i ? "and" : "assumed", norn_assumption_text(a), false);
		if (*a->model && strcmp(s->f->status, "confirmed") != 0)
			put_entry(s, "to settle it, by --model", norn_must_text(a->model), true);
	}
}

static void put_replayed(const struct finding_section *s)
{
	const struct norn_finding *f = s->f;
	if (!f->replayed)
		return;
	bool confirmed = strcmp(f->status, "confirmed") == 0;
	fprintf(s->to, "<dt>%s</dt><dd class=told>", confirmed ? "confirmed" : "not confirmed");
	if (confirmed)
		fputs("the program itself did it", s->to);
	else
		fprintf(s->to, "tried %u time%s%s", f->replay_tries, f->replay_tries == 1 ? "" : "s",
		        f->own_error ? "; an error of Norn's own" : "");
	for (uint32_t i = 0; i < f->replayed_count; i++) {
		fputc('\n', s->to);
		put(s, f->replayed[i]);
	}
	fputs("</dd>\n", s->to);
	put_entry(s, "to reproduce it", norn_must_text(f->replay), true);
}

/* "x = 1, y = 0" */
static void put_values(
        const struct finding_section *s, const char *term, const char *between, const struct norn_named_value *list, uint32_t count)
{
	if (count)
		fprintf(s->to, "<dt>%s</dt><dd>", term);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", s->to);
		put(s, list[i].name);
		fputs(between, s->to);
		put(s, list[i].value);
	}
	fputs(count ? "</dd>\n" : "", s->to);
}

static void put_remarks(const struct finding_section *s)
{
	const struct norn_finding *f = s->f;
	fputs("<dl>\n", s->to);
	put_entry(s, "harm", norn_must_text(norn_harm_name(norn_finding_harm(f))), false);
	put_entry(s, "what it leads to", norn_must_text(f->consequence ? f->consequence : ""), false);
	put_entry(s, "hint", norn_must_text(f->before_set ? f->before_set : ""), false);
	put_entry(s, "order", norn_must_text(f->order ? f->order : ""), false);
	for (uint32_t i = 0; i < f->swap_count; i++)
		put_entry(s, "order", norn_must_text(f->swaps[i]), false);
	if (!f->sides) {
		put_entry(s, "order", norn_advice_change(f), false);
		put_entry(s, "extent", norn_must_text(f->extent), false);
	}
	if (f->also_count)
		put_entry(s, "also", norn_advice_also(f), false);
	if (f->count > 1)
		put_entry(s, "how often", norn_must_format("%" PRIu64 " times in the run; this is one of them", f->count), false);
	put_entry(s, "process", norn_advice_processes(f), false);
	put_values(s, "values then", " = ", f->values, f->value_count);
	put_values(s, "atoms there", ": ", f->atoms, f->atom_count);
	for (uint32_t i = 0; i < f->knowledge_count; i++)
		put_entry(s, "the thread knew", norn_must_text(f->knowledge[i]), false);
	if (f->sides)
		put_entry(s, "memory", norn_must_text(f->block), false);
	put_assumptions(s);
	put_replayed(s);
	if (f->fix)
		put_entry(s, "what helps",
		        norn_must_format(
		                "%s. With this in the recorded run, the finding is gone, and no new deadlock can be predicted.",
		                f->fix),
		        false);
	else
		put_entry(s, "what might help", f->sides ? norn_must_text(f->advice) : norn_advice_help(f), false);
	if (f->sides)
		put_entry(s, "to suppress it, in norn.supp", norn_must_text(f->suppression), true);
	fputs("</dl>\n", s->to);
}

void norn_html_finding(const struct norn_finding *f, bool open, struct norn_source_store *store, FILE *to)
{
	const struct finding_section s = {f, store, to};
	char *title = title_of(f);
	fprintf(to, "<details id=\"%s\"%s", f->id, open ? " open" : "");
	put_filters(f, to);
	fputs("><summary><h2>", to);
	put_badge(f, to);
	put(&s, title);
	fprintf(to, "</h2> <a class=id href=\"#%s\">%s</a></summary>\n<p class=message>", f->id, f->id);
	put(&s, f->message);
	fputs("</p>\n", to);
	put_definition(&s);
	fputs("<div class=sides>\n", to);
	for (uint32_t i = 0; i < f->where_count; i++)
		put_side(&s, i);
	fputs("</div>\n", to);
	put_schedule(&s);
	put_others(&s);
	if (f->lattice)
		norn_html_lattice(f->lattice, to);
	put_remarks(&s);
	fputs("</details>\n", to);
	free(title);
}
