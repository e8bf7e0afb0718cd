/* See inline_assembly.h. */
#include "instrument/access/inline_assembly.h"

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

struct assembly_text {
	const char *at;
	size_t length;
};

static struct assembly_text trim(struct assembly_text t)
{
	while (t.length && memchr(BLANK, t.at[t.length - 1], sizeof BLANK - 1))
		t.length--;
	while (t.length && memchr(BLANK, *t.at, sizeof BLANK - 1))
		t.at++, t.length--;
	return t;
}

static bool is_harmless_text(struct assembly_text t)
{
	static const char *const harmless[] = {"", "pause", "rep; nop", "rep;nop", "rep nop", "nop", "mfence", "lfence", "sfence",
	        "rdtsc", "rdtscp", "cpuid", "lfence; rdtsc", "lfence\n\trdtsc", LOOP_ENDS};
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strlen(harmless[i]) == t.length && memcmp(t.at, harmless[i], t.length) == 0)
			return true;
	return false;
}

bool norn_assembly_is_fence(LLVMValueRef call)
{
	struct assembly_text t;
	t.at = text_of(call, &t.length);
	t = trim(t);
	return t.length == 6 &&
	       (memcmp(t.at, "mfence", 6) == 0 || memcmp(t.at, "lfence", 6) == 0 || memcmp(t.at, "sfence", 6) == 0);
}

/* Behind the word that the text begins with, or NULL. */
static bool skip_word(struct assembly_text *t, const char *word)
{
	size_t length = strlen(word);
	if (t->length < length || memcmp(t->at, word, length) != 0)
		return false;
	t->at += length;
	t->length -= length;
	return true;
}

/* Takes the first statement off. */
static struct assembly_text take_statement(struct assembly_text *t)
{
	*t = trim(*t);
	struct assembly_text first = {t->at, 0};
	while (first.length < t->length && !strchr("\n;", t->at[first.length]))
		first.length++;
	t->at += first.length;
	t->length -= first.length;
	return trim(first);
}

static bool begins(struct assembly_text t, const char *word)
{
	return t.length >= strlen(word) && memcmp(t.at, word, strlen(word)) == 0;
}

/* Statements after a jump may not be run. */
static bool jumps_over(struct assembly_text t)
{
	bool jumped = false;
	while (trim(t).length) {
		struct assembly_text statement = take_statement(&t);
		if (jumped && !begins(statement, "j"))
			return true;
		jumped |= begins(statement, "j");
	}
	return false;
}

/* The number of bytes that an instruction with this suffix accesses; 0: it does not say. */
static uint32_t bytes_by_suffix(struct assembly_text statement)
{
	static const char suffixes[] = "bwl.q";
	size_t length = 0;
	while (length < statement.length && statement.at[length] >= 'a' && statement.at[length] <= 'z')
		length++;
	bool bare = length == 3 && (begins(statement, "sub") || begins(statement, "sbb"));
	bool word =
	        length && !bare && length < statement.length && memchr(" \t", statement.at[length], 2) && !begins(statement, "bt");
	const char *suffix = word ? strchr(suffixes, statement.at[length - 1]) : NULL;
	return suffix && *suffix ? 1u << (suffix - suffixes - (*suffix == 'q')) : 0;
}

/* Behind a lock, if there is one: the instruction that makes the access. */
static struct assembly_text access_of(struct assembly_text t)
{
	struct assembly_text whole = t;
	bool lock = skip_word(&t, "lock") && t.length && memchr(BLANK, *t.at, sizeof BLANK - 1);
	t = lock ? t : whole;
	return take_statement(&t);
}

/* An instruction whose memory operand is named by its address, in a register: ($number). False: it has none, or more than that. */
static bool has_address(struct assembly_text first, unsigned *ret_number)
{
	const char *at = first.length ? memchr(first.at, '(', first.length) : NULL;
	size_t rest = at ? (size_t)(first.at + first.length - at) : 0;
	if (rest < 4 || at == first.at || !memchr(" \t,", at[-1], 3) || at[1] != '$' || at[2] < '0' || at[2] > '9' || at[3] != ')')
		return false;
	*ret_number = (unsigned)(at[2] - '0');
	return !memchr(at + 1, '(', rest - 1);
}

/* One instruction that the processor makes indivisible, whose operands are all named by constraints; and then jumps to labels of
 * asm goto, or flags that are put into registers: not into the memory operand, which has this number. */
