/* Hashes of numbers and bytes.
 *
 * For tables in memory: norn_hash_mix, norn_hash_fold, and norn_hash of table.h; their results may change with Norn's version. For
 * ids and files: FNV-1a (Fowler, Noll, Vo), whose results stay. */
#ifndef NORN_BASE_HASH_H
#define NORN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The hash of a sequence, from that of all but its last number. */
static inline uint64_t norn_hash_mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Both halves of a product: each bit of a and b has a say in each bit of the result. */
static inline uint64_t norn_hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xd6e8feb86659fd93));
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define NORN_FNV_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t norn_fnv(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	for (; count > 0; count--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t norn_fnv_text(uint64_t hash, const char *text)
{
	return norn_fnv(hash, text, strlen(text));
}

#endif
