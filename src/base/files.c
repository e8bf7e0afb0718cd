#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/must.h"

bool norn_find_program(const char *name, char to[PATH_MAX])
{
	if (strchr(name, '/'))
		return snprintf(to, PATH_MAX, "%s", name) < PATH_MAX && access(to, X_OK) == 0;
	const char *path = getenv("PATH");
	for (const char *at = path ? path : "/bin:/usr/bin"; *at; at += strcspn(at, ":") + (at[strcspn(at, ":")] == ':'))
		if (snprintf(to, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, name) < PATH_MAX && access(to, X_OK) == 0)
			return true;
	return false;
}

bool norn_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool norn_may_follow(const char *path)
{
	char copy[PATH_MAX];
	struct stat directory, link;
	if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy || stat(dirname(copy), &directory) != 0)
		return false;
	bool others = (directory.st_uid != geteuid() && directory.st_uid != 0) || (directory.st_mode & (S_IWGRP | S_IWOTH));
	if (!others)
		return true;
	return (directory.st_mode & S_ISVTX) && lstat(path, &link) == 0 && link.st_uid == geteuid();
}

static int open_output(const char *path, int flags)
{
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags | (norn_may_follow(path) ? 0 : O_NOFOLLOW), 0666);
}

FILE *norn_open_output(const char *path)
{
	int fd = open_output(path, O_TRUNC);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

int norn_append_output(const char *path)
{
	return open_output(path, O_APPEND);
}

static bool is_null_device(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Up to the end, or so many bytes and one more. */
static int read_all(int fd, size_t most, char **ret_text, size_t *ret_bytes)
{
	size_t bytes = 0, room = 4096;
	char *text = norn_must_alloc(room + 1, 1);
	ssize_t n = 1;
	while (n != 0 && bytes <= most) {
		if (bytes == room)
			text = norn_must_realloc(text, (room *= 2) + 1, 1);
		n = read(fd, text + bytes, room - bytes);
		if (n < 0 && errno != EINTR) {
			int why = errno;
			free(text);
			return why;
		}
		bytes += n > 0 ? (size_t)n : 0;
	}
	text[bytes] = 0;
	*ret_text = text;
	*ret_bytes = bytes;
	return 0;
}

static int refuse_input(const char *path, const char *kind, size_t most, int why, struct norn_error *err)
{
	if (why == EISDIR)
		return norn_error_set(err, -why, "%s is a directory, not a %s", path, kind);
	if (why == ENXIO)
		return norn_error_set(err, -why, "%s is no regular file: a %s is read more than once", path, kind);
	if (why == EFBIG)
		return norn_error_set(err, -why, "%s is larger than %zu MiB, which no %s is", path, most >> 20, kind);
	if (why == EILSEQ) /* what comes after it would be hidden */
		return norn_error_set(err, -why, "%s has a byte that is 0, which no %s has", path, kind);
	return norn_error_set(err, -why, "cannot read %s: %s", path, strerror(why));
}

/* Until there is something to be read of a pipe: one that no process has opened to write it looks like one that is empty. */
static int wait_for_input(int fd)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};
	while (poll(&input, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0 ? errno : 0;
}

static int read_input(const char *path, size_t most, bool pipes, char **ret_text, size_t *ret_bytes)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), why = fd < 0 || fstat(fd, &st) != 0 ? errno : 0;
	bool pipe = !why && pipes && S_ISFIFO(st.st_mode);
	if (!why && S_ISDIR(st.st_mode))
		why = EISDIR;
	else if (!why && !S_ISREG(st.st_mode) && !pipe && !is_null_device(&st))
		why = ENXIO;
	else if (!why && (uint64_t)st.st_size > most)
		why = EFBIG;
	if (!why)
		why = wait_for_input(fd);
	if (!why)
		why = read_all(fd, most, ret_text, ret_bytes);
	if (fd >= 0)
		close(fd);
	if (!why && *ret_bytes > most) {
		free(*ret_text);
		why = EFBIG;
	}
	return why;
}

int norn_read_input(const char *path, const char *kind, size_t most, char **ret_text, size_t *ret_bytes, struct norn_error *err)
{
	int why = read_input(path, most, false, ret_text, ret_bytes);
	if (!why && memchr(*ret_text, 0, *ret_bytes)) {
		free(*ret_text);
		why = EILSEQ;
	}
	return why ? refuse_input(path, kind, most, why, err) : 0;
}

int norn_read_input_once(
        const char *path, const char *kind, size_t most, char **ret_text, size_t *ret_bytes, struct norn_error *err)
{
	int why = read_input(path, most, true, ret_text, ret_bytes);
	return why ? refuse_input(path, kind, most, why, err) : 0;
}

/* As a file of this name would have: new ones by the user's mask. */
static mode_t mode_of(const struct stat *there)
{
	mode_t mask = umask(0);
	umask(mask);
	return there ? there->st_mode & 0777 : 0666 & ~mask;
}

FILE *norn_output_begin(const char *path, char **ret_part)
{
	struct stat there;
	bool exists = lstat(path, &there) == 0;
	*ret_part = NULL;
	if ((exists && !S_ISREG(there.st_mode)) || (!exists && errno != ENOENT) || (exists && access(path, W_OK) != 0))
		return norn_open_output(path);
	int fd = norn_make_part(path, ret_part);
	FILE *file = fd < 0 || fchmod(fd, mode_of(exists ? &there : NULL)) != 0 ? NULL : fdopen(fd, "w");
	if (file)
		return file;
	if (fd >= 0) {
		close(fd);
		unlink(*ret_part);
	}
	free(*ret_part);
	*ret_part = NULL;
	return norn_open_output(path); /* the directory takes no other file */
}

int norn_output_end(FILE *file, const char *path, char *part, bool whole)
{
	bool failed = ferror(file);
	int why = failed ? EIO : 0;
	if (fclose(file) != 0)
		why = errno ? errno : EIO;
	if (part && whole && !why && rename(part, path) != 0)
		why = errno;
	if (part && (why || !whole))
		unlink(part);
	free(part);
	return why;
}

int norn_make_part(const char *file, char **ret_name)
{
	*ret_name = norn_must_format("%s" NORN_PART, file);
	int fd = open(*ret_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 || errno != EEXIST)
		return fd;
	free(*ret_name);
	*ret_name = norn_must_format("%s.XXXXXX" NORN_PART, file);
	return mkostemps(*ret_name, (int)strlen(NORN_PART), O_CLOEXEC);
}
