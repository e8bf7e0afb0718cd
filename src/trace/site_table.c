/* See site_table.h. Runs inside programs, too: no malloc. */
#include "trace/site_table.h"

#include <string.h>

#include "trace/facts.h"

struct table_shape {
	uint8_t kind, order, order_failure, flags;
	uint32_t size, name, type, field;
};

struct table_scope {
	uint32_t function, file, inlined_at;
};

size_t norn_site_open_bytes(const struct norn_site_table *table)
{
	return sizeof *table + (size_t)table->sites * sizeof(struct norn_site) + (size_t)table->frames * sizeof(struct norn_frame) +
	       table->facts + table->strings;
}

static size_t aligned(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

size_t norn_site_open_room(const struct norn_site_packed *packed)
{
	return aligned(norn_site_open_bytes(&packed->head)) + aligned(packed->shapes * sizeof(struct table_shape)) +
	       packed->scopes * sizeof(struct table_scope);
}

size_t norn_site_packed_bytes(const void *start, size_t bytes)
{
	const struct norn_site_packed *p = start;
	if (bytes < sizeof *p || p->head.magic != NORN_SITE_PACKED)
		return 0;
	/* Each takes a byte of the stream at least: none can ask for more memory than a multiple of what is there. */
	if (p->shapes > p->bytes || p->scopes > p->bytes || p->head.sites > p->bytes || p->head.frames > p->bytes)
		return 0;
	uint64_t need = sizeof *p + (uint64_t)p->bytes + p->head.facts + p->head.strings;
	return need <= bytes ? need : 0;
}

size_t norn_site_facts_bytes(const uint8_t *facts, size_t area)
{
	struct norn_facts at = {facts, facts + area};
	uint32_t kind, count, item;
	while (norn_facts_next(&at, &kind, &count))
		while (count-- && norn_facts_number(&at, &item))
			;
	return (size_t)(at.p - facts);
}

/* ---- the stream ---- */

struct table_stream {
	struct norn_facts at;
	bool bad;
};

static uint32_t number(struct table_stream *s)
{
	uint32_t n = 0;
	s->bad |= !norn_facts_number(&s->at, &n);
	return n;
}

static uint32_t difference(struct table_stream *s)
{
	uint32_t n = number(s);
	return n >> 1 ^ -(n & 1);
}

static void read_shapes(struct table_stream *s, struct table_shape *shapes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = number(s);
		shapes[i] = (struct table_shape){.kind = first & 15, .order = first >> 4 & 15};
		shapes[i].flags = number(s) & 255;
		shapes[i].order_failure = number(s) & 255;
		shapes[i].size = number(s);
		shapes[i].name = number(s);
		shapes[i].type = number(s);
		shapes[i].field = number(s);
	}
}

static void read_scopes(struct table_stream *s, struct table_scope *scopes, uint32_t count)
{
	struct table_scope last = {0};
	for (uint32_t i = 0; i < count; i++) {
		last.function += difference(s);
		last.file += difference(s);
		last.inlined_at += difference(s);
		scopes[i] = last;
	}
}

static void read_frames(struct table_stream *s, struct norn_frame *frames, uint32_t count)
{
	struct norn_frame last = {0};
	for (uint32_t i = 0; i < count; i++) {
		last.function += difference(s);
		last.file += difference(s);
		last.line += difference(s);
		last.column = number(s);
		last.inlined_at = number(s);
		frames[i] = last;
	}
}

struct tables {
	const struct norn_site_packed *packed;
	const struct table_shape *shapes;
	const struct table_scope *scopes;
	const uint8_t *facts;
};

static void read_sites(struct table_stream *s, const struct tables *t, struct norn_site *sites)
{
	struct norn_site last = {0};
	const uint32_t fact_bytes = t->packed->head.facts;
	uint32_t next = 1; /* facts */
	for (uint32_t i = 0; i < t->packed->head.sites && !s->bad; i++) {
		uint32_t bits = number(s), shape = number(s), scope = bits & NORN_PACKED_SCOPE ? number(s) : UINT32_MAX;
		bool fits = shape < t->packed->shapes && (scope < t->packed->scopes || scope == UINT32_MAX);
		s->bad |= !fits;
		if (s->bad)
			return;
		const struct table_shape *as = &t->shapes[shape];
		last.kind = as->kind, last.order = as->order, last.order_failure = as->order_failure, last.flags = as->flags;
		last.size = as->size, last.name = as->name, last.type = as->type, last.field = as->field;
		if (scope != UINT32_MAX) {
			last.function = t->scopes[scope].function;
			last.file = t->scopes[scope].file;
			last.inlined_at = t->scopes[scope].inlined_at;
		}
		if (bits & NORN_PACKED_ENTRY)
			last.entry = i - number(s);
		if (bits & NORN_PACKED_LINE)
			last.line += difference(s);
		if (bits & NORN_PACKED_COLUMN)
			last.column += difference(s);
		if (bits & NORN_PACKED_FACTS) {
			last.facts = number(s);
		} else {
			s->bad |= next >= fact_bytes;
			last.facts = next;
			if (next < fact_bytes)
				next += norn_site_facts_bytes(t->facts + next, fact_bytes - next);
		}
		sites[i] = last;
	}
}

bool norn_site_open(const struct norn_site_packed *packed, void *memory)
{
	const uint8_t *stream = (const uint8_t *)(packed + 1), *facts = stream + packed->bytes;
	struct norn_site_table *open = memory;
	*open = packed->head;
	open->magic = NORN_SITE_MAGIC;
	struct norn_site *sites = (struct norn_site *)(open + 1);
	struct norn_frame *frames = (struct norn_frame *)(sites + open->sites);
	struct table_shape *shapes = (struct table_shape *)(void *)((char *)memory + aligned(norn_site_open_bytes(open)));
	struct table_scope *scopes = (struct table_scope *)(void *)((char *)shapes + aligned(packed->shapes * sizeof *shapes));
	struct table_stream s = {.at = {stream, facts}};
	read_shapes(&s, shapes, packed->shapes);
	read_scopes(&s, scopes, packed->scopes);
	read_frames(&s, frames, open->frames);
	const struct tables tables = {packed, shapes, scopes, facts};
	read_sites(&s, &tables, sites);
	memcpy(frames + open->frames, facts, (size_t)open->facts + open->strings);
	return !s.bad && s.at.p == s.at.end;
}
