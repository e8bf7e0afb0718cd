#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* False if another user can have made a link of this name, or put one in the place of the user's own. */
static bool may_follow(const char *path)
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

FILE *norn_open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (may_follow(path) ? 0 : O_NOFOLLOW), 0666);
	return fd < 0 ? NULL : fdopen(fd, "w");
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
