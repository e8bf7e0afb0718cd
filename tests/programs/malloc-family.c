/* norn-test
 * cc: -g -O1 -pthread -fno-builtin
 * stdout: contents kept, alignment right, failures fail
 * stdout: grown step by step
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; reallocs .*:40$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; reallocs .*:43$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; reallocs .*:48$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; alignments .*:71$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; alignments .*:74$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; alignments .*:77$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; alignments .*:80$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; alignments .*:83$
 * dump-count: 1 main +alloc +0x[0-9a-f]+ [1-9][0-9]{3,5} bytes .*; reallocs .*:52$
 * dump: main +free
 */
/* The whole family; a realloc that moves takes the contents along, a freed address may come back. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                                                                   \
	do {                                                                                                                       \
		if (!(x)) {                                                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                                                     \
			exit(1);                                                                                                   \
		}                                                                                                                  \
	} while (0)

static int aligned(const void *p, size_t to)
{
	return p && (uintptr_t)p % to == 0;
}

static __attribute__((noinline)) void reallocs(void)
{
	char *a = malloc(1001);
	memset(a, 'x', 1001);
	a[0] = 'a';
	a = realloc(a, 100003);
	CHECK(a[0] == 'a' && a[1000] == 'x');
	a = realloc(a, 20);
	CHECK(a[0] == 'a' && a[19] == 'x');
	free(a);
	char *b = calloc(1, 1002);
	for (int i = 0; i < 1002; i++)
		CHECK(b[i] == 0);
	free(b);
	char *c = reallocarray(NULL, 21, 100);
	CHECK(c);
	free(c);
	errno = 0;
	CHECK(!reallocarray(NULL, SIZE_MAX / 2, 4) && errno == ENOMEM);
	errno = 0;
	CHECK(!malloc(SIZE_MAX / 2) && errno == ENOMEM);
	CHECK(!calloc(SIZE_MAX / 2, 4));
	char *d = malloc(8);
	memcpy(d, "kept", 5);
	CHECK(!realloc(d, SIZE_MAX / 2) && !strcmp(d, "kept"));
	free(d);
	free(NULL);
	free(malloc(0));
}

static __attribute__((noinline)) void alignments(void)
{
	void *p;
	CHECK(posix_memalign(&p, 256, 1004) == 0 && aligned(p, 256));
	free(p);
	CHECK(posix_memalign(&p, 3, 10) == EINVAL);
	p = aligned_alloc(512, 1005);
	CHECK(aligned(p, 512));
	free(p);
	p = memalign(1024, 1006);
	CHECK(aligned(p, 1024));
	free(p);
	p = valloc(1007);
	CHECK(aligned(p, 4096));
	free(p);
	p = pvalloc(1008);
	CHECK(aligned(p, 4096));
	free(p);
	p = strdup("of libc");
	CHECK(p && !strcmp(p, "of libc"));
	free(p);
}

static void steps(void)
{
	char *text = NULL;
	for (size_t n = 1; n <= 30000; n++) {
		text = realloc(text, n);
		text[n - 1] = (char)('a' + n % 26);
	}
	for (size_t n = 1; n <= 30000; n++)
		CHECK(text[n - 1] == (char)('a' + n % 26));
	free(text);
	puts("grown step by step");
}

int main(void)
{
	reallocs();
	alignments();
	puts("contents kept, alignment right, failures fail");
	steps();
	return 0;
}
