/* Functions of well-known libraries by which a program has other threads run its functions: X11 in docs/prediction.md.
 *
 * In an unknown library, a function that its thread calls back comes after everything that happened before (X10): the library may
 * have waited for any of it. The libraries of this table are known to wait for one thing only: that the job was handed over. The
 * pass looks a function up when it compiles a call of it, and tells the runtime what the program runs in this way (__norn_jobs,
 * runtime/hooks.h).
 *
 * This header and its .c include nothing of Norn: the instrument room uses them, too. */
#ifndef NORN_EFFECTS_JOB_FUNCTIONS_H
#define NORN_EFFECTS_JOB_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define NORN_JOB_NONE (-1)

struct norn_job_function {
	const char *name;
	int8_t job; /* which argument is the function that other threads will run; NORN_JOB_NONE: none */
	int8_t limit; /* which one says how many of its jobs may run at once: 1 means that they come one after another */
	bool submits; /* from this call on it may run. The call waits for nothing that others do */
	bool begins; /* threads that it creates run a function of the program's at once */
};

const struct norn_job_function *norn_job_function_find(const char *name); /* NULL: none of them */

/* Is this function, by its demangled name, what such a library calls when a thread's job is done, with the argument that the thread
 * was created with and nothing else? first: it is the first that its thread runs. */
bool norn_job_function_ends(const char *name, bool first);

#endif
