/* The wire: what a watched program and its observer (`norn observe`) say to each other. docs/observer.md is the description for
 * people.
 *
 * A message is a frame:
 *
 *   u32 length of the payload | u8 type | u8 version | u16 zero | payload | u32 checksum
 *
 * The checksum is XXH32 (seed 0) of all bytes before it. Numbers of the frame are little-endian; those of a payload are varints (7
 * bits a byte, the lowest first, at most 10 bytes), strings and blobs are a length and their bytes. A byte that is left over, or
 * missing, makes a payload invalid: there is one way to say each thing.
 *
 * P: the program, O: the observer. P opens one connection for CONTROL, NORN_WIRE_LANES for EVENTS.
 *
 *   on every connection, first
 *     P  HELLO     version, token, process id, session number, role. Until it has come, with the right token, O reads nothing else.
 *     O  WELCOME   or REFUSED and a sentence, after which O closes the connection. P waits for it NORN_WIRE_PATIENCE ms at most,
 *                  then it runs unwatched. All connections of one process have the same pid and session number, which is random.
 *   on CONTROL
 *     P  MODULE    for each instrumented translation unit that is loaded: its site table, and the object that it lies in.
 *     P READY after the MODULEs that are known when the first event is about to happen: before main, as a rule. P waits for FILTER.
 *     O  FILTER    which events are relevant. It replaces the one before. Until the first one no event is relevant. P waits for one
 *                  that takes all its modules into account, NORN_WIRE_PATIENCE ms at most; if none has come by then it goes on,
 *                  and counts that as late (BYE). O may send further ones whenever it likes: they take effect when they have
 *                  arrived, for events after that.
 *     P  …         Modules that are loaded later (dlopen): MODULEs and READY again, and P waits for another FILTER.
 *     P  BYE       at the end of the process, if it came to an end that it noticed (not SIGKILL, nor a crash). Nothing follows on
 *                  CONTROL; what is on the way on other connections still counts.
 *   on EVENTS, from P only. All messages of a thread go over the same connection: thread % lanes, so they arrive in order if the
 *   connections are what they seem; between connections there is no order. O must do with any order, even within a connection.
 *     P  THREAD    a thread begins; again when the function that it enters first is known; again when it gets a name.
 *     P  EVENT     ⟨e, i, V⟩: a relevant event, its thread and its clock.
 *     P  LOST      events first … first + count - 1 (relevant ones, from 1, as clocks count them) of this thread will not come:
 *                  there was no room. Said before the thread's next EVENT or END.
 *     P  WAIT      the thread has made count relevant events so far and waits, in pthread_join, for the end of another one: what it
 *                  does next comes after all that the other does, unless the wait ends early (by a signal handler, a
 *                  cancellation, an error): then the clock of its next event lacks some of the other's. A hint; it may be missing.
 *     P  END       the thread has made count relevant events, lost ones included, and makes no more. At BYE for all others, too.
 *
 * So a run is whole if BYE has come, and of each thread whose END came all events 1 … count. A run whose connections end without
 * BYE was cut short: every event that is there with all that its clock counts before it did happen.
 *
 * Clocks are algorithm A's (causality/mvc.h) with the filter's events as the relevant ones; entries are per thread number, those
 * that are 0 are left out. V[i] of an event of thread i is its own number among the relevant events of i, from 1. A property to
 * which only some of them matter counts these: of V[j], those among the first V[j] events of j.
 *
 * Encoders write whole frames into the caller's buffer and return their length, 0 if there is no room. The decoders are pure
 * functions of bytes that may be anything; what they hand out points into these bytes. Nothing here allocates. */
#ifndef NORN_OBSERVER_WIRE_H
#define NORN_OBSERVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/decode.h"
#include "trace/event.h"

