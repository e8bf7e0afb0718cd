#include "jobs/confirmer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/must.h"
#include "confirm/replay_run.h"
#include "jobs/outputs.h"
#include "jobs/results/aftermath.h"
#include "jobs/results/process.h"
#include "recorder/session_directory.h"
#include "recorder/recorder.h"
#include "run/run_end.h"
#include "jobs/say.h"
#include "confirm/divergence.h"
#include "confirm/schedule_constraints.h"

#define TRIES 3u
#define DIRECTORY NORN_CONFIRM_DIRECTORY

static volatile sig_atomic_t stopped; /* the signal that was to end us; 0: none */

bool norn_confirmer_option(struct norn_confirming *c, int id, const struct norn_args *args)
{
	switch (id) {
	case NORN_CONFIRM_ID:
		c->id = args->value;
		return true;
	case NORN_CONFIRM_OUTPUT:
		c->output = args->value;
		return true;
	case NORN_CONFIRM_SCHEDULES:
		c->directory = args->value;
		return true;
	case NORN_CONFIRM_SAVE:
		c->save = args->value;
		return true;
	case NORN_CONFIRM_TRIES:
		c->tries = (unsigned)norn_args_number(args, 1, 1000000);
		return true;
	default:
		return false;
	}
}

int norn_confirmer_ready(const struct norn_confirming *c)
{
	const char *schedules = c->directory ? c->directory : DIRECTORY;
	struct stat st;
	int why = c->output ? norn_outputs_writable(c->output) : 0;
	if (why)
		return norn_fail("cannot write %s: %s", c->output, strerror(why));
	why = norn_outputs_writable(schedules);
	if (why == EISDIR || (why == 0 && stat(schedules, &st) == 0))
		why = why == 0 ? ENOTDIR : access(schedules, W_OK | X_OK) == 0 ? 0 : errno;
	return why ? norn_fail("cannot write schedules to %s: %s", schedules, strerror(why)) : NORN_EXIT_OK;
}

/* ---- schedules ---- */

void norn_replay_jobs_done(struct norn_replay_jobs *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		norn_schedule_file_done(&r->list[i].schedule);
		free(r->list[i].reason);
		free(r->list[i].prefixes);
	}
	for (unsigned i = 0; i < r->other_count; i++)
		norn_graph_free(r->others[i]);
	free(r->others);
	free(r->list);
	r->list = NULL;
	r->others = NULL;
	r->count = r->room = r->other_count = r->other_room = 0;
}

static struct norn_replay_job_result *add(struct norn_replay_jobs *r, const struct norn_graph *graph)
{
	norn_must_grow(&r->list, r->count + UINT64_C(1), &r->room, sizeof *r->list);
	struct norn_replay_job_result *made = &r->list[r->count++];
	*made = (struct norn_replay_job_result){
	        .graph = graph, .prefixes = norn_must_calloc(norn_graph_threads(graph), sizeof *made->prefixes)};
	norn_schedule_file_init(&made->schedule);
	return made;
}

static uint32_t at_most(unsigned long long number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* The time that the recorded run took, and its size. */
static struct norn_schedule_file_pace pace_of(const struct norn_trace *trace)
{
	unsigned long long records = 0, clock = 0, processor = 0;
	const char *spent = norn_trace_info(trace, "spent");
	if (spent && sscanf(spent, "%llu %llu", &clock, &processor) != 2)
		clock = processor = 0;
	for (uint32_t t = 0; t < norn_trace_threads(trace); t++)
		records += norn_trace_thread(trace, t)->records;
	return (struct norn_schedule_file_pace){at_most(records), at_most(clock), at_most(processor)};
}

/* result: of making the schedule. */
static void added(const struct norn_replay_jobs *r, struct norn_replay_job_result *made, const struct norn_finding *finding,
        int result, const struct norn_error *err)
{
	struct norn_schedule_file *s = &made->schedule;
	if (result != 0)
		made->reason = norn_must_text(err->message);
	s->pace = pace_of(r->trace);
	s->id = norn_must_arena_text(&s->arena, finding->id, strlen(finding->id));
	s->title = norn_must_arena_text(&s->arena, finding->outcome, strlen(finding->outcome));
	s->property = norn_must_arena_text(&s->arena, finding->property, strlen(finding->property));
}

void norn_replay_jobs_keep(void *context, struct norn_graph *graph)
{
	struct norn_replay_jobs *r = context;
	norn_must_grow(&r->others, r->other_count + UINT64_C(1), &r->other_room, sizeof(struct norn_graph *));
	r->others[r->other_count++] = graph;
}

int norn_replay_jobs_take(
        void *context, const struct norn_graph *graph, const struct norn_finding *finding, const struct norn_predicted *predicted)
{
	struct norn_replay_jobs *r = context;
	struct norn_error err = {0};
	struct norn_replay_job_result *made = add(r, graph);
	int result = norn_schedule_constraints(r->trace, graph, predicted, made->prefixes, &made->schedule, &err);
	added(r, made, finding, result, &err);
	return 0;
}

/* The next event of the thread at the same place that does the same; 0: none. */
static uint32_t next_like(const struct norn_graph *graph, uint32_t event, uint32_t after)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	for (uint32_t n = norn_graph_event(graph, after)->next; n; n = norn_graph_event(graph, n)->next) {
		const struct norn_graph_event *other = norn_graph_event(graph, n);
		if (other->site == e->site && other->kind == e->kind && other->op == e->op)
			return n;
	}
	return 0;
}

