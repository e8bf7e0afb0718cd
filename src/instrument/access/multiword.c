/* See multiword.h. */
#include "instrument/access/multiword.h"

#include "instrument/access/access_hooks.h"
#include "instrument/emit.h"

#define WORD 8u
#define BYTES_MAX 64u

bool norn_multiword_takes(struct norn_pass *pass, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind != LLVMIntegerTypeKind &&
	        (kind != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind))
		return false;
	uint64_t bits = LLVMSizeOfTypeInBits(pass->layout, type);
	return bits % (WORD * UINT64_C(8)) == 0 && bits / 8 > WORD && bits / 8 <= BYTES_MAX;
}

/* The value as a vector of `bytes / unit` integers. */
static LLVMTypeRef pieces_type(struct norn_pass *pass, uint64_t bytes, unsigned unit)
{
	return LLVMVectorType(LLVMIntTypeInContext(pass->context, unit * 8), bytes / unit);
}

static LLVMValueRef piece_address(struct norn_pass *pass, LLVMValueRef pointer, unsigned offset)
{
	LLVMValueRef at = norn_emit_int(pass, pass->i64, offset);
	return offset ? LLVMBuildGEP2(pass->builder, pass->i8, pointer, &at, 1, "") : pointer;
}

/* unit 0: as a range. */
static LLVMValueRef read_pieces(struct norn_pass *pass, LLVMTypeRef type, LLVMValueRef pointer, unsigned unit, uint32_t site)
{
	if (!unit)
		return norn_access_emit_read(pass, type, pointer, site);
	uint64_t bytes = LLVMStoreSizeOfType(pass->layout, type);
	LLVMTypeRef pieces = pieces_type(pass, bytes, unit);
	LLVMValueRef value = LLVMGetPoison(pieces);
	for (unsigned i = 0; i < bytes / unit; i++) {
		LLVMValueRef piece =
		        norn_access_emit_read(pass, LLVMGetElementType(pieces), piece_address(pass, pointer, i * unit), site);
		value = LLVMBuildInsertElement(pass->builder, value, piece, norn_emit_int(pass, pass->i32, i), "");
	}
	return LLVMBuildBitCast(pass->builder, value, type, "");
}

static void write_pieces(struct norn_pass *pass, LLVMValueRef value, LLVMValueRef pointer, unsigned unit, uint32_t site)
{
	if (!unit) {
		norn_access_emit_write(pass, value, pointer, site);
		return;
	}
	uint64_t bytes = LLVMStoreSizeOfType(pass->layout, LLVMTypeOf(value));
	LLVMValueRef pieces = LLVMBuildBitCast(pass->builder, value, pieces_type(pass, bytes, unit), "");
	for (unsigned i = 0; i < bytes / unit; i++) {
		LLVMValueRef piece = LLVMBuildExtractElement(pass->builder, pieces, norn_emit_int(pass, pass->i32, i), "");
		norn_access_emit_write(pass, piece, piece_address(pass, pointer, i * unit), site);
	}
}

/* Two blocks before the instruction, the first for an address that is a multiple of the word: their terminators. */
static void split_by_alignment(struct norn_pass *pass, LLVMValueRef pointer, LLVMValueRef before, LLVMValueRef ret_ends[2])
{
	LLVMValueRef address = LLVMBuildPtrToInt(pass->builder, pointer, pass->i64, "");
	LLVMValueRef rest = LLVMBuildAnd(pass->builder, address, norn_emit_int(pass, pass->i64, WORD - 1), "");
	LLVMValueRef aligned = LLVMBuildICmp(pass->builder, LLVMIntEQ, rest, norn_emit_int(pass, pass->i64, 0), "");
	norn_shim_split_if_else(aligned, before, ret_ends);
}

static unsigned unit_otherwise(unsigned align)
{
	return align >= 4 ? 4 : 0;
}

void norn_multiword_rewrite_load(struct norn_pass *pass, LLVMValueRef load, uint32_t site)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0), ends[2], value;
	LLVMTypeRef type = LLVMTypeOf(load);
	unsigned align = LLVMGetAlignment(load);
	norn_emit_before(pass, load);
	if (align >= WORD) {
		value = read_pieces(pass, type, pointer, WORD, site);
	} else {
		split_by_alignment(pass, pointer, load, ends);
		norn_emit_at(pass, ends[0], load);
		LLVMValueRef values[2];
		values[0] = read_pieces(pass, type, pointer, WORD, site);
		norn_emit_at(pass, ends[1], load);
		values[1] = read_pieces(pass, type, pointer, unit_otherwise(align), site);
		LLVMBasicBlockRef blocks[] = {LLVMGetInstructionParent(ends[0]), LLVMGetInstructionParent(ends[1])};
		norn_emit_before(pass, load);
		value = LLVMBuildPhi(pass->builder, type, "");
		LLVMAddIncoming(value, values, blocks, 2);
	}
	LLVMReplaceAllUsesWith(load, value);
	LLVMInstructionEraseFromParent(load);
}

void norn_multiword_rewrite_store(struct norn_pass *pass, LLVMValueRef store, uint32_t site)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1), ends[2];
	unsigned align = LLVMGetAlignment(store);
	norn_emit_before(pass, store);
	if (align >= WORD) {
		write_pieces(pass, value, pointer, WORD, site);
	} else {
		split_by_alignment(pass, pointer, store, ends);
		norn_emit_at(pass, ends[0], store);
		write_pieces(pass, value, pointer, WORD, site);
		norn_emit_at(pass, ends[1], store);
		write_pieces(pass, value, pointer, unit_otherwise(align), site);
	}
	LLVMInstructionEraseFromParent(store);
}
