#include "jobs/results/regression.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "jobs/checker.h"
#include "jobs/say.h"
#include "recorder/recorder.h"
#include "trace/reader.h"
#include "trace/site_table.h"

/* ---- keeping one ---- */

/* The one that was confirmed; NULL, and a sentence: none, or several. */
static const struct norn_finding *find_confirmed(const struct norn_findings *findings)
{
	const struct norn_finding *found = NULL;
	unsigned count = 0;
	for (uint32_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].status, "confirmed") == 0 && count++ == 0)
			found = &findings->list[i];
	if (count == 1)
		return found;
	norn_fail(count ? "%u findings were confirmed: say which of them is to be kept (--id ID)"
	                : "no finding was confirmed: there is no schedule to be kept",
	        count);
	return NULL;
}

int norn_regression_save(const struct norn_confirming *c, const struct norn_findings *findings)
{
	char path[PATH_MAX];
	struct norn_schedule_file schedule;
	struct norn_error err = {0};
	const struct norn_finding *found = find_confirmed(findings);
	if (!found)
		return NORN_EXIT_USAGE;
	snprintf(path, sizeof path, "%s/%s.schedule", c->directory ? c->directory : NORN_CONFIRM_DIRECTORY, found->id);
	int status = norn_schedule_file_read(path, &schedule, &err) == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
	FILE *to = status == NORN_EXIT_OK ? norn_open_output(c->save) : NULL;
	if (to) {
		schedule.fingerprint = found->fingerprint;
		norn_schedule_file_write(&schedule, to);
	}
	if (status == NORN_EXIT_OK && (!to || (ferror(to) | fclose(to)) != 0))
		status = norn_fail("cannot write %s: %s", c->save, strerror(errno));
	norn_schedule_file_done(&schedule);
	if (status == NORN_EXIT_OK)
		norn_note("%s is kept in %s: norn replay %s -- %s fails while the error can come true", found->id, c->save, c->save,
		        findings->command ? findings->command : "PROGRAM");
	return status;
}

/* ---- judging another build ---- */

struct regression {
	const struct norn_schedule_file *schedule;
	char directory[64], trace[96];
	char *id; /* of the finding with the fingerprint; NULL: there is none */
	char *status, *message;
	bool complete;
};

static void look(void *context, const struct norn_findings *findings)
{
	struct regression *r = context;
	r->complete = findings->stats.complete;
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		if (strcmp(f->fingerprint, r->schedule->fingerprint) != 0)
			continue;
		free(r->id);
		free(r->status);
		free(r->message);
		r->id = norn_must_text(f->id);
		r->status = norn_must_text(f->status);
		r->message = norn_must_format("%s: %s", f->outcome, f->message);
	}
}

static int record(struct regression *r, char *const *program)
{
	struct norn_recording recording = {.trace = r->trace, .failed = norn_say_full};
	struct norn_error err = {0};
	int result = norn_recorder_run(&recording, (char **)program, &err);
	if (result != 0 && !recording.instrumented)
		return norn_fail("%s", err.message);
	if (recording.outdated)
		return norn_fail_outdated(program[0]);
	return recording.instrumented ? NORN_EXIT_OK : norn_fail_unrecorded(program[0]);
}

static bool table_has(const struct norn_site_table *table, const char *function)
{
	const struct norn_site *sites = (const struct norn_site *)(table + 1);
	const char *strings = (const char *)(sites + table->sites) + table->frames * sizeof(struct norn_frame) + table->facts;
	for (uint32_t i = 0; i < table->sites; i++)
		if (sites[i].function < table->strings && strcmp(strings + sites[i].function, function) == 0)
			return true;
	return false;
}

/* Says which function that the error is of is not there any more; false: all are. */
static bool is_gone(const struct regression *r)
{
	struct norn_trace *trace;
	struct norn_error err = {0};
	const char *missing = NULL;
	if (norn_trace_open(r->trace, true, &trace, &err) != 0)
		return false;
	for (uint32_t i = 0; i < r->schedule->stop_count && !missing; i++) {
		uint32_t site = r->schedule->steps[r->schedule->stops[i]].site, base;
		const char *function = site ? r->schedule->sites[site - 1].function : "", *path;
		const struct norn_site_table *table;
		bool there = !*function;
		for (unsigned k = 0; !there && norn_trace_module(trace, k, &base, &path, &table); k++)
			there = table_has(table, function);
		missing = there ? NULL : function;
	}
	if (missing)
		norn_fail("the schedule no longer applies: the program has no function %s any more; confirm the error anew, or "
		          "delete the "
		          "schedule",
		        missing);
	norn_trace_close(trace);
	return missing;
}

static int check(struct regression *r, char *const *program, const char *id)
{
	struct norn_checking c;
	char schedules[96];
	norn_checker_init(&c, 1);
	snprintf(schedules, sizeof schedules, "%s/schedules", r->directory);
	c.trace = r->trace;
	c.keep = look;
	c.keep_context = r;
	c.confirm.wanted = id;
	c.confirm.id = id;
	c.confirm.program = program;
	c.confirm.directory = schedules;
	int status = norn_checker_run(&c);
	norn_checker_done(&c);
	return status;
}

static int tell(const struct regression *r)
{
	const struct norn_schedule_file *s = r->schedule;
	if (!r->id) {
		printf("%s %s: not found in a run of this program, which is another build%s\n", s->id, s->title,
		        r->complete ? "" : "; but not all of the run could be judged");
		return r->complete ? NORN_EXIT_OK : NORN_EXIT_CUT;
	}
	printf("%s %s: %s\n  in this build it is %s, %s\n", s->id, s->title,
	        strcmp(r->status, "confirmed") == 0 ? "reproduced" : "still predicted, though not reproduced", r->id, r->message);
	return NORN_EXIT_FINDINGS;
}

static void remove_all(const char *directory)
{
	DIR *all = opendir(directory);
	char path[PATH_MAX];
	for (struct dirent *e; all && (e = readdir(all));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
		if (unlink(path) != 0)
			remove_all(path);
	}
	if (all)
		closedir(all);
	rmdir(directory);
}

int norn_regression_judge(const struct norn_schedule_file *schedule, char *const *program)
{
	struct regression r = {.schedule = schedule, .directory = "/tmp/norn-regression.XXXXXX"};
	if (*schedule->property)
		return norn_fail("the schedule is of another build of this program, and of property %s: confirm it anew (norn "
		                 "confirm --prop "
		                 "FILE --save FILE)",
		        schedule->property);
	if (!mkdtemp(r.directory))
		return norn_fail("cannot make a directory in /tmp: %s", strerror(errno));
	snprintf(r.trace, sizeof r.trace, "%s/trace", r.directory);
	int status = record(&r, program);
	if (status == NORN_EXIT_OK)
		status = check(&r, program, NULL);
	if (status == NORN_EXIT_OK && !r.id && is_gone(&r))
		status = NORN_EXIT_USAGE;
	char *id = r.id ? norn_must_text(r.id) : NULL;
	if (status == NORN_EXIT_OK && id)
		status = check(&r, program, id);
	if (status == NORN_EXIT_OK)
		status = tell(&r);
	free(id);
	free(r.id);
	free(r.status);
	free(r.message);
	remove_all(r.directory);
	return status;
}
