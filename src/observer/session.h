/* A session: one program that is observed, from its first hello to its end. It knows messages, not connections (server.h).
 *
 * What it takes to judge the program (its executable, the properties) is the host's business, and so is whatever people get to see. */
#ifndef NORN_OBSERVER_SESSION_H
#define NORN_OBSERVER_SESSION_H

#include "predict/finding.h"
#include "predict/outlook.h"
#include "trace/wire.h"

/* One file of properties, checked against the program. */
struct norn_law {
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
};

/* What a program is judged by. The host makes and frees what is in it. */
struct norn_case {
	struct norn_program *program;
	struct norn_law *laws;
	uint32_t law_count;
};

struct norn_session;

struct norn_host {
	void *context;
	struct norn_outlook_options options;
	/* The program has told its modules, which trace (trace/live.h) has. 0, or -errno and a sentence for both sides: it is not judged. */
	int (*open)(void *context, struct norn_trace *trace, struct norn_case *ret_case, struct norn_error *err);
	void (*close)(void *context, struct norn_case *a_case);
	/* As soon as it is known. */
	void (*found)(void *context, const struct norn_session *session, const struct norn_finding *finding);
	void (*say)(void *context, const struct norn_session *session, const char *sentence); /* session may be NULL */
	/* The session has ended; its findings are final. */
	void (*over)(void *context, const struct norn_session *session);
};

/* What the session wants to be sent to the program over CONTROL. Takes over bytes, which were allocated. */
typedef int norn_session_send(void *connection, void *bytes, size_t length);

int norn_session_new(const struct norn_host *host, const struct norn_wire_hello *hello, struct norn_session **ret_session);
void norn_session_free(struct norn_session *session);

uint32_t norn_session_pid(const struct norn_session *session);
uint64_t norn_session_key(const struct norn_session *session); /* the random number that all its connections gave */
const char *norn_session_name(const struct norn_session *session); /* of the program */
const struct norn_findings *norn_session_findings(const struct norn_session *session);
bool norn_session_is_judged(const struct norn_session *session); /* it came as far as being judged by properties */

/* A message, other than HELLO, from a connection with this role. 0, or -errno and a sentence: the connection is worth nothing then. */
int norn_session_message(struct norn_session *session, enum norn_wire_role role, enum norn_wire_type type,
        struct norn_wire_text payload, norn_session_send *send, void *connection, struct norn_error *err);

/* Judges as far as what has come allows; cheap if nothing has. */
void norn_session_judge(struct norn_session *session);
/* Looks ahead, where threads that say nothing keep the search from going on. For when there is time, and something has come. */
void norn_session_probe(struct norn_session *session);
bool norn_session_has_news(const struct norn_session *session);
bool norn_session_is_complete(const struct norn_session *session); /* the program has said goodbye, and all has come */
/* Nothing more comes: judges the rest, and tells the host. */
void norn_session_finish(struct norn_session *session);

#endif
