/* See variable_name.h. */
#include "instrument/site/variable_name.h"

#include "instrument/site/type_names.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 8

/* The target of a pointer: a part of a variable, or (via) of the object that the pointer named root points to. */
struct named_place {
	bool via;
	/* beyond the object that the pointer's type promises: an element of an array, or of another type altogether */
	bool doubtful;
	bool captured; /* via a reference that a lambda holds: it is the variable itself to who reads the source */
	struct norn_text root; /* "" if it has no name */
	LLVMMetadataRef type; /* of the object at offset 0; NULL if unknown */
	LLVMValueRef global; /* if it is one */
	struct norn_offset offset;
};

/* ---- where pointers point ---- */

static void add_stride(struct norn_offset *offset, uint64_t cell_step)
{
	if (cell_step && offset->count < NORN_CELL_STEPS_MAX)
		offset->strides[offset->count++] = cell_step;
}

static void add_gep(struct norn_pass *pass, LLVMValueRef gep, struct norn_offset *offset)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		bool constant = LLVMIsAConstantInt(index);
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = LLVMConstIntGetZExtValue(index);
			offset->constant += LLVMOffsetOfElement(pass->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		uint64_t size = LLVMABISizeOfType(pass->layout, type);
		if (constant)
			offset->constant += LLVMConstIntGetSExtValue(index) * (int64_t)size;
		else
			add_stride(offset, size);
	}
}

