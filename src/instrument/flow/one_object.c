#include "instrument/flow/one_object.h"

#include "instrument/shim.h"

#include <string.h>

#define DEPTH 6u

static LLVMValueRef strip(LLVMValueRef value)
{
	for (;;) {
		if (LLVMIsAGetElementPtrInst(value) || LLVMIsAPtrToIntInst(value) || LLVMIsABitCastInst(value) ||
		        LLVMIsAFreezeInst(value))
			value = LLVMGetOperand(value, 0);
		else if (LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
		         LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
			value = LLVMGetOperand(value, 0);
		else
			return value;
	}
}

/* What the value is in each round of a loop is what it was before the loop. */
static bool stays(const struct norn_flow *flow, LLVMValueRef value, uint32_t block)
{
	if (!LLVMIsAInstruction(value))
		return true;
	uint32_t at = norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(value));
	return at != NORN_NONE && at != block && norn_blocks_dominates(&flow->blocks, at, block);
}

/* Is the value a place in the object that base points to, whichever way it was come by? */
static bool is_place_in(const struct norn_flow *flow, LLVMValueRef value, LLVMValueRef base, LLVMValueRef around, unsigned depth)
{
	value = strip(value);
	if (value == base)
		return true;
	if (!LLVMIsAPHINode(value) || depth == DEPTH)
		return value == around;
	if (value == around)
		return true;
	uint32_t block = norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(value));
	if (block == NORN_NONE || around || !stays(flow, base, block))
		return false;
	for (unsigned i = 0, n = LLVMCountIncoming(value); i < n; i++)
		if (!is_place_in(flow, LLVMGetIncomingValue(value, i), base, value, depth + 1))
			return false;
	return true;
}

static LLVMValueRef base_of(LLVMValueRef value)
{
	value = strip(value);
	return LLVMIsAPHINode(value) && LLVMCountIncoming(value) ? strip(LLVMGetIncomingValue(value, 0)) : value;
}

static bool is_address(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(strip(value))) == LLVMPointerTypeKind;
}

/* ---- containers of the C++ library: what they compare lies in one of them, or is its own end ---- */

/* Headers in which nothing compares what a container holds: that is done in those of std::equal_to, std::less and their kind. */
static const char *const containers[] = {"basic_string.h", "basic_string.tcc", "deque.tcc", "forward_list.h", "forward_list.tcc",
        "hashtable.h", "hashtable_policy.h", "list.c", "list.tcc", "stl_bvector.h", "stl_construct.h", "stl_deque.h", "stl_heap.h",
        "stl_iterator.h", "stl_iterator_base_funcs.h", "stl_list.h", "stl_tree.h", "stl_uninitialized.h", "stl_vector.h", "tree.c",
        "vector.tcc"};
/* Functions, by the beginnings of their names, in headers that have others, too. */
static const struct {
	const char *file, *function;
} some[] = {{"stl_algobase.h", "__copy_m"}, {"stl_algobase.h", "__fill"}, {"stl_algo.h", "__introsort_loop"},
        {"stl_algo.h", "__final_insertion_sort"}, {"stl_algo.h", "__insertion_sort"}, {"stl_algo.h", "__unguarded"},
        {"stl_algo.h", "__partial_sort"}, {"stl_algo.h", "__heap_select"}, {"stl_algo.h", "__sort"},
        {"shared_ptr_base.h", "operator="}};

/* The name must end where the prefix does: operator= is not operator==. */
static bool begins(const char *text, size_t length, const char *start)
{
	size_t bytes = strlen(start);
	return length >= bytes && memcmp(text, start, bytes) == 0 && (start[bytes - 1] != '=' || length == bytes);
}

/* The last part of the file's name that this place is in, if that is a header of the C++ library; its length, 0: it is not. */
static size_t header(LLVMMetadataRef location, const char **ret_name)
{
	LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	if (!file)
		return 0;
	static const char directory[] = "/include/c++/";
	unsigned length;
	const char *name = LLVMDIFileGetFilename(file, &length), *end = name + length, *last = end;
	while (last > name && last[-1] != '/')
		last--;
	*ret_name = last;
	for (const char *at = name; at + sizeof directory - 1 <= last; at++)
		if (memcmp(at, directory, sizeof directory - 1) == 0)
			return (size_t)(end - last);
	return 0;
}

static bool is_in_function(LLVMMetadataRef location, const char *start)
{
	LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
	LLVMMetadataRef function = scope ? norn_shim_enclosing_function(scope) : NULL;
	size_t length = 0;
	const char *name = function ? norn_shim_name(function, &length) : "";
	return function && begins(name, length, start);
}

static bool is_in_container(LLVMValueRef instruction)
{
	LLVMMetadataRef location = norn_shim_location(instruction);
	const char *name;
	size_t bytes = header(location, &name);
	for (size_t i = 0; i < sizeof containers / sizeof *containers && bytes; i++)
		if (bytes == strlen(containers[i]) && memcmp(name, containers[i], bytes) == 0)
			return true;
	for (size_t i = 0; i < sizeof some / sizeof *some && bytes; i++)
		if (bytes == strlen(some[i].file) && memcmp(name, some[i].file, bytes) == 0 &&
		        is_in_function(location, some[i].function))
			return true;
	/* A string asks by std::less whether a text is a part of its own. */
	LLVMMetadataRef caller = bytes ? LLVMDILocationGetInlinedAt(location) : NULL;
	return caller && header(caller, &name) && is_in_function(caller, "_M_disjunct");
}

bool norn_flow_is_of_text(LLVMValueRef call)
{
	const char *name;
	size_t bytes = header(norn_shim_location(call), &name);
	return bytes == strlen("char_traits.h") && memcmp(name, "char_traits.h", bytes) == 0;
}

bool norn_flow_is_of_one_object(const struct norn_flow *flow, LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	if (opcode != LLVMICmp && opcode != LLVMSub)
		return false;
	LLVMValueRef a = LLVMGetOperand(instruction, 0), b = LLVMGetOperand(instruction, 1);
	if (!is_address(a) || !is_address(b))
		return false;
	LLVMValueRef base = base_of(b), other = base_of(a);
	return (is_place_in(flow, a, base, NULL, 0) && is_place_in(flow, b, base, NULL, 0)) ||
	       (is_place_in(flow, a, other, NULL, 0) && is_place_in(flow, b, other, NULL, 0)) || is_in_container(instruction);
}
