#include "finding/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* FNV-1a, of a text and its end: files keep what comes of it. */
static uint32_t add_text(uint32_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	while (*text++);
	return hash;
}

/* Places in no order: which thread is named first is another matter from run to run. */
static uint32_t hash_of(const struct norn_finding *f)
{
	uint32_t hash = add_text(2166136261u, norn_finding_kind_name(f->kind));
	char **places = norn_must_calloc(f->where_count, sizeof *places);
	hash = add_text(hash, f->property);
	hash = add_text(hash, f->variable);
	for (uint32_t i = 0; i < f->where_count; i++)
		places[i] = norn_must_format("%s %s", f->where[i].event, f->where[i].function);
	if (f->where_count)
		qsort(places, f->where_count, sizeof *places, by_text);
	for (uint32_t i = 0; i < f->where_count; i++) {
		hash = add_text(hash, places[i]);
		free(places[i]);
	}
	free(places);
	return hash;
}

void norn_findings_fingerprint(struct norn_findings *findings)
{
	uint32_t *hashes = norn_must_calloc(findings->count, sizeof *hashes);
	for (uint32_t i = 0; i < findings->count; i++) {
		unsigned again = 1;
		hashes[i] = hash_of(&findings->list[i]);
		for (uint32_t k = 0; k < i; k++)
			again += hashes[k] == hashes[i];
		findings->list[i].fingerprint = again == 1 ? norn_findings_text(findings, "%08x", hashes[i])
		                                           : norn_findings_text(findings, "%08x-%u", hashes[i], again);
	}
	free(hashes);
}