static bool is_gep(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) || (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* The pointer that value is the same as, but for an offset; NULL if it is none such. */
static LLVMValueRef look_through(LLVMValueRef value)
{
	static const char *const same[] = {
	        "llvm.threadlocal.address", "llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ptrmask"};
	if (LLVMIsABitCastInst(value) || LLVMIsAAddrSpaceCastInst(value) || LLVMIsAFreezeInst(value))
		return LLVMGetOperand(value, 0);
	if (LLVMIsAConstantExpr(value))
		return LLVMGetConstOpcode(value) == LLVMAddrSpaceCast ? LLVMGetOperand(value, 0) : NULL;
	if (LLVMIsAGlobalAlias(value))
		return LLVMAliasGetAliasee(value);
	LLVMValueRef callee = LLVMIsACallInst(value) ? norn_shim_callee(value) : NULL;
	if (!callee)
		return NULL;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (strncmp(name, same[i], strlen(same[i])) == 0)
			return LLVMGetOperand(value, 0);
	return NULL;
}

static LLVMValueRef strip(struct norn_pass *pass, LLVMValueRef value, struct norn_offset *offset)
{
	for (;;) {
		LLVMValueRef next;
		if (is_gep(value) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind) {
			add_gep(pass, value, offset);
			next = LLVMGetOperand(value, 0);
		} else {
			next = look_through(value);
		}
		if (!next || LLVMGetTypeKind(LLVMTypeOf(next)) != LLVMPointerTypeKind)
			return value;
		value = next;
	}
}

static bool resolve(struct norn_pass *pass, LLVMValueRef pointer, struct named_place *place, int depth);
static bool describe(struct norn_pass *pass, struct named_place *place, uint64_t bytes, LLVMTypeRef hint,
        struct norn_text *ret_name, struct norn_path *ret_path);

static bool resolve_variable(LLVMMetadataRef variable, struct named_place *place)
{
	if (!variable)
		return false;
	norn_shim_qualified_name(variable, place->root.chars, sizeof place->root.chars);
	place->type = norn_shim_variable_type(variable);
	return true;
}

static bool resolve_global(LLVMValueRef global, struct named_place *place)
{
	place->global = global;
	uint64_t offset = 0;
	if (resolve_variable(norn_shim_global_variable(global, &offset), place)) {
		place->offset.constant += offset;
		return true;
	}
	size_t length;
	const char *name = LLVMGetValueName2(global, &length);
	LLVMLinkage linkage = LLVMGetLinkage(global);
	if (linkage != LLVMPrivateLinkage && name[0] != '.')
		norn_text_set(&place->root, name, length);
	return place->root.chars[0] != 0;
}

/* The pointer's own variable, if it has one that says what it points to. */
static bool resolve_by_debug_value(LLVMValueRef value, struct named_place *place)
{
	LLVMMetadataRef variable = norn_shim_variable_of(value);
	LLVMMetadataRef pointee = variable ? norn_type_pointee(norn_shim_variable_type(variable)) : NULL;
	if (!pointee)
		return false;
	norn_shim_qualified_name(variable, place->root.chars, sizeof place->root.chars);
	place->type = pointee;
	place->via = true;
	return true;
}

/* The length of the function's name if the place is found by `this` of a class that has none, as a lambda's is; else 0. */
static size_t closure_of(const struct named_place *place)
{
	static const char this[] = "::this";
	struct norn_text tag = {""};
	size_t length = strlen(place->root.chars), suffix = strlen(this);
	if (!place->via || length <= suffix || strcmp(place->root.chars + length - suffix, this) != 0)
		return 0;
	norn_type_tag(place->type, &tag);
	return tag.chars[0] ? 0 : length - suffix;
}

static bool resolve_load(struct norn_pass *pass, LLVMValueRef load, struct named_place *place, int depth)
{
	struct named_place from = {0};
	struct norn_path path;
	struct norn_text name;
	if (!resolve(pass, LLVMGetOperand(load, 0), &from, depth + 1) ||
	        !describe(pass, &from, LLVMStoreSizeOfType(pass->layout, LLVMTypeOf(load)), LLVMTypeOf(load), &name, &path))
		return false;
	place->root = name;
	place->type = norn_type_pointee(path.leaf);
	place->via = true;
	place->captured = closure_of(&from) && norn_type_is_reference(path.leaf);
	return true;
}

/* A pointer that a function returned. */
static bool resolve_result(LLVMValueRef callee, struct named_place *place)
{
	place->type = norn_type_pointee(norn_shim_result_type(callee));
	place->via = true;
	if (!place->type)
		return false;
	norn_shim_qualified_name(LLVMGetSubprogram(callee), place->root.chars, sizeof place->root.chars);
	norn_text_add(&place->root, "()");
	return true;
}

static bool is_variable(LLVMValueRef object)
{
	return LLVMIsAGlobalVariable(object) || LLVMIsAAllocaInst(object);
}

/* A pointer that goes round a loop: its steps are strides, the value that it starts from is what it points into. If that may be one
 * variable or another, either name would be a guess. */
static bool resolve_phi(struct norn_pass *pass, LLVMValueRef phi, struct named_place *place, int depth)
{
	bool found = false;
	LLVMValueRef variable = NULL;
	struct norn_offset offset = place->offset;
	for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
		struct norn_offset step = {0};
		LLVMValueRef origin = strip(pass, LLVMGetIncomingValue(phi, i), &step);
		if (is_variable(origin) && variable && origin != variable)
			return false;
		if (is_variable(origin))
			variable = origin;
		if (origin == phi) {
			add_stride(&offset, step.constant < 0 ? -step.constant : step.constant);
			for (unsigned k = 0; k < step.count; k++)
				add_stride(&offset, step.strides[k]);
		} else if (!found && !LLVMIsAConstantPointerNull(origin)) {
			struct named_place start = {0};
			found = resolve(pass, LLVMGetIncomingValue(phi, i), &start, depth + 1);
			if (found) {
				offset.constant += start.offset.constant;
				for (unsigned k = 0; k < start.offset.count; k++)
					add_stride(&offset, start.offset.strides[k]);
				*place = start;
			}
		}
	}
	place->offset = offset;
	return found;
}

static bool resolve_select(struct norn_pass *pass, LLVMValueRef select, struct named_place *place, int depth)
{
	struct norn_offset offset = place->offset;
	for (int i = 1; i <= 2; i++) {
		struct named_place chosen = {.offset = offset};
		if (resolve(pass, LLVMGetOperand(select, i), &chosen, depth + 1) && chosen.via) {
			*place = chosen; /* the fields of what either points to are the same; a variable's name would be a guess */
			return true;
		}
	}
	return false;
}