static bool is_locked(struct assembly_text t, unsigned number, bool *ret_compares)
{
	struct assembly_text whole = t;
	bool lock = skip_word(&t, "lock") && t.length && memchr(BLANK, *t.at, sizeof BLANK - 1);
	t = lock ? t : whole;
	struct assembly_text first = take_statement(&t);
	if (!lock && !begins(first, "xchg"))
		return false;
	*ret_compares = begins(first, "cmpxchg");
	char operand[8] = {'$', (char)('0' + number), 0};
	unsigned address = 10;
	bool plain = !memchr(first.at, '(', first.length) || (has_address(first, &address) && address == number);
	bool known = number < 10 && plain && !memchr(first.at, '[', first.length);
	while (known && trim(t).length) {
		struct assembly_text statement = take_statement(&t);
		bool label = begins(statement, "j") && memmem(statement.at, statement.length, ":l}", 3);
		known = label || (begins(statement, "set") && !memmem(statement.at, statement.length, operand, 2) &&
		                         !memchr(statement.at, '{', statement.length));
	}
	return known;
}

/* One move from or to the only memory operand, of its size: the processor makes it indivisible, and the compiler moves no other
 * accesses over it, if it says that it clobbers memory. That is how programs write the end of a spin lock. */
static bool is_move(struct assembly_text t, uint32_t bytes)
{
	static const char *const moves[] = {[1] = "movb", [2] = "movw", [4] = "movl", [8] = "movq"};
	struct assembly_text first = take_statement(&t);
	bool known = bytes <= 8 && moves[bytes] && skip_word(&first, moves[bytes]) && first.length && memchr(" \t", *first.at, 2);
	return known && !trim(t).length && !memchr(first.at, '(', first.length) && !memchr(first.at, '[', first.length);
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
static bool add_operand(
        struct norn_pass *pass, LLVMValueRef call, unsigned argument, unsigned number, bool writes, struct norn_assembly *a)
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
		a->operands[i].number = number;
	}
	a->operands[i].reads |= !writes;
	a->operands[i].writes |= writes;
	return a->operands[i].bytes != 0;
}

/* The memory that the text's instruction accesses is at this argument, which is in a register. */
static void add_address(struct norn_assembly *a, struct assembly_text text, LLVMValueRef call, unsigned argument, unsigned number)
{
	unsigned named;
	struct assembly_text first = access_of(text);
	bool pointer = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, argument))) == LLVMPointerTypeKind;
	for (unsigned i = 0; i < a->count; i++)
		pointer &= LLVMGetOperand(call, a->operands[i].argument) != LLVMGetOperand(call, argument);
	if (!pointer || !has_address(first, &named) || named != number || a->count == NORN_ASSEMBLY_OPERANDS)
		return;
	a->operands[a->count].argument = argument;
	a->operands[a->count].bytes = bytes_by_suffix(first);
	a->operands[a->count].number = number;
	a->operands[a->count].reads = a->operands[a->count].writes = true;
	a->address = true;
	a->count++;
}

/* Outputs in memory, and all inputs, are arguments of the call, in this order. */
static bool read_constraints(
        struct norn_pass *pass, LLVMValueRef call, struct assembly_text text, struct norn_assembly *a, bool *ret_clobbers)
{
	size_t length;
	const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length), *end = c + length;
	unsigned argument = 0, number = 0, arguments = LLVMGetNumArgOperands(call);
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
				known &= add_operand(pass, call, argument, number, output, a);
			else if (argument < arguments && *c == 'r')
				add_address(a, text, call, argument, number);
			argument++;
		}
		number++;
		c += bytes + 1;
	}
	return known && argument <= arguments;
}

struct norn_assembly norn_assembly_of(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_assembly a = {.kind = NORN_ASSEMBLY_OPAQUE};
	struct assembly_text text;
	bool clobbers;
	text.at = text_of(call, &text.length);
	text = trim(text);
	bool known = read_constraints(pass, call, text, &a, &clobbers);
	known &= a.count == 0 || a.operands[a.count - 1].bytes != 0;
	if (is_harmless_text(text) && a.count == 0)
		a.kind = NORN_ASSEMBLY_HARMLESS;
	else if (norn_shim_is_pure_call(call) && !a.address)
		a.kind = NORN_ASSEMBLY_OPERANDS_ONLY;
	else if (known && a.count == 1 && a.operands[0].bytes <= 8 && !(a.operands[0].bytes & (a.operands[0].bytes - 1)) &&
	         is_locked(text, a.operands[0].number, &a.compares))
		a.kind = NORN_ASSEMBLY_ATOMIC;
	else if (known && clobbers && a.count == 1 && a.operands[0].reads != a.operands[0].writes &&
	         is_move(text, a.operands[0].bytes)) {
		a.kind = NORN_ASSEMBLY_ATOMIC;
		a.moves = true;
	} else if (known && !clobbers && !a.address && !(a.count && jumps_over(text)))
		a.kind = NORN_ASSEMBLY_OPERANDS_ONLY;
	return a;
}
