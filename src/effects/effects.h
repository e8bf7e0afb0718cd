/* Effects: what a call of a function without hooks does.
 *
 * A call of uninstrumented code may read, write and lock anything, so it is recorded (NORN_THREAD_CALL), and the analysis assumes
 * the worst. Functions with an entry here are known to do no more than the entry says:
 * - memory of the program that it reads and writes, as parts: through its arguments, behind its result, and variables of libraries
 *   that the program sees, too (environ, optind). Pointers that are NULL are no part of anything;
 * - resources of the process that it reads, writes and adds to. A resource is a variable like any other, only without an address;
 * - what it waits for, calls, keeps and frees.
 * Its result, and all that it writes, come from its arguments and from what it reads, and from nothing else, unless OUTSIDE says
 * that they come from outside the program, whatever the order of its threads.
 *
 * Norn's own table is the files table/ *.effects (docs/effects.md explains the format), which the build makes constant data:
 * nothing is allocated, and nothing read at run time. The same format serves --model (user_model.h). This header and effects.c
 * include nothing of Norn: the instrument room and the runtime can use them, too. */
#ifndef NORN_EFFECTS_EFFECTS_H
#define NORN_EFFECTS_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of their bits and of the list in effects.c, which says in a sentence what each is. */
enum norn_effects_resource {
	NORN_EFFECTS_CLOCK,
	NORN_EFFECTS_DESCRIPTORS,
	NORN_EFFECTS_DIRECTORY,
	NORN_EFFECTS_ENVIRONMENT,
	NORN_EFFECTS_EXITS,
	NORN_EFFECTS_FENV,
	NORN_EFFECTS_FILES,
	NORN_EFFECTS_HEAP,
	NORN_EFFECTS_IPC,
	NORN_EFFECTS_LIMITS,
	NORN_EFFECTS_LINKER,
	NORN_EFFECTS_LOCALE,
	NORN_EFFECTS_MAPPINGS,
	NORN_EFFECTS_NAMES,
	NORN_EFFECTS_OBJECT,
	NORN_EFFECTS_PROCESSES,
	NORN_EFFECTS_RANDOM,
	NORN_EFFECTS_SIGNALS,
	NORN_EFFECTS_SIGNAL_MASK,
	NORN_EFFECTS_STATICS,
	NORN_EFFECTS_STREAMS,
	NORN_EFFECTS_SYSLOG,
	NORN_EFFECTS_SYSTEM,
	NORN_EFFECTS_TERMINAL,
	NORN_EFFECTS_THREADS,
	NORN_EFFECTS_TIMERS,
	NORN_EFFECTS_TIMEZONE,
	NORN_EFFECTS_USERS,
	NORN_EFFECTS_RESOURCES
};

enum norn_effects_how {
	NORN_EFFECTS_READS = 1,
	NORN_EFFECTS_WRITES = 2,
	/* Resources only: a write that needs no place among others of its kind, and tells its caller nothing of them (output). A
	 * reader of the resource sees it. */
	NORN_EFFECTS_ADDS = 4,
};

/* Of arguments. */
#define NORN_EFFECTS_NONE 255
#define NORN_EFFECTS_RESULT 254
#define NORN_EFFECTS_GLOBAL 253

/* One use of one resource. */
struct norn_effects_use {
	uint8_t resource; /* enum norn_effects_resource */
	uint8_t how; /* enum norn_effects_how, several */
	/* The argument (or NORN_EFFECTS_RESULT) whose value tells which of them: a descriptor, a stream, an object. GLOBAL: the
	 * value of this variable, "stdout". NONE: any of them, so it conflicts with every use */
	uint8_t key;
	const char *global;
};

/* The extent of a part: how many bytes are touched, of a given maximum. The first nine are those of trace/site.h (enum
 * norn_extent). */
enum norn_effects_extent {
	NORN_EFFECTS_BYTES, /* all of them */
	NORN_EFFECTS_KERNEL, /* all of them, by the kernel: it is no fault if they are not there */
	NORN_EFFECTS_TEXT, /* up to the NUL */
	NORN_EFFECTS_NUMBER, /* up to the end of a number in text */
	NORN_EFFECTS_SAME, /* up to the first byte that differs from another text, or the NUL */
	NORN_EFFECTS_SAME_CASE, /* the same but for case */
	NORN_EFFECTS_SAME_BYTES, /* up to the first byte that differs */
	NORN_EFFECTS_UNTIL, /* up to this byte, or the NUL */
	NORN_EFFECTS_UNTIL_BYTES, /* up to this byte */
	NORN_EFFECTS_WIDE_TEXT, /* up to the NUL of 4 bytes; limits count bytes, too */
	NORN_EFFECTS_LIST, /* pointers, up to a null one */
	NORN_EFFECTS_TEXTS, /* the same, and the texts that they point to */
	/* So many structs iovec (limit: their number), and the memory that they describe; a write: only that memory */
	NORN_EFFECTS_IOVEC,
	/* A format of printf or scanf, and what its conversions read and write (%n too) of the arguments from `other` on, or of the
	 * va_list that `other` is */
	NORN_EFFECTS_FORMAT,
	NORN_EFFECTS_SCAN,
	NORN_EFFECTS_WIDE_FORMAT,
	NORN_EFFECTS_WIDE_SCAN,
	NORN_EFFECTS_WHOLE, /* an object of unknown size and shape: all that can be reached from the pointer */
};

