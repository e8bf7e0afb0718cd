/* memcpy and its kin, fortified ones too, by value arguments, TLS, strings. FLAGS: -D_FORTIFY_SOURCE=2 -Wno-macro-redefined */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char shared[64], other[64];
static __thread int private_tls;
__thread int shared_tls[4];
static __thread char tls_buffer[16];
struct large {
	char text[40];
	int n;
};
struct large large;
extern const int table[];
const int table[] = {1, 2, 3};

__attribute__((noinline)) static int by_value(struct large l, int k)
{
	l.text[0] = 'Z';
	return l.n + k + l.text[1];
}

__attribute__((noinline)) static void copies(size_t n)
{
	char local[64];
	memset(shared, 'a', sizeof shared);
	memset(local, 'b', n);
	memcpy(shared, local, n);
	memcpy(local, other, n);
	memmove(shared + 2, shared, n);
	char *end = mempcpy(other, "hello", 5);
	*end = 0;
	bcopy(shared, other + 8, 8);
	bzero(shared + 10, 4);
	explicit_bzero(shared + 20, n - 8);
	__builtin_memcpy_inline(shared + 30, other, 6);
	__builtin_memset_inline(shared + 40, 'q', 3);
	char *p = memcpy(local, shared, sizeof local);
	memcpy(p + 3, p + 20, 10);
	for (size_t i = 0; i < sizeof local; i++)
		printf("%02x", p[i]);
	printf(" %s %s\n", other, other + 8);
}

__attribute__((noinline)) static void fortified(const char *text, size_t n)
{
	char small[16], *heap = malloc(n);
	memcpy(small, text, n);
	memset(heap, 0, n);
	memcpy(heap, small, n - 1);
	strcpy(shared, heap);
	strcat(shared, "!");
	snprintf(other, sizeof other, "%s-%s", shared, small);
	puts(other);
	free(heap);
}

__attribute__((noinline)) static int *tls(int x)
{
	private_tls += x;
	shared_tls[x & 3] += private_tls;
	tls_buffer[x & 15] = x;
	return shared_tls;
}

int main(void)
{
	DIR *root = opendir("/");
	printf("%d\n", root && telldir(root) == 0 && closedir(root) == 0);
	copies(16);
	fortified("pass", 5);
	strcpy(large.text, "large");
	large.n = 5;
	int r = by_value(large, 7);
	struct large second = large, *heap = malloc(sizeof *heap);
	*heap = second;
	heap->n++;
	large = *heap;
	r += by_value(*heap, table[r & 1]);
	free(heap);
	int sum = 0;
	for (int i = 0; i < 6; i++)
		sum += tls(i)[i & 3];
	printf("%d %d %s %d %d\n", r, sum, large.text, large.n, tls_buffer[5]);
	return sum & 63;
}
