/* MTTL formulas as a flat program: what every thread computes of its own state at each of its events.
 *
 * All MTTL properties of a spec are one program. A line is an operator over lines before it; a thread variable is a name for
 * threads (number 0 of a property is the thread whose formula it is). A *remote* is a β under an `@v`: a value that every thread
 * that v can stand for keeps in its own entry of the knowledge vector, for others to look up (DAME, section 2.3). A β may depend
 * on other threads, too (`@j @i x`: what j knows of i), so that it has a value for each of them: these are its dimensions. The same
 * holds for temporal operators: each keeps one truth of the position before, for each assignment of the threads that it speaks of.
 *
 * A thread of which nothing is known here is a *stranger*: what is known of it are the first values of everything. */
#ifndef NORN_MTTL_MTTL_H
#define NORN_MTTL_MTTL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/wire/pack.h"
#include "monitor/eval.h"

enum norn_mttl_op {
	NORN_MTTL_CONST, /* number; index 1: it is the bits of a double */
	NORN_MTTL_PLACE, /* index: of the program's places; its value as the thread knows it */
	NORN_MTTL_LOCAL, /* index: of the program's locals */
	NORN_MTTL_SLOT, /* index: a parameter of the event (in updates only) */
	NORN_MTTL_EVENT, /* index: event of the spec; a: first of b arguments, lines or NORN_SLOT_NONE */
	NORN_MTTL_ACCESS, /* index: of the program's places; a: enum norn_word */
	NORN_MTTL_AND,
	NORN_MTTL_OR,
	NORN_MTTL_AT, /* index: remote; b: thread variable */
	NORN_MTTL_FORALL, /* a; b: thread variable */
	NORN_MTTL_EXISTS,
	/* Temporal: a, b as in enum norn_op; index: its table of kept truths. */
	NORN_MTTL_PREV,
	NORN_MTTL_START,
	NORN_MTTL_END,
	NORN_MTTL_ONCE,
	NORN_MTTL_HIST,
	NORN_MTTL_SINCE,
	NORN_MTTL_WEAK_SINCE,
	NORN_MTTL_INTERVAL,
	NORN_MTTL_WEAK_INTERVAL,
	NORN_MTTL_VALUE /* + enum norn_expr_op: an operator of norn_value_operate */
};

#define NORN_MTTL_REAL 1u /* index of a CONST */
#define NORN_MTTL_LINES_MAX 4096u
#define NORN_MTTL_VARIABLES_MAX 64u
#define NORN_MTTL_PROPERTIES_MAX 64u
#define NORN_MTTL_DIMENSIONS 2u /* threads besides its own that a remote or a temporal operator may speak of */

struct norn_mttl_line {
	uint32_t op, a, b, index;
	uint32_t property; /* whose it is; UINT32_MAX: of an update */
	uint64_t free; /* thread variables that it depends on */
	__int128 number;
};

static inline struct norn_value norn_mttl_constant(const struct norn_mttl_line *line)
{
	return line->index == NORN_MTTL_REAL ? norn_value_real(norn_real_of(line->number)) : norn_value_integer(line->number);
}

struct norn_mttl_remote {
	uint32_t line, variable; /* variable: whose thread's state it is about */
	uint32_t dimensions, dimension[NORN_MTTL_DIMENSIONS]; /* thread variables */
	uint32_t before[NORN_MTTL_DIMENSIONS + 1]; /* remotes before it with so many dimensions */
	const char *text; /* as it is written */
};

struct norn_mttl_table {
	uint32_t line; /* the temporal operator */
	uint32_t dimensions, dimension[NORN_MTTL_DIMENSIONS];
	uint32_t before[NORN_MTTL_DIMENSIONS + 1];
};

/* A variable of each thread: a ghost, or a name that norn_set gives values to. */
struct norn_mttl_local {
	bool ghost;
	uint32_t index; /* of the ghost, or place, of the spec */
	uint64_t properties; /* that depend on it: a norn_set is a position of theirs */
	__int128 initial;
};

struct norn_mttl_update {
	uint32_t local, event;
	bool fresh;
	uint32_t line; /* unless fresh */
};

struct norn_mttl_place {
	uint32_t place; /* of the spec */
	bool valued; /* formulas need its value, not only its accesses */
};

struct norn_mttl_property {
	uint32_t index; /* of the spec */
	uint32_t root, variable; /* of its own thread */
};

struct norn_mttl {
	struct norn_arena arena; /* of one that was unpacked: what the arrays lie in */
	struct norn_mttl_line *lines;
	uint32_t *arguments;
	struct norn_mttl_remote *remotes;
	struct norn_mttl_table *tables;
	struct norn_mttl_local *locals;
	struct norn_mttl_update *updates;
	struct norn_mttl_place *places;
	struct norn_mttl_property *properties;
	struct norn_thread_name *variables; /* other: a number of this list */
	uint64_t *event_properties; /* per event of the spec: the properties that it is a position of */
	uint32_t line_count, argument_count, remote_count, table_count, local_count, update_count, place_count, property_count,
	        variable_count, event_count;
	char *texts; /* of remotes; NULL: they are in the block */
	uint32_t remotes_of[NORN_MTTL_DIMENSIONS + 1], tables_of[NORN_MTTL_DIMENSIONS + 1]; /* how many have so many dimensions */
	uint32_t valued; /* so many of the places, the first ones, have values */
};

/* Compiles the MTTL properties of the spec; a program without properties if there are none. -E2BIG with a sentence if a formula is
 * too large, or nests more threads than NORN_MTTL_DIMENSIONS allows. It points into spec and sources (which may be NULL: no
 * texts). */
int norn_mttl_compile(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_mttl *ret_program, struct norn_error *err);
void norn_mttl_done(struct norn_mttl *program);

/* Counts what has how many dimensions; for the makers of a program. */
void norn_mttl_lay_out(struct norn_mttl *program);

/* The offset of the values of a remote, or the truths of a table, if each dimension has room for strangers and width threads. */
static inline size_t norn_mttl_offset(const uint32_t before[NORN_MTTL_DIMENSIONS + 1], uint32_t width)
{
	size_t row = width + 1ul;
	return before[0] + before[1] * row + before[2] * row * row;
}

/* As a block, and back. -EINVAL: the block is no program for this spec. */
void norn_mttl_pack(const struct norn_spec *spec, const struct norn_mttl *program, struct norn_pack *pack);
int norn_mttl_unpack(const struct norn_spec *spec, struct norn_unpack *in, struct norn_mttl *ret_program);

#endif
