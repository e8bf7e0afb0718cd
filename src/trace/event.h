/* Events: what a run consists of, as every room after the trace sees it.
 *
 * An event is what one thread did, at one site, once (design: the table of kinds in docs/glossary.md). The readers (reader.h per
 * thread, merge.h in one order) turn raw records into events; TIME, VALUE and other auxiliary records are folded into the events
 * that they belong to. Events are small values; data and args point into the reader and hold until its next call. */
#ifndef NORN_TRACE_EVENT_H
#define NORN_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum norn_event_kind {
	NORN_EVENT_READ = 1,
	NORN_EVENT_WRITE,
	NORN_EVENT_RMW,
	NORN_EVENT_EXTERNAL, /* a write by code that is not instrumented, noticed by this thread */
	NORN_EVENT_SYNC, /* op: enum norn_sync_op */
	NORN_EVENT_THREAD, /* op: enum norn_thread_op */
	NORN_EVENT_ENTER,
	NORN_EVENT_LEAVE,
	NORN_EVENT_ALLOC,
	NORN_EVENT_FREE,
	NORN_EVENT_MARK, /* op: enum norn_mark_op */
	NORN_EVENT_LOST, /* argument: how many records of this thread are missing here */
	NORN_EVENT_KINDS
};

struct norn_event {
	uint8_t kind; /* enum norn_event_kind */
	uint8_t op; /* SYNC, THREAD, ALLOC, MARK; a range access and FREE: enum norn_range_sub */
	uint8_t pieces; /* of a range that another thread broke into: 1 = more of it follows, 2 = it began before; else 0 */
	bool known; /* value (or data) is known: always, but for reads of a thread-wise reader and after LOST */
	uint32_t thread;
	uint32_t site;
	uint32_t call_site; /* ENTER only */
	uint64_t addr; /* accesses: first byte; SYNC: the object; ALLOC, FREE: the block */
	uint64_t size; /* bytes; of a FREE: the whole block, though only its first NORN_RANGE_BYTES have versions */
	uint32_t version; /* of the word at addr (the lowest one of a range), low 32 bits */
	uint32_t count; /* args, or versions: how many */
	uint64_t value; /* accesses of up to 8 bytes: read, or after the write; MARK: its value; THREAD: which */
	uint64_t argument; /* SYNC, THREAD: see record.h; MARK: number of the name; LOST: count; LEAVE: flags;
	                      ENTER: a bit per argument that was recorded */
	uint64_t time; /* nanoseconds since the start: that of the last TIME record of this thread */
	uint64_t index; /* number of this event within its thread, from 0 */
	const uint8_t *data; /* accesses of more than 8 bytes: the bytes, NULL if not known */
	const uint32_t *versions; /* ranges and FREE: of each word touched, from the lowest */
	const uint64_t *args; /* ENTER: arguments; LEAVE: the result (count 1) if there is one */
};

const char *norn_event_kind_name(unsigned kind); /* "read", … */
const char *norn_sync_op_name(unsigned op); /* "acquire", "wait-begin", … */
const char *norn_thread_op_name(unsigned op); /* "fork", … */
const char *norn_mark_op_name(unsigned op);
const char *norn_event_word(unsigned kind, unsigned op); /* its usual name: "write", "call", "lock", … */

#endif
