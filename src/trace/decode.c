#include "trace/decode.h"

#include <errno.h>
#include <string.h>

#define TICKS_MASK ((UINT64_C(1) << 56) - 1)

void norn_decode_init(struct norn_decode *d, uint32_t thread, const struct norn_file_header *header)
{
	memset(d, 0, sizeof *d);
	d->thread = thread;
	d->tsc_start = header->tsc_start;
	d->tsc_hz = header->tsc_hz;
}

uint64_t norn_decode_ticks(const struct norn_decode *d, uint64_t unit)
{
	uint64_t ticks = ((unit >> 8) - d->tsc_start) & TICKS_MASK;
	/* Slightly before the start: clocks of two processors, or a thread that was there first. */
	return ticks > TICKS_MASK / 2 ? 0 : ticks;
}

uint64_t norn_decode_nanoseconds(const struct norn_decode *d, uint64_t ticks)
{
	if (d->tsc_hz == 0)
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * 1000000000u / d->tsc_hz);
}

uint64_t norn_decode_value(const uint8_t *data, uint64_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, data, bytes < 8 ? bytes : 8);
	return value;
}

static void access(struct norn_event *e, const uint64_t *r, unsigned kind)
{
	e->kind = (uint8_t)kind;
	e->addr = norn_record_addr(r[0]);
	e->size = UINT64_C(1) << norn_record_sub(r[0]);
	e->site = (uint32_t)r[1];
	e->version = r[1] >> 32;
	e->known = kind != NORN_EVENT_READ;
}

static int rmw(struct norn_decode *d, const uint64_t *r, unsigned units, struct norn_event *e)
{
	access(e, r, NORN_EVENT_RMW);
	e->value = r[2];
	if (e->size <= 8)
		return 1;
	if (units != 5)
		return -EBADMSG;
	d->versions[0] = e->version;
	d->versions[1] = (uint32_t)r[4];
	memcpy(d->data, &r[2], 16);
	e->versions = d->versions;
	e->count = 2;
	e->data = d->data;
	return 1;
}

static int range_versions(struct norn_decode *d, const uint64_t *r, unsigned words)
{
	unsigned n = 0, runs = r[2] >> 32;
	for (unsigned i = 0; i < runs; i++) {
		unsigned count = r[3 + i] >> 32;
		if (count > words - n)
			return -EBADMSG;
		while (count--)
			d->versions[n++] = (uint32_t)r[3 + i];
	}
	return n == words ? 0 : -EBADMSG;
}

static int range(struct norn_decode *d, const uint64_t *r, unsigned units, struct norn_event *e)
{
	unsigned sub = norn_record_sub(r[0]), runs = r[2] >> 32, data = (uint32_t)r[2];
	uint64_t bytes = r[1] >> 32;
	e->addr = norn_record_addr(r[0]);
	e->size = bytes;
	e->site = (uint32_t)r[1];
	e->op = (uint8_t)sub;
	if (bytes == 0 || bytes > NORN_RANGE_BYTES || (uint64_t)units != UINT64_C(3) + runs + data ||
	        range_versions(d, r, norn_decode_words(e->addr, bytes)) != 0)
		return -EBADMSG;
	e->version = d->versions[0];
	e->versions = d->versions;
	e->count = norn_decode_words(e->addr, bytes);
	e->kind = NORN_EVENT_WRITE;
	switch (sub) {
	case NORN_RANGE_READ:
	case NORN_RANGE_SCAN:
	case NORN_RANGE_COPY_FROM:
		e->kind = NORN_EVENT_READ;
		return 1;
	case NORN_RANGE_COPY_TO:
		return 1;
	case NORN_RANGE_WRITE:
		if (data < (bytes + 7) / 8)
			return -EBADMSG;
		e->data = (const uint8_t *)&r[3 + runs];
		break;
	case NORN_RANGE_SET:
		if (data < 1)
			return -EBADMSG;
		memset(d->data, (int)(r[3 + runs] & 0xff), bytes);
		e->data = d->data;
		break;
	case NORN_RANGE_FREE:
		if (data < 1)
			return -EBADMSG;
		e->kind = NORN_EVENT_FREE;
		e->size = r[3 + runs];
		e->known = true;
		return 1;
	default:
		return -EBADMSG;
	}
	e->known = true;
	e->value = norn_decode_value(e->data, bytes);
	return 1;
}

static int span(struct norn_decode *d, const uint64_t *r, struct norn_event *e)
{
	uint64_t wide[5];
	return range(d, wide, norn_record_widen(r, wide), e);
}

