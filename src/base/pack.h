/* Flat blocks: numbers and texts one after the other, written by one process and read by another that trusts nothing.
 *
 * Numbers are little-endian, as few bytes as they need (seven bits each); a text is its length and its bytes with a NUL behind them, so
 * that readers may point into the block. What cannot be written or read leaves a flag, which is looked at once, at the end. */
#ifndef NORN_BASE_PACK_H
#define NORN_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Written. An all-zero pack is an empty one; it owns its bytes. */
struct norn_pack {
	uint8_t *bytes;
	size_t length, room;
	bool failed; /* memory was short */
};

void norn_pack_done(struct norn_pack *pack); /* leaves an empty one */
void norn_pack_number(struct norn_pack *pack, uint64_t number);
void norn_pack_signed(struct norn_pack *pack, int64_t number);
void norn_pack_bytes(struct norn_pack *pack, const void *bytes, size_t length); /* without their length */
void norn_pack_text(struct norn_pack *pack, const char *text); /* NULL is not "" */

/* Read. Points to the block, which must live as long as the texts. */
struct norn_unpack {
	const uint8_t *at, *end;
	bool failed; /* the block is shorter than it says, or says what cannot be; from then on all numbers are 0, texts NULL */
};

uint64_t norn_unpack_number(struct norn_unpack *in);
int64_t norn_unpack_signed(struct norn_unpack *in);
/* A number below limit; otherwise failed, and 0. */
uint32_t norn_unpack_below(struct norn_unpack *in, uint64_t limit);
/* A count of things that take at least a byte each, so never more than what is left. */
uint32_t norn_unpack_count(struct norn_unpack *in);
bool norn_unpack_bytes(struct norn_unpack *in, void *to, size_t length);
const char *norn_unpack_text(struct norn_unpack *in); /* NULL if it was packed as NULL, or failed */

#endif
