/* A session: one program that is observed, from its first hello to its end. It knows messages, not connections (server.h).
 *
 * The host provides the executable and the properties, and shows the results. */
#ifndef NORN_OBSERVER_OBSERVED_PROGRAM_H
#define NORN_OBSERVER_OBSERVED_PROGRAM_H

#include "finding/finding.h"
#include "predict/live_search.h"
#include "observer/wire.h"

/* One file of properties, checked against the program. */
struct norn_observed_props {
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
};

/* The properties that a program is judged by. The host makes and frees what is in it. */
struct norn_observed_properties {
	struct norn_program *program;
	struct norn_observed_props *props;
	uint32_t props_count;
};

struct norn_observed_program;

struct norn_host {
	void *context;
	struct norn_property_search_options options;
	/* The program has told its modules, which trace (trace/live_trace.h) has. 0, or -errno and a sentence for both sides: it is
	 * not judged. */
	int (*open)(void *context, struct norn_trace *trace, struct norn_observed_properties *ret_case, struct norn_error *err);
	void (*close)(void *context, struct norn_observed_properties *properties);
	/* As soon as it is known. */
	void (*found)(void *context, const struct norn_observed_program *session, const struct norn_finding *finding);
	void (*say)(void *context, const struct norn_observed_program *session, const char *sentence); /* session may be NULL */
	/* The session has ended; its findings are final. */
	void (*over)(void *context, const struct norn_observed_program *session);
};

/* Messages of the session to the program, over CONTROL. Takes over bytes, which were allocated. */
typedef int norn_observed_program_send(void *connection, void *bytes, size_t length);

int norn_observed_program_new(
        const struct norn_host *host, const struct norn_wire_hello *hello, struct norn_observed_program **ret_session);
void norn_observed_program_free(struct norn_observed_program *session);

uint32_t norn_observed_program_pid(const struct norn_observed_program *session);
uint64_t norn_observed_program_key(
        const struct norn_observed_program *session); /* the random number that all its connections gave */
const char *norn_observed_program_name(const struct norn_observed_program *session); /* of the program */
const struct norn_findings *norn_observed_program_findings(const struct norn_observed_program *session);
bool norn_observed_program_is_judged(
        const struct norn_observed_program *session); /* it came as far as being judged by properties */

/* A message, other than HELLO, from a connection with this role. 0, or -errno and a sentence: the connection is worth nothing
 * then. */
int norn_observed_program_message(struct norn_observed_program *session, enum norn_wire_role role, enum norn_wire_type type,
        struct norn_wire_text payload, norn_observed_program_send *send, void *connection, struct norn_error *err);

/* Judges as far as what has come allows; cheap if nothing has. */
void norn_observed_program_judge(struct norn_observed_program *session);
/* Looks ahead, where threads that say nothing keep the search from going on. For when there is time, and something has come. */
void norn_observed_program_probe(struct norn_observed_program *session);
bool norn_observed_program_has_news(const struct norn_observed_program *session);
bool norn_observed_program_is_complete(
        const struct norn_observed_program *session); /* the program has said goodbye, and all has come */
/* Nothing more comes: judges the rest, and tells the host. */
void norn_observed_program_finish(struct norn_observed_program *session);

#endif
