/* The session: memory that `norn record` (the recorder) and the program it watches share.
 *
 * The recorder makes a directory (NORN_SESSION_ENV names it) and in it the file of the first process; each forked child or exec'd
 * image makes a file of its own there (session.PID.N), so that whatever happens to the program, the recorder finds every buffer.
 * Each file holds a struct norn_session, the slots, and a buffer of units per slot. A thread owns its slot from begin to end;
 * all fields of a slot are written by its thread only, but for those that say otherwise.
 *
 * A record is complete once slot.pos is past it (x86 keeps stores in order). When a buffer is full its thread encodes it, reserves
 * a place in the file by adding to session.file_end, notes in the slot what it is about to write and where, writes, and starts the
 * buffer anew. If it dies amid that, the recorder encodes the same records again, which gives the same bytes, and writes them to
 * the same place.
 *
 * Writing is by windows: the file in pieces of NORN_WINDOW_BYTES, of which the session holds the NORN_WINDOWS that are being
 * filled, number w in place w % NORN_WINDOWS. The kernel takes one large aligned write for a third of what many small ones cost.
 * The thread that fills a window writes it to the file, clears it, and opens its place for window w + NORN_WINDOWS.
 * Windows that are not empty when the program ends are written by the recorder, before it looks for blocks in the file.
 *
 * The flush, in this order (a compiler barrier between the steps is enough: x86 keeps stores in order):
 *   (a) encode into private memory
 *   (b) flush_units, flush_thread, flush_parent, flush_ordinal, flush_sequence, flush_offset = 0, then flushing = 1
 *   (c) offset = fetch_add(file_end, length), flush_offset = offset
 *   (d) put the block into the windows
 *   (e) pos = base, sequence++, then flushing = 0
 * While flushing is 1 the buffer's contents are [base, base + flush_units) of flush_thread. If flush_offset is still 0 the place
 * may have been reserved: the recorder then writes the records elsewhere, and what was reserved becomes a PAD block. If a block
 * cannot be put there, since a write has failed: lost_events += its events, pos = base, flushing = 0; the thread writes no more. A
 * window that cannot be written (failed = errno) stays as it is: the recorder tries again, and counts what it holds as lost. A slot
 * is taken with pos = base, sequence = 0, parent and ordinal first, thread last; given back with thread = NORN_NO_THREAD. */
#ifndef NORN_TRACE_SESSION_H
#define NORN_TRACE_SESSION_H

#include <stdatomic.h>
#include <stdint.h>

#define NORN_SESSION_ENV "NORN_SESSION"
#define NORN_SESSION_MODEL "/model" /* in the directory: an image of what functions without hooks do (effects/effects_image.h) */
#define NORN_SESSION_MAGIC 0x314e525353455331ull
#define NORN_SLOTS (8192u + 256) /* threads at once, and a few for those that are just ending */
#define NORN_LARGE_SLOTS 4352u /* the first of them, which have whole buffers; the others' are short */
#define NORN_SLOT_UNITS (16u * 1024) /* 128 KiB of records */
#define NORN_SHORT_UNITS 4096u
#define NORN_PATH_BYTES 4096
#define NORN_WINDOWS 64u
#define NORN_WINDOW_BYTES (128u << 10)

/* Of all threads. A window is filled by the threads that reserved a part of the file there, each in its own part. */
struct norn_window {
	_Alignas(64) _Atomic uint64_t turn; /* 1 + number of the window that may be put here; 0: there is no memory yet */
	_Atomic uint32_t filled; /* bytes that were put; 0 again before the memory is cleared */
	_Atomic uint32_t direct; /* there is no memory: what belongs here is written at once */
	_Atomic uint64_t records; /* events of the blocks that end here */
};

/* The things that a thread may wait for without a bound. Waits with a time limit, and what the kernel does, are none of these. */
enum norn_waiting {
	NORN_WAITING_NOT,
	NORN_WAITING_LOCK, /* argument: enum norn_lock_kind */
	NORN_WAITING_SHARED, /* a readers-writer lock, to read; the same */
	NORN_WAITING_COND, /* argument: the mutex */
	NORN_WAITING_SEM,
	NORN_WAITING_BARRIER,
	NORN_WAITING_ONCE,
	NORN_WAITING_JOIN, /* argument: the thread, NORN_NO_THREAD: one that is not recorded */
};

/* The object that a thread waits for, from before a call that may block until it has returned; read by the recorder when the
 * process is gone. */
struct norn_slot_wait {
	uint32_t waiting; /* enum norn_waiting, written last when a wait begins */
	uint32_t site;
	uint64_t object, argument;
};

#define NORN_CRASH_STACK 256u
enum norn_fault_access { NORN_FAULT_NONE, NORN_FAULT_READ, NORN_FAULT_WRITE, NORN_FAULT_EXECUTE };

/* A signal that ends the process, as the thread that it came to saw it. Written by that thread alone, which claims it first;
 * signal comes last. */
struct norn_crash {
	_Atomic uint32_t claimed;
	_Atomic uint32_t signal; /* 0: none */
	int32_t code; /* si_code */
	uint32_t thread; /* NORN_NO_THREAD: not recorded */
	uint32_t access; /* enum norn_fault_access: what it did to address */
	uint32_t words; /* of stack */
	uint64_t address; /* of a fault */
	uint64_t pc;
	uint64_t stack[NORN_CRASH_STACK]; /* from the stack pointer up: return addresses are among them */
};

