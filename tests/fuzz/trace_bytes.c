#include "trace_bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/codec/block.h"
#include "trace/codec/codec.h"
#include "trace/record.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define UNITS_MOST (1u << 16)
#define BYTES_MOST (1u << 20)

/* The header of the block at offset; false: there is none. */
static bool block_at(const uint8_t *bytes, size_t size, size_t at, struct norn_block_header *ret_block)
{
	if (at > size || size - at < sizeof *ret_block)
		return false;
	memcpy(ret_block, bytes + at, sizeof *ret_block);
	return ret_block->magic == NORN_BLOCK_MAGIC && norn_block_span(ret_block) <= size - at;
}

void trace_repair(uint8_t *bytes, size_t size)
{
	struct norn_file_header header;
	struct norn_block_header block;
	if (size < NORN_HEADER_BYTES)
		return;
	for (size_t at = NORN_HEADER_BYTES; block_at(bytes, size, at, &block); at += norn_block_span(&block)) {
		size_t payload = block.kind == NORN_BLOCK_PAD ? 0 : block.stored;
		block.checksum = 0;
		block.checksum = norn_block_checksum(&block, bytes + at + sizeof block, payload, NULL, 0);
		memcpy(bytes + at, &block, sizeof block);
	}
	memcpy(&header, bytes, sizeof header);
	header.checksum = norn_header_checksum(&header);
	memcpy(bytes, &header, sizeof header);
}

/* ---- records ---- */

static unsigned pick(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % below;
}

/* A record is left out, comes again elsewhere, changes places with another one, or one of its units changes. */
static unsigned mutate_records(uint64_t *raw, unsigned units, unsigned *seed)
{
	unsigned starts[4096], count = 0;
	for (unsigned i = 0, n; i < units && count < 4096 && (n = norn_record_units(raw + i, units - i)); i += n)
		starts[count++] = i;
	if (!count)
		return units;
	unsigned at = starts[pick(seed, count)], length = norn_record_units(raw + at, units - at);
	unsigned other = starts[pick(seed, count)], other_length = norn_record_units(raw + other, units - other);
	uint64_t copy[NORN_RECORD_UNITS_MAX];
	memcpy(copy, raw + other, other_length * sizeof *raw);
	switch (pick(seed, 4)) {
	case 0:
		memmove(raw + at, raw + at + length, (units - at - length) * sizeof *raw);
		return units - length;
	case 1:
		if (units + other_length > UNITS_MOST)
			return units;
		memmove(raw + at + other_length, raw + at, (units - at) * sizeof *raw);
		memcpy(raw + at, copy, other_length * sizeof *raw);
		return units + other_length;
	case 2:
		if (length == other_length) {
			memcpy(raw + other, raw + at, length * sizeof *raw);
			memcpy(raw + at, copy, length * sizeof *raw);
		}
		return units;
	default:
		LLVMFuzzerMutate((uint8_t *)(raw + at + pick(seed, length)), sizeof *raw, sizeof *raw);
		return units;
	}
}

/* The block of events that comes of it, in the workspace; 0: none. */
static size_t mutate_events(
        const struct norn_block_header *block, const uint8_t *payload, unsigned *seed, const uint8_t **ret_block)
{
	static uint64_t raw[UNITS_MOST + NORN_RECORD_UNITS_MAX];
	static struct norn_codec *codec;
	static struct norn_workspace *workspace;
	uint32_t records;
	if (!codec) {
		codec = aligned_alloc(64, (norn_codec_bytes() + 63) & ~(size_t)63);
		size_t room = (norn_workspace_bytes(UNITS_MOST) + 63) & ~(size_t)63;
		void *memory = aligned_alloc(64, room);
		memset(codec, 0, norn_codec_bytes());
		memset(memory, 0, room);
		workspace = norn_workspace_init(memory, room);
	}
	if (block->units > UNITS_MOST || norn_codec_decode(codec, payload, block->bytes, raw, block->units, &records))
		return 0;
	unsigned units = block->units;
	for (unsigned times = 1 + pick(seed, 3); times; times--)
		units = mutate_records(raw, units, seed);
	const struct norn_block_id id = {block->thread, block->parent, block->ordinal, block->sequence};
	return norn_block_events(workspace, &id, raw, units, ret_block);
}

/* ---- files ---- */

static bool unpack(const struct norn_block_header *block, const uint8_t *stored, uint8_t *ret)
{
	if (block->bytes > BYTES_MOST || block->stored > BYTES_MOST)
		return false;
	if (!(block->flags & 1)) {
		memcpy(ret, stored, block->stored);
		return block->stored == block->bytes;
	}
	return ZSTD_decompress(ret, block->bytes, stored, block->stored) == block->bytes;
}

/* Replaces the block of old bytes at offset; returns the new size, 0 if there is no room. */
static size_t replace(uint8_t *bytes, size_t size, size_t most, size_t at, size_t old, const void *now, size_t length)
{
	if (size - old + length > most)
		return 0;
	memmove(bytes + at + length, bytes + at + old, size - at - old);
	memcpy(bytes + at, now, length);
	return size - old + length;
}

size_t trace_mutate(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
	static uint8_t plain[BYTES_MOST + sizeof(struct norn_block_header) + 8];
	size_t places[1024], count = 0, end = NORN_HEADER_BYTES;
	struct norn_block_header block;
	struct norn_file_header header;
	if (size < NORN_HEADER_BYTES)
		return 0;
	for (; count < 1024 && block_at(bytes, size, end, &block) && block.kind != NORN_BLOCK_FOOTER;
	        end += norn_block_span(&block))
		places[count++] = end;
	if (!count)
		return 0;
	size_t at = places[pick(&seed, (unsigned)count)], length;
	block_at(bytes, size, at, &block);
	uint8_t *payload = plain + sizeof block;
	const uint8_t *made;
	if (!unpack(&block, bytes + at + sizeof block, payload))
		return 0;
	if (block.kind == NORN_BLOCK_EVENTS && pick(&seed, 4)) {
		length = mutate_events(&block, payload, &seed, &made);
	} else {
		struct norn_block_header now = block;
		size_t room = block.bytes + block.bytes / 4 + 8;
		now.bytes = now.stored = (uint32_t)LLVMFuzzerMutate(payload, block.bytes, room < BYTES_MOST ? room : BYTES_MOST);
		now.flags &= (uint16_t)~1u;
		length = norn_block_span(&now);
		memset(payload + now.bytes, 0, length - sizeof now - now.bytes);
		memcpy(plain, &now, sizeof now);
		made = plain;
	}
	size = length ? replace(bytes, end, most, at, norn_block_span(&block), made, length) : 0;
	if (size) {
		memcpy(&header, bytes, sizeof header);
		header.state = NORN_STATE_RECORDING;
		header.footer = header.file_bytes = 0;
		memcpy(bytes, &header, sizeof header);
	}
	return size;
}
