#include "report/html/source_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/vector.h"
#include "report/html/markup.h"
#include "report/source_lines.h"

#define LINES_AROUND 3u

struct store_file {
	const char *name;
	NORN_VECTOR(unsigned) lines;
};

struct norn_source_store {
	NORN_VECTOR(struct store_file) files;
};

struct norn_source_store *norn_source_store_new(void)
{
	return norn_must_calloc(1, sizeof(struct norn_source_store));
}

void norn_source_store_free(struct norn_source_store *store)
{
	for (uint32_t i = 0; store && i < store->files.count; i++)
		norn_vector_done(&store->files.items[i].lines);
	if (store)
		norn_vector_done(&store->files);
	free(store);
}

unsigned norn_source_store_add(struct norn_source_store *store, const char *file, unsigned line)
{
	uint32_t i = 0;
	while (i < store->files.count && strcmp(store->files.items[i].name, file) != 0)
		i++;
	if (i == store->files.count)
		norn_must_push(&store->files, (struct store_file){.name = file});
	norn_must_push(&store->files.items[i].lines, line);
	return i;
}

static int by_line(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

static void put_file(const struct store_file *file, unsigned number, const struct norn_findings *findings,
        struct norn_source_cache *cache, FILE *to)
{
	unsigned next = 1; /* the first line that is not put */
	qsort(file->lines.items, file->lines.count, sizeof *file->lines.items, by_line);
	fprintf(to, "<pre data-file=%u", number);
	norn_html_attribute(to, "title", norn_findings_path(findings, file->name));
	fputs(">", to);
	for (uint32_t i = 0; i < file->lines.count; i++) {
		unsigned line = file->lines.items[i], from = line > LINES_AROUND ? line - LINES_AROUND : 1;
		if (!line || !norn_source_line(cache, file->name, line))
			continue;
		for (unsigned at = from > next ? from : next; at <= line + LINES_AROUND; at++) {
			const char *text = norn_source_line(cache, file->name, at);
			fprintf(to, "<span id=s%u-%u>", number, at);
			norn_html_put(to, text ? text : "");
			fputs("\n</span>", to);
			next = at + 1;
		}
	}
	fputs("</pre>\n", to);
}

void norn_source_store_put(const struct norn_source_store *store, const struct norn_findings *findings, FILE *to)
{
	struct norn_source_cache *cache = norn_source_cache_new(findings);
	fputs("<section id=sources><h2>Source</h2>\n", to);
	for (uint32_t i = 0; i < store->files.count; i++)
		put_file(&store->files.items[i], i, findings, cache, to);
	fputs("</section>\n", to);
	norn_source_cache_free(cache);
}
