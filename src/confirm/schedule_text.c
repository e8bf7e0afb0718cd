/* The schedule file: schedules as text. docs/confirm.md describes it. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"
#include "confirm/schedule_file.h"

#define FILE_BYTES_MAX (256u << 20)
#define FIRST_LINE "norn-schedule 1"

static const char *const end_names[NORN_REPLAY_END_ENDS] = {
        [NORN_REPLAY_END_PASS] = "pass",
        [NORN_REPLAY_END_RACE] = "race",
        [NORN_REPLAY_END_DEADLOCK] = "deadlock",
        [NORN_REPLAY_END_USE] = "use",
        [NORN_REPLAY_END_TORN] = "torn",
        [NORN_REPLAY_END_FAIL] = "fail",
};

/* ---- writing ---- */

static void put_text(const char *text, FILE *to)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(to, "\\x%02x", (unsigned)(unsigned char)*text);
		else
			fputc(*text, to);
	fputc('"', to);
}

static void put_line(const char *key, const char *text, FILE *to)
{
	fprintf(to, "%s ", key);
	put_text(text, to);
	fputc('\n', to);
}

/* The error by names, to judge another build by. */
static void put_error(const struct norn_schedule_file *s, FILE *to)
{
	put_line("fingerprint", s->fingerprint, to);
	fputs("error ", to);
	put_text(s->kind, to);
	fputc(' ', to);
	put_text(s->variable, to);
	fprintf(to, " threads %u%s\n", s->error_threads, s->infer ? " inferred" : "");
	for (uint32_t i = 0; i < s->places.count; i++) {
		fputs("place ", to);
		put_text(s->places.items[i].event, to);
		fputc(' ', to);
		put_text(s->places.items[i].what, to);
		fputs(" in ", to);
		put_text(s->places.items[i].function, to);
		fputc('\n', to);
	}
	for (uint32_t i = 0; i < s->sources.count; i++)
		put_line("source", s->sources.items[i], to);
}

static void put_places(const struct norn_schedule_file *s, FILE *to)
{
	for (uint32_t i = 0; i < s->units.count; i++) {
		fprintf(to, "unit %u ", i + 1);
		put_text(s->units.items[i].source, to);
		fprintf(to, " sites %u hash %016" PRIx64, s->units.items[i].sites, s->units.items[i].hash);
		if (*s->units.items[i].library) {
			fputs(" in ", to);
			put_text(s->units.items[i].library, to);
		}
		fputc('\n', to);
	}
	for (uint32_t i = 0; i < s->sites.count; i++) {
		const struct norn_schedule_file_site *site = &s->sites.items[i];
		fprintf(to, "site %u unit %u index %u at ", i + 1, site->unit + 1, site->index);
		put_text(site->file, to);
		fprintf(to, " %u %u in ", site->line, site->column);
		put_text(site->function, to);
		fputc('\n', to);
	}
}

/* Calls are numbered from 1, a thread's own node is 0. */
static uint32_t call_number(const struct norn_schedule_file *s, uint32_t node)
{
	return node < s->threads.count ? 0 : node - s->threads.count + 1;
}

static void put_threads(const struct norn_schedule_file *s, FILE *to)
{
	for (uint32_t i = 0; i < s->threads.count; i++) {
		fprintf(to, "thread %u ", i + 1);
		put_text(s->threads.items[i].path, to);
		fputc('\n', to);
	}
	for (uint32_t i = s->threads.count; i < s->nodes.count; i++) {
		const struct norn_schedule_file_node *n = &s->nodes.items[i];
		fprintf(to, "call %u thread %u in %u from %u to %u time %u", call_number(s, i), n->thread + 1,
		        call_number(s, n->parent), n->call, n->entry, n->time);
		if (n->entry)
			fprintf(to, " # %s", s->sites.items[n->entry - 1].function);
		fputc('\n', to);
	}
}

static void put_step(const struct norn_schedule_file *s, uint32_t i, FILE *to)
{
	const struct norn_schedule_file_step *a = &s->steps.items[i];
	char words[512];
	fprintf(to, "%s %u thread %u in %u at %u %s time %u ", a->hold ? "hold" : "step", i + 1, a->thread + 1,
	        call_number(s, a->node), a->site, norn_operation_name(a->operation), a->time);
	put_text(a->what, to);
	for (uint32_t k = 0; k < a->after_count; k++)
		fprintf(to, "%s %u", k ? "" : " after", s->afters.items[a->after + k] + 1);
	norn_schedule_file_describe(s, i, words, sizeof words);
	fprintf(to, " # %s\n", words);
}

