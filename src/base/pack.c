#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

void norn_pack_done(struct norn_pack *pack)
{
	free(pack->bytes);
	*pack = (struct norn_pack){0};
}

static uint8_t *make_room(struct norn_pack *pack, size_t more)
{
	if (pack->failed || more > SIZE_MAX / 4 - pack->length) {
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

void norn_pack_number(struct norn_pack *pack, uint64_t number)
{
	uint8_t digits[10];
	unsigned count = 0;
	do {
		digits[count++] = (uint8_t)((number & 0x7f) | (number >> 7 ? 0x80 : 0));
	} while (number >>= 7);
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

uint64_t norn_unpack_number(struct norn_unpack *in)
{
	uint64_t number = 0;
	for (unsigned shift = 0; !in->failed; shift += 7) {
		if (in->at == in->end || shift > 63 || (shift == 63 && *in->at > 1))
			break;
		uint8_t digit = *in->at++;
		number |= (uint64_t)(digit & 0x7f) << shift;
		if (!(digit & 0x80))
			return number;
	}
	in->failed = true;
	return 0;
}

int64_t norn_unpack_signed(struct norn_unpack *in)
{
	uint64_t number = norn_unpack_number(in);
	return (int64_t)(number >> 1 ^ -(number & 1));
}

uint32_t norn_unpack_below(struct norn_unpack *in, uint64_t limit)
{
	uint64_t number = norn_unpack_number(in);
	if (!in->failed && number < limit && number <= UINT32_MAX)
		return (uint32_t)number;
	in->failed = true;
	return 0;
}

uint32_t norn_unpack_count(struct norn_unpack *in)
{
	return norn_unpack_below(in, (uint64_t)(in->end - in->at) + 1);
}

bool norn_unpack_bytes(struct norn_unpack *in, void *to, size_t length)
{
	if (in->failed || length > (size_t)(in->end - in->at)) {
		in->failed = true;
		memset(to, 0, length);
		return false;
	}
	memcpy(to, in->at, length);
	in->at += length;
	return true;
}

const char *norn_unpack_text(struct norn_unpack *in)
{
	uint64_t length = norn_unpack_number(in);
	if (in->failed || !length)
		return NULL;
	if (length > (size_t)(in->end - in->at) || in->at[length - 1] || memchr(in->at, 0, length - 1)) {
		in->failed = true;
		return NULL;
	}
	const char *text = (const char *)in->at;
	in->at += length;
	return text;
}
