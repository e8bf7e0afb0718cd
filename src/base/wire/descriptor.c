#include "base/wire/descriptor.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* ---- fields in memory ---- */

static uint64_t load(const unsigned char *at, uint32_t size)
{
	uint64_t number = 0;
	switch (size) {
	case 1:
		return *at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		memcpy(&number, at, sizeof number);
		return number;
	}
}

static void store(unsigned char *at, uint32_t size, uint64_t number)
{
	switch (size) {
	case 1:
		*at = (uint8_t)number;
		return;
	case 2:
		*(uint16_t *)at = (uint16_t)number;
		return;
	case 4:
		*(uint32_t *)at = (uint32_t)number;
		return;
	default:
		memcpy(at, &number, sizeof number);
	}
}

static void *load_pointer(const unsigned char *at)
{
	void *pointer;
	memcpy(&pointer, at, sizeof pointer);
	return pointer;
}

static void store_pointer(unsigned char *at, const void *pointer)
{
	memcpy(at, &pointer, sizeof pointer);
}

static inline bool is_allowed(const struct norn_field *f, const void *root, const void *object, uint64_t number)
{
	if (f->below)
		return number < f->below(root, object);
	return !f->limit || number < f->limit;
}

static uint64_t elements(const struct norn_field *f, const void *root, const unsigned char *object)
{
	return f->how_many ? f->how_many(root, object) : load(object + f->count, sizeof(uint32_t));
}

/* ---- writing ---- */

static void put_fields(struct norn_pack *pack, const struct norn_descriptor *d, const void *root, const unsigned char *object);

static void put_elements(
        struct norn_pack *pack, const struct norn_field *f, const void *root, const unsigned char *array, uint64_t count)
{
	assert(array || !count);
	for (uint64_t i = 0; i < count; i++)
		if (f->of)
			put_fields(pack, f->of, root, array + i * f->of->size);
		else
			norn_pack_number(pack, load(array + i * f->size, f->size));
}

static void put_wide(struct norn_pack *pack, const unsigned char *at)
{
	__int128 number;
	memcpy(&number, at, sizeof number);
	norn_pack_number(pack, (uint64_t)number);
	norn_pack_signed(pack, (int64_t)(number >> 64));
}

static void put_bytes(struct norn_pack *pack, const struct norn_field *f, const unsigned char *object)
{
	size_t length = load(object + f->count, sizeof length);
	norn_pack_number(pack, length);
	norn_pack_bytes(pack, load_pointer(object + f->offset), length);
}

static void put_pointer(struct norn_pack *pack, const struct norn_field *f, const void *root, const unsigned char *target)
{
	norn_pack_number(pack, target != NULL);
	if (target)
		put_fields(pack, f->of, root, target);
}

static void put_field(struct norn_pack *pack, const struct norn_field *f, const void *root, const unsigned char *object)
{
	const unsigned char *at = object + f->offset;
	switch (f->kind) {
	case NORN_FIELD_NUMBER:
		norn_pack_number(pack, load(at, f->size));
		return;
	case NORN_FIELD_WIDE:
		put_wide(pack, at);
		return;
	case NORN_FIELD_INDEX: {
		uint64_t index = load(at, sizeof(uint32_t));
		norn_pack_number(pack, index == NORN_INDEX_NONE ? 0 : index + 1);
		return;
	}
	case NORN_FIELD_TEXT:
	case NORN_FIELD_TEXT_OR_NULL:
		norn_pack_text(pack, load_pointer(at));
		return;
	case NORN_FIELD_BYTES:
		put_bytes(pack, f, object);
		return;
	case NORN_FIELD_PART:
		put_fields(pack, f->of, root, object);
		return;
	case NORN_FIELD_STRUCT:
		put_fields(pack, f->of, root, at);
		return;
	case NORN_FIELD_POINTER:
		put_pointer(pack, f, root, load_pointer(at));
		return;
	case NORN_FIELD_ARRAY_OR_NULL:
		norn_pack_number(pack, load_pointer(at) != NULL);
		if (!load_pointer(at))
			return;
		put_elements(pack, f, root, load_pointer(at), elements(f, root, object));
		return;
	case NORN_FIELD_ARRAY:
		put_elements(pack, f, root, load_pointer(at), elements(f, root, object));
		return;
	case NORN_FIELD_INLINE:
		assert(elements(f, root, object) <= f->room);
		put_elements(pack, f, root, at, elements(f, root, object));
		return;
	}
}

static void put_fields(struct norn_pack *pack, const struct norn_descriptor *d, const void *root, const unsigned char *object)
{
	for (uint32_t i = 0; i < d->field_count; i++)
		if (!d->fields[i].when || d->fields[i].when(object))
			put_field(pack, &d->fields[i], root, object);
}

void norn_encode(struct norn_pack *pack, const struct norn_descriptor *descriptor, const void *root, const void *object)
{
	put_fields(pack, descriptor, root, object);
}

/* ---- reading: anything may come ---- */

static int get_fields(struct norn_decoding *d, const struct norn_descriptor *of, unsigned char *object);

/* The most frequent field. */
static inline int get_number(struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *to)
{
	uint64_t number = norn_unpack_number(d->in);
	if (d->in->failed || !is_allowed(f, d->root, object, number))
		return -EINVAL;
	if (f->size == sizeof(uint64_t))
		memcpy(to, &number, sizeof number);
	else if (number >> 8 * f->size != 0)
		return -EINVAL;
	else
		store(to, f->size, number);
	return 0;
}

