#include "jobs/outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs/say.h"
#include "report/html.h"
#include "report/json.h"
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

static void put(enum norn_output kind, const struct norn_findings *findings, const char *title, FILE *to)
{
	char root[PATH_MAX];
	switch (kind) {
	case NORN_OUTPUT_SARIF:
		norn_report_sarif(findings, getcwd(root, sizeof root) ? root : "/", NORN_VERSION, to);
		break;
	case NORN_OUTPUT_HTML:
		norn_report_html(findings, title, to);
		break;
	case NORN_OUTPUT_PERFETTO:
		norn_report_perfetto(findings, to);
		break;
	default:
		norn_report_json(findings, to);
	}
}

int norn_outputs_write(const struct norn_outputs *o, const struct norn_findings *findings, const char *title)
{
	for (unsigned i = 0; i < NORN_OUTPUTS; i++) {
		const char *path = o->paths[i];
		FILE *to = !path ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
		if (!path)
			continue;
		if (!to)
			return norn_fail("cannot write %s: %s", path, strerror(errno));
		put(i, findings, title, to);
		bool failed = ferror(to);
		if (to != stdout)
			failed |= fclose(to) != 0;
		if (failed)
			return norn_fail("cannot write %s: %s", path, strerror(errno));
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
