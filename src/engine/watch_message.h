/* Messages of a watched program to the command that started it. Both are of one build, on one machine.
 *
 * Messages lie in a ring in shared memory, which no program can close by mistake, and which survives when the program is killed. A
 * writer takes a slot (head), waits until it is free, writes, and publishes it; the command is the only reader, reads in order and
 * frees the slots. turn is the present user of a slot, relative to the slot's own number, so that zeroed memory is a valid empty
 * ring: n: free for message n; n + 1: message n is published. */
#ifndef NORN_ENGINE_WATCH_MESSAGE_H
#define NORN_ENGINE_WATCH_MESSAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/finding_id.h"

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
	uint32_t props, outcome; /* outcome: enum norn_outcome */
	uint32_t thread, line;
	uint32_t complete; /* BYE: nothing was given up */
	uint32_t state; /* VERDICT: of the fsm */
	uint32_t event_kind, event_op; /* of the event (trace/event.h); 0: none, at the end of the run */
	uint64_t events, relevant, lost, threads; /* BYE; lost: verdicts that were not reported */
	uint32_t witness_cut; /* VERDICT: steps that there was no room for */
	char id[NORN_FINDING_ID_BYTES]; /* VERDICT */
	/* Texts, "" if there is nothing to say; cut if they are longer. */
	char property[128], path[64], name[64], file[512], function[128];
	char variable[128], called[128]; /* called: of a call or return, the function */
	char what[64], key[120], message[512], actions[256];
	char values[512], details[1024]; /* a line each */
	/* A line for each step: kind, op, line, thread's path, event, function, file, called, with a NORN_WATCH_BETWEEN between
	 * them. */
	char witness[4096];
};

#define NORN_WATCH_BETWEEN '\x1f'
#define NORN_WATCH_PLACES 256u

struct norn_watch_ring {
	uint32_t magic, bytes; /* bytes: sizeof */
	_Atomic uint64_t head;
	_Atomic uint64_t lost; /* messages that were dropped: the command was too slow */
	_Atomic uint32_t execs; /* the program is about to become another one */
	_Atomic uint32_t
	        unwatched; /* other processes: forked ones that have not become another program, and other programs with hooks */
	struct norn_watch_place {
		_Alignas(64) _Atomic uint64_t turn;
		struct norn_watch_message message;
	} place[NORN_WATCH_PLACES];
};

void norn_watch_ring_init(struct norn_watch_ring *ring); /* all of it is zero, and most of it stays untouched */
/* False: there is no place free. */
bool norn_watch_ring_put(struct norn_watch_ring *ring, const struct norn_watch_message *message);
/* tail: the next to read, 0 at first; counted up. */
bool norn_watch_ring_get(struct norn_watch_ring *ring, uint64_t *tail, struct norn_watch_message *ret_message);

#endif
