/* norn stats: what a trace holds, in numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text/printable.h"
#include "base/must.h"
#include "base/map.h"
#include "cli/commands.h"
#include "jobs/open_run.h"
#include "jobs/say.h"
#include "jobs/show.h"
#include "report/json_string.h"
#include "trace/decode.h"
#include "trace/lock_kind.h"

#define TOP 10u

enum { OPT_JSON = 256, OPT_PARTIAL };

static const struct norn_option options[] = {
        {OPT_JSON, "json", NULL, "Print JSON.", NULL},
        {OPT_PARTIAL, "partial", NULL, "Read what there is of a trace that was cut short or never completed (FILE.part).", NULL},
        {0},
};

static int run(int argc, char **argv);

const struct norn_command norn_command_stats = {
        .name = "stats",
        .run = run,
        .operands = "[TRACE]",
        .summary = "Show what a trace holds, in numbers",
        .description =
                "Events by kind, thread, site, variable and lock; external writes; what was lost; which modules were instrumented. "
                "Without TRACE it reads norn.trace.",
        .options = options,
};

struct site_count {
	uint64_t events, external;
};

struct word_count {
	uint64_t reads, writes;
	uint32_t first, site; /* 1 + the first thread; a site that names the variable */
	bool shared; /* a second thread uses it, too */
};

struct lock_count {
	uint64_t acquires, shared, failed;
	uint32_t first, site, kind;
	bool contended; /* more than one thread uses it */
};

struct thread_count {
	uint64_t events, first_time, last_time;
	uint32_t start; /* site of the first function that it entered, 0: none */
};

struct stats {
	struct norn_trace *trace;
	uint64_t kinds[NORN_EVENT_KINDS], events, lost, last_time;
	struct norn_map sites, words, locks;
	uint64_t shared_words;
	struct thread_count *threads;
};

/* ---- counting ---- */

static void count_words(struct stats *s, const struct norn_event *e)
{
	uint64_t first = e->addr / 8, last = (e->addr + (e->size ? e->size : 1) - 1) / 8;
	for (uint64_t word = first; word <= last; word++) {
		struct word_count *w = norn_must_map_put(&s->words, word);
		if (!w->first) {
			w->first = e->thread + 1;
			w->site = e->site;
		} else if (!w->shared && w->first != e->thread + 1) {
			w->shared = true;
			s->shared_words++;
		}
		w->reads += e->kind == NORN_EVENT_READ;
		w->writes += e->kind != NORN_EVENT_READ;
	}
}

static void count_lock(struct stats *s, const struct norn_event *e)
{
	if (e->op > NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED)
		return;
	struct lock_count *l = norn_must_map_put(&s->locks, e->addr);
	if (!l->first) {
		l->first = e->thread + 1;
		l->site = e->site;
		l->kind = (uint32_t)e->argument;
	} else if (l->first != e->thread + 1) {
		l->contended = true;
	}
	l->acquires += e->op == NORN_SYNC_ACQUIRE;
	l->shared += e->op == NORN_SYNC_ACQUIRE_SHARED;
	l->failed += e->op == NORN_SYNC_TRY_FAILED;
}

static void count_event(struct stats *s, const struct norn_event *e)
{
	struct thread_count *t = &s->threads[e->thread];
	if (e->kind == NORN_EVENT_LOST) {
		s->lost += e->argument;
		return;
	}
	s->events++;
	s->kinds[e->kind]++;
	if (t->events++ == 0)
		t->first_time = e->time;
	t->last_time = e->time;
	if (e->time > s->last_time)
		s->last_time = e->time;
	if (e->kind == NORN_EVENT_ENTER && !t->start)
		t->start = e->site;
	struct site_count *site = norn_must_map_put(&s->sites, e->site);
	site->events++;
	site->external += e->kind == NORN_EVENT_EXTERNAL;
	if (e->kind >= NORN_EVENT_READ && e->kind <= NORN_EVENT_RMW)
		count_words(s, e);
	else if (e->kind == NORN_EVENT_SYNC)
		count_lock(s, e);
}