static int get_elements(
        struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *array, uint64_t count)
{
	int r = 0;
	for (uint64_t i = 0; r == 0 && i < count; i++)
		r = f->of ? get_fields(d, f->of, array + i * f->of->size) : get_number(d, f, object, array + i * f->size);
	return r;
}

/* An element takes a byte at least, so that more of them than bytes cannot come. One more has room, for those that want an end. */
static int get_array(struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *to)
{
	uint64_t count = elements(f, d->root, object);
	if (count > (uint64_t)(d->in->end - d->in->at))
		return -EINVAL;
	unsigned char *array = norn_arena_alloc(d->arena, (count + 1) * (f->of ? f->of->size : f->size));
	if (!array)
		return -ENOMEM;
	store_pointer(to, array);
	return get_elements(d, f, object, array, count);
}

static int get_array_or_null(struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *to)
{
	bool there = norn_unpack_below(d->in, 2);
	return d->in->failed ? -EINVAL : there ? get_array(d, f, object, to) : 0;
}

static int get_inline(struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *to)
{
	uint64_t count = elements(f, d->root, object);
	return count > f->room ? -EINVAL : get_elements(d, f, object, to, count);
}

static int get_pointer(struct norn_decoding *d, const struct norn_field *f, unsigned char *to)
{
	bool there = norn_unpack_below(d->in, 2);
	if (d->in->failed || d->depth > NORN_DESCRIPTOR_DEPTH)
		return -EINVAL;
	if (!there)
		return 0;
	unsigned char *target = norn_arena_alloc(d->arena, f->of->size);
	if (!target)
		return -ENOMEM;
	store_pointer(to, target);
	d->depth++;
	int r = get_fields(d, f->of, target);
	d->depth--;
	return r;
}

static int get_wide(struct norn_decoding *d, unsigned char *to)
{
	uint64_t low = norn_unpack_number(d->in);
	__int128 number = (__int128)((unsigned __int128)(uint64_t)norn_unpack_signed(d->in) << 64 | low);
	memcpy(to, &number, sizeof number);
	return d->in->failed ? -EINVAL : 0;
}

static int get_index(struct norn_decoding *d, const struct norn_field *f, const void *object, unsigned char *to)
{
	uint64_t number = norn_unpack_number(d->in);
	if (d->in->failed || number > NORN_INDEX_NONE || (number && !is_allowed(f, d->root, object, number - 1)))
		return -EINVAL;
	store(to, sizeof(uint32_t), number ? number - 1 : NORN_INDEX_NONE);
	return 0;
}

static int get_text(struct norn_decoding *d, const struct norn_field *f, unsigned char *to)
{
	const char *text = norn_unpack_text(d->in);
	store_pointer(to, text || f->kind == NORN_FIELD_TEXT_OR_NULL ? text : "");
	return d->in->failed ? -EINVAL : 0;
}

static int get_bytes(struct norn_decoding *d, const struct norn_field *f, unsigned char *object)
{
	uint64_t length = norn_unpack_number(d->in);
	if (d->in->failed || !is_allowed(f, d->root, object, length))
		return -EINVAL;
	store_pointer(object + f->offset, norn_unpack_bytes(d->in, length));
	store(object + f->count, sizeof(size_t), length);
	return d->in->failed ? -EINVAL : 0;
}

static int get_field(struct norn_decoding *d, const struct norn_field *f, unsigned char *object)
{
	unsigned char *at = object + f->offset;
	if (f->when && !f->when(object)) {
		if (f->kind == NORN_FIELD_INDEX)
			store(at, sizeof(uint32_t), NORN_INDEX_NONE);
		return 0;
	}
	switch (f->kind) {
	case NORN_FIELD_NUMBER:
		return get_number(d, f, object, at);
	case NORN_FIELD_WIDE:
		return get_wide(d, at);
	case NORN_FIELD_INDEX:
		return get_index(d, f, object, at);
	case NORN_FIELD_TEXT:
	case NORN_FIELD_TEXT_OR_NULL:
		return get_text(d, f, at);
	case NORN_FIELD_BYTES:
		return get_bytes(d, f, object);
	case NORN_FIELD_PART:
		return get_fields(d, f->of, object);
	case NORN_FIELD_STRUCT:
		return get_fields(d, f->of, at);
	case NORN_FIELD_POINTER:
		return get_pointer(d, f, at);
	case NORN_FIELD_ARRAY:
		return get_array(d, f, object, at);
	case NORN_FIELD_ARRAY_OR_NULL:
		return get_array_or_null(d, f, object, at);
	case NORN_FIELD_INLINE:
		return get_inline(d, f, object, at);
	}
	return -EINVAL;
}

static int get_fields(struct norn_decoding *d, const struct norn_descriptor *of, unsigned char *object)
{
	int r = 0;
	const struct norn_field *end = of->fields + of->field_count;
	for (const struct norn_field *f = of->fields; r == 0 && f != end; f++)
		r = f->kind == NORN_FIELD_NUMBER && !f->when ? get_number(d, f, object, object + f->offset)
		                                             : get_field(d, f, object);
	return r == 0 && of->finish ? of->finish(d, object) : r;
}

int norn_decode(
        struct norn_unpack *in, struct norn_arena *arena, const struct norn_descriptor *descriptor, const void *root, void *object)
{
	struct norn_decoding d = {in, arena, root, 0};
	int r = get_fields(&d, descriptor, object);
	if (r < 0)
		norn_unpack_fail(in);
	return r;
}
