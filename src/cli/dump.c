/* norn dump: a trace, one line per event, in the merged order; or whether it holds together. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "cli/commands.h"
#include "cli/dump.h"
#include "jobs/open_run.h"
#include "jobs/say.h"
#include "jobs/show.h"
#include "trace/lock_kind.h"
#include "trace/merge.h"
#include "trace/verify.h"

#define DEPTH_SHOWN 24u /* deeper calls are not indented further */
#define PROBLEMS_SHOWN 20u
#define WHAT_WIDTH 56 /* places stand in one column, unless the event takes more */

enum { OPT_VERIFY = 256, OPT_PARTIAL, OPT_FACTS };

static const struct norn_option options[] = {
        {OPT_VERIFY, "verify", NULL,
                "Show no events, but check the trace: versions without gaps, locks that exclude, threads, calls and memory in "
                "order, and "
                "one order that explains it all. Exit status 2 if it does not hold together.",
                NULL},
        {'t', "thread", "PATH", "Show the events of this thread only, main/2 for instance.", NULL},
        {'n', "limit", "N", "Stop after N events.", NULL},
        {OPT_FACTS, "facts", NULL,
                "Show no events, but what is known of each site in the program: which values it writes or passes on come from "
                "where, and "
                "whether what it reads decides what its thread does next.",
                NULL},
        {OPT_PARTIAL, "partial", NULL, "Read what there is of a trace that was cut short or never completed (FILE.part).", NULL},
        {0},
};

static int run(int argc, char **argv);

const struct norn_command norn_command_dump = {
        .name = "dump",
        .run = run,
        .operands = "[TRACE]",
        .summary = "Show a trace, one line per event",
        .description =
                "Shows the events of all threads in one order that explains the run: number, seconds since the start, thread, what "
                "happened, and where in the program. Without TRACE it reads norn.trace.\n\n"
                "A read shows the value that it saw, a write or rmw the value that it left behind; ? stands for a value that "
                "lost events make unknown. external is a write by code that is not instrumented, as noticed by this thread. A "
                "range that other threads broke into is shown in pieces, marked with ...",
        .options = options,
};

/* The functions that a thread is in. */
struct dump {
	struct norn_trace *trace;
	struct norn_numbers *frames; /* per thread */
	int path_width;
	bool imported;
	FILE *what; /* the event's text, before it is printed */
	char *what_text;
	size_t what_bytes;
	uint64_t limit;
	uint32_t only; /* thread, NORN_NO_THREAD: all */
};

static void show_pieces(FILE *to, const struct norn_event *e)
{
	if (e->pieces)
		fprintf(to, " %s", e->pieces == 3 ? "(...middle...)" : e->pieces == 1 ? "(first part...)" : "(...last part)");
}

static void show_place(FILE *to, const struct norn_event *e, const struct norn_site_info *site)
{
	if (e->size && site->site && *site->name)
		fprintf(to, "%s (0x%" PRIx64 ")", site->name, e->addr);
	else
		fprintf(to, "0x%" PRIx64, e->addr);
}

static void show_access(FILE *to, const struct norn_event *e, const struct norn_site_info *site)
{
	show_place(to, e, site);
	fputs(e->kind == NORN_EVENT_READ ? " -> " : " = ", to);
	norn_show_value(to, e, site);
	show_pieces(to, e);
}

static void show_object(FILE *to, const struct dump *d, const struct norn_event *e, const struct norn_site_info *site)
{
	bool has_kind = e->op <= NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_CREATE || e->op == NORN_SYNC_DESTROY;
	if (has_kind && norn_lock_kind_name(e->argument))
		fprintf(to, "%s ", norn_lock_kind_name(e->argument));
	const char *name = d->imported ? site->name : norn_show_lock_name(e, site);
	if (*name)
		fprintf(to, d->imported ? "%s 0x%" PRIx64 : "%s (0x%" PRIx64 ")", name, e->addr);
	else
		fprintf(to, "0x%" PRIx64, e->addr);
	if (e->op >= NORN_SYNC_WAIT_BEGIN && e->op <= NORN_SYNC_WAIT_TIMEOUT)
		fprintf(to, " mutex 0x%" PRIx64, e->argument);
	else if (e->op == NORN_SYNC_SEM_INIT || e->op == NORN_SYNC_BARRIER_INIT)
		fprintf(to, " = %" PRIu64, e->argument);
}

