#include "trace/live_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_state.h"
#include "trace/record.h"

#define TEXT_MAX 4096u

int norn_live_new(const char *name, struct norn_trace **ret_trace)
{
	struct norn_trace *t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	t->path = strdup(name);
	if (!t->path) {
		free(t);
		return -ENOMEM;
	}
	*ret_trace = t;
	return 0;
}

/* Room for one more. */
static int grow(void **array, size_t count, size_t each)
{
	void *bigger = realloc(*array, (count + 1) * each);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	return 0;
}

/* A MODULE block, as files have it. */
static uint8_t *block_of(
        uint32_t base, uint64_t load, const char *path, size_t path_bytes, const void *table, size_t table_bytes, size_t *ret_bytes)
{
	size_t padded = (path_bytes + 8) / 8 * 8;
	struct norn_module_block *block = calloc(1, sizeof *block + padded + table_bytes);
	if (!block)
		return NULL;
	*block = (struct norn_module_block){.base = base, .load = load, .path_bytes = padded};
	memcpy(block + 1, path, path_bytes);
	memcpy((char *)(block + 1) + padded, table, table_bytes);
	*ret_bytes = sizeof *block + padded + table_bytes;
	return (uint8_t *)block;
}

static int place_module(struct norn_trace *t, const struct norn_module_entry *entry, struct norn_error *err)
{
	size_t at = t->module_count;
	while (at && t->modules[at - 1].base > entry->base)
		at--;
	bool overlaps = at && entry->base - t->modules[at - 1].base < t->modules[at - 1].table->sites;
	overlaps |= at < t->module_count && t->modules[at].base - entry->base < entry->table->sites;
	if (overlaps)
		return norn_trace_damaged(t, err, "the sites of %s overlap another module's", entry->path);
	if (grow((void **)&t->modules, t->module_count, sizeof *t->modules) != 0)
		return norn_error_no_memory(err);
	memmove(t->modules + at + 1, t->modules + at, (t->module_count - at) * sizeof *t->modules);
	t->modules[at] = *entry;
	t->module_count++;
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
	if (!payload)
		return norn_error_no_memory(err);
	int r = norn_module_check(t, payload, bytes, &entry, err);
	if (r == 0)
		r = place_module(t, &entry, err);
	if (r != 0)
		free(payload);
	return r;
}

static int reserve_threads(struct norn_trace *t, uint32_t count)
{
	if (count <= t->header.threads)
		return 0;
	struct norn_thread_entry *threads = realloc(t->threads, count * sizeof *threads);
	if (!threads)
		return -ENOMEM;
	t->threads = threads;
	for (; t->header.threads < count; t->header.threads++)
		threads[t->header.threads] = (struct norn_thread_entry){.info.parent = NORN_NO_THREAD};
	return 0;
}

int norn_live_thread(struct norn_trace *t, uint32_t thread, uint32_t parent, uint32_t ordinal, const char *name, size_t name_bytes)
{
	if (thread >= NORN_LIVE_THREADS)
		return -EOVERFLOW;
	if (reserve_threads(t, thread + 1) != 0)
		return -ENOMEM;
	struct norn_thread_entry *entry = &t->threads[thread];
	if (ordinal && parent < thread && !entry->path) {
		entry->info.parent = parent;
		entry->ordinal = ordinal;
	}
	if (!name_bytes || name_bytes > TEXT_MAX)
		return 0;
	char *text = strndup(name, name_bytes);
	if (!text)
		return -ENOMEM;
	free(entry->name);
	entry->name = text;
	return 0;
}

int norn_live_name(struct norn_trace *t, uint32_t number, const char *text, size_t bytes)
{
	size_t at = t->name_count;
	while (at && t->names[at - 1].number > number)
		at--;
	if ((at && t->names[at - 1].number == number) || bytes > TEXT_MAX)
		return 0;
	char *copy = strndup(text, bytes);
	if (!copy || grow((void **)&t->names, t->name_count, sizeof *t->names) != 0) {
		free(copy);
		return -ENOMEM;
	}
	memmove(t->names + at + 1, t->names + at, (t->name_count - at) * sizeof *t->names);
	t->names[at] = (struct norn_name_entry){number, copy};
	t->name_count++;
	return 0;
}

int norn_live_info(struct norn_trace *t, const char *key, const char *value, size_t bytes)
{
	char *text;
	if (asprintf(&text, "%s=%.*s", key, (int)(bytes < TEXT_MAX ? bytes : TEXT_MAX), value) < 0)
		return -ENOMEM;
	if (grow((void **)&t->infos, t->info_count, sizeof(char *)) != 0) {
		free(text);
		return -ENOMEM;
	}
	t->infos[t->info_count++] = text;
	return 0;
}