/* One more iteration of a loop, as far as it was recorded: its steps, which are the last length of count numbers, behind them.
 * False: it was not. */
static bool add_iteration(const struct norn_graph *graph, uint64_t *numbers, uint32_t count, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		uint32_t step = (uint32_t)numbers[count - length + i], thread = step ? norn_graph_event(graph, step)->thread : 0,
		         last = step;
		for (uint32_t k = 0; k < count + i; k++) /* its thread goes on from where it is */
			if (numbers[k] && norn_graph_event(graph, (uint32_t)numbers[k])->thread == thread && numbers[k] > last)
				last = (uint32_t)numbers[k];
		numbers[count + i] = step ? next_like(graph, step, last) : 0;
		if (!numbers[count + i])
			return false;
	}
	return true;
}

#define ROUNDS 3u

static void take_property(struct norn_replay_jobs *r, const struct norn_finding *f, uint64_t *numbers)
{
	struct norn_error err = {0};
	struct norn_schedule run = {.base = f->run_base, .count = f->run_count, .events = f->run};
	struct norn_replay_job_result *made = add(r, r->graph);
	uint32_t count = f->witness_count, length = f->kind == NORN_FINDING_LIVENESS ? count - f->loop : 0;
	for (uint32_t k = 0; k < count; k++)
		numbers[k] = f->witness[k].number;
	made->rounds = length > 0;
	while (length && made->rounds < ROUNDS && add_iteration(r->graph, numbers, count + (made->rounds - 1) * length, length))
		made->rounds++;
	for (;; made->rounds--) {
		uint32_t all = count + (made->rounds > 1 ? (made->rounds - 1) * length : 0);
		int e = norn_schedule_constraints_order(
		        r->trace, r->graph, f->run ? &run : NULL, numbers, all, made->prefixes, &made->schedule, &err);
		if (e != -ENOTSUP || made->rounds < 2) {
			added(r, made, f, e, &err);
			return;
		}
		norn_schedule_file_done(&made->schedule);
	}
}

void norn_replay_jobs_take_properties(struct norn_replay_jobs *r, const struct norn_findings *findings)
{
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		if (f->kind != NORN_FINDING_PROPERTY && f->kind != NORN_FINDING_LIVENESS)
			continue;
		uint64_t *numbers = norn_must_calloc(f->witness_count * (size_t)ROUNDS + 1, sizeof *numbers);
		take_property(r, f, numbers);
		free(numbers);
	}
}

static struct norn_replay_job_result *find(struct norn_replay_jobs *r, const char *id)
{
	for (unsigned i = 0; i < r->count; i++)
		if (strcmp(r->list[i].schedule.id, id) == 0)
			return &r->list[i];
	return NULL;
}

/* ---- the program ---- */

/* As a shell would need it. */
static const char *quoted(struct norn_findings *f, const char *word)
{
	if (*word && !strpbrk(word, " \t\n'\"\\$`*?[]{}()<>|&;~#!"))
		return word;
	const char *text = "'";
	for (; *word; word++)
		text = norn_findings_text(f, *word == '\'' ? "%s'\\%c'" : "%s%c", text, *word);
	return norn_findings_text(f, "%s'", text);
}

