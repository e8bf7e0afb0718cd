#include "instrument/call/assert_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"

#define ARGUMENT_NONE 0u

static bool is_named(LLVMValueRef function, const char *word, size_t length)
{
	size_t linker_length;
	const char *linker = LLVMGetValueName2(function, &linker_length);
	if (linker_length == length && memcmp(linker, word, length) == 0)
		return true;
	char name[1024];
	if (!norn_shim_demangle(linker, name, sizeof name))
		return false;
	char *copy = strndup(word, length);
	bool named = copy && norn_function_is_named(name, copy);
	free(copy);
	return named;
}

/* The number behind the colon at the word's end, which is not part of "::"; then *length is that of what stands before it. */
static unsigned argument_of(const char *word, size_t *length)
{
	size_t digits = 0;
	while (digits < *length && word[*length - digits - 1] >= '0' && word[*length - digits - 1] <= '9')
		digits++;
	size_t rest = *length - digits;
	if (!digits || rest < 2 || word[rest - 1] != ':' || word[rest - 2] == ':')
		return ARGUMENT_NONE;
	*length = rest - 1;
	return (unsigned)strtoul(word + rest, NULL, 10);
}

/* False: it is not named. *ret_argument: of the condition, from 1; ARGUMENT_NONE: it has none. */
static bool find(LLVMValueRef function, unsigned *ret_argument)
{
	const char *at = getenv("NORN_ASSERT_FUNCTIONS");
	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		*ret_argument = argument_of(at, &length);
		if (length && is_named(function, at, length))
			return true;
	}
	return false;
}

static bool find_called(LLVMValueRef call, unsigned *ret_argument)
{
	LLVMValueRef function = norn_shim_callee(call);
	return function && getenv("NORN_ASSERT_FUNCTIONS") && find(function, ret_argument);
}

bool norn_assert_function_is_named(LLVMValueRef function)
{
	unsigned argument;
	return find(function, &argument);
}

bool norn_assert_function_fails(LLVMValueRef call)
{
	unsigned argument;
	if (!find_called(call, &argument))
		return false;
	return argument == ARGUMENT_NONE ||
	       (argument <= LLVMGetNumArgOperands(call) && LLVMIsNull(LLVMGetOperand(call, argument - 1)));
}

void norn_assert_function_split(LLVMValueRef function)
{
	unsigned argument;
	if (!getenv("NORN_ASSERT_FUNCTIONS"))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function), after; b; b = after) {
		after = LLVMGetNextBasicBlock(b); /* splitting leaves the rest of this block before that */
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			bool call = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i);
			if (call && find_called(i, &argument) && argument != ARGUMENT_NONE && argument <= LLVMGetNumArgOperands(i))
				norn_shim_split_by_argument(i, argument - 1);
		}
	}
}
