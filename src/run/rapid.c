#include "run/rapid.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/writer.h"

#define INFO_SOURCE "rapid" /* INFO source=…: names and locations in the sites are those of the text */

/* ---- names and sites ---- */

/* Texts, each with its NUL; "" is the first. */
struct strings NORN_VECTOR_OF(char);

static uint32_t add_string(struct strings *s, const char *text)
{
	size_t bytes = strlen(text) + 1;
	if (bytes == 1)
		return 0;
	norn_must_reserve(s, s->count + bytes);
	memcpy(s->items + s->count, text, bytes);
	s->count += (uint32_t)bytes;
	return s->count - (uint32_t)bytes;
}

/* The place of each name among the strings, 0: not there yet. */
struct rapid_places {
	uint32_t *names[3], *locations; /* of variables, locks, threads */
};

static void places_done(struct rapid_places *p)
{
	for (unsigned i = 0; i < 3; i++)
		free(p->names[i]);
	free(p->locations);
}

static void places_init(struct rapid_places *p, const struct norn_rapid_text *text)
{
	uint32_t most = 0, locations = 0;
	for (uint32_t i = 0; i < norn_rapid_text_sites(text); i++) {
		struct norn_rapid_site site;
		norn_rapid_text_site(text, NORN_SITE_FIRST + i, &site);
		most = site.name_number > most ? site.name_number : most;
		locations = site.location_number > locations ? site.location_number : locations;
	}
	p->locations = norn_must_calloc(locations + 1ul, sizeof *p->locations);
	for (unsigned i = 0; i < 3; i++)
		p->names[i] = norn_must_calloc(most + 1ul, sizeof *p->names[i]);
}

static uint32_t add_once(struct strings *s, uint32_t *place, const char *text)
{
	if (!*place)
		*place = add_string(s, text);
	return *place;
}

/* A location that is no line goes where a function's name would. */
static void fill_site(const struct norn_rapid_site *from, uint32_t file, const uint32_t *ops, struct rapid_places *p,
        struct strings *s, struct norn_site *site)
{
	static const uint8_t kinds[NORN_RAPID_OPS] = {[NORN_RAPID_READ] = NORN_SITE_READ, [NORN_RAPID_WRITE] = NORN_SITE_WRITE};
	unsigned of = from->op <= NORN_RAPID_WRITE ? 0 : from->op <= NORN_RAPID_RELEASE ? 1 : 2;
	*site = (struct norn_site){
	        .kind = kinds[from->op] ? kinds[from->op] : NORN_SITE_CALL,
	        .size = from->op <= NORN_RAPID_WRITE ? 8 : 0,
	        .file = file,
	        .name = add_once(s, &p->names[of][from->name_number], from->name),
	        .type = ops[from->op],
	};
	if (norn_rapid_text_is_line(from->location))
		site->line = (uint32_t)strtoul(from->location, NULL, 10);
	else
		site->function = add_once(s, &p->locations[from->location_number], from->location);
}

/* The table of sites, with wanted: of those only. The caller frees it. */
static struct norn_site_table *make_table(const struct norn_rapid_text *text, const uint64_t *wanted, size_t *ret_bytes)
{
	struct strings s = {0};
	struct rapid_places places;
	uint32_t count = norn_rapid_text_sites(text), ops[NORN_RAPID_OPS];
	struct norn_site *sites = norn_must_calloc(count, sizeof *sites);
	places_init(&places, text);
	norn_must_push(&s, 0);
	uint32_t file = add_string(&s, norn_rapid_text_name(text));
	for (unsigned i = 0; i < NORN_RAPID_OPS; i++)
		ops[i] = add_string(&s, norn_rapid_op_names[i]);
	for (uint32_t i = 0; i < count; i++) {
		struct norn_rapid_site from;
		if (wanted && !(wanted[i / 64] >> i % 64 & 1))
			continue;
		norn_rapid_text_site(text, NORN_SITE_FIRST + i, &from);
		fill_site(&from, file, ops, &places, &s, &sites[i]);
	}
	size_t site_bytes = count * sizeof *sites;
	struct norn_site_table *table = norn_must_alloc(sizeof *table + site_bytes + s.count, 1);
	*table = (struct norn_site_table){.magic = NORN_SITE_MAGIC,
	        .version = NORN_SITE_VERSION,
	        .level = NORN_INSTRUMENT_LEVEL_SHARED,
	        .sites = count,
	        .strings = s.count,
	        .source = file};
	memcpy(table + 1, sites, site_bytes);
	memcpy((char *)(table + 1) + site_bytes, s.items, s.count);
	*ret_bytes = sizeof *table + site_bytes + s.count;
	free(sites);
	norn_vector_done(&s);
	places_done(&places);
	return table;
}

static int write_sites(
        const struct norn_rapid_text *text, const uint64_t *wanted, struct norn_writer *writer, struct norn_error *err)
{
	size_t bytes;
	struct norn_site_table *table = make_table(text, wanted, &bytes);
	int r = norn_writer_module(writer, NORN_SITE_FIRST, norn_rapid_text_name(text), table, bytes);
	free(table);
	return r == 0 ? 0 : norn_error_set(err, r, "the trace cannot be written: %s", strerror(-r));
}