#define NORN_WIRE_VERSION 2u
#define NORN_WIRE_LANES 4u /* connections for events */
#define NORN_WIRE_PATIENCE 2000u /* milliseconds, unless the program is told otherwise (patience=MS) */
#define NORN_WIRE_HEADER 8u
#define NORN_WIRE_TAIL 4u
#define NORN_WIRE_OVERHEAD (NORN_WIRE_HEADER + NORN_WIRE_TAIL)
#define NORN_WIRE_MAX (64u << 20) /* of a payload: MODULE, FILTER */
#define NORN_WIRE_SMALL (64u << 10) /* of a payload of any other type */
#define NORN_WIRE_TOKEN 128u /* bytes of a token, at most */
#define NORN_WIRE_CLOCK_MAX 8192u /* entries of a clock, at most */

enum norn_wire_type {
	NORN_WIRE_HELLO = 1,
	NORN_WIRE_WELCOME,
	NORN_WIRE_REFUSED,
	NORN_WIRE_MODULE,
	NORN_WIRE_READY,
	NORN_WIRE_FILTER,
	NORN_WIRE_THREAD,
	NORN_WIRE_EVENT,
	NORN_WIRE_LOST,
	NORN_WIRE_END,
	NORN_WIRE_BYE,
	NORN_WIRE_WAIT,
	NORN_WIRE_TYPES
};

enum norn_wire_role { NORN_WIRE_CONTROL = 1, NORN_WIRE_EVENTS };

/* Bytes that are not the holder's; no NUL at the end. */
struct norn_wire_text {
	const char *bytes;
	size_t length;
};

struct norn_wire_hello {
	uint32_t version; /* NORN_WIRE_VERSION */
	struct norn_wire_text token;
	uint32_t pid;
	uint64_t session; /* random, the same on all connections of this process */
	uint32_t role; /* enum norn_wire_role */
	uint32_t lane, lanes; /* EVENTS: which of how many; CONTROL: 0 of lanes */
	struct norn_wire_text program; /* path of the executable, may be empty */
	struct norn_wire_text directory; /* its working directory at the start: relative paths of modules begin there */
};

struct norn_wire_refused {
	struct norn_wire_text why; /* a sentence, for stderr */
};

struct norn_wire_module {
	uint32_t base; /* number of its first site */
	uint64_t load; /* address that the object is loaded at */
	struct norn_wire_text path; /* of the object; a relative one: from hello.directory */
	struct norn_wire_text table; /* struct norn_site_table and what follows it; unaligned: copy before use, and check it */
};

struct norn_wire_ready {
	uint32_t modules; /* MODULEs sent so far */
};

/* An event is relevant if any of these says so. */
struct norn_wire_filter {
	uint32_t modules; /* how many it takes into account: that of the READY that it answers; 0: whatever there is */
	bool all; /* every event */
	uint32_t kinds; /* bit 1 << enum norn_event_kind: all events of that kind */
	uint32_t sync_ops; /* bit 1 << enum norn_sync_op */
	uint32_t thread_ops; /* bit 1 << enum norn_thread_op */
	uint32_t mark_ops; /* bit 1 << enum norn_mark_op */
	uint32_t site_count, range_count, name_count;
	/* In the encoder's input: arrays. In the decoder's output: NULL, and the bytes of each list, for the norn_wire_next_…
	 * below. */
	/* events at these sites, ascending, each once. Of an ENTER site: its LEAVEs, too, those by longjmp included */
	const uint32_t *sites;
	const struct norn_wire_range *ranges;
	const struct norn_wire_text *names; /* marks of these names */
	struct norn_wire_text site_bytes, range_bytes, name_bytes;
};

/* Events of these kinds that touch a byte of [address, address + size): accesses, external writes, allocations and frees by what
 * they cover, sync operations by the first byte of their object. */
struct norn_wire_range {
	uint64_t address, size;
	uint32_t kinds; /* bit 1 << enum norn_event_kind */
};

struct norn_wire_thread {
	uint32_t number;
	uint32_t parent, ordinal; /* it is the ordinal-th (from 1) that parent created; ordinal 0: unknown */
	uint32_t entered; /* site of the function that it entered first; 0: not known (yet) */
	struct norn_wire_text name; /* given by norn_thread_name, or empty */
};