void norn_schedule_file_write(const struct norn_schedule_file *s, FILE *to)
{
	fputs(FIRST_LINE "\n# Brings a predicted error about: norn replay THIS-FILE -- PROGRAM ARGUMENTS. docs/confirm.md says "
	                 "what the lines mean.\n",
	        to);
	fputs("finding ", to);
	put_text(s->id, to);
	fputc(' ', to);
	put_text(s->title, to);
	fputc('\n', to);
	put_line("command", s->command, to);
	put_line("property", s->property, to);
	if (*s->fingerprint)
		put_error(s, to);
	fprintf(to, "recorded %u clock %u processor %u\n", s->pace.records, s->pace.clock, s->pace.processor);
	put_places(s, to);
	put_threads(s, to);
	for (uint32_t i = 0; i < s->steps.count; i++)
		put_step(s, i, to);
	if (s->first != NORN_REPLAY_AREA_NONE)
		fprintf(to, "first %u\n", s->first + 1);
	if (s->second != NORN_REPLAY_AREA_NONE)
		fprintf(to, "second %u\n", s->second + 1);
	for (uint32_t i = 0; i < s->cycle_count; i++)
		fprintf(to, "cycle %u\n", s->cycle[i] + 1);
	fprintf(to, "end %s", end_names[s->end]);
	for (uint32_t i = 0; i < s->stop_count; i++)
		fprintf(to, " %u", s->stops[i] + 1);
	fputc('\n', to);
}

/* ---- reading ---- */

struct reading {
	struct norn_schedule_file *s;
	struct norn_error *err;
	const char *path;
	char *at; /* in the line */
	unsigned line;
	bool ended;
};

static int wrong(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct reading *r, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(r->err->message, sizeof r->err->message, format, arguments);
	va_end(arguments);
	snprintf(r->err->file, sizeof r->err->file, "%s", r->path);
	r->err->line = r->line;
	r->err->column = 0;
	return -EBADMSG;
}

