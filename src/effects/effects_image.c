/* See effects_image.h. */
#include "effects/effects_image.h"

#include <assert.h>
#include <string.h>

#include "base/must.h"
#include "base/vector.h"
#include "effects/effects.h"
#include "effects/resource_events.h"

struct maker {
	NORN_VECTOR(struct norn_effects_row) rows;
	NORN_VECTOR(struct norn_effects_row_part) parts;
	NORN_VECTOR(char) texts;
};

static uint32_t add_text(struct maker *m, const char *text)
{
	if (!text)
		return 0;
	uint32_t at = m->texts.count;
	do
		norn_must_push(&m->texts, *text);
	while (*text++);
	return at;
}

/* Memory that it hands out is not shared before it returns: what was written there will be noticed. */
static bool is_handed_out(const struct norn_effects_part *p)
{
	return p->how == NORN_EFFECTS_WRITES && (p->behind || p->pointer == NORN_EFFECTS_RESULT);
}

/* It may look first at memory that it frees. */
static bool is_freed(const struct norn_effects *e, const struct norn_effects_part *p)
{
	return p->extent == NORN_EFFECTS_WHOLE && p->how == NORN_EFFECTS_READS && p->pointer < 16 && e->frees >> p->pointer & 1;
}

/* Can the runtime make records of it? Lists of arguments, formats of scanf, objects of unknown size and writes that cannot be told
 * from outside are left to the pass. */
static bool is_plain(const struct norn_effects_part *p)
{
	bool writes = p->how & NORN_EFFECTS_WRITES;
	if (p->extent == NORN_EFFECTS_FORMAT)
		return !p->list && p->condition == NORN_EFFECTS_ALWAYS;
	/* The runtime knows no other variable of a library. */
	if (p->global && strcmp(p->global, "environ") != 0)
		return false;
	return p->extent < NORN_EFFECTS_FORMAT && !(p->extent == NORN_EFFECTS_IOVEC && writes) && !(p->maybe && writes) &&
	       !(p->behind && p->pointer != NORN_EFFECTS_GLOBAL);
}

/* A part that a call needs no record of. */
static bool is_needless(const struct norn_effects *e, const struct norn_effects_part *p)
{
	return is_freed(e, p) || (is_handed_out(p) && !is_plain(p));
}

static bool is_opaque(const struct norn_effects *e, unsigned part_count)
{
	unsigned strange = NORN_EFFECTS_OPAQUE | NORN_EFFECTS_ENDS | NORN_EFFECTS_TWICE;
	if (e->flags & strange || e->calls || e->keeps || norn_resource_events_blind(e))
		return true;
	/* A wait must be for something that others change. */
	if (!(e->flags & NORN_EFFECTS_HOOKED) && e->waits & ~(unsigned)NORN_EFFECTS_WAITS_TIME && !e->reads && !e->writes)
		return true;
	unsigned after = 0;
	for (unsigned i = 0; i < part_count; i++) {
		const struct norn_effects_part *p = e->parts + i;
		if (!is_needless(e, p) && !is_plain(p))
			return true;
		after += p->after != 0;
	}
	return after > 1;
}

static void add_part(struct maker *m, const struct norn_effects_part *p)
{
	norn_must_push(&m->parts, (struct norn_effects_row_part){.how = p->how,
	                                  .pointer = p->pointer,
	                                  .extent = p->extent,
	                                  .other = p->other,
	                                  .limit = p->limit,
	                                  .times = p->times,
	                                  .after = p->after,
	                                  .condition = p->condition,
	                                  .subject = p->subject,
	                                  .value = p->value,
	                                  .behind = p->behind,
	                                  .limit_behind = p->limit_behind,
	                                  .bytes = p->bytes,
	                                  .global = add_text(m, p->global)});
}

static void add_row(struct maker *m, const struct norn_effects *e, bool known)
{
	unsigned part_count = e->flags & NORN_EFFECTS_HOOKED_MEMORY ? 0 : e->part_count;
	bool opaque = is_opaque(e, part_count);
	struct norn_resource_events events = norn_resource_events_of(e);
	if (e->flags & NORN_EFFECTS_OPAQUE)
		events = (struct norn_resource_events){.changes = norn_resource_events_of_opaque(e)};
	if (known && opaque && !events.changes)
		return;
	struct norn_effects_row row = {.name = add_text(m, e->name),
	        .looks = opaque ? 0 : events.looks,
	        .changes = events.changes,
	        .parts = m->parts.count,
	        .flags = (opaque ? NORN_EFFECTS_ROW_OPAQUE : 0) | (events.sizes ? NORN_EFFECTS_ROW_SIZES : 0) |
	                 (e->flags & NORN_EFFECTS_PREFIX ? NORN_EFFECTS_ROW_PREFIX : 0) |
	                 (e->flags & NORN_EFFECTS_HOOKED ? NORN_EFFECTS_ROW_HOOKED : 0)};
	for (unsigned i = 0; !opaque && i < part_count; i++) {
		struct norn_effects_part p = e->parts[i];
		if (is_needless(e, &p))
			p.how = 0; /* keeps the numbers of the others */
		add_part(m, &p);
		row.part_count++;
	}
	/* Memory that is given to the kernel need not be there. */
	uint32_t asks = e->reads | e->writes | e->adds;
	if (e->waits || asks & ~(1u << NORN_EFFECTS_LOCALE | 1u << NORN_EFFECTS_STATICS))
		row.flags |= NORN_EFFECTS_ROW_CAREFUL;
	_Static_assert(NORN_RESOURCE_OBJECTS <= sizeof row.objects, "room for all");
	for (unsigned i = 0; !opaque && i < events.object_count; i++)
		row.objects[row.object_count++] =
		        events.objects[i].argument | (events.objects[i].changes ? NORN_EFFECTS_OBJECT_CHANGES : 0);
	if (events.reads && !opaque)
		row.flags |= NORN_EFFECTS_ROW_READS;
	row.type = row.part_count || row.object_count ? add_text(m, e->type) : 0; /* without memory the arguments do not matter */
	norn_must_push(&m->rows, row);
}

struct norn_effects_image *norn_effects_image_make(const struct norn_effects *entries, size_t count, bool known)
{
	struct maker m = {0};
	add_text(&m, "");
	for (size_t i = 0; i < count; i++)
		add_row(&m, entries + i, known);
	size_t rows = m.rows.count * sizeof *m.rows.items, parts = m.parts.count * sizeof *m.parts.items;
	size_t bytes = sizeof(struct norn_effects_image) + rows + parts + m.texts.count;
	assert(bytes <= UINT32_MAX);
	struct norn_effects_image *image = norn_must_calloc(1, bytes);
	*image = (struct norn_effects_image){NORN_EFFECTS_IMAGE_MAGIC, (uint32_t)bytes, m.rows.count, m.parts.count};
	char *at = (char *)(image + 1);
	if (rows)
		memcpy(at, m.rows.items, rows);
	if (parts)
		memcpy(at + rows, m.parts.items, parts);
	memcpy(at + rows + parts, m.texts.items, m.texts.count);
	norn_vector_done(&m.rows);
	norn_vector_done(&m.parts);
	norn_vector_done(&m.texts);
	return image;
}
