/* Memory for offline code: allocations that do not fail.
 *
 * The policy is one for all of Norn:
 * - Offline code (the command, the observer, tests) calls the functions of this header. Where memory runs out, the process ends
 *   with one message on standard error and exit status 2: there is no result to save, and no caller could do better.
 * - Code that runs inside the watched program must never end it. It calls malloc and the functions without "must" in their
 *   names, which report -ENOMEM or NULL, and goes on with less. libnorn.so does not contain must.c, so that a call of it from
 *   there fails to link. The rooms concerned: runtime, engine, judge (not judge/recorded), mttl and scope (not their offline
 *   files), the steps of monitor, mvc and clocks in causality, writing traces.
 *
 * Results are freed by free. A size of 0 gives a pointer that is not NULL. */
#ifndef NORN_BASE_MUST_H
#define NORN_BASE_MUST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/table.h"
#include "base/vector.h"

/* Ends the process; from any thread. Buffered output of the process is lost. */
__attribute__((noreturn)) void norn_out_of_memory(void);
/* This is done before, once; it can rely on nothing, and may come in the midst of anything. One act for the whole process. */
void norn_at_out_of_memory(void (*act)(void));

/* An allocation's result, which is not NULL: norn_must(open_memstream(…)). */
#define norn_must(pointer) ((__typeof__(pointer))norn_must_have(pointer))
void *norn_must_have(const void *pointer);

/* For calls whose only failure is lack of memory: norn_must_do(norn_view_new(…)). */
static inline void norn_must_do(int result)
{
	if (result < 0)
		norn_out_of_memory();
}

void *norn_must_alloc(size_t count, size_t bytes); /* not initialised */
void *norn_must_calloc(size_t count, size_t bytes); /* of zero bytes */
void *norn_must_realloc(void *array, size_t count, size_t bytes);
void *norn_must_copy(const void *array, size_t count, size_t bytes); /* array may be NULL if count is 0 */
char *norn_must_text(const char *text); /* a copy; NULL of NULL */
char *norn_must_text_n(const char *text, size_t length); /* of a part, and a NUL byte */
char *norn_must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

void norn_must_close(FILE *file); /* of open_memstream: its text is whole */

void *norn_must_arena_alloc(struct norn_arena *arena, size_t bytes); /* of zero bytes */
void *norn_must_arena_copy(struct norn_arena *arena, const void *array, size_t count, size_t bytes);
char *norn_must_arena_text(struct norn_arena *arena, const char *text, size_t length);

void *norn_must_map_put(struct norn_map *map, uint64_t key); /* its value */
/* The key's number; *ret_new (which may be NULL): it was added. */
uint32_t norn_must_table_put(struct norn_table *table, const void *key, size_t bytes, bool *ret_new);

/* As norn_grow. */
static inline void norn_must_grow(void *array, uint64_t count, uint32_t *room, size_t bytes)
{
	if (norn_grow(array, count, room, bytes) < 0)
		norn_out_of_memory();
}

/* Vectors: norn_vector_reserve; appends a copy of a value, and gives that; appends an item of zero bytes, and gives its address.
 * The value must not be computed by an addition to the same vector. */
#define norn_must_reserve(v, total) norn_must_grow(&(v)->items, (total), &(v)->room, sizeof *(v)->items)
#define norn_must_push(v, ...) (norn_must_reserve(v, (v)->count + UINT64_C(1)), (v)->items[(v)->count++] = (__VA_ARGS__))
#define norn_must_add(v)                                                                                                           \
	((__typeof__((v)->items))(norn_must_reserve(v, (v)->count + UINT64_C(1)),                                                  \
	        memset((v)->items + (v)->count++, 0, sizeof *(v)->items)))

#endif
