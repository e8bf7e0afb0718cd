/* See argument_memory.h. */
#include "instrument/call/argument_memory.h"

#include "instrument/access/inline_assembly.h"
#include "instrument/call/callee.h"
#include "instrument/emit.h"
#include "instrument/site/variable_name.h"
#include "instrument/access/escape_analysis.h"
#include "trace/site.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* ---- formats ---- */

/* One conversion, from behind its %: what it takes from *next on. False if it is none that is understood. */
static bool convert(const char **text, const char *end, unsigned *next, struct norn_argument_parts *parts)
{
	const char *t = *text;
	struct norn_argument_part memory = {.pointer = NORN_ARGUMENT_NONE,
	        .extent = NORN_EXTENT_TEXT,
	        .other = NORN_ARGUMENT_NONE,
	        .limit = NORN_ARGUMENT_NONE,
	        .times = NORN_ARGUMENT_NONE};
	unsigned longs = 0, shorts = 0;
	while (t < end && strchr("-+ #0'", *t))
		t++;
	for (bool precision = false;; precision = true) {
		if (t < end && *t == '*') {
			memory.limit = precision ? (uint8_t)*next : NORN_ARGUMENT_NONE; /* a negative one is no limit */
			(*next)++;
			t++;
		}
		uint32_t number = 0;
		for (; t < end && isdigit((unsigned char)*t); t++)
			number = number * 10 + (uint32_t)(*t - '0');
		if (precision && number == 0 && memory.limit == NORN_ARGUMENT_NONE && t < end &&
		        *t == 's') { /* nothing of it is read */
			(*next)++;
			*text = t + 1;
			return true;
		}
		memory.bytes = precision ? number : 0;
		if (precision || t == end || *t != '.')
			break;
		t++;
	}
	for (; t < end && strchr("hljztLq", *t); t++) {
		longs += *t != 'h';
		shorts += *t == 'h';
	}
	if (t == end || !strchr("diouxXcsfFeEgGaApn%", *t) || (longs && (*t == 's' || *t == 'c')))
		return false;
	if (*t == 's' || *t == 'n') {
		if (parts->count == NORN_ARGUMENT_PARTS_MAX || *next >= NORN_ARGUMENT_NONE)
			return false;
		memory.pointer = (uint8_t)*next;
		if (*t == 'n') {
			memory.writes = true;
			memory.extent = NORN_EXTENT_BYTES;
			memory.bytes = longs ? 8 : 4u >> shorts;
			memory.limit = NORN_ARGUMENT_NONE;
		}
		parts->list[parts->count++] = memory;
	}
	*next += *t != '%';
	*text = t + 1;
	return true;
}

static bool read_format(LLVMValueRef call, unsigned format, unsigned next, struct norn_argument_parts *parts)
{
	size_t length;
	const char *text = norn_name_constant(LLVMGetOperand(call, format), &length);
	if (!text)
		return false;
	const char *end = text + strnlen(text, length);
	while (text < end)
		if (*text++ == '%' && !convert(&text, end, &next, parts))
			return false;
	return next <= LLVMGetNumArgOperands(call);
}

/* A conversion of a scanned text, after its %: the memory that it writes, as the count-th one that does. False if it is not
 * understood. */
static bool scan(const char **text, const char *end, unsigned *next, uint8_t count, struct norn_argument_parts *parts)
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
	if (parts->count == NORN_ARGUMENT_PARTS_MAX || *next >= NORN_ARGUMENT_NONE)
		return false;
	struct norn_argument_part memory = {.writes = true,
	        .pointer = (uint8_t)(*next)++,
	        .other = NORN_ARGUMENT_NONE,
	        .limit = NORN_ARGUMENT_NONE,
	        .times = NORN_ARGUMENT_NONE,
	        .condition = NORN_EFFECTS_IF_AT_LEAST,
	        .subject = NORN_ARGUMENT_NONE,
	        .value = (int8_t)count};
	if (strchr("s[", letter))
		memory.extent = NORN_EXTENT_TEXT;
	else if (letter == 'c')
		memory.bytes = width ? width : 1;
	else if (strchr("diuoxX", letter))
		memory.bytes = shorts ? 4 >> shorts : longs ? 8 : 4;
	else
		memory.bytes = letter == 'p' || longs == 1 ? 8 : longs ? 16 : 4;
	parts->list[parts->count++] = memory;
	return true;
}