static void skip(struct reading *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

/* The next word, up to a space; "" at the end of the line. */
static const char *word(struct reading *r)
{
	skip(r);
	char *from = r->at;
	if (*from == '#')
		return "";
	while (*r->at && !isspace((unsigned char)*r->at))
		r->at++;
	if (*r->at)
		*r->at++ = 0;
	return from;
}

static int expect(struct reading *r, const char *what)
{
	const char *got = word(r);
	return strcmp(got, what) == 0 ? 0 : wrong(r, "'%s' is expected here, not '%s'", what, got);
}

static int number(struct reading *r, uint32_t least, uint32_t most, const char *what, uint32_t *ret)
{
	const char *text = word(r);
	char *end;
	errno = 0;
	unsigned long value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return wrong(r, "%s is expected here, not '%s'", what, text);
	if (value < least || value > most)
		return wrong(r, "there is no %s %lu", what, value);
	*ret = (uint32_t)value;
	return 0;
}

static int hexadecimal(struct reading *r, uint64_t *ret)
{
	const char *text = word(r);
	char *end;
	*ret = strtoull(text, &end, 16);
	return *text && !*end ? 0 : wrong(r, "a hash is expected here, not '%s'", text);
}

/* A text in quotes, in place. */
static int text(struct reading *r, const char **ret)
{
	skip(r);
	if (*r->at != '"')
		return wrong(r, "a text in quotes is expected here");
	char *to = ++r->at;
	*ret = to;
	for (; *r->at && *r->at != '"'; r->at++) {
		unsigned code;
		if (*r->at != '\\') {
			*to++ = *r->at;
		} else if (r->at[1] == 'x' && sscanf(r->at + 2, "%2x", &code) == 1 && isxdigit((unsigned char)r->at[2]) &&
		           isxdigit((unsigned char)r->at[3])) {
			*to++ = (char)code;
			r->at += 3;
		} else if (r->at[1]) {
			*to++ = *++r->at;
		}
	}
	if (*r->at != '"')
		return wrong(r, "a text does not end in this line");
	r->at++;
	*to = 0;
	return 0;
}

static int nothing_left(struct reading *r)
{
	const char *rest = word(r);
	return *rest ? wrong(r, "there is more in this line than belongs there: '%s'", rest) : 0;
}

/* The number that a line must have: they count up from 1. */
static int own_number(struct reading *r, uint32_t count, const char *what)
{
	uint32_t n;
	int e = number(r, 0, UINT32_MAX, "a number", &n);
	if (e == 0 && n != count + 1)
		e = wrong(r, "this should be %s %u: lines are missing or in disorder", what, count + 1);
	return e;
}

#define TRY(call)                                                                                                                  \
	do {                                                                                                                       \
		int error_ = (call);                                                                                               \
		if (error_ != 0)                                                                                                   \
			return error_;                                                                                             \
	} while (0)

static int read_unit(struct reading *r)
{
	struct norn_schedule_file_unit unit = {0};
	TRY(own_number(r, r->s->units.count, "unit"));
	TRY(text(r, &unit.source));
	TRY(expect(r, "sites"));
	TRY(number(r, 0, NORN_REPLAY_AREA_NONE - 1, "a number of sites", &unit.sites));
	TRY(expect(r, "hash"));
	TRY(hexadecimal(r, &unit.hash));
	skip(r);
	if (*r->at && *r->at != '#') {
		TRY(expect(r, "in"));
		TRY(text(r, &unit.library));
	}
	norn_schedule_file_add_unit(r->s, &unit);
	return 0;
}

static int read_site(struct reading *r)
{
	struct norn_schedule_file_site site = {0};
	TRY(own_number(r, r->s->sites.count, "site"));
	TRY(expect(r, "unit"));
	TRY(number(r, 1, r->s->units.count, "unit", &site.unit));
	site.unit--;
	TRY(expect(r, "index"));
	TRY(number(r, 0, NORN_REPLAY_AREA_NONE - 1, "index", &site.index));
	if (site.index >= r->s->units.items[site.unit].sites)
		return wrong(r, "%s has no site %u: it has %u", r->s->units.items[site.unit].source, site.index,
		        r->s->units.items[site.unit].sites);
	TRY(expect(r, "at"));
	TRY(text(r, &site.file));
	TRY(number(r, 0, NORN_REPLAY_AREA_NONE - 1, "line", &site.line));
	TRY(number(r, 0, NORN_REPLAY_AREA_NONE - 1, "column", &site.column));
	TRY(expect(r, "in"));
	TRY(text(r, &site.function));
	norn_schedule_file_add_site(r->s, &site);
	return 0;
}

static int read_thread(struct reading *r)
{
	const char *path;
	uint32_t n;
	TRY(own_number(r, r->s->threads.count, "thread"));
	TRY(text(r, &path));
	if (norn_schedule_file_add_thread(r->s, path, &n) != 0)
		return wrong(r, "%s is no path of creation that continues one above: main comes first, then main/1 …", path);
	return 0;
}

/* "thread N in M": a thread, and a node of it. */
static int read_place(struct reading *r, uint32_t *ret_thread, uint32_t *ret_node)
{
	uint32_t call;
	TRY(expect(r, "thread"));
	TRY(number(r, 1, r->s->threads.count, "thread", ret_thread));
	--*ret_thread;
	TRY(expect(r, "in"));
	TRY(number(r, 0, r->s->nodes.count - r->s->threads.count, "call", &call));
	*ret_node = call ? r->s->threads.count + call - 1 : *ret_thread;
	return r->s->nodes.items[*ret_node].thread == *ret_thread ? 0 : wrong(r, "call %u is of another thread", call);
}

static int read_call(struct reading *r)
{
	struct norn_schedule_file_node node = {0};
	TRY(own_number(r, r->s->nodes.count - r->s->threads.count, "call"));
	TRY(read_place(r, &node.thread, &node.parent));
	TRY(expect(r, "from"));
	TRY(number(r, 0, r->s->sites.count, "site", &node.call));
	TRY(expect(r, "to"));
	TRY(number(r, 0, r->s->sites.count, "site", &node.entry));
	TRY(expect(r, "time"));
	TRY(number(r, 1, NORN_REPLAY_AREA_NONE - 1, "time", &node.time));
	norn_schedule_file_add_call(r->s, &node);
	return 0;
}

static int read_operation(struct reading *r, uint32_t *ret_operation)
{
	const char *name = word(r);
	for (uint32_t d = NORN_OPERATION_READ; d < NORN_OPERATION_ENTER; d++)
		if (strcmp(norn_operation_name(d), name) == 0) {
			*ret_operation = d;
			return 0;
		}
	return wrong(r, "nothing that a thread does is called '%s' here", name);
}

static int read_step(struct reading *r, bool hold)
{
	struct norn_schedule_file_step step = {.hold = hold};
	uint32_t n;
	TRY(own_number(r, r->s->steps.count, "step"));
	TRY(read_place(r, &step.thread, &step.node));
	TRY(expect(r, "at"));
	TRY(number(r, 0, r->s->sites.count, "site", &step.site));
	TRY(read_operation(r, &step.operation));
	TRY(expect(r, "time"));
	TRY(number(r, 1, NORN_REPLAY_AREA_NONE - 1, "time", &step.time));
	TRY(text(r, &step.what));
	const char *more = word(r);
	if (*more && strcmp(more, "after") != 0)
		return wrong(r, "'after' is expected here, not '%s'", more);
	for (skip(r); *more && *r->at && *r->at != '#'; skip(r)) {
		TRY(number(r, 1, r->s->steps.count, "earlier step", &n));
		norn_schedule_file_add_after(r->s, n - 1);
	}
	norn_schedule_file_add_step(r->s, &step);
	return 0;
}

static int read_end(struct reading *r)
{
	struct norn_schedule_file *s = r->s;
	const char *name = word(r);
	for (unsigned e = NORN_REPLAY_END_PASS; e < NORN_REPLAY_END_ENDS; e++)
		if (strcmp(end_names[e], name) == 0)
			s->end = e;
	if (!s->end)
		return wrong(r, "no error is called '%s' here", name);
	for (skip(r); *r->at && *r->at != '#'; skip(r)) {
		uint32_t n;
		if (s->stop_count == NORN_REPLAY_AREA_STOPS)
			return wrong(r, "there are more than %u steps at the end", NORN_REPLAY_AREA_STOPS);
		TRY(number(r, 1, s->steps.count, "step", &n));
		s->stops[s->stop_count++] = n - 1;
	}
	uint32_t least = s->end == NORN_REPLAY_END_PASS || s->end == NORN_REPLAY_END_FAIL       ? 0
	                 : s->end == NORN_REPLAY_END_RACE || s->end == NORN_REPLAY_END_DEADLOCK ? 2
	                                                                                        : 1;
	if (s->stop_count < least)
		return wrong(r, "the error itself needs %u steps", least);
	r->ended = true;
	return 0;
}

static int read_heading(struct reading *r, const char *key)
{
	const char *value;
	TRY(text(r, &value));
	const char *kept = norn_must_arena_text(&r->s->arena, value, strlen(value));
	if (strcmp(key, "finding") == 0) {
		r->s->id = kept;
		TRY(text(r, &value));
		r->s->title = norn_must_arena_text(&r->s->arena, value, strlen(value));
		return 0;
	}
	*(strcmp(key, "command") == 0          ? &r->s->command
	        : strcmp(key, "property") == 0 ? &r->s->property
	                                       : &r->s->fingerprint) = kept;
	return 0;
}

static int read_error(struct reading *r)
{
	const char *value;
	TRY(text(r, &value));
	r->s->kind = norn_must_arena_text(&r->s->arena, value, strlen(value));
	TRY(text(r, &value));
	r->s->variable = norn_must_arena_text(&r->s->arena, value, strlen(value));
	TRY(expect(r, "threads"));
	TRY(number(r, 1, UINT32_MAX, "a number of threads", &r->s->error_threads));
	const char *last = word(r);
	r->s->infer = *last;
	return !*last || strcmp(last, "inferred") == 0 ? 0 : wrong(r, "'inferred' is expected here, not '%s'", last);
}

static int read_error_place(struct reading *r)
{
	struct norn_schedule_file_place place;
	const char *value;
	TRY(text(r, &value));
	place.event = norn_must_arena_text(&r->s->arena, value, strlen(value));
	TRY(text(r, &value));
	place.what = norn_must_arena_text(&r->s->arena, value, strlen(value));
	TRY(expect(r, "in"));
	TRY(text(r, &place.function));
	norn_schedule_file_add_place(r->s, &place);
	return 0;
}

static int read_source(struct reading *r)
{
	const char *value;
	TRY(text(r, &value));
	norn_schedule_file_add_source(r->s, value);
	return 0;
}

static int read_pace(struct reading *r)
{
	struct norn_schedule_file_pace *pace = &r->s->pace;
	TRY(number(r, 0, UINT32_MAX, "a number of events", &pace->records));
	TRY(expect(r, "clock"));
	TRY(number(r, 0, UINT32_MAX, "milliseconds", &pace->clock));
	TRY(expect(r, "processor"));
	return number(r, 0, UINT32_MAX, "milliseconds", &pace->processor);
}

static int read_mark(struct reading *r, uint32_t *mark)
{
	TRY(number(r, 1, r->s->steps.count, "step", mark));
	--*mark;
	return 0;
}

static int read_cycle(struct reading *r)
{
	uint32_t step;
	if (r->s->cycle_count == NORN_SCHEDULE_FILE_CYCLE)
		return wrong(r, "a cycle has at most %u steps", NORN_SCHEDULE_FILE_CYCLE);
	TRY(read_mark(r, &step));
	r->s->cycle[r->s->cycle_count++] = step;
	return 0;
}

static int read_line(struct reading *r)
{
	const char *key = word(r);
	if (!*key)
		return 0;
	if (r->ended)
		return wrong(r, "the line that begins with 'end' must be the last");
	int e;
	if (strcmp(key, "unit") == 0)
		e = read_unit(r);
	else if (strcmp(key, "site") == 0)
		e = read_site(r);
	else if (strcmp(key, "thread") == 0)
		e = read_thread(r);
	else if (strcmp(key, "call") == 0)
		e = read_call(r);
	else if (strcmp(key, "step") == 0 || strcmp(key, "act") == 0 || strcmp(key, "hold") == 0)
		e = read_step(r, *key == 'h');
	else if (strcmp(key, "first") == 0)
		e = read_mark(r, &r->s->first);
	else if (strcmp(key, "second") == 0)
		e = read_mark(r, &r->s->second);
	else if (strcmp(key, "cycle") == 0)
		e = read_cycle(r);
	else if (strcmp(key, "end") == 0)
		e = read_end(r);
	else if (strcmp(key, "error") == 0)
		e = read_error(r);
	else if (strcmp(key, "place") == 0)
		e = read_error_place(r);
	else if (strcmp(key, "source") == 0)
		e = read_source(r);
	else if (strcmp(key, "recorded") == 0)
		e = read_pace(r);
	else if (strcmp(key, "finding") == 0 || strcmp(key, "command") == 0 || strcmp(key, "property") == 0 ||
	         strcmp(key, "fingerprint") == 0)
		e = read_heading(r, key);
	else
		return wrong(r, "no line begins with '%s'", key);
	return e ? e : nothing_left(r);
}

static int read_all(struct reading *r, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int e = 0;
	while (e == 0 && (length = getline(&line, &room, from)) >= 0) {
		r->line++;
		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			line[--length] = 0;
		r->at = line;
		if (r->line == 1)
			e = strcmp(line, FIRST_LINE) == 0
			            ? 0
			            : wrong(r, "this is no schedule of this version: it begins with '" FIRST_LINE "'");
		else
			e = read_line(r);
	}
	free(line);
	if (e == 0 && ferror(from))
		return norn_error_set(r->err, -EIO, "cannot read %s: %s", r->path, strerror(errno));
	if (e == 0 && r->line == 0)
		return norn_error_set(r->err, -EBADMSG, "%s is empty", r->path);
	return e == 0 && !r->ended ? wrong(r, "the file is cut short: the line that begins with 'end' is missing") : e;
}

int norn_schedule_file_read(const char *path, struct norn_schedule_file *s, struct norn_error *err)
{
	norn_schedule_file_init(s);
	struct reading r = {.s = s, .err = err, .path = path};
	char *text;
	size_t bytes;
	int e = norn_read_input(path, "schedule", FILE_BYTES_MAX, &text, &bytes, err);
	if (e != 0)
		return e;
	FILE *from = norn_must(fmemopen(text, bytes, "r"));
	e = read_all(&r, from);
	fclose(from);
	free(text);
	return e;
}
