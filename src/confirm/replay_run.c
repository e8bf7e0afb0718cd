#include "confirm/replay_run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "confirm/replay_progress.h"
#include "recorder/recorder.h"
#include "program/program.h"
#include "trace/site_table.h"

/* In milliseconds. */
#define LOOK 10u /* how often */
#define BLOCKED 40u /* since when all wait for the locks of a deadlock, which are known not to be given up */

struct watching {
	const struct norn_schedule_file *schedule;
	const struct norn_replay_area_parts *live;
	const struct norn_replaying *replaying;
	struct norn_replayed *out;
	const struct norn_session *session;
	struct norn_replay_progress replay_progress;
	uint64_t began, now, looked; /* milliseconds */
	uint64_t blocked, asleep; /* since when all locks of a deadlock are waited for, 0: not; by which look (all_block) */
	bool decided;
	bool ended_first; /* the program had ended when it was decided */
};

static uint64_t milliseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- words ---- */

__attribute__((format(printf, 2, 3))) static void say(struct watching *w, const char *format, ...)
{
	char line[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	char *both = norn_must_format("%s%s%s", w->out->text ? w->out->text : "", w->out->text ? "\n" : "", line);
	free(w->out->text);
	w->out->text = both;
}

/* The first step of those that a step waits for that has not been done. */
static uint32_t missing(const struct watching *w, uint32_t step)
{
	const struct norn_schedule_file_step *a = &w->schedule->steps.items[step];
	for (uint32_t i = 0; i < a->after_count; i++)
		if (!atomic_load(&w->live->steps[w->schedule->afters.items[a->after + i]].done))
			return w->schedule->afters.items[a->after + i];
	return NORN_REPLAY_AREA_NONE;
}

/* The first step of a thread that it has not come to. */
static uint32_t next_step(const struct watching *w, uint32_t thread)
{
	uint32_t at = atomic_load(&w->live->threads[thread].at);
	for (uint32_t i = 0; i < w->schedule->steps.count; i++)
		if (w->schedule->steps.items[i].thread == thread && !w->schedule->steps.items[i].hold &&
		        !atomic_load(&w->live->steps[i].passed) && at != i + 1)
			return i;
	return NORN_REPLAY_AREA_NONE;
}

static void place_text(const struct watching *w, uint32_t thread, char *text, size_t room)
{
	const struct norn_replay_area_thread *r = &w->live->threads[thread];
	uint32_t seen = atomic_load(&r->seen);
	if (atomic_load(&r->ended)) {
		snprintf(text, room, "it has ended");
		return;
	}
	if (!atomic_load(&r->tid)) {
		snprintf(text, room, "it was never created");
		return;
	}
	for (uint32_t i = 0; seen && i < w->schedule->sites.count; i++) {
		const struct norn_schedule_file_site *s = &w->schedule->sites.items[i];
		const struct norn_replay_area_site *same = &w->live->sites[seen - 1];
		if (same->unit == s->unit && same->index == s->index) {
			snprintf(text, room, "it was last seen at %s:%u (%s)", basename(s->file), s->line, s->function);
			return;
		}
	}
	snprintf(text, room, "it came to no place that is listed");
}

/* The threads that wait, and for what; the thread whose turn it is, and where it is instead. */
static void say_who_waits(struct watching *w)
{
	char words[512], other[512], place[400];
	for (uint32_t i = 0; i < w->schedule->threads.count; i++) {
		uint32_t at = atomic_load(&w->live->threads[i].at);
		if (at == 0 || w->schedule->steps.items[at - 1].hold)
			continue;
		norn_schedule_file_describe(w->schedule, at - 1, words, sizeof words);
		uint32_t before = missing(w, at - 1);
		if (before != NORN_REPLAY_AREA_NONE) {
			norn_schedule_file_describe(w->schedule, before, other, sizeof other);
			say(w, "%s waits for %s", words, other);
		} else if (w->live->steps[at - 1].stop) {
			say(w, "%s is ready", words);
		}
	}
	for (uint32_t i = 0; i < w->schedule->threads.count; i++) {
		uint32_t next = next_step(w, i);
		if (next == NORN_REPLAY_AREA_NONE || atomic_load(&w->live->threads[i].at))
			continue;
		norn_schedule_file_describe(w->schedule, next, words, sizeof words);
		place_text(w, i, place, sizeof place);
		say(w, "%s did not come: %s", words, place);
	}
}

static void say_value(struct watching *w, uint32_t step)
{
	const struct norn_replay_area_step *a = &w->live->steps[step];
	char words[512];
	norn_schedule_file_describe(w->schedule, step, words, sizeof words);
	if (a->seen == 3 && a->before != a->after)
		say(w, "%s: %" PRId64 " became %" PRId64, words, (int64_t)a->before, (int64_t)a->after);
	else if (a->seen & 1)
		say(w, "%s: it held %" PRId64, words, (int64_t)a->before);
	else
		say(w, "%s", words);
}

/* ---- what came true ---- */

static void decide(struct watching *w, enum norn_replayed_kind kind)
{
	w->out->kind = kind;
	w->decided = true;
}

/* Code without hooks calls the outermost functions of the main thread: the site of such a call is that of an older one. */
static bool knows_caller(const struct norn_schedule_file *s, const struct norn_schedule_file_node *node)
{
	return node->call && s->sites.items[node->call - 1].line &&
	       (node->parent >= s->threads.count || s->threads.items[node->thread].parent != NORN_REPLAY_AREA_NONE);
}

/* Code between std::thread and the function that it runs. */
static bool is_of_library(const struct norn_schedule_file *s, const struct norn_schedule_file_node *node)
{
	return strstr(s->sites.items[node->call - 1].file, "/include/c++/");
}

/* A thread that stops here, with the program's calls that it is in, and where it was created. Who called std::thread's constructor
 * is not in the schedule. */
static void say_stop(struct watching *w, uint32_t step, const char *does)
{
	char words[512];
	norn_schedule_file_describe(w->schedule, step, words, sizeof words);
	say(w, "%s%s", words, does);
	for (uint32_t n = w->schedule->steps.items[step].node; n >= w->schedule->threads.count;
	        n = w->schedule->nodes.items[n].parent) {
		const struct norn_schedule_file_node *node = &w->schedule->nodes.items[n];
		bool created = node->parent < w->schedule->threads.count;
		if (knows_caller(w->schedule, node) && !is_of_library(w->schedule, node))
			say(w, "  %s at %s:%u, %s", created ? "thread created" : "called",
			        basename(w->schedule->sites.items[node->call - 1].file),
			        w->schedule->sites.items[node->call - 1].line, w->schedule->sites.items[node->call - 1].function);
	}
}

static bool overlap(const struct norn_replay_area_step *a, const struct norn_replay_area_step *b)
{
	return a->addr && b->addr && a->addr < b->addr + (b->bytes ? b->bytes : 1) && b->addr < a->addr + (a->bytes ? a->bytes : 1);
}

static uint32_t thread_of(const struct norn_schedule_file *s, uint32_t step)
{
	uint32_t n = s->steps.items[step].node;
	while (n >= s->threads.count)
		n = s->nodes.items[n].parent;
	return n;
}

/* Are the steps of a cycle in conflict in this run, too? */
static bool cycle_memory(const struct watching *w)
{
	const struct norn_schedule_file *s = w->schedule;
	for (uint32_t i = 1; i < s->cycle_count; i++) {
		const struct norn_replay_area_step *a = &w->live->steps[s->cycle[i - 1]], *b = &w->live->steps[s->cycle[i]];
		if (thread_of(s, s->cycle[i - 1]) != thread_of(s, s->cycle[i]) && a->addr && b->addr && !overlap(a, b))
			return false;
	}
	return true;
}

/* The steps in question are of one and the same memory in this run, too. A block whose size is not known (an allocator of the
 * program's own) must not begin behind the use. */
static bool same_memory(struct watching *w)
{
	const struct norn_schedule_file *s = w->schedule;
	const struct norn_replay_area_step *steps = w->live->steps, *last = &steps[s->stops[s->stop_count - 1]];
	if (s->cycle_count)
		return cycle_memory(w);
	const struct norn_replay_area_step *other = s->stop_count > 1                    ? &steps[s->stops[0]]
	                                            : s->second != NORN_REPLAY_AREA_NONE ? &steps[s->second]
	                                            : s->first != NORN_REPLAY_AREA_NONE  ? &steps[s->first]
	                                                                                 : last;
	if (s->end == NORN_REPLAY_END_USE && !other->bytes &&
	        s->steps.items[s->stops[s->stop_count - 1]].operation != NORN_OPERATION_FREE)
		return !other->addr || other->addr <= last->addr;
	return !other->addr || !last->addr || overlap(other, last);
}

static void come_true(struct watching *w)
{
	const struct norn_schedule_file *s = w->schedule;
	bool memory = s->end != NORN_REPLAY_END_PASS && s->end != NORN_REPLAY_END_FAIL && s->end != NORN_REPLAY_END_DEADLOCK;
	if (memory && !same_memory(w)) {
		decide(w, NORN_REPLAYED_DIVERGED);
		say(w, "the threads came to the places of the error, but not to the same memory");
		return;
	}
	decide(w, NORN_REPLAYED_TRUE);
	if (s->end == NORN_REPLAY_END_RACE) {
		say(w, "both threads stood before their accesses at the same time; then the second went first");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], "");
	} else if (s->end == NORN_REPLAY_END_DEADLOCK) {
		say(w, "the program was in the deadlock, and was ended");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], " is waited for without end");
	} else if (s->end == NORN_REPLAY_END_USE) {
		uint32_t end = s->first != NORN_REPLAY_AREA_NONE ? s->first : s->stops[0];
		say(w, "%s: the program was ended there",
		        s->steps.items[end].operation == NORN_OPERATION_OUT
		                ? "the function had returned, and a use of its variable was next"
		                : "the block was freed, and its use was next");
		if (s->first != NORN_REPLAY_AREA_NONE)
			say_stop(w, s->first, "");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], i + 1 == s->stop_count ? " was next" : "");
	} else if (s->end == NORN_REPLAY_END_TORN) {
		say(w, s->cycle_count > 3 ? "the foreign accesses came in between" : "the foreign access came in between");
		for (uint32_t i = 0; i < s->cycle_count; i++)
			say_value(w, s->cycle[i]);
		if (s->first != NORN_REPLAY_AREA_NONE)
			say_value(w, s->first);
		if (s->second != NORN_REPLAY_AREA_NONE)
			say_value(w, s->second);
		for (uint32_t i = 0; i < s->stop_count && !s->cycle_count; i++)
			say_value(w, s->stops[i]);
	} else if (s->end == NORN_REPLAY_END_FAIL) {
		say(w, "all steps came in the order of the prediction");
	} else {
		say(w, "all steps came in the order of the violation");
	}
}

