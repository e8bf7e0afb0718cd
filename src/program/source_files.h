/* The source files of a program, by its debugging information: whole paths, as its line tables have them. Names of files
 * elsewhere are ends of these: they are relative to the directory that a unit was compiled in, or to what that has in common
 * with the file. */
#ifndef NORN_PROGRAM_SOURCE_FILES_H
#define NORN_PROGRAM_SOURCE_FILES_H

#include "base/vector.h"

struct norn_source_files NORN_VECTOR_OF(char *);

/* Adds those of an executable or library; nothing if it cannot be read, or has no debugging information. */
void norn_source_files_add(struct norn_source_files *files, const char *path);
void norn_source_files_done(struct norn_source_files *files);

#endif
