"""What a trace's header and block headers say (src/trace/format.h), for figures that need no decoding."""

import struct

HEADER_BYTES = 4096
FILE_HEADER = struct.Struct("<8sIIQQQQIIQQQIi")
BLOCK_HEADER = struct.Struct("<IHHIIIIIIIIQQ")
BLOCK_MAGIC = 0x4B4C424E
EVENTS = 1


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            fields = FILE_HEADER.unpack(file.read(FILE_HEADER.size))
            magic, self.version, self.state, self.bytes, footer, self.events, self.lost, self.threads, self.lost_threads = fields[:9]
            self.wait_status = fields[13]  # as waitpid gave it
            if magic != b"NORNTRC\n":
                raise ValueError(f"{path} is not a trace")
            self.memory_bytes = 0  # that the records had in the buffers
            self.block_bytes = 0
            offset = HEADER_BYTES
            while offset < footer:
                file.seek(offset)
                header = BLOCK_HEADER.unpack(file.read(BLOCK_HEADER.size))
                if header[0] != BLOCK_MAGIC:
                    raise ValueError(f"{path}: no block at {offset}")
                if header[1] == EVENTS:
                    self.memory_bytes += 8 * header[7]
                    self.block_bytes += BLOCK_HEADER.size + header[3]
                offset += (BLOCK_HEADER.size + header[3] + 7) // 8 * 8
