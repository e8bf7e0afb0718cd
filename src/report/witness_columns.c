#include "report/witness_columns.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS_MAX 4u /* threads that get a column of their own */
#define COLUMN_LEAST 24u
#define COLUMN_MOST 48u
#define MARGIN 8u /* before the first column: the mark and the number */

struct columns {
	const struct norn_step_text *threads[COLUMNS_MAX]; /* a step of each */
	unsigned widths[COLUMNS_MAX];
	uint32_t count; /* 0: no columns, threads are named */
	bool below; /* places stand below events */
};

void norn_step_describe(const struct norn_step_text *s, char *to, size_t room)
{
	char folded[NORN_FOLDED];
	const char *what = norn_folded(s->what, folded);
	if (*s->before)
		snprintf(to, room, "%s %s: %s -> %s", s->event, what, s->before, s->after);
	else if (*s->after)
		snprintf(to, room, "%s %s: %s", s->event, what, s->after);
	else
		snprintf(to, room, "%s %s", s->event, what);
}

static void title_of(const struct norn_step_text *s, char *to, size_t room)
{
	snprintf(to, room, "%s%s%s%s", s->thread, *s->thread_name ? " \"" : "", s->thread_name, *s->thread_name ? "\"" : "");
}

/* "landing.c:31 controller" */
static void place_of(const struct norn_step_text *s, char *to, size_t room)
{
	char folded[NORN_FOLDED];
	const char *function = norn_folded(s->function, folded);
	*to = 0;
	if (*s->file && s->line)
		snprintf(to, room, "%s:%u %s", basename(s->file), s->line, function);
	else if (*s->file)
		snprintf(to, room, "%s %s", basename(s->file), function);
}

static uint32_t column_of(const struct columns *c, const struct norn_step_text *s)
{
	uint32_t i = 0;
	while (i < c->count && i < COLUMNS_MAX && strcmp(c->threads[i]->thread, s->thread) != 0)
		i++;
	return i;
}

static void find_threads(const struct norn_step_text *steps, uint32_t count, struct columns *c)
{
	for (uint32_t i = 0; i < count && c->count <= COLUMNS_MAX; i++) {
		uint32_t at = steps[i].number ? column_of(c, &steps[i]) : 0;
		if (!steps[i].number || at < c->count)
			continue;
		if (at < COLUMNS_MAX)
			c->threads[at] = &steps[i];
		c->count++;
	}
	if (c->count > COLUMNS_MAX)
		c->count = 0;
	/* In the order of their paths: as they were created. */
	for (uint32_t i = 0; i < c->count; i++)
		for (uint32_t k = i + 1; k < c->count; k++)
			if (strcmp(c->threads[k]->thread, c->threads[i]->thread) < 0) {
				const struct norn_step_text *t = c->threads[i];
				c->threads[i] = c->threads[k];
				c->threads[k] = t;
			}
}

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* As wide as what is in them; if the lines do not fit, places go below, and if that is not enough, there are no columns. */
static void find_columns(const struct norn_text_printer *p, const struct norn_step_text *steps, uint32_t count, struct columns *c)
{
	char text[200];
	unsigned total = MARGIN, places = 0, below = MARGIN;
	*c = (struct columns){0};
	find_threads(steps, count, c);
	for (uint32_t i = 0; i < c->count; i++) {
		title_of(c->threads[i], text, sizeof text);
		c->widths[i] = norn_columns(text);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!steps[i].number || !c->count)
			continue;
		norn_step_describe(&steps[i], text, sizeof text);
		c->widths[column_of(c, &steps[i])] = larger(c->widths[column_of(c, &steps[i])], norn_columns(text));
		place_of(&steps[i], text, sizeof text);
		places = larger(places, norn_columns(text));
	}
	for (uint32_t i = 0; i < c->count; i++) {
		c->widths[i] = larger(c->widths[i] < COLUMN_MOST ? c->widths[i] : COLUMN_MOST, COLUMN_LEAST) + 2;
		total += c->widths[i];
		below += i + 1 < c->count ? c->widths[i] : larger(c->widths[i] - 2, places);
	}
	c->below = p->width && (c->count == 0 || total + places > p->width);
	if (c->below && below > p->width)
		c->count = 0;
}

