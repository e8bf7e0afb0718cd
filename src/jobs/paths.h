/* The places of Norn's own files, seen from the running command: in an installed tree (bin/norn, lib/norn/…) or in a
 * build tree (build/norn, build/src/…). Both may be moved about. */
#ifndef NORN_JOBS_PATHS_H
#define NORN_JOBS_PATHS_H

#include <limits.h>

#include "base/error.h"

struct norn_paths {
	char plugin[PATH_MAX]; /* libnorn-pass.so */
	char runtime[PATH_MAX]; /* libnorn.so */
	char runtime_dir[PATH_MAX];
	char cxx[PATH_MAX]; /* libnorn-cxx.a, which a build of Norn makes last */
	char include[PATH_MAX]; /* the directory of norn.h */
};

int norn_paths_find(struct norn_paths *ret_paths, struct norn_error *err);

#endif