/* False if nothing is known. Offsets are added to those that place has already. */
static bool resolve(struct norn_pass *pass, LLVMValueRef pointer, struct named_place *place, int depth)
{
	if (depth > DEPTH_MAX)
		return false;
	pointer = strip(pass, pointer, &place->offset);
	if (LLVMIsAGlobalVariable(pointer))
		return resolve_global(pointer, place);
	if (LLVMIsAAllocaInst(pointer) || norn_shim_is_byval(pointer))
		return resolve_variable(norn_shim_variable_at(pointer), place);
	if (LLVMIsAConstant(pointer))
		return false;
	if (resolve_by_debug_value(pointer, place))
		return true;
	if (LLVMIsALoadInst(pointer))
		return resolve_load(pass, pointer, place, depth);
	if (LLVMIsAPHINode(pointer))
		return resolve_phi(pass, pointer, place, depth);
	if (LLVMIsASelectInst(pointer))
		return resolve_select(pass, pointer, place, depth);
	if (LLVMIsACallInst(pointer) || LLVMIsAInvokeInst(pointer))
		return resolve_result(norn_shim_callee(pointer), place);
	return resolve_variable(norn_shim_variable_at(pointer), place);
}

/* ---- names ---- */

/* A global that debug information says nothing of: an index, if its IR type is an array. */
static void describe_bare_global(struct norn_pass *pass, struct named_place *place, struct norn_text *name)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(place->global);
	if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
		return;
	uint64_t size = LLVMABISizeOfType(pass->layout, LLVMGetElementType(type));
	int64_t index;
	if (!size)
		return;
	bool varies = norn_offset_index(&place->offset, size, &index);
	varies ? norn_text_add(name, "[]") : norn_text_add(name, "[%lld]", (long long)index);
}

static void describe_pointee(struct named_place *place, struct norn_text *name)
{
	uint64_t size = norn_type_bytes(place->type);
	int64_t index = 0;
	if (size && !norn_type_is_flexible(place->type)) /* p[i].x is called as p->x is */
		place->doubtful = !norn_offset_index(&place->offset, size, &index) && index &&
		                  norn_type_is_record(norn_type_strip(place->type, NULL));
	norn_type_tag(place->type, name);
	size_t closure = closure_of(place);
	if (closure)
		norn_text_set(name, place->root.chars, closure);
	else if (!name->chars[0] && place->root.chars[0])
		norn_text_add(name, place->captured ? "%s" : "*%s", place->root.chars);
}

/* The name of what is accessed at place. False if it has none. */
static bool describe(struct norn_pass *pass, struct named_place *place, uint64_t bytes, LLVMTypeRef hint,
        struct norn_text *ret_name, struct norn_path *ret_path)
{
	*ret_path = (struct norn_path){0};
	*ret_name = (struct norn_text){""};
	if (place->via)
		describe_pointee(place, ret_name);
	else
		*ret_name = place->root;
	if (place->type)
		norn_type_walk(place->type, place->offset, bytes, hint, ret_path);
	else if (place->global)
		describe_bare_global(pass, place, ret_name);
	bool member = closure_of(place) && ret_path->text.chars[0] == '.';
	if (ret_name->chars[0])
		norn_text_add(ret_name, member ? "::%s" : "%s", ret_path->text.chars + member);
	return ret_name->chars[0] || ret_path->leaf;
}

/* Type-based aliasing metadata: the struct and the offset in it. */
static bool describe_by_tbaa(struct norn_pass *pass, LLVMValueRef instruction, uint64_t bytes, LLVMTypeRef hint,
        struct norn_text *ret_name, struct norn_path *ret_path)
{
	const char *tag;
	size_t length;
	uint64_t offset;
	if (!norn_shim_tbaa_path(instruction, &tag, &length, &offset))
		return false;
	if (!pass->types)
		pass->types = norn_shim_types_new(pass->module);
	LLVMMetadataRef type = norn_shim_types_find(pass->types, tag, length);
	if (!type)
		return false;
	norn_type_tag(type, ret_name);
	norn_type_walk(type, (struct norn_offset){.constant = offset}, bytes, hint, ret_path);
	norn_text_add(ret_name, "%s", ret_path->text.chars);
	return ret_path->text.chars[0] != 0;
}

