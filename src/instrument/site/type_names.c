/* See type_names.h. */
#include "instrument/site/type_names.h"

#include "trace/site.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 32
#define JOINED_MAX 8

enum { /* DWARF's numbers */
	TAG_ARRAY = 0x01,
	TAG_CLASS = 0x02,
	TAG_ENUM = 0x04,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_REFERENCE = 0x10,
	TAG_STRUCT = 0x13,
	TAG_FUNCTION = 0x15,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_INHERITANCE = 0x1c,
	TAG_CONST = 0x26,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_RVALUE_REFERENCE = 0x42,
	TAG_ATOMIC = 0x47,
	ENCODING_FLOAT = 0x04,
	ENCODING_COMPLEX = 0x03,
	ENCODING_SIGNED = 0x05,
	ENCODING_SIGNED_CHAR = 0x06,
};

/* ---- text ---- */

void norn_text_set(struct norn_text *text, const char *chars, size_t length)
{
	if (length > sizeof text->chars - 1)
		length = sizeof text->chars - 1;
	if (length)
		memcpy(text->chars, chars, length);
	text->chars[length] = 0;
}

void norn_text_add(struct norn_text *text, const char *format, ...)
{
	size_t used = strlen(text->chars);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text->chars + used, sizeof text->chars - used, format, arguments);
	va_end(arguments);
}

/* ---- properties of a type ---- */

static unsigned tag_of(LLVMMetadataRef type)
{
	return type ? LLVMGetDINodeTag(type) : 0;
}

static bool is_qualifier(unsigned tag)
{
	return tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC;
}

LLVMMetadataRef norn_type_strip(LLVMMetadataRef type, LLVMMetadataRef *ret_alias)
{
	if (ret_alias)
		*ret_alias = NULL;
	while (type && (is_qualifier(tag_of(type)) || tag_of(type) == TAG_TYPEDEF)) {
		if (ret_alias && tag_of(type) == TAG_TYPEDEF)
			*ret_alias = type;
		type = norn_shim_base_type(type);
	}
	return type;
}

bool norn_type_is_record(LLVMMetadataRef type)
{
	unsigned tag = tag_of(type);
	return tag == TAG_STRUCT || tag == TAG_UNION || tag == TAG_CLASS;
}

static bool is_pointer(LLVMMetadataRef type)
{
	unsigned tag = tag_of(type);
	return tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE;
}

LLVMMetadataRef norn_type_pointee(LLVMMetadataRef type)
{
	type = norn_type_strip(type, NULL);
	return is_pointer(type) ? norn_shim_base_type(type) : NULL;
}

bool norn_type_is_reference(LLVMMetadataRef type)
{
	unsigned tag = tag_of(norn_type_strip(type, NULL));
	return tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE;
}

