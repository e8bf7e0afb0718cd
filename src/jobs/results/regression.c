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
#include "jobs/results/regression_places.h"
#include "jobs/say.h"
#include "recorder/recorder.h"

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

/* The lines of the file that the finding's property is in; none if it includes others, which would not be found from elsewhere. */
static int keep_property(const struct norn_checking *c, const struct norn_finding *finding, struct norn_schedule_file *schedule)
{
	const char *path = NULL;
	for (unsigned i = 0; i < c->prop_count; i++)
		if (strcmp(c->props[i], finding->definition_file) == 0)
			path = c->props[i];
	FILE *from = path ? fopen(path, "re") : NULL;
	if (path && !from)
		return norn_fail("cannot read %s: %s", path, strerror(errno));
	char *line = NULL;
	size_t room = 0;
	bool includes = false;
	while (from && getline(&line, &room, from) >= 0) {
		line[strcspn(line, "\n")] = 0;
		includes |= strncmp(line + strspn(line, " \t"), "include", 7) == 0;
		norn_schedule_file_add_source(schedule, line);
	}
	free(line);
	if (from)
		fclose(from);
	if (includes || !path)
		schedule->sources.count = 0;
	if (!schedule->sources.count)
		norn_note("the schedule is for this build only: the file of property %s %s", finding->property,
		        includes ? "includes others" : "was not kept");
	return NORN_EXIT_OK;
}

static int keep_error(const struct norn_checking *c, const struct norn_finding *found, struct norn_schedule_file *schedule)
{
	schedule->fingerprint = found->fingerprint;
	schedule->infer = c->infer;
	norn_regression_places_keep(schedule, found);
	return *found->property ? keep_property(c, found, schedule) : NORN_EXIT_OK;
}

int norn_regression_save(const struct norn_checking *checking, const struct norn_findings *findings)
{
	const struct norn_confirming *c = &checking->confirm;
	char path[PATH_MAX];
	struct norn_schedule_file schedule;
	struct norn_error err = {0};
	const struct norn_finding *found = find_confirmed(findings);
	if (!found)
		return NORN_EXIT_USAGE;
	snprintf(path, sizeof path, "%s/%s.schedule", c->directory ? c->directory : NORN_CONFIRM_DIRECTORY, found->id);
	int status = norn_schedule_file_read(path, &schedule, &err) == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
	if (status == NORN_EXIT_OK)
		status = keep_error(checking, found, &schedule);
	if (status == NORN_EXIT_OK)
		status = norn_confirmer_write(c->save, &schedule);
	if (status == NORN_EXIT_OK)
		norn_note("%s is kept in %s: norn replay %s -- %s fails while the error can come true", found->id, c->save, c->save,
		        *schedule.command ? schedule.command : "PROGRAM");
	norn_schedule_file_done(&schedule);
	return status;
}

/* ---- judging another build ---- */

/* How the findings of the build are to that of the schedule; the later, the nearer. */
enum likeness { LIKE_NONE, LIKE_KIND, LIKE_VARIABLE /* kind and variable, or the property */, LIKE_SAME /* its fingerprint */ };

struct regression {
	const struct norn_schedule_file *schedule;
	char directory[64], trace[96], property[96];
	enum likeness likeness;
	char *id; /* of the nearest finding; NULL: LIKE_NONE */
	char *status, *outcome, *message;
	bool complete;
};

/* Of several findings with one fingerprint each has a number of its own: when one is fixed, the others' change. */
static bool is_same(const char *a, const char *b)
{
	size_t length = strcspn(a, "-");
	return length == strcspn(b, "-") && memcmp(a, b, length) == 0;
}

static enum likeness likeness_of(const struct norn_schedule_file *s, const struct norn_finding *f)
{
	if (is_same(f->fingerprint, s->fingerprint))
		return LIKE_SAME;
	if (*s->property)
		return strcmp(f->property, s->property) == 0 ? LIKE_VARIABLE : LIKE_NONE;
	if (strcmp(norn_finding_kind_name(f->kind), s->kind) != 0)
		return LIKE_NONE;
	return *s->variable && strcmp(f->variable, s->variable) == 0 ? LIKE_VARIABLE : LIKE_KIND;
}

static void forget(struct regression *r)
{
	free(r->id);
	free(r->status);
	free(r->outcome);
	free(r->message);
	r->id = r->status = r->outcome = r->message = NULL;
	r->likeness = LIKE_NONE;
}