/* The program has ended: were all steps done before? Of a failure that says enough. */
static bool all_done(const struct watching *w)
{
	for (uint32_t i = 0; i < w->schedule->steps.count; i++)
		if (!w->schedule->steps.items[i].hold && !atomic_load(&w->live->steps[i].done))
			return false;
	return w->schedule->end == NORN_REPLAY_END_FAIL;
}

/* ---- watching ---- */

static void give_up(struct watching *w, const char *why)
{
	decide(w, NORN_REPLAYED_DIVERGED);
	say(w, "%s", why);
	say_who_waits(w);
	w->out->let_go = (w->now - w->began) * 1000000;
	norn_replay_area_release(w->live, NORN_REPLAY_AREA_RELEASED);
}

/* All threads of the cycle are in the calls of their locks, and sleep there. Spinlocks are waited for awake. 0: no; where all
 * threads of the program must sleep, see norn_replay_progress_asleep. */
static uint64_t all_block(struct watching *w, pid_t pid)
{
	const struct norn_schedule_file *s = w->schedule;
	bool all = false, reads = false; /* any thread could end it: all must sleep; some read from pipes */
	for (uint32_t i = 0; i < s->stop_count; i++) {
		const struct norn_replay_area_thread *thread = &w->live->threads[s->steps.items[s->stops[i]].thread];
		if (atomic_load(&thread->blocking) != s->stops[i] + 1)
			return 0;
		char state = norn_replay_progress_thread(pid, atomic_load(&thread->tid));
		if (state != 'S' && w->now - w->replay_progress.moved < UINT64_C(10) * BLOCKED)
			return 0;
		unsigned operation = s->steps.items[s->stops[i]].operation;
		reads |= operation == NORN_OPERATION_RECEIVE;
		all |= operation == NORN_OPERATION_WAIT || operation == NORN_OPERATION_ARRIVE || operation == NORN_OPERATION_TAKE;
	}
	return all || reads ? norn_replay_progress_asleep(pid, reads) : 1;
}

