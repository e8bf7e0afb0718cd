/* Raw records: what a hook appends to its thread's buffer.
 *
 * A buffer holds units of 8 bytes. Every record starts with a unit whose low 4 bits are its tag and whose bits 4..15 are a
 * subcode; bits 16..63 hold an address where there is one. The layout favours the hot path: a read is two stores, a write three.
 *
 *   READ    addr<<16 | log2(size)<<4 | tag,   version<<32 | site
 *           [with NORN_READ_SPAN: zigzag of the next word's version less this one]
 *   WRITE   the same,                         the same,            value (zero-extended)
 *   RMW     the same,                         the same,            value after
 *           [if size is 16: upper half, version of the upper word]
 *   EXT     word<<16 | tag,                   version<<32 | site,  value of the whole word
 *   RANGE   addr<<16 | sub<<4 | tag,          bytes<<32 | site,    runs<<32 | data units, runs…, data…
 *   SYNC    addr<<16 | op<<4 | tag,           version<<32 | site,  argument
 *   THREAD  op<<4 | tag,                      thread<<32 | site,   argument
 *   ENTER   call site<<36 | site<<8 | tag
 *   LEAVE   flags<<36 | site<<8 | tag
 *   VALUE   index<<4 | tag,                   value
 *           (index 0..: argument of the last ENTER; RESULT: of the next LEAVE)
 *   ALLOC   addr<<16 | op<<4 | tag,           version<<32 | site,  size
 *   MARK    op<<4 | tag,                      name<<32 | site,     value
 *   TIME    tsc<<8 | tag                      (low 56 bits of the time stamp counter)
 *   LOST    count<<8 | tag
 *
 * version is the low 32 bits of the version of the 8-byte word at addr & ~7. A write, an rmw, an external write, a sync operation,
 * an allocation and a free carry the version that they made; a read carries the version that it saw. So in any order that explains
 * the run, a record that made version v of a word comes after the one that made v-1, and after all reads of v-1.
 *
 * A RANGE touches bytes consecutive bytes, at most NORN_RANGE_BYTES of them; its runs give the versions of the words touched, from
 * the lowest word up: each unit is count<<32 | version. Data follows only where it cannot be derived (NORN_RANGE_WRITE): the bytes
 * written, from addr on, padded to units with zeros; for NORN_RANGE_SET one data unit holds the byte.
 * A copy is NORN_RANGE_COPY_FROM followed at once by NORN_RANGE_COPY_TO of as many bytes; its value is what the first read.
 * Scalars that straddle two words are ranges too. A range is not indivisible: another thread may come in between two of its words.
 * A READ with NORN_READ_SPAN is short for such a range of two words; readers see the range (norn_record_widen).
 *
 * This header is shared by the runtime, which writes records, and the trace room, which encodes and decodes them. */
#ifndef NORN_TRACE_RECORD_H
#define NORN_TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum norn_tag {
	NORN_TAG_NONE, /* never written; a zero unit is no record */
	NORN_TAG_READ,
	NORN_TAG_WRITE,
	NORN_TAG_RMW,
	NORN_TAG_EXT,
	NORN_TAG_RANGE,
	NORN_TAG_SYNC,
	NORN_TAG_THREAD,
	NORN_TAG_ENTER,
	NORN_TAG_LEAVE,
	NORN_TAG_VALUE,
	NORN_TAG_ALLOC,
	NORN_TAG_MARK,
	NORN_TAG_TIME,
	NORN_TAG_LOST,
};

enum norn_range_sub {
	NORN_RANGE_READ, /* read into private memory, or by an argument passed by value */
	NORN_RANGE_WRITE, /* written from private memory: data follows */
	NORN_RANGE_SET, /* memset: one data unit holds the byte */
	NORN_RANGE_COPY_FROM, /* the two halves of memcpy and memmove */
	NORN_RANGE_COPY_TO,
	/* memory given back: every word (of the first NORN_RANGE_BYTES) gets a new version; data unit 0: whole size */
	NORN_RANGE_FREE,
	NORN_RANGE_SCAN, /* a READ whose length its bytes decide, those in front how many follow: of a text up to its NUL, say */
	NORN_RANGE_SUBS
};

