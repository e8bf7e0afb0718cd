/* The hooks: what instrumented code calls. The pass (instrument/) declares these same functions in IR; tests/unit checks that the
 * two agree.
 *
 * All hooks use the preserve_most convention, so that instrumented code keeps its values in registers across them; they are bound
 * eagerly (nonlazybind), since a lazy resolver would not keep that promise. They preserve errno.
 * A scalar hook performs the access itself: on x86-64 an aligned access of 1 to 8 bytes is atomic and, with the protocol in
 * shadow.h, sequentially consistent, so plain and atomic loads and stores use the same hooks; the site knows the memory order.
 *
 * site is norn_module.base + index, where the module descriptor is this one translation unit's. */
#ifndef NORN_RUNTIME_HOOKS_H
#define NORN_RUNTIME_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#define NORN_HOOK __attribute__((preserve_most, visibility("default")))

struct norn_site_table;

/* One per translation unit, in writable data; layout known to the pass. */
struct norn_module {
	uint32_t base; /* set by __norn_module; 0 before */
	uint32_t variables; /* how many addresses there are; 0: the descriptor may end before them */
	const struct norn_site_table *table;
	const void *const *addresses; /* of variables that facts speak of (trace/facts.h) */
};

/* The site of the call instruction that this thread executed last; instrumented code stores it before each call, interposed
 * functions read it. Initial-exec TLS. */
extern __thread uint32_t __norn_call_site __attribute__((tls_model("initial-exec"), visibility("default")));

/* The function that the runtime stands in for in the call that comes next (effects/effects.h: HOOKED_CALL). Stored likewise. */
extern __thread const void *__norn_callee __attribute__((tls_model("initial-exec"), visibility("default")));

__attribute__((visibility("default"))) void __norn_module(
        struct norn_module *module); /* constructor, priority 0; plain C convention */

NORN_HOOK uint8_t __norn_read1(const void *addr, uint32_t site);
NORN_HOOK uint16_t __norn_read2(const void *addr, uint32_t site);
NORN_HOOK uint32_t __norn_read4(const void *addr, uint32_t site);
NORN_HOOK uint64_t __norn_read8(const void *addr, uint32_t site);
NORN_HOOK void __norn_write1(void *addr, uint8_t value, uint32_t site);
NORN_HOOK void __norn_write2(void *addr, uint16_t value, uint32_t site);
NORN_HOOK void __norn_write4(void *addr, uint32_t value, uint32_t site);
NORN_HOOK void __norn_write8(void *addr, uint64_t value, uint32_t site);

/* Shared memory to private memory and back: vectors, i128, long double, memcpy with one private side. They do the copying. */
NORN_HOOK void __norn_readn(void *to, const void *from, size_t bytes, uint32_t site);
NORN_HOOK void __norn_writen(void *to, const void *from, size_t bytes, uint32_t site);
/* The instruction reads these bytes itself (an argument passed by value): log only. */
NORN_HOOK void __norn_touch(const void *from, size_t bytes, uint32_t site);
/* A function of libc reads so much of this memory (enum norn_extent, trace/site.h), and has filled so much: log only. at may be
 * NULL: nothing. The first gives how many bytes it is; other is a pointer, or a byte. */
NORN_HOOK size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site);
NORN_HOOK void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site);
NORN_HOOK void __norn_copy(void *to, const void *from, size_t bytes, uint32_t site); /* memmove semantics: serves memcpy too */
NORN_HOOK void __norn_set(void *to, int byte, size_t bytes, uint32_t site);

/* Around an atomic read-modify-write of 1 to 16 bytes that instrumented code performs itself. wrote: 0 if a cmpxchg failed.
 * Between the two the word is locked and signals are deferred. */
NORN_HOOK void __norn_rmw_begin(void *addr, uint32_t bytes, uint32_t site);
NORN_HOOK void __norn_rmw_end(void *addr, uint32_t bytes, uint32_t site, uint32_t wrote);
NORN_HOOK void __norn_fence(uint32_t site); /* before a fence between threads, which instrumented code performs itself: log only */

/* Function entry gives the depth of this frame, counted in instrumented frames; setjmp's second return and landing pads hand it to
 * __norn_unwind, which leaves all frames above; setjmp's first return hands it UINT32_MAX: nothing. */
NORN_HOOK uint32_t __norn_enter(uint32_t site);
NORN_HOOK void __norn_argument(uint32_t index, uint64_t value);
NORN_HOOK void __norn_result(uint64_t value);
NORN_HOOK void __norn_leave(uint32_t site);
NORN_HOOK void __norn_unwind(uint32_t depth);
/* Around a call of code that may have no hooks and is not known to be harmless (effects/effects.h): records the call, unless the
 * target bears NORN_HOOKED. target may be NULL: something else than a function. The result of the first goes to __norn_returned,
 * with the site (older programs: to __norn_return). */
NORN_HOOK uint32_t __norn_calls(const void *target, uint32_t site);
/* The same of a call whose callee may turn out to be known (runtime/interpose/known_calls.h explains types and arguments): one
 * through a pointer, or of a function that a user's model may describe. */
NORN_HOOK uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments);
NORN_HOOK void __norn_returned_with(uint32_t token, uint32_t site, const char *types, uint64_t *arguments, uint64_t result);
/* The hook of older programs in its place, with other parameters: does nothing. A hook that comes to take others gets another name;
 * the old one stays, and does no more than the access, so that programs of another version run (trace/site.h:
 * NORN_SITE_VERSION). */
NORN_HOOK uint32_t __norn_call(void);
NORN_HOOK void __norn_return(uint32_t token);
NORN_HOOK void __norn_returned(uint32_t token, uint32_t site);
/* Before __norn_calls: the call is one of effects/job_functions.h. function, if it is not NULL, will be run by other threads, limit
 * at once (1: one after another; 0: it has no such argument); with no function the limit is that of all. site may have flags. */
NORN_HOOK void __norn_jobs(const void *function, uint64_t limit, uint32_t site);

/* Around a call of a function that reads or changes resources of the process (effects/effects.h), a bit for each: before it, if it
 * changes some (looks: 1 if it reads anything, and those that it only reads, shifted by one); after it, if it reads some: those
 * that it only reads, and those that it changes. */
#define NORN_LOOKED_SIZES (1u << 31) /* of looked: how large files are, too */
NORN_HOOK void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site);
NORN_HOOK void __norn_looked(uint32_t looked, uint32_t changed, uint32_t site);
/* The same of one object that a library keeps behind this pointer (enum norn_object_use, trace/site.h); NULL: none. */
NORN_HOOK void __norn_object(const void *object, uint32_t use, uint32_t site);
/* Before and after a call of a function that was taken for a library's by a name that C leaves to programs: if it is the program's
 * own, and has no hooks, it may do anything. */
NORN_HOOK void __norn_named(const void *target);

#endif
