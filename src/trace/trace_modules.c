/* Modules of a trace. Their site tables are checked once, when the trace is opened; later code relies on it. */
#include "base/bisect.h"
#include "trace/trace_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/site_table.h"

struct path_parts {
	const struct norn_site *sites;
	const struct norn_frame *frames;
	const char *strings;
};

static struct path_parts parts_of(const struct norn_site_table *t)
{
	struct path_parts p;
	p.sites = (const struct norn_site *)(t + 1);
	p.frames = (const struct norn_frame *)(p.sites + t->sites);
	p.strings = (const char *)(p.frames + t->frames) + t->facts;
	return p;
}

static bool sites_valid(const struct norn_site_table *t, const struct path_parts *p)
{
	for (uint32_t i = 0; i < t->sites; i++) {
		const struct norn_site *s = &p->sites[i];
		if (s->function >= t->strings || s->file >= t->strings || s->name >= t->strings || s->type >= t->strings ||
		        s->field >= t->strings)
			return false;
		if (s->inlined_at > t->frames || s->entry >= t->sites || (s->facts && s->facts >= t->facts))
			return false;
	}
	return true;
}

/* Frames must lead outwards and come to an end: every frame is given the number of steps to its outermost one; a chain that is
 * longer than there are frames goes in a circle. */
static bool frames_valid(const struct norn_site_table *t, const struct path_parts *p)
{
	uint8_t *done = norn_must_calloc(t->frames + (size_t)1, 1);
	bool result = true;
	for (uint32_t i = 0; i < t->frames && result; i++) {
		const struct norn_frame *f = &p->frames[i];
		if (f->function >= t->strings || f->file >= t->strings || f->inlined_at > t->frames)
			result = false;
	}
	for (uint32_t i = 0; i < t->frames && result; i++) {
		uint32_t at = i + 1, steps = 0;
		for (; at && !done[at] && steps <= t->frames; at = p->frames[at - 1].inlined_at)
			steps++;
		if (steps > t->frames)
			result = false;
		for (at = i + 1; at && !done[at] && result; at = p->frames[at - 1].inlined_at)
			done[at] = 1;
	}
	free(done);
	return result;
}

static int table_check(
        const struct norn_trace *trace, const struct norn_site_table *t, size_t bytes, const char *path, struct norn_error *err)
{
	if (t->magic != NORN_SITE_MAGIC)
		return norn_trace_damaged(trace, err, "the site table of %s is damaged", path);
	if (t->version < NORN_SITE_VERSION_OLDEST || t->version > NORN_SITE_VERSION)
		return norn_trace_damaged(trace, err,
		        "%s was built by a norn cc with site tables of version %u, this norn reads version %u", path, t->version,
		        NORN_SITE_VERSION);
	if (norn_site_open_bytes(t) > bytes || t->sites >= NORN_SITE_FIRST || t->strings == 0 || t->source >= t->strings ||
	        t->only >= t->strings)
		return norn_trace_damaged(trace, err, "the site table of %s is damaged: its parts do not fit", path);
	struct path_parts p = parts_of(t);
	if (p.strings[0] != 0 || p.strings[t->strings - 1] != 0 || !sites_valid(t, &p))
		return norn_trace_damaged(trace, err, "the site table of %s is damaged: a site points outside", path);
	if (!frames_valid(t, &p))
		return norn_trace_damaged(trace, err, "the site table of %s is damaged: its inlined frames make no sense", path);
	if (!norn_facts_check(t))
		return norn_trace_damaged(trace, err, "the site table of %s is damaged: its facts for slicing make no sense", path);
	return 0;
}

/* Names are shown to people: in those of a foreign trace there may be anything. */
static void clean_strings(struct norn_site_table *t)
{
	char *strings = (char *)parts_of(t).strings;
	for (uint32_t i = 0; i < t->strings; i++)
		if ((strings[i] > 0 && strings[i] < 0x20) || strings[i] == 0x7f)
			strings[i] = '?';
}

/* The payload with the table, which starts after so many bytes and is packed, open; in other memory. */
static int open_table(struct norn_trace *trace, uint8_t **payload, size_t *bytes, size_t first, struct norn_error *err)
{
	const struct norn_site_packed *packed = (const struct norn_site_packed *)(const void *)(*payload + first);
	if (!norn_site_packed_bytes(packed, *bytes - first))
		return norn_trace_damaged(trace, err, "the site table of a module is damaged");
	int r = norn_trace_keep(trace, norn_site_open_room(packed), err);
	if (r < 0)
		return r;
	uint8_t *open = norn_must_calloc(first + norn_site_open_room(packed), 1);
	memcpy(open, *payload, first);
	if (!norn_site_open(packed, open + first)) {
		free(open);
		return norn_trace_damaged(trace, err, "the site table of a module is damaged");
	}
	*bytes = first + norn_site_open_bytes(&packed->head);
	clean_strings((struct norn_site_table *)(void *)(open + first));
	free(*payload);
	*payload = open;
	return 0;
}

