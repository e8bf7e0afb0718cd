/* What code in the program knows of the words that carry knowledge (online/glance.h has the same; tests/unit/test_online_mttl.c compares). */
#ifndef NORN_INSTRUMENT_INLINE_LAYOUT_H
#define NORN_INSTRUMENT_INLINE_LAYOUT_H

/* Offsets in struct norn_glance_words. */
#define NORN_INLINE_MASK 0u
#define NORN_INLINE_BASE 8u
#define NORN_INLINE_WORDS_BYTES 16u

/* Offsets in struct norn_glance. */
#define NORN_INLINE_FAMILIAR 0u
#define NORN_INLINE_NOW 8u
#define NORN_INLINE_GLANCE_BYTES 40u

/* Bits of a word. */
#define NORN_INLINE_FLAGS 0xfffu
#define NORN_INLINE_REST 8u
#define NORN_INLINE_OTHERS 0xff0u
#define NORN_INLINE_OTHERS_SHIFT 4u
#define NORN_INLINE_WRITE_SHIFT 12u
#define NORN_INLINE_ACCESS_SHIFT 32u
#define NORN_INLINE_KNOWN (1u << 20)

#endif