enum norn_effects_if {
	NORN_EFFECTS_ALWAYS,
	NORN_EFFECTS_IF_AT_LEAST, /* the subject, as a signed number, is `value` or more */
	NORN_EFFECTS_IF_IS, /* it is `value` */
	NORN_EFFECTS_IF_NOT, /* it is not. A pointer is not 0: it is not NULL */
};

/* One part of memory: read before the call, written by its end, or both. */
struct norn_effects_part {
	uint8_t how; /* READS, WRITES, or both */
	uint8_t pointer; /* number of an argument, RESULT, or GLOBAL */
	uint8_t extent; /* enum norn_effects_extent */
	uint8_t other; /* argument that the extent depends on, or NONE */
	/* So many bytes at most: limit × times × bytes, of those that there are; limit: an argument, RESULT (none if it is
	 * negative) or NONE; times: an argument or NONE; bytes: 0 is none. All NONE: no limit */
	uint8_t limit, times;
	uint8_t after; /* writes: 1 + number of the part, a text that is read, at whose last byte it begins; 0: at the pointer */
	uint8_t condition; /* enum norn_effects_if */
	uint8_t subject; /* of the condition: an argument, or RESULT */
	int8_t value;
	bool maybe; /* the call may leave it alone: that cannot be told from outside */
	bool behind; /* it is the memory that the pointer stored at `pointer` points to: getline's *line */
	uint8_t limit_behind; /* limit is a pointer to the number, which has so many bytes; 0: it is the number */
	bool list; /* FORMAT, SCAN: `other` is a va_list, not the first of the arguments */
	uint32_t bytes;
	const char *global; /* if pointer is GLOBAL: the name of a variable, "environ" */
};

enum norn_effects_flag {
	NORN_EFFECTS_HOOKED = 1 << 0, /* the runtime interposes it, and makes records of its own */
	NORN_EFFECTS_ENDS = 1 << 1, /* never returns to its caller */
	NORN_EFFECTS_TWICE = 1 << 2, /* may return more than once (setjmp, vfork) */
	NORN_EFFECTS_ERRNO = 1 << 3, /* may set errno, which is memory of the thread alone; in some cases, so it also keeps it */
	NORN_EFFECTS_ALLOCATES = 1 << 4, /* its result is memory of malloc, for the program to free */
	NORN_EFFECTS_OUTSIDE = 1 << 5, /* its result comes from outside the program, whatever its threads did */
	/* Runs code that this entry says nothing of (dlopen runs constructors): the worst is assumed, though there is an entry */
	NORN_EFFECTS_OPAQUE = 1 << 6,
	/* HOOKED, and the runtime makes records of its memory, too. Parts of others that are HOOKED are left to the pass */
	NORN_EFFECTS_HOOKED_MEMORY = 1 << 8,
	/* HOOKED, not by its name but where it is called: the pass has the runtime's __norn_NAME called in its place */
	NORN_EFFECTS_HOOKED_CALL = 1 << 9,
	NORN_EFFECTS_PREFIX = 1 << 7, /* of a user's model: name is the beginning of the names that are meant */
};

/* Conditions that it can wait for, without a bound; a wait with a time limit has the bit TIME, too. */
enum norn_effects_wait {
	NORN_EFFECTS_WAITS_CHILD = 1 << 0, /* a process */
	NORN_EFFECTS_WAITS_INPUT = 1 << 1, /* data or connections */
	NORN_EFFECTS_WAITS_LOCK = 1 << 2, /* a lock, a condition, a semaphore, a barrier */
	NORN_EFFECTS_WAITS_OUTPUT = 1 << 3, /* room for data */
	NORN_EFFECTS_WAITS_SIGNAL = 1 << 4,
	NORN_EFFECTS_WAITS_THREAD = 1 << 5, /* the end of a thread */
	NORN_EFFECTS_WAITS_TIME = 1 << 6,
};

struct norn_effects {
	const char *name;
	const char *type; /* as below; NULL: any */
	const char *declaration; /* "char *getenv(const char *name)"; the name alone if no more is known */
	const char *text; /* of the entry: "reads name[text]; reads environment" */
	const char *reason; /* why, or from where it is known; NULL: it says itself */
	const char *file; /* of the entry */
	uint32_t line;
	uint32_t reads, writes, adds; /* resources, a bit for each: 1u << NORN_EFFECTS_CLOCK */
	uint16_t flags; /* enum norn_effects_flag */
	uint16_t waits; /* enum norn_effects_wait */
	/* Arguments, a bit for each: functions that it calls before it returns; memory, or functions, that it keeps a pointer to;
	 * memory that it frees. */
	uint16_t calls, keeps, frees;
	uint8_t use_count, part_count;
	const struct norn_effects_use *uses;
	const struct norn_effects_part *parts;
};

/* type says what the function returns and takes, as it is declared where it is called: v void, i and l integers of 4 and 8 bytes, f
 * d x floating point (float, double, long double), p pointer, ? anything else, "..." at the end for more. A name that stands for
 * another type here is another function. NULL: unknown, any will do. The result is NULL if nothing is known. */
const struct norn_effects *norn_effects_find(const char *name, const char *type);

/* No memory but its own, no resource, no waiting, no calls: a value of its arguments alone, or of the machine. It may set errno. */
bool norn_effects_is_pure(const struct norn_effects *e);

/* "environment", and what it is in a sentence. */
const char *norn_effects_resource_name(unsigned resource);
const char *norn_effects_resource_text(unsigned resource);

/* Norn's own table, in the order of names. */
extern const struct norn_effects norn_effects_table[];
extern const unsigned norn_effects_table_count;

#endif