static void show_thread(FILE *to, const struct dump *d, const struct norn_event *e, const struct norn_site_info *site)
{
	uint32_t other = (uint32_t)e->value;
	const char *path = other < norn_trace_threads(d->trace) ? norn_trace_thread(d->trace, other)->path : "?";
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
	case NORN_THREAD_DETACH:
		fputs(path, to);
		break;
	case NORN_THREAD_BEGIN:
		if (e->argument < norn_trace_threads(d->trace) && e->argument != e->thread)
			fprintf(to, "created by %s", norn_trace_thread(d->trace, (uint32_t)e->argument)->path);
		break;
	case NORN_THREAD_CALL:
		fprintf(to, e->argument == NORN_CALL_SUBMITS ? "%s, hands over a job" : "%s", *site->name ? site->name : "?");
		break;
	case NORN_THREAD_BACK:
		if (e->argument == NORN_BACK_RETURNED)
			fprintf(to, "from %s", *site->name ? site->name : "?");
		else
			fputs(e->argument == NORN_BACK_JOB ? "for a job" : "by a callback", to);
		break;
	case NORN_THREAD_EXIT:
		fprintf(to, "status %" PRId64, (int64_t)e->argument);
		break;
	case NORN_THREAD_NAME: {
		const char *name = norn_trace_thread(d->trace, e->thread)->name;
		fprintf(to, "\"%s\"", name ? name : "");
		break;
	}
	case NORN_THREAD_SIGNAL:
		fprintf(to, "signal %" PRIu64, e->argument);
		break;
	case NORN_THREAD_STACK: /* its address, then its size: no stack is at so low an address */
		fprintf(to, e->argument >> 32 ? "from 0x%" PRIx64 : "of 0x%" PRIx64 " bytes", e->argument);
		break;
	}
}

static void show_call(FILE *to, const struct norn_event *e, const struct norn_site_info *site)
{
	fputs(*site->name ? site->name : "?", to);
	if (e->kind == NORN_EVENT_LEAVE) {
		if (e->count)
			fprintf(to, " = 0x%" PRIx64, e->args[0]);
		if (e->argument & NORN_LEAVE_UNWOUND)
			fputs(" (unwound)", to);
		return;
	}
	fputc('(', to);
	for (uint32_t i = 0; i < e->count; i++)
		fprintf(to, "%s0x%" PRIx64, i ? ", " : "", e->args[i]);
	fputc(')', to);
}

static void show_mark(FILE *to, const struct dump *d, const struct norn_event *e)
{
	const char *name = norn_trace_name(d->trace, (uint32_t)e->argument);
	if (*name)
		fputs(name, to);
	if (e->op == NORN_MARK_EVENT || e->op == NORN_MARK_SET)
		fprintf(to, " = %" PRId64, (int64_t)e->value);
}

static const char *word_for(const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_SYNC:
		return norn_sync_op_name(e->op);
	case NORN_EVENT_THREAD:
		return norn_thread_op_name(e->op);
	case NORN_EVENT_MARK:
		return norn_mark_op_name(e->op);
	default:
		return norn_event_kind_name(e->kind);
	}
}

/* True if the word says it all. */
static bool is_bare(const struct norn_event *e)
{
	if (e->kind == NORN_EVENT_THREAD)
		return e->op == NORN_THREAD_END || e->op == NORN_THREAD_SIGNAL_END ||
		       (e->op == NORN_THREAD_BEGIN && (e->argument == NORN_NO_THREAD || e->argument == e->thread));
	return e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_ATOMIC_END;
}