int norn_module_check(
        struct norn_trace *trace, uint8_t **payload, size_t bytes, struct norn_module_entry *ret_entry, struct norn_error *err)
{
	const struct norn_module_block *block = (const struct norn_module_block *)(const void *)*payload;
	if (bytes < sizeof *block)
		return norn_trace_damaged(trace, err, "a module's block is too short");
	const char *path = (const char *)(block + 1);
	uint64_t left = bytes - sizeof *block, path_bytes = block->path_bytes, variables = block->variables * UINT64_C(8);
	if (path_bytes == 0 || path_bytes % 8 || path_bytes > left || path[path_bytes - 1] != 0 ||
	        left - path_bytes < variables + sizeof(struct norn_site_table))
		return norn_trace_damaged(trace, err, "a module's block is damaged");
	const uint64_t *addresses = (const uint64_t *)(const void *)(path + path_bytes);
	const struct norn_site_table *table = (const struct norn_site_table *)(const void *)(addresses + block->variables);
	if (table->magic == NORN_SITE_PACKED) {
		size_t first = bytes - (left - path_bytes - variables);
		int r = open_table(trace, payload, &bytes, first, err);
		if (r < 0)
			return r;
		block = (const struct norn_module_block *)(const void *)*payload;
		path = (const char *)(block + 1);
		addresses = (const uint64_t *)(const void *)(path + path_bytes);
		table = (const struct norn_site_table *)(const void *)(addresses + block->variables);
		left = bytes - sizeof *block;
	}
	int r = table_check(trace, table, left - path_bytes - variables, path, err);
	if (r < 0)
		return r;
	if (block->base < NORN_SITE_FIRST || (uint64_t)block->base + table->sites > UINT64_C(1) << NORN_SITE_BITS)
		return norn_trace_damaged(trace, err, "the sites of %s have impossible numbers", path);
	*ret_entry = (struct norn_module_entry){.base = block->base,
	        .payload = *payload,
	        .path = path,
	        .table = table,
	        .load = block->load,
	        .variables = addresses,
	        .variable_count = block->variables};
	return 0;
}

static const struct norn_module_entry *module_of(const struct norn_trace *trace, uint32_t site)
{
	size_t low = NORN_BISECT(0, trace->modules.count, i, trace->modules.items[i].base <= site);
	const struct norn_module_entry *m = low ? &trace->modules.items[low - 1] : NULL;
	return m && site - m->base < m->table->sites ? m : NULL;
}

void norn_trace_site(const struct norn_trace *trace, uint32_t site, struct norn_site_info *ret_info)
{
	const struct norn_module_entry *m = module_of(trace, site);
	if (!m) {
		*ret_info = (struct norn_site_info){.module = "", .function = "", .file = "", .name = "", .type = "", .field = ""};
		return;
	}
	struct path_parts p = parts_of(m->table);
	const struct norn_site *s = &p.sites[site - m->base];
	*ret_info = (struct norn_site_info){
	        .site = s,
	        .module = m->path,
	        .function = p.strings + s->function,
	        .file = p.strings + s->file,
	        .name = p.strings + s->name,
	        .type = p.strings + s->type,
	        .field = p.strings + s->field,
	        .line = s->line,
	        .column = s->column,
	        .table = m->table,
	};
}

const uint64_t *norn_trace_variables(const struct norn_trace *trace, uint32_t site, uint32_t *ret_count)
{
	const struct norn_module_entry *m = module_of(trace, site);
	*ret_count = m ? m->variable_count : 0;
	return m ? m->variables : NULL;
}

bool norn_trace_frame(
        const struct norn_site_info *info, uint32_t *index, const char **ret_function, const char **ret_file, unsigned *ret_line)
{
	if (!info->table || *index == 0 || *index > info->table->frames)
		return false;
	struct path_parts p = parts_of(info->table);
	const struct norn_frame *f = &p.frames[*index - 1];
	*ret_function = p.strings + f->function;
	*ret_file = p.strings + f->file;
	*ret_line = f->line;
	*index = f->inlined_at;
	return true;
}

bool norn_trace_module(const struct norn_trace *trace, unsigned i, uint32_t *ret_base, const char **ret_path,
        const struct norn_site_table **ret_table)
{
	if (i >= trace->modules.count)
		return false;
	*ret_base = trace->modules.items[i].base;
	*ret_path = trace->modules.items[i].path;
	*ret_table = trace->modules.items[i].table;
	return true;
}

uint64_t norn_trace_load(const struct norn_trace *trace, unsigned i)
{
	return i < trace->modules.count ? trace->modules.items[i].load : 0;
}
