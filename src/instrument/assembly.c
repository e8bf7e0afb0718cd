/* See assembly.h. */
#include "instrument/assembly.h"

#include <string.h>

#define LOOP_ENDS "# norn: this loop ends" /* include/norn.h */
#define BLANK " \t\n;"

static const char *text_of(LLVMValueRef call, size_t *ret_length)
{
	return LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), ret_length);
}

bool norn_assembly_says_loop_ends(LLVMValueRef call)
{
	size_t length;
	if (!LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return false;
	const char *text = text_of(call, &length);
	return length >= strlen(LOOP_ENDS) && strncmp(text, LOOP_ENDS, strlen(LOOP_ENDS)) == 0;
}

/* ---- text ---- */

struct text {
	const char *at;
	size_t length;
};

static struct text trim(struct text t)
{
	while (t.length && memchr(BLANK, t.at[t.length - 1], sizeof BLANK - 1))
		t.length--;
	while (t.length && memchr(BLANK, *t.at, sizeof BLANK - 1))
		t.at++, t.length--;
	return t;
}

static bool is_harmless_text(struct text t)
{
	static const char *const harmless[] = {"", "pause", "rep; nop", "rep;nop", "rep nop", "nop", "mfence", "lfence", "sfence",
	        "rdtsc", "rdtscp", "cpuid", "lfence; rdtsc", "lfence\n\trdtsc", LOOP_ENDS};
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strlen(harmless[i]) == t.length && memcmp(t.at, harmless[i], t.length) == 0)
			return true;
	return false;
}

/* Behind the word that the text begins with, or NULL. */
static bool skip_word(struct text *t, const char *word)
{
	size_t length = strlen(word);
	if (t->length < length || memcmp(t->at, word, length) != 0)
		return false;
	t->at += length;
	t->length -= length;
	return true;
}

/* One instruction that the processor makes indivisible, whose operands are all named by constraints. */
static bool is_locked(struct text t, bool *ret_compares)
{
	struct text whole = t;
	bool lock = skip_word(&t, "lock") && t.length && memchr(BLANK, *t.at, sizeof BLANK - 1);
	t = lock ? trim(t) : whole;
	if (!lock && (t.length < 4 || memcmp(t.at, "xchg", 4) != 0))
		return false;
	*ret_compares = t.length > 7 && memcmp(t.at, "cmpxchg", 7) == 0;
	for (size_t i = 0; i < t.length; i++)
		if (strchr("\n;([", t.at[i]))
			return false;
	return true;
}

/* ---- constraints ---- */

static uint32_t bytes_of(struct norn_pass *pass, LLVMValueRef call, unsigned argument)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
	LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
	LLVMTypeRef type = attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
	return type && LLVMTypeIsSized(type) ? (uint32_t)LLVMStoreSizeOfType(pass->layout, type) : 0;
}

/* False: too many, or of unknown size. */
static bool add_operand(struct norn_pass *pass, LLVMValueRef call, unsigned argument, bool writes, struct norn_assembly *a)
{
	unsigned i = 0;
	while (i < a->count && LLVMGetOperand(call, a->operands[i].argument) != LLVMGetOperand(call, argument))
		i++;
	if (i == NORN_ASSEMBLY_OPERANDS)
		return false;
	if (i == a->count) {
		a->count++;
		a->operands[i].argument = argument;
		a->operands[i].bytes = bytes_of(pass, call, argument);
	}
	a->operands[i].reads |= !writes;
	a->operands[i].writes |= writes;
	return a->operands[i].bytes != 0;
}

/* Outputs in memory, and all inputs, are arguments of the call, in this order. */
static bool read_constraints(struct norn_pass *pass, LLVMValueRef call, struct norn_assembly *a, bool *ret_clobbers)
{
	size_t length;
	const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length), *end = c + length;
	unsigned argument = 0, arguments = LLVMGetNumArgOperands(call);
	bool known = true;
	*ret_clobbers = false;
	while (c < end) {
		const char *comma = memchr(c, ',', (size_t)(end - c));
		size_t bytes = (size_t)((comma ? comma : end) - c);
		bool output = *c == '=', memory = memchr(c, '*', bytes);
		if (*c == '~') {
			*ret_clobbers |= bytes == 9 && memcmp(c, "~{memory}", 9) == 0;
		} else if (*c != '!' && (!output || memory)) {
			if (memory && argument < arguments)
				known &= add_operand(pass, call, argument, output, a);
			argument++;
		}
		c += bytes + 1;
	}
	return known && argument <= arguments;
}

struct norn_assembly norn_assembly_of(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_assembly a = {.kind = NORN_ASSEMBLY_OPAQUE};
	struct text text;
	bool clobbers;
	text.at = text_of(call, &text.length);
	text = trim(text);
	bool known = read_constraints(pass, call, &a, &clobbers);
	if (is_harmless_text(text) && a.count == 0)
		a.kind = NORN_ASSEMBLY_HARMLESS;
	else if (norn_shim_is_pure_call(call))
		a.kind = NORN_ASSEMBLY_OPERANDS_ONLY;
	else if (known && a.count == 1 && a.operands[0].bytes <= 8 && !(a.operands[0].bytes & (a.operands[0].bytes - 1)) &&
	         is_locked(text, &a.compares))
		a.kind = NORN_ASSEMBLY_ATOMIC;
	else if (known && !clobbers)
		a.kind = NORN_ASSEMBLY_OPERANDS_ONLY;
	return a;
}
