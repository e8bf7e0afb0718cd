/* The server: listens, tells programs apart, and brings their messages to their sessions. One thread, and nothing in it waits but
 * poll.
 *
 * No connection is trusted. Until a connection has said HELLO with the right token it may send NORN_SERVER_HELLO bytes, and has
 * NORN_SERVER_PATIENCE milliseconds for it; later it has as long for each message that it has begun. Of those that have not said
 * it there are NORN_SERVER_STRANGERS at most, half as many of one peer: the next one takes the place of that peer's oldest, after
 * what it has sent was looked at, so that they keep no program out. Numbers of connections are bounded in total, for each peer and
 * for each program, those of programs in total. So is the memory of messages that have begun or that a peer does not fetch: for all
 * connections together, and half of it for one program. Bytes that are no messages end their connection; the session goes on with
 * what its other connections bring, and says what is missing. What was refused is counted, and said as long as it is no flood. */
#ifndef NORN_OBSERVER_SERVER_H
#define NORN_OBSERVER_SERVER_H

#include "base/error.h"
#include "observer/observed_program.h"

#define NORN_SERVER_CONNECTIONS 512u
#define NORN_SERVER_PEER_CONNECTIONS 384u /* of one peer: all programs may come from one machine */
#define NORN_SERVER_PROGRAM_CONNECTIONS 16u
#define NORN_SERVER_STRANGERS 64u
#define NORN_SERVER_SESSIONS 64u
#define NORN_SERVER_HELLO 16384u
#define NORN_SERVER_PATIENCE 10000 /* milliseconds */

struct norn_server_options {
	const char *listen; /* unix:PATH, tcp:HOST:PORT; port 0: any that is free */
	bool anywhere; /* HOST may be another than a loopback address */
	const char *token;
	uint64_t buffer_bytes; /* of all messages that have begun, or were not fetched */
	bool once; /* end when there were programs, and all have ended */
};

/* Errors of peers. */
struct norn_server_counts {
	uint64_t connections, sessions;
	uint64_t strangers; /* without the token, or without a hello at all */
	uint64_t garbage; /* connections that sent what is no message, or makes no sense */
	uint64_t slow; /* that began a message and did not end it, or fetched none */
	uint64_t crowded; /* that were too many */
};

struct norn_server;

int norn_server_new(const struct norn_server_options *options, const struct norn_host *host, struct norn_server **ret_server,
        struct norn_error *err);
void norn_server_free(struct norn_server *server); /* ends sessions without a word; removes the socket */
const char *norn_server_address(const struct norn_server *server); /* for NORN_OPTIONS=observer=… */

/* Until it is stopped, or with once. child: a descriptor that becomes readable when the program that was started has ended, -1:
 * none; then it goes on for what is on its way. Sessions that are open then are finished. */
int norn_server_run(struct norn_server *server, int child, struct norn_error *err);
void norn_server_stop(struct norn_server *server); /* from a signal handler, too */
void norn_server_breathe(struct norn_server *server); /* reads what has come, for later: during long searches */

void norn_server_count(const struct norn_server *server, struct norn_server_counts *ret_counts);

#endif
