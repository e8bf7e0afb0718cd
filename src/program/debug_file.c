#include "program/debug_file.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GLOBAL "/usr/lib/debug"

static bool same_build(const struct norn_elf *a, const struct norn_elf *b)
{
	const void *x, *y;
	ssize_t length = dwelf_elf_gnu_build_id(a->elf, &x);
	return length <= 0 || (dwelf_elf_gnu_build_id(b->elf, &y) == length && memcmp(x, y, (size_t)length) == 0);
}

static bool open_at(const struct norn_elf *elf, const char *path, struct norn_elf *ret_debug)
{
	struct norn_error ignored = {0};
	if (access(path, R_OK) != 0 || norn_elf_open_debug(path, ret_debug, &ignored) < 0)
		return false;
	if (same_build(elf, ret_debug))
		return true;
	norn_elf_done(ret_debug);
	return false;
}

static bool open_by_id(const struct norn_elf *elf, struct norn_elf *ret_debug)
{
	const void *id;
	ssize_t length = dwelf_elf_gnu_build_id(elf->elf, &id);
	const unsigned char *bytes = id;
	char path[PATH_MAX] = GLOBAL "/.build-id/";
	size_t at = strlen(path);
	if (length < 2 || length > 64)
		return false;
	for (ssize_t i = 0; i < length; i++)
		at += (size_t)snprintf(path + at, sizeof path - at, i == 0 ? "%02x/" : "%02x", bytes[i]);
	snprintf(path + at, sizeof path - at, ".debug");
	return open_at(elf, path, ret_debug);
}

bool norn_debug_file_open(const struct norn_elf *elf, const char *path, struct norn_elf *ret_debug)
{
	GElf_Word sum;
	const char *link = dwelf_elf_gnu_debuglink(elf->elf, &sum);
	char real[PATH_MAX], place[2 * PATH_MAX];
	if (open_by_id(elf, ret_debug))
		return true;
	if (!link || !*link || strchr(link, '/') || !realpath(path, real))
		return false;
	*strrchr(real, '/') = 0;
	static const char *const around[][2] = {{"", "/"}, {"", "/.debug/"}, {GLOBAL, "/"}};
	for (unsigned i = 0; i < sizeof around / sizeof *around; i++) {
		snprintf(place, sizeof place, "%s%s%s%s", around[i][0], real, around[i][1], link);
		if (open_at(elf, place, ret_debug))
			return true;
	}
	return false;
}