uint64_t norn_type_bytes(LLVMMetadataRef type)
{
	type = norn_type_strip(type, NULL);
	return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

bool norn_type_is_flexible(LLVMMetadataRef type)
{
	type = norn_type_strip(type, NULL);
	unsigned count = norn_type_is_record(type) ? norn_shim_elements(type) : 0;
	LLVMMetadataRef last = count ? norn_shim_element(type, count - 1) : NULL;
	return tag_of(last) == TAG_MEMBER && LLVMDITypeGetSizeInBits(last) == 0 &&
	       tag_of(norn_type_strip(norn_shim_base_type(last), NULL)) == TAG_ARRAY;
}

static void add_name(LLVMMetadataRef type, struct norn_text *text)
{
	size_t length;
	const char *name = norn_shim_name(type, &length);
	norn_text_add(text, "%.*s", (int)length, name);
}

static void render(LLVMMetadataRef type, struct norn_text *text, int depth)
{
	unsigned tag = tag_of(type);
	LLVMMetadataRef base = type ? norn_shim_base_type(type) : NULL;
	if (!type || depth > DEPTH_MAX) {
		norn_text_add(text, "void");
	} else if (is_pointer(type)) {
		if (tag_of(norn_type_strip(base, NULL)) == TAG_FUNCTION && tag_of(base) == TAG_FUNCTION) {
			norn_text_add(text, "void (*)()");
			return;
		}
		render(base, text, depth + 1);
		size_t used = strlen(text->chars);
		const char *mark = tag == TAG_POINTER ? "*" : tag == TAG_REFERENCE ? "&" : "&&";
		norn_text_add(text, "%s%s", used && text->chars[used - 1] == '*' ? "" : " ", mark);
	} else if (is_qualifier(tag)) {
		if (tag == TAG_CONST && depth && !is_pointer(base))
			norn_text_add(text, "const ");
		if (tag == TAG_ATOMIC)
			norn_text_add(text, "_Atomic ");
		render(base, text, depth + 1);
	} else if (tag == TAG_ARRAY) {
		render(base, text, depth + 1);
		for (unsigned i = 0, n = norn_shim_elements(type); i < n; i++) {
			int64_t count = norn_shim_dimension(norn_shim_element(type, i));
			norn_text_add(text, i ? "" : " ");
			count < 0 ? norn_text_add(text, "[]") : norn_text_add(text, "[%lld]", (long long)count);
		}
	} else {
		const char *prefix = tag == TAG_STRUCT ? "struct " : tag == TAG_UNION ? "union " : tag == TAG_ENUM ? "enum " : "";
		norn_text_add(text, "%s", prefix);
		add_name(type, text);
	}
}

void norn_type_render(LLVMMetadataRef type, struct norn_text *text)
{
	text->chars[0] = 0;
	render(type, text, 0);
	size_t used = strlen(text->chars);
	if (used && text->chars[used - 1] == ' ') /* a struct without a tag */
		text->chars[used - 1] = 0;
}

void norn_type_tag(LLVMMetadataRef type, struct norn_text *text)
{
	LLVMMetadataRef alias, record = norn_type_strip(type, &alias);
	text->chars[0] = 0;
	if (!norn_type_is_record(record))
		return;
	add_name(record, text);
	if (!text->chars[0] && alias)
		add_name(alias, text);
}

unsigned norn_type_flags(LLVMMetadataRef type)
{
	type = norn_type_strip(type, NULL);
	if (tag_of(type) == TAG_ENUM)
		type = norn_type_strip(norn_shim_base_type(type), NULL);
	if (is_pointer(type))
		return NORN_SITE_POINTER;
	switch (type ? norn_shim_encoding(type) : 0) {
	case ENCODING_SIGNED:
	case ENCODING_SIGNED_CHAR:
		return NORN_SITE_SIGNED;
	case ENCODING_FLOAT:
	case ENCODING_COMPLEX:
		return NORN_SITE_FLOAT;
	default:
		return 0;
	}
}

/* ---- walking ---- */

bool norn_offset_index(struct norn_offset *offset, uint64_t bytes, int64_t *ret_index)
{
	bool varies = false;
	unsigned kept = 0;
	for (unsigned i = 0; i < offset->count; i++) {
		if (offset->strides[i] % bytes == 0)
			varies = true;
		else
			offset->strides[kept++] = offset->strides[i];
	}
	offset->count = kept;
	int64_t rest = offset->constant % (int64_t)bytes;
	if (rest < 0)
		rest += bytes;
	*ret_index = (offset->constant - rest) / (int64_t)bytes;
	offset->constant = rest;
	return varies;
}

struct type_walk {
	struct norn_offset offset;
	uint64_t bytes;
	LLVMTypeRef hint;
	struct norn_path *path;
};

/* Goes into an array. False if the access is of the array as a whole, or of several elements. */
static bool walk_array(struct type_walk *w, LLVMMetadataRef type)
{
	LLVMMetadataRef element = norn_shim_base_type(type);
	uint64_t size = norn_type_bytes(element), whole = LLVMDITypeGetSizeInBits(type) / 8;
	if (w->bytes && w->bytes == whole && w->offset.constant == 0 && w->bytes != size) {
		w->path->leaf = type;
		return false;
	}
	uint64_t strides[8];
	unsigned dimensions = norn_shim_elements(type);
	if (!size || !dimensions || dimensions > 8)
		return false;
	strides[dimensions - 1] = size;
	for (unsigned d = dimensions - 1; d > 0; d--) {
		int64_t count = norn_shim_dimension(norn_shim_element(type, d));
		if (count <= 0)
			return false;
		strides[d - 1] = strides[d] * count;
	}
	for (unsigned d = 0; d < dimensions; d++) {
		int64_t index;
		bool varies = norn_offset_index(&w->offset, strides[d], &index);
		if (!index && w->offset.count && d + 1 < dimensions)
			varies = true; /* a loop over all elements, made flat by the optimiser, looks like this too */
		varies |= !w->bytes || w->offset.constant + w->bytes > strides[d]; /* several elements */
		varies ? norn_text_add(&w->path->text, "[]") : norn_text_add(&w->path->text, "[%lld]", (long long)index);
	}
	return w->bytes && w->offset.constant + w->bytes <= size;
}

static bool looks_like(LLVMMetadataRef type, LLVMTypeRef hint)
{
	unsigned flags = norn_type_flags(type);
	switch (LLVMGetTypeKind(hint)) {
	case LLVMPointerTypeKind:
		return flags & NORN_SITE_POINTER;
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
		return flags & NORN_SITE_FLOAT;
	default:
		return !(flags & (NORN_SITE_POINTER | NORN_SITE_FLOAT));
	}
}

static bool is_data_member(LLVMMetadataRef member)
{
	unsigned tag = tag_of(member);
	return (tag == TAG_MEMBER && !(LLVMDITypeGetFlags(member) & LLVMDIFlagStaticMember)) || tag == TAG_INHERITANCE;
}

/* A C++ class without data takes a byte where another member may stand as well. */
static bool is_empty(LLVMMetadataRef type, int depth)
{
	type = norn_type_strip(type, NULL);
	if (!norn_type_is_record(type) || depth > DEPTH_MAX || norn_type_bytes(type) != 1)
		return false;
	for (unsigned i = 0, n = norn_shim_elements(type); i < n; i++) {
		LLVMMetadataRef member = norn_shim_element(type, i);
		if (is_data_member(member) && !is_empty(norn_shim_base_type(member), depth + 1))
			return false;
	}
	return true;
}

static bool overlaps(const struct type_walk *w, LLVMMetadataRef member)
{
	int64_t from = w->offset.constant * 8, to = from + (w->bytes ? w->bytes : 1) * 8;
	int64_t start = LLVMDITypeGetOffsetInBits(member), bits = LLVMDITypeGetSizeInBits(member);
	if (tag_of(member) == TAG_INHERITANCE)
		bits = is_empty(norn_shim_base_type(member), 0) ? 0 : norn_type_bytes(norn_shim_base_type(member)) * 8;
	if (!bits && tag_of(norn_type_strip(norn_shim_base_type(member), NULL)) == TAG_ARRAY)
		return to > start; /* a flexible array */
	return start < to && from < start + bits;
}

/* The members of a struct that the access touches. */
static unsigned touched(const struct type_walk *w, LLVMMetadataRef type, LLVMMetadataRef *ret_members)
{
	unsigned count = 0;
	for (unsigned i = 0, n = norn_shim_elements(type); i < n && count < JOINED_MAX; i++) {
		LLVMMetadataRef member = norn_shim_element(type, i);
		if (is_data_member(member) && overlaps(w, member))
			ret_members[count++] = member;
	}
	return count;
}

/* Of a union's members, the one that the access most probably means: same size and sort, else same size, else any. */
static LLVMMetadataRef meant(const struct type_walk *w, LLVMMetadataRef type)
{
	LLVMMetadataRef best = NULL;
	int best_score = -1;
	for (unsigned i = 0, n = norn_shim_elements(type); i < n; i++) {
		LLVMMetadataRef member = norn_shim_element(type, i);
		if (!is_data_member(member) || !overlaps(w, member))
			continue;
		LLVMMetadataRef base = norn_shim_base_type(member);
		int score = norn_type_bytes(base) == w->bytes && w->offset.constant == 0;
		score = score * 2 + (w->hint && looks_like(base, w->hint) && !norn_type_is_record(norn_type_strip(base, NULL)));
		if (score > best_score) {
			best = member;
			best_score = score;
		}
	}
	return best;
}

/* The tag of a record begins the field's name anew; a record without one continues its parent's. */
static void name_fields(struct type_walk *w, const struct norn_text *tag, LLVMMetadataRef *members, unsigned count)
{
	struct norn_text names = {""};
	for (unsigned i = 0; i < count; i++) {
		size_t length;
		const char *name = norn_shim_name(members[i], &length);
		if (length && tag_of(members[i]) == TAG_MEMBER)
			norn_text_add(&names, "%s%.*s", names.chars[0] ? "|" : "", (int)length, name);
	}
	if (tag->chars[0])
		w->path->field = *tag;
	if (!names.chars[0])
		return;
	norn_text_add(&w->path->text, ".%s", names.chars);
	if (w->path->field.chars[0])
		norn_text_add(&w->path->field, ".%s", names.chars);
}

static bool has_bitfield(LLVMMetadataRef *members, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (LLVMDITypeGetFlags(members[i]) & LLVMDIFlagBitField)
			return true;
	return false;
}

/* Goes into a struct or union: the type of the one member that is accessed, or NULL where the walk ends. */
static LLVMMetadataRef walk_record(struct type_walk *w, LLVMMetadataRef type, const struct norn_text *tag)
{
	uint64_t size = LLVMDITypeGetSizeInBits(type) / 8;
	LLVMMetadataRef members[JOINED_MAX];
	unsigned count;
	if (tag_of(type) == TAG_UNION) {
		members[0] = w->hint || w->bytes != size ? meant(w, type) : NULL;
		count = members[0] != NULL;
	} else {
		count = touched(w, type, members);
	}
	bool bitfield = has_bitfield(members, count);
	if (!w->bytes && w->offset.constant == 0)
		return NULL; /* its extent is unknown */
	bool whole = w->offset.constant == 0 && w->bytes == size && w->bytes && (count > 1 || !w->hint);
	if (count == 0 || (whole && !(bitfield && w->hint))) {
		w->path->leaf = whole ? type : NULL;
		return NULL;
	}
	name_fields(w, tag, members, count);
	w->path->bitfield |= bitfield;
	if (count > 1)
		return NULL;
	LLVMMetadataRef member = norn_shim_base_type(members[0]);
	w->offset.constant -= LLVMDITypeGetOffsetInBits(members[0]) / 8;
	if (bitfield)
		w->path->leaf = member;
	return bitfield ? NULL : member;
}

void norn_type_walk(LLVMMetadataRef type, struct norn_offset offset, uint64_t bytes, LLVMTypeRef hint, struct norn_path *path)
{
	*path = (struct norn_path){0};
	struct type_walk w = {offset, bytes, hint, path};
	for (int depth = 0; type && depth < DEPTH_MAX; depth++) {
		LLVMMetadataRef at = norn_type_strip(type, NULL);
		if (tag_of(at) == TAG_ARRAY) {
			type = walk_array(&w, at) ? norn_shim_base_type(at) : NULL;
		} else if (norn_type_is_record(at)) {
			struct norn_text tag;
			norn_type_tag(type, &tag);
			type = walk_record(&w, at, &tag);
		} else {
			bool exact = w.offset.constant == 0 && (!bytes || bytes == norn_type_bytes(at));
			path->leaf = exact ? type : NULL;
			break;
		}
	}
	if (!strchr(path->field.chars, '.'))
		path->field.chars[0] = 0;
}