static const char *command_text(struct norn_findings *f, const char *text, char *const *argv)
{
	for (; *argv; argv++)
		text = norn_findings_text(f, "%s %s", text, quoted(f, *argv));
	return text;
}

/* directory: where it is begun, "": here. */
static const char *replay_command(
        struct norn_findings *f, bool loose, const char *directory, const char *schedule, char *const *argv)
{
	char place[PATH_MAX];
	const char *path = *directory && realpath(schedule, place) ? place : schedule;
	const char *command =
	        command_text(f, norn_findings_text(f, "norn replay %s%s --", loose ? "--loose " : "", quoted(f, path)), argv);
	return *directory ? norn_findings_text(f, "(cd %s && %s)", quoted(f, directory), command) : command;
}

/* ---- one finding ---- */

struct confirmation {
	const struct norn_confirming *c;
	const struct norn_replay_jobs *replay_jobs;
	struct norn_findings *findings;
	char *const *argv;
	const char *begun_in; /* a directory; "": here */
	norn_confirmer_judge *judge;
	void *context;
	struct norn_session_directory directory; /* of the new traces */
	char trace[sizeof(struct norn_session_directory) + 8];
	unsigned runs;
	bool timed; /* in the last run a wait had another end because of the time that it took */
	bool crashed; /* a run ended in a crash before it came to the error: another error of the program came first */
	bool went_on; /* the finding's steps were all done, and nothing was seen of its failure */
};

int norn_confirmer_write(const char *path, const struct norn_schedule_file *schedule)
{
	char *part = NULL;
	FILE *to = norn_output_begin(path, &part);
	if (to)
		norn_schedule_file_write(schedule, to);
	int why = to ? norn_output_end(to, path, part, true) : errno;
	return why ? norn_fail("cannot write %s: %s", path, strerror(why)) : NORN_EXIT_OK;
}

/* The lines of text become the finding's. */
static void tell(struct norn_findings *f, struct norn_finding *finding, const char *text)
{
	uint32_t count = *text != 0;
	for (const char *c = text; *c; c++)
		count += *c == '\n';
	const char **lines = norn_must_arena_alloc(&f->arena, count * sizeof *lines);
	for (uint32_t i = 0; i < count; i++) {
		size_t length = strcspn(text, "\n");
		lines[i] = norn_findings_text(f, "%.*s", (int)length, text);
		text += length + (text[length] == '\n');
	}
	finding->replayed = lines;
	finding->replayed_count = count;
}

/* One more line. */
static void tell_more(struct norn_findings *f, struct norn_finding *finding, const char *line)
{
	const char **lines = norn_must_arena_alloc(&f->arena, (finding->replayed_count + 1ul) * sizeof *lines);
	for (uint32_t i = 0; i < finding->replayed_count; i++)
		lines[i] = finding->replayed[i];
	lines[finding->replayed_count++] = line;
	finding->replayed = lines;
}

/* Why it did not come true, if a thread took another way. If none did, and everything is known that could stop them, it was
 * predicted that they could not be stopped. */
static void explain(struct confirmation *k, const struct norn_replay_job_result *made, struct norn_finding *finding,
        const struct norn_replayed *done)
{
	const char *text = done->text;
	struct norn_divergence divergence = {0};
	struct norn_error err = {0};
	struct norn_trace *other;
	if (norn_trace_open(k->trace, true, &other, &err) != 0) {
		tell(k->findings, finding, text);
		return;
	}
	int r = norn_divergence_find(k->replay_jobs->trace, made->graph, made->prefixes, other, done->let_go, &divergence, &err);
	char *both = r == 0 && divergence.text ? norn_must_format("%s\n%s", divergence.text, text) : NULL;
	k->timed = r == 0 && divergence.timed;
	finding->own_error |= r == 0 && (divergence.own || (done->stuck && !divergence.text && !divergence.foreign));
	tell(k->findings, finding, both ? both : text);
	free(both);
	free(divergence.text);
	norn_trace_close(other);
}

/* Every second try. */
static bool is_loose(unsigned tries)
{
	return tries % 2;
}

