/* Channels: what threads may speak with each other through, by way of the kernel, as objects that sends and receives are logged for
 * (trace/record.h).
 *
 * A pipe or a file is one, both of its ends and all that is open on it; which sockets and other descriptors belong together only
 * the kernel knows, so they all are one. There are few, since a thread that waits for many descriptors receives from all that were
 * used.
 *
 * A call that may release another thread is a send, logged before it; a call that may have blocked is a receive, logged after it.
 * All of these keep errno. */
#ifndef NORN_RUNTIME_INTERPOSE_KERNEL_CHANNEL_H
#define NORN_RUNTIME_INTERPOSE_KERNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* A call that is under way. */
struct norn_channel_call {
	uint32_t site;
	bool anywhere; /* it may read any memory of the program */
	bool file; /* it is of a regular file, which takes everything at once */
	uint8_t channel;
	uint8_t ends; /* of output: enum norn_output_end */
	bool counted; /* of a pipe: what it takes and puts is known */
	uint32_t step; /* in a replay: of the receive after the call, in which it may wait for ever */
};

enum norn_output_end {
	NORN_OUTPUT_END_WORLD, /* standard output and other inherited files: the program cannot read what it writes there */
	NORN_OUTPUT_END_FILE, /* it takes everything at once */
	NORN_OUTPUT_END_OWN, /* a pipe, a socket, memory: the writer may have to wait for the reader */
};

/* Logs a send for fd, whose number may also be -1, at the caller's call site. */
struct norn_channel_call norn_channel_call(int fd);
struct norn_channel_call norn_channel_call_loose(int fd); /* of contents that are not recorded */
struct norn_channel_call norn_channel_call_at(int fd); /* reads at a place that it names: of a file that is no send */
struct norn_channel_call norn_channel_call_by(FILE *file);
void norn_channel_call_received(struct norn_channel_call talk); /* it gave something */
/* Of read and write themselves; result: theirs. Of a pipe that this process has made, and that no other one can have, it is known
 * how much it holds: what was written, without what was read. */
struct norn_channel_call norn_channel_call_reads(int fd);
void norn_channel_call_read(struct norn_channel_call talk, ssize_t result);
void norn_channel_call_wrote(struct norn_channel_call talk, ssize_t result);
void norn_channel_call_piped(const int *ends, int flags); /* a pipe was made */
/* It can only have waited for room. That it failed may tell what others did to the descriptor. */
void norn_channel_call_waited(struct norn_channel_call talk, bool failed);
void norn_channel_call_looked(uint32_t site); /* it looked at many */
/* A function without hooks has looked at what is open (resource.c), and may have seen what was sent; sizes: how much that was,
 * too. */
void norn_channel_call_sized(bool sizes, uint32_t site);
/* Around the use of an object of synchronization that other processes may use, too: one of them may pass on through it what it was
 * told through another. A call that may release others publishes before its own record; one that may have blocked receives after
 * it. */
void norn_channel_call_sends(bool shared);
void norn_channel_call_receives(bool shared, uint32_t site);
/* There are, or may be, other processes that pass on what they are told: from here on a receive from one channel receives from
 * all. */
void norn_channel_call_outside(void);

/* Output that need not have come out of the program yet, and whose contents may be others in another run: a send, unless it goes to
 * the world; and after the call what it may have waited for. */
struct norn_channel_call norn_channel_call_prints(FILE *file);
struct norn_channel_call norn_channel_call_prints_to(int fd);
void norn_channel_call_printed(struct norn_channel_call talk);
/* All streams at once. */
struct norn_channel_call norn_channel_call_flushes(void);

#endif
