/* What functions without hooks do: the one table that Norn ships.
 *
 * A call of uninstrumented code may read, write and lock anything, so it is recorded (NORN_THREAD_CALL), and the analysis assumes
 * the worst. The functions of this table are known to do less: each has a class, and for some the memory that they read and write
 * through their pointers is known. The pass looks a function up when it compiles a call, the analysis when it meets the record of
 * one (user_model.h adds a user's own table).
 *
 * This header and its .c include nothing of Norn: the instrument room uses them, too. */
#ifndef NORN_EFFECTS_KNOWN_FUNCTIONS_H
#define NORN_EFFECTS_KNOWN_FUNCTIONS_H

#include <stdbool.h>

enum norn_known_function {
	NORN_KNOWN_FUNCTION_OPAQUE, /* nothing is known */
	/* a value of its arguments alone, or of the machine; returns; touches no memory of the program. No record */
	NORN_KNOWN_FUNCTION_PURE,
	/* Writes to a file what its arguments are, or point to. Nobody in the program can tell, but by its result. No record */
	NORN_KNOWN_FUNCTION_OUTPUT,
	/* Makes records of its own (locks, threads, memory, input and output), or keeps what it knows to its own thread. No record,
	 * but its arguments decide */
	NORN_KNOWN_FUNCTION_QUIET,
	/* Has a state of its own that all threads share (rand, time), or touches memory only through its arguments. Recorded; it
	 * keeps its place among all such calls, and its arguments decide */
	NORN_KNOWN_FUNCTION_ORDERED,
	NORN_KNOWN_FUNCTION_ENDS, /* never returns to its caller. No record, but its arguments decide */
	NORN_KNOWN_FUNCTION_CLASSES
};

/* type says what the function returns and takes, as it is declared where it is called: v void, i and l integers of 4 and 8 bytes, f
 * d x floating point (float, double, long double), p pointer, ? anything else, "..." at the end for more. A name that stands for
 * another type here is another function. NULL: unknown, any will do. */
enum norn_known_function norn_known_function_find(const char *name, const char *type);
const char *norn_known_function_name(unsigned known); /* "pure", … */

/* What the function reads and writes behind its pointers if it is called with this type, in the words of known_functions.c; NULL:
 * not known. It touches no other memory of the program then, waits for nothing, and its result, and what it writes, come from its
 * arguments and what it read. */
const char *norn_known_function_lends(const char *name, const char *type);
/* NULL is allowed as name of these. */
bool norn_known_function_only_writes(const char *name); /* through its pointers it writes, and reads nothing */
bool norn_known_function_waits(const char *name); /* may wait for a lock or a thread, however long that takes */
bool norn_known_function_calls_back(const char *name); /* calls a function that it is given, and nothing else that is unknown */

#endif