static bool scan_format(LLVMValueRef call, unsigned format, unsigned next, struct norn_argument_parts *parts)
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
		else if (!scan(&text, end, &next, (uint8_t)(next - first + 1), parts))
			return false;
	}
	return next <= LLVMGetNumArgOperands(call);
}

/* ---- memory behind arguments ---- */

static bool is_musttail(LLVMValueRef call)
{
	return LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

static bool add(struct norn_argument_parts *parts, const struct norn_argument_part *memory, bool writes)
{
	if (parts->count == NORN_ARGUMENT_PARTS_MAX)
		return false;
	parts->list[parts->count] = *memory;
	parts->list[parts->count++].writes = writes;
	return true;
}

static bool is_given(LLVMValueRef call, unsigned number)
{
	return number < LLVMGetNumArgOperands(call) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, number))) == LLVMPointerTypeKind;
}

static bool has_pointers(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return false;
	case LLVMArrayTypeKind:
		return has_pointers(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
			if (has_pointers(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return true;
	}
}

/* Of a variable that the argument is the address of, and that refers to nothing else; 0: it is none. */
static uint32_t size_of_object(struct norn_pass *pass, LLVMValueRef call, unsigned number)
{
	LLVMValueRef object = number < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, number) : NULL;
	LLVMTypeRef type = NULL;
	if (object && LLVMIsAAllocaInst(object) && LLVMIsAConstantInt(LLVMGetOperand(object, 0)) &&
	        LLVMConstIntGetZExtValue(LLVMGetOperand(object, 0)) == 1)
		type = LLVMGetAllocatedType(object);
	else if (object && LLVMIsAGlobalVariable(object))
		type = LLVMGlobalGetValueType(object);
	return type && LLVMTypeIsSized(type) && !has_pointers(type) ? (uint32_t)LLVMABISizeOfType(pass->layout, type) : 0;
}

/* One part of memory. reads: by part, the number of what is read of it. */
static bool add_part(struct norn_pass *pass, LLVMValueRef call, const struct norn_effects_part *part, bool careful, unsigned frees,
        unsigned number, uint8_t *reads, struct norn_argument_parts *parts)
{
	if (part->extent == NORN_EFFECTS_FORMAT && !part->list)
		return read_format(call, part->pointer, part->other, parts);
	if (part->extent == NORN_EFFECTS_SCAN && !part->list)
		return scan_format(call, part->pointer, part->other, parts);
	if (part->pointer < NORN_EFFECTS_GLOBAL && !is_given(call, part->pointer))
		return true;
	/* It may read first what it frees. */
	if (part->extent == NORN_EFFECTS_WHOLE && part->how == NORN_EFFECTS_READS && part->pointer < 16 &&
	        frees >> part->pointer & 1)
		return true;
	/* A write that may not have happened would be a false race: the call stays opaque. */
	if (part->maybe && part->how & NORN_EFFECTS_WRITES && part->pointer < NORN_EFFECTS_GLOBAL && !part->behind &&
	        part->extent != NORN_EFFECTS_WHOLE && norn_may_be_shared(pass, LLVMGetOperand(call, part->pointer)))
		return false;
	/* Memory that it hands out is not shared before it returns: what was written there will be noticed. */
	bool handed = part->how == NORN_EFFECTS_WRITES && (part->behind || part->pointer == NORN_EFFECTS_RESULT);
	uint32_t whole = part->extent == NORN_EFFECTS_WHOLE && !part->behind ? size_of_object(pass, call, part->pointer) : 0;
	if ((part->extent >= NORN_EFFECTS_FORMAT && !whole) || number >= NORN_ARGUMENT_PARTS_MAX ||
	        (part->extent == NORN_EFFECTS_IOVEC && part->how & NORN_EFFECTS_WRITES) ||
	        (part->behind && part->pointer != NORN_EFFECTS_GLOBAL))
		return handed;
	bool result = part->limit == NORN_EFFECTS_RESULT;
	struct norn_argument_part memory = {.pointer = part->pointer < NORN_EFFECTS_GLOBAL ? part->pointer : NORN_ARGUMENT_NONE,
	        .global = part->pointer == NORN_EFFECTS_GLOBAL ? part->global : NULL,
	        .extent = whole ? NORN_EFFECTS_BYTES : part->extent,
	        .loaded = part->behind,
	        .careful = careful,
	        .other = part->other,
	        .limit = result ? NORN_ARGUMENT_NONE : part->limit,
	        .times = part->times,
	        .result = result,
	        .behind = part->limit_behind,
	        .condition = part->condition,
	        .subject = part->subject == NORN_EFFECTS_RESULT ? NORN_ARGUMENT_NONE : part->subject,
	        .value = part->value,
	        .bytes = whole ? whole : part->bytes};
	if (part->after)
		memory.after = (uint8_t)(1 + reads[part->after - 1]);
	reads[number] = (uint8_t)parts->count;
	return (!(part->how & NORN_EFFECTS_READS) || add(parts, &memory, false)) &&
	       (!(part->how & NORN_EFFECTS_WRITES) || add(parts, &memory, true));
}

/* Functions that it calls back have hooks. */
static bool calls_known(LLVMValueRef call, const struct norn_effects *e)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n && i < 16; i++) {
		LLVMValueRef function = e->calls >> i & 1 ? LLVMGetOperand(call, i) : NULL;
		if (function && !LLVMIsAConstantPointerNull(function) &&
		        (!LLVMIsAFunction(function) || LLVMIsDeclaration(function)))
			return false;
	}
	return true;
}

