#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/codec/codec.h"
#include "trace/decode.h"
#include "trace/trace_state.h"
#include "trace/record.h"

struct norn_cursor {
	const struct norn_trace *trace;
	uint32_t thread, block; /* block: the next one to decode */
	struct norn_codec *codec;
	uint64_t *raw; /* the decoded block */
	unsigned room, units, at, last; /* units allocated, in use, read, and read before the last record */
	uint64_t range[5]; /* a record that was widened */
	uint8_t *buffer; /* for decompression */
	size_t buffer_bytes;
	struct norn_decode *decode; /* for events; NULL until the first */
};

int norn_cursor_new(struct norn_trace *trace, uint32_t thread, struct norn_cursor **ret_cursor)
{
	if (thread >= trace->header.threads)
		return -EINVAL;
	struct norn_cursor *c = norn_must_calloc(1, sizeof *c);
	c->trace = trace;
	c->thread = thread;
	*ret_cursor = c;
	return 0;
}

void norn_cursor_free(struct norn_cursor *cursor)
{
	if (!cursor)
		return;
	free(cursor->codec);
	free(cursor->raw);
	free(cursor->buffer);
	free(cursor->decode);
	free(cursor);
}

/* A thread that is done keeps no block in memory, since there may be very many of them. */
static void release(struct norn_cursor *c)
{
	free(c->codec);
	free(c->raw);
	free(c->buffer);
	c->codec = NULL;
	c->raw = NULL;
	c->buffer = NULL;
	c->room = c->units = c->at = 0;
	c->buffer_bytes = 0;
}

static void make_room(struct norn_cursor *c, unsigned units)
{
	if (!c->codec)
		c->codec = norn_must_calloc(1, norn_codec_bytes());
	if (units > c->room) {
		free(c->raw);
		c->raw = norn_must_alloc(units, sizeof *c->raw);
		c->room = units;
	}
}

static int load(struct norn_cursor *c, struct norn_error *err)
{
	const struct norn_trace *t = c->trace;
	const struct norn_thread_entry *thread = &t->threads[c->thread];
	const struct norn_block_entry *entry = &t->blocks.items[thread->first + c->block];
	struct norn_block_header header;
	const uint8_t *payload;
	uint32_t records;
	c->units = c->at = 0;
	int r = norn_trace_unpack(t, entry->offset, &header, &c->buffer, &c->buffer_bytes, &payload, err);
	if (r < 0)
		return r;
	if (header.kind != NORN_BLOCK_EVENTS || header.units > NORN_BLOCK_UNITS)
		return norn_trace_damaged(t, err, "the block at offset %llu is damaged", (unsigned long long)entry->offset);
	make_room(c, header.units);
	if (norn_codec_decode(c->codec, payload, header.bytes, c->raw, header.units, &records) < 0 || records != header.records)
		return norn_trace_damaged(t, err, "the events of block %u of thread %u cannot be decoded", c->block, c->thread);
	c->units = header.units;
	c->block++;
	return 0;
}

int norn_cursor_next(struct norn_cursor *cursor, const uint64_t **ret_record, unsigned *ret_units, struct norn_error *err)
{
	while (cursor->at == cursor->units) {
		if (cursor->block == cursor->trace->threads[cursor->thread].info.blocks) {
			release(cursor);
			return 0;
		}
		int r = load(cursor, err);
		if (r < 0)
			return r;
	}
	/* Decoding yields whole records only. */
	unsigned units = norn_record_units(cursor->raw + cursor->at, cursor->units - cursor->at);
	const uint64_t *record = cursor->raw + cursor->at;
	cursor->last = cursor->at;
	cursor->at += units;
	bool spans = norn_record_spans(record[0]);
	*ret_units = spans ? norn_record_widen(record, cursor->range) : units;
	*ret_record = spans ? cursor->range : record;
	return 1;
}

/* Takes the arguments that follow an ENTER. */
static int take_arguments(struct norn_cursor *c, struct norn_event *event, struct norn_error *err)
{
	const uint64_t *record;
	unsigned units;
	struct norn_event none;
	int r;
	while ((r = norn_cursor_next(c, &record, &units, err)) == 1) {
		if (norn_decode_argument(c->decode, record, event))
			continue;
		if (norn_record_tag(record[0]) != NORN_TAG_TIME) {
			c->at = c->last; /* for the next call */
			return 1;
		}
		norn_decode_record(c->decode, record, units, &none);
	}
	return r < 0 ? r : 1;
}

int norn_cursor_event(struct norn_cursor *cursor, struct norn_event *ret_event, struct norn_error *err)
{
	const uint64_t *record;
	unsigned units;
	int r;
	if (!cursor->decode) {
		cursor->decode = norn_must_alloc(1, sizeof *cursor->decode);
		norn_decode_init(cursor->decode, cursor->thread, &cursor->trace->header);
	}
	while ((r = norn_cursor_next(cursor, &record, &units, err)) == 1) {
		r = norn_decode_record(cursor->decode, record, units, ret_event);
		if (r < 0)
			return norn_trace_damaged(cursor->trace, err, "a record of thread %u is malformed", cursor->thread);
		if (r == 1)
			return ret_event->kind == NORN_EVENT_ENTER ? take_arguments(cursor, ret_event, err) : 1;
	}
	return r;
}