/* Then this alone is told. */
static bool units_missing(struct watching *w)
{
	uint32_t i = 0;
	while (i < w->schedule->units.count && atomic_load(&w->live->units[i].loaded))
		i++;
	if (i == w->schedule->units.count)
		return false;
	free(w->out->text);
	w->out->text = NULL;
	say(w, "the program has no %s as the schedule knows it: it was built again, or is another program",
	        w->schedule->units.items[i].source);
	return true;
}

/* True: end it. */
static bool watch_play(struct watching *w, pid_t pid)
{
	const struct norn_replay_area *area = w->live->head;
	uint32_t state = atomic_load(&area->state);
	if (atomic_load(&area->over) == NORN_REPLAY_AREA_REPRODUCED) {
		come_true(w);
		return false;
	}
	if (state == NORN_REPLAY_AREA_BEFORE_ERROR && area->end == NORN_REPLAY_END_USE && !w->replaying->gdb) {
		come_true(w);
		return true;
	}
	if (state == NORN_REPLAY_AREA_FREE_LOCK) {
		give_up(w, "one of the locks of the deadlock was free");
		return false;
	}
	if (w->now - w->looked < LOOK || w->replaying->gdb)
		return false;
	w->looked = w->now;
	if (state == NORN_REPLAY_AREA_ALL_REACHED && area->end == NORN_REPLAY_END_DEADLOCK) {
		uint64_t asleep = all_block(w, pid);
		if (!asleep || asleep != w->asleep)
			w->blocked = asleep ? w->now : 0;
		w->asleep = asleep;
		if (w->blocked && w->now - w->blocked >= BLOCKED) {
			come_true(w);
			return true;
		}
	}
	static const char *const reasons[] = {
	        [NORN_REPLAY_PROGRESS_STILL] = "the program stands still: no thread can go on",
	        [NORN_REPLAY_PROGRESS_WAITS] = "the program waits, for time or input, and nothing that is listed happens",
	        [NORN_REPLAY_PROGRESS_SPINS] = "the program runs, but comes to nothing that is listed",
	};
	enum norn_replay_progress_state replay_progress =
	        norn_replay_progress_check(&w->replay_progress, pid, w->now, w->live, w->session);
	w->out->stuck = replay_progress == NORN_REPLAY_PROGRESS_STILL;
	if (replay_progress != NORN_REPLAY_PROGRESS_GOES_ON)
		give_up(w, reasons[replay_progress]);
	return false;
}