static void look(void *context, const struct norn_findings *findings)
{
	struct regression *r = context;
	forget(r);
	r->complete = findings->stats.complete;
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		enum likeness likeness = likeness_of(r->schedule, f);
		if (likeness <= r->likeness && !(likeness == r->likeness && strcmp(f->status, "confirmed") == 0))
			continue;
		if (likeness == LIKE_NONE)
			continue;
		forget(r);
		r->likeness = likeness;
		r->id = norn_must_text(f->id);
		r->status = norn_must_text(f->status);
		r->outcome = norn_must_text(f->outcome);
		r->message = norn_must_text(f->message);
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

static int check(struct regression *r, char *const *program, const char *id)
{
	struct norn_checking c;
	char schedules[96];
	norn_checker_init(&c, 1);
	c.suppressions[c.suppression_count++] = "/dev/null"; /* what is suppressed is an error still */
	c.infer = r->schedule->infer;
	if (*r->property)
		c.props[c.prop_count++] = r->property;
	snprintf(schedules, sizeof schedules, "%s/schedules", r->directory);
	c.trace = r->trace;
	c.keep = look;
	c.keep_context = r;
	c.confirm.wanted = id;
	c.confirm.id = id;
	c.confirm.program = program;
	c.confirm.directory = schedules;
	int status = norn_checker_run(&c);
	if (status != NORN_EXIT_OK && *r->property)
		norn_fail("the schedule no longer applies: property %s cannot be judged on this program", r->schedule->property);
	norn_checker_done(&c);
	return status;
}

static int tell_found(const struct regression *r)
{
	const struct norn_schedule_file *s = r->schedule;
	bool confirmed = strcmp(r->status, "confirmed") == 0;
	if (r->likeness == LIKE_SAME)
		printf("%s %s: %s\n  in this build it is %s, %s: %s\n", s->id, s->title,
		        confirmed ? "reproduced" : "still predicted, though not reproduced", r->id, r->outcome, r->message);
	else
		printf("%s %s: %s at other places\n  in this build: %s, %s: %s\n", s->id, s->title,
		        confirmed ? "reproduced" : "still predicted", r->id, r->outcome, r->message);
	return NORN_EXIT_FINDINGS;
}

/* It was not found: that counts only if the run came by its places, and all of it was judged. */
static int tell_missing(const struct regression *r)
{
	const struct norn_schedule_file *s = r->schedule;
	char *reason = norn_regression_places_missing(s, r->trace);
	if (reason) {
		norn_fail("the schedule no longer applies: %s; confirm the error anew, or delete the schedule", reason);
		if (r->id)
			norn_note("another error of its kind is %s: %s, %s: %s", r->status, r->id, r->outcome, r->message);
		free(reason);
		return NORN_EXIT_USAGE;
	}
	printf("%s %s: not found in a run of this program that reached its places%s\n", s->id, s->title,
	        r->complete ? "" : "; but not all of the run could be judged (norn run says why)");
	return r->complete ? NORN_EXIT_OK : NORN_EXIT_CUT;
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

static int write_property(struct regression *r)
{
	snprintf(r->property, sizeof r->property, "%s/kept.prop", r->directory);
	FILE *to = norn_open_output(r->property);
	for (uint32_t i = 0; to && i < r->schedule->sources.count; i++)
		fprintf(to, "%s\n", r->schedule->sources.items[i]);
	return to && (ferror(to) | fclose(to)) == 0 ? NORN_EXIT_OK : norn_fail("cannot write %s: %s", r->property, strerror(errno));
}

static int judge(struct regression *r, char *const *program)
{
	int status = *r->schedule->property ? write_property(r) : NORN_EXIT_OK;
	if (status == NORN_EXIT_OK)
		status = record(r, program);
	if (status == NORN_EXIT_OK)
		status = check(r, program, NULL);
	if (status == NORN_EXIT_OK && r->likeness >= LIKE_VARIABLE) {
		char *id = norn_must_text(r->id);
		status = check(r, program, id);
		free(id);
		return status == NORN_EXIT_OK ? tell_found(r) : status;
	}
	return status == NORN_EXIT_OK ? tell_missing(r) : status;
}

int norn_regression_judge(const struct norn_schedule_file *schedule, char *const *program)
{
	struct regression r = {.schedule = schedule, .directory = "/tmp/norn-regression.XXXXXX"};
	if (!*schedule->kind)
		return norn_fail("the schedule says nothing of its error by which another run can be judged: confirm it anew (norn "
		                 "confirm --save FILE)");
	if (*schedule->property && !schedule->sources.count)
		return norn_fail(
		        "the schedule is of another run, or build, of this program, and does not have the text of property "
		        "%s: confirm it anew (norn confirm --prop FILE --save FILE)",
		        schedule->property);
	if (!mkdtemp(r.directory))
		return norn_fail("cannot make a directory in /tmp: %s", strerror(errno));
	snprintf(r.trace, sizeof r.trace, "%s/trace", r.directory);
	int status = judge(&r, program);
	forget(&r);
	remove_all(r.directory);
	return status;
}