enum norn_sync_op {
	/* argument: enum norn_lock_kind */
	NORN_SYNC_ACQUIRE = 1, /* exclusive; after the lock was taken */
	NORN_SYNC_RELEASE, /* exclusive; before it is given up */
	NORN_SYNC_ACQUIRE_SHARED,
	NORN_SYNC_RELEASE_SHARED,
	NORN_SYNC_TRY_FAILED, /* a try or timed acquire that did not get it */
	/* condition variables; argument: address of the mutex. The mutex's own release and acquire are records of their own:
	 * WAIT_BEGIN, RELEASE … ACQUIRE, WAIT_END. */
	NORN_SYNC_WAIT_BEGIN,
	NORN_SYNC_WAIT_END, /* woken */
	NORN_SYNC_WAIT_TIMEOUT, /* the wait ended without a notify (time, or an error) */
	NORN_SYNC_SIGNAL, /* before the call */
	NORN_SYNC_BROADCAST,
	/* semaphores */
	NORN_SYNC_SEM_INIT, /* argument: initial value */
	NORN_SYNC_SEM_POST, /* before the call */
	NORN_SYNC_SEM_WAIT, /* after success */
	NORN_SYNC_SEM_TRY_FAILED,
	/* barriers */
	NORN_SYNC_BARRIER_INIT, /* argument: count */
	NORN_SYNC_BARRIER_ARRIVE,
	NORN_SYNC_BARRIER_LEAVE,
	/* pthread_once, call_once */
	NORN_SYNC_ONCE_BEGIN, /* this thread runs the routine */
	NORN_SYNC_ONCE_END,
	NORN_SYNC_ONCE_PASS, /* every return from the call, the runner's included */
	/* init and destroy of any of these: the object at this address begins or ends; argument: enum norn_lock_kind or 0 */
	NORN_SYNC_CREATE,
	NORN_SYNC_DESTROY,
	/* data that pass through the kernel; the object is a channel, one of the runtime's own */
	/* before a call that may let another thread go on: write, close, read, which makes room; argument: enum norn_send */
	NORN_SYNC_SEND,
	/* after a call that may have waited for another: read, poll, accept, and write, which waits for room …; failed ones, too;
	 * argument: enum norn_receive */
	NORN_SYNC_RECEIVE,
	NORN_SYNC_OPS
};

enum norn_send {
	NORN_SEND_KNOWN, /* the data depend on deciding reads alone */
	NORN_SEND_LOOSE, /* other values may be printed */
	/* The object is a resource of the process (effects/effects.h), and so of the receives that have the same names */
	NORN_SEND_CHANGES, /* a call begins that writes it, and reads some: a receive CHANGED will follow */
	NORN_SEND_SETS, /* a call begins that writes it, whatever others have done */
};
enum norn_receive {
	NORN_RECEIVE_INPUT,
	NORN_RECEIVE_ROOM,
	NORN_RECEIVE_CHANGED, /* the call that CHANGES announced is over */
	NORN_RECEIVE_LOOKED, /* a call has read it */
};
#define NORN_RECEIVE_BETWEEN 128u /* flag of a kind: of an object of synchronization that other processes may use, too */

/* A RECEIVE by read or write, from a pipe that this process has made and uses alone, also says how many bytes the call took or put:
 * its argument is kind | (bytes + 1) << 8. */
static inline uint64_t norn_receive_argument(enum norn_receive kind, int64_t bytes)
{
	return (uint64_t)kind | (uint64_t)(bytes + 1) << 8;
}

static inline enum norn_receive norn_receive_kind(uint64_t argument)
{
	return (enum norn_receive)(argument & 127);
}

/* -1: not known. */
static inline int64_t norn_receive_bytes(uint64_t argument)
{
	return (int64_t)(argument >> 8) - 1;
}

enum norn_lock_kind {
	NORN_LOCK_MUTEX,
	NORN_LOCK_RWLOCK,
	NORN_LOCK_SPIN,
	NORN_LOCK_COND,
	NORN_LOCK_SEM,
	NORN_LOCK_BARRIER,
	NORN_LOCK_ONCE,
	/* of an ACQUIRE only: */
	NORN_LOCK_ROBUST, /* a mutex that the next thread gets if its owner ends */
	NORN_LOCK_WRITERS, /* a readers-writer lock that lets no reader in while a writer waits */
};

enum norn_thread_op {
	NORN_THREAD_FORK = 1, /* thread: the child; argument: what its function is given; before the call */
	NORN_THREAD_FORK_FAILED, /* the creation that the last FORK of this child announced did not happen */
	NORN_THREAD_BEGIN, /* thread: self; argument: the parent's number, NORN_NO_THREAD if unknown; its own: it was there from the
	                      * start, forked by none */
	NORN_THREAD_STACK, /* thread: self; argument: lowest address of the stack; a second STACK record: its size */
	NORN_THREAD_END, /* thread: self */
	NORN_THREAD_JOIN, /* thread: the child; after the call; argument: NORN_JOIN_DROPS, or 0 */
	NORN_THREAD_DETACH, /* thread: the child */
	NORN_THREAD_EXIT, /* the process ends (return from main, exit, _exit, abort); argument: status */
	NORN_THREAD_NAME, /* argument: number of the name in the trace's NAMES blocks */
	NORN_THREAD_SIGNAL, /* a signal handler begins; argument: signal */
	NORN_THREAD_SIGNAL_END,
	/* site: a call that follows, of a function that may not be instrumented and is not known to be harmless; thread: 0, or
	 * NORN_CALL_RECORDED; argument: enum norn_call */
	NORN_THREAD_CALL,
	/* code without hooks has handed over to code with hooks; argument: enum norn_back; site: of the call that returned */
	NORN_THREAD_BACK,
	NORN_THREAD_FENCE, /* atomic_thread_fence; its site has the memory order; thread, argument: 0 */
	NORN_THREAD_OPS
};

