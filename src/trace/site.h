/* Sites: the static facts about each instruction that can make an event.
 *
 * The pass gives every translation unit one table, a constant blob in the section "norn_sites", and a constructor that hands it to
 * the runtime, which numbers it (base + index) and copies it into the trace. There it is packed (site_table.h); open, it is
 * position-independent and little-endian:
 *
 *   struct norn_site_table | struct norn_site × sites | struct norn_frame × frames | facts bytes | strings bytes
 *
 * Strings are NUL-terminated and named by their offset in the strings area; offset 0 is the empty string and means "unknown".
 * Site numbers below NORN_SITE_FIRST come from code that ran before its module's constructor: their site is unknown.
 *
 * This header is all that the instrument room and the others share. */
#ifndef NORN_TRACE_SITE_H
#define NORN_TRACE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#define NORN_SITE_MAGIC 0x5449534eu /* "NSIT" */
/* Of tables and of the hooks' interface: it is counted up when a hook takes something else, or recording code relies on it, or a
 * norn that does not know a new fact would conclude too much from the others (5: LOOSE needs BRANCHES and LATER).
 * Programs whose version is another than the runtime's run, but are not recorded. Traces of older versions can be read: what is new
 * is 0 in them, and their tables are not packed. */
#define NORN_SITE_VERSION 5
#define NORN_SITE_VERSION_FENCES 4 /* the first one whose programs record fences */
#define NORN_SITE_VERSION_OLDEST 1
#define NORN_SITE_FIRST (1u << 22) /* lowest base; a table has fewer sites than this */

enum norn_site_kind {
	NORN_SITE_ENTER = 1, /* function entry; LEAVE records carry the same site */
	NORN_SITE_CALL, /* a call instruction: what sync, thread, alloc and mark records carry */
	NORN_SITE_READ,
	NORN_SITE_WRITE,
	NORN_SITE_RMW,
	NORN_SITE_CMPXCHG, /* an rmw that may fail, then a read */
	NORN_SITE_COPY, /* memcpy, memmove */
	NORN_SITE_SET, /* memset */
	NORN_SITE_BYVAL, /* an argument passed by value */
	NORN_SITE_FENCE, /* makes a THREAD event; order: its own */
	NORN_SITE_KINDS
};

enum norn_site_order {
	NORN_ORDER_NONE,
	NORN_ORDER_RELAXED,
	NORN_ORDER_ACQUIRE,
	NORN_ORDER_RELEASE,
	NORN_ORDER_ACQ_REL,
	NORN_ORDER_SEQ_CST
};

enum norn_site_flag {
	NORN_SITE_SIGNED = 1, /* the value is a signed integer */
	NORN_SITE_FLOAT = 2,
	NORN_SITE_POINTER = 4,
	NORN_SITE_VOLATILE = 8,
	NORN_SITE_BITFIELD = 16,
	NORN_SITE_INDIRECT = 32, /* a call through a pointer */
	NORN_SITE_MEMBER =
	        64, /* name starts with a struct or union tag ("acct.balance": that field of some object), not a variable */
	/* errno: functions without hooks write it for their own thread, from what they are given */
	NORN_SITE_ERRNO = 128,
};

struct norn_site {
	uint8_t kind, order, order_failure,
	        flags; /* order_failure: of a cmpxchg; of an ENTER: a bit for each argument that hooks will tell */
	/* bytes accessed; 0 if it varies or does not apply; of ENTER and CALL: norn_site_linker_hash of the function's name for the
	 * linker, 0: that is name */
	uint32_t size;
	uint32_t function; /* string: source function (after inlining: the inlined one) */
	uint32_t file; /* string */
	uint32_t line, column;
	uint32_t inlined_at; /* 1 + index of the frame that it was inlined into, 0 = none */
	uint32_t entry; /* index of the ENTER site of the compiled function that it stands in */
	uint32_t name; /* string: variable, struct.field, array[]; for ENTER the function; for CALL the callee, "" if unknown */
	uint32_t type; /* string: the C type, "" if unknown */
	/* string: innermost "tag.field" that is accessed, whatever the object ("acct.balance" for p->balance and for
	 * bank.acct[3].balance), "" if it is no field or unknown; for CALL the name of what the first argument points to: the lock;
	 * of norn_set: the name that is set, if it is a constant; of __assert_fail: the expression */
	uint32_t field;
	uint32_t facts; /* offset in the facts area of the control/value/address/masks facts (docs/trace-format.md), 0 = none */
};

