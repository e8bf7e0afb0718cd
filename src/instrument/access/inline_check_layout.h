/* The layout of knowledge words, for code that the pass emits (mttl/knowledge_cache.h has the same;
 * tests/unit/test_mttl_local_monitor.c compares). */
#ifndef NORN_INSTRUMENT_ACCESS_INLINE_CHECK_LAYOUT_H
#define NORN_INSTRUMENT_ACCESS_INLINE_CHECK_LAYOUT_H

/* Offsets in struct norn_knowledge_cache_words. */
#define NORN_INLINE_MASK 0u
#define NORN_INLINE_BASE 8u
#define NORN_INLINE_WORDS_BYTES 16u

/* Entries of struct norn_seen, to which struct norn_knowledge_cache begins with a pointer: the one for bytes from the word's first
 * on; those for bytes further on follow. */
#define NORN_INLINE_SEEN_READ(bytes, site) (8 * (unsigned)__builtin_ctz(bytes) + (site) % (bytes) * (8 / (bytes)))
#define NORN_INLINE_SEEN_WRITE(bytes) (32 + 8 / (bytes) - 1)

#endif