/* Operands of inline assembly. */
static bool find_operands(struct norn_pass *pass, LLVMValueRef call, struct norn_argument_parts *parts)
{
	struct norn_assembly a = norn_assembly_of(pass, call);
	if (a.kind != NORN_ASSEMBLY_OPERANDS_ONLY)
		return false;
	for (unsigned i = 0; i < a.count; i++) {
		struct norn_argument_part memory = {.pointer = (uint8_t)a.operands[i].argument,
		        .other = NORN_ARGUMENT_NONE,
		        .limit = NORN_ARGUMENT_NONE,
		        .times = NORN_ARGUMENT_NONE,
		        .bytes = a.operands[i].bytes};
		if (a.operands[i].reads)
			add(parts, &memory, false);
		if (a.operands[i].writes)
			add(parts, &memory, true);
	}
	return true;
}

bool norn_argument_memory_find(struct norn_pass *pass, LLVMValueRef call, struct norn_argument_parts *ret_parts)
{
	const struct norn_effects *e = norn_callee_effects(call);
	unsigned count = e && !(e->flags & NORN_EFFECTS_HOOKED_MEMORY) ? e->part_count : 0;
	uint8_t reads[NORN_ARGUMENT_PARTS_MAX] = {0};
	ret_parts->count = 0;
	/* A system call may get memory that is not there. */
	bool careful =
	        e && (e->waits || (e->reads | e->writes | e->adds) & ~(1u << NORN_EFFECTS_LOCALE | 1u << NORN_EFFECTS_STATICS));
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return find_operands(pass, call, ret_parts);
	bool known = e && !(e->flags & NORN_EFFECTS_OPAQUE) && !(count && is_musttail(call)) && calls_known(call, e);
	for (unsigned i = 0; known && i < count; i++)
		known = add_part(pass, call, e->parts + i, careful, e->frees, i, reads, ret_parts);
	if (!known)
		ret_parts->count = 0;
	return known;
}

