/* The codec: raw records to few bytes and back.
 *
 * Within one block, records of the same site resemble each other: the address moves by a steady stride, the version stands still or
 * counts up, and the next site is mostly the one that came next the last time. The codec predicts each field from what its site
 * did before and stores only what differs. A block is coded on its own: contexts start empty, so any block can be decoded alone,
 * and encoding the same records twice gives the same bytes (trace/session.h relies on that).
 * Encoding neither allocates nor calls libc beyond memcpy and memset: it runs inside the watched program. */
#ifndef NORN_TRACE_CODEC_H
#define NORN_TRACE_CODEC_H

#include <stddef.h>
#include <stdint.h>

/* contexts; norn_codec_bytes() bytes of zeroed memory, aligned to 16, kept and reused by the caller, one user at a time */
struct norn_codec;
size_t norn_codec_bytes(void);

/* Most bytes that units raw units can become. */
size_t norn_codec_bound(unsigned units);

/* Encodes whole records; ret_records counts those that are events: all but TIME, VALUE and LOST. Returns the number of bytes.
 * An invalid record (a bug of the runtime) ends the block: it and all after it is left out; ret_units is what was taken. */
size_t norn_codec_encode(
        struct norn_codec *codec, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units);
/* The same bytes, without the instructions that not all machines have; for tests. */
size_t norn_codec_encode_anywhere(
        struct norn_codec *codec, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units);

/* Decodes exactly bytes bytes into exactly units units; -EBADMSG if they do not fit each other or hold no valid records.
 * Never reads or writes out of bounds, whatever the input. */
int norn_codec_decode(
        struct norn_codec *codec, const uint8_t *from, size_t bytes, uint64_t *raw, unsigned units, uint32_t *ret_records);

#endif
