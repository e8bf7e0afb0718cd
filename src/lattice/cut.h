/* Cuts (JMPaX, section 4), packed into machine words.
 *
 * A cut is a number of events per thread. Each thread has a field of just enough bits for its number of events, and above it a
 * guard bit that is 0; a field lies within one word. So
 *
 *   - to add an event is to add 1 << shift to one word;
 *   - whether the causes of an event are in a cut, its need (its clock without its own entry), is seen for all threads of a word at
 *     once: with the guard bits set, no field borrows from the next, and a guard bit survives the subtraction iff its field is
 *     large enough;
 *   - cuts are compared as numbers, first word first, and adding the same event to two cuts keeps their order. The lattice lives on
 *     that (level_nodes.h). The last thread has the highest bits of the first word, and so on downwards: cuts are in the order of
 *     their last thread's events, then of the one before it, …, however wide the fields are and whatever threads of which all have
 *     as many are left out.
 *
 * The packing owns its arrays, and copies what it needs of the clocks. */
#ifndef NORN_LATTICE_CUT_H
#define NORN_LATTICE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct norn_cut_field {
	uint16_t word;
	uint8_t shift, bits; /* bits: without the guard */
	uint32_t events; /* of the thread, that cuts may or may not have */
	uint64_t first; /* the first of them among all */
	uint32_t thread; /* which */
	uint32_t base; /* events of it that all cuts have, and that are not counted here */
};

struct norn_packing {
	uint32_t threads, words;
	uint64_t total; /* events */
	struct norn_cut_field *fields; /* per thread */
	uint64_t *guards; /* per word */
	uint64_t *needs; /* words for each event */
};

/* A thread, and those of its events that cuts may or may not have. */
struct norn_cut_thread {
	uint32_t thread, base, events; /* base: events before these */
	const uint32_t *clocks; /* of these, stride entries each, by thread */
	uint32_t stride;
};

/* threads: ascending. -EOVERFLOW: one has more than 2^31 events, or there are too many. */
int norn_packing_init(struct norn_packing *packing, const struct norn_cut_thread *threads, uint32_t count);
void norn_packing_done(struct norn_packing *packing);
size_t norn_packing_bytes(const struct norn_packing *packing);

static inline uint32_t norn_cut_get(const struct norn_cut_field *field, const uint64_t *cut)
{
	return (uint32_t)(cut[field->word] >> field->shift & ((UINT64_C(1) << field->bits) - 1));
}

/* A field that is full goes over into its guard bit: good for comparing, not for a cut. */
static inline void norn_cut_advance(const struct norn_cut_field *field, uint64_t *cut)
{
	cut[field->word] += UINT64_C(1) << field->shift;
}

/* Are all causes of an event, as need has them, in the cut? words is a constant where it matters. */
static inline bool norn_cut_covers(const uint64_t *cut, const uint64_t *need, const uint64_t *guards, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if ((((cut[i] | guards[i]) - need[i]) & guards[i]) != guards[i])
			return false;
	return true;
}

/* < 0, 0, > 0 */
static inline int norn_cut_compare(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

#endif