static void show_what(FILE *to, const struct dump *d, const struct norn_event *e, const struct norn_site_info *site)
{
	fprintf(to, "%-*s%s", is_bare(e) ? 0 : 14, word_for(e), is_bare(e) ? "" : " ");
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		show_access(to, e, site);
		break;
	case NORN_EVENT_SYNC:
		show_object(to, d, e, site);
		break;
	case NORN_EVENT_THREAD:
		show_thread(to, d, e, site);
		break;
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
		show_call(to, e, site);
		break;
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		fprintf(to, "0x%" PRIx64 " %" PRIu64 " bytes", e->addr, e->size);
		show_pieces(to, e);
		break;
	case NORN_EVENT_MARK:
		show_mark(to, d, e);
		break;
	case NORN_EVENT_LOST:
		fprintf(to, "%" PRIu64 " events", e->argument);
		break;
	}
}

static void show_where(const struct norn_event *e, const struct norn_site_info *site)
{
	if (!site->site)
		return;
	/* The call site tells more about an entry than the function's own line. */
	fputs("  ; ", stdout);
	if (*site->function && e->kind != NORN_EVENT_ENTER && e->kind != NORN_EVENT_LEAVE)
		printf("%s ", site->function);
	norn_show_position(stdout, site);
}

/* Follows calls. Returns how deep the event stands; ret_site: its site or, if it leaves a function by unwinding, that
 * function's. */
static unsigned follow(struct dump *d, const struct norn_event *e, uint32_t *ret_site)
{
	struct norn_numbers *f = &d->frames[e->thread];
	*ret_site = e->site;
	if (e->kind == NORN_EVENT_LEAVE && f->count) {
		f->count--;
		if (!e->site)
			*ret_site = f->items[f->count];
	}
	unsigned shown = f->count < DEPTH_SHOWN ? f->count : DEPTH_SHOWN;
	if (e->kind == NORN_EVENT_ENTER)
		norn_must_push(f, e->site);
	return shown;
}

static void show(struct dump *d, uint64_t number, const struct norn_event *e)
{
	struct norn_site_info site;
	uint32_t number_of_site;
	unsigned depth = follow(d, e, &number_of_site);
	norn_trace_site(d->trace, number_of_site, &site);
	rewind(d->what);
	fprintf(d->what, "%*s", (int)depth * 2, "");
	show_what(d->what, d, e, &site);
	fflush(d->what);
	printf("%7" PRIu64 " %3" PRIu64 ".%09" PRIu64 " %-*s %-*.*s", number, e->time / 1000000000u, e->time % 1000000000u,
	        d->path_width, norn_trace_thread(d->trace, e->thread)->path, site.site ? WHAT_WIDTH : 0, (int)d->what_bytes,
	        d->what_text);
	show_where(e, &site);
	putchar('\n');
}

/* The header knows of losses that no thread lived to tell. */
static uint64_t lost_events(const struct norn_trace *trace, const struct norn_merge_losses *losses)
{
	uint64_t told = norn_trace_header(trace)->lost_events;
	return told > losses->lost ? told : losses->lost;
}

static int show_all(struct dump *d)
{
	struct norn_merge *merge;
	struct norn_error err = {0};
	struct norn_event event;
	merge = norn_merge_new(d->trace, NORN_MERGE_PATIENCE);
	uint64_t number = 0, shown = 0;
	int r = 1;
	while (shown < d->limit && (r = norn_merge_next(merge, &event, &err)) == 1) {
		number++;
		if (d->only == NORN_NO_THREAD || event.thread == d->only) {
			show(d, number, &event);
			shown++;
		} else {
			follow(d, &event, &(uint32_t){0});
		}
		if (ferror(stdout))
			break;
	}
	struct norn_merge_losses losses;
	norn_merge_losses(merge, &losses);
	norn_merge_free(merge);
	if (r < 0) {
		fflush(stdout);
		return norn_fail("%s: %s%s", norn_trace_path(d->trace), err.message,
		        r == -ESTALE ? "; `norn dump --verify` tells whether the trace is damaged" : "");
	}
	if (losses.lost || losses.skipped)
		norn_note("%" PRIu64 " events were lost while recording; the order and the values around them are a guess",
		        losses.lost);
	return NORN_EXIT_OK;
}