static int count_thread(struct stats *s, uint32_t thread, struct norn_error *err)
{
	struct norn_cursor *cursor;
	struct norn_decode *decode = norn_must_alloc(1, sizeof *decode);
	norn_cursor_new(s->trace, thread, &cursor);
	norn_decode_init(decode, thread, norn_trace_header(s->trace));
	const uint64_t *record;
	unsigned units;
	struct norn_event event;
	int r;
	while ((r = norn_cursor_next(cursor, &record, &units, err)) == 1) {
		r = norn_decode_record(decode, record, units, &event);
		if (r < 0)
			norn_error_set(err, r, "%s: a record is malformed", norn_trace_path(s->trace));
		else if (r == 1)
			count_event(s, &event);
		if (r < 0)
			break;
	}
	norn_cursor_free(cursor);
	free(decode);
	return r;
}

/* ---- choosing the most frequent ---- */

struct ranked {
	uint64_t key, weight;
};

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static uint64_t weigh_site(const void *value)
{
	return ((const struct site_count *)value)->events;
}

static uint64_t weigh_external(const void *value)
{
	return ((const struct site_count *)value)->external;
}

static uint64_t weigh_word(const void *value)
{
	const struct word_count *w = value;
	return w->reads + w->writes;
}

static uint64_t weigh_shared(const void *value)
{
	return ((const struct word_count *)value)->shared ? weigh_word(value) : 0;
}

static uint64_t weigh_lock(const void *value)
{
	const struct lock_count *l = value;
	return l->acquires + l->shared + l->failed;
}

/* The entries of the greatest weight, heaviest first; returns how many (weight 0 does not count). */
static unsigned top(const struct norn_map *map, uint64_t (*weigh)(const void *), struct ranked *ret_top)
{
	unsigned count = 0;
	size_t at = 0;
	uint64_t key;
	for (const void *value; (value = norn_map_next(map, &at, &key));) {
		struct ranked r = {key, weigh(value)};
		if (r.weight == 0 || (count == TOP && by_weight(&r, &ret_top[TOP - 1]) > 0))
			continue;
		unsigned i = count < TOP ? count++ : TOP - 1;
		for (; i > 0 && by_weight(&r, &ret_top[i - 1]) < 0; i--)
			ret_top[i] = ret_top[i - 1];
		ret_top[i] = r;
	}
	return count;
}

/* ---- text ---- */

static double bytes_per_event(const struct stats *s)
{
	return s->events ? (double)norn_trace_header(s->trace)->file_bytes / (double)s->events : 0;
}

/* The recorder writes at the end how fast its clock was. */
static bool has_times(const struct stats *s)
{
	const struct norn_file_header *h = norn_trace_header(s->trace);
	return h->state != NORN_STATE_RECORDING || h->tsc_hz != 0;
}

static double seconds(const struct stats *s)
{
	return (double)s->last_time / 1e9;
}

static void describe_exit(int32_t status, char *to, size_t room)
{
	if (status == -1)
		snprintf(to, room, "unknown");
	else if (WIFSIGNALED(status))
		snprintf(to, room, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(to, room, "exit status %d", WEXITSTATUS(status));
}

static void text_site(const struct stats *s, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, site, &info);
	if (!info.site) {
		printf("site %u, unknown", site);
		return;
	}
	printf("%s%s", info.name, *info.name ? "  " : "");
	if (*info.function)
		printf("%s ", info.function);
	norn_show_position(stdout, &info);
}

static void text_variables(const struct stats *s, const char *title, uint64_t (*weigh)(const void *))
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->words, weigh, ranked);
	if (!count)
		return;
	printf("\n%s\n", title);
	for (unsigned i = 0; i < count; i++) {
		const struct word_count *w = norn_map_get(&s->words, ranked[i].key);
		printf("  %12" PRIu64 " reads %12" PRIu64 " writes  0x%" PRIx64 "  ", w->reads, w->writes, ranked[i].key * 8);
		text_site(s, w->site);
		putchar('\n');
	}
}

