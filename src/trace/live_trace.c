#include "trace/live_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/trace_state.h"
#include "trace/record.h"

#define TEXT_MAX 4096u

struct norn_trace *norn_live_new(const char *name)
{
	struct norn_trace *t = norn_must_calloc(1, sizeof *t);
	t->path = norn_must_text(name);
	return t;
}

/* A MODULE block, as files have it. */
static uint8_t *block_of(
        uint32_t base, uint64_t load, const char *path, size_t path_bytes, const void *table, size_t table_bytes, size_t *ret_bytes)
{
	size_t padded = (path_bytes + 8) / 8 * 8;
	struct norn_module_block *block = norn_must_calloc(1, sizeof *block + padded + table_bytes);
	*block = (struct norn_module_block){.base = base, .load = load, .path_bytes = padded};
	memcpy(block + 1, path, path_bytes);
	memcpy((char *)(block + 1) + padded, table, table_bytes);
	*ret_bytes = sizeof *block + padded + table_bytes;
	return (uint8_t *)block;
}

static int place_module(struct norn_trace *t, const struct norn_module_entry *entry, struct norn_error *err)
{
	size_t at = t->modules.count;
	while (at && t->modules.items[at - 1].base > entry->base)
		at--;
	bool overlaps = at && entry->base - t->modules.items[at - 1].base < t->modules.items[at - 1].table->sites;
	overlaps |= at < t->modules.count && t->modules.items[at].base - entry->base < entry->table->sites;
	if (overlaps)
		return norn_trace_damaged(t, err, "the sites of %s overlap another module's", entry->path);
	norn_must_add(&t->modules);
	struct norn_module_entry *place = t->modules.items + at;
	memmove(place + 1, place, (t->modules.count - 1 - at) * sizeof *place);
	*place = *entry;
	return 0;
}

int norn_live_module(struct norn_trace *t, uint32_t base, uint64_t load, const char *path, size_t path_bytes, const void *table,
        size_t table_bytes, struct norn_error *err)
{
	struct norn_module_entry entry;
	size_t bytes;
	if (path_bytes > TEXT_MAX || memchr(path, 0, path_bytes))
		return norn_trace_damaged(t, err, "the path of a module makes no sense");
	uint8_t *payload = block_of(base, load, path, path_bytes, table, table_bytes, &bytes);
	t->bytes += bytes; /* what has come stands for the file */
	int r = norn_module_check(t, &payload, bytes, &entry, err);
	if (r == 0)
		r = place_module(t, &entry, err);
	if (r != 0)
		free(payload);
	return r;
}

static void reserve_threads(struct norn_trace *t, uint32_t count)
{
	if (count <= t->header.threads)
		return;
	t->threads = norn_must_realloc(t->threads, count, sizeof *t->threads);
	for (; t->header.threads < count; t->header.threads++)
		t->threads[t->header.threads] = (struct norn_thread_entry){.info.parent = NORN_NO_THREAD};
}

/* The thread's path was asked for before its parent was known, and so perhaps those of its descendants, which have greater numbers.
 * */
static void forget_paths(struct norn_trace *t, uint32_t thread)
{
	for (uint32_t i = thread; i < t->header.threads; i++) {
		free(t->threads[i].path);
		t->threads[i].path = NULL;
		t->threads[i].info.path = NULL;
	}
}

int norn_live_thread(struct norn_trace *t, uint32_t thread, uint32_t parent, uint32_t ordinal, const char *name, size_t name_bytes)
{
	if (thread >= NORN_LIVE_THREADS)
		return -EOVERFLOW;
	reserve_threads(t, thread + 1);
	struct norn_thread_entry *entry = &t->threads[thread];
	if (ordinal && parent < thread && entry->info.parent == NORN_NO_THREAD) {
		entry->info.parent = parent;
		entry->ordinal = ordinal;
		if (entry->path)
			forget_paths(t, thread);
	}
	if (!name_bytes || name_bytes > TEXT_MAX)
		return 0;
	free(entry->name);
	entry->name = norn_must(strndup(name, name_bytes));
	return 0;
}

void norn_live_name(struct norn_trace *t, uint32_t number, const char *text, size_t bytes)
{
	size_t at = t->names.count;
	while (at && t->names.items[at - 1].number > number)
		at--;
	if ((at && t->names.items[at - 1].number == number) || bytes > TEXT_MAX)
		return;
	norn_must_add(&t->names);
	struct norn_name_entry *place = t->names.items + at;
	memmove(place + 1, place, (t->names.count - 1 - at) * sizeof *place);
	*place = (struct norn_name_entry){number, norn_must(strndup(text, bytes))};
}

void norn_live_info(struct norn_trace *t, const char *key, const char *value, size_t bytes)
{
	norn_must_push(&t->infos, norn_must_format("%s=%.*s", key, (int)(bytes < TEXT_MAX ? bytes : TEXT_MAX), value));
}
