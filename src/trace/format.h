/* The trace file: one header page, then blocks. docs/trace-format.md is the description for people; this is the one for C.
 *
 *   struct norn_file_header, padded to NORN_HEADER_BYTES
 *   struct norn_block_header + stored payload + zeros up to a multiple of 8, again and again, without gaps, in no particular order
 *   a FOOTER block, last
 *
 * Each thread's EVENTS blocks carry a sequence number; in that order they are the thread's history. While a run is being recorded
 * the file is named FILE.part and its state is NORN_STATE_RECORDING; blocks may then be missing where a thread was killed amid its
 * write. `norn record` completes it (trace/session.h), writes the footer and the header, and only then renames it to FILE.
 * All numbers are little-endian. */
#ifndef NORN_TRACE_FORMAT_H
#define NORN_TRACE_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define NORN_FILE_MAGIC "NORNTRC\n"
#define NORN_FILE_VERSION 2
#define NORN_HEADER_BYTES 4096
#define NORN_BLOCK_MAGIC 0x4b4c424eu /* "NBLK" */

enum norn_file_state {
	NORN_STATE_RECORDING = 1, /* being written, or its writer died */
	NORN_STATE_COMPLETE, /* everything that was recorded is in it */
	NORN_STATE_CUT, /* complete up to a failure (a full disk); header.lost_events were lost */
};

struct norn_file_header {
	char magic[8];
	uint32_t version, state;
	uint64_t file_bytes; /* whole length, footer included; 0 while recording */
	uint64_t footer; /* offset of the footer block; 0 while recording */
	uint64_t events, lost_events; /* events: the sum of all blocks' records */
	uint32_t threads, lost_threads; /* threads seen; threads that found no slot and were not recorded */
	uint64_t tsc_hz, tsc_start; /* TIME records to seconds */
	uint64_t start_seconds; /* Unix time */
	uint32_t pid;
	int32_t exit_status; /* as waitpid gives it; -1 unknown */
	uint64_t reserved[8];
	uint64_t checksum; /* XXH3 of all the bytes before */
};

enum norn_block_kind {
	NORN_BLOCK_EVENTS = 1, /* encoded records of one thread (trace/codec/codec.h) */
	NORN_BLOCK_MODULE, /* struct norn_module_block, then the site table */
	NORN_BLOCK_NAME, /* struct norn_name_block, then a NUL-terminated string */
	NORN_BLOCK_INFO, /* NUL-terminated "key=value" strings: command, directory, version, missing modules … */
	NORN_BLOCK_PAD, /* a gap that a killed thread left: any bytes, the checksum is that of the header alone */
	/* struct norn_footer, then struct norn_footer_block × blocks in order of file offset, the footer excepted */
	NORN_BLOCK_FOOTER,
	NORN_BLOCK_KINDS
};

#define NORN_ARGUMENT_END '\x1f' /* between arguments, in INFO arguments and own-arguments */

#define NORN_BLOCK_UNITS (1u << 20) /* an EVENTS block has no more units */
#define NORN_THREADS (1u << 24) /* a trace has no more threads */
#define NORN_BLOCK_ZSTD 1u /* flag: the payload is a zstd frame */

struct norn_block_header {
	uint32_t magic;
	uint16_t kind, flags;
	uint32_t stored; /* payload bytes in the file */
	uint32_t bytes; /* payload bytes after decompression */
	uint32_t thread; /* EVENTS only, else 0 */
	uint32_t records; /* EVENTS: events, that is all records but TIME, VALUE and LOST; else 0 */
	uint32_t units; /* EVENTS: units of 8 bytes when decoded, else 0 */
	uint32_t parent,
	        ordinal; /* EVENTS: thread is the ordinal-th (from 1) thread that parent created; ordinal 0: unknown; else 0 */
	uint32_t reserved;
	uint64_t sequence; /* EVENTS: 0, 1, 2 … within the thread */
	uint64_t checksum; /* XXH3 of the header with this field 0, then of the stored payload, seeded by the former */
};

static_assert(sizeof(struct norn_block_header) == 56, "blocks have no hidden padding");

/* Bytes of the whole block in the file. */
static inline uint64_t norn_block_span(const struct norn_block_header *header)
{
	return sizeof *header + (((uint64_t)header->stored + 7) & ~UINT64_C(7));
}

/* A name: of a mark (MARK records use the number), or of a thread (given by norn_thread_name; the last one in the file counts). */
struct norn_name_block {
	uint32_t number;
	uint32_t thread; /* NORN_NO_THREAD: the name of a mark */
};

struct norn_module_block {
	uint32_t base; /* site numbers base … base + sites - 1 */
	uint32_t variables; /* how many addresses lie between path and table: of variables that facts speak of (trace/facts.h) */
	uint64_t load; /* address that the object was loaded at: from addresses of globals to its symbols; 0 unknown */
	uint64_t path_bytes; /* then: path of the object, with its NUL and zeros up to a multiple of 8; addresses; the site table */
};

struct norn_footer {
	uint64_t blocks;
};

struct norn_footer_block {
	uint64_t offset;
	uint64_t sequence;
	uint32_t thread;
	uint16_t kind, reserved;
	uint32_t records, stored;
};

#endif
