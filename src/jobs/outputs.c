#include "jobs/outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "jobs/say.h"
#include "report/code_quality.h"
#include "report/html/page.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/perfetto.h"
#include "report/sarif.h"

bool norn_outputs_option(struct norn_outputs *o, int id, const char *value)
{
	if (id < NORN_OUTPUT_OPTION || id >= NORN_OUTPUT_OPTION + NORN_OUTPUTS)
		return false;
	o->paths[id - NORN_OUTPUT_OPTION] = value;
	return true;
}

bool norn_outputs_take_stdout(const struct norn_outputs *o)
{
	for (unsigned i = 0; i < NORN_OUTPUTS; i++)
		if (o->paths[i] && strcmp(o->paths[i], "-") == 0)
			return true;
	return false;
}

bool norn_outputs_wanted(const struct norn_outputs *o)
{
	for (unsigned i = 0; i < NORN_OUTPUTS; i++)
		if (o->paths[i])
			return true;
	return false;
}

int norn_outputs_writable(const char *path)
{
	struct stat st;
	char folder[PATH_MAX];
	if (strcmp(path, "-") == 0)
		return 0;
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && !norn_may_follow(path))
		return ELOOP; /* another user may have made it */
	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) == 0 ? 0 : errno;
	int length = snprintf(folder, sizeof folder, "%.*s", (int)(basename(path) - path), path);
	if (length >= PATH_MAX)
		return ENAMETOOLONG;
	return access(length ? folder : ".", W_OK | X_OK) == 0 ? 0 : errno;
}

int norn_outputs_ready(const struct norn_outputs *o)
{
	for (unsigned i = 0; i < NORN_OUTPUTS; i++) {
		int why = o->paths[i] ? norn_outputs_writable(o->paths[i]) : 0;
		if (why)
			return norn_fail("cannot write %s: %s", o->paths[i], strerror(why));
		for (unsigned k = 0; k < i && o->paths[i]; k++)
			if (o->paths[k] && strcmp(o->paths[i], o->paths[k]) == 0)
				return norn_fail(
				        "two reports cannot both go to %s: name another file for one of them", o->paths[i]);
	}
	return NORN_EXIT_OK;
}

/* trace: its file was written when the run ended. */
static void put_page(const struct norn_findings *findings, const char *trace, FILE *to)
{
	char recorded[64] = "";
	struct stat st;
	struct tm when;
	if (*trace && stat(trace, &st) == 0 && localtime_r(&st.st_mtime, &when))
		strftime(recorded, sizeof recorded, "%Y-%m-%d %H:%M:%S %z", &when);
	const struct norn_report_about about = {trace, findings->command ? findings->command : "", recorded, "Norn " NORN_VERSION};
	norn_report_html(findings, &about, to);
}

/* The root of the repository that the current directory is in; else that directory. */
static void find_root(char root[PATH_MAX])
{
	char mark[PATH_MAX + 8];
	if (!getcwd(root, PATH_MAX))
		strcpy(root, "/");
	for (size_t length = strlen(root); length; length = (size_t)((char *)memrchr(root, '/', length) - root)) {
		snprintf(mark, sizeof mark, "%.*s/.git", (int)length, root);
		if (access(mark, F_OK) != 0)
			continue;
		root[length] = 0;
		break;
	}
}

static void put(enum norn_output kind, const struct norn_findings *findings, const char *trace, FILE *to)
{
	char root[PATH_MAX];
	find_root(root);
	switch (kind) {
	case NORN_OUTPUT_SARIF:
		norn_report_sarif(findings, &(struct norn_sarif_about){root, NORN_VERSION, NORN_DOCS}, to);
		break;
	case NORN_OUTPUT_HTML:
		put_page(findings, trace, to);
		break;
	case NORN_OUTPUT_PERFETTO:
		norn_report_perfetto(findings, to);
		break;
	case NORN_OUTPUT_JUNIT:
		norn_report_junit(findings, to);
		break;
	case NORN_OUTPUT_CODE_QUALITY:
		norn_report_code_quality(findings, root, to);
		break;
	default:
		norn_report_json(findings, to);
	}
}

int norn_outputs_write(const struct norn_outputs *o, const struct norn_findings *findings, const char *trace)
{
	for (unsigned i = 0; i < NORN_OUTPUTS; i++) {
		const char *path = o->paths[i];
		char *part = NULL;
		FILE *to = !path ? NULL : strcmp(path, "-") == 0 ? stdout : norn_output_begin(path, &part);
		if (!path)
			continue;
		if (!to)
			return norn_fail("cannot write %s: %s", path, strerror(errno));
		put(i, findings, trace, to);
		int why = to != stdout ? norn_output_end(to, path, part, true) : ferror(to) ? EIO : 0;
		if (why)
			return norn_fail("cannot write %s: %s", path, strerror(why));
	}
	return NORN_EXIT_OK;
}

int norn_exit_of(const struct norn_findings *f)
{
	return norn_findings_sure(f) ? NORN_EXIT_FINDINGS : f->stats.complete ? NORN_EXIT_OK : NORN_EXIT_CUT;
}

void norn_outputs_say(const struct norn_findings *f, bool reasons)
{
	for (uint32_t i = 0; i < f->note_count; i++)
		norn_note("%s", f->notes[i]);
	for (uint32_t i = 0; i < f->reason_count && reasons; i++) {
		char *sentence = norn_reason_sentence(&f->reasons[i]);
		norn_note("%s", sentence);
		free(sentence);
	}
}
