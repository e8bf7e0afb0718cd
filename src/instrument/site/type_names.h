/* C types, as debug information describes them: their names, and what lies at an offset in one. */
#ifndef NORN_INSTRUMENT_SITE_TYPE_NAMES_H
#define NORN_INSTRUMENT_SITE_TYPE_NAMES_H

#include "instrument/shim.h"

#define NORN_CELL_STEPS_MAX 6

/* Text of bounded length; what does not fit is cut off. */
struct norn_text {
	char chars[240];
};

void norn_text_set(struct norn_text *text, const char *chars, size_t length);
void norn_text_add(struct norn_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A distance from the start of an object: a constant, plus unknown multiples of the strides (array indices). */
struct norn_offset {
	int64_t constant;
	uint64_t strides[NORN_CELL_STEPS_MAX];
	unsigned count;
};

/* The result of a lookup at an offset. */
struct norn_path {
	struct norn_text text; /* ".limits.max", "[3].x", "[]"; several fields that are accessed at once: ".a|b" */
	struct norn_text field; /* "tag.field" of the innermost struct with a tag; "" if none */
	LLVMMetadataRef leaf; /* type of what is accessed; NULL if it is not exactly one thing */
	bool bitfield;
};

/* Without typedef, const, volatile and other qualifiers; NULL for void. ret_alias (may be NULL): the innermost typedef that was
 * stripped. */
LLVMMetadataRef norn_type_strip(LLVMMetadataRef type, LLVMMetadataRef *ret_alias);
bool norn_type_is_record(LLVMMetadataRef type); /* a stripped struct, union or class */
/* Pointee of a pointer or reference; NULL if it is none, or points to void. */
LLVMMetadataRef norn_type_pointee(LLVMMetadataRef type);
bool norn_type_is_reference(LLVMMetadataRef type);
bool norn_type_is_flexible(LLVMMetadataRef type); /* a record that ends in an array of no fixed length */
uint64_t norn_type_bytes(LLVMMetadataRef type);
/* "struct acct", "unsigned int", "char **" … */
void norn_type_render(LLVMMetadataRef type, struct norn_text *text);
/* Tag of a record, or the typedef that names it; "" if it has neither. */
void norn_type_tag(LLVMMetadataRef type, struct norn_text *text);
/* Flags of trace/site.h that the type alone tells: signed, float, pointer. */
unsigned norn_type_flags(LLVMMetadataRef type);
/* Takes whole elements of `bytes` out of the offset, as an index does: true if the index varies. ret_index: the constant part. */
bool norn_offset_index(struct norn_offset *offset, uint64_t bytes, int64_t *ret_index);
/* Finds what an access of `bytes` bytes (0: unknown), of a value that looks like hint (NULL: raw bytes), touches. */
void norn_type_walk(LLVMMetadataRef type, struct norn_offset offset, uint64_t bytes, LLVMTypeRef hint, struct norn_path *path);

#endif
