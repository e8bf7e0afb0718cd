#include "report/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/json_string.h"
#include "report/witness_columns.h"

#define STEP 10u /* of the time axis, in microseconds: wide enough to be read */

/* Tracks are numbered by the step that begins them. */
static uint32_t track_of(const struct norn_finding *f, uint32_t i)
{
	uint32_t first = 0;
	while (!f->witness[first].number || strcmp(f->witness[first].thread, f->witness[i].thread) != 0)
		first++;
	return first;
}

static void put_name(FILE *to, const char *what, unsigned group, uint32_t track, const char *name)
{
	fprintf(to, ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{", what, group, track + 1);
	norn_put_field(to, "name", name);
	fputs("}}", to);
}

static void put_step(FILE *to, const struct norn_finding *f, unsigned group, uint32_t i)
{
	const struct norn_step_text *s = &f->witness[i];
	char text[300];
	uint32_t stops = f->stop_count ? f->stop_count : 1, track = track_of(f, i);
	if (track == i) {
		snprintf(text, sizeof text, "%s%s%s", s->thread, *s->thread_name ? " " : "", s->thread_name);
		put_name(to, "thread_name", group, track, text);
	}
	norn_step_describe(s, text, sizeof text);
	fprintf(to, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%u,\"dur\":%u,\"cat\":\"%s\",", group, track + 1,
	        norn_step_number(f, i) * STEP, STEP, i + stops >= f->witness_count ? "error" : "step");
	norn_put_field(to, "name", text);
	fputs(",\"args\":{", to);
	norn_put_field(to, "function", s->function);
	fputc(',', to);
	norn_put_field(to, "file", s->file);
	fprintf(to, ",\"line\":%u,\"step\":%u,\"observed\":%" PRIu64 "}}", s->line, norn_step_number(f, i), s->number);
}

void norn_report_perfetto(const struct norn_findings *findings, FILE *to)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"norn\"},\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"steps of runs, not time\"}}",
	        to);
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		char *title = norn_must_format("%s %s %s (%s)", f->id, norn_finding_kind_name(f->kind),
		        *f->property ? f->property : f->variable, f->status);
		put_name(to, "process_name", i + 1, 0, title);
		free(title);
		for (uint32_t k = 0; k < f->witness_count; k++)
			if (f->witness[k].number)
				put_step(to, f, i + 1, k);
	}
	fputs("\n]}\n", to);
}