/* An assertion that failed. As above; line is last. */
struct norn_assertion {
	_Atomic uint32_t claimed;
	_Atomic uint32_t line; /* 0: none */
	uint32_t thread;
	uint32_t site; /* of the call */
	char file[512], function[256], expression[512]; /* cut where they are longer */
};

/* Work that waits for the end of a thread's hook. Each kind has a byte of its own, which is stored to and never changed by reading
 * it first: a signal that comes in between would set its byte in vain. */
union norn_pending {
	uint32_t any;
	struct {
		uint8_t signals, observer, watch;
	};
};

struct norn_slot {
	/* Hot: one cache line. Pointers are into the program's mapping of the buffer. */
	uint64_t *pos; /* of the next record */
	_Atomic(uint64_t *)
	        limit; /* pos >= limit: take the slow path. The recorder stores NULL every tick, so that the thread's next
	                              record gets a time stamp. NULL too while nothing is recorded. */
	uint32_t busy; /* inside a hook: signals are deferred */
	union norn_pending pending;
	uint64_t *locked; /* version word of the shadow cell that this thread holds, NULL if none */
	uint32_t thread; /* number, NORN_NO_THREAD while the slot is free */
	uint32_t depth; /* instrumented frames on the stack */
	void *pages; /* which pages of the shadow this thread may touch (runtime/record/shadow.h) */
	uint32_t yielding; /* busy, but touching no page while it waits */
	uint32_t seen; /* units of the buffer that the observer's side has taken note of (runtime/observe/observe.h) */
	uint64_t *base; /* buffer */
	uint64_t sequence; /* of the block in the buffer */
	uint32_t parent, ordinal; /* the thread's origin (struct norn_block_header) */

	/* Cold: the write in flight. */
	_Alignas(64) _Atomic uint32_t flushing; /* 1 from before file_end is moved until the block is written */
	uint32_t flush_units, flush_thread, flush_parent, flush_ordinal;
	uint64_t flush_sequence;
	_Atomic uint64_t flush_offset; /* 0: not reserved yet */
	uint64_t lost; /* records that this thread could not keep, not yet said in a LOST record */
	uint32_t next; /* free list: 1 + index of the next free slot (session.free_slots) */
	uint32_t children; /* threads that this one created: the ordinal of the last */

	_Alignas(64) struct norn_slot_wait wait;
};

struct norn_session {
	uint64_t magic;
	uint32_t version, bytes; /* sizeof: a runtime of another version does not attach */
	uint32_t slots, slot_units;
	uint32_t pid, discard; /* discard: full buffers are dropped, not written (sink=discard, for measuring) */
	_Atomic uint32_t attached; /* set by the runtime: the program is instrumented */
	_Atomic int32_t failed; /* errno of the first write that failed; recording has stopped */
	_Atomic uint64_t file_end; /* offset of the next block */
	_Atomic uint64_t free_slots; /* lock-free stack: tag<<32 | 1 + index */
	_Atomic uint32_t used_slots; /* slots handed out at least once: 0 … used_slots-1 */
	_Atomic uint32_t threads; /* next thread number */
	_Atomic uint32_t lost_threads;
	_Atomic uint32_t sites; /* next site base */
	_Atomic uint32_t names; /* next name number */
	_Atomic uint32_t outdated; /* set by the runtime: code of another version of norn cc is in it, so nothing is recorded */
	_Atomic uint32_t exec_children; /* session files made by this process's images and children, for unique names */
	_Atomic uint32_t lost_processes; /* that this one forked, or that look here first, and that could not get a session */
	_Atomic uint64_t lost_events;
	struct norn_crash crash;
	struct norn_assertion assertion;
	uint64_t tsc_start, tsc_hz;
	char trace[NORN_PATH_BYTES]; /* the .part file of this process */
	struct norn_window window[NORN_WINDOWS];
	struct norn_slot slot[];
};

static inline uint32_t norn_session_units(uint32_t slot_units, uint32_t i)
{
	return i < NORN_LARGE_SLOTS ? slot_units : NORN_SHORT_UNITS;
}

/* The buffers: after the slots, from the next page on, one after the other. */
static inline uint64_t norn_session_buffer_offset(uint32_t slots, uint32_t slot_units, uint32_t i)
{
	uint64_t head = sizeof(struct norn_session) + (uint64_t)slots * sizeof(struct norn_slot);
	uint64_t large = i < NORN_LARGE_SLOTS ? i : NORN_LARGE_SLOTS;
	return ((head + 4095) & ~UINT64_C(4095)) + (large * slot_units + (i - large) * NORN_SHORT_UNITS) * 8;
}

/* The memory of window place i: after the buffers. */
static inline uint64_t norn_session_window_offset(uint32_t slots, uint32_t slot_units, uint32_t i)
{
	uint64_t buffers = norn_session_buffer_offset(slots, slot_units, slots);
	return ((buffers + 4095) & ~UINT64_C(4095)) + (uint64_t)i * NORN_WINDOW_BYTES;
}

/* Length of the whole file. */
static inline uint64_t norn_session_file_bytes(uint32_t slots, uint32_t slot_units)
{
	return norn_session_window_offset(slots, slot_units, NORN_WINDOWS);
}

static inline uint64_t *norn_session_buffer(const struct norn_session *session, uint32_t i)
{
	return (uint64_t *)((char *)(uintptr_t)session + norn_session_buffer_offset(session->slots, session->slot_units, i));
}

static inline char *norn_session_window(const struct norn_session *session, uint32_t i)
{
	return (char *)(uintptr_t)session + norn_session_window_offset(session->slots, session->slot_units, i);
}

#endif