/* All is over: the program may run to its end, as long as it makes progress. With its own input and output it may take its time. */
static bool watch_rest(struct watching *w, pid_t pid)
{
	if (w->replaying->gdb || w->now - w->looked < LOOK)
		return false;
	w->looked = w->now;
	norn_replay_progress_hurry(&w->replay_progress);
	enum norn_replay_progress_state replay_progress =
	        norn_replay_progress_check(&w->replay_progress, pid, w->now, w->live, w->session);
	bool own = !w->replaying->output && w->out->kind == NORN_REPLAYED_TRUE;
	bool end = replay_progress == NORN_REPLAY_PROGRESS_STILL || (replay_progress != NORN_REPLAY_PROGRESS_GOES_ON && !own);
	w->out->ended |= end && w->out->kind == NORN_REPLAYED_TRUE;
	return end;
}

static bool watch(void *context, pid_t pid, const struct norn_replay_area_parts *live, const struct norn_session *session)
{
	struct watching *w = context;
	w->live = live;
	w->session = session;
	w->now = milliseconds();
	if (pid >= 0)
		return w->decided ? watch_rest(w, pid) : watch_play(w, pid);
	if (!w->decided) { /* it has ended */
		uint32_t state = atomic_load(&live->head->state);
		/* A race may end the program. */
		bool met = state == NORN_REPLAY_AREA_ALL_REACHED && live->head->end == NORN_REPLAY_END_RACE;
		if (met || state == NORN_REPLAY_AREA_BEFORE_ERROR || all_done(w) ||
		        atomic_load(&live->head->over) == NORN_REPLAY_AREA_REPRODUCED) {
			come_true(w);
		} else if (state == NORN_REPLAY_AREA_EMPTY) {
			decide(w, NORN_REPLAYED_WRONG);
			say(w, "the program made no events: it was not built by norn");
		} else {
			decide(w, NORN_REPLAYED_DIVERGED);
			w->ended_first = true;
			say(w, "the program ended before it came to the error");
			say_who_waits(w);
		}
	}
	if (w->out->kind == NORN_REPLAYED_DIVERGED && units_missing(w))
		w->out->kind = NORN_REPLAYED_WRONG;
	for (uint32_t i = 0; w->out->kind == NORN_REPLAYED_DIVERGED && !w->out->absent && i < w->schedule->threads.count; i++)
		if (!atomic_load(&live->threads[i].tid) && live->threads[i].steps)
			w->out->absent = norn_must_text(w->schedule->threads.items[i].path);
	w->out->parts.head = norn_must_copy(live->head, live->head->bytes, 1);
	norn_replay_area_lay_out(w->out->parts.head, &w->out->parts);
	return false;
}

