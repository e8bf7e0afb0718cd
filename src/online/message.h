/* What a watched program tells the command that started it, one datagram each. Both are of one build, on one machine. */
#ifndef NORN_ONLINE_MESSAGE_H
#define NORN_ONLINE_MESSAGE_H

#include <stdint.h>

#define NORN_WATCH_MAGIC 0x3157524eu /* "NRW1" */

enum norn_watch_kind {
	NORN_WATCH_HELLO, /* the program is instrumented, and watched from now on */
	NORN_WATCH_VERDICT,
	NORN_WATCH_NOTE,
	NORN_WATCH_DOUBT,
	NORN_WATCH_WITHDRAW,
	NORN_WATCH_BYE /* the process ends in an orderly way */
};

struct norn_watch_message {
	uint32_t magic, kind;
	uint32_t law, outcome; /* outcome: enum norn_outcome */
	uint32_t thread, line;
	uint32_t complete; /* BYE: nothing was given up */
	uint32_t state; /* VERDICT: of the fsm */
	uint32_t event_kind, event_op; /* of the event (trace/event.h); 0: none, at the end of the run */
	uint64_t events, relevant, lost, threads; /* BYE; lost: verdicts that nobody was told of */
	/* Texts, "" if there is nothing to say; cut if they are longer. */
	char property[128], path[64], name[64], file[512], function[128];
	char variable[128];
	char what[64], key[120], message[512], actions[256];
	char values[512], details[1024]; /* a line each */
};

#endif
