/* norn.h: the one header of Norn that a program may include.
 *
 * Everything here costs nothing and links to nothing unless the program is compiled by `norn cc` (which defines __NORN__).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NORN_H
#define NORN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of a function that is compiled elsewhere: its result is a value of its arguments alone, it touches no memory and returns.
 * Prediction goes on after it. */
#define NORN_PURE __attribute__((const))

#ifdef __NORN__

/* An event of the program's own: `note "name"` in a property. */
void norn_event(const char *name, long long value);
/* Sets a variable that exists only for properties (DAME's internal events). */
void norn_set(const char *name, long long value);
/* The accesses of this thread from here to norn_atomic_end are meant to be atomic. Blocks nest. */
void norn_atomic_begin(const char *name);
void norn_atomic_end(void);
/* Names this thread in reports; its path of creation stays its identity. */
void norn_thread_name(const char *name);
/* Under `norn watch` (or NORN_OPTIONS=prop=…): callback is called in the thread that violated property (NULL: any), at once, with
 * what the property reports ("" if nothing) and context. Not called again in a thread while one runs there. 0, or a negative
 * errno. */
typedef void norn_violation_callback(const char *property, const char *message, void *context);
int norn_on_violation(const char *property, norn_violation_callback *callback, void *context);
/* In a loop: it ends, whatever was read before it, though Norn cannot see why. With optimisation it only counts if it is said of
 * all loops around that one, too. */
#define NORN_LOOP_ENDS() __asm__ volatile("# norn: this loop ends")

/* An assertion that is looked at under Norn only, NDEBUG or not: it ends the program as assert does, and norn check predicts if it
 * may fail in another schedule. Without Norn the expression is not evaluated. */
#ifdef __cplusplus
#define NORN_NEVER_THROWS noexcept(true)
#else
#define NORN_NEVER_THROWS
#endif
extern void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function) NORN_NEVER_THROWS
        __attribute__((__noreturn__)); /* of libc: as <assert.h> has it */
#undef NORN_NEVER_THROWS
#define norn_assert(expression) ((expression) ? (void)0 : __assert_fail(#expression, __FILE__, __LINE__, __func__))

#else

#define norn_assert(expression) ((void)sizeof((expression) ? 1 : 0))
#define NORN_LOOP_ENDS() ((void)0)

#define NORN_EMPTY static inline __attribute__((unused, always_inline)) void
NORN_EMPTY norn_event(const char *name, long long value)
{
	(void)name, (void)value;
}
NORN_EMPTY norn_set(const char *name, long long value)
{
	(void)name, (void)value;
}
NORN_EMPTY norn_atomic_begin(const char *name)
{
	(void)name;
}
NORN_EMPTY norn_atomic_end(void)
{
}
NORN_EMPTY norn_thread_name(const char *name)
{
	(void)name;
}
#undef NORN_EMPTY
typedef void norn_violation_callback(const char *property, const char *message, void *context);
static inline __attribute__((unused, always_inline)) int norn_on_violation(
        const char *property, norn_violation_callback *callback, void *context)
{
	(void)property, (void)callback, (void)context;
	return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