/* ---- points ---- */

/* emits: what a pointer that lies in memory points to. */
static LLVMValueRef pointer_of(struct norn_pass *pass, LLVMValueRef call, const struct norn_argument_part *memory, bool emits)
{
	if (memory->global) {
		LLVMValueRef variable = LLVMGetNamedGlobal(pass->module, memory->global);
		variable = variable ? variable : LLVMAddGlobal(pass->module, pass->pointer, memory->global);
		return memory->loaded && emits ? LLVMBuildLoad2(pass->builder, pass->pointer, variable, "") : variable;
	}
	return memory->pointer == NORN_ARGUMENT_NONE ? call : LLVMGetOperand(call, memory->pointer);
}

void norn_argument_memory_consider(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_argument_parts parts;
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED || !norn_argument_memory_find(pass, call, &parts))
		return;
	for (unsigned i = 0; i < parts.count; i++) {
		const struct norn_argument_part *memory = parts.list + i;
		LLVMValueRef pointer = pointer_of(pass, call, memory, false);
		if (LLVMIsAConstantPointerNull(pointer) || !norn_may_be_shared(pass, pointer))
			continue;
		struct norn_site site = norn_pass_site(pass, call, memory->writes ? NORN_SITE_WRITE : NORN_SITE_READ);
		norn_name_range(pass, pointer, memory->bytes, &site);
		norn_pass_add(pass, call, NORN_ACT_ARGUMENT_MEMORY, i, &site);
	}
}

static LLVMValueRef as_bytes(struct norn_pass *pass, LLVMValueRef value)
{
	return LLVMBuildIntCast2(pass->builder, value, pass->i64, true, "");
}

static LLVMValueRef limit_of(struct norn_pass *pass, LLVMValueRef call, const struct norn_argument_part *memory)
{
	bool given = memory->limit != NORN_ARGUMENT_NONE || memory->result;
	if (memory->behind)
		return LLVMBuildPtrToInt(pass->builder, LLVMGetOperand(call, memory->limit), pass->i64, "");
	LLVMValueRef limit = norn_emit_int(pass, pass->i64,
	        memory->bytes                                  ? memory->bytes
	        : given || memory->times != NORN_ARGUMENT_NONE ? 1
	                                                       : UINT64_MAX);
	if (given) {
		LLVMValueRef number = as_bytes(pass, memory->result ? call : LLVMGetOperand(call, memory->limit));
		if (memory->result) {
			LLVMValueRef none = norn_emit_int(pass, pass->i64, 0);
			LLVMValueRef some = LLVMBuildICmp(pass->builder, LLVMIntSGT, number, none, "");
			number = LLVMBuildSelect(pass->builder, some, number, none, "");
		}
		limit = LLVMBuildMul(pass->builder, number, limit, "");
	}
	if (memory->times != NORN_ARGUMENT_NONE)
		limit = LLVMBuildMul(pass->builder, limit, as_bytes(pass, LLVMGetOperand(call, memory->times)), "");
	return limit;
}

static uint32_t extent_of(const struct norn_argument_part *memory)
{
	return memory->extent | (memory->behind ? NORN_EXTENT_BEHIND : 0u) | (memory->careful ? NORN_EXTENT_CAREFUL : 0u);
}

