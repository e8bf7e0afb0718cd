/* See lend.h. */
#include "instrument/lend.h"

#include "instrument/callee.h"
#include "instrument/emit.h"
#include "instrument/name.h"
#include "instrument/share.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* ---- formats ---- */

/* One conversion, from behind its %: what it takes from *next on. False if it is none that is understood. */
static bool convert(const char **text, const char *end, unsigned *next, struct norn_lending *lending)
{
	const char *t = *text;
	struct norn_lent lent = {.pointer = NORN_LENT_NONE,
	        .extent = NORN_EXTENT_TEXT,
	        .other = NORN_LENT_NONE,
	        .limit = NORN_LENT_NONE,
	        .times = NORN_LENT_NONE};
	bool wide = false;
	while (t < end && strchr("-+ #0'", *t))
		t++;
	for (bool precision = false;; precision = true) {
		if (t < end && *t == '*') {
			lent.limit = precision ? (uint8_t)*next : NORN_LENT_NONE; /* a negative one is no limit */
			(*next)++;
			t++;
		}
		uint32_t number = 0;
		for (; t < end && isdigit((unsigned char)*t); t++)
			number = number * 10 + (uint32_t)(*t - '0');
		if (precision && number == 0 && lent.limit == NORN_LENT_NONE && t < end && *t == 's') { /* nothing of it is read */
			(*next)++;
			*text = t + 1;
			return true;
		}
		lent.bytes = precision ? number : 0;
		if (precision || t == end || *t != '.')
			break;
		t++;
	}
	for (; t < end && strchr("hljztLq", *t); t++)
		wide |= *t == 'l';
	if (t == end || !strchr("diouxXcsfFeEgGaAp%", *t) || (wide && (*t == 's' || *t == 'c')))
		return false;
	if (*t == 's') {
		if (lending->count == NORN_LENT_MAX || *next >= NORN_LENT_NONE)
			return false;
		lent.pointer = (uint8_t)*next;
		lending->lents[lending->count++] = lent;
	}
	*next += *t != '%';
	*text = t + 1;
	return true;
}

static bool read_format(LLVMValueRef call, unsigned format, unsigned next, struct norn_lending *lending)
{
	size_t length;
	const char *text = norn_name_constant(LLVMGetOperand(call, format), &length);
	if (!text)
		return false;
	const char *end = text + strnlen(text, length);
	while (text < end)
		if (*text++ == '%' && !convert(&text, end, &next, lending))
			return false;
	return next <= LLVMGetNumArgOperands(call);
}

/* A conversion of a scanned text, after its %: the memory that it writes, as the count-th one that does. False if it is not
 * understood. */
static bool scan(const char **text, const char *end, unsigned *next, uint8_t count, struct norn_lending *lending)
{
	const char *t = *text;
	bool skips = t < end && *t == '*';
	uint32_t width = 0;
	unsigned longs = 0, shorts = 0;
	for (t += skips; t < end && isdigit((unsigned char)*t); t++)
		width = width * 10 + (uint32_t)(*t - '0');
	for (; t < end && strchr("hljztqL", *t); t++) {
		longs += *t == 'l' ? 1 : *t == 'L' ? 3 : *t != 'h' ? 2 : 0;
		shorts += *t == 'h';
	}
	if (t == end || !strchr("diuoxXfFeEgGaAsc[p", *t) || (longs && strchr("sc[", *t)))
		return false;
	char letter = *t++;
	if (letter == '[') {
		t += t < end && *t == '^';
		t += t < end && *t == ']';
		while (t < end && *t != ']')
			t++;
		t += t < end;
	}
	*text = t;
	if (skips)
		return true;
	if (lending->count == NORN_LENT_MAX || *next >= NORN_LENT_NONE)
		return false;
	struct norn_lent lent = {.writes = true,
	        .pointer = (uint8_t)(*next)++,
	        .other = NORN_LENT_NONE,
	        .limit = NORN_LENT_NONE,
	        .times = NORN_LENT_NONE,
	        .least = count};
	if (strchr("s[", letter))
		lent.extent = NORN_EXTENT_TEXT;
	else if (letter == 'c')
		lent.bytes = width ? width : 1;
	else if (strchr("diuoxX", letter))
		lent.bytes = shorts ? 4 >> shorts : longs ? 8 : 4;
	else
		lent.bytes = letter == 'p' || longs == 1 ? 8 : longs ? 16 : 4;
	lending->lents[lending->count++] = lent;
	return true;
}

