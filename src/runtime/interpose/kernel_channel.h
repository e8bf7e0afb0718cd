/* Channels: what threads may speak with each other through, by way of the kernel, as objects that sends and receives are logged for
 * (trace/record.h).
 *
 * A pipe or a file is one, both of its ends and all that is open on it; which sockets and other descriptors belong together only
 * the kernel knows, so they all are one. There are few, for who waits for many descriptors receives from all that were used.
 *
 * A call that may release another thread is a send, logged before it; a call that may have blocked is a receive, logged after it.
 * All of these keep errno. */
#ifndef NORN_RUNTIME_INTERPOSE_KERNEL_CHANNEL_H
#define NORN_RUNTIME_INTERPOSE_KERNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A call that is under way. */
struct norn_talk {
	uint32_t site;
	bool anywhere; /* what it reads may be any memory of the program */
	uint8_t channel;
	uint8_t ends; /* of output: enum norn_outlet */
};

enum norn_outlet {
	NORN_OUTLET_WORLD, /* standard output and the like, as inherited: the program cannot read what it writes there */
	NORN_OUTLET_FILE, /* it takes everything at once */
	NORN_OUTLET_OWN, /* a pipe, a socket, memory: who writes may have to wait for who reads */
};

/* Logs a send for fd, whose number may also be -1, at the caller's call site. */
struct norn_talk norn_talk(int fd);
struct norn_talk norn_talk_loose(int fd); /* of contents that are not recorded */
struct norn_talk norn_talk_by(FILE *file);
void norn_talk_received(struct norn_talk talk); /* it gave something */
void norn_talk_waited(struct norn_talk talk); /* it can only have waited for room */
void norn_talk_looked(uint32_t site); /* it looked at many */
/* A function without hooks has looked at what is open (resource.c), and may have seen what was sent; sizes: how much that was,
 * too. */
void norn_talk_glanced(bool sizes, uint32_t site);
/* Around the use of an object of synchronization that other processes may use, too: one of them may pass on through it what it was
 * told through another. A call that may release others publishes before its own record; one that may have blocked receives after
 * it. */
void norn_talk_tells(bool shared);
void norn_talk_hears(bool shared, uint32_t site);
/* There are, or may be, other processes that pass on what they are told: from here on who receives from one channel receives from
 * all. */
void norn_talk_outsiders(void);

/* Output that need not have come out of the program yet, and whose contents may be others in another run: a send, unless it goes to
 * the world; and after the call what it may have waited for. */
struct norn_talk norn_talk_prints(FILE *file);
struct norn_talk norn_talk_prints_to(int fd);
void norn_talk_printed(struct norn_talk talk);
/* All streams at once. */
struct norn_talk norn_talk_flushes(void);

#endif
