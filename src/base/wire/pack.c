#include "base/wire/pack.h"

#include <stdlib.h>
#include <string.h>

void norn_pack_done(struct norn_pack *pack)
{
	free(pack->bytes);
	*pack = (struct norn_pack){0};
}

static uint8_t *make_room(struct norn_pack *pack, size_t more)
{
	if (pack->failed || more > SIZE_MAX / 4 - pack->length || (pack->fixed && more > pack->room - pack->length)) {
		pack->failed = true;
		return NULL;
	}
	if (pack->length + more > pack->room) {
		size_t room = pack->room ? pack->room * 2 : 256;
		while (room < pack->length + more)
			room *= 2;
		uint8_t *bytes = realloc(pack->bytes, room);
		if (!bytes) {
			pack->failed = true;
			return NULL;
		}
		pack->bytes = bytes;
		pack->room = room;
	}
	uint8_t *at = pack->bytes + pack->length;
	pack->length += more;
	return at;
}

void norn_pack_bytes(struct norn_pack *pack, const void *bytes, size_t length)
{
	uint8_t *at = make_room(pack, length);
	if (at && length)
		memcpy(at, bytes, length);
}

void norn_pack_number_slow(struct norn_pack *pack, uint64_t number)
{
	uint8_t digits[NORN_PACK_DIGITS];
	unsigned count = 0;
	for (; number >= 0x80; number >>= 7)
		digits[count++] = (uint8_t)(number | 0x80);
	digits[count++] = (uint8_t)number;
	norn_pack_bytes(pack, digits, count);
}

void norn_pack_signed(struct norn_pack *pack, int64_t number)
{
	norn_pack_number(pack, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void norn_pack_text(struct norn_pack *pack, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	norn_pack_number(pack, text ? length + 1 : 0);
	if (text)
		norn_pack_bytes(pack, text, length + 1);
}

/* The last byte is 0 only if it is the first one, too: a number has one form. */
uint64_t norn_unpack_number_slow(struct norn_unpack *in)
{
	uint64_t number = 0;
	const uint8_t *at = in->at, *end = in->end;
	for (unsigned shift = 0; at != end && shift <= 63; shift += 7) {
		uint8_t digit = *at++;
		if (shift == 63 && digit > 1)
			break;
		number |= (uint64_t)(digit & 0x7f) << shift;
		if (digit & 0x80)
			continue;
		if (!digit && shift)
			break;
		in->at = at;
		return number;
	}
	norn_unpack_fail(in);
	return 0;
}

int64_t norn_unpack_signed(struct norn_unpack *in)
{
	uint64_t number = norn_unpack_number(in);
	return (int64_t)(number >> 1 ^ -(number & 1));
}

const uint8_t *norn_unpack_bytes(struct norn_unpack *in, uint64_t length)
{
	if (in->failed || length > (uint64_t)(in->end - in->at)) {
		norn_unpack_fail(in);
		return NULL;
	}
	const uint8_t *bytes = in->at;
	in->at += length;
	return bytes;
}

const char *norn_unpack_text(struct norn_unpack *in)
{
	uint64_t length = norn_unpack_number(in);
	const char *text = length ? (const char *)norn_unpack_bytes(in, length) : NULL;
	if (text && (text[length - 1] || memchr(text, 0, length - 1))) {
		norn_unpack_fail(in);
		return NULL;
	}
	return text;
}
