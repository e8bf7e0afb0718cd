#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/source.h"

#define COLUMNS_MAX 4u /* threads that get a column of their own */
#define COLUMN_WIDTH 34
#define LINES_SHOWN 12u /* of a property */

struct painter {
	FILE *to;
	bool colour;
	struct norn_source_cache *cache;
};

static const char *bold(const struct painter *p)
{
	return p->colour ? "\033[1m" : "";
}

static const char *red(const struct painter *p)
{
	return p->colour ? "\033[1;31m" : "";
}

static const char *plain(const struct painter *p)
{
	return p->colour ? "\033[0m" : "";
}

/* ---- columns ---- */

struct columns {
	const struct norn_step_text *threads[COLUMNS_MAX]; /* a step of each */
	uint32_t count; /* more than COLUMNS_MAX: no columns */
};

static uint32_t column_of(const struct columns *c, const struct norn_step_text *s)
{
	uint32_t i = 0;
	while (i < c->count && i < COLUMNS_MAX && strcmp(c->threads[i]->thread, s->thread) != 0)
		i++;
	return i;
}

static void find_columns(const struct norn_step_text *steps, uint32_t count, struct columns *ret_columns)
{
	*ret_columns = (struct columns){0};
	for (uint32_t i = 0; i < count && ret_columns->count <= COLUMNS_MAX; i++) {
		uint32_t at = steps[i].number ? column_of(ret_columns, &steps[i]) : 0;
		if (!steps[i].number || at < ret_columns->count)
			continue;
		if (at < COLUMNS_MAX)
			ret_columns->threads[at] = &steps[i];
		ret_columns->count++;
	}
	/* In the order of their paths: as they were created. */
	uint32_t n = ret_columns->count < COLUMNS_MAX ? ret_columns->count : COLUMNS_MAX;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (strcmp(ret_columns->threads[k]->thread, ret_columns->threads[i]->thread) < 0) {
				const struct norn_step_text *swap = ret_columns->threads[i];
				ret_columns->threads[i] = ret_columns->threads[k];
				ret_columns->threads[k] = swap;
			}
}

/* "write radio: 1 -> 0", "call suspend(c=0x55)" */
static void describe(const struct norn_step_text *s, char *to, size_t room)
{
	if (*s->before)
		snprintf(to, room, "%s %s: %s -> %s", s->event, s->what, s->before, s->after);
	else if (*s->after)
		snprintf(to, room, "%s %s: %s", s->event, s->what, s->after);
	else
		snprintf(to, room, "%s %s", s->event, s->what);
}

static void title_of(const struct norn_step_text *s, char *to, size_t room)
{
	snprintf(to, room, "%s%s%s%s", s->thread, *s->thread_name ? " \"" : "", s->thread_name, *s->thread_name ? "\"" : "");
}

static void show_step(const struct painter *p, const struct columns *c, const struct norn_step_text *s, unsigned number, bool last)
{
	char what[200], title[120];
	const char *paint = last ? red(p) : "";
	describe(s, what, sizeof what);
	fprintf(p->to, "%s%s%4u%s  ", paint, last ? " !" : "  ", number, *paint ? plain(p) : "");
	bool columns = c->count <= COLUMNS_MAX;
	int indent = columns ? (int)column_of(c, s) * COLUMN_WIDTH : 0;
	if (columns) {
		fprintf(p->to, "%*s%s%-*s%s", indent, "", paint, COLUMN_WIDTH, what, *paint ? plain(p) : "");
		int rest = ((int)c->count - 1) * COLUMN_WIDTH - indent;
		fprintf(p->to, "%*s", rest > 0 ? rest : 0, "");
	} else {
		title_of(s, title, sizeof title);
		fprintf(p->to, "%-24s %s%-*s%s", title, paint, COLUMN_WIDTH, what, *paint ? plain(p) : "");
	}
	if (*s->file && s->line)
		fprintf(p->to, "  %s:%u %s", basename(s->file), s->line, s->function);
	else if (*s->file)
		fprintf(p->to, "  %s %s", basename(s->file), s->function);
	fputc('\n', p->to);
}

static void show_head(const struct painter *p, const struct columns *c)
{
	char title[120];
	if (c->count > COLUMNS_MAX || c->count == 0)
		return;
	fprintf(p->to, "        ");
	for (uint32_t i = 0; i < c->count; i++) {
		title_of(c->threads[i], title, sizeof title);
		fprintf(p->to, "%s%-*s%s", bold(p), i + 1 < c->count ? COLUMN_WIDTH : 0, title, plain(p));
	}
	fputc('\n', p->to);
}

static void show_witness(const struct painter *p, const struct norn_finding *f)
{
	uint32_t first = f->witness_count > NORN_STEPS_SHOWN ? f->witness_count - NORN_STEPS_SHOWN : 0;
	uint64_t before = first + f->witness_cut;
	bool start = f->witness_count && f->witness[0].number == 0;
	struct columns columns;
	find_columns(f->witness + first, f->witness_count - first, &columns);
	show_head(p, &columns);
	if (before > (start ? 1u : 0u))
		fprintf(p->to, "        ... %" PRIu64 " steps before these\n", before - (start ? 1 : 0));
	for (uint32_t i = first; i < f->witness_count; i++)
		if (f->witness[i].number)
			show_step(p, &columns, &f->witness[i], (unsigned)(i + f->witness_cut + (start ? 0 : 1)),
			        i + 1 == f->witness_count);
		else
			fprintf(p->to, "     0  the start of the run\n");
}

