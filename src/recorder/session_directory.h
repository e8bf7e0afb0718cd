/* Directories of sessions: in shared memory, or where temporary files go. Their names tell whose they are, KIND.PID.START.RANDOM,
 * with the process that made them and the time at which that was started, and that process holds a lock on them: what a process
 * that was killed left behind can be told from what is in use, and the next one of the same user removes it. One that ends for lack
 * of memory removes its own. */
#ifndef NORN_RECORDER_SESSION_DIRECTORY_H
#define NORN_RECORDER_SESSION_DIRECTORY_H

#include "base/error.h"

struct norn_session_directory {
	char path[192]; /* "": there is none */
	int fd; /* of itself: it can be removed when there are no more; -1: there is none */
	int lock; /* -1: there is none */
};

/* The places that are tried, one after the other; NULL after the last. */
const char *norn_session_place(unsigned i);

/* Makes one in the i-th place, or in the first where that is possible. kind: begins with "norn", and has no dot. */
int norn_session_directory_make_at(struct norn_session_directory *directory, unsigned i, const char *kind);
int norn_session_directory_make(struct norn_session_directory *directory, const char *kind, struct norn_error *err);
/* Removes it, with the files in it. */
void norn_session_directory_remove(struct norn_session_directory *directory);

/* Each one of this user that was left behind. */
void norn_session_directories_left(void (*each)(void *context, const char *path), void *context);
/* Removes those. */
void norn_session_directories_clean(void);

#endif