static uint32_t string(struct norn_pass *pass, const struct norn_text *text)
{
	return norn_site_builder_string(&pass->table, text->chars, strlen(text->chars));
}

static void file_name(
        struct norn_pass *pass, const struct norn_text *name, const struct norn_path *path, bool member, struct norn_site *site)
{
	site->name = string(pass, name);
	site->field = string(pass, &path->field);
	if (member && site->name)
		site->flags |= NORN_SITE_MEMBER;
	if (path->bitfield)
		site->flags |= NORN_SITE_BITFIELD;
	if (!path->leaf)
		return;
	struct norn_text type;
	norn_type_render(path->leaf, &type);
	site->type = string(pass, &type);
	site->flags |= norn_type_flags(path->leaf);
}

static bool is_member_name(const struct named_place *place, const struct norn_text *name)
{
	return place->via && name->chars[0] && name->chars[0] != '*';
}

static void flag_by_type(LLVMTypeRef type, struct norn_site *site)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
		site->flags = (site->flags & ~NORN_SITE_SIGNED) | NORN_SITE_FLOAT;
		break;
	case LLVMPointerTypeKind:
		site->flags = (site->flags & ~NORN_SITE_SIGNED) | NORN_SITE_POINTER;
		break;
	default:
		break;
	}
}

void norn_name_access(
        struct norn_pass *pass, LLVMValueRef pointer, LLVMTypeRef type, LLVMValueRef instruction, struct norn_site *site)
{
	struct named_place place = {0};
	struct norn_text name = {""};
	struct norn_path path = {0};
	bool found = resolve(pass, pointer, &place, 0) && describe(pass, &place, site->size, type, &name, &path);
	bool member = is_member_name(&place, &name);
	/* A pointer whose own type says less than the access does: void *, char *, a container's link. */
	if (!found || (place.via && !path.field.chars[0]) || place.doubtful) {
		struct norn_text tbaa_name;
		struct norn_path tbaa_path;
		if (describe_by_tbaa(pass, instruction, site->size, type, &tbaa_name, &tbaa_path)) {
			name = tbaa_name;
			path = tbaa_path;
			member = true;
		} else if (place.doubtful && norn_shim_has_tbaa(instruction)) {
			name = (struct norn_text){""};
			path = (struct norn_path){0};
		}
	}
	file_name(pass, &name, &path, member, site);
	flag_by_type(type, site);
}

void norn_name_range(struct norn_pass *pass, LLVMValueRef pointer, uint64_t bytes, struct norn_site *site)
{
	struct named_place place = {0};
	struct norn_text name = {""};
	struct norn_path path = {0};
	if (resolve(pass, pointer, &place, 0) && describe(pass, &place, bytes, NULL, &name, &path) && place.doubtful) {
		name = (struct norn_text){""};
		path = (struct norn_path){0};
	}
	file_name(pass, &name, &path, is_member_name(&place, &name), site);
}

void norn_name_result(struct norn_pass *pass, LLVMValueRef function, LLVMTypeRef type, struct norn_site *site)
{
	LLVMMetadataRef result = function ? norn_shim_result_type(function) : NULL;
	if (result) {
		struct norn_text text;
		norn_type_render(result, &text);
		site->type = string(pass, &text);
		site->flags |= norn_type_flags(result);
	}
	flag_by_type(type, site);
}

/* ---- functions and positions ---- */

static uint32_t subprogram_name(struct norn_pass *pass, LLVMMetadataRef subprogram)
{
	struct norn_text name;
	norn_shim_qualified_name(subprogram, name.chars, sizeof name.chars);
	return string(pass, &name);
}

/* For the linker. */
static const char *linker_name(LLVMValueRef function, size_t *ret_length)
{
	const char *name = LLVMGetValueName2(function, ret_length);
	if (*ret_length && name[0] == '\1') /* an assembler name */
		name++, --*ret_length;
	return name;
}

static uint32_t function_name_of(struct norn_pass *pass, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	if (subprogram) {
		uint32_t name = subprogram_name(pass, subprogram);
		if (name)
			return name;
	}
	size_t length;
	const char *name = linker_name(function, &length);
	return norn_site_builder_string(&pass->table, name, length);
}

