/* Stands before libnorn.so (LD_PRELOAD) and leaves out records of one class: NORN_BROKEN is "N N …" (resources), "objects", "reads", "writes", "calls" (that may turn out to be known), "atomics", or several of these. See broken. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HOOK __attribute__((preserve_most, visibility("default")))

HOOK void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site);
HOOK void __norn_looked(uint32_t looked, uint32_t changed, uint32_t site);
HOOK void __norn_object(const void *object, uint32_t use, uint32_t site);
HOOK size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site);
HOOK void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site);
HOOK uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments);
HOOK void __norn_rmw_begin(void *at, uint32_t bytes, uint32_t site);
HOOK void __norn_rmw_end(void *at, uint32_t bytes, uint32_t site, uint32_t wrote);

static HOOK void (*changes)(uint32_t, uint32_t, uint32_t);
static HOOK void (*looked)(uint32_t, uint32_t, uint32_t);
static HOOK void (*use_object)(const void *, uint32_t, uint32_t);
static HOOK size_t (*lent)(const void *, const void *, size_t, uint32_t, uint32_t);
static HOOK void (*filled)(void *, size_t, uint32_t, uint32_t);
static HOOK uint32_t (*calls_with)(const void *, uint32_t, const char *, uint64_t *);
static HOOK void (*begin)(void *, uint32_t, uint32_t);
static HOOK void (*end)(void *, uint32_t, uint32_t, uint32_t);
static uint32_t left_out;
static const char *broken = "";

static int leaves_out(const char *what)
{
	return strstr(broken, what) != NULL;
}

__attribute__((constructor(103))) static void find(void)
{
	*(void **)&changes = dlsym(RTLD_NEXT, "__norn_changes");
	*(void **)&looked = dlsym(RTLD_NEXT, "__norn_looked");
	*(void **)&use_object = dlsym(RTLD_NEXT, "__norn_object");
	*(void **)&lent = dlsym(RTLD_NEXT, "__norn_passed_memory");
	*(void **)&filled = dlsym(RTLD_NEXT, "__norn_filled");
	*(void **)&calls_with = dlsym(RTLD_NEXT, "__norn_calls_with");
	*(void **)&begin = dlsym(RTLD_NEXT, "__norn_rmw_begin");
	*(void **)&end = dlsym(RTLD_NEXT, "__norn_rmw_end");
	broken = getenv("NORN_BROKEN") ? getenv("NORN_BROKEN") : "";
	for (const char *at = broken; *at >= '0' && *at <= '9';) {
		char *after;
		left_out |= 1u << strtoul(at, &after, 10);
		at = after + (*after == ' ');
	}
}

HOOK void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site)
{
	if (changed & ~left_out)
		changes(changed & ~left_out, looks & ~(left_out << 1), site);
}

HOOK void __norn_looked(uint32_t look, uint32_t changed, uint32_t site)
{
	looked(look & ~left_out, changed & ~left_out, site);
}

HOOK void __norn_object(const void *object, uint32_t use, uint32_t site)
{
	if (!leaves_out("objects"))
		use_object(object, use, site);
}

HOOK size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site)
{
	return leaves_out("reads") ? 0 : lent(at, other, limit, extent, site);
}

HOOK void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site)
{
	if (!leaves_out("writes"))
		filled(at, limit, extent, site);
}

HOOK uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments)
{
	return leaves_out("calls") ? 0 : calls_with(target, site, types, arguments);
}

HOOK void __norn_rmw_begin(void *at, uint32_t bytes, uint32_t site)
{
	if (!leaves_out("atomics"))
		begin(at, bytes, site);
}

HOOK void __norn_rmw_end(void *at, uint32_t bytes, uint32_t site, uint32_t wrote)
{
	if (!leaves_out("atomics"))
		end(at, bytes, site, wrote);
}