static unsigned indent_of(const struct columns *c, uint32_t column)
{
	unsigned indent = 0;
	for (uint32_t i = 0; i < column && i < c->count; i++)
		indent += c->widths[i];
	return indent;
}

/* Fills up to a column, two blanks at least. */
static void pad(FILE *to, unsigned at, unsigned column)
{
	fprintf(to, "%*s", column > at + 2 ? (int)(column - at) : 2, "");
}

static void show_step(
        const struct norn_text_printer *p, const struct columns *c, const struct norn_step_text *s, unsigned number, bool last)
{
	char what[200], title[120], place[300];
	const char *paint = last ? norn_red(p) : "", *plain = *paint ? norn_plain(p) : "";
	uint32_t column = column_of(c, s);
	unsigned at = MARGIN + indent_of(c, column), end = MARGIN + indent_of(c, c->count);
	norn_step_describe(s, what, sizeof what);
	place_of(s, place, sizeof place);
	fprintf(p->to, "%s%s%4u%s  ", paint, last ? " !" : "  ", number, plain);
	if (!c->count) {
		title_of(s, title, sizeof title);
		fprintf(p->to, "%-24s ", title);
		at = larger(norn_columns(title), 24) + 1 + MARGIN;
		end = at + 34;
	} else {
		fprintf(p->to, "%*s", (int)(at - MARGIN), "");
	}
	fprintf(p->to, "%s%s%s", paint, what, plain);
	if (*place && c->below)
		fprintf(p->to, "\n%*s%s", (int)(c->count ? at : MARGIN + 2), "", place);
	else if (*place) {
		pad(p->to, at + norn_columns(what), end);
		fputs(place, p->to);
	}
	fputc('\n', p->to);
}

static void show_head(const struct norn_text_printer *p, const struct columns *c)
{
	char title[120];
	if (c->count == 0)
		return;
	fprintf(p->to, "%*s", (int)MARGIN, "");
	for (uint32_t i = 0; i < c->count; i++) {
		title_of(c->threads[i], title, sizeof title);
		int rest = i + 1 < c->count ? (int)(c->widths[i] - norn_columns(title)) : 0;
		fprintf(p->to, "%s%s%s%*s", norn_bold(p), title, norn_plain(p), rest > 0 ? rest : 0, "");
	}
	fputc('\n', p->to);
}

unsigned norn_step_number(const struct norn_finding *f, uint32_t i)
{
	bool start = f->witness_count && f->witness[0].number == 0;
	/* Of a built-in error's schedule steps are left out anywhere: those that are shown are numbered as they come. */
	return (unsigned)(i + (f->sides ? 0 : f->witness_cut) + (start ? 0 : 1));
}

void norn_show_witness(const struct norn_text_printer *p, const struct norn_finding *f)
{
	uint32_t first = f->witness_count > NORN_STEPS_SHOWN ? f->witness_count - NORN_STEPS_SHOWN : 0;
	bool start = f->witness_count && f->witness[0].number == 0, repeats = f->kind == NORN_FINDING_LIVENESS;
	uint64_t before = first + (f->sides ? 0 : f->witness_cut);
	uint32_t stops = f->stop_count ? f->stop_count : 1;
	struct columns columns;
	if (repeats && f->loop < first) /* a long loop: its beginning matters as much as its end */
		first = f->loop;
	find_columns(p, f->witness + first, f->witness_count - first, &columns);
	show_head(p, &columns);
	if (before > (start ? 1u : 0u))
		fprintf(p->to, "%*s... %" PRIu64 " steps before these\n", (int)MARGIN, "", before - (start ? 1 : 0));
	for (uint32_t i = first; i < f->witness_count; i++) {
		if (repeats && i == f->loop)
			fprintf(p->to, "%*s%s-- from here on, again and again --%s\n", (int)MARGIN, "", norn_bold(p),
			        norn_plain(p));
		if (f->witness[i].number)
			show_step(p, &columns, &f->witness[i], norn_step_number(f, i), i + stops >= f->witness_count && !repeats);
		else
			fprintf(p->to, "     0  the start of the run\n");
	}
	if (repeats)
		fprintf(p->to, "%*s%s-- and so on for ever --%s\n", (int)MARGIN, "", norn_bold(p), norn_plain(p));
}