void norn_name_callee(struct norn_pass *pass, LLVMValueRef function, struct norn_site *site)
{
	size_t length;
	const char *linker = linker_name(function, &length);
	site->name = function_name_of(pass, function);
	site->size = length && strcmp(linker, pass->table.strings + site->name) != 0 ? norn_site_linker_hash(linker) : 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A path without "DIR/..", as clang's own for the headers of C++ have four times. It is another file's if DIR is a link. */
static bool shorten(const char *path, char place[PATH_MAX])
{
	size_t length = strlen(path);
	if (*path != '/' || !strstr(path, "/../") || length >= PATH_MAX)
		return false;
	memcpy(place, path, length + 1);
	for (char *up; (up = strstr(place, "/../"));) {
		char *before = up;
		while (before > place && *--before != '/')
			;
		memmove(before, up + 3, strlen(up + 3) + 1);
	}
	return same_file(path, place);
}

uint32_t norn_name_file(struct norn_pass *pass, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
	if (!file)
		return 0;
	unsigned length;
	char path[PATH_MAX], place[PATH_MAX];
	const char *name = LLVMDIFileGetFilename(file, &length);
	if (length < sizeof path) {
		memcpy(path, name, length);
		path[length] = 0;
		if (shorten(path, place))
			return norn_site_builder_string(&pass->table, place, strlen(place));
	}
	return norn_site_builder_string(&pass->table, name, length);
}

static struct norn_frame frame_at(struct norn_pass *pass, LLVMMetadataRef location)
{
	LLVMMetadataRef scope = LLVMDILocationGetScope(location), subprogram = norn_shim_enclosing_function(scope);
	struct norn_frame frame = {
	        .function = subprogram ? subprogram_name(pass, subprogram) : 0,
	        .file = norn_name_file(pass, scope),
	        .line = LLVMDILocationGetLine(location),
	        .column = LLVMDILocationGetColumn(location),
	};
	LLVMMetadataRef outer = LLVMDILocationGetInlinedAt(location);
	if (outer) {
		struct norn_frame around = frame_at(pass, outer);
		frame.inlined_at = norn_site_builder_frame(&pass->table, &around);
	}
	return frame;
}

/* The optimiser gives line 0 to what it made of several lines. People want to look somewhere: at the line of what comes before it
 * in the same function, or at the function's first. */
static unsigned nearby_line(LLVMValueRef instruction, LLVMMetadataRef location)
{
	LLVMMetadataRef function = norn_shim_enclosing_function(LLVMDILocationGetScope(location));
	for (LLVMValueRef i = LLVMGetPreviousInstruction(instruction); i; i = LLVMGetPreviousInstruction(i)) {
		LLVMMetadataRef other = LLVMInstructionGetDebugLoc(i);
		if (other && LLVMDILocationGetLine(other) &&
		        LLVMDILocationGetInlinedAt(other) == LLVMDILocationGetInlinedAt(location) &&
		        norn_shim_enclosing_function(LLVMDILocationGetScope(other)) == function)
			return LLVMDILocationGetLine(other);
	}
	return function ? LLVMDISubprogramGetLine(function) : 0;
}

void norn_name_position(struct norn_pass *pass, LLVMValueRef instruction, struct norn_site *site)
{
	LLVMMetadataRef location = norn_shim_location(instruction);
	if (!location) {
		site->function = function_name_of(pass, pass->function);
		site->file = pass->subprogram ? norn_name_file(pass, pass->subprogram) : 0;
		site->line = pass->subprogram ? LLVMDISubprogramGetLine(pass->subprogram) : 0;
		return;
	}
	struct norn_frame frame = frame_at(pass, location);
	site->function = frame.function;
	site->file = frame.file;
	site->line = frame.line ? frame.line : nearby_line(instruction, location);
	site->column = frame.column;
	site->inlined_at = frame.inlined_at;
}

const char *norn_name_constant(LLVMValueRef value, size_t *ret_length)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(value) && LLVMIsGlobalConstant(value) ? LLVMGetInitializer(value) : NULL;
	return text && LLVMIsAConstantDataSequential(text) && LLVMIsConstantString(text) ? LLVMGetAsString(text, ret_length) : NULL;
}
