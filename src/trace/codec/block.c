#include "trace/codec/block.h"

#include <stddef.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/codec/codec.h"

#define HEADER sizeof(struct norn_block_header)

/* Compressing costs more time than coding and writing do, while the watched program waits. So EVENTS blocks are compressed only if
 * they hold much data: memcpy from private memory, vectors. */
#define DENSE_BYTES 4 /* coded bytes a unit up to which it is not tried */
#define EVENTS_LEVEL (-1)
#define OTHER_LEVEL 1

struct norn_workspace {
	struct norn_codec *codec;
	ZSTD_CCtx *zstd;
	uint8_t *plain, *packed; /* room for a header, then limit bytes; the same compressed */
	size_t limit, packed_limit;
};

static size_t align(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

/* The parameters that zstd chooses depend on the input's size; this is enough for any of up to bytes bytes. */
static size_t zstd_bytes(size_t bytes)
{
	static const size_t tiers[] = {1024, 16 << 10, 128 << 10, 256 << 10};
	size_t most = 0;
	for (unsigned i = 0; i <= sizeof tiers / sizeof *tiers; i++) {
		size_t size = i < sizeof tiers / sizeof *tiers ? tiers[i] : bytes;
		size_t slow = ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(OTHER_LEVEL, size, 0));
		size_t fast = ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(EVENTS_LEVEL, size, 0));
		most = slow > most ? slow : most;
		most = fast > most ? fast : most;
	}
	return most;
}

size_t norn_workspace_bytes(unsigned units)
{
	size_t limit = norn_codec_bound(units);
	return align(sizeof(struct norn_workspace)) + align(norn_codec_bytes()) + align(HEADER + limit + 8) +
	       align(HEADER + ZSTD_compressBound(limit) + 8) + align(zstd_bytes(limit));
}

/* The most units that so much memory is enough for. */
static unsigned workspace_units(size_t bytes)
{
	unsigned low = 0, high = 1u << 24;
	while (low < high) {
		unsigned middle = low + (high - low + 1) / 2;
		if (norn_workspace_bytes(middle) <= bytes)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

struct norn_workspace *norn_workspace_init(void *memory, size_t bytes)
{
	unsigned units = workspace_units(bytes);
	struct norn_workspace *w = memory;
	uint8_t *at = memory;
	if (units == 0)
		return NULL;
	w->limit = norn_codec_bound(units);
	w->packed_limit = ZSTD_compressBound(w->limit);
	at += align(sizeof *w);
	w->codec = (struct norn_codec *)at;
	at += align(norn_codec_bytes());
	w->plain = at;
	at += align(HEADER + w->limit + 8);
	w->packed = at;
	at += align(HEADER + w->packed_limit + 8);
	w->zstd = ZSTD_initStaticCCtx(at, zstd_bytes(w->limit));
	return w->zstd ? w : NULL;
}

uint64_t norn_block_checksum(
        const struct norn_block_header *header, const void *payload_a, size_t a_bytes, const void *payload_b, size_t b_bytes)
{
	struct norn_block_header h = *header;
	h.checksum = 0;
	uint64_t seed = XXH3_64bits(&h, sizeof h);
	if (b_bytes == 0)
		return XXH3_64bits_withSeed(payload_a, a_bytes, seed);
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset_withSeed(&state, seed);
	XXH3_64bits_update(&state, payload_a, a_bytes);
	XXH3_64bits_update(&state, payload_b, b_bytes);
	return XXH3_64bits_digest(&state);
}

uint64_t norn_header_checksum(const struct norn_file_header *header)
{
	return XXH3_64bits(header, offsetof(struct norn_file_header, checksum));
}

void norn_block_pad(uint64_t bytes, struct norn_block_header *ret_header)
{
	*ret_header = (struct norn_block_header){
	        .magic = NORN_BLOCK_MAGIC, .kind = NORN_BLOCK_PAD, .stored = bytes - HEADER, .bytes = bytes - HEADER};
	ret_header->checksum = norn_block_checksum(ret_header, NULL, 0, NULL, 0);
}

/* Compresses the bytes in plain; 0 unless that makes them at least an eighth smaller. */
static size_t compress(struct norn_workspace *w, size_t bytes, int level)
{
	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
	size_t packed = ZSTD_compress2(w->zstd, w->packed + HEADER, w->packed_limit, w->plain + HEADER, bytes);
	return ZSTD_isError(packed) || packed > bytes - bytes / 8 ? 0 : packed;
}

/* Puts header and padding around what is in plain, or if flags say so in packed. */
static size_t seal(struct norn_workspace *w, struct norn_block_header *header, const uint8_t **ret_block)
{
	uint8_t *block = header->flags & NORN_BLOCK_ZSTD ? w->packed : w->plain;
	uint64_t span = norn_block_span(header);
	memset(block + HEADER + header->stored, 0, span - HEADER - header->stored);
	header->checksum = norn_block_checksum(header, block + HEADER, header->stored, NULL, 0);
	memcpy(block, header, HEADER);
	*ret_block = block;
	return span;
}

size_t norn_block_events(
        struct norn_workspace *w, const struct norn_block_id *id, const uint64_t *raw, unsigned units, const uint8_t **ret_block)
{
	if (units == 0 || norn_codec_bound(units) > w->limit)
		return 0;
	uint32_t records;
	unsigned taken;
	size_t bytes = norn_codec_encode(w->codec, raw, units, w->plain + HEADER, &records, &taken);
	size_t packed = bytes > (size_t)taken * DENSE_BYTES ? compress(w, bytes, EVENTS_LEVEL) : 0;
	struct norn_block_header header = {
	        .magic = NORN_BLOCK_MAGIC,
	        .kind = NORN_BLOCK_EVENTS,
	        .flags = packed ? NORN_BLOCK_ZSTD : 0,
	        .stored = packed ? packed : bytes,
	        .bytes = bytes,
	        .thread = id->thread,
	        .records = records,
	        .units = taken,
	        .parent = id->parent,
	        .ordinal = id->ordinal,
	        .sequence = id->sequence,
	};
	return seal(w, &header, ret_block);
}

size_t norn_block_other(struct norn_workspace *w, enum norn_block_kind kind, const void *a, size_t a_bytes, const void *b,
        size_t b_bytes, const uint8_t **ret_block, int *ret_whole)
{
	size_t bytes = a_bytes + b_bytes;
	struct norn_block_header header = {.magic = NORN_BLOCK_MAGIC, .kind = kind, .stored = bytes, .bytes = bytes};
	*ret_whole = bytes <= w->limit;
	if (!*ret_whole) {
		header.checksum = norn_block_checksum(&header, a, a_bytes, b, b_bytes);
		memcpy(w->plain, &header, HEADER);
		*ret_block = w->plain;
		return HEADER;
	}
	if (a_bytes)
		memcpy(w->plain + HEADER, a, a_bytes);
	if (b_bytes)
		memcpy(w->plain + HEADER + a_bytes, b, b_bytes);
	size_t packed = bytes >= 256 ? compress(w, bytes, OTHER_LEVEL) : 0;
	if (packed) {
		header.flags = NORN_BLOCK_ZSTD;
		header.stored = packed;
	}
	return seal(w, &header, ret_block);
}