struct norn_wire_clock {
	uint32_t thread, count;
};

struct norn_wire_event {
	/* As from norn_merge_next, with values of reads, and data of all accesses of more than 8 bytes. Left out: version, versions
	 * (count is that of args), and known is true. pieces is 0. data and args point into the payload or into this struct. */
	struct norn_event event;
	/* in the order observed: 1, 2, 3 … over all relevant events of the process, lost ones included; 0: unknown */
	uint64_t number;
	uint32_t depth; /* ENTER, LEAVE: instrumented frames on the stack, this one included */
	struct norn_wire_text name; /* MARK: its name (event.argument is the number that the program gave it); else empty */
	uint32_t entries; /* of the clock, its own included */
	const struct norn_wire_clock *clock; /* encoder's input, ascending threads; the decoder leaves NULL: norn_wire_next_clock */
	struct norn_wire_text clock_bytes; /* decoder's output */
	uint64_t args[NORN_DECODE_ARGS]; /* decoder's output: what event.args points to */
};

struct norn_wire_lost {
	uint32_t thread;
	uint64_t first, count;
};

struct norn_wire_end {
	uint32_t thread;
	uint64_t count;
	uint32_t entered; /* as in THREAD, and final: a thread that entered no function never will */
};

struct norn_wire_wait {
	uint32_t thread, joined;
	uint64_t count;
};

struct norn_wire_bye {
	uint64_t events; /* relevant ones, lost ones included */
	uint64_t lost;
	uint64_t seen; /* events of the program altogether */
	uint64_t late; /* times that P went on without the FILTER that it waited for */
	/* events that Norn could not see, or threads: relevant or not, which is unknown. If not 0 clocks may lack order */
	uint64_t unrecorded;
	uint32_t threads;
	int32_t status; /* of exit; 128 + SIGABRT for abort; -1 unknown */
	uint64_t forked; /* children that were forked, and are not observed */
};

/* ---- frames ---- */

/* Tests if bytes begins with a frame: its whole length, 0 if more bytes are needed to tell or to have it, -EBADMSG if this is none
 * (nothing on this connection can be trusted then). limit: the longest payload that the caller takes of any type, at most
 * NORN_WIRE_MAX. */
long norn_wire_frame(const void *bytes, size_t available, size_t limit, unsigned *ret_type, struct norn_wire_text *ret_payload);

/* ---- encoders: bytes written, 0 if room is too small ---- */

/* Any message but FILTER and EVENT, by the table of its type. The functions below have the right types. */
size_t norn_wire_put(void *to, size_t room, enum norn_wire_type type, const void *message);
size_t norn_wire_put_filter(void *to, size_t room, const struct norn_wire_filter *m);
size_t norn_wire_put_event(void *to, size_t room, const struct norn_wire_event *m);

static inline size_t norn_wire_put_welcome(void *to, size_t room)
{
	return norn_wire_put(to, room, NORN_WIRE_WELCOME, NULL);
}

static inline size_t norn_wire_put_hello(void *to, size_t room, const struct norn_wire_hello *m)
{
	return norn_wire_put(to, room, NORN_WIRE_HELLO, m);
}

static inline size_t norn_wire_put_refused(void *to, size_t room, const struct norn_wire_refused *m)
{
	return norn_wire_put(to, room, NORN_WIRE_REFUSED, m);
}

static inline size_t norn_wire_put_module(void *to, size_t room, const struct norn_wire_module *m)
{
	return norn_wire_put(to, room, NORN_WIRE_MODULE, m);
}

static inline size_t norn_wire_put_ready(void *to, size_t room, const struct norn_wire_ready *m)
{
	return norn_wire_put(to, room, NORN_WIRE_READY, m);
}

static inline size_t norn_wire_put_thread(void *to, size_t room, const struct norn_wire_thread *m)
{
	return norn_wire_put(to, room, NORN_WIRE_THREAD, m);
}

