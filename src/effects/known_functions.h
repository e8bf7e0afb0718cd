/* Functions that need not be instrumented to be understood: the table that Norn brings along.
 *
 * A call of code that Norn cannot see may read, write and lock anything, so it is recorded (NORN_THREAD_CALL) and the analysis is
 * careful around it. The functions here are known to do less. The pass asks when it compiles a call, the analysis when it meets the
 * record of one (user_model.h, where a user's own table comes in).
 *
 * This header and its .c include nothing of Norn: the instrument room uses them, too. */
#ifndef NORN_EFFECTS_KNOWN_FUNCTIONS_H
#define NORN_EFFECTS_KNOWN_FUNCTIONS_H

enum norn_known_function {
	NORN_KNOWN_FUNCTION_OPAQUE, /* nothing is known */
	NORN_KNOWN_FUNCTION_PURE, /* a value of its arguments alone, or of the machine; returns; touches no memory of the program. No record */
	/* Writes to a file what its arguments are, or point to. Nobody in the program can tell, but by its result. No record */
	NORN_KNOWN_FUNCTION_OUTPUT,
	/* Makes records of its own (locks, threads, memory, input and output), or keeps what it knows to its own thread. No record, but its
	 * arguments decide */
	NORN_KNOWN_FUNCTION_QUIET,
	/* Has a state of its own that all threads share (rand, time), or touches memory only through its arguments. Recorded; it keeps its
	 * place among all such calls, and its arguments decide */
	NORN_KNOWN_FUNCTION_ORDERED,
	NORN_KNOWN_FUNCTION_ENDS, /* never returns to its caller. No record, but its arguments decide */
	NORN_KNOWN_FUNCTION_CLASSES
};

/* type says what the function returns and takes, as it is declared where it is called: v void, i and l integers of 4 and 8 bytes, f d
 * x floating point (float, double, long double), p pointer, ? anything else, "..." at the end for more. A name that stands for
 * another type here is another function. NULL: unknown, any will do. */
enum norn_known_function norn_known_function_find(const char *name, const char *type);
const char *norn_known_function_name(unsigned known); /* "pure", … */

#endif