/* The pointer, or null where the function does not touch this part. Before the call its result is unknown. */
static LLVMValueRef if_touched(
        struct norn_pass *pass, LLVMValueRef call, const struct norn_argument_part *memory, LLVMValueRef pointer)
{
	bool result = memory->subject == NORN_ARGUMENT_NONE;
	if (memory->condition == NORN_EFFECTS_ALWAYS || (result && !memory->writes))
		return pointer;
	LLVMValueRef subject = result ? call : LLVMGetOperand(call, memory->subject), value;
	LLVMTypeRef type = LLVMTypeOf(subject);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind) {
		subject = LLVMBuildPtrToInt(pass->builder, subject, pass->i64, "");
		type = pass->i64;
	} else if (kind != LLVMIntegerTypeKind) {
		return pointer;
	}
	value = LLVMConstInt(type, (unsigned long long)(long long)memory->value, true);
	LLVMIntPredicate does = memory->condition == NORN_EFFECTS_IF_AT_LEAST ? LLVMIntSGE
	                        : memory->condition == NORN_EFFECTS_IF_IS     ? LLVMIntEQ
	                                                                      : LLVMIntNE;
	return LLVMBuildSelect(pass->builder, LLVMBuildICmp(pass->builder, does, subject, value, ""), pointer,
	        LLVMConstPointerNull(pass->pointer), "");
}

static LLVMValueRef other_of(struct norn_pass *pass, LLVMValueRef call, const struct norn_argument_part *memory)
{
	if (memory->other == NORN_ARGUMENT_NONE)
		return LLVMConstPointerNull(pass->pointer);
	LLVMValueRef other = LLVMGetOperand(call, memory->other);
	if (LLVMGetTypeKind(LLVMTypeOf(other)) == LLVMPointerTypeKind)
		return other;
	return LLVMBuildIntToPtr(pass->builder, as_bytes(pass, other), pass->pointer, "");
}

static void rewrite_read(struct norn_pass *pass, const struct norn_point *point, const struct norn_argument_part *memory)
{
	LLVMValueRef call = point->instruction;
	norn_emit_before(pass, call);
	LLVMValueRef pointer = if_touched(pass, call, memory, pointer_of(pass, call, memory, true));
	LLVMValueRef arguments[] = {pointer, other_of(pass, call, memory), limit_of(pass, call, memory),
	        norn_emit_int(pass, pass->i32, extent_of(memory)), norn_emit_site(pass, point->site)};
	pass->bytes_read[point->operand] = norn_emit_hook(pass, NORN_HOOK_PASSED_MEMORY, arguments, 5);
}

/* The builder's position, which is after the call. */
static void emit_write(struct norn_pass *pass, const struct norn_point *point, const struct norn_argument_part *memory)
{
	LLVMValueRef call = point->instruction, pointer = pointer_of(pass, call, memory, true);
	if (memory->after) {
		LLVMValueRef one = norn_emit_int(pass, pass->i64, 1);
		LLVMValueRef offset = LLVMBuildSub(pass->builder, pass->bytes_read[memory->after - 1], one, "");
		pointer = LLVMBuildGEP2(pass->builder, pass->i8, pointer, &offset, 1, "");
	}
	pointer = if_touched(pass, call, memory, pointer);
	LLVMValueRef arguments[] = {pointer, limit_of(pass, call, memory), norn_emit_int(pass, pass->i32, extent_of(memory)),
	        norn_emit_site(pass, point->site)};
	norn_emit_hook(pass, NORN_HOOK_FILLED, arguments, 4);
}

static void rewrite_write(struct norn_pass *pass, const struct norn_point *point, const struct norn_argument_part *memory)
{
	LLVMValueRef call = point->instruction;
	unsigned ways = norn_emit_ways_after(call);
	for (unsigned i = 0; i < ways; i++) {
		norn_emit_way_after(pass, call, i);
		emit_write(pass, point, memory);
	}
}

void norn_argument_memory_rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	struct norn_argument_parts parts;
	if (!norn_argument_memory_find(pass, point->instruction, &parts))
		return;
	assert(point->operand < parts.count);
	const struct norn_argument_part *memory = parts.list + point->operand;
	if (memory->writes)
		rewrite_write(pass, point, memory);
	else
		rewrite_read(pass, point, memory);
}