#define NORN_JOIN_DROPS 1 /* of a JOIN: nobody takes the child's result */
#define NORN_CALL_RECORDED 1 /* of a CALL: a function of the runtime's, which makes records of its own */

enum norn_call {
	NORN_CALL_ANY, /* nothing is known of it here */
	NORN_CALL_SUBMITS, /* hands a job to other threads (effects/job_functions.h), and does nothing else that matters */
};

enum norn_back {
	NORN_BACK_RETURNED, /* a call of code that may have waited for anything has returned */
	NORN_BACK_ENTERED, /* such code calls a function: a callback; the ENTER follows */
	NORN_BACK_JOB, /* the same, and it is known to have waited only for the job to be handed over */
};

enum norn_alloc_op {
	NORN_ALLOC_MALLOC = 1,
	NORN_ALLOC_CALLOC,
	NORN_ALLOC_REALLOC,
	NORN_ALLOC_ALIGNED,
	NORN_ALLOC_MAP, /* mmap, private */
	NORN_ALLOC_SHARED, /* mmap, shared: others may write it by other addresses */
	NORN_ALLOC_UNMAP, /* before munmap: whatever is there next is something else */
	NORN_ALLOC_ALIAS, /* mmap of a file that is mapped already, one of both shared: the same bytes at two addresses */
	NORN_ALLOC_PROTECT, /* before mprotect: what is there stays, but whether it can be accessed may change */
	NORN_ALLOC_OPS
};

enum norn_mark_op {
	NORN_MARK_EVENT = 1, /* norn_event(name, value) */
	NORN_MARK_SET, /* norn_set(name, value) */
	NORN_MARK_ATOMIC_BEGIN, /* norn_atomic_begin(name) */
	NORN_MARK_ATOMIC_END, /* norn_atomic_end(); name 0 */
	NORN_MARK_OPS
};

#define NORN_NO_THREAD UINT32_MAX
#define NORN_LEAVE_UNWOUND 1u /* LEAVE flag: left by longjmp or an exception, not by return */
#define NORN_LEAVE_EXITED 2u /* and: by the thread itself, which called pthread_exit where that can be seen */
#define NORN_VALUE_RESULT 0x800u /* index of a VALUE that belongs to the following LEAVE */
#define NORN_READ_SPAN 0x100u /* subcode flag of a READ that straddles two words */
#define NORN_RANGE_BYTES 4096u
#define NORN_RANGE_PIECE 1024u /* the runtime cuts accesses, but for scalars within a word, at multiples of this */
#define NORN_SITE_BITS 28 /* a site number fits; see trace/site.h */

/* The longest record: a range write of words with all different versions, plus its data. */
#define NORN_RECORD_UNITS_MAX (3u + (NORN_RANGE_BYTES / 8 + 1) * 2)

static inline unsigned norn_record_tag(uint64_t unit)
{
	return unit & 15;
}

static inline unsigned norn_record_sub(uint64_t unit)
{
	return unit >> 4 & 0xfff;
}

static inline uint64_t norn_record_addr(uint64_t unit)
{
	return unit >> 16;
}

static inline bool norn_record_spans(uint64_t unit)
{
	return norn_record_tag(unit) == NORN_TAG_READ && (norn_record_sub(unit) & NORN_READ_SPAN);
}

static inline bool norn_range_reads(unsigned sub)
{
	return sub == NORN_RANGE_READ || sub == NORN_RANGE_SCAN || sub == NORN_RANGE_COPY_FROM;
}

/* Words of 8 bytes that a range touches. */
static inline uint64_t norn_range_words(uint64_t addr, uint64_t bytes)
{
	return ((addr & 7) + bytes + 7) / 8;
}

/* Units of the record at r, of which available are readable; 0 if that is no whole record, or not one as described above. */
unsigned norn_record_units(const uint64_t *r, unsigned available);

/* The RANGE that a valid READ with NORN_READ_SPAN is short for; returns its units, at most 5. */
unsigned norn_record_widen(const uint64_t *r, uint64_t ret_range[5]);

#endif
