#include "runtime/observe/relevance_filter.h"

#include <string.h>

#include "runtime/self.h"
#include "runtime/sys.h"
#include "trace/record.h"

#define NAMES 16384u /* numbers of marks' names for which the answer is kept */

struct range {
	uint64_t address, end; /* end is the first byte behind */
	uint64_t furthest; /* the largest end of this and all ranges before */
	uint32_t kinds;
};

enum verdict { UNASKED, NO, YES };

struct norn_filter {
	size_t bytes; /* of this block */
	struct norn_wire_filter said; /* its lists lie in this block */
	uint32_t first_site, last_site;
	uint64_t *sites; /* a bit for each from first_site on */
	struct range *ranges; /* by address */
	uint8_t names[NAMES]; /* by number: enum verdict */
};

/* ---- making ---- */

static void find_sites(const struct norn_wire_filter *said, uint32_t *ret_first, uint32_t *ret_last)
{
	struct norn_wire_text rest = said->site_bytes;
	*ret_first = 1;
	*ret_last = 0;
	for (uint32_t site = 0; norn_wire_next_site(&rest, &site) && site < 1u << NORN_SITE_BITS;) {
		if (*ret_last == 0)
			*ret_first = site;
		*ret_last = site;
	}
}

static void set_sites(struct norn_filter *f)
{
	struct norn_wire_text rest = f->said.site_bytes;
	for (uint32_t site = 0; norn_wire_next_site(&rest, &site) && site <= f->last_site;)
		f->sites[(site - f->first_site) / 64] |= 1ull << (site - f->first_site) % 64;
}

/* Shell's sort: no memory, and few ranges. */
static void sort_ranges(struct range *ranges, uint32_t count)
{
	for (uint32_t gap = count / 2; gap; gap /= 2) {
		for (uint32_t i = gap; i < count; i++) {
			struct range moving = ranges[i];
			uint32_t at = i;
			for (; at >= gap && ranges[at - gap].address > moving.address; at -= gap)
				ranges[at] = ranges[at - gap];
			ranges[at] = moving;
		}
	}
}

static void set_ranges(struct norn_filter *f)
{
	struct norn_wire_text rest = f->said.range_bytes;
	struct norn_wire_range said;
	uint32_t count = 0;
	while (count < f->said.range_count && norn_wire_next_range(&rest, &said))
		f->ranges[count++] = (struct range){said.address, said.address + said.size, 0, said.kinds};
	sort_ranges(f->ranges, count);
	uint64_t furthest = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (f->ranges[i].end > furthest)
			furthest = f->ranges[i].end;
		f->ranges[i].furthest = furthest;
	}
}

/* A list of the message, kept. */
static void keep(struct norn_wire_text *text, char **to)
{
	memcpy(*to, text->bytes, text->length);
	text->bytes = *to;
	*to += text->length;
}

struct norn_filter *norn_filter_new(struct norn_wire_text payload)
{
	struct norn_wire_filter said;
	uint32_t first, last;
	if (norn_wire_get_filter(payload, &said) < 0)
		return NULL;
	find_sites(&said, &first, &last);
	size_t site_bytes = last >= first ? ((last - first) / 64 + 1ul) * 8 : 0;
	size_t bytes = sizeof(struct norn_filter) + site_bytes + said.range_count * sizeof(struct range) + payload.length;
	struct norn_filter *f = norn_sys_memory(bytes);
	if (!f)
		return NULL;
	f->bytes = bytes;
	f->said = said;
	f->first_site = first;
	f->last_site = last;
	f->sites = (uint64_t *)(f + 1);
	f->ranges = (struct range *)(void *)((char *)(f + 1) + site_bytes);
	char *texts = (char *)(f->ranges + said.range_count);
	keep(&f->said.name_bytes, &texts);
	set_sites(f);
	set_ranges(f);
	return f;
}

void norn_filter_free(struct norn_filter *filter)
{
	if (filter)
		norn_sys_unmap(filter, filter->bytes);
}

uint32_t norn_filter_modules(const struct norn_filter *filter)
{
	return filter->said.modules;
}

/* ---- asking ---- */

static bool wants_site(const struct norn_filter *f, uint32_t site)
{
	if (site < f->first_site || site > f->last_site)
		return false;
	return f->sites[(site - f->first_site) / 64] >> (site - f->first_site) % 64 & 1;
}

static bool wants_span(const struct norn_filter *f, unsigned kind, uint64_t address, uint64_t size)
{
	uint32_t low = 0, high = f->said.range_count;
	uint64_t end = size > UINT64_MAX - address ? UINT64_MAX : address + size;
	if (!high || address >= f->ranges[high - 1].furthest || end <= f->ranges[0].address)
		return false;
	while (low < high) { /* the first range that begins at end or later */
		uint32_t middle = low + (high - low) / 2;
		if (f->ranges[middle].address < end)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && f->ranges[low - 1].furthest > address; low--)
		if (f->ranges[low - 1].end > address && f->ranges[low - 1].kinds >> kind & 1)
			return true;
	return false;
}

static bool names_mark(const struct norn_filter *f, uint32_t number)
{
	size_t length;
	const char *text = norn_name_text(number, &length);
	struct norn_wire_text rest = f->said.name_bytes, name;
	while (text && norn_wire_next_name(&rest, &name))
		if (name.length == length && memcmp(name.bytes, text, length) == 0)
			return true;
	return false;
}

static bool wants_mark(struct norn_filter *f, const struct norn_event *e)
{
	if (f->said.mark_ops >> e->op & 1)
		return true;
	if (e->argument >= NAMES)
		return names_mark(f, (uint32_t)e->argument);
	uint8_t *verdict = &f->names[e->argument];
	if (*verdict == UNASKED)
		*verdict = names_mark(f, (uint32_t)e->argument) ? YES : NO;
	return *verdict == YES;
}

bool norn_filter_wants(struct norn_filter *filter, const struct norn_event *e)
{
	if (filter->said.all || filter->said.kinds >> e->kind & 1 || wants_site(filter, e->site))
		return true;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		return wants_span(filter, e->kind, e->addr, e->size);
	case NORN_EVENT_EXTERNAL:
		return wants_span(filter, e->kind, e->addr & ~UINT64_C(7), 8);
	case NORN_EVENT_SYNC:
		return filter->said.sync_ops >> e->op & 1 || wants_span(filter, e->kind, e->addr, 1);
	case NORN_EVENT_THREAD:
		return filter->said.thread_ops >> e->op & 1;
	case NORN_EVENT_MARK:
		return wants_mark(filter, e);
	default:
		return false;
	}
}
