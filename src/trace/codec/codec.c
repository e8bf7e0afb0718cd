#include "trace/codec/codec.h"

#include <string.h>

#include "trace/codec/codec_context.h"

const uint8_t norn_codec_number_bytes[4] = {0, 1, 2, 4};

static const uint8_t shapes[16] = {
        [NORN_TAG_READ] = SHAPE_READ,
        [NORN_TAG_WRITE] = SHAPE_WRITE,
        [NORN_TAG_RMW] = SHAPE_WRITE,
        [NORN_TAG_EXT] = SHAPE_WRITE,
        [NORN_TAG_SYNC] = SHAPE_WRITE,
        [NORN_TAG_ALLOC] = SHAPE_WRITE,
        [NORN_TAG_THREAD] = SHAPE_WRITE,
        [NORN_TAG_MARK] = SHAPE_WRITE,
        [NORN_TAG_ENTER] = SHAPE_KEY,
        [NORN_TAG_LEAVE] = SHAPE_KEY,
        [NORN_TAG_VALUE] = SHAPE_VALUE,
        [NORN_TAG_RANGE] = SHAPE_RANGE,
        [NORN_TAG_TIME] = SHAPE_ASIDE,
        [NORN_TAG_LOST] = SHAPE_ASIDE,
};

size_t norn_codec_bytes(void)
{
	return sizeof(struct norn_codec);
}

size_t norn_codec_bound(unsigned units)
{
	/* The worst per unit: ENTER with a new context, 10 bytes; a READ with one has 21 for two units; a run of a RANGE 10. */
	return 16ul * units + 64;
}

enum shape norn_codec_shape(uint64_t unit)
{
	unsigned tag = norn_record_tag(unit);
	if (norn_record_spans(unit))
		return SHAPE_WRITE; /* the difference of its versions is like a value */
	return tag == NORN_TAG_RMW && norn_record_sub(unit) > 3 ? SHAPE_WIDE : shapes[tag];
}

unsigned norn_codec_plain_units(const uint64_t *r)
{
	static const uint8_t units[] = {[SHAPE_READ] = 2, [SHAPE_WRITE] = 3, [SHAPE_KEY] = 1, [SHAPE_VALUE] = 2, [SHAPE_ASIDE] = 0};
	return units[norn_codec_shape(r[0])];
}

void norn_codec_reset(struct norn_codec *c)
{
	const struct codec_context none = {.key = 0};
	for (; c->used > 0; c->used--)
		c->context[c->places[c->used - 1]] = none;
	c->first = none;
	c->time = 0;
	c->frame = 0;
}

void norn_codec_renew(struct norn_codec *c, const struct codec_context *before, struct codec_context *x, uint64_t key)
{
	enum shape shape = norn_codec_shape(key);
	uint64_t addr = addr_of(before); /* which may be x */
	if (x->key == 0)
		c->places[c->used++] = (uint16_t)(x - c->context);
	*x = (struct codec_context){.key = key};
	x->units = shape == SHAPE_READ ? 2 : shape == SHAPE_WRITE ? 3 : 0;
	x->value_mask = shape == SHAPE_WRITE ? UINT64_MAX : 0;
	x->now = x->next = pair_of(x, addr, 1);
}

struct codec_context *norn_codec_absorb(
        struct norn_codec *c, struct codec_context *before, const uint64_t *raw, unsigned end, unsigned period)
{
	for (unsigned at = end - period, n; at < end && (n = norn_codec_plain_units(raw + at)); at += n) {
		const uint64_t *r = raw + at, *earlier = r - period;
		enum shape shape = norn_codec_shape(r[0]);
		uint64_t key = key_of(c, r, shape);
		struct codec_context *x = &c->context[place_of(key)];
		if (shape == SHAPE_KEY)
			c->frame = frame_of(key);
		if (x->key != key)
			continue;
		x->last = r;
		if (x->units) {
			x->now = pair_of(
			        x, norn_record_addr(earlier[0]), (uint32_t)(earlier[1] >> 32)); /* sites may have counted up */
			learn(x, (pair){r[0], r[1]});
		} else {
			keep_addr(before, x);
		}
		before = x;
	}
	return before;
}
