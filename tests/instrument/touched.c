/* A stand-in for the runtime that notes which bytes a program touches: linked with what `invented` makes. It performs the accesses and
 * writes one record for each to the file TOUCHED. The program's main is here: it runs each function of `functions` from the same contents
 * of memory, once for each row of `arguments`; sync_point is a call that the optimiser knows nothing of. */
#include "runtime/hooks.h"
#include "trace/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread uint32_t __norn_call_site;

struct touch {
	uint64_t address;
	uint32_t bytes, run, segment, site; /* run: which call of which function */
	uint32_t writes, pad;
};

static FILE *out;
static uint32_t run, segment, next_base = NORN_SITE_FIRST;

static void note(int writes, const void *at, size_t bytes, uint32_t site)
{
	if (!run)
		return;
	struct touch t = {.address = (uintptr_t)at, .bytes = bytes, .run = run, .segment = segment, .site = site, .writes = writes};
	fwrite(&t, sizeof t, 1, out);
}

void __norn_module(struct norn_module *module)
{
	module->base = next_base;
	next_base += module->table->sites;
}

#define SCALAR(n, type)                                                                                                            \
	type __norn_read##n(const void *at, uint32_t site)                                                                         \
	{                                                                                                                          \
		type value;                                                                                                        \
		memcpy(&value, at, sizeof value);                                                                                  \
		note(0, at, sizeof value, site);                                                                                   \
		return value;                                                                                                      \
	}                                                                                                                          \
	void __norn_write##n(void *at, type value, uint32_t site)                                                                  \
	{                                                                                                                          \
		note(1, at, sizeof value, site);                                                                                   \
		memcpy(at, &value, sizeof value);                                                                                  \
	}
SCALAR(1, uint8_t)
SCALAR(2, uint16_t)
SCALAR(4, uint32_t)
SCALAR(8, uint64_t)

void __norn_readn(void *to, const void *from, size_t bytes, uint32_t site)
{
	note(0, from, bytes, site);
	memcpy(to, from, bytes);
}

void __norn_writen(void *to, const void *from, size_t bytes, uint32_t site)
{
	note(1, to, bytes, site);
	memcpy(to, from, bytes);
}

void __norn_touch(const void *from, size_t bytes, uint32_t site)
{
	note(0, from, bytes, site);
}

void __norn_copy(void *to, const void *from, size_t bytes, uint32_t site)
{
	note(0, from, bytes, site);
	note(1, to, bytes, site);
	memmove(to, from, bytes);
}

void __norn_set(void *to, int byte, size_t bytes, uint32_t site)
{
	note(1, to, bytes, site);
	memset(to, byte, bytes);
}

void __norn_rmw_begin(void *at, uint32_t bytes, uint32_t site)
{
	note(0, at, bytes, site);
}

void __norn_rmw_end(void *at, uint32_t bytes, uint32_t site, uint32_t wrote)
{
	if (wrote)
		note(1, at, bytes, site);
}

void __norn_fence(uint32_t site)
{
	(void)site;
}

size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site)
{
	(void)at, (void)other, (void)extent, (void)site;
	return limit;
}

void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site)
{
	(void)at, (void)limit, (void)extent, (void)site;
}

uint32_t __norn_enter(uint32_t site)
{
	(void)site;
	return 1;
}

void __norn_argument(uint32_t index, uint64_t value)
{
	(void)index, (void)value;
}

void __norn_result(uint64_t value)
{
	(void)value;
}

void __norn_leave(uint32_t site)
{
	(void)site;
}

void __norn_unwind(uint32_t to)
{
	(void)to;
}

uint32_t __norn_calls(const void *target, uint32_t site)
{
	(void)target, (void)site;
	return 0;
}

uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments)
{
	(void)target, (void)site, (void)types, (void)arguments;
	return 0;
}

void __norn_returned_with(uint32_t token, uint32_t site, const char *types, uint64_t *arguments, uint64_t result)
{
	(void)token, (void)site, (void)types, (void)arguments, (void)result;
}

void __norn_return(uint32_t token)
{
	(void)token;
}

void __norn_returned(uint32_t token, uint32_t site)
{
	(void)token, (void)site;
}

void __norn_jobs(const void *function, uint64_t limit, uint32_t site)
{
	(void)function, (void)limit, (void)site;
}

void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site)
{
	(void)changed, (void)looks, (void)site;
}

void __norn_object(const void *object, uint32_t use, uint32_t site)
{
	(void)object, (void)use, (void)site;
}

void __norn_looked(uint32_t looked, uint32_t changed, uint32_t site)
{
	(void)looked, (void)changed, (void)site;
}

void __norn_named(const void *target)
{
	(void)target;
}

/* ---- the program ---- */

struct s {
	int a, b;
	char c[4];
	short d, e;
	double f;
	unsigned low : 3, high : 9;
	long g;
};
struct pair {
	int u, v;
};
extern struct s st[8];
extern struct pair pairs[64];
extern int x0, x1, x2, x3, arr[64];
extern unsigned char bytes[64];
extern double da[64];
extern long words[16];
extern long (*const functions[])(long k, long n, int *p, struct s *ps);

void sync_point(void)
{
	segment++;
}

static void reset(void)
{
	x0 = 1, x1 = 0, x2 = 3, x3 = 0;
	for (int i = 0; i < 64; i++)
		arr[i] = i % 5 - 1, bytes[i] = (unsigned char)(i * 7 % 3), da[i] = i % 4, pairs[i] = (struct pair){i % 3, i % 2};
	for (int i = 0; i < 16; i++)
		words[i] = i % 3;
	for (int i = 0; i < 8; i++)
		st[i] = (struct s){i % 2, i % 3, {0, 1, (char)i, 0}, (short)i, 1, i, i & 7, i, i % 2};
}

int main(void)
{
	static const struct {
		long k, n;
	} arguments[] = {{0, 0}, {0, 8}, {1, 8}, {2, 13}, {3, 1}};
	out = fopen(getenv("TOUCHED"), "w");
	uint32_t count = 0;
	long sum = 0;
	for (unsigned f = 0; functions[f]; f++)
		for (unsigned i = 0; i < sizeof arguments / sizeof *arguments; i++) {
			reset();
			segment = 0;
			run = ++count;
			long r = functions[f](arguments[i].k, arguments[i].n, i & 1 ? &x3 : arr + 8, st + (i & 3));
			run = 0;
			sum = sum * 31 + r + x0 + x1 + x2 + x3 + arr[8] + st[i & 3].a;
		}
	fclose(out);
	printf("%ld\n", sum);
	return 0;
}