static bool scan_format(LLVMValueRef call, unsigned format, unsigned next, struct norn_lending *lending)
{
	size_t length;
	unsigned first = next;
	const char *text = norn_name_constant(LLVMGetOperand(call, format), &length);
	if (!text)
		return false;
	for (const char *end = text + strnlen(text, length); text < end;) {
		if (*text++ != '%')
			continue;
		if (text < end && *text == '%')
			text++;
		else if (!scan(&text, end, &next, (uint8_t)(next - first + 1), lending))
			return false;
	}
	return next <= LLVMGetNumArgOperands(call);
}

/* ---- what is lent ---- */

static unsigned digit(const char **word)
{
	return (unsigned)(*(*word)++ - '0');
}

static void parse_limit(const char *word, struct norn_lent *lent)
{
	if (*word == 'r') {
		lent->result = true;
		word++;
	} else {
		lent->limit = (uint8_t)digit(&word);
	}
	if (*word == '*') {
		word++;
		lent->times = (uint8_t)digit(&word);
	}
}

static struct norn_lent parse(const char *word)
{
	static const char extents[] = {[NORN_EXTENT_BYTES] = 'b',
	        [NORN_EXTENT_KERNEL] = 's',
	        [NORN_EXTENT_TEXT] = 't',
	        [NORN_EXTENT_NUMBER] = 'n',
	        [NORN_EXTENT_SAME] = '=',
	        [NORN_EXTENT_SAME_CASE] = '~',
	        [NORN_EXTENT_SAME_BYTES] = '#',
	        [NORN_EXTENT_UNTIL] = '/',
	        [NORN_EXTENT_UNTIL_BYTES] = '|'};
	struct norn_lent lent = {
	        .writes = *word++ == 'w', .other = NORN_LENT_NONE, .limit = NORN_LENT_NONE, .times = NORN_LENT_NONE};
	lent.pointer = *word == 'p' ? NORN_LENT_NONE : (uint8_t)(*word - '0');
	word++;
	if (*word == '+') {
		word++;
		lent.after = (uint8_t)(1 + digit(&word));
	}
	if (*word == 'k') {
		for (word++; isdigit((unsigned char)*word);)
			lent.bytes = lent.bytes * 10 + digit(&word);
		return lent;
	}
	const char *least = strpbrk(word, " ?");
	if (least && *least == '?')
		lent.least = (uint8_t)(least[1] - '0');
	const char *extent = memchr(extents, *word, sizeof extents);
	assert(extent && "a word of effects/known_functions.c");
	lent.extent = (uint8_t)(extent - extents);
	word++;
	if (lent.extent >= NORN_EXTENT_SAME)
		lent.other = (uint8_t)digit(&word);
	if (*word == ':')
		parse_limit(word + 1, &lent);
	return lent;
}

/* In the words of effects/known_functions.c. */
static const char *find_function(LLVMValueRef call)
{
	LLVMValueRef callee = norn_shim_callee(call);
	if (!callee || !LLVMIsDeclaration(callee))
		return NULL;
	char type[NORN_CALLEE_TYPE_MAX];
	size_t length;
	norn_callee_type(call, type);
	return norn_known_function_lends(LLVMGetValueName2(callee, &length), type);
}

bool norn_lend_find(LLVMValueRef call, struct norn_lending *ret_lending)
{
	const char *word = find_function(call);
	ret_lending->count = 0;
	if (!word || (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail))
		return false;
	while (*word) {
		if (*word == 'c') {
			LLVMValueRef function = LLVMGetOperand(call, (unsigned)(word[1] - '0'));
			if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
				return false;
		} else if (*word == '%') {
			if (!read_format(call, (unsigned)(word[1] - '0'), (unsigned)(word[2] - '0'), ret_lending))
				return false;
		} else if (*word == '&') {
			if (!scan_format(call, (unsigned)(word[1] - '0'), (unsigned)(word[2] - '0'), ret_lending))
				return false;
		} else {
			assert(ret_lending->count < NORN_LENT_MAX);
			ret_lending->lents[ret_lending->count++] = parse(word);
		}
		word += strcspn(word, " ");
		word += *word == ' ';
	}
	return true;
}

/* ---- points ---- */

static LLVMValueRef pointer_of(LLVMValueRef call, const struct norn_lent *lent)
{
	return lent->pointer == NORN_LENT_NONE ? call : LLVMGetOperand(call, lent->pointer);
}

