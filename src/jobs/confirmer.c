#include "jobs/confirmer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "confirm/replay_run.h"
#include "jobs/outputs.h"
#include "recorder/recorder.h"
#include "jobs/say.h"
#include "confirm/divergence.h"
#include "confirm/schedule_constraints.h"

#define TRIES 3u
#define DIRECTORY "norn.schedules"

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
	if (stat(schedules, &st) != 0)
		why = norn_outputs_writable(schedules);
	else
		why = !S_ISDIR(st.st_mode) ? ENOTDIR : access(schedules, W_OK | X_OK) == 0 ? 0 : errno;
	return why ? norn_fail("cannot write schedules to %s: %s", schedules, strerror(why)) : NORN_EXIT_OK;
}

/* ---- scripts ---- */

void norn_replay_jobs_done(struct norn_replay_jobs *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		norn_schedule_file_done(&r->list[i].script);
		free(r->list[i].reason);
		free(r->list[i].prefixes);
	}
	free(r->list);
	r->list = NULL;
	r->count = r->room = 0;
}

static struct norn_replay_job_result *add(struct norn_replay_jobs *r)
{
	norn_must_grow(&r->list, r->count + UINT64_C(1), &r->room, sizeof *r->list);
	struct norn_replay_job_result *made = &r->list[r->count++];
	*made = (struct norn_replay_job_result){.prefixes = norn_must_calloc(norn_graph_threads(r->graph), sizeof *made->prefixes)};
	norn_schedule_file_init(&made->script);
	return made;
}