/* All steps were done: did the program crash by an access to the address that was predicted? */
static bool judge_null(struct confirmation *k, const struct norn_run_end *end, struct norn_finding *finding)
{
	static const char *const did[] = {"accessing", "reading", "writing", "executing"};
	struct norn_findings *f = k->findings;
	bool crashed = end->crashed && end->crash.access <= NORN_FAULT_EXECUTE;
	if (crashed)
		tell(f, finding,
		        norn_findings_text(f, "then the program crashed: SIG%s %s address 0x%llx", sigabbrev_np((int)end->signal),
		                did[end->crash.access], (unsigned long long)end->crash.address));
	else
		tell(f, finding, "all steps came in their order, but the program did not crash");
	/* A hook reads the whole word that an access is in. */
	uint64_t word = end->crash.address / 8, last = (finding->fault + finding->fault_bytes - 1) / 8;
	return crashed && end->signal == SIGSEGV && finding->fault / 8 <= word && word <= last;
}

/* All steps were done: did the assertion fail then? */
static int judge_assertion(struct confirmation *k, const struct norn_replayed *done, struct norn_finding *finding, bool *ret_true)
{
	struct norn_trace *other;
	struct norn_error err = {0};
	struct norn_run_end end;
	*ret_true = false;
	if (norn_trace_open(k->trace, true, &other, &err) != 0)
		return norn_fail("%s", err.message);
	norn_run_end_read(other, &end);
	if (finding->kind == NORN_FINDING_NULL) {
		*ret_true = judge_null(k, &end, finding);
	} else if (end.asserted && strcmp(end.assertion.expression, finding->variable) == 0) {
		*ret_true = true;
		tell(k->findings, finding,
		        norn_findings_text(k->findings, "then the program failed: %s:%u: assertion failed: %s",
		                basename(end.assertion.file), atomic_load(&end.assertion.line), end.assertion.expression));
	} else if (!end.asserted && WIFSIGNALED(done->status)) {
		*ret_true =
		        WTERMSIG(done->status) == SIGABRT || WTERMSIG(done->status) == SIGILL || WTERMSIG(done->status) == SIGTRAP;
		tell(k->findings, finding,
		        norn_findings_text(
		                k->findings, "then the program was ended by SIG%s", sigabbrev_np(WTERMSIG(done->status))));
	} else if (!end.asserted && WIFEXITED(done->status) && WEXITSTATUS(done->status)) {
		*ret_true = true;
		tell(k->findings, finding,
		        norn_findings_text(k->findings, "then the program ended with status %d", WEXITSTATUS(done->status)));
	} else {
		tell(k->findings, finding, "all steps came in their order, but the assertion held");
		k->went_on = true;
	}
	norn_run_end_done(&end);
	norn_trace_close(other);
	return NORN_EXIT_OK;
}

/* Is the program let go on after such an error? In a deadlock it cannot, and memory that is gone is not used. */
static bool goes_on(unsigned end)
{
	return end != NORN_REPLAY_END_DEADLOCK && end != NORN_REPLAY_END_USE;
}

/* One run. *ret_true: it came true, also as the monitor sees it. */
static int try_once(struct confirmation *k, const struct norn_replay_job_result *made, struct norn_finding *finding, bool *ret_true)
{
	const struct norn_schedule_file *schedule = &made->schedule;
	struct norn_replaying replaying = {.trace = k->trace,
	        .output = k->c->output ? k->c->output : "/dev/null",
	        .model = norn_trace_info(k->replay_jobs->trace, "model"),
	        .directory = k->begun_in,
	        .loose = is_loose(finding->replay_tries)};
	struct norn_replayed done;
	struct norn_error err = {0};
	if (norn_replay_run(schedule, &replaying, k->argv, &done, &err) != 0) {
		norn_replayed_done(&done);
		return norn_fail("%s", err.message);
	}
	k->runs++;
	if (done.told)
		stopped = done.told;
	finding->replay_tries++;
	*ret_true = done.kind == NORN_REPLAYED_TRUE;
	k->crashed |= done.crashed;
	int status = NORN_EXIT_OK;
	if (done.kind == NORN_REPLAYED_WRONG)
		status = norn_fail("%s: %s", k->argv[0], done.text);
	else if (done.kind == NORN_REPLAYED_DIVERGED)
		explain(k, made, finding, &done);
	else
		tell(k->findings, finding, done.text);
	if (status == NORN_EXIT_OK && *ret_true && made->rounds) {
		tell(k->findings, finding,
		        norn_findings_text(k->findings, "the loop was gone through %u time%s, step by step", made->rounds,
		                made->rounds == 1 ? "" : "s"));
	} else if (status == NORN_EXIT_OK && *ret_true && schedule->end == NORN_REPLAY_END_FAIL) {
		status = judge_assertion(k, &done, finding, ret_true);
	} else if (status == NORN_EXIT_OK && *ret_true && schedule->end == NORN_REPLAY_END_PASS) {
		status = k->judge(k->context, k->trace, finding, ret_true);
		if (status == NORN_EXIT_OK && !*ret_true)
			tell(k->findings, finding, "all steps came in the order of the violation, but the property held");
	}
	if (status == NORN_EXIT_OK && *ret_true && goes_on(schedule->end)) {
		norn_aftermath_find(k->c->checking, k->trace, k->replay_jobs->trace, &done, k->findings, finding);
		if (finding->aftermath && schedule->end != NORN_REPLAY_END_FAIL)
			tell_more(k->findings, finding, finding->aftermath);
	}
	unlink(k->trace);
	norn_replayed_done(&done);
	return status;
}

