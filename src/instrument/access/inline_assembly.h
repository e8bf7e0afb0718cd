/* Inline assembly, as far as its text and constraints say what it does: a memory operand is read, written or both, and nothing else
 * is, unless memory is clobbered. */
#ifndef NORN_INSTRUMENT_ACCESS_INLINE_ASSEMBLY_H
#define NORN_INSTRUMENT_ACCESS_INLINE_ASSEMBLY_H

#include "instrument/pass.h"

#define NORN_ASSEMBLY_OPERANDS 8

enum norn_assembly_class {
	NORN_ASSEMBLY_OPAQUE, /* it may touch memory that is not an operand, or is not understood */
	NORN_ASSEMBLY_HARMLESS, /* nothing, a hint to the processor, a fence, its clock, its name */
	NORN_ASSEMBLY_OPERANDS_ONLY,
	/* One instruction, with a lock: an atomic read-modify-write of its only memory operand; then its flags may be used. Or a
	 * move that clobbers memory: an atomic load or store */
	NORN_ASSEMBLY_ATOMIC,
};

struct norn_assembly {
	uint8_t kind; /* enum norn_assembly_class */
	bool compares; /* ATOMIC: whether it writes depends on what it reads */
	bool moves; /* ATOMIC: it only reads, or only writes */
	bool address; /* an operand is no memory operand, but the address of what the only instruction accesses */
	unsigned count;
	struct {
		unsigned argument; /* of the call: a pointer */
		unsigned number; /* by which the text names it ($number) */
		uint32_t bytes;
		bool reads, writes;
	} operands[NORN_ASSEMBLY_OPERANDS]; /* in memory; each pointer once */
};

/* call: of inline assembly. */
struct norn_assembly norn_assembly_of(struct norn_pass *pass, LLVMValueRef call);

/* A fence of the processor, and nothing else? */
bool norn_assembly_is_fence(LLVMValueRef call);
/* True for NORN_LOOP_ENDS (include/norn.h). */
bool norn_assembly_says_loop_ends(LLVMValueRef call);

#endif