static void text_sites(const struct stats *s, const char *title, uint64_t (*weigh)(const void *))
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->sites, weigh, ranked);
	if (!count)
		return;
	printf("\n%s\n", title);
	for (unsigned i = 0; i < count; i++) {
		printf("  %12" PRIu64 "  ", ranked[i].weight);
		text_site(s, (uint32_t)ranked[i].key);
		putchar('\n');
	}
}

static void text_locks(const struct stats *s)
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->locks, weigh_lock, ranked);
	if (!count)
		return;
	printf("\nlocks: %zu\n", s->locks.count);
	for (unsigned i = 0; i < count; i++) {
		const struct lock_count *l = norn_map_get(&s->locks, ranked[i].key);
		printf("  %12" PRIu64 " acquires", l->acquires + l->shared);
		if (l->shared)
			printf(", %" PRIu64 " of them shared", l->shared);
		if (l->failed)
			printf(", %" PRIu64 " tries failed", l->failed);
		struct norn_site_info site;
		norn_trace_site(s->trace, l->site, &site);
		const char *name = norn_show_lock_name(&(struct norn_event){.op = NORN_SYNC_ACQUIRE}, &site);
		printf("  %s %s%s0x%" PRIx64 "%s  %s  first at ", norn_lock_word(l->kind), name, *name ? " (" : "", ranked[i].key,
		        *name ? ")" : "", l->contended ? "several threads" : "one thread only");
		text_site(s, l->site);
		putchar('\n');
	}
}

static void text_threads(const struct stats *s)
{
	uint32_t count = norn_trace_threads(s->trace), shown = count < 64 ? count : 64;
	printf("\nthreads: %u\n", count);
	for (uint32_t i = 0; i < shown; i++) {
		const struct norn_thread_info *info = norn_trace_thread(s->trace, i);
		const struct thread_count *t = &s->threads[i];
		struct norn_site_info start;
		norn_trace_site(s->trace, t->start, &start);
		printf("  %12" PRIu64 " events  %10.6f s to %10.6f s  %s", t->events, (double)t->first_time / 1e9,
		        (double)t->last_time / 1e9, info->path);
		if (info->name)
			printf("  \"%s\"", info->name);
		if (*start.name)
			printf("  %s", start.name);
		putchar('\n');
	}
	if (shown < count)
		printf("  ... and %u more\n", count - shown);
}

/* The parts with hooks. */
static const char *level_of(const struct norn_site_table *table)
{
	return table->only ? "named" : NORN_SITE_LEVEL(table) == NORN_INSTRUMENT_LEVEL_SYNC ? "sync" : "shared";
}

/* A line of the trace's, which may have any. */
static void put_shown(const char *text)
{
	char *shown = norn_printable(text, false);
	puts(shown);
	free(shown);
}

static void text_modules(const struct stats *s)
{
	uint32_t base;
	const char *path;
	const struct norn_site_table *table;
	printf("\ninstrumented modules:\n");
	for (unsigned i = 0; norn_trace_module(s->trace, i, &base, &path, &table); i++) {
		printf("  %8u sites  %-6s  ", table->sites, level_of(table));
		put_shown(path);
	}
	const char *others = norn_trace_info(s->trace, "uninstrumented");
	if (others && *others) {
		printf("not instrumented: ");
		put_shown(others);
	}
}

