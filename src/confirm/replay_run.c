#include "confirm/replay_run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "confirm/replay_progress.h"
#include "recorder/recorder.h"
#include "program/program.h"
#include "trace/site_table.h"

/* In milliseconds. */
#define LOOK 10u /* how often */
#define BLOCKED 40u /* since when all wait for the locks of a deadlock, which are known not to be given up */

struct watching {
	const struct norn_schedule_file *script;
	const struct norn_replay_area_parts *live;
	const struct norn_replaying *enacting;
	struct norn_replayed *out;
	const struct norn_session *session;
	struct norn_replay_progress replay_progress;
	uint64_t began, now, looked; /* milliseconds */
	uint64_t blocked; /* since when all locks of a deadlock are waited for; 0: not */
	bool decided;
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

/* The first act of those that an act waits for that has not been done. */
static uint32_t missing(const struct watching *w, uint32_t act)
{
	const struct norn_schedule_file_act *a = &w->script->acts[act];
	for (uint32_t i = 0; i < a->after_count; i++)
		if (!atomic_load(&w->live->acts[w->script->afters[a->after + i]].done))
			return w->script->afters[a->after + i];
	return NORN_REPLAY_AREA_NONE;
}

/* The first act of a role that it has not come to. */
static uint32_t next_act(const struct watching *w, uint32_t role)
{
	uint32_t at = atomic_load(&w->live->roles[role].at);
	for (uint32_t i = 0; i < w->script->act_count; i++)
		if (w->script->acts[i].role == role && !w->script->acts[i].hold && !atomic_load(&w->live->acts[i].passed) &&
		        at != i + 1)
			return i;
	return NORN_REPLAY_AREA_NONE;
}

static void place_text(const struct watching *w, uint32_t role, char *text, size_t room)
{
	const struct norn_replay_area_role *r = &w->live->roles[role];
	uint32_t seen = atomic_load(&r->seen);
	if (atomic_load(&r->ended)) {
		snprintf(text, room, "it has ended");
		return;
	}
	if (!atomic_load(&r->tid)) {
		snprintf(text, room, "it was never created");
		return;
	}
	for (uint32_t i = 0; seen && i < w->script->site_count; i++) {
		const struct norn_schedule_file_site *s = &w->script->sites[i];
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
	for (uint32_t i = 0; i < w->script->role_count; i++) {
		uint32_t at = atomic_load(&w->live->roles[i].at);
		if (at == 0 || w->script->acts[at - 1].hold)
			continue;
		norn_schedule_file_describe(w->script, at - 1, words, sizeof words);
		uint32_t before = missing(w, at - 1);
		if (before != NORN_REPLAY_AREA_NONE) {
			norn_schedule_file_describe(w->script, before, other, sizeof other);
			say(w, "%s waits for %s", words, other);
		} else if (w->live->acts[at - 1].stop) {
			say(w, "%s is ready", words);
		}
	}
	for (uint32_t i = 0; i < w->script->role_count; i++) {
		uint32_t next = next_act(w, i);
		if (next == NORN_REPLAY_AREA_NONE || atomic_load(&w->live->roles[i].at))
			continue;
		norn_schedule_file_describe(w->script, next, words, sizeof words);
		place_text(w, i, place, sizeof place);
		say(w, "%s did not come: %s", words, place);
	}
}

static void say_value(struct watching *w, uint32_t act)
{
	const struct norn_replay_area_act *a = &w->live->acts[act];
	char words[512];
	norn_schedule_file_describe(w->script, act, words, sizeof words);
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

/* A thread that stops here, with the calls that it is in. */
static void say_stop(struct watching *w, uint32_t act, const char *does)
{
	char words[512];
	norn_schedule_file_describe(w->script, act, words, sizeof words);
	say(w, "%s%s", words, does);
	for (uint32_t n = w->script->acts[act].node; n >= w->script->role_count; n = w->script->nodes[n].parent) {
		uint32_t call = w->script->nodes[n].call;
		if (call && w->script->sites[call - 1].line)
			say(w, "  called at %s:%u, %s", basename(w->script->sites[call - 1].file), w->script->sites[call - 1].line,
			        w->script->sites[call - 1].function);
	}
}

static bool overlap(const struct norn_replay_area_act *a, const struct norn_replay_area_act *b)
{
	return a->addr && b->addr && a->addr < b->addr + (b->bytes ? b->bytes : 1) && b->addr < a->addr + (a->bytes ? a->bytes : 1);
}

/* The acts in question are of one and the same memory in this run, too. A block's size is not known here: its beginning must not
 * lie behind the use. */
static bool same_memory(struct watching *w)
{
	const struct norn_schedule_file *s = w->script;
	const struct norn_replay_area_act *acts = w->live->acts, *last = &acts[s->stops[s->stop_count - 1]];
	const struct norn_replay_area_act *other = s->stop_count > 1                    ? &acts[s->stops[0]]
	                                           : s->second != NORN_REPLAY_AREA_NONE ? &acts[s->second]
	                                           : s->first != NORN_REPLAY_AREA_NONE  ? &acts[s->first]
	                                                                                : last;
	if (s->end == NORN_SCENE_USE && s->acts[s->stops[s->stop_count - 1]].deed != NORN_DEED_FREE)
		return !other->addr || other->addr <= last->addr;
	return !other->addr || !last->addr || overlap(other, last);
}

static void come_true(struct watching *w)
{
	const struct norn_schedule_file *s = w->script;
	if (s->end != NORN_SCENE_PASS && s->end != NORN_SCENE_DEADLOCK && !same_memory(w)) {
		decide(w, NORN_REPLAYED_DIVERGED);
		say(w, "the threads came to the places of the error, but not to the same memory");
		return;
	}
	decide(w, NORN_REPLAYED_TRUE);
	if (s->end == NORN_SCENE_RACE) {
		say(w, "both threads stood before their accesses at the same time; then the second went first");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], "");
	} else if (s->end == NORN_SCENE_DEADLOCK) {
		say(w, "the program was in the deadlock, and was ended");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], " is waited for in vain");
	} else if (s->end == NORN_SCENE_USE) {
		say(w, "the block was freed, and its use was next: the program was ended there");
		if (s->first != NORN_REPLAY_AREA_NONE)
			say_stop(w, s->first, "");
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_stop(w, s->stops[i], i + 1 == s->stop_count ? " was next" : "");
	} else if (s->end == NORN_SCENE_TORN) {
		say(w, "the foreign access came in between");
		if (s->first != NORN_REPLAY_AREA_NONE)
			say_value(w, s->first);
		if (s->second != NORN_REPLAY_AREA_NONE)
			say_value(w, s->second);
		for (uint32_t i = 0; i < s->stop_count; i++)
			say_value(w, s->stops[i]);
	} else {
		say(w, "all steps came in the order of the violation");
	}
}

