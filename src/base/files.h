/* Files that the user names. */
#ifndef NORN_BASE_FILES_H
#define NORN_BASE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* The file of a program, as execvp finds it; false: there is none. */
bool norn_find_program(const char *name, char to[PATH_MAX]);

/* A file for results, emptied if it is there. In a directory that others may write a symbolic link is followed only if it is the
 * user's own and no other user can replace it. NULL: errno says why (ELOOP: such a link). */
FILE *norn_open_output(const char *path);

/* The same for a file that is to keep what it has until the new one is whole: where nothing, or a plain file, has that name,
 * another file is written, which norn_output_end puts in its place. part: that file, or NULL; norn_output_end frees it. Returns 0,
 * or why it could not be written (errno). Then, and if it is not whole, what was there before is there still, unless it was no
 * plain file. */
FILE *norn_output_begin(const char *path, char **ret_part);
int norn_output_end(FILE *file, const char *path, char *part, bool whole);

/* For output that comes after what the file has; a descriptor, or -1 (errno). */
int norn_append_output(const char *path);

bool norn_same_file(const char *a, const char *b); /* both are there, and one file */

/* False if in this directory another user can have made a link of this name, or put one in the place of the user's own. */
bool norn_may_follow(const char *path);

/* All of a regular file (or of /dev/null), with a NUL behind it and none within. A file of this kind ("property file") has no more
 * than most bytes. The caller frees the text. Nothing else is read: a device may have no end, and a pipe is empty the second time,
 * so that it would be taken for a file that says nothing. */
int norn_read_input(const char *path, const char *kind, size_t most, char **ret_text, size_t *ret_bytes, struct norn_error *err);
/* The same for files that are read once only: pipes, too (--prop <(…)). There may be bytes within that are 0. */
int norn_read_input_once(
        const char *path, const char *kind, size_t most, char **ret_text, size_t *ret_bytes, struct norn_error *err);

/* Makes FILE.part, or FILE.RANDOM.part if that is there: a file that no other process writes, which only its user can read.
 * ret_name is to be freed, on failure, too (-1, and errno). */
int norn_make_part(const char *file, char **ret_name);
#define NORN_PART ".part"

#endif
