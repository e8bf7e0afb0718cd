/* Natural numbers of any size: how many runs there are.
 *
 * A number is an array of limbs, the lowest first; bare arrays are added in place, a struct norn_bignum owns its limbs. An all-zero
 * struct is the number 0. */
#ifndef NORN_LATTICE_BIGNUM_H
#define NORN_LATTICE_BIGNUM_H

#include <stdbool.h>
#include <stdint.h>

struct norn_bignum {
	uint64_t *limbs; /* the highest is not 0 */
	uint32_t count;
};

void norn_bignum_done(struct norn_bignum *number); /* leaves 0 */

/* sum += limbs; sum has room for the carry: the caller knows that it fits. */
static inline void norn_limbs_add(uint64_t *sum, const uint64_t *limbs, uint32_t count)
{
	bool carry = false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t partial;
		bool first = __builtin_add_overflow(sum[i], limbs[i], &partial);
		carry = __builtin_add_overflow(partial, (uint64_t)carry, &sum[i]) | first;
	}
	for (uint32_t i = count; carry; i++)
		carry = ++sum[i] == 0;
}

void norn_bignum_add(struct norn_bignum *number, const uint64_t *limbs, uint32_t count);
bool norn_bignum_is(const struct norn_bignum *number, uint64_t value);
/* In decimal; the caller frees it. */
char *norn_bignum_text(const struct norn_bignum *number);

#endif
