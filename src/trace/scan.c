#include "trace/scan.h"

#include <string.h>

#include "trace/codec/block.h"

bool norn_scan_valid(const uint8_t *data, uint64_t end, uint64_t offset, struct norn_block_header *ret_header)
{
	struct norn_block_header header;
	if (offset > end || end - offset < sizeof header)
		return false;
	memcpy(&header, data + offset, sizeof header);
	if (header.magic != NORN_BLOCK_MAGIC || header.kind == 0 || header.kind >= NORN_BLOCK_KINDS ||
	        norn_block_span(&header) > end - offset)
		return false;
	size_t checked = header.kind == NORN_BLOCK_PAD ? 0 : header.stored;
	if (header.checksum != norn_block_checksum(&header, data + offset + sizeof header, checked, NULL, 0))
		return false;
	*ret_header = header;
	return true;
}

uint64_t norn_scan_next(const uint8_t *data, uint64_t end, uint64_t offset, struct norn_block_header *ret_header)
{
	for (; offset < end; offset += 8) {
		if (norn_scan_valid(data, end, offset, ret_header))
			return offset;
	}
	return end;
}
