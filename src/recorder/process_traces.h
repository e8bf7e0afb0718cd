/* Traces of the processes of a recording: those of processes that have ended while others go on, and all at the end. */
#ifndef NORN_RECORDER_PROCESS_TRACES_H
#define NORN_RECORDER_PROCESS_TRACES_H

#include "recorder/recorder_state.h"

/* Completes the traces of processes that have ended, but for the first, which tells of all others, and tells of each
 * (recording->whole). argv: of the program. */
void norn_process_traces_ended(struct recorder *r, struct norn_recording *recording, char *const argv[]);

/* Completes all others, and gives all their final names. 0, or of the first that failed a negative errno and a sentence. */
int norn_process_traces_complete(struct recorder *r, struct norn_recording *recording, char *const argv[], struct norn_error *err);

#endif
