/* Past-time LTL as bits (Havelund and Roşu, "Synthesizing monitors for safety properties", 2002).
 *
 * A program computes the value of every subformula from its operands' values, bottom-up, and from what some subformulas were worth
 * at the position before. Those some are the bits that a state keeps; equal subformulas share one.
 *
 *   state: bit 0 the verdict of the last position, bit 1 whether there was one, then the bits */
#ifndef NORN_MONITOR_PTLTL_H
#define NORN_MONITOR_PTLTL_H

#include "monitor/monitor.h"

#define NORN_PTLTL_BITS_MAX 60u
#define NORN_PTLTL_CODE_MAX 4096u
#define NORN_PTLTL_VERDICT UINT64_C(1)
#define NORN_PTLTL_STARTED UINT64_C(2)
#define NORN_PTLTL_BITS 2u /* the first bit's place */
#define NORN_PTLTL_NONE UINT8_MAX

struct norn_ptltl_line {
	uint8_t op; /* enum norn_op */
	uint8_t bit; /* the bit of the state that keeps this line's value, or NORN_PTLTL_NONE */
	uint16_t a, b; /* lines before this one; ATOM: a is the atom; PREV, START, END: b is the bit of a */
};

struct norn_ptltl {
	struct norn_ptltl_line *lines; /* the root is the last */
	uint32_t count;
	uint32_t bits;
	uint16_t kept[NORN_PTLTL_BITS_MAX]; /* per bit: the line */
};

int norn_ptltl_init(struct norn_ptltl *ptltl, const struct norn_property *property, struct norn_error *err);
void norn_ptltl_done(struct norn_ptltl *ptltl);
uint64_t norn_ptltl_step(const struct norn_ptltl *ptltl, uint64_t state, uint64_t letter);
/* The next states by state and letter: table[state >> 1 << atoms | letter]. *ret_table is NULL if that would be too big. */
int norn_ptltl_table(const struct norn_ptltl *ptltl, uint32_t atoms, uint16_t **ret_table);

#endif