static int dump(struct dump *d, const char *path)
{
	d->only = NORN_NO_THREAD;
	d->path_width = 4;
	for (uint32_t i = 0; i < norn_trace_threads(d->trace); i++) {
		const char *own = norn_trace_thread(d->trace, i)->path;
		int width = (int)strlen(own);
		if (width > d->path_width && width < 24)
			d->path_width = width;
		if (path && strcmp(own, path) == 0)
			d->only = i;
	}
	if (path && d->only == NORN_NO_THREAD)
		return norn_fail("%s has no thread %s; `norn stats` lists them", norn_trace_path(d->trace), path);
	const char *source = norn_trace_info(d->trace, "source");
	d->imported = source && strcmp(source, "rapid") == 0;
	uint32_t threads = norn_trace_threads(d->trace);
	d->frames = norn_must_calloc(threads, sizeof *d->frames);
	d->what = norn_must(open_memstream(&d->what_text, &d->what_bytes));
	int status = show_all(d);
	fclose(d->what);
	free(d->what_text);
	for (uint32_t i = 0; i < threads; i++)
		norn_vector_done(&d->frames[i]);
	free(d->frames);
	return status;
}

static void print_problem(void *arg, const char *sentence)
{
	norn_fail("%s: %s", (const char *)arg, sentence);
}

static int verify(struct norn_trace *trace)
{
	struct norn_verify_result verdict;
	struct norn_error err = {0};
	const char *path = norn_trace_path(trace);
	if (norn_verify(trace, PROBLEMS_SHOWN, print_problem, (void *)(uintptr_t)path, &verdict, &err) != 0)
		return norn_fail_error(&err);
	const struct norn_merge_losses *l = &verdict.losses;
	if (verdict.problems > 1)
		norn_note("%s: %" PRIu64 " problems", path, verdict.problems);
	if (verdict.problems)
		return NORN_EXIT_USAGE;
	uint64_t lost = lost_events(trace, l);
	if (lost || l->skipped || l->late)
		norn_note("%s: %" PRIu64 " events were lost while recording; %" PRIu64 " versions have no record, %" PRIu64
		          " records came out of order",
		        path, lost, l->skipped, l->late);
	if (l->cut_off)
		norn_note("%s: %" PRIu64 " record%s cut off by the end of the process", path, l->cut_off,
		        l->cut_off == 1 ? " was" : "s were");
	uint32_t threads = norn_trace_threads(trace);
	printf("%s: %" PRIu64 " events of %u thread%s hold together\n", path, verdict.events, threads, threads == 1 ? "" : "s");
	return NORN_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct dump d = {.limit = UINT64_MAX};
	bool verifies = false, partial = false, facts = false;
	const char *file = NULL, *thread = NULL;
	struct norn_args args;
	norn_args_init(&args, &norn_command_dump, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		switch (id) {
		case OPT_VERIFY:
			verifies = true;
			break;
		case OPT_PARTIAL:
			partial = true;
			break;
		case OPT_FACTS:
			facts = true;
			break;
		case 't':
			thread = args.value;
			break;
		case 'n':
			d.limit = norn_args_number(&args, 1, UINT64_MAX);
			break;
		default:
			if (file)
				return norn_fail("dump takes one trace, not both %s and %s", file, args.value);
			file = args.value;
		}
	int status = norn_open(file ? file : "norn.trace", partial, &d.trace);
	if (status != NORN_EXIT_OK)
		return status;
	status = verifies ? verify(d.trace) : facts ? norn_dump_facts(d.trace) : dump(&d, thread);
	norn_trace_close(d.trace);
	return status;
}
