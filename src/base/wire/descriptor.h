/* Descriptors: a table of fields says how a structure lies in a flat block (pack.h). One function writes any structure by its
 * table, another reads it, so that the two agree by construction.
 *
 *   static const struct norn_field module_fields[] = {
 *           NORN_TEXT(struct norn_plan_module, path),
 *           NORN_NUMBER(struct norn_plan_module, base),
 *   };
 *   static const struct norn_descriptor module = NORN_DESCRIPTOR(struct norn_plan_module, module_fields);
 *
 * Fields are written in the order of the table. An array's length is a field of its own, which comes before the array; a length may
 * so be known before other fields whose values it bounds. Fields of the structure that the table does not name are not written, and
 * zero when read.
 *
 * The reader takes any bytes: numbers are below their limits and fit into their fields, an array is no longer than the bytes that
 * are left, pointers nest up to a limit. Whatever else must hold is the business of `finish`. Read structures and arrays belong to
 * the arena; texts and bytes point into the block. It runs inside watched programs: no assert, no output, memory through malloc
 * alone. */
#ifndef NORN_BASE_DESCRIPTOR_H
#define NORN_BASE_DESCRIPTOR_H

#include "base/arena.h"
#include "base/wire/pack.h"

#define NORN_DESCRIPTOR_DEPTH 2100u /* of pointers within each other: expressions, a little more than the language allows */
#define NORN_INDEX_NONE UINT32_MAX

enum norn_field_kind {
	NORN_FIELD_NUMBER, /* unsigned, enum or bool, of 1, 2, 4 or 8 bytes */
	NORN_FIELD_WIDE, /* __int128 */
	NORN_FIELD_INDEX, /* uint32_t, or NORN_INDEX_NONE */
	NORN_FIELD_TEXT, /* const char *; NULL becomes "" */
	NORN_FIELD_TEXT_OR_NULL,
	NORN_FIELD_BYTES, /* const char * and, at count, their length, a size_t, below the limit */
	NORN_FIELD_PART, /* further fields of the same structure */
	NORN_FIELD_STRUCT, /* a structure within this one */
	NORN_FIELD_POINTER, /* to one structure; or NULL */
	NORN_FIELD_ARRAY, /* pointer to count structures, or numbers of size bytes if `of` is NULL */
	NORN_FIELD_ARRAY_OR_NULL,
	NORN_FIELD_INLINE /* an array, of at most room elements, within the structure itself */
};

struct norn_descriptor;

/* root: what the caller of the reader or writer gave; object: the structure that the field belongs to, its fields before this one
 * are read. */
typedef uint64_t norn_field_bound(const void *root, const void *object);

struct norn_field {
	enum norn_field_kind kind;
	uint32_t offset, size, count, room;
	uint64_t limit; /* numbers, indices, elements, lengths are below it; 0: any that fit */
	norn_field_bound *below; /* the same, by what is known when it is read */
	norn_field_bound *how_many; /* arrays: in place of count */
	bool (*when)(const void *object); /* whether the field is written; else it is 0, an index NONE. NULL: always */
	const struct norn_descriptor *of;
};

/* A structure that is being read. */
struct norn_decoding {
	struct norn_unpack *in;
	struct norn_arena *arena; /* NULL: no field needs memory */
	const void *root;
	unsigned depth;
};

struct norn_descriptor {
	const struct norn_field *fields;
	uint32_t field_count;
	size_t size; /* bytes of the structure */
	/* Checks what goes beyond single fields, and computes fields that are not written: 0, -EINVAL or -ENOMEM. NULL: nothing. */
	int (*finish)(struct norn_decoding *d, void *object);
};

void norn_encode(struct norn_pack *pack, const struct norn_descriptor *descriptor, const void *root, const void *object);
/* object must be all zero. -EINVAL: the bytes are no such structure. -ENOMEM. After a failure the object is partly read: each
 * pointer in it is NULL or valid. */
int norn_decode(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_descriptor *descriptor, const void *root, void *object);

#define NORN_DESCRIPTOR(type, table, ...)                                                                                          \
	{.fields = table, .field_count = sizeof table / sizeof *table, .size = sizeof(type), __VA_ARGS__}
#define NORN_FIELD(which, type, member, ...) {.kind = NORN_FIELD_##which, .offset = offsetof(type, member), __VA_ARGS__}
#define NORN_NUMBER(type, member, ...) NORN_FIELD(NUMBER, type, member, .size = sizeof(((type *)0)->member), __VA_ARGS__)
#define NORN_FLAG(type, member) NORN_NUMBER(type, member, .limit = 2)
#define NORN_WIDE(type, member, ...) NORN_FIELD(WIDE, type, member, __VA_ARGS__)
#define NORN_INDEX(type, member, ...) NORN_FIELD(INDEX, type, member, __VA_ARGS__)
#define NORN_TEXT(type, member) NORN_FIELD(TEXT, type, member)
#define NORN_TEXT_OR_NULL(type, member) NORN_FIELD(TEXT_OR_NULL, type, member)
#define NORN_BYTES(type, member, ...) NORN_FIELD(BYTES, type, member.bytes, .count = offsetof(type, member.length), __VA_ARGS__)
#define NORN_PART(...) {.kind = NORN_FIELD_PART, __VA_ARGS__}
#define NORN_STRUCT(type, member, descriptor) NORN_FIELD(STRUCT, type, member, .of = &(descriptor))
#define NORN_POINTER(type, member, descriptor, ...) NORN_FIELD(POINTER, type, member, .of = &(descriptor), __VA_ARGS__)
/* Arrays of structures, which `of` describes, and of numbers. number: the member that says how many; function: how_many. */
#define NORN_ARRAY(type, member, number, ...) NORN_FIELD(ARRAY, type, member, .count = offsetof(type, number), __VA_ARGS__)
#define NORN_ARRAY_BY(type, member, function, ...) NORN_FIELD(ARRAY, type, member, .how_many = function, __VA_ARGS__)
#define NORN_ARRAY_OR_NULL(type, member, function, ...) NORN_FIELD(ARRAY_OR_NULL, type, member, .how_many = function, __VA_ARGS__)
#define NORN_NUMBERS(type, member, number, ...) NORN_ARRAY(type, member, number, .size = sizeof *((type *)0)->member, __VA_ARGS__)
#define NORN_NUMBERS_BY(type, member, function, ...)                                                                               \
	NORN_ARRAY_BY(type, member, function, .size = sizeof *((type *)0)->member, __VA_ARGS__)
#define NORN_NUMBERS_OR_NULL(type, member, function, ...)                                                                          \
	NORN_ARRAY_OR_NULL(type, member, function, .size = sizeof *((type *)0)->member, __VA_ARGS__)
#define NORN_INLINE(type, member, number, ...)                                                                                     \
	NORN_FIELD(INLINE, type, member, .size = sizeof *((type *)0)->member,                                                      \
	        .room = sizeof((type *)0)->member / sizeof *((type *)0)->member, .count = offsetof(type, number), __VA_ARGS__)

#endif