/* For a predicted run: in which order its steps were seen. */
static void show_observed(const struct painter *p, const struct norn_finding *f)
{
	bool start = f->witness_count && f->witness[0].number == 0;
	uint32_t count = f->witness_count - start;
	const struct norn_step_text *steps = f->witness + start;
	if (*f->extent)
		fprintf(p->to, "  %s\n", f->extent);
	if (strcmp(f->status, "predicted") != 0 || count > NORN_STEPS_SHOWN)
		return;
	fprintf(p->to, "  the run that was observed had these steps in the order");
	for (uint64_t after = 0, next = 0;; after = next) {
		uint32_t which = 0;
		next = UINT64_MAX;
		for (uint32_t i = 0; i < count; i++)
			if (steps[i].number > after && steps[i].number < next) {
				next = steps[i].number;
				which = i + 1;
			}
		if (next == UINT64_MAX)
			break;
		fprintf(p->to, " %u", which);
	}
	fputc('\n', p->to);
}

/* ---- the rest ---- */

static void show_definition(const struct painter *p, const struct norn_finding *f)
{
	unsigned line = f->definition_line;
	const char *at = f->definition;
	for (unsigned shown = 0; *at && shown < LINES_SHOWN; shown++, line++) {
		size_t length = strcspn(at, "\n");
		if (shown == 0)
			fprintf(p->to, "  %s:%u\n", f->definition_file, line);
		fprintf(p->to, "  %5u | %.*s\n", line, (int)length, at);
		at += length + (at[length] == '\n');
	}
	if (*at)
		fprintf(p->to, "        | ...\n");
}

static void show_source(const struct painter *p, const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->where_count; i++) {
		const struct norn_step_text *s = &f->where[i];
		const char *text = norn_source_line(p->cache, s->file, s->line);
		if (!text)
			continue;
		fprintf(p->to, "\n  at %s:%u, %s, in thread %s%s%s%s\n", s->file, s->line, *s->function ? s->function : "?",
		        s->thread, *s->thread_name ? " (" : "", s->thread_name, *s->thread_name ? ")" : "");
		fprintf(p->to, "  %5u | %s\n", s->line, text);
	}
}

static void show_named(
        const struct painter *p, const char *title, const char *between, const struct norn_named_value *list, uint32_t count)
{
	if (!count)
		return;
	fprintf(p->to, "  %s", title);
	for (uint32_t i = 0; i < count; i++)
		fprintf(p->to, "%s%s%s%s", i ? ", " : " ", list[i].name, between, list[i].value);
	fputc('\n', p->to);
}

static void show_finding(const struct painter *p, const struct norn_finding *f)
{
	fprintf(p->to, "%sproperty %s is %s%s (%s)", red(p), f->property, f->outcome, plain(p), f->status);
	if (*f->key)
		fprintf(p->to, " for %s", f->key);
	if (*f->message)
		fprintf(p->to, ": %s", f->message);
	fprintf(p->to, "  [%s]\n", f->id);
	show_definition(p, f);
	if (f->witness_count)
		fputc('\n', p->to);
	show_witness(p, f);
	show_observed(p, f);
	show_source(p, f);
	show_named(p, "values then:", " = ", f->values, f->value_count);
	show_named(p, "atoms there:", ": ", f->atoms, f->atom_count);
	if (f->count > 1)
		fprintf(p->to, "  seen %" PRIu64 " times; this is the first\n", f->count);
	if (*f->actions)
		fprintf(p->to, "  inside the program the property would: %s\n", f->actions);
	fputc('\n', p->to);
}

void norn_report_finding(const struct norn_finding *finding, bool colour, FILE *to)
{
	struct painter p = {to, colour, norn_source_cache_new()};
	show_finding(&p, finding);
	norn_source_cache_free(p.cache);
}

void norn_report_summary(const struct norn_findings *findings, bool colour, FILE *to)
{
	const struct norn_finding_stats *s = &findings->stats;
	fprintf(to,
	        "%sSUMMARY:%s %u finding%s; %" PRIu64 " events of %u thread%s, %" PRIu64 " relevant, %" PRIu64 " lost%s; %.3f s\n",
	        colour ? "\033[1m" : "", colour ? "\033[0m" : "", findings->count, findings->count == 1 ? "" : "s", s->events,
	        s->threads, s->threads == 1 ? "" : "s", s->relevant, s->lost, s->complete ? "" : "; not all could be judged",
	        s->seconds);
}

void norn_report_text(const struct norn_findings *findings, bool colour, FILE *to)
{
	struct painter p = {to, colour, norn_source_cache_new()};
	for (uint32_t i = 0; i < findings->count; i++)
		show_finding(&p, &findings->list[i]);
	norn_source_cache_free(p.cache);
	norn_report_summary(findings, colour, to);
}
