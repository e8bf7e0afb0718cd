#include "lattice/bignum.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* The largest power of ten that a limb holds: so many digits are printed at a time. */
#define CHUNK UINT64_C(10000000000000000000)
#define CHUNK_DIGITS 19

void norn_bignum_done(struct norn_bignum *number)
{
	free(number->limbs);
	*number = (struct norn_bignum){0};
}

void norn_bignum_add(struct norn_bignum *number, const uint64_t *limbs, uint32_t count)
{
	uint32_t most = (number->count > count ? number->count : count) + 1;
	uint64_t *sum = norn_must_calloc(most, sizeof *sum);
	if (number->count)
		memcpy(sum, number->limbs, number->count * sizeof *sum);
	norn_limbs_add(sum, limbs, count);
	while (most && sum[most - 1] == 0)
		most--;
	free(number->limbs);
	*number = (struct norn_bignum){sum, most};
}

bool norn_bignum_is(const struct norn_bignum *number, uint64_t value)
{
	return value ? number->count == 1 && number->limbs[0] == value : number->count == 0;
}

/* Divides by CHUNK in place and returns the remainder. */
static uint64_t divide(uint64_t *limbs, uint32_t count)
{
	unsigned __int128 rest = 0;
	for (uint32_t i = count; i-- > 0;) {
		rest = rest << 64 | limbs[i];
		limbs[i] = (uint64_t)(rest / CHUNK);
		rest %= CHUNK;
	}
	return (uint64_t)rest;
}

char *norn_bignum_text(const struct norn_bignum *number)
{
	uint32_t count = number->count;
	/* 64 bits are less than 20 digits, and the highest chunk may be padded. */
	size_t room = (size_t)count * 20 + CHUNK_DIGITS + 2, at = room - 1;
	uint64_t *limbs = norn_must_copy(number->limbs, count, sizeof *limbs);
	char *text = norn_must_alloc(room, 1);
	text[at] = '\0';
	while (count) {
		uint64_t chunk = divide(limbs, count);
		for (unsigned i = 0; i < CHUNK_DIGITS; i++, chunk /= 10)
			text[--at] = (char)('0' + chunk % 10);
		while (count && limbs[count - 1] == 0)
			count--;
	}
	while (text[at] == '0')
		at++;
	if (text[at] == '\0')
		text[--at] = '0';
	memmove(text, text + at, room - at);
	free(limbs);
	return text;
}
