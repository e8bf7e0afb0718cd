#include "report/source_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/text/printable.h"

#define FILE_BYTES (4u << 20)
#define LINE_BYTES 400u

struct lines_file {
	char *name, *text; /* text NULL: cannot be read */
	struct lines_file *next;
};

struct norn_source_cache {
	const struct norn_findings *findings;
	struct lines_file *files;
	char line[LINE_BYTES];
};

struct norn_source_cache *norn_source_cache_new(const struct norn_findings *findings)
{
	struct norn_source_cache *cache = norn_must_calloc(1, sizeof *cache);
	cache->findings = findings;
	return cache;
}

void norn_source_cache_free(struct norn_source_cache *cache)
{
	for (struct lines_file *f = cache ? cache->files : NULL, *next; f; f = next) {
		next = f->next;
		free(f->name);
		free(f->text);
		free(f);
	}
	free(cache);
}

/* The name is the trace's word: no pipe of that name is waited for, no device read. */
static char *read_text(const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *from = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!from && fd >= 0)
		close(fd);
	if (!from)
		return NULL;
	char *text = norn_must_alloc(FILE_BYTES + 1, 1);
	size_t bytes = fread(text, 1, FILE_BYTES, from);
	text[bytes] = 0;
	fclose(from);
	return norn_must_realloc(text, bytes + 1, 1);
}

static struct lines_file *file_of(struct norn_source_cache *cache, const char *name)
{
	for (struct lines_file *f = cache->files; f; f = f->next)
		if (strcmp(f->name, name) == 0)
			return f;
	struct lines_file *f = norn_must_calloc(1, sizeof *f);
	f->name = norn_must_text(name);
	f->text = read_text(cache->findings ? norn_findings_path(cache->findings, name) : name);
	f->next = cache->files;
	cache->files = f;
	return f;
}

const char *norn_source_line(struct norn_source_cache *cache, const char *file, unsigned line)
{
	struct lines_file *f = cache && *file && line ? file_of(cache, file) : NULL;
	const char *at = f ? f->text : NULL;
	while (at && --line && (at = strchr(at, '\n')))
		at++;
	if (!at || !*at)
		return NULL;
	size_t length = strcspn(at, "\r\n");
	snprintf(cache->line, sizeof cache->line, "%.*s", (int)(length < LINE_BYTES ? length : LINE_BYTES - 1), at);
	for (char *c = cache->line; *c; c++)
		if (*c == '\t' || *c == '\f' || *c == '\v')
			*c = ' ';
	if (!norn_is_printable(cache->line, false)) {
		char *shown = norn_printable(cache->line, false);
		snprintf(cache->line, sizeof cache->line, "%s", shown);
		free(shown);
	}
	return cache->line;
}
