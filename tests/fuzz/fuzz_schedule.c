/* Schedule files: whatever is in one, it is read or refused with a sentence; what is read can be written, read again and
 * laid_out. */
#undef NDEBUG /* a test that does not check is none */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "confirm/schedule_file.h"

static int read_bytes(const void *data, size_t bytes, struct norn_schedule_file *schedule, struct norn_error *err)
{
	char path[40];
	int fd = memfd_create("schedule", 0);
	assert(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int r = norn_schedule_file_read(path, schedule, err);
	close(fd);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct norn_schedule_file schedule, again;
	struct norn_error err = {0};
	if (read_bytes(data, bytes, &schedule, &err) == 0) {
		char *text = NULL;
		size_t length;
		FILE *to = open_memstream(&text, &length);
		norn_schedule_file_write(&schedule, to);
		fclose(to);
		assert(read_bytes(text, length, &again, &err) == 0);
		norn_schedule_file_done(&again);
		free(text);
		struct norn_replay_area_parts parts;
		norn_schedule_file_lay_out(&schedule, &parts);
		norn_replay_area_release(&parts, NORN_REPLAY_AREA_RELEASED);
		free(parts.head);
	} else {
		assert(err.message[0]);
	}
	norn_schedule_file_done(&schedule);
	return 0;
}