static inline size_t norn_wire_put_lost(void *to, size_t room, const struct norn_wire_lost *m)
{
	return norn_wire_put(to, room, NORN_WIRE_LOST, m);
}

static inline size_t norn_wire_put_end(void *to, size_t room, const struct norn_wire_end *m)
{
	return norn_wire_put(to, room, NORN_WIRE_END, m);
}

static inline size_t norn_wire_put_bye(void *to, size_t room, const struct norn_wire_bye *m)
{
	return norn_wire_put(to, room, NORN_WIRE_BYE, m);
}

static inline size_t norn_wire_put_wait(void *to, size_t room, const struct norn_wire_wait *m)
{
	return norn_wire_put(to, room, NORN_WIRE_WAIT, m);
}

/* ---- decoders of payloads: 0, or -EBADMSG, and *ret is then not touched. WELCOME has no payload: its length must be 0 ---- */

/* Any message but EVENT, by the table of its type. */
int norn_wire_get(struct norn_wire_text payload, enum norn_wire_type type, void *ret);
/* The clock is valid: ascending threads, no zeros, at most NORN_WIRE_CLOCK_MAX entries, the event's own thread among them. The
 * kind and op exist; a thread's number is below NORN_THREADS. After a failure *ret is undefined. */
int norn_wire_get_event(struct norn_wire_text payload, struct norn_wire_event *ret);

static inline int norn_wire_get_hello(struct norn_wire_text payload, struct norn_wire_hello *ret)
{
	return norn_wire_get(payload, NORN_WIRE_HELLO, ret);
}

static inline int norn_wire_get_refused(struct norn_wire_text payload, struct norn_wire_refused *ret)
{
	return norn_wire_get(payload, NORN_WIRE_REFUSED, ret);
}

static inline int norn_wire_get_module(struct norn_wire_text payload, struct norn_wire_module *ret)
{
	return norn_wire_get(payload, NORN_WIRE_MODULE, ret);
}

static inline int norn_wire_get_ready(struct norn_wire_text payload, struct norn_wire_ready *ret)
{
	return norn_wire_get(payload, NORN_WIRE_READY, ret);
}

static inline int norn_wire_get_filter(struct norn_wire_text payload, struct norn_wire_filter *ret)
{
	return norn_wire_get(payload, NORN_WIRE_FILTER, ret);
}

static inline int norn_wire_get_thread(struct norn_wire_text payload, struct norn_wire_thread *ret)
{
	return norn_wire_get(payload, NORN_WIRE_THREAD, ret);
}

static inline int norn_wire_get_lost(struct norn_wire_text payload, struct norn_wire_lost *ret)
{
	return norn_wire_get(payload, NORN_WIRE_LOST, ret);
}

static inline int norn_wire_get_end(struct norn_wire_text payload, struct norn_wire_end *ret)
{
	return norn_wire_get(payload, NORN_WIRE_END, ret);
}

static inline int norn_wire_get_bye(struct norn_wire_text payload, struct norn_wire_bye *ret)
{
	return norn_wire_get(payload, NORN_WIRE_BYE, ret);
}

static inline int norn_wire_get_wait(struct norn_wire_text payload, struct norn_wire_wait *ret)
{
	return norn_wire_get(payload, NORN_WIRE_WAIT, ret);
}

/* Lists of a decoded message, one item after the other: false at the end. rest starts as the message's …_bytes. */
bool norn_wire_next_clock(struct norn_wire_text *rest, struct norn_wire_clock *entry); /* entry starts as {0, 0} */
bool norn_wire_next_site(struct norn_wire_text *rest, uint32_t *site); /* site starts as 0 */
bool norn_wire_next_range(struct norn_wire_text *rest, struct norn_wire_range *ret_range);
bool norn_wire_next_name(struct norn_wire_text *rest, struct norn_wire_text *ret_name);

#endif