/* ---- watching ---- */

static void give_up(struct watching *w, const char *why)
{
	decide(w, NORN_REPLAYED_DIVERGED);
	say(w, "%s", why);
	say_who_waits(w);
	w->out->let_go = (w->now - w->began) * 1000000;
	norn_replay_area_let_go(w->live, NORN_REPLAY_AREA_LET_GO);
}

/* All threads of the cycle are in the calls of their locks, and sleep there. Spinlocks are waited for awake. */
static bool all_block(struct watching *w, pid_t pid)
{
	const struct norn_schedule_file *s = w->script;
	for (uint32_t i = 0; i < s->stop_count; i++) {
		const struct norn_replay_area_role *role = &w->live->roles[s->acts[s->stops[i]].role];
		if (atomic_load(&role->blocking) != s->stops[i] + 1)
			return false;
		char state = norn_replay_progress_thread(pid, atomic_load(&role->tid));
		if (state != 'S' && w->now - w->replay_progress.moved < UINT64_C(10) * BLOCKED)
			return false;
	}
	return true;
}

static bool units_missing(struct watching *w)
{
	bool none = false;
	for (uint32_t i = 0; i < w->script->unit_count; i++)
		if (!atomic_load(&w->live->units[i].loaded)) {
			say(w, "the program has no %s as the schedule knows it: it was built again, or is another program",
			        w->script->units[i].source);
			none = true;
		}
	return none;
}

