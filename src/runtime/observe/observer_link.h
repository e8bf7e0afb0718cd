/* The link: the connections to the observer, and the thread that serves them, the *sender*.
 *
 * The sender is no thread of the program: it is made by clone(2), so libc does not know of it, does not wait for it, and ends the
 * process when the program's last thread ends. All signals are blocked in it. It has a table of file descriptors of its own, in
 * which there are only its sockets: the program can neither see nor close them, its children do not inherit them, and nothing that
 * the program closes stays open because of it. It uses no thread-local variables, since it has none of its own, and no libc beyond
 * memcpy.
 *
 * From the program's threads to the sender: frames, in a ring per lane (of LINK_RING bytes; written under the observer's lock, read
 * by the sender), and letters for the control connection. From the sender: filters. No thread waits for the sender without a
 * limit. */
#ifndef NORN_RUNTIME_OBSERVE_OBSERVER_LINK_H
#define NORN_RUNTIME_OBSERVE_OBSERVER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/observe/relevance_filter.h"
#include "observer/wire.h"

#define LINK_RING (1u << 20)

struct norn_link_message {
	struct norn_link_message *next;
	size_t bytes, length, sent; /* of this block; of the frame; of the frame so far */
	char frame[];
};

/* Connects to where (unix:PATH, tcp:HOST:PORT), says hello with token, and waits for answers, here and later, patience ms at most.
 * 0, or a negative errno and a sentence. From a constructor: may use libc. */
int norn_link_open(const char *where, const char *token, unsigned patience, char *ret_why, size_t why_room);
bool norn_link_dead(void); /* the observer is gone: nothing will be sent any more */

/* Puts a frame into a lane's ring. False: there is no room now. */
bool norn_link_push(unsigned lane, const void *frame, size_t bytes);
bool norn_link_half_empty(unsigned lane);
void norn_link_ring(void); /* wakes the sender, after pushes */
/* Waits until the sender has got something off, or limit milliseconds have passed; false in the latter case. */
bool norn_link_await_progress(unsigned limit);

/* Memory for a letter of a frame up to room bytes; NULL if there is none. Posting gives it away; from any thread. */
struct norn_link_message *norn_link_message_new(size_t room);
void norn_link_message_post(struct norn_link_message *letter);
/* After READY was posted: waits for a filter that knows as many modules. False: too late. */
bool norn_link_await_filter(uint32_t modules);
struct norn_filter *norn_link_filter(void); /* the newest one that has come, the caller's from now on; NULL if there is none */

/* Waits until all is sent: at most stall ms without progress, total ms altogether. */
bool norn_link_drain(unsigned stall, unsigned total);

/* In the child of a fork: there is no sender. */
void norn_link_forget(void);

#endif
