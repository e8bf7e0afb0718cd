/* Completion: from what a dead program left behind to a whole trace.
 *
 * `norn record` calls this once per session file, after its process is gone. Blocks that were being written are built again and
 * written to their place, what is left in the buffers is appended, gaps become PAD blocks, then come INFO, footer and header, and
 * FILE.part becomes FILE. It may be called again after a failure or after the recorder itself died: it starts from the session and
 * the file as they are. */
#ifndef NORN_RECORDER_COMPLETE_H
#define NORN_RECORDER_COMPLETE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format.h"
#include "trace/session.h"

struct norn_completion_info {
	int exit_status; /* as waitpid gives it; -1 unknown */
	uint64_t start_seconds; /* Unix time */
	const char *command; /* INFO command=…; NULL: none */
	const char *const *more; /* further "key=value" strings, up to a NULL; may be NULL */
};

struct norn_completion {
	enum norn_file_state state; /* COMPLETE, or CUT */
	uint64_t events, lost_events;
	uint64_t bytes; /* of the file */
	uint32_t threads, lost_threads;
};

/* session: the mapped session file, bytes long, writable or a private mapping. The trace is session->trace.
 * Returns 0 if the trace is COMPLETE and is now named final_path (NULL: it keeps its name). Else a negative errno and a sentence in
 * err; the file keeps its name session->trace, and if anything could be saved it has a footer and the state CUT. ret_completion is
 * filled in both cases. */
int norn_complete(const struct norn_session *session, size_t bytes, const struct norn_completion_info *info, const char *final_path,
        struct norn_completion *ret_completion, struct norn_error *err);

#endif