static void text(const struct stats *s)
{
	const struct norn_file_header *h = norn_trace_header(s->trace);
	const char *command = norn_trace_info(s->trace, "command");
	char ended[64];
	describe_exit(h->exit_status, ended, sizeof ended);
	char *path = norn_printable(norn_trace_path(s->trace), false);
	printf("trace    %s, %" PRIu64 " bytes%s\n", path, h->file_bytes,
	        h->state == NORN_STATE_COMPLETE ? ""
	        : h->state == NORN_STATE_CUT    ? ", cut short"
	                                        : ", never completed");
	free(path);
	char *shown = norn_printable(command ? command : "unknown", false);
	printf("program  %s\nended    %s\n", shown, ended);
	free(shown);
	if (!has_times(s))
		printf("events   %" PRIu64 " (times are not known), %.2f bytes each on disk\n", s->events, bytes_per_event(s));
	else
		printf("events   %" PRIu64 " in %.6f s (%.0f/s), %.2f bytes each on disk\n", s->events, seconds(s),
		        s->last_time ? (double)s->events / seconds(s) : 0.0, bytes_per_event(s));
	uint64_t lost = h->lost_events > s->lost ? h->lost_events : s->lost;
	if (h->state == NORN_STATE_RECORDING)
		printf("lost     not known, since recording was never completed; %" PRIu64 " events at least\n", lost);
	else
		printf("lost     %" PRIu64 " events, %u threads\n", lost, h->lost_threads);
	printf("\nevents by kind\n");
	for (unsigned i = 1; i < NORN_EVENT_KINDS; i++)
		if (s->kinds[i])
			printf("  %12" PRIu64 "  %s\n", s->kinds[i], norn_event_kind_name(i));
	text_threads(s);
	text_sites(s, "hottest sites", weigh_site);
	text_variables(s, "hottest words", weigh_word);
	printf("\nwords used: %zu, by several threads: %" PRIu64 "\n", s->words.count, s->shared_words);
	text_variables(s, "hottest words that several threads use", weigh_shared);
	text_locks(s);
	text_sites(s, "sites that noticed external writes", weigh_external);
	text_modules(s);
}

/* ---- JSON ---- */

static void json_field(const char *name, const char *value)
{
	printf("\"%s\":", name);
	norn_put_quoted(stdout, value);
}

static void json_site(const struct stats *s, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, site, &info);
	printf("{\"site\":%u,", site);
	json_field("name", info.name);
	putchar(',');
	json_field("function", info.function);
	putchar(',');
	json_field("file", info.file);
	printf(",\"line\":%u}", info.line);
}

static void json_sites(const struct stats *s, const char *name, uint64_t (*weigh)(const void *))
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->sites, weigh, ranked);
	printf(",\"%s\":[", name);
	for (unsigned i = 0; i < count; i++) {
		printf("%s{\"events\":%" PRIu64 ",\"at\":", i ? "," : "", ranked[i].weight);
		json_site(s, (uint32_t)ranked[i].key);
		putchar('}');
	}
	putchar(']');
}

static void json_words(const struct stats *s, const char *name, uint64_t (*weigh)(const void *))
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->words, weigh, ranked);
	printf(",\"%s\":[", name);
	for (unsigned i = 0; i < count; i++) {
		const struct word_count *w = norn_map_get(&s->words, ranked[i].key);
		printf("%s{\"address\":%" PRIu64 ",\"reads\":%" PRIu64 ",\"writes\":%" PRIu64 ",\"shared\":%s,\"at\":",
		        i ? "," : "", ranked[i].key * 8, w->reads, w->writes, w->shared ? "true" : "false");
		json_site(s, w->site);
		putchar('}');
	}
	putchar(']');
}

static void json_locks(const struct stats *s)
{
	struct ranked ranked[TOP];
	unsigned count = top(&s->locks, weigh_lock, ranked);
	printf(",\"locks\":[");
	for (unsigned i = 0; i < count; i++) {
		const struct lock_count *l = norn_map_get(&s->locks, ranked[i].key);
		printf("%s{\"address\":%" PRIu64 ",\"kind\":\"%s\",\"acquires\":%" PRIu64 ",\"shared_acquires\":%" PRIu64
		       ",\"failed\":%" PRIu64 ",\"several_threads\":%s,\"at\":",
		        i ? "," : "", ranked[i].key, norn_lock_word(l->kind), l->acquires, l->shared, l->failed,
		        l->contended ? "true" : "false");
		json_site(s, l->site);
		putchar('}');
	}
	putchar(']');
}

static void json_threads(const struct stats *s)
{
	printf(",\"threads\":[");
	for (uint32_t i = 0; i < norn_trace_threads(s->trace); i++) {
		const struct norn_thread_info *info = norn_trace_thread(s->trace, i);
		struct norn_site_info start;
		norn_trace_site(s->trace, s->threads[i].start, &start);
		printf("%s{", i ? "," : "");
		json_field("path", info->path);
		putchar(',');
		json_field("name", info->name ? info->name : "");
		putchar(',');
		json_field("start", start.name);
		printf(",\"events\":%" PRIu64 "}", s->threads[i].events);
	}
	putchar(']');
}

