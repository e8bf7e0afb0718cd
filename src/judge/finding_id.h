/* The id of a finding: by what stays the same from run to run, wherever judged, before or after the end of the run. No addresses,
 * no numbers of threads. */
#ifndef NORN_JUDGE_FINDING_ID_H
#define NORN_JUDGE_FINDING_ID_H

#include <stdbool.h>
#include <stdint.h>

enum norn_judged_by { NORN_BY_MACHINE, NORN_BY_LOOP, NORN_BY_SCOPE, NORN_BY_KNOWLEDGE };

struct norn_finding_id {
	enum norn_judged_by by;
	const char *property; /* of a scope: "scope.check" */
	const char *source; /* the file that declares it, with or without its folder; NULL: unknown */
	const char *file, *function; /* its place */
	uint32_t line;
	uint8_t event_kind, event_op; /* of the event that brought it about (trace/event.h) */
	bool at_end; /* none did: it was judged at the end of the run */
};

#define NORN_FINDING_ID_BYTES 20u

void norn_finding_id_text(const struct norn_finding_id *identity, char ret_id[NORN_FINDING_ID_BYTES]);

#endif
