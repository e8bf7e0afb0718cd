#include "jobs/suppressions.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/must.h"
#include "jobs/say.h"

#define FILE_BYTES_MAX (64u << 20)
#define FILE_NAME "norn.supp"
#define UNUSED_SHOWN 5u

static int read_file(const char *path, bool optional, struct norn_suppressions *s)
{
	struct norn_error err = {0};
	char *text;
	size_t bytes;
	int r = norn_read_input(path, "file of suppressions", FILE_BYTES_MAX, &text, &bytes, &err);
	if (r != 0)
		return r == -ENOENT && optional ? NORN_EXIT_OK : norn_fail_error(&err);
	FILE *from = norn_must(fmemopen(text, bytes, "r"));
	r = norn_suppressions_read(s, from, path, &err);
	fclose(from);
	free(text);
	return r == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int norn_suppressions_find(const char *const *files, unsigned count, const char *trace, struct norn_suppressions *ret_suppressions)
{
	struct norn_suppressions s = {0};
	char beside[PATH_MAX] = "";
	int status = NORN_EXIT_OK;
	for (unsigned i = 0; status == NORN_EXIT_OK && i < count; i++)
		status = read_file(files[i], false, &s);
	if (count == 0)
		status = read_file(FILE_NAME, true, &s);
	if (count == 0 && status == NORN_EXIT_OK && trace && strchr(trace, '/')) {
		snprintf(beside, sizeof beside, "%.*s%s", (int)(basename(trace) - trace), trace, FILE_NAME);
		if (!same_file(beside, FILE_NAME))
			status = read_file(beside, true, &s);
	}
	if (status == NORN_EXIT_OK)
		*ret_suppressions = s;
	else
		norn_suppressions_done(&s);
	return status;
}

void norn_suppressions_apply(struct norn_suppressions *s, struct norn_findings *findings)
{
	uint32_t taken = norn_suppress(s, findings), unused = 0;
	if (taken)
		norn_note("%" PRIu32 " finding%s suppressed", taken, taken == 1 ? " was" : "s were");
	for (uint32_t i = 0; i < s->count; i++)
		if (s->list[i].matched == 0 && unused++ < UNUSED_SHOWN)
			norn_note("%s:%u: this suppression matches nothing: %s", s->list[i].file, s->list[i].line, s->list[i].text);
	if (unused > UNUSED_SHOWN)
		norn_note("%" PRIu32 " more suppressions match nothing", unused - UNUSED_SHOWN);
}