static void json_modules(const struct stats *s)
{
	uint32_t base;
	const char *path, *others = norn_trace_info(s->trace, "uninstrumented");
	const struct norn_site_table *table;
	printf(",\"modules\":[");
	for (unsigned i = 0; norn_trace_module(s->trace, i, &base, &path, &table); i++) {
		printf("%s{", i ? "," : "");
		json_field("path", path);
		printf(",\"sites\":%u,\"level\":\"%s\"}", table->sites, level_of(table));
	}
	printf("],");
	json_field("uninstrumented", others ? others : "");
}

static void json(const struct stats *s)
{
	const struct norn_file_header *h = norn_trace_header(s->trace);
	const char *command = norn_trace_info(s->trace, "command");
	printf("{\"format\":\"norn-stats\",\"version\":1,");
	json_field("trace", norn_trace_path(s->trace));
	putchar(',');
	json_field("command", command ? command : "");
	printf(",\"wait_status\":%d,\"bytes\":%" PRIu64 ",\"complete\":%s", h->exit_status, h->file_bytes,
	        h->state == NORN_STATE_COMPLETE ? "true" : "false");
	printf(",\"events\":%" PRIu64 ",\"lost_events\":%" PRIu64 ",\"lost_threads\":%u,\"lost_known\":%s", s->events,
	        h->lost_events > s->lost ? h->lost_events : s->lost, h->lost_threads,
	        h->state == NORN_STATE_RECORDING ? "false" : "true");
	if (has_times(s))
		printf(",\"seconds\":%.9f", seconds(s));
	else
		printf(",\"seconds\":0,\"seconds_known\":false");
	printf(",\"bytes_per_event\":%.4f,\"kinds\":{", bytes_per_event(s));
	for (unsigned i = 1; i < NORN_EVENT_KINDS; i++)
		if (i != NORN_EVENT_LOST)
			printf("%s\"%s\":%" PRIu64, i > 1 ? "," : "", norn_event_kind_name(i), s->kinds[i]);
	printf("},\"words\":%zu,\"shared_words\":%" PRIu64, s->words.count, s->shared_words);
	json_threads(s);
	json_sites(s, "hottest_sites", weigh_site);
	json_words(s, "hottest_words", weigh_word);
	json_words(s, "hottest_shared_words", weigh_shared);
	json_locks(s);
	json_sites(s, "external_writes", weigh_external);
	json_modules(s);
	puts("}");
}

/* ---- the command ---- */

static int gather(struct stats *s, struct norn_error *err)
{
	norn_map_init(&s->sites, sizeof(struct site_count));
	norn_map_init(&s->words, sizeof(struct word_count));
	norn_map_init(&s->locks, sizeof(struct lock_count));
	s->threads = norn_must_calloc(norn_trace_threads(s->trace), sizeof *s->threads);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < norn_trace_threads(s->trace); i++)
		r = count_thread(s, i, err);
	return r;
}

static int run(int argc, char **argv)
{
	bool as_json = false, partial = false;
	const char *file = NULL;
	struct norn_args args;
	norn_args_init(&args, &norn_command_stats, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		switch (id) {
		case OPT_JSON:
			as_json = true;
			break;
		case OPT_PARTIAL:
			partial = true;
			break;
		default:
			if (file)
				return norn_fail("stats takes one trace, not both %s and %s", file, args.value);
			file = args.value;
		}
	struct stats s = {0};
	struct norn_error err = {0};
	int status = norn_open(file ? file : "norn.trace", partial, &s.trace);
	if (status != NORN_EXIT_OK)
		return status;
	int r = gather(&s, &err);
	if (r == 0)
		(as_json ? json : text)(&s);
	norn_map_done(&s.sites);
	norn_map_done(&s.words);
	norn_map_done(&s.locks);
	free(s.threads);
	norn_trace_close(s.trace);
	return r == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}
