/* The pass over one module.
 *
 * Each function is walked twice. The first walk only looks: it decides which instructions become events (points), and numbers and
 * describes them (sites), while the code is still as clang made it, since a hook call would make every pointer look escaped and
 * hide where it came from. The second walk rewrites the points; then entry and exit are added.
 *
 * `norn cc` configures the pass by the environment, since clang gives options to plugins only if they are loaded twice:
 *   NORN_INSTRUMENT_LEVEL=sync   entry, exit, arguments and calls only; default: shared, accesses as well
 *   NORN_PLACE_VALUES=0          no arguments and results
 *   NORN_ONLY=…                  what properties name, and no more (hook_filter.h)
 * All memory of the pass lives in struct norn_pass and its table, until the module is done. */
#ifndef NORN_INSTRUMENT_PASS_H
#define NORN_INSTRUMENT_PASS_H

#include "instrument/flow/blocks.h"
#include "instrument/shim.h"
#include "instrument/site/site_builder.h"

enum norn_access_action {
	NORN_ACT_LOAD,
	NORN_ACT_STORE,
	NORN_ACT_ATOMIC, /* the instruction stays, between rmw_begin and rmw_end */
	NORN_ACT_COPY, /* both sides may be shared */
	NORN_ACT_COPY_IN, /* only the source may */
	NORN_ACT_COPY_OUT, /* only the destination may */
	NORN_ACT_SET,
	NORN_ACT_BYVAL, /* the call's argument number `operand` */
	NORN_ACT_MASKED, /* a masked vector access, lane by lane */
	NORN_ACT_ARGUMENT_MEMORY, /* part `operand` of the memory behind the call's arguments (argument_memory.h) */
	NORN_ACT_FENCE, /* the instruction stays */
	NORN_ACT_CALL
};

struct norn_point {
	LLVMValueRef instruction;
	uint32_t site;
	uint8_t action; /* enum norn_access_action */
	uint8_t operand; /* of a CALL: it is recorded, and its return, too */
};

struct norn_escape_verdict { /* is this object private? (escape_analysis.c) */
	LLVMValueRef object;
	bool private;
};

#define NORN_HOOKS 32
#define NORN_PASS_SITES_MAX (NORN_SITE_FIRST - 1024) /* more are not made: what has none stays as it is */

struct norn_pass {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMTargetDataRef layout;
	LLVMBuilderRef builder;
	enum norn_instrument_level level;
	bool values; /* log arguments and results */
	bool only; /* hooks for what properties name (hook_filter.h) */

	/* emit.c */
	LLVMTypeRef void_type, i8, i16, i32, i64, pointer;
	LLVMValueRef hooks[NORN_HOOKS]; /* by enum norn_hook; NULL until used */
	LLVMTypeRef hook_types[NORN_HOOKS];
	LLVMValueRef descriptor, call_site;
	LLVMValueRef bytes_read[16]; /* argument_memory.c: bytes that the call being rewritten reads of each part */

	struct norn_site_builder table;
	struct norn_types *types; /* NULL until used */
	struct norn_escape_verdict *verdicts; /* open addressing; their objects are never erased */
	uint32_t verdict_count, verdict_room;
	struct norn_number_map takes; /* functions that get hooks: 1 no, 2 yes */
	LLVMValueRef *variables; /* whose addresses go into the trace: facts name them by their place here */
	uint32_t variable_count, variable_room;
	struct norn_number_map variable_numbers; /* 1 + place */

	/* The function at hand. */
	LLVMValueRef function;
	LLVMMetadataRef subprogram; /* NULL without debug information */
	struct norn_point *points;
	size_t point_count, point_room;
	uint32_t entry; /* ENTER site */
	uint64_t spill_bytes; /* private memory for values that no scalar hook takes */
	uint32_t spill_align;
	LLVMValueRef spill;
	LLVMValueRef words_mask, words_base, seen; /* inline_check.c: found where the function begins; NULL until used */
};

/* All of the above for a module, before its functions; free what it has. */
void norn_pass_init(struct norn_pass *pass, LLVMModuleRef module);
void norn_pass_done(struct norn_pass *pass);
/* A site of this kind at the instruction, with its source position and nothing else filled in. */
struct norn_site norn_pass_site(struct norn_pass *pass, LLVMValueRef instruction, enum norn_site_kind kind);
bool norn_pass_takes(struct norn_pass *pass, LLVMValueRef function); /* does this function get hooks? */
uint32_t norn_pass_variable(struct norn_pass *pass, LLVMValueRef variable); /* its place among the variables */
/* Notes that the instruction is to be rewritten as action, and files its site. Accesses are only noted if the level asks. */
void norn_pass_add(struct norn_pass *pass, LLVMValueRef instruction, enum norn_access_action action, unsigned operand,
        const struct norn_site *site);

#endif
