/* Flat blocks of bytes: numbers and texts one after the other, written by one process and read by another that trusts nothing.
 *
 * A number is a varint: seven bits a byte, the lowest first, the highest bit set on all bytes but the last, in its shortest form. A
 * text is its length and its bytes with a NUL behind them, so that readers may point into the block. A failure leaves a flag, which
 * the caller reads once, at the end. Whole structures are written and read by their descriptors (descriptor.h). */
#ifndef NORN_BASE_PACK_H
#define NORN_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_PACK_DIGITS 10u /* bytes of the longest number */

/* Written. An all-zero pack is an empty one, which owns its bytes. */
struct norn_pack {
	uint8_t *bytes;
	size_t length, room;
	bool fixed; /* bytes and room are the caller's, and do not grow */
	bool failed; /* out of memory; fixed: out of room */
};

void norn_pack_done(struct norn_pack *pack); /* not for a fixed one; leaves an empty one */
void norn_pack_number_slow(struct norn_pack *pack, uint64_t number); /* any room */
void norn_pack_signed(struct norn_pack *pack, int64_t number);
void norn_pack_bytes(struct norn_pack *pack, const void *bytes, size_t length); /* without their length */
void norn_pack_text(struct norn_pack *pack, const char *text); /* NULL is not "" */

static inline void norn_pack_number(struct norn_pack *pack, uint64_t number)
{
	if (pack->room - pack->length < NORN_PACK_DIGITS) {
		norn_pack_number_slow(pack, number);
		return;
	}
	uint8_t *at = pack->bytes + pack->length;
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	pack->length = (size_t)(at - pack->bytes);
}

/* Read. Points to the block, which must outlive the texts. */
struct norn_unpack {
	const uint8_t *at, *end;
	bool failed; /* the block is too short or invalid; at is end, so that all further numbers are 0, texts NULL */
};

uint64_t norn_unpack_number_slow(struct norn_unpack *in); /* of any length */
int64_t norn_unpack_signed(struct norn_unpack *in);
/* The next length bytes of the block; NULL: failed. */
const uint8_t *norn_unpack_bytes(struct norn_unpack *in, uint64_t length);
const char *norn_unpack_text(struct norn_unpack *in); /* NULL if it was packed as NULL, or failed */

static inline void norn_unpack_fail(struct norn_unpack *in)
{
	in->failed = true;
	in->at = in->end;
}

static inline uint64_t norn_unpack_number(struct norn_unpack *in)
{
	const uint8_t *at = in->at;
	if (at == in->end || *at >= 0x80)
		return norn_unpack_number_slow(in);
	in->at = at + 1;
	return *at;
}

/* A number below limit; otherwise failed, and 0. */
static inline uint32_t norn_unpack_below(struct norn_unpack *in, uint64_t limit)
{
	uint64_t number = norn_unpack_number(in);
	if (number < limit && number <= UINT32_MAX) /* after a failure it is 0 */
		return (uint32_t)number;
	norn_unpack_fail(in);
	return 0;
}

#endif