/* Threads do not wait at input and output, nor for it. */
static void loosen(const struct norn_schedule_file *schedule, const struct norn_replay_area_parts *p)
{
	for (uint32_t i = 0; i < schedule->steps.count; i++) {
		const struct norn_schedule_file_step *step = &schedule->steps.items[i];
		if ((step->operation != NORN_OPERATION_SEND && step->operation != NORN_OPERATION_RECEIVE) || step->hold)
			continue;
		for (uint32_t k = 0; k < p->steps[i].count; k++)
			atomic_fetch_sub(&p->steps[p->followers[p->steps[i].first + k]].waits, 1);
		p->steps[i].count = 0;
		for (uint32_t k = 0; k < step->after_count; k++) { /* it follows nothing any more */
			struct norn_replay_area_step *before = &p->steps[schedule->afters.items[step->after + k]];
			for (uint32_t n = 0; n < before->count; n++)
				if (p->followers[before->first + n] == i)
					p->followers[before->first + n] = p->followers[before->first + --before->count];
		}
		atomic_store(&p->steps[i].waits, 0);
	}
}

static uint64_t hash_of(const struct norn_site_table *t)
{
	return norn_replay_area_table_hash(t, norn_site_open_bytes(t));
}

static bool has_unit(const struct norn_program *program, uint64_t hash)
{
	const struct norn_site_table *table;
	for (uint32_t i = 0; (table = norn_program_unit(program, 0, i)); i++)
		if (hash_of(table) == hash)
			return true;
	return false;
}

/* The schedule's first unit that the program does not have as the schedule knows it; NULL: it has all. */
static const char *missing_unit(const struct norn_schedule_file *schedule, const struct norn_program *program)
{
	for (uint32_t i = 0; i < schedule->units.count; i++)
		if (!*schedule->units.items[i].library && !has_unit(program, schedule->units.items[i].hash))
			return schedule->units.items[i].source;
	return NULL;
}

static bool has_unit_of(const struct norn_program *program, const struct norn_trace *trace)
{
	uint32_t base;
	const char *path;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++)
		if (has_unit(program, hash_of(table)))
			return true;
	return false;
}

int norn_replay_run_match(
        const struct norn_schedule_file *schedule, const char *program, const struct norn_trace *by, struct norn_error *err)
{
	char file[PATH_MAX];
	struct norn_error ignored = {0};
	struct norn_program *known = norn_program_new();
	bool built = norn_find_program(program, file) && access(file, R_OK) == 0 &&
	             norn_program_add(known, file, 0, &ignored) == 0 && norn_program_unit(known, 0, 0);
	const char *missing = built ? missing_unit(schedule, known) : NULL;
	bool own = by && built && has_unit_of(known, by);
	norn_program_free(known);
	if (missing)
		return norn_error_set(err, -EINVAL,
		        "%s has no %s as the schedule knows it: it was built again, or is another program; it was not run", program,
		        missing);
	if (by && !own)
		return norn_error_set(err, -EPERM,
		        "the trace names the command %s, which %s: it was not run; if it is to be run, say so (norn confirm TRACE "
		        "-- "
		        "PROG ARG…)",
		        program, built ? "is not the program that it is a trace of" : "was not built by norn cc");
	return 0;
}

int norn_replay_run(const struct norn_schedule_file *schedule, const struct norn_replaying *replaying, char *const argv[],
        struct norn_replayed *out, struct norn_error *err)
{
	struct norn_replay_area_parts parts;
	*out = (struct norn_replayed){.kind = NORN_REPLAYED_DIVERGED};
	norn_schedule_file_lay_out(schedule, &parts);
	parts.head->gdb = replaying->gdb;
	if (replaying->loose)
		loosen(schedule, &parts);
	struct watching w = {.schedule = schedule, .replaying = replaying, .out = out, .began = milliseconds()};
	norn_replay_progress_init(&w.replay_progress, &schedule->pace);
	struct norn_replay_setup replay_setup = {.area = &parts, .watch = watch, .context = &w, .output = replaying->output};
	struct norn_recording recording = {.trace = replaying->trace,
	        .directory = replaying->directory,
	        .model = replaying->model,
	        .replay_setup = &replay_setup};
	int r = norn_recorder_run(&recording, argv, err);
	out->status = recording.status;
	out->told = recording.told;
	out->crashed = w.ended_first && out->kind == NORN_REPLAYED_DIVERGED && !out->told && WIFSIGNALED(out->status);
	if (out->crashed)
		say(&w, "it was ended by SIG%s", sigabbrev_np(WTERMSIG(out->status)));
	out->seconds = (double)(milliseconds() - w.began) / 1000;
	out->events = recording.total.events;
	norn_replay_progress_done(&w.replay_progress);
	free(parts.head);
	if (!out->text)
		out->text = norn_must_text("");
	return r;
}

void norn_replayed_done(struct norn_replayed *out)
{
	free(out->text);
	free(out->absent);
	free(out->parts.head);
	*out = (struct norn_replayed){0};
}