static int leave(struct norn_decode *d, const uint64_t *r, struct norn_event *e)
{
	e->kind = NORN_EVENT_LEAVE;
	e->site = r[0] >> 8 & ((1u << NORN_SITE_BITS) - 1);
	e->argument = r[0] >> 36;
	e->known = true;
	if (d->has_result) {
		d->args[0] = d->result;
		e->args = d->args;
		e->count = 1;
		d->has_result = false;
	}
	return 1;
}

/* SYNC, THREAD, ALLOC, MARK and EXT: three units of like shape. */
static int three(const uint64_t *r, struct norn_event *e)
{
	e->op = (uint8_t)norn_record_sub(r[0]);
	e->site = (uint32_t)r[1];
	e->known = true;
	switch (norn_record_tag(r[0])) {
	case NORN_TAG_EXT:
		access(e, r, NORN_EVENT_EXTERNAL);
		e->size = 8;
		e->value = r[2];
		return 1;
	case NORN_TAG_SYNC:
		e->kind = NORN_EVENT_SYNC;
		e->addr = norn_record_addr(r[0]);
		e->version = r[1] >> 32;
		e->argument = r[2];
		return 1;
	case NORN_TAG_ALLOC:
		e->kind = NORN_EVENT_ALLOC;
		e->addr = norn_record_addr(r[0]);
		e->version = r[1] >> 32;
		e->size = r[2];
		return 1;
	case NORN_TAG_THREAD:
		e->kind = NORN_EVENT_THREAD;
		e->value = r[1] >> 32;
		e->argument = r[2];
		return 1;
	default:
		e->kind = NORN_EVENT_MARK;
		e->argument = r[1] >> 32;
		e->value = r[2];
		return 1;
	}
}

static int dispatch(struct norn_decode *d, const uint64_t *r, unsigned units, struct norn_event *e)
{
	switch (norn_record_tag(r[0])) {
	case NORN_TAG_READ:
		if (norn_record_spans(r[0]))
			return span(d, r, e);
		access(e, r, NORN_EVENT_READ);
		return 1;
	case NORN_TAG_WRITE:
		access(e, r, NORN_EVENT_WRITE);
		e->value = r[2];
		return 1;
	case NORN_TAG_RMW:
		return rmw(d, r, units, e);
	case NORN_TAG_RANGE:
		return range(d, r, units, e);
	case NORN_TAG_EXT:
	case NORN_TAG_SYNC:
	case NORN_TAG_THREAD:
	case NORN_TAG_ALLOC:
	case NORN_TAG_MARK:
		return three(r, e);
	case NORN_TAG_ENTER:
		e->kind = NORN_EVENT_ENTER;
		e->site = r[0] >> 8 & ((1u << NORN_SITE_BITS) - 1);
		e->call_site = r[0] >> 36;
		e->known = true;
		return 1;
	case NORN_TAG_LEAVE:
		return leave(d, r, e);
	case NORN_TAG_LOST:
		e->kind = NORN_EVENT_LOST;
		e->argument = r[0] >> 8;
		e->known = true;
		return 1;
	case NORN_TAG_TIME:
		d->time = norn_decode_nanoseconds(d, norn_decode_ticks(d, r[0]));
		return 0;
	case NORN_TAG_VALUE:
		if (norn_record_sub(r[0]) == NORN_VALUE_RESULT) {
			d->result = r[1];
			d->has_result = true;
		}
		return 0; /* an argument without its ENTER: what was before it is lost */
	default:
		return -EBADMSG;
	}
}

int norn_decode_record(struct norn_decode *d, const uint64_t *record, unsigned units, struct norn_event *ret_event)
{
	*ret_event = (struct norn_event){.thread = d->thread, .time = d->time, .index = d->index};
	int r = dispatch(d, record, units, ret_event);
	if (r == 1)
		d->index++;
	return r;
}

bool norn_decode_argument(struct norn_decode *d, const uint64_t *record, struct norn_event *event)
{
	unsigned index = norn_record_sub(record[0]);
	if (norn_record_tag(record[0]) != NORN_TAG_VALUE || index == NORN_VALUE_RESULT)
		return false;
	if (index < NORN_DECODE_ARGS) {
		for (; event->count < index; event->count++)
			d->args[event->count] = 0;
		d->args[index] = record[1];
		event->argument |= UINT64_C(1) << index;
		event->args = d->args;
		if (event->count <= index)
			event->count = index + 1;
	}
	return true;
}