/* Did the threads of the new run go as they had, up to the ends of the prefixes? */
static bool went_as_recorded(const struct confirmation *k, const struct norn_replay_job_result *made)
{
	struct norn_divergence divergence = {0};
	struct norn_error err = {0};
	struct norn_trace *other;
	if (norn_trace_open(k->trace, true, &other, &err) != 0)
		return false;
	int r = norn_divergence_find(k->replay_jobs->trace, made->graph, made->prefixes, other, 0, &divergence, &err);
	norn_trace_close(other);
	free(divergence.text);
	return r == 0 && divergence.whole;
}

/* How a control is made: the program is free; the recorded order; that without the order of input and output. */
enum control { CONTROL_FREE, CONTROL_ORDER, CONTROL_LOOSE };

/* Does the program go again as it did when it was recorded, up to the events of the predicted run? *ret_text: how it ended, to be
 * freed; NULL: there is no schedule for it. Returns the exit status. */
static int take_recorded(
        struct confirmation *k, const struct norn_replay_job_result *made, enum control control, bool *ret_true, char **ret_text)
{
	const struct norn_replay_jobs *r = k->replay_jobs;
	struct norn_schedule_file schedule;
	struct norn_error err = {0};
	int status = NORN_EXIT_OK;
	bool made_it = (control == CONTROL_FREE ? norn_schedule_constraints_free(r->trace, r->graph, &schedule, &err)
	                                        : norn_schedule_constraints_control(
	                                                  r->trace, made->graph, made->prefixes, &schedule, &err)) == 0;
	if (made_it) {
		struct norn_replaying replaying = {.trace = k->trace,
		        .output = k->c->output ? k->c->output : "/dev/null",
		        .model = norn_trace_info(r->trace, "model"),
		        .directory = k->begun_in,
		        .loose = control == CONTROL_LOOSE};
		struct norn_replayed done;
		schedule.pace = made->schedule.pace;
		schedule.id = schedule.title = schedule.property = schedule.command = "";
		if (norn_replay_run(&schedule, &replaying, k->argv, &done, &err) != 0)
			status = norn_fail("%s", err.message);
		k->runs++;
		stopped = done.told ? done.told : stopped;
		*ret_true = done.kind == NORN_REPLAYED_TRUE && (control != CONTROL_FREE || went_as_recorded(k, made));
		free(*ret_text);
		*ret_text = norn_must_text(done.text ? done.text : "");
		unlink(k->trace);
		norn_replayed_done(&done);
	}
	norn_schedule_file_done(&schedule);
	return status;
}

/* It did not come true. A program that goes again as it did when it was recorded was free to take the predicted run: the order
 * alone differs, and the prediction was wrong. Where there is no such schedule, what was compared tells. */
