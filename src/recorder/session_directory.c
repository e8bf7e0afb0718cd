#include "recorder/session_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

const char *norn_session_place(unsigned i)
{
	const char *temporary = getenv("TMPDIR");
	return i == 0 ? "/dev/shm" : i == 1 ? (temporary && *temporary ? temporary : "/tmp") : i == 2 ? "/tmp" : NULL;
}

static const struct norn_session_directory *made[4]; /* those that are there, as far as there is room */

/* When a process was started, in ticks since the machine was: the 22nd field of its stat, after the name, which may hold anything
 * in parentheses. 0: there is no such process. */
static unsigned long long start_of(long pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strrchr(text, ')');
	for (unsigned field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* The lock is a file in the directory: that of the directory itself is taken while traces in it get their names. */
static int open_lock(const char *path, int flags)
{
	char name[PATH_MAX];
	snprintf(name, sizeof name, "%s/lock", path);
	return open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Without memory of its own: there may be none left. Takes over the descriptor; -1: it needs one. */
static void empty_and_remove(const char *path, int dir)
{
	_Alignas(struct dirent64) char entries[4096];
	if (dir < 0)
		dir = open_directory(path);
	for (ssize_t n; dir >= 0 && (n = getdents64(dir, entries, sizeof entries)) > 0;)
		for (ssize_t at = 0; at < n; at += ((const struct dirent64 *)(const void *)(entries + at))->d_reclen)
			unlinkat(dir, ((const struct dirent64 *)(const void *)(entries + at))->d_name, 0); /* fails for . and .. */
	if (dir >= 0)
		close(dir);
	rmdir(path);
}

static void remove_directory(void *unused, const char *path)
{
	(void)unused;
	empty_and_remove(path, -1);
}

static void remove_all(void)
{
	for (unsigned i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i])
			empty_and_remove(made[i]->path, made[i]->fd);
}

/* One takes the place of the other: NULL is none. */
static void note(const struct norn_session_directory *other, const struct norn_session_directory *one)
{
	unsigned i = 0;
	while (i < sizeof made / sizeof *made && made[i] != other)
		i++;
	if (i < sizeof made / sizeof *made)
		made[i] = one;
	norn_at_out_of_memory(remove_all);
}

int norn_session_directory_make_at(struct norn_session_directory *d, unsigned i, const char *kind)
{
	d->lock = d->fd = -1;
	snprintf(d->path, sizeof d->path, "%.100s/%s.%ld.%llu.XXXXXX", norn_session_place(i), kind, (long)getpid(),
	        start_of(getpid()));
	if (!mkdtemp(d->path)) {
		d->path[0] = 0;
		return -errno;
	}
	note(NULL, d);
	d->fd = open_directory(d->path);
	d->lock = open_lock(d->path, O_CREAT);
	if (d->lock >= 0)
		flock(d->lock, LOCK_EX); /* until the process ends, however that comes */
	return 0;
}

int norn_session_directory_make(struct norn_session_directory *d, const char *kind, struct norn_error *err)
{
	int error = 0;
	for (unsigned i = 0; norn_session_place(i); i++)
		if ((error = norn_session_directory_make_at(d, i, kind)) == 0)
			return 0;
	return norn_error_set(err, error, "cannot make a directory in /dev/shm, $TMPDIR or /tmp: %s", strerror(-error));
}

/* True if this is the name of a session directory whose process is gone, as far as can be seen from here. */
static bool is_orphan(const char *name)
{
	long pid;
	unsigned long long start;
	int end = 0;
	size_t kind = strcspn(name, ".");
	if (strncmp(name, "norn", 4) != 0 || sscanf(name + kind, ".%ld.%llu.%n", &pid, &start, &end) != 2)
		return false;
	name += kind;
	return end && strlen(name + end) == 6 && pid > 0 && start_of(pid) != start;
}

/* True if no process holds its lock: one that is not seen from here may. */
static bool is_unlocked(const char *path)
{
	int fd = open_lock(path, 0);
	bool unlocked = fd >= 0 ? flock(fd, LOCK_EX | LOCK_NB) == 0 : errno == ENOENT;
	if (fd >= 0)
		close(fd);
	return unlocked;
}

static void look_at(const char *place, void (*each)(void *context, const char *path), void *context)
{
	char path[PATH_MAX];
	DIR *directory = opendir(place);
	struct stat st;
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		if (is_orphan(entry->d_name) && fstatat(dirfd(directory), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		        S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
		        snprintf(path, sizeof path, "%s/%s", place, entry->d_name) < (int)sizeof path && is_unlocked(path))
			each(context, path);
	if (directory)
		closedir(directory);
}

void norn_session_directories_left(void (*each)(void *context, const char *path), void *context)
{
	for (unsigned i = 0; norn_session_place(i); i++)
		if (i < 2 || strcmp(norn_session_place(i), norn_session_place(1)) != 0)
			look_at(norn_session_place(i), each, context);
}

void norn_session_directories_clean(void)
{
	norn_session_directories_left(remove_directory, NULL);
}

void norn_session_directory_remove(struct norn_session_directory *d)
{
	if (d->path[0])
		empty_and_remove(d->path, d->fd);
	note(d, NULL);
	if (d->lock >= 0)
		close(d->lock);
	*d = (struct norn_session_directory){.fd = -1, .lock = -1};
}