/* A place that code was inlined into. */
struct norn_frame {
	uint32_t function, file, line, column, inlined_at;
};

/* Of a function's name for the linker: two units may know one function of C++ by different names, as not every declaration is
 * described. The two names of a constructor or destructor (C1, C2) are one. Never 0. */
static inline uint32_t norn_site_linker_hash(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (const char *at = name; *at; at++) {
		bool kind = at[0] == '1' && at > name && (at[-1] == 'C' || at[-1] == 'D') && at[1] == 'E';
		hash = (hash ^ (uint8_t)(kind ? '2' : *at)) * 16777619u;
	}
	return hash ? hash : 1;
}

struct norn_site_table {
	uint32_t magic;
	uint16_t version, level; /* level: enum norn_instrument_level of the compilation, and flags */
	uint32_t sites, frames;
	uint32_t facts, strings; /* bytes; facts has at least one byte if not empty, offset 0 is unused */
	uint32_t source; /* string: the translation unit */
	uint32_t only; /* string: what alone has hooks (norn cc --prop: instrument/hook_filter.h); 0: all that the level says */
};

#define NORN_SITE_ASSEMBLY "inline assembly" /* name of calls that are none */

/* The extent of memory that a function of libc touches behind an argument, of a given maximum. */
enum norn_extent {
	NORN_EXTENT_BYTES, /* all of them */
	NORN_EXTENT_KERNEL, /* all of them; it is no fault if they are not there */
	NORN_EXTENT_TEXT, /* up to the NUL */
	NORN_EXTENT_NUMBER, /* up to the end of a number in text */
	/* up to the first byte that differs from another text, or the NUL; the same but for case; up to the first byte that
	 * differs */
	NORN_EXTENT_SAME,
	NORN_EXTENT_SAME_CASE,
	NORN_EXTENT_SAME_BYTES,
	NORN_EXTENT_UNTIL, /* up to this byte, or the NUL */
	NORN_EXTENT_UNTIL_BYTES, /* up to this byte */
	NORN_EXTENT_WIDE_TEXT, /* up to the NUL of 4 bytes */
	NORN_EXTENT_LIST, /* pointers, up to a null one */
	NORN_EXTENT_TEXTS, /* these, and the texts that they point to */
	NORN_EXTENT_IOVEC, /* so many structs iovec, and the memory that they describe */
	NORN_EXTENT_SCANNED, /* all of them, after which what they hold has ended the reading */
	NORN_EXTENT_BEHIND = 256, /* in addition: the limit is a pointer to a number of 4 bytes */
	NORN_EXTENT_CAREFUL = 512, /* in addition: it is no fault if the memory is not there, as the kernel looks at it */
};

/* The 8 bytes before the first of every function that has hooks. */
#define NORN_HOOKED UINT64_C(0x6e726f4e6b6f6f48) /* "HookNorn" */
/* The same of every function that has only some, but is known to hooks when it is entered. */
#define NORN_HALF_HOOKED UINT64_C(0x6e726f4e666c6148) /* "HalfNorn" */

/* Flags of the site that __norn_jobs gets: struct norn_job_function. */
#define NORN_CALL_HANDS_OVER 0x80000000u /* submits */
#define NORN_CALL_BEGINS 0x40000000u /* begins */

/* Uses of an object that a library keeps behind a pointer (runtime/hooks.h: __norn_object). */
enum norn_object_use {
	NORN_OBJECT_SETS, /* before a call that changes it, and looks at nothing */
	NORN_OBJECT_CHANGES, /* before a call that changes it; CHANGED comes after it */
	NORN_OBJECT_LOOKED, /* after a call */
	NORN_OBJECT_CHANGED,
};

/* A flag of a table's level: the optimiser may have left out writes through pointers that others write over (from -O2 on). */
#define NORN_SITE_LOOSE_WRITES 0x100u
/* The same: code of this table can tell in which thread it runs (R23). */
#define NORN_SITE_KNOWS_THREADS 0x200u
#define NORN_SITE_LEVEL(table) ((table)->level & 0xffu)
enum norn_instrument_level { NORN_INSTRUMENT_LEVEL_SYNC = 1, NORN_INSTRUMENT_LEVEL_SHARED };

#endif
