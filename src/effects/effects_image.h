/* An image of entries: what the runtime needs of them, as bytes without pointers.
 *
 * Calls whose callee is only known when the program runs, or is described by a user's model, are looked up there
 * (runtime/interpose/known_calls.h). libnorn.so has an image of Norn's own table; the recorder puts one of the models that it is
 * given into the session's directory. One layout, the same build writes and reads it. */
#ifndef NORN_EFFECTS_EFFECTS_IMAGE_H
#define NORN_EFFECTS_EFFECTS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_EFFECTS_IMAGE_MAGIC 0x6e656631u

enum norn_effects_row_flag {
	NORN_EFFECTS_ROW_OPAQUE = 1, /* the worst is assumed; what it changes is said all the same */
	NORN_EFFECTS_ROW_PREFIX = 2, /* name is the beginning of the names that are meant */
	NORN_EFFECTS_ROW_SIZES = 4, /* it looks at how large files are */
	NORN_EFFECTS_ROW_CAREFUL = 8, /* it is no fault if its memory is not there */
	NORN_EFFECTS_ROW_HOOKED = 16, /* only the runtime's own function of this name makes records */
	NORN_EFFECTS_ROW_READS = 32, /* it looks at some resource, or object */
};

/* A part of memory: struct norn_effects_part (effects.h), whose members these are. */
struct norn_effects_row_part {
	uint8_t how, pointer, extent, other, limit, times, after, condition, subject;
	int8_t value;
	uint8_t behind, limit_behind;
	uint32_t bytes;
	uint32_t global; /* text; 0: none */
};

#define NORN_EFFECTS_OBJECT_CHANGES 128

struct norn_effects_row {
	uint32_t name, type; /* texts; type 0: any */
	uint32_t looks, changes; /* resource_events.h */
	uint32_t parts; /* the first of them */
	uint8_t part_count, flags; /* enum norn_effects_row_flag */
	uint8_t object_count, objects[4]; /* arguments that objects are behind; and NORN_EFFECTS_OBJECT_CHANGES */
};

/* The head; then the rows, the parts, and the texts, which begin with an empty one. Norn's own rows are in the order of names. */
struct norn_effects_image {
	uint32_t magic, bytes; /* bytes of all */
	uint32_t rows, parts;
};

static inline const struct norn_effects_row *norn_effects_image_rows(const struct norn_effects_image *image)
{
	return (const struct norn_effects_row *)(image + 1);
}

static inline const struct norn_effects_row_part *norn_effects_image_parts(const struct norn_effects_image *image)
{
	return (const struct norn_effects_row_part *)(norn_effects_image_rows(image) + image->rows);
}

static inline const char *norn_effects_image_text(const struct norn_effects_image *image, uint32_t text)
{
	return (const char *)(norn_effects_image_parts(image) + image->parts) + text;
}

/* Of Norn's own table, in libnorn.so: a struct norn_effects_image. */
extern const unsigned char norn_effects_own_image[];

struct norn_effects;
/* The image of so many entries, in their order; the caller frees it. known: leaves out those that are opaque and change nothing. */
struct norn_effects_image *norn_effects_image_make(const struct norn_effects *entries, size_t count, bool known);

#endif