/* True: end it. */
static bool watch_play(struct watching *w, pid_t pid)
{
	const struct norn_replay_area *stage = w->live->stage;
	uint32_t state = atomic_load(&stage->state);
	if (atomic_load(&stage->over) == NORN_REPLAY_AREA_CAME_TRUE) {
		come_true(w);
		return false;
	}
	if (state == NORN_REPLAY_AREA_BRINK && stage->end == NORN_SCENE_USE && !w->enacting->gdb) {
		come_true(w);
		return true;
	}
	if (state == NORN_REPLAY_AREA_FREE_LOCK) {
		give_up(w, "one of the locks of the deadlock was free");
		return false;
	}
	if (w->now - w->looked < LOOK || w->enacting->gdb)
		return false;
	w->looked = w->now;
	if (state == NORN_REPLAY_AREA_THERE && stage->end == NORN_SCENE_DEADLOCK) {
		w->blocked = all_block(w, pid) ? (w->blocked ? w->blocked : w->now) : 0;
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
	        norn_replay_progress_feel(&w->replay_progress, pid, w->now, w->live, w->session);
	w->out->stuck = replay_progress == NORN_REPLAY_PROGRESS_STILL;
	if (replay_progress != NORN_REPLAY_PROGRESS_GOES_ON)
		give_up(w, reasons[replay_progress]);
	return false;
}

/* All is over: the program may come to its end, unless it does not get on. With its own input and output it may take its time. */
static bool watch_rest(struct watching *w, pid_t pid)
{
	if (w->enacting->gdb || w->now - w->looked < LOOK)
		return false;
	w->looked = w->now;
	norn_replay_progress_hurry(&w->replay_progress);
	enum norn_replay_progress_state replay_progress =
	        norn_replay_progress_feel(&w->replay_progress, pid, w->now, w->live, w->session);
	bool own = !w->enacting->output && w->out->kind == NORN_REPLAYED_TRUE;
	return replay_progress == NORN_REPLAY_PROGRESS_STILL || (replay_progress != NORN_REPLAY_PROGRESS_GOES_ON && !own);
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
		uint32_t state = atomic_load(&live->stage->state);
		/* What comes of a race may be the program's end. */
		bool met = state == NORN_REPLAY_AREA_THERE && live->stage->end == NORN_SCENE_RACE;
		if (met || state == NORN_REPLAY_AREA_BRINK || atomic_load(&live->stage->over) == NORN_REPLAY_AREA_CAME_TRUE) {
			come_true(w);
		} else if (state == NORN_REPLAY_AREA_EMPTY) {
			decide(w, NORN_REPLAYED_WRONG);
			say(w, "the program made no events: it was not built by norn");
		} else {
			decide(w, NORN_REPLAYED_DIVERGED);
			say(w, "the program ended before it came to the error");
			say_who_waits(w);
		}
	}
	if (w->out->kind == NORN_REPLAYED_DIVERGED && units_missing(w))
		w->out->kind = NORN_REPLAYED_WRONG;
	for (uint32_t i = 0; w->out->kind == NORN_REPLAYED_DIVERGED && !w->out->absent && i < w->script->role_count; i++)
		if (!atomic_load(&live->roles[i].tid) && live->roles[i].acts)
			w->out->absent = norn_must_text(w->script->roles[i].path);
	w->out->parts.stage = norn_must_copy(live->stage, live->stage->bytes, 1);
	norn_replay_area_lay_out(w->out->parts.stage, &w->out->parts);
	return false;
}

