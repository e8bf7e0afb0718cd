/* The end of a run: how the process ended, and what its threads were waiting for then.
 *
 * The recorder writes it from the session of a process that is gone (norn_run_end_info) into INFO texts of the trace, keys ended,
 * crash, assertion and waits; norn_run_end_read reads them back. Parts of a text that make no sense are left out. */
#ifndef NORN_RUN_RUN_END_H
#define NORN_RUN_RUN_END_H

#include "base/vector.h"
#include "trace/reader.h"
#include "trace/session.h"

enum norn_ended_by {
	NORN_ENDED_BY_ITSELF, /* or by a signal that has nothing to do with the recorder */
	NORN_ENDED_BY_USER, /* the recorder was interrupted, too; number: the signal */
	NORN_ENDED_BY_TIMEOUT, /* number: seconds that were allowed */
	NORN_ENDED_BY_HANG, /* number: seconds in which nothing happened */
};

struct norn_end_wait {
	uint32_t thread;
	struct norn_slot_wait wait;
};

struct norn_run_end {
	int status; /* as waitpid gives it; -1: not known */
	uint32_t signal; /* that ended it, by status or by what its thread noted; 0: none */
	enum norn_ended_by ended_by;
	uint32_t ended_number;
	bool crashed; /* crash says where */
	struct norn_crash crash;
	bool asserted;
	struct norn_assertion assertion;
	NORN_VECTOR(struct norn_end_wait) waits; /* of threads that were waiting for something, by no order */
};

/* The trace's texts, NUL-terminated "key=value", up to a NULL: memory that the caller frees, texts and all. */
char **norn_run_end_info(const struct norn_session *session, enum norn_ended_by ended_by, uint32_t number);

void norn_run_end_read(const struct norn_trace *trace, struct norn_run_end *ret_end);
void norn_run_end_done(struct norn_run_end *end);

#endif
