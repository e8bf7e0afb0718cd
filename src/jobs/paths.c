#include "jobs/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tree_layout {
	const char *plugin, *runtime_dir, *cxx, *include; /* relative to the directory of the command */
};

static const struct tree_layout layouts[] = {
        {"../lib/norn/libnorn-pass.so", "../lib/norn", "../lib/norn/libnorn-cxx.a", "../lib/norn/include"},
        {"src/instrument/libnorn-pass.so", "src/runtime", "src/cxx/libnorn-cxx.a", "include"},
};

/* The directory of the running executable; root ("/bin") or not, without a slash at its end. */
static int own_directory(char *to, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", to, bytes - 1);
	if (n < 0)
		return -errno;
	to[n] = 0;
	char *slash = strrchr(to, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	return 0;
}

/* "/usr/bin" and "../lib" are joined to "/usr/lib", since paths end up in messages and in the program's run path. */
static int join(char *to, size_t bytes, const char *directory, const char *relative)
{
	size_t length = strlen(directory);
	while (strncmp(relative, "../", 3) == 0) {
		while (length > 0 && directory[length - 1] != '/')
			length--;
		if (length > 0)
			length--;
		relative += 3;
	}
	int n = snprintf(to, bytes, "%.*s/%s", (int)length, directory, relative);
	return n >= 0 && (size_t)n < bytes ? 0 : -ENAMETOOLONG;
}

static int fill(struct norn_paths *paths, const char *directory, const struct tree_layout *layout)
{
	int r = join(paths->plugin, sizeof paths->plugin, directory, layout->plugin);
	if (r == 0)
		r = join(paths->runtime_dir, sizeof paths->runtime_dir, directory, layout->runtime_dir);
	if (r == 0)
		r = join(paths->runtime, sizeof paths->runtime, paths->runtime_dir, "libnorn.so");
	if (r == 0)
		r = join(paths->cxx, sizeof paths->cxx, directory, layout->cxx);
	if (r == 0)
		r = join(paths->include, sizeof paths->include, directory, layout->include);
	return r;
}

int norn_paths_find(struct norn_paths *ret_paths, struct norn_error *err)
{
	char directory[PATH_MAX];
	struct norn_paths paths;
	int r = own_directory(directory, sizeof directory);
	if (r < 0)
		return norn_error_set(err, r, "cannot tell where norn itself is: /proc/self/exe cannot be read (%s)", strerror(-r));
	for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		r = fill(&paths, directory, &layouts[i]);
		if (r < 0)
			return norn_error_set(err, r, "the path of norn's directory is too long: %s", directory);
		if (access(paths.plugin, R_OK) == 0 && access(paths.runtime, R_OK) == 0) {
			*ret_paths = paths;
			return 0;
		}
	}
	return norn_error_set(err, -ENOENT,
	        "libnorn-pass.so and libnorn.so are not beside %s/norn: run `make` in a build tree, or `make install` again",
	        directory);
}