/* Threads do not wait at input and output, nor for it. */
static void loosen(const struct norn_schedule_file *script, const struct norn_replay_area_parts *p)
{
	for (uint32_t i = 0; i < script->act_count; i++) {
		const struct norn_schedule_file_act *act = &script->acts[i];
		if ((act->deed != NORN_DEED_SEND && act->deed != NORN_DEED_RECEIVE) || act->hold)
			continue;
		for (uint32_t k = 0; k < p->acts[i].count; k++)
			atomic_fetch_sub(&p->acts[p->followers[p->acts[i].first + k]].waits, 1);
		p->acts[i].count = 0;
		for (uint32_t k = 0; k < act->after_count; k++) { /* it follows nothing any more */
			struct norn_replay_area_act *before = &p->acts[script->afters[act->after + k]];
			for (uint32_t n = 0; n < before->count; n++)
				if (p->followers[before->first + n] == i)
					p->followers[before->first + n] = p->followers[before->first + --before->count];
		}
		atomic_store(&p->acts[i].waits, 0);
	}
}

/* As execvp would find it; false: it is not there. */
static bool find_file(const char *program, char file[PATH_MAX])
{
	if (strchr(program, '/'))
		return snprintf(file, PATH_MAX, "%s", program) < PATH_MAX && access(file, R_OK) == 0;
	for (const char *at = getenv("PATH"), *end; at && *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		if (snprintf(file, PATH_MAX, "%.*s/%s", (int)(end - at), at, program) < PATH_MAX && access(file, X_OK) == 0)
			return access(file, R_OK) == 0;
	}
	return false;
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

int norn_enactor_match(const struct norn_schedule_file *script, const char *program, struct norn_error *err)
{
	char file[PATH_MAX];
	struct norn_program *known;
	struct norn_error ignored = {0};
	int r = 0;
	if (!find_file(program, file))
		return 0;
	known = norn_program_new();
	if (norn_program_add(known, file, 0, &ignored) == 0 && norn_program_unit(known, 0, 0))
		for (uint32_t i = 0; r == 0 && i < script->unit_count; i++)
			if (!*script->units[i].library && !has_unit(known, script->units[i].hash))
				r = norn_error_set(err, -EINVAL,
				        "%s has no %s as the schedule knows it: it was built again, or is another program; it was "
				        "not run",
				        program, script->units[i].source);
	norn_program_free(known);
	return r;
}

int norn_enactor_run(const struct norn_schedule_file *script, const struct norn_replaying *enacting, char *const argv[],
        struct norn_replayed *out, struct norn_error *err)
{
	struct norn_replay_area_parts parts;
	*out = (struct norn_replayed){.kind = NORN_REPLAYED_DIVERGED};
	norn_schedule_file_stage(script, &parts);
	parts.stage->gdb = enacting->gdb;
	if (enacting->loose)
		loosen(script, &parts);
	struct watching w = {.script = script, .enacting = enacting, .out = out, .began = milliseconds()};
	norn_replay_progress_init(&w.replay_progress, &script->pace);
	struct norn_staging staging = {.stage = &parts, .watch = watch, .context = &w, .output = enacting->output};
	struct norn_recording recording = {.trace = enacting->trace, .staging = &staging};
	int r = norn_recorder_run(&recording, argv, err);
	out->status = recording.status;
	out->told = recording.told;
	out->seconds = (double)(milliseconds() - w.began) / 1000;
	out->events = recording.total.events;
	norn_replay_progress_done(&w.replay_progress);
	free(parts.stage);
	if (!out->text)
		out->text = norn_must_text("");
	return r;
}

void norn_replayed_done(struct norn_replayed *out)
{
	free(out->text);
	free(out->absent);
	free(out->parts.stage);
	*out = (struct norn_replayed){0};
}