static int find_fault(struct confirmation *k, const struct norn_replay_job_result *made, struct norn_finding *finding)
{
	char *text = NULL;
	bool again = false;
	int status = NORN_EXIT_OK;
	for (enum control c = CONTROL_FREE; c <= CONTROL_LOOSE && !again && !stopped && status == NORN_EXIT_OK; c++)
		status = take_recorded(k, made, c, &again, &text);
	if (!text || stopped || status != NORN_EXIT_OK) {
		free(text);
		return status;
	}
	finding->own_error = again && !k->timed;
	if (!again)
		tell_more(k->findings, finding,
		        norn_findings_text(k->findings,
		                "nor did the program take the recorded run again (%.*s): something from outside kept it",
		                (int)strcspn(text, "\n"), text));
	else if (k->timed)
		tell_more(k->findings, finding, "it was held so long that a wait with a time limit had another result");
	else
		tell_more(k->findings, finding,
		        norn_trace_info(k->replay_jobs->trace, "model") ? "the program took the recorded run again: it was free to "
		                                                          "take the predicted one, so the prediction "
		                                                          "is wrong, or the model"
		                                                        : "the program took the recorded run again: it was free to "
		                                                          "take the predicted one, so the prediction "
		                                                          "is wrong");
	free(text);
	return status;
}

/* Two threads wait for one lock: the one because the other has queued for it, inside of its call, where nothing can be held. */
static bool rests_on_queue(const struct norn_schedule_file *schedule)
{
	for (uint32_t i = 0; schedule->end == NORN_REPLAY_END_DEADLOCK && i < schedule->stop_count; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct norn_schedule_file_step *a = &schedule->steps.items[schedule->stops[i]],
			                                     *b = &schedule->steps.items[schedule->stops[j]];
			if (a->operation == NORN_OPERATION_LOCK && b->operation == NORN_OPERATION_LOCK &&
			        strcmp(a->what, b->what) == 0)
				return true;
		}
	return false;
}

static int confirm(struct confirmation *k, struct norn_replay_job_result *made, struct norn_finding *finding)
{
	char path[PATH_MAX];
	bool came_true = false;
	snprintf(path, sizeof path, "%s/%s.schedule", k->c->directory ? k->c->directory : DIRECTORY, finding->id);
	finding->replay = "";
	if (made->reason) {
		tell(k->findings, finding, made->reason);
		return NORN_EXIT_OK;
	}
	const char *command = "";
	for (char *const *word = k->argv; *word; word++)
		command = norn_findings_text(k->findings, "%s%s%s", command, *command ? " " : "", quoted(k->findings, *word));
	made->schedule.command = command;
	int status = norn_confirmer_write(path, &made->schedule);
	k->went_on = k->crashed = false;
	for (unsigned i = 0; status == NORN_EXIT_OK && !came_true && !stopped && i < (k->c->tries ? k->c->tries : TRIES); i++)
		status = try_once(k, made, finding, &came_true);
	if (status == NORN_EXIT_OK && came_true) {
		finding->status = "confirmed";
		finding->own_error = false;
		finding->replay = replay_command(k->findings, is_loose(finding->replay_tries - 1), k->begun_in, path, k->argv);
	}
	finding->own_error &= finding->assumption_count == 0; /* its assumption may be wrong */
	if (stopped && !came_true) {
		finding->own_error = false;
		tell(k->findings, finding, "not finished: it was interrupted");
	}
	bool missed = status == NORN_EXIT_OK && !came_true && !stopped && finding->assumption_count == 0;
	if (missed && rests_on_queue(&made->schedule)) {
		finding->own_error = false;
		tell_more(k->findings, finding,
		        "both threads wait for one lock, and one of them must be in its queue first: that cannot be forced, it "
		        "can only happen");
	} else if (missed && finding->by_function && k->went_on) {
		finding->own_error = false;
		tell(k->findings, finding,
		        norn_findings_text(k->findings,
		                "all steps came in their order, and the program went on: %s may have failed and returned, "
		                "which cannot be seen",
		                finding->variable));
	} else if (missed && k->crashed) {
		finding->own_error = false;
		tell_more(k->findings, finding,
		        "the program crashed before it came there: another of its errors comes first in this order");
	} else if (missed) {
		status = find_fault(k, made, finding);
	}
	return status;
}

/* ---- all findings ---- */