void norn_lend_consider(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_lending lending;
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED || !norn_lend_find(call, &lending))
		return;
	for (unsigned i = 0; i < lending.count; i++) {
		const struct norn_lent *lent = lending.lents + i;
		LLVMValueRef pointer = pointer_of(call, lent);
		if (LLVMIsAConstantPointerNull(pointer) || !norn_share_may(pass, pointer))
			continue;
		struct norn_site site = norn_pass_site(pass, call, lent->writes ? NORN_SITE_WRITE : NORN_SITE_READ);
		norn_name_range(pass, pointer, lent->bytes, &site);
		norn_pass_add(pass, call, NORN_ACT_LENT, i, &site);
	}
}

static LLVMValueRef as_bytes(struct norn_pass *pass, LLVMValueRef value)
{
	return LLVMBuildIntCast2(pass->builder, value, pass->i64, true, "");
}

static LLVMValueRef limit_of(struct norn_pass *pass, LLVMValueRef call, const struct norn_lent *lent)
{
	if (lent->bytes || (lent->limit == NORN_LENT_NONE && !lent->result))
		return norn_emit_int(pass, pass->i64, lent->bytes ? lent->bytes : UINT64_MAX);
	LLVMValueRef limit = as_bytes(pass, lent->result ? call : LLVMGetOperand(call, lent->limit));
	if (lent->result) {
		LLVMValueRef none = norn_emit_int(pass, pass->i64, 0);
		LLVMValueRef some = LLVMBuildICmp(pass->builder, LLVMIntSGT, limit, none, "");
		limit = LLVMBuildSelect(pass->builder, some, limit, none, "");
	}
	if (lent->times != NORN_LENT_NONE)
		limit = LLVMBuildMul(pass->builder, limit, as_bytes(pass, LLVMGetOperand(call, lent->times)), "");
	return limit;
}

static LLVMValueRef other_of(struct norn_pass *pass, LLVMValueRef call, const struct norn_lent *lent)
{
	if (lent->other == NORN_LENT_NONE)
		return LLVMConstPointerNull(pass->pointer);
	LLVMValueRef other = LLVMGetOperand(call, lent->other);
	if (LLVMGetTypeKind(LLVMTypeOf(other)) == LLVMPointerTypeKind)
		return other;
	return LLVMBuildIntToPtr(pass->builder, as_bytes(pass, other), pass->pointer, "");
}

static void rewrite_read(struct norn_pass *pass, const struct norn_point *point, const struct norn_lent *lent)
{
	LLVMValueRef call = point->instruction;
	norn_emit_before(pass, call);
	LLVMValueRef arguments[] = {pointer_of(call, lent), other_of(pass, call, lent), limit_of(pass, call, lent),
	        norn_emit_int(pass, pass->i32, lent->extent), norn_emit_site(pass, point->site)};
	pass->lent[point->operand] = norn_emit_hook(pass, NORN_HOOK_LENT, arguments, 5);
}

static void rewrite_write(struct norn_pass *pass, const struct norn_point *point, const struct norn_lent *lent)
{
	LLVMValueRef call = point->instruction, place = LLVMIsAInvokeInst(call) ? norn_shim_split_normal(call) : NULL;
	if (place)
		norn_emit_at(pass, place, call);
	else
		norn_emit_after(pass, call);
	LLVMValueRef pointer = pointer_of(call, lent);
	if (lent->after) {
		LLVMValueRef one = norn_emit_int(pass, pass->i64, 1);
		LLVMValueRef offset = LLVMBuildSub(pass->builder, pass->lent[lent->after - 1], one, "");
		pointer = LLVMBuildGEP2(pass->builder, pass->i8, pointer, &offset, 1, "");
	}
	if (lent->least) {
		LLVMValueRef least = LLVMConstInt(LLVMTypeOf(call), lent->least, false);
		LLVMValueRef does = LLVMBuildICmp(pass->builder, LLVMIntSGE, call, least, "");
		pointer = LLVMBuildSelect(pass->builder, does, pointer, LLVMConstPointerNull(pass->pointer), "");
	}
	LLVMValueRef arguments[] = {pointer, limit_of(pass, call, lent), norn_emit_int(pass, pass->i32, lent->extent),
	        norn_emit_site(pass, point->site)};
	norn_emit_hook(pass, NORN_HOOK_FILLED, arguments, 4);
}

void norn_lend_rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	struct norn_lending lending;
	if (!norn_lend_find(point->instruction, &lending))
		return;
	assert(point->operand < lending.count);
	const struct norn_lent *lent = lending.lents + point->operand;
	if (lent->writes)
		rewrite_write(pass, point, lent);
	else
		rewrite_read(pass, point, lent);
}
