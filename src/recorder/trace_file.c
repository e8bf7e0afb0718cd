#include "recorder/trace_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "trace/format.h"

/* Until the end the header says only what this is: readers then know what to make of the rest. */
static int begin(int fd)
{
	const struct norn_file_header begun = {
	        .magic = NORN_FILE_MAGIC, .version = NORN_FILE_VERSION, .state = NORN_STATE_RECORDING, .exit_status = -1};
	int error = posix_fallocate(fd, 0, NORN_HEADER_BYTES);
	errno = 0;
	if (!error && pwrite(fd, &begun, sizeof begun, 0) != (ssize_t)sizeof begun)
		error = errno ? errno : EIO;
	return error;
}

int norn_trace_file_make(struct norn_trace_file *file, const char *asked, struct norn_error *err)
{
	struct stat old;
	*file = (struct norn_trace_file){.asked = asked, .lock = -1};
	/* Another kind of file, a device above all, must not be renamed away when the trace takes its place. */
	if (stat(asked, &old) == 0 && !S_ISREG(old.st_mode))
		return norn_error_set(err, -EINVAL, "cannot write the trace %s: it is no regular file", asked);
	if (lstat(asked, &old) == 0) {
		file->device = old.st_dev;
		file->inode = old.st_ino;
	}
	int fd = norn_make_part(asked, &file->part), error = fd < 0 ? errno : begin(fd);
	if (fd >= 0)
		close(fd);
	if (!error && !(file->absolute = realpath(file->part, NULL)))
		error = errno;
	if (error && fd >= 0)
		unlink(file->part);
	return error ? norn_error_set(err, -error, "cannot write the trace %s: %s", file->part, strerror(error)) : 0;
}

/* Others may hold the lock of a directory for as long as they like: where it is not had in two seconds, or at all, names are given
 * as they come. */
static int lock_directory(const char *path)
{
	char *copy = norn_must_text(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	for (unsigned i = 0; fd >= 0 && i < 200 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++)
		usleep(10000);
	return fd;
}

void norn_trace_file_choose(struct norn_trace_file *file)
{
	struct stat now;
	assert(!file->final && file->lock < 0);
	file->lock = lock_directory(file->asked);
	file->final = norn_must_text(file->asked);
	if (lstat(file->asked, &now) != 0)
		return;
	if (now.st_dev == file->device && now.st_ino == file->inode) {
		char *old = norn_must_format("%s.old", file->asked);
		int failed = rename(file->asked, old);
		free(old);
		if (!failed)
			return; /* else it stays, and this trace gets another name */
	}
	for (unsigned n = 1; n < UINT_MAX && lstat(file->final, &now) == 0; n++) {
		free(file->final);
		file->final = norn_must_format("%s.%u", file->asked, n);
	}
}

char *norn_trace_file_name(const struct norn_trace_file *file, const char *part)
{
	size_t stem = strlen(file->absolute) - strlen(NORN_PART), length = strlen(part);
	assert(file->final);
	if (strncmp(part, file->absolute, stem) != 0 || length < stem + strlen(NORN_PART))
		return norn_must_text(part); /* the program overwrote Norn's memory */
	return norn_must_format("%s%.*s", file->final, (int)(length - strlen(NORN_PART) - stem), part + stem);
}

void norn_trace_file_done(struct norn_trace_file *file)
{
	free(file->part);
	free(file->absolute);
	free(file->final);
	if (file->lock >= 0)
		close(file->lock);
	*file = (struct norn_trace_file){.lock = -1};
}