/* All that a trace has beside its records. */
static int finish(const struct norn_rapid_text *text, const uint64_t *wanted, struct norn_writer *writer, struct norn_error *err)
{
	for (uint32_t i = 0; i < norn_rapid_text_threads(text); i++) {
		struct norn_rapid_thread thread;
		char token[300];
		norn_rapid_text_thread(text, i, &thread);
		snprintf(token, sizeof token, "%s%s", isdigit((unsigned char)thread.name[0]) ? "T" : "", thread.name);
		norn_writer_name(writer, 0, i, token);
	}
	norn_writer_name(writer, NORN_RAPID_TRANSACTION, NORN_NO_THREAD, "transaction");
	int r = write_sites(text, wanted, writer, err);
	if (r != 0)
		return r;
	norn_writer_info(writer, "source=" INFO_SOURCE);
	const struct norn_file_header header = {.tsc_hz = 1000000000u};
	return norn_writer_finish(writer, &header, err);
}

/* ---- records ---- */

static int emit(struct norn_writer *writer, const struct norn_event *e)
{
	uint64_t time = e->time << 8 | NORN_TAG_TIME, record[3];
	unsigned units = 3;
	norn_writer_record(writer, e->thread, &time, 1);
	record[1] = (uint64_t)e->version << 32 | e->site;
	record[2] = e->argument;
	switch (e->kind) {
	case NORN_EVENT_READ:
		record[0] = e->addr << 16 | 3u << 4 | NORN_TAG_READ;
		units = 2;
		break;
	case NORN_EVENT_WRITE:
		record[0] = e->addr << 16 | 3u << 4 | NORN_TAG_WRITE;
		record[2] = e->value;
		break;
	case NORN_EVENT_SYNC:
		record[0] = e->addr << 16 | (unsigned)e->op << 4 | NORN_TAG_SYNC;
		break;
	case NORN_EVENT_MARK:
		record[0] = (unsigned)e->op << 4 | NORN_TAG_MARK;
		record[1] = e->argument << 32 | e->site;
		record[2] = e->value;
		break;
	default:
		record[0] = (unsigned)e->op << 4 | NORN_TAG_THREAD;
		record[1] = e->value << 32 | e->site;
	}
	return norn_writer_record(writer, e->thread, record, units);
}

/* Before its first record; a thread that is forked, begins or is joined has a number, records or not. */
static void declare(const struct norn_rapid_text *text, struct norn_writer *writer, uint32_t thread)
{
	struct norn_rapid_thread t;
	norn_rapid_text_thread(text, thread, &t);
	norn_writer_thread(writer, thread, t.ordinal || thread ? t.parent : 0, t.ordinal);
}

static int write_events(struct norn_rapid_text *text, struct norn_writer *writer, struct norn_error *err)
{
	struct norn_event e;
	int r;
	while ((r = norn_rapid_text_next(text, &e, err)) == 1) {
		if (e.kind == NORN_EVENT_THREAD && e.op != NORN_THREAD_END)
			declare(text, writer, (uint32_t)e.value);
		r = emit(writer, &e);
		if (r != 0)
			return norn_error_set(err, r, "the trace cannot be written: %s", strerror(-r));
	}
	return r;
}

int norn_rapid_import(FILE *from, const char *name, const char *to, struct norn_rapid_import *ret_import, struct norn_error *err)
{
	struct norn_rapid_text *text = NULL;
	struct norn_writer *writer = NULL;
	*ret_import = (struct norn_rapid_import){0};
	int r = norn_rapid_text_new(from, name, &text, err);
	if (r == 0)
		r = norn_writer_new(to, &writer, err);
	if (r == 0)
		r = write_events(text, writer, err);
	if (r == 0) {
		ret_import->events = norn_rapid_text_events(text);
		ret_import->reentrant = norn_rapid_text_reentrant(text);
		ret_import->forked_again = norn_rapid_text_forked_again(text);
		if (ret_import->events == 0)
			r = norn_error_set(err, -EINVAL, "%s has no events", name);
	}
	if (r == 0)
		r = finish(text, NULL, writer, err);
	norn_writer_free(writer);
	norn_rapid_text_free(text);
	return r;
}

int norn_rapid_tables(const struct norn_rapid_text *text, const uint64_t *wanted, const char *to, struct norn_error *err)
{
	struct norn_writer *writer = NULL;
	int r = norn_writer_new(to, &writer, err);
	for (uint32_t i = 0; r == 0 && i < norn_rapid_text_threads(text); i++) {
		struct norn_rapid_thread t;
		norn_rapid_text_thread(text, i, &t);
		declare(text, writer, i);
		emit(writer, &(struct norn_event){.kind = NORN_EVENT_THREAD,
		                     .op = NORN_THREAD_BEGIN,
		                     .thread = i,
		                     .value = i,
		                     .argument = t.ordinal ? t.parent : i});
	}
	if (r == 0)
		r = finish(text, wanted, writer, err);
	norn_writer_free(writer);
	return r;
}