static uint32_t at_most(unsigned long long number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* How long the recorded run took, and how much there is of it. */
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

/* result: of making the script. */
static void added(const struct norn_replay_jobs *r, struct norn_replay_job_result *made, const struct norn_finding *finding,
        int result, const struct norn_error *err)
{
	struct norn_schedule_file *s = &made->script;
	if (result != 0)
		made->reason = norn_must_text(err->message);
	s->pace = pace_of(r->trace);
	s->id = norn_must_arena_text(&s->arena, finding->id, strlen(finding->id));
	s->title = norn_must_arena_text(&s->arena, finding->outcome, strlen(finding->outcome));
	s->property = norn_must_arena_text(&s->arena, finding->property, strlen(finding->property));
}

int norn_replay_jobs_take(void *context, const struct norn_finding *finding, const struct norn_predicted *predicted)
{
	struct norn_replay_jobs *r = context;
	struct norn_error err = {0};
	struct norn_replay_job_result *made = add(r);
	int result = norn_schedule_constraints(r->trace, r->graph, predicted, made->prefixes, &made->script, &err);
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

/* One more turn of a loop, as far as it was recorded: its steps, which are the last length of count numbers, behind them. False: it
 * was not. */
static bool add_turn(const struct norn_graph *graph, uint64_t *numbers, uint32_t count, uint32_t length)
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
	struct norn_replay_job_result *made = add(r);
	uint32_t count = f->witness_count, length = f->kind == NORN_FINDING_LIVENESS ? count - f->loop : 0;
	for (uint32_t k = 0; k < count; k++)
		numbers[k] = f->witness[k].number;
	made->rounds = length > 0;
	while (length && made->rounds < ROUNDS && add_turn(r->graph, numbers, count + (made->rounds - 1) * length, length))
		made->rounds++;
	for (;; made->rounds--) {
		uint32_t all = count + (made->rounds > 1 ? (made->rounds - 1) * length : 0);
		int e = norn_schedule_constraints_order(
		        r->trace, r->graph, f->run ? &run : NULL, numbers, all, made->prefixes, &made->script, &err);
		if (e != -ENOTSUP || made->rounds < 2) {
			added(r, made, f, e, &err);
			return;
		}
		norn_schedule_file_done(&made->script);
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
		if (strcmp(r->list[i].script.id, id) == 0)
			return &r->list[i];
	return NULL;
}

/* ---- the program ---- */

/* The command line of the recorded program, as an array to be freed with its one text; NULL: not known. */
static char **recorded_arguments(const struct norn_trace *trace)
{
	const char *stored = norn_trace_info(trace, "arguments");
	size_t count = 1;
	for (const char *c = stored ? stored : ""; *c; c++)
		count += *c == NORN_ARGUMENT_END;
	if (!stored)
		return NULL;
	char **argv = norn_must_alloc((count + 1) * sizeof *argv + strlen(stored) + 1, 1);
	char *text = strcpy((char *)(argv + count + 1), stored);
	for (size_t i = 0; i < count; i++) {
		argv[i] = text;
		text += strcspn(text, (const char[]){NORN_ARGUMENT_END, 0});
		*text++ = 0;
	}
	argv[count] = NULL;
	return argv;
}

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

static const char *replay_command(struct norn_findings *f, bool loose, const char *schedule, char *const *argv)
{
	const char *text = norn_findings_text(f, "norn replay %s%s --", loose ? "--loose " : "", quoted(f, schedule));
	for (; *argv; argv++)
		text = norn_findings_text(f, "%s %s", text, quoted(f, *argv));
	return text;
}

/* ---- one finding ---- */

struct confirmation {
	const struct norn_confirming *c;
	const struct norn_replay_jobs *replay_jobs;
	struct norn_findings *findings;
	char *const *argv;
	norn_confirmer_judge *judge;
	void *context;
	char directory[128], trace[160]; /* of the new traces */
	unsigned runs;
};

static int write_schedule(const char *path, const struct norn_schedule_file *script)
{
	FILE *to = fopen(path, "we");
	if (!to)
		return norn_fail("cannot write %s: %s", path, strerror(errno));
	norn_schedule_file_write(script, to);
	bool failed = ferror(to);
	failed |= fclose(to) != 0;
	return failed ? norn_fail("cannot write %s: %s", path, strerror(errno)) : NORN_EXIT_OK;
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
	finding->enacted = lines;
	finding->enacted_count = count;
}

/* Why it did not come true, if a thread took another way. If none did, and everything is known that could stop them, it was
 * predicted that they could not be stopped. */
static void explain(struct confirmation *k, const struct norn_replay_job_result *made, struct norn_finding *finding,
        const struct norn_replayed *done)
{
	const char *text = done->text;
	struct norn_divergence departure = {0};
	struct norn_error err = {0};
	struct norn_trace *other;
	if (norn_trace_open(k->trace, true, &other, &err) != 0) {
		tell(k->findings, finding, text);
		return;
	}
	int r = norn_divergence_find(
	        k->replay_jobs->trace, k->replay_jobs->graph, made->prefixes, other, done->let_go, &departure, &err);
	char *both = r == 0 && departure.text ? norn_must_format("%s\n%s", departure.text, text) : NULL;
	finding->own_error |= r == 0 && (departure.own || (done->stuck && !departure.text && !departure.foreign));
	tell(k->findings, finding, both ? both : text);
	free(both);
	free(departure.text);
	norn_trace_close(other);
}

/* Every second try. */
static bool is_loose(unsigned tries)
{
	return tries % 2;
}

/* One run. *ret_true: it came true, also as the monitor sees it. */
static int try_once(struct confirmation *k, const struct norn_replay_job_result *made, struct norn_finding *finding, bool *ret_true)
{
	const struct norn_schedule_file *script = &made->script;
	struct norn_replaying enacting = {
	        .trace = k->trace, .output = k->c->output ? k->c->output : "/dev/null", .loose = is_loose(finding->enacted_tries)};
	struct norn_replayed done;
	struct norn_error err = {0};
	if (norn_enactor_run(script, &enacting, k->argv, &done, &err) != 0) {
		norn_replayed_done(&done);
		return norn_fail("%s", err.message);
	}
	k->runs++;
	if (done.told)
		stopped = done.told;
	finding->enacted_tries++;
	*ret_true = done.kind == NORN_REPLAYED_TRUE;
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
	} else if (status == NORN_EXIT_OK && *ret_true && script->end == NORN_SCENE_PASS) {
		status = k->judge(k->context, k->trace, finding, ret_true);
		if (status == NORN_EXIT_OK && !*ret_true)
			tell(k->findings, finding, "all steps came in the order of the violation, but the property held");
	}
	unlink(k->trace);
	norn_replayed_done(&done);
	return status;
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
	made->script.command = command;
	int status = write_schedule(path, &made->script);
	for (unsigned i = 0; status == NORN_EXIT_OK && !came_true && !stopped && i < (k->c->tries ? k->c->tries : TRIES); i++)
		status = try_once(k, made, finding, &came_true);
	if (status == NORN_EXIT_OK && came_true) {
		finding->status = "confirmed";
		finding->own_error = false;
		finding->replay = replay_command(k->findings, is_loose(finding->enacted_tries - 1), path, k->argv);
	}
	finding->own_error &= finding->assumption_count == 0; /* its assumption may be wrong */
	return status;
}

/* ---- all findings ---- */

/* Who is told to end between two runs ends when there is nothing left to be removed. */
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
	const char *const places[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
	if (mkdir(schedules, 0777) != 0 && errno != EEXIST)
		return norn_fail("cannot make the directory %s: %s", schedules, strerror(errno));
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		if (!places[i])
			continue;
		snprintf(k->directory, sizeof k->directory, "%.100s/norn-confirm.XXXXXX", places[i]);
		if (mkdtemp(k->directory)) {
			snprintf(k->trace, sizeof k->trace, "%s/trace", k->directory);
			return NORN_EXIT_OK;
		}
	}
	k->directory[0] = 0;
	return norn_fail("cannot make a directory in /dev/shm, $TMPDIR or /tmp: %s", strerror(errno));
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

int norn_confirmer_run(const struct norn_confirming *c, struct norn_replay_jobs *replay_jobs, norn_confirmer_judge *judge,
        void *context, struct norn_findings *findings)
{
	char **stored = c->program ? NULL : recorded_arguments(replay_jobs->trace);
	struct confirmation k = {.c = c,
	        .replay_jobs = replay_jobs,
	        .findings = findings,
	        .argv = c->program ? c->program : stored,
	        .judge = judge,
	        .context = context};
	int status = NORN_EXIT_OK;
	bool any = false, found = false;
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
		found = true;
		if (!made) {
			f->replay = "";
			tell(findings, f,
			        "there is no schedule for it: the run is too long to keep all of it (--max-memory), or only "
			        "--causality mvc finds it");
			continue;
		}
		if (!any && norn_enactor_match(&made->script, k.argv[0], &err) != 0) {
			status = norn_fail("%s", err.message);
			break;
		}
		if (!any) {
			norn_note("running %s again to confirm what was found: what it does to files and other programs, it does "
			          "again",
			        k.argv[0]);
			status = make_places(&k);
		}
		any = true;
		if (status == NORN_EXIT_OK)
			status = confirm(&k, made, f);
	}
	if (status == NORN_EXIT_OK)
		count_own_errors(findings);
	if (status == NORN_EXIT_OK && c->id && !found)
		status = norn_fail("there is no finding %s", c->id);
	reset_signals(saved);
	if (k.directory[0])
		norn_remove_directory(k.directory); /* with the traces of processes that the program forked */
	free(stored);
	if (stopped)
		raise(stopped);
	return status;
}