/* A signal to end between two runs is obeyed when there is nothing left to be removed. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

static void stop(int signal)
{
	stopped = signal;
}

static void set_signals(struct sigaction *saved)
{
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaction(ends[i], &(struct sigaction){.sa_handler = stop, .sa_flags = SA_RESTART}, &saved[i]);
}

static void reset_signals(const struct sigaction *saved)
{
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaction(ends[i], &saved[i], NULL);
}

static int make_places(struct confirmation *k)
{
	const char *schedules = k->c->directory ? k->c->directory : DIRECTORY;
	if (mkdir(schedules, 0777) != 0 && errno != EEXIST)
		return norn_fail("cannot make the directory %s: %s", schedules, strerror(errno));
	if (norn_outputs_writable(schedules) == ELOOP) /* made meanwhile */
		return norn_fail("cannot write schedules to %s: %s", schedules, strerror(ELOOP));
	struct norn_error err = {0};
	if (norn_session_directory_make(&k->directory, "norn-confirm", &err) != 0)
		return norn_fail("%s", err.message);
	snprintf(k->trace, sizeof k->trace, "%s/trace", k->directory.path);
	return NORN_EXIT_OK;
}

static void count_own_errors(struct norn_findings *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		f->stats.own_errors += f->list[i].own_error;
	if (f->stats.own_errors)
		norn_findings_note(f,
		        "%u of the findings did not come true by an error of Norn's own, a dependence that the prediction missed: "
		        "please report it",
		        f->stats.own_errors);
}

static void tell_all(const struct norn_confirming *c, struct norn_findings *findings, const char *reason)
{
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *f = &findings->list[i];
		if (c->id && strcmp(c->id, f->id) != 0)
			continue;
		*c->found = true;
		f->replay = "";
		tell(findings, f, reason);
	}
}

int norn_confirmer_run(const struct norn_confirming *c, struct norn_replay_jobs *replay_jobs, norn_confirmer_judge *judge,
        void *context, struct norn_findings *findings)
{
	struct norn_process_beginning begun = {0};
	if (!c->program)
		begun = norn_process_beginning_of(replay_jobs->trace, c->child);
	if (begun.reason) {
		tell_all(c, findings, begun.reason);
		return NORN_EXIT_OK;
	}
	char **stored = begun.argv;
	struct confirmation k = {.c = c,
	        .replay_jobs = replay_jobs,
	        .findings = findings,
	        .argv = c->program ? c->program : stored,
	        .begun_in = begun.directory,
	        .judge = judge,
	        .context = context,
	        .directory = {.lock = -1}};
	int status = NORN_EXIT_OK;
	bool any = false;
	char place[PATH_MAX];
	struct norn_error err = {0};
	struct sigaction saved[sizeof ends / sizeof *ends];
	if (!k.argv)
		return norn_fail("%s does not say how the program was started: norn confirm [TRACE] -- PROG [ARG…]",
		        norn_trace_path(replay_jobs->trace));
	set_signals(saved);
	for (uint32_t i = 0; status == NORN_EXIT_OK && !stopped && i < findings->count; i++) {
		struct norn_finding *f = &findings->list[i];
		struct norn_replay_job_result *made = find(replay_jobs, f->id);
		if (c->id && strcmp(c->id, f->id) != 0)
			continue;
		*c->found = true;
		if (!made) {
			f->replay = "";
			bool observed = f->status && strcmp(f->status, "observed") == 0;
			tell(findings, f,
			        observed ? "it happened in the recorded run itself: there is no other order to take"
			                 : "there is no schedule for it: the run is too long to keep all of it (--max-memory), or "
			                   "only --causality mvc finds it");
			continue;
		}
		if (!any && norn_replay_run_match(&made->schedule, norn_process_path(k.begun_in, k.argv[0], place),
		                    stored ? replay_jobs->trace : NULL, &err) != 0) {
			status = norn_fail("%s", err.message);
			break;
		}
		if (!any) {
			norn_note("running%s again%s%s to confirm what was found: what it does to files and other programs, it "
			          "does again",
			        command_text(findings, "", k.argv), *k.begun_in ? " in " : "", k.begun_in);
			status = make_places(&k);
		}
		any = true;
		if (status == NORN_EXIT_OK)
			status = confirm(&k, made, f);
	}
	if (status == NORN_EXIT_OK)
		count_own_errors(findings);
	reset_signals(saved);
	norn_session_directory_remove(&k.directory); /* with the traces of processes that the program forked */
	free(stored);
	if (stopped == SIGINT)
		norn_interrupt_note(); /* what was found so far is shown */
	else if (stopped)
		raise(stopped);
	return status;
}
